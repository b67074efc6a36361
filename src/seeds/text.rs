//! Text that both the command line and the window hand out.

/// A table with aligned columns, a line for each row; the last column is not padded.
#[must_use]
pub fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let head = head.get(column).map_or(0, |title| title.chars().count());
        cells.map(|cell| cell.chars().count()).chain([head]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: &[String]| {
        let padded: Vec<String> =
            cells.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}")).collect();
        format!("{}\n", padded.join("  ").trim_end())
    };
    let head: Vec<String> = head.iter().map(ToString::to_string).collect();
    std::iter::once(head.as_slice()).chain(rows.iter().map(Vec::as_slice)).map(line).collect()
}

/// A number with a comma after each thousand.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let thousands = digits.as_bytes().rchunks(3).rev();
    let thousands: Vec<&str> = thousands.filter_map(|three| std::str::from_utf8(three).ok()).collect();
    thousands.join(",")
}

/// A 32-bit number as people write it: 0x35879DE2, $35879DE2 or decimal. None for anything else.
#[must_use]
pub fn parse_number(text: &str) -> Option<u32> {
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")).or_else(|| text.strip_prefix('$'));
    match hex {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}
