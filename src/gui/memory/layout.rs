//! The columns of a row of bytes.

/// Bytes per row.
pub const ACROSS: usize = 16;
/// Characters before the first byte: an address of eight, two spaces.
pub const INDENT: usize = 10;

/// Grouping of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Group {
    #[default]
    Byte,
    Word,
    Long,
}

impl Group {
    pub const ALL: [Self; 3] = [Self::Byte, Self::Word, Self::Long];

    pub fn bytes(self) -> usize {
        match self {
            Self::Byte => 1,
            Self::Word => 2,
            Self::Long => 4,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Byte => "Bytes",
            Self::Word => "Words",
            Self::Long => "Longs",
        }
    }

    /// The column, in characters, of byte `index` of a row.
    pub fn column(self, index: usize) -> usize {
        INDENT + 2 * index + index / self.bytes()
    }

    /// The column of the text part.
    pub fn text_column(self) -> usize {
        self.column(ACROSS - 1) + 4
    }
}
