//! A field of coloured blocks.

use std::fmt;

/// Columns of the game's field (reference 5).
pub const WIDTH: u8 = 7;
/// Rows of the game's field (reference 5).
pub const HEIGHT: u8 = 12;
/// The largest side of a field: the lines of 24 and 25 blocks mentioned in sources fit without a bend.
pub const MAX_SIDE: usize = 64;

/// The colour of a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Color {
    /// Red.
    Red,
    /// Green.
    Green,
    /// Blue.
    Blue,
    /// Yellow.
    Yellow,
}

impl Color {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Red, Self::Green, Self::Blue, Self::Yellow];

    /// The letter in grids.
    pub fn letter(self) -> char {
        match self {
            Self::Red => 'R',
            Self::Green => 'G',
            Self::Blue => 'B',
            Self::Yellow => 'Y',
        }
    }

    /// The colour with this letter, in either case.
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|color| color.letter() == letter.to_ascii_uppercase())
    }

    /// The display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Red => "red",
            Self::Green => "green",
            Self::Blue => "blue",
            Self::Yellow => "yellow",
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A cell of a field: column from 0 at the left, row from 0 at the top. In JSON `[x, y]`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize)]
#[serde(into = "[u8; 2]")]
pub struct GridCell {
    /// Its column.
    pub x: u8,
    /// Its row.
    pub y: u8,
}

impl From<GridCell> for [u8; 2] {
    fn from(cell: GridCell) -> Self {
        [cell.x, cell.y]
    }
}

impl GridCell {
    /// The cell in column `x` and row `y`.
    pub const fn new(x: u8, y: u8) -> Self {
        Self { x, y }
    }

    /// The cell `right` columns to the right and `down` rows below; `None` above the first row and left of the first column.
    pub fn moved(self, right: i8, down: i8) -> Option<Self> {
        Some(Self { x: self.x.checked_add_signed(right)?, y: self.y.checked_add_signed(down)? })
    }
}

impl fmt::Display for GridCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.x, self.y)
    }
}

/// Why a field is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum FieldError {
    #[error("there is no field: give lines of R G B Y and dots, the top row first")]
    Nothing,
    #[error("the field is larger than {MAX_SIDE} x {MAX_SIDE}; the game's has {WIDTH} x {HEIGHT}")]
    Large,
    #[error("row {row} has {found} cells, the first row has {first}; all rows must have the same length")]
    Ragged { row: usize, found: usize, first: usize },
    #[error("row {row}, column {column}: {letter:?} is not a cell: use R G B Y for blocks, . for empty")]
    Letter { row: usize, column: usize, letter: char },
}

/// A field: rows of cells, each empty or a block.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    width: u8,
    cells: Vec<Option<Color>>,
}

impl Default for Field {
    /// The game's field, empty.
    fn default() -> Self {
        Self { width: WIDTH, cells: vec![None; usize::from(WIDTH) * usize::from(HEIGHT)] }
    }
}

impl Field {
    /// An empty field with this many columns and rows.
    pub fn empty(width: usize, height: usize) -> Result<Self, FieldError> {
        if width == 0 || height == 0 {
            return Err(FieldError::Nothing);
        }
        match u8::try_from(width) {
            Ok(columns) if width <= MAX_SIDE && height <= MAX_SIDE => {
                Ok(Self { width: columns, cells: vec![None; width * height] })
            }
            _ => Err(FieldError::Large),
        }
    }

    /// Parses lines of letters, the top row first: R G B Y for blocks, a dot (or `_`) for an empty cell. Empty lines are ignored.
    pub fn from_text(text: &str) -> Result<Self, FieldError> {
        let rows: Vec<&str> = text.lines().map(str::trim).filter(|row| !row.is_empty()).collect();
        let first = rows.first().map_or(0, |row| row.chars().count());
        let mut field = Self::empty(first, rows.len())?;
        for (row, line) in rows.iter().enumerate() {
            let found = line.chars().count();
            if found != first {
                return Err(FieldError::Ragged { row, found, first });
            }
            for (column, letter) in line.chars().enumerate() {
                field.cells[row * first + column] = match letter {
                    '.' | '_' => None,
                    _ => {
                        let wrong = FieldError::Letter { row, column, letter };
                        Some(Color::from_letter(letter).ok_or(wrong)?)
                    }
                };
            }
        }
        Ok(field)
    }

    /// The text that [`Field::from_text`] parses, each row ended by a line feed.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for row in self.cells.chunks(usize::from(self.width)) {
            text.extend(row.iter().map(|cell| cell.map_or('.', Color::letter)));
            text.push('\n');
        }
        text
    }

    /// The number of columns.
    pub fn width(&self) -> u8 {
        self.width
    }

    /// The number of rows.
    pub fn height(&self) -> u8 {
        u8::try_from(self.cells.len() / usize::from(self.width)).unwrap_or(u8::MAX)
    }

    /// Whether the cell is inside the field.
    pub fn has(&self, place: GridCell) -> bool {
        place.x < self.width && place.y < self.height()
    }

    /// The block in a cell; `None` for an empty one and outside.
    pub fn get(&self, place: GridCell) -> Option<Color> {
        if self.has(place) { self.cells[self.index(place)] } else { None }
    }

    /// Puts a block into a cell, or empties it; no effect outside the field.
    pub fn set(&mut self, place: GridCell, block: Option<Color>) {
        if self.has(place) {
            let index = self.index(place);
            self.cells[index] = block;
        }
    }

    fn index(&self, place: GridCell) -> usize {
        usize::from(place.y) * usize::from(self.width) + usize::from(place.x)
    }

    /// All cells, row by row from the top.
    pub fn places(&self) -> impl Iterator<Item = GridCell> + use<> {
        let width = self.width;
        (0..self.height()).flat_map(move |y| (0..width).map(move |x| GridCell { x, y }))
    }

    /// The number of blocks.
    pub fn blocks(&self) -> usize {
        self.cells.iter().flatten().count()
    }

    /// Whether a falling block or needle comes to rest there: the cell is empty, with the floor or a block below.
    pub fn is_rest(&self, place: GridCell) -> bool {
        let below = GridCell { y: place.y.saturating_add(1), ..place };
        self.has(place) && self.get(place).is_none() && (!self.has(below) || self.get(below).is_some())
    }

    /// The field in the game's size, its last row on the floor; `None` if it is larger than the game's
    /// field.
    pub fn in_game_size(&self) -> Option<Self> {
        let down = HEIGHT.checked_sub(self.height())?;
        if self.width > WIDTH {
            return None;
        }
        let mut field = Self::default();
        for place in self.places() {
            field.set(GridCell { y: place.y + down, ..place }, self.get(place));
        }
        Some(field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips_and_errors_name_the_position() {
        let field = Field::from_text("\n.R.\nGbY\n").expect("a field");
        assert_eq!((field.width(), field.height(), field.blocks()), (3, 2, 4));
        assert_eq!(field.get(GridCell::new(1, 1)), Some(Color::Blue));
        assert_eq!(field.to_text(), ".R.\nGBY\n");
        assert_eq!(Field::from_text(" \n"), Err(FieldError::Nothing));
        assert_eq!(Field::from_text("RR\nR"), Err(FieldError::Ragged { row: 1, found: 1, first: 2 }));
        assert_eq!(Field::from_text("R.\n.x"), Err(FieldError::Letter { row: 1, column: 1, letter: 'x' }));
        assert_eq!(Field::from_text(&"R\n".repeat(65)), Err(FieldError::Large));
        assert_eq!(Field::from_text(&".".repeat(65)), Err(FieldError::Large));
    }

    #[test]
    fn a_small_field_is_placed_on_the_floor() {
        let field = Field::from_text("R.\nGB\n").expect("a field").in_game_size().expect("it fits");
        assert_eq!((field.width(), field.height()), (WIDTH, HEIGHT));
        assert_eq!(field.get(GridCell::new(0, 10)), Some(Color::Red));
        assert_eq!(field.get(GridCell::new(1, 11)), Some(Color::Blue));
        assert!(field.is_rest(GridCell::new(1, 10)) && field.is_rest(GridCell::new(6, 11)));
        assert!(!field.is_rest(GridCell::new(1, 9)) && !field.is_rest(GridCell::new(0, 10)));
        assert_eq!(Field::empty(8, 2).expect("a field").in_game_size(), None);
    }
}
