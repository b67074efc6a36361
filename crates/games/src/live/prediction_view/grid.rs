//! The display format of a board of any size.

use nextscope_boards::Color;
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};

/// A board of any size with its caption; serialized as its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grid {
    /// What it is.
    pub caption: String,
    /// Cells of a row.
    pub columns: usize,
    /// The cells, top row first.
    pub cells: Vec<Option<GridItem>>,
}

/// What is in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GridItem {
    /// Its colour.
    pub color: Color,
    /// Whether it belongs to the board and did not fall, such as a virus: drawn with a mark, and in upper case.
    pub fixed: bool,
}

impl GridItem {
    /// Its letter.
    pub fn letter(self) -> char {
        let letter = self.color.letter();
        if self.fixed { letter } else { letter.to_ascii_lowercase() }
    }
}

impl Grid {
    /// Its rows as letters and dots, top row first.
    pub fn rows(&self) -> Vec<String> {
        let letter = |cell: &Option<GridItem>| cell.map_or('.', GridItem::letter);
        self.cells.chunks(self.columns.max(1)).map(|cells| cells.iter().map(letter).collect()).collect()
    }

    /// The number of rows.
    pub fn row_count(&self) -> usize {
        self.cells.len().div_ceil(self.columns.max(1))
    }
}

impl Serialize for Grid {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Grid", 2)?;
        object.serialize_field("caption", &self.caption)?;
        object.serialize_field("rows", &self.rows())?;
        object.end()
    }
}
