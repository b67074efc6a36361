//! Text helpers shared by the command line and the window.

pub use crate::text::table;

/// A number with a comma after every three digits.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let thousands = digits.as_bytes().rchunks(3).rev();
    let thousands: Vec<&str> = thousands.filter_map(|three| std::str::from_utf8(three).ok()).collect();
    thousands.join(",")
}

/// Parses a 32-bit number: 0x35879DE2, $35879DE2 or decimal.
pub fn parse_number(text: &str) -> Option<u32> {
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).or_else(|| text.strip_prefix('$'));
    match hex {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Parses a 32-bit state, in the notations of [`parse_number`].
///
/// # Errors
/// What is expected.
pub fn parse_state(text: &str) -> Result<u32, String> {
    parse_named("state", text)
}

/// Parses a 32-bit number that messages call `name`.
///
/// # Errors
/// What is expected.
pub fn parse_named(name: &str, text: &str) -> Result<u32, String> {
    parse_number(text)
        .ok_or_else(|| format!("invalid {name} {text:?}: expected 0x0 to 0xFFFFFFFF, or 0 to 4294967295"))
}

/// Bytes from hexadecimal digits; ignores white space; `??` is an unknown byte.
pub fn parse_hex(text: &str) -> Option<Vec<Option<u8>>> {
    let digits: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (pairs, []) = digits.as_chunks::<2>() else { return None };
    let byte = |&[high, low]: &[char; 2]| {
        if [high, low] == ['?', '?'] {
            return Some(None);
        }
        u8::try_from(high.to_digit(16)? * 16 + low.to_digit(16)?).ok().map(Some)
    };
    pairs.iter().map(byte).collect()
}

/// Parses a range with both ends: `0..9999`, `0x0..0xFFFF` or `0..=9999`; a single number is a range of one.
pub fn parse_range(text: &str) -> Option<(u32, u32)> {
    let (first, last) = text.split_once("..").unwrap_or((text, text));
    let range = parse_number(first.trim()).zip(parse_number(last.trim_start_matches('=').trim()));
    range.filter(|(first, last)| first <= last)
}
