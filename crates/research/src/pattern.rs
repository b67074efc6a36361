//! Texts and byte patterns with wildcards.

use super::value::BYTES_MOST;
use nextscope_memory::console::Endian;

/// How a text is encoded in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TextCode {
    /// ASCII.
    #[default]
    Ascii,
    /// UTF-8.
    Utf8,
    /// UTF-16 in the search's byte order.
    Utf16,
}

/// Bytes to find: of each, the bits in its mask must match.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pattern {
    bytes: Vec<Masked>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Masked {
    pub value: u8,
    pub mask: u8,
}

/// An invalid pattern.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum PatternError {
    #[error("the pattern is empty; write bytes as 4E 65 ?? 7? or a text")]
    Empty,
    #[error("the pattern has {len} bytes; the maximum is {BYTES_MOST}")]
    TooLong { len: usize },
    #[error("invalid byte `{text}`: expected two hexadecimal digits, ? for any digit")]
    NotAByte { text: String },
    #[error("`{character}` is not an ASCII character; use UTF-8 or UTF-16")]
    NotAscii { character: char },
}

impl Pattern {
    /// From hexadecimal digits, `?` for any digit: `4E 65 ?? 7?`, with or without spaces.
    pub fn bytes(text: &str) -> Result<Self, PatternError> {
        let mut bytes = Vec::new();
        for word in text.split([' ', ',', '\t', '\n']).filter(|word| !word.is_empty()) {
            let word = word.strip_prefix("0x").unwrap_or(word);
            let wrong = || PatternError::NotAByte { text: word.to_owned() };
            let digits: Vec<char> = word.chars().collect();
            if digits == ['?'] {
                bytes.push(Masked { value: 0, mask: 0 });
                continue;
            }
            if !digits.len().is_multiple_of(2) {
                return Err(wrong());
            }
            for pair in digits.chunks_exact(2) {
                let half = |digit: char| match digit {
                    '?' => Some((0, 0)),
                    _ => Some((u8::try_from(digit.to_digit(16)?).ok()?, 15)),
                };
                let ((high, of_high), (low, of_low)) = half(pair[0]).zip(half(pair[1])).ok_or_else(wrong)?;
                bytes.push(Masked { value: high << 4 | low, mask: of_high << 4 | of_low });
            }
        }
        Self::checked(bytes)
    }

    /// From a text; `any_case` ignores the case of A to Z.
    pub fn text(text: &str, code: TextCode, order: Endian, any_case: bool) -> Result<Self, PatternError> {
        let mut bytes = Vec::new();
        for character in text.chars() {
            // Bit 5 of an ASCII letter is its case.
            let mask = if any_case && character.is_ascii_alphabetic() { 0xDF } else { 0xFF };
            let mut push = |byte: u8, mask: u8| bytes.push(Masked { value: byte & mask, mask });
            match code {
                TextCode::Ascii if !character.is_ascii() => return Err(PatternError::NotAscii { character }),
                TextCode::Ascii | TextCode::Utf8 => {
                    character.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| push(byte, mask));
                }
                TextCode::Utf16 => {
                    for unit in character.encode_utf16(&mut [0; 2]) {
                        let [high, low] = unit.to_be_bytes();
                        match order {
                            Endian::Big => [(high, 0xFF), (low, mask)],
                            Endian::Little => [(low, mask), (high, 0xFF)],
                        }
                        .into_iter()
                        .for_each(|(byte, mask)| push(byte, mask));
                    }
                }
            }
        }
        Self::checked(bytes)
    }

    fn checked(bytes: Vec<Masked>) -> Result<Self, PatternError> {
        if bytes.iter().all(|byte| byte.mask == 0) {
            Err(PatternError::Empty)
        } else if bytes.len() > usize::from(BYTES_MOST) {
            Err(PatternError::TooLong { len: bytes.len() })
        } else {
            Ok(Self { bytes })
        }
    }

    /// The number of bytes, never 0.
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    #[expect(clippy::cast_possible_truncation, reason = "256 at most")]
    pub fn len(&self) -> u16 {
        self.bytes.len() as u16
    }

    pub(super) fn masked(&self) -> &[Masked] {
        &self.bytes
    }

    /// Whether `bytes` start with it.
    pub fn matches(&self, bytes: &[u8]) -> bool {
        bytes.len() >= self.bytes.len()
            && self.bytes.iter().zip(bytes).all(|(want, byte)| byte & want.mask == want.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_stand_for_any_digit() {
        let pattern = Pattern::bytes("4E65 ?? 7? ? 0x0a").expect("a pattern");
        assert_eq!(pattern.len(), 6);
        assert!(pattern.matches(&[0x4E, 0x65, 1, 0x7F, 9, 0x0A, 0]));
        assert!(!pattern.matches(&[0x4E, 0x65, 1, 0x8F, 9, 0x0A]));
        assert!(!pattern.matches(&[0x4E, 0x65, 1, 0x7F, 9]));
        for text in ["4", "4G", "4E 6", "é1"] {
            assert!(matches!(Pattern::bytes(text), Err(PatternError::NotAByte { .. })), "{text}");
        }
        for text in ["", "  ", "?? ??"] {
            assert_eq!(Pattern::bytes(text), Err(PatternError::Empty));
        }
        assert_eq!(Pattern::bytes(&"00".repeat(257)), Err(PatternError::TooLong { len: 257 }));
    }

    #[test]
    fn texts_are_found_in_their_code_and_in_either_case() {
        let text = |text, code, any| Pattern::text(text, code, Endian::Little, any).expect("a text");
        assert!(text("Puyo1", TextCode::Ascii, true).matches(b"pUYO1"));
        assert!(!text("Puyo1", TextCode::Ascii, true).matches(b"pUYO\x11"));
        assert!(!text("Puyo", TextCode::Ascii, false).matches(b"puyo"));
        assert!(text("Pu", TextCode::Utf16, false).matches(b"P\0u\0"));
        assert!(text("ぷ", TextCode::Utf8, true).matches("ぷ".as_bytes()));
        let error = Pattern::text("ぷ", TextCode::Ascii, Endian::Big, false);
        assert_eq!(error, Err(PatternError::NotAscii { character: 'ぷ' }));
    }
}
