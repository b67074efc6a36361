//! The file's encoding of numbers, checksums and compression.

use flate2::Compression;
use flate2::read::{DeflateDecoder, DeflateEncoder};
use std::io::Read;

/// The compression level: see the measurements in docs/recordings.md.
const LEVEL: u32 = 6;

/// The most bytes in an unpacked block. A sample of the largest RAM (4 MiB) in which every byte changed has about 4 MiB.
pub const MAX_UNPACKED: usize = 32 << 20;

/// The highest compression ratio of deflate (RFC 1951: 258 bytes in two bits).
const MAX_RATIO: usize = 1032;

/// The CRC-32 of zip and gzip.
pub fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Compresses with raw deflate.
pub fn pack(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut packed = Vec::with_capacity(bytes.len() / 2 + 64);
    DeflateEncoder::new(bytes, Compression::new(LEVEL)).read_to_end(&mut packed)?;
    Ok(packed)
}

/// Decompresses; None if the result does not have exactly this length.
pub fn unpack(packed: &[u8], length: usize) -> Option<Vec<u8>> {
    if !is_possible_size(packed.len(), length) {
        return None;
    }
    let mut bytes = Vec::with_capacity(length);
    let limit = u64::try_from(length).ok()?.checked_add(1)?;
    DeflateDecoder::new(packed).take(limit).read_to_end(&mut bytes).ok()?;
    (bytes.len() == length).then_some(bytes)
}

/// Whether this many packed bytes can unpack to this length.
pub fn is_possible_size(packed: usize, length: usize) -> bool {
    length <= MAX_UNPACKED && length <= packed.saturating_mul(MAX_RATIO)
}

/// Writes seven bits per byte, the lowest first; the eighth bit is set if more bytes follow.
pub fn write_number(to: &mut Vec<u8>, mut number: u64) {
    while number > 0x7F {
        to.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    to.push(number.to_le_bytes()[0]);
}

/// Writes a difference, zigzag-encoded so that small values of either sign are short.
pub fn write_difference(to: &mut Vec<u8>, from: u64, number: u64) {
    let difference = number.wrapping_sub(from).cast_signed();
    write_number(to, ((difference << 1) ^ (difference >> 63)).cast_unsigned());
}

/// Reads from the front of a byte slice.
#[derive(Debug, Clone, Copy)]
pub struct ByteReader<'a>(pub &'a [u8]);

impl<'a> ByteReader<'a> {
    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            let bits = u64::from(byte & 0x7F);
            if shift == 63 && bits > 1 {
                return None;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    pub fn size(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok()
    }

    pub fn difference(&mut self, from: u64) -> Option<u64> {
        let folded = self.number()?;
        Some(from.wrapping_add((folded >> 1) ^ (folded & 1).wrapping_neg()))
    }

    pub fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_read_as_written(number: u64, from: u64) {
            let mut bytes = Vec::new();
            write_number(&mut bytes, number);
            write_difference(&mut bytes, from, number);
            let mut reader = ByteReader(&bytes);
            prop_assert_eq!(reader.number(), Some(number));
            prop_assert_eq!(reader.difference(from), Some(number));
            prop_assert!(reader.0.is_empty());
        }
    }

    #[test]
    fn a_number_that_is_too_long_or_truncated_is_none() {
        assert_eq!(ByteReader(&[0xFF; 10]).number(), None);
        assert_eq!(ByteReader(&[0x80; 11]).number(), None);
        assert_eq!(ByteReader(&[0x80]).number(), None);
        assert_eq!(
            ByteReader(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]).number(),
            Some(u64::MAX)
        );
    }

    #[test]
    fn packed_bytes_are_unpacked_with_the_right_length_only() {
        let bytes: Vec<u8> = (0..10_000_u32).map(|n| ((n * n) >> 7).to_le_bytes()[0]).collect();
        let packed = pack(&bytes).unwrap();
        assert_eq!(unpack(&packed, bytes.len()), Some(bytes.clone()));
        assert_eq!(unpack(&packed, bytes.len() - 1), None);
        assert_eq!(unpack(&packed, bytes.len() + 1), None);
        assert_eq!(unpack(&packed[..packed.len() / 2], bytes.len()), None);
        assert_eq!(unpack(&[0; 100], MAX_UNPACKED), None, "nothing is allocated for an impossible length");
    }
}
