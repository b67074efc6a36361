//! Text helpers shared by the command line and the window.

pub use crate::text::table;

/// A number with a comma after every three digits.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let thousands = digits.as_bytes().rchunks(3).rev();
    let thousands: Vec<&str> = thousands.filter_map(|three| std::str::from_utf8(three).ok()).collect();
    thousands.join(",")
}

/// Parses a 32-bit number: 0x35879DE2, $35879DE2 or decimal.
#[must_use]
pub fn parse_number(text: &str) -> Option<u32> {
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).or_else(|| text.strip_prefix('$'));
    match hex {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
