//! A field of a profile and the value that it has in a snapshot.

use crate::console::{ConsoleAddr, Endian, OutsideDomain, Snapshot};
use serde::Serialize;
use std::fmt;

/// How the bytes of a field are read. Numbers have the processor's byte order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "type")]
pub enum FieldKind {
    /// Unsigned, 8 bits.
    U8,
    /// Unsigned, 16 bits.
    U16,
    /// Unsigned, 32 bits.
    U32,
    /// Two's complement, 8 bits.
    I8,
    /// Two's complement, 16 bits.
    I16,
    /// Two's complement, 32 bits.
    I32,
    /// Two decimal digits a byte, the bytes in the processor's order.
    Bcd {
        /// Bytes, 1 to 8.
        length: u32,
    },
    /// Bytes as they stand.
    Bytes {
        /// Bytes, at least 1.
        length: u32,
    },
    /// ASCII text of a fixed length.
    Text {
        /// Bytes, at least 1.
        length: u32,
    },
}

impl FieldKind {
    /// The length in bytes.
    #[must_use]
    pub fn bytes(self) -> u32 {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 => 4,
            Self::Bcd { length } | Self::Bytes { length } | Self::Text { length } => length,
        }
    }

    /// Whether it is a binary number, signed or not.
    #[must_use]
    pub fn is_integer(self) -> bool {
        !matches!(self, Self::Bcd { .. } | Self::Bytes { .. } | Self::Text { .. })
    }
}

impl fmt::Display for FieldKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::U8 => f.write_str("u8"),
            Self::U16 => f.write_str("u16"),
            Self::U32 => f.write_str("u32"),
            Self::I8 => f.write_str("i8"),
            Self::I16 => f.write_str("i16"),
            Self::I32 => f.write_str("i32"),
            Self::Bcd { length } => write!(f, "bcd[{length}]"),
            Self::Bytes { length } => write!(f, "bytes[{length}]"),
            Self::Text { length } => write!(f, "text[{length}]"),
        }
    }
}

/// A cell that says where other fields stand: the 32-bit address of a block, in the processor's byte order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Through {
    /// The name of the field that is the pointer.
    pub pointer: String,
    /// Where the pointer stands.
    pub cell: ConsoleAddr,
    /// How far behind the address in the pointer the field begins, in bytes.
    pub offset: u32,
}

/// Why a field is nowhere at the moment, or cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum FieldError {
    /// The snapshot does not hold it.
    #[error(transparent)]
    Outside(#[from] OutsideDomain),
    /// The pointer that leads to it leads out of the RAM.
    #[error("the pointer {pointer} at {cell} holds {value}, which leads nowhere in {domain}")]
    Astray {
        /// The name of the pointer.
        pointer: String,
        /// Where it stands.
        cell: ConsoleAddr,
        /// What it holds.
        value: ConsoleAddr,
        /// The RAM's name.
        domain: &'static str,
    },
}

/// One named place in RAM. The whole of it lies inside the console's domain.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Field {
    /// Its name in the profile: lower-case letters, digits, underscores.
    pub name: String,
    /// The documented address of its first byte (a mirror in the file is brought back to it). A field behind a pointer
    /// stands there as a rule only: see [`Self::place`].
    pub address: ConsoleAddr,
    /// The pointer that leads to it, when one does.
    pub through: Option<Through>,
    /// How its bytes are read.
    #[serde(flatten)]
    pub kind: FieldKind,
    /// Whether address and meaning were read in the code of this version of the game, or seen to hold on it.
    pub confirmed: bool,
    /// Where the address comes from.
    pub source: String,
    /// What it means, or what is uncertain about it.
    pub note: Option<String>,
}

impl Field {
    /// Its length in bytes, at least 1.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a field is never empty")]
    pub fn len(&self) -> usize {
        self.kind.bytes() as usize
    }

    /// Where it stands in `snapshot`: the pointer that leads to it is followed.
    ///
    /// # Errors
    /// [`FieldError`] when the pointer leads nowhere.
    pub fn place(&self, snapshot: &Snapshot) -> Result<ConsoleAddr, FieldError> {
        let Some(Through { pointer, cell, offset }) = &self.through else { return Ok(self.address) };
        let value = ConsoleAddr(snapshot.u32(*cell)?);
        let domain = snapshot.domain();
        // The block begins inside the RAM and so does the field: a pointer just below the top of the window leads nowhere.
        let place = value.0.checked_add(*offset).map(ConsoleAddr);
        let inside = |at: &ConsoleAddr| domain.span(*at, self.len()).is_some();
        place
            .filter(|at| domain.span(value, 1).is_some() && inside(at))
            .map(|at| domain.offset_of(at).map_or(at, |offset| domain.address_at(offset)))
            .ok_or_else(|| FieldError::Astray {
                pointer: pointer.clone(),
                cell: *cell,
                value,
                domain: domain.name,
            })
    }

    /// The bytes that it has in `snapshot`.
    ///
    /// # Errors
    /// [`FieldError`].
    pub fn bytes<'a>(&self, snapshot: &'a Snapshot) -> Result<&'a [u8], FieldError> {
        Ok(snapshot.bytes(self.place(snapshot)?, self.len())?)
    }

    /// The value that it has in `snapshot`.
    ///
    /// # Errors
    /// [`FieldError`] when a pointer leads nowhere, or the snapshot is of another console.
    pub fn read(&self, snapshot: &Snapshot) -> Result<FieldValue, FieldError> {
        let at = self.place(snapshot)?;
        Ok(match self.kind {
            FieldKind::U8 => FieldValue::Unsigned { value: snapshot.u8(at)?.into(), bytes: 1 },
            FieldKind::U16 => FieldValue::Unsigned { value: snapshot.u16(at)?.into(), bytes: 2 },
            FieldKind::U32 => FieldValue::Unsigned { value: snapshot.u32(at)?, bytes: 4 },
            FieldKind::I8 => FieldValue::Signed(snapshot.u8(at)?.cast_signed().into()),
            FieldKind::I16 => FieldValue::Signed(snapshot.u16(at)?.cast_signed().into()),
            FieldKind::I32 => FieldValue::Signed(snapshot.u32(at)?.cast_signed()),
            FieldKind::Bcd { .. } => {
                let mut bytes = snapshot.bytes(at, self.len())?.to_vec();
                if snapshot.domain().endian == Endian::Little {
                    bytes.reverse();
                }
                decimal(&bytes).map_or(FieldValue::Bytes(bytes), FieldValue::Decimal)
            }
            FieldKind::Bytes { .. } => FieldValue::Bytes(snapshot.bytes(at, self.len())?.to_vec()),
            FieldKind::Text { .. } => FieldValue::Text(snapshot.text(at, self.len())?),
        })
    }
}

/// The number that packed decimal digits make, most significant first; None when a digit is above 9.
fn decimal(bytes: &[u8]) -> Option<u64> {
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 0x0F]).try_fold(0_u64, |number, digit| {
        (digit <= 9).then_some(())?;
        number.checked_mul(10)?.checked_add(digit.into())
    })
}

/// What stands in a field. `{}` shows it short enough for a table, `{:#}` in full.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum FieldValue {
    /// An unsigned number of 1, 2 or 4 bytes.
    Unsigned {
        /// The number.
        value: u32,
        /// Its length in bytes.
        bytes: u8,
    },
    /// A signed number.
    Signed(i32),
    /// A number of decimal digits.
    Decimal(u64),
    /// Bytes as they stand; also decimal digits that are none, most significant first.
    Bytes(Vec<u8>),
    /// Text; bytes outside printable ASCII are `.`.
    Text(String),
}

impl FieldValue {
    /// The number, when it is one.
    #[must_use]
    pub fn number(&self) -> Option<i64> {
        match *self {
            Self::Unsigned { value, .. } => Some(value.into()),
            Self::Signed(value) => Some(value.into()),
            Self::Decimal(value) => i64::try_from(value).ok(),
            Self::Bytes(_) | Self::Text(_) => None,
        }
    }
}

/// The bytes that a table shows of a longer field.
const SHOWN_BYTES: usize = 16;

impl fmt::Display for FieldValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsigned { value, bytes } => {
                write!(f, "0x{value:0width$X} = {value}", width = usize::from(*bytes) * 2)
            }
            Self::Signed(value) => value.fmt(f),
            Self::Decimal(value) => value.fmt(f),
            Self::Bytes(bytes) => {
                let shown = if f.alternate() { bytes.len() } else { bytes.len().min(SHOWN_BYTES) };
                for (index, byte) in bytes.iter().take(shown).enumerate() {
                    let space = if index == 0 { "" } else { " " };
                    write!(f, "{space}{byte:02X}")?;
                }
                if shown < bytes.len() {
                    write!(f, " ... ({} bytes)", bytes.len())?;
                }
                Ok(())
            }
            Self::Text(text) => write!(f, "{text:?}"),
        }
    }
}
