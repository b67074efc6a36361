//! Fields as text.

use crate::pochi::{Color, Field, GridCell};

/// Draws a field with a text in each cell, with numbered columns and rows.
pub fn draw(field: &Field, cell: impl Fn(GridCell) -> String) -> String {
    let cells: Vec<(GridCell, String)> = field.places().map(|place| (place, cell(place))).collect();
    let width = cells.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(1).max(2);
    let mut text = "    ".to_owned();
    for column in 0..field.width() {
        text += &format!(" {column:<width$}");
    }
    for (place, cell) in cells {
        if place.x == 0 {
            text.truncate(text.trim_end().len());
            text += &format!("\n {:>2} ", place.y);
        }
        text += &format!(" {cell:<width$}");
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

/// The letter of a cell's block, or a dot.
pub fn letter(field: &Field, place: GridCell) -> String {
    field.get(place).map_or('.', Color::letter).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_rows_are_numbered() {
        let field = Field::from_text("R.\n.B").expect("a field");
        assert_eq!(draw(&field, |place| letter(&field, place)), "     0  1\n  0  R  .\n  1  .  B\n");
        let long = draw(&field, |place| if place.x == 0 { "B123".into() } else { ".".into() });
        assert_eq!(long, "     0    1\n  0  B123 .\n  1  B123 .\n");
    }
}
