//! A field of a profile and the value that it has in a snapshot.

use nextscope_memory::console::{ConsoleAddr, Endian, OutsideDomain, Snapshot};
use serde::Serialize;
use std::fmt;

/// How the bytes of a field are read. Numbers have the processor's byte order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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
    /// Raw bytes.
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
    /// The values of `type` in a file.
    pub const NAMES: [&'static str; 9] = ["u8", "u16", "u32", "i8", "i16", "i32", "bcd", "bytes", "text"];

    /// The type of that name; `length` is used by those that need one.
    pub fn from_name(name: &str, length: u32) -> Option<Self> {
        Some(match name {
            "u8" => Self::U8,
            "u16" => Self::U16,
            "u32" => Self::U32,
            "i8" => Self::I8,
            "i16" => Self::I16,
            "i32" => Self::I32,
            "bcd" => Self::Bcd { length },
            "bytes" => Self::Bytes { length },
            "text" => Self::Text { length },
            _ => return None,
        })
    }

    /// The value of `type` in a file.
    pub fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::Bcd { .. } => "bcd",
            Self::Bytes { .. } => "bytes",
            Self::Text { .. } => "text",
        }
    }

    /// The type that a template proposes for a field of that many bytes.
    pub(super) fn of_size(bytes: u32) -> Self {
        match bytes {
            1 => Self::U8,
            2 => Self::U16,
            4 => Self::U32,
            length => Self::Bytes { length },
        }
    }

    /// The lines of a file that say so.
    pub(super) fn keys(self) -> Vec<String> {
        let mut lines = vec![format!("type = {:?}", self.name())];
        lines.extend((!self.is_integer()).then(|| format!("length = {}", self.bytes())));
        lines
    }

    /// The length in bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 => 4,
            Self::Bcd { length } | Self::Bytes { length } | Self::Text { length } => length,
        }
    }

    /// Whether it is a binary number, signed or not.
    pub fn is_integer(self) -> bool {
        !matches!(self, Self::Bcd { .. } | Self::Bytes { .. } | Self::Text { .. })
    }
}

impl fmt::Display for FieldKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        if self.is_integer() { Ok(()) } else { write!(f, "[{}]", self.bytes()) }
    }
}

/// The pointer behind which a field is: a 32-bit address in the processor's byte order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Through {
    /// The name of the field that is the pointer.
    pub pointer: String,
    /// The address of the pointer.
    pub cell: ConsoleAddr,
    /// The distance of the field from the address in the pointer, in bytes.
    pub offset: u32,
}

/// Why a field cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum FieldError {
    /// It is outside the snapshot.
    #[error(transparent)]
    Outside(#[from] OutsideDomain),
    #[error("the pointer {pointer} at {cell} is {value}, which is outside {domain}")]
    DanglingPointer { pointer: String, cell: ConsoleAddr, value: ConsoleAddr, domain: &'static str },
}

/// One named place in RAM, entirely inside the console's domain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name in the profile: lower-case letters, digits, underscores.
    pub name: String,
    /// The documented address of its first byte, also where the file has a mirror. For a field behind a pointer this is the
    /// usual address: see [`Self::address_in`].
    pub address: ConsoleAddr,
    /// The pointer behind which it is.
    pub through: Option<Through>,
    /// How its bytes are read.
    pub kind: FieldKind,
    /// Whether address and meaning were read in the code of this version of the game, or observed in it.
    pub confirmed: bool,
    /// Where the address comes from.
    pub source: String,
    /// What it means, or what is uncertain about it.
    pub note: Option<String>,
}

impl Field {
    /// Its length in bytes, at least 1.
    #[expect(clippy::len_without_is_empty, reason = "a field is never empty")]
    pub fn len(&self) -> usize {
        self.kind.bytes() as usize
    }

    /// Its address in `snapshot`, by the value of its pointer there.
    ///
    /// # Errors
    /// [`FieldError`] when the pointer points outside the RAM.
    pub fn address_in(&self, snapshot: &Snapshot) -> Result<ConsoleAddr, FieldError> {
        let Some(Through { pointer, cell, offset }) = &self.through else { return Ok(self.address) };
        let value = ConsoleAddr(snapshot.u32(*cell)?);
        let domain = snapshot.domain();
        // Both the block and the field must begin inside the RAM.
        let address = value.0.checked_add(*offset).map(ConsoleAddr);
        let inside = |at: &ConsoleAddr| domain.span(*at, self.len()).is_some();
        address
            .filter(|at| domain.span(value, 1).is_some() && inside(at))
            .map(|at| domain.offset_of(at).map_or(at, |offset| domain.address_at(offset)))
            .ok_or_else(|| FieldError::DanglingPointer {
                pointer: pointer.clone(),
                cell: *cell,
                value,
                domain: domain.name,
            })
    }

    /// Its bytes in `snapshot`.
    pub fn bytes<'a>(&self, snapshot: &'a Snapshot) -> Result<&'a [u8], FieldError> {
        Ok(snapshot.bytes(self.address_in(snapshot)?, self.len())?)
    }

    /// Its value in `snapshot`.
    ///
    /// # Errors
    /// [`FieldError`] when its pointer points outside the RAM, or the snapshot is of another console.
    pub fn read(&self, snapshot: &Snapshot) -> Result<FieldValue, FieldError> {
        let at = self.address_in(snapshot)?;
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

/// The number of packed decimal digits, most significant first; None when a digit is above 9.
fn decimal(bytes: &[u8]) -> Option<u64> {
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 0x0F]).try_fold(0_u64, |number, digit| {
        (digit <= 9).then_some(())?;
        number.checked_mul(10)?.checked_add(digit.into())
    })
}

/// The value of a field. `{}` shows it short enough for a table, `{:#}` in full.
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
    /// Raw bytes; also invalid decimal digits, most significant first.
    Bytes(Vec<u8>),
    /// Text; bytes outside printable ASCII are `.`.
    Text(String),
}

impl FieldValue {
    /// The number, when it is one.
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
