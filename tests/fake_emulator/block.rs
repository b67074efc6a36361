/// The block that Puyo Puyo Tsu has twice in RAM: a checksum, two settings, and `COMPILE!` at its end.
pub fn checksummed_block() -> [u8; 768] {
    let mut block = [0; 768];
    (block[0x0D], block[0x0E]) = (70, 4);
    block[0x2F8..].copy_from_slice(b"COMPILE!");
    let words = block[2..].chunks(2);
    let sum = words.fold(0_u16, |sum, word| sum.wrapping_add(u16::from_be_bytes([word[0], word[1]])));
    block[..2].copy_from_slice(&sum.to_be_bytes());
    block
}
