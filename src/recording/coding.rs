//! Numbers, checksums and compression, as the file has them.

use flate2::Compression;
use flate2::read::{DeflateDecoder, DeflateEncoder};
use std::io::Read;

/// How hard deflate tries: see the figures in docs/recordings.md.
const LEVEL: u32 = 6;

/// The most that a block unpacks to, in bytes. A sample of the largest RAM (4 MiB) of which every byte changed has some 4 MiB.
pub const MOST_UNPACKED: usize = 32 << 20;

/// Deflate cannot pack closer than this (RFC 1951: 258 bytes in two bits).
const CLOSEST: usize = 1032;

/// The CRC-32 of zip and gzip.
pub fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Deflate without a frame of its own.
pub fn pack(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut packed = Vec::with_capacity(bytes.len() / 2 + 64);
    DeflateEncoder::new(bytes, Compression::new(LEVEL)).read_to_end(&mut packed)?;
    Ok(packed)
}

/// What was packed; None when it is not so many bytes exactly.
pub fn unpack(packed: &[u8], length: usize) -> Option<Vec<u8>> {
    if !could_be(packed.len(), length) {
        return None;
    }
    let mut bytes = Vec::with_capacity(length);
    let limit = u64::try_from(length).ok()?.checked_add(1)?;
    DeflateDecoder::new(packed).take(limit).read_to_end(&mut bytes).ok()?;
    (bytes.len() == length).then_some(bytes)
}

/// Whether so many packed bytes may hold so many.
pub fn could_be(packed: usize, length: usize) -> bool {
    length <= MOST_UNPACKED && length <= packed.saturating_mul(CLOSEST)
}

/// Seven bits a byte, the lowest first; the eighth says that more follow.
pub fn put_number(to: &mut Vec<u8>, mut number: u64) {
    while number > 0x7F {
        to.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    to.push(number.to_le_bytes()[0]);
}

/// A difference: small ones of either sign are short.
pub fn put_difference(to: &mut Vec<u8>, from: u64, number: u64) {
    let difference = number.wrapping_sub(from).cast_signed();
    put_number(to, ((difference << 1) ^ (difference >> 63)).cast_unsigned());
}

/// Bytes read from the front.
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
        fn numbers_come_back(number: u64, from: u64) {
            let mut bytes = Vec::new();
            put_number(&mut bytes, number);
            put_difference(&mut bytes, from, number);
            let mut front = ByteReader(&bytes);
            prop_assert_eq!(front.number(), Some(number));
            prop_assert_eq!(front.difference(from), Some(number));
            prop_assert!(front.0.is_empty());
        }
    }

    #[test]
    fn a_number_that_is_too_long_or_cut_is_none() {
        assert_eq!(ByteReader(&[0xFF; 10]).number(), None);
        assert_eq!(ByteReader(&[0x80; 11]).number(), None);
        assert_eq!(ByteReader(&[0x80]).number(), None);
        assert_eq!(
            ByteReader(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]).number(),
            Some(u64::MAX)
        );
    }

    #[test]
    fn what_was_packed_is_unpacked_at_its_own_length_only() {
        let bytes: Vec<u8> = (0..10_000_u32).map(|n| ((n * n) >> 7).to_le_bytes()[0]).collect();
        let packed = pack(&bytes).unwrap();
        assert_eq!(unpack(&packed, bytes.len()), Some(bytes.clone()));
        assert_eq!(unpack(&packed, bytes.len() - 1), None);
        assert_eq!(unpack(&packed, bytes.len() + 1), None);
        assert_eq!(unpack(&packed[..packed.len() / 2], bytes.len()), None);
        assert_eq!(unpack(&[0; 100], MOST_UNPACKED), None, "no room is made for what cannot be in there");
    }
}
