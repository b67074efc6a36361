//! The types of values: how they are read from bytes, parsed and formatted.

use super::source::Address;
use nextscope_memory::console::Endian;
use std::fmt;

/// Most bytes of a text or a byte pattern.
pub(super) const BYTES_MOST: u16 = 256;

/// The kind of a cell's value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// 8 bits, 0 to 255.
    U8,
    /// 8 bits, two's complement.
    I8,
    /// 16 bits, from 0.
    U16,
    /// 16 bits, two's complement.
    I16,
    /// 32 bits, from 0.
    U32,
    /// 32 bits, two's complement.
    I32,
    /// 64 bits, from 0.
    U64,
    /// 64 bits, two's complement.
    I64,
    /// IEEE 754 single precision.
    F32,
    /// IEEE 754 double precision.
    F64,
    /// Two decimal digits per byte, 1 to 4 bytes. A digit above 9 makes the value invalid.
    Bcd {
        /// How many bytes, 1 to 4.
        bytes: u8,
    },
    /// Half a byte, 0 to 15: each byte is two cells, the lower half first.
    Nibble,
    /// The number of bits set in a byte, 0 to 8.
    BitCount,
    /// Bytes: texts and byte patterns.
    Bytes {
        /// How many, 1 to 256.
        len: u16,
    },
}

/// A kind of value and the order of its bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValueType {
    kind: Kind,
    order: Endian,
}

/// One value.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// Of any integer kind.
    Integer(i128),
    /// Of a float kind; single precision is represented exactly.
    Float(f64),
    /// Of [`Kind::Bytes`].
    Bytes(Vec<u8>),
}

/// The part of the byte at an address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Part {
    /// All of it, and the following bytes of a longer type.
    #[default]
    Whole,
    /// Bits 0 to 3.
    Lower,
    /// Bits 4 to 7.
    Upper,
}

/// The address of a cell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CellAddress {
    /// The address of its first byte.
    pub address: Address,
    /// Which part of the byte.
    pub part: Part,
}

/// Text that is not an address.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("invalid address `{0}`: expected hexadecimal digits")]
pub struct InvalidCellAddress(pub String);

impl fmt::Display for CellAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = match self.part {
            Part::Whole => "",
            Part::Lower => ".lo",
            Part::Upper => ".hi",
        };
        write!(f, "{}{part}", self.address)
    }
}

impl std::str::FromStr for CellAddress {
    type Err = InvalidCellAddress;

    /// Hexadecimal digits with an optional 0x or $; `.hi` or `.lo` after them for half a byte.
    fn from_str(text: &str) -> Result<Self, InvalidCellAddress> {
        let (digits, part) = match (text.strip_suffix(".hi"), text.strip_suffix(".lo")) {
            (Some(digits), _) => (digits, Part::Upper),
            (None, Some(digits)) => (digits, Part::Lower),
            (None, None) => (text, Part::Whole),
        };
        let address = Address::from_hex(digits).ok_or_else(|| InvalidCellAddress(text.to_owned()))?;
        Ok(Self { address, part })
    }
}

/// How integers are formatted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum NumberFormat {
    /// 1234, -5.
    #[default]
    Decimal,
    /// All digits: 0x00FF.
    Hexadecimal,
    /// All digits: 0b00001111.
    Binary,
}

/// An invalid type or value.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ValueError {
    #[error("invalid length {asked} for {kind}: expected 1 to {most} bytes")]
    Length { kind: &'static str, asked: u16, most: u16 },
    #[error("invalid number `{text}`: expected 1234, -5, 0x4D2 or $4D2, 0b1010{}", if *.float { ", 1.5 or 1e3" } else { "" })]
    NotANumber { text: String, float: bool },
    #[error("{value} is out of range: {kind} is {least} to {most}")]
    OutOfRange { value: i128, kind: &'static str, least: i128, most: i128 },
    #[error("a search for bytes takes a text or a byte pattern, not a number")]
    NeedsPattern,
}

impl Kind {
    /// All kinds of a fixed length, in display order.
    pub const NUMBERS: [Self; 16] = [
        Self::U8,
        Self::I8,
        Self::U16,
        Self::I16,
        Self::U32,
        Self::I32,
        Self::U64,
        Self::I64,
        Self::F32,
        Self::F64,
        Self::Bcd { bytes: 1 },
        Self::Bcd { bytes: 2 },
        Self::Bcd { bytes: 3 },
        Self::Bcd { bytes: 4 },
        Self::Nibble,
        Self::BitCount,
    ];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::U8 => "8-bit unsigned",
            Self::I8 => "8-bit signed",
            Self::U16 => "16-bit unsigned",
            Self::I16 => "16-bit signed",
            Self::U32 => "32-bit unsigned",
            Self::I32 => "32-bit signed",
            Self::U64 => "64-bit unsigned",
            Self::I64 => "64-bit signed",
            Self::F32 => "32-bit float",
            Self::F64 => "64-bit float",
            Self::Bcd { .. } => "binary-coded decimal",
            Self::Nibble => "4-bit",
            Self::BitCount => "bit count",
            Self::Bytes { .. } => "bytes",
        }
    }

    /// The size of a value in bytes.
    pub fn width(self) -> usize {
        match self {
            Self::U8 | Self::I8 | Self::Nibble | Self::BitCount => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
            Self::Bcd { bytes } => bytes.into(),
            Self::Bytes { len } => len.into(),
        }
    }

    /// Cells in a byte: two for half bytes, else one.
    pub fn cells_in_byte(self) -> usize {
        if self == Self::Nibble { 2 } else { 1 }
    }

    /// Whether values are floats.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// Whether values are integers.
    pub fn is_integer(self) -> bool {
        !self.is_float() && !matches!(self, Self::Bytes { .. })
    }

    /// Whether values may be negative.
    pub fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    /// The least and the greatest integer; None for floats and bytes.
    pub fn range(self) -> Option<(i128, i128)> {
        let bits = 8 * self.width();
        match self {
            Self::F32 | Self::F64 | Self::Bytes { .. } => None,
            Self::Nibble => Some((0, 15)),
            Self::BitCount => Some((0, 8)),
            Self::Bcd { bytes } => Some((0, 10i128.pow(2 * u32::from(bytes)) - 1)),
            _ if self.is_signed() => Some((-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)),
            _ => Some((0, (1i128 << bits) - 1)),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bcd { bytes } => write!(f, "{} of {} digits", self.name(), 2 * bytes),
            Self::Bytes { len } => write!(f, "{len} bytes"),
            _ => f.write_str(self.name()),
        }
    }
}

impl Default for ValueType {
    /// One byte, from 0.
    fn default() -> Self {
        Self { kind: Kind::U8, order: Endian::Big }
    }
}

impl ValueType {
    /// One byte, from 0.
    pub const BYTE: Self = Self { kind: Kind::U8, order: Endian::Little };

    /// A type; the order has no effect on one byte.
    ///
    /// # Errors
    /// [`ValueError::Length`] unless a decimal has 1 to 4 bytes and a byte pattern 1 to 256.
    pub fn new(kind: Kind, order: Endian) -> Result<Self, ValueError> {
        let (asked, most) = match kind {
            Kind::Bcd { bytes } => (u16::from(bytes), 4),
            Kind::Bytes { len } => (len, BYTES_MOST),
            _ => return Ok(Self { kind, order }),
        };
        if (1..=most).contains(&asked) {
            Ok(Self { kind, order })
        } else {
            Err(ValueError::Length { kind: kind.name(), asked, most })
        }
    }

    /// The kind.
    pub fn kind(self) -> Kind {
        self.kind
    }

    /// The order of the bytes.
    pub fn order(self) -> Endian {
        self.order
    }

    /// The size of a value in bytes.
    pub fn width(self) -> usize {
        self.kind.width()
    }

    /// The size of the lane in which a cell is scanned: decimals of any length take four bytes.
    pub(super) fn lane(self) -> usize {
        if matches!(self.kind, Kind::Bcd { .. }) { 4 } else { self.width() }
    }

    /// The value at the start of `bytes`; None when they are too few or invalid (a decimal with a digit above 9).
    pub fn read(self, bytes: &[u8], part: Part) -> Option<Value> {
        let bytes = bytes.get(..self.width())?;
        let raw = || self.order.number(bytes);
        Some(match self.kind {
            Kind::U8 | Kind::U16 | Kind::U32 | Kind::U64 => Value::Integer(raw().into()),
            Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64 => {
                let unused = 64 - 8 * bytes.len();
                Value::Integer(((raw() << unused).cast_signed() >> unused).into())
            }
            Kind::F32 => Value::Float(f32::from_bits(low_32(raw())).into()),
            Kind::F64 => Value::Float(f64::from_bits(raw())),
            Kind::Bcd { .. } => Value::Integer(decimal(raw())?.into()),
            Kind::Nibble if part == Part::Upper => Value::Integer((bytes[0] >> 4).into()),
            Kind::Nibble => Value::Integer((bytes[0] & 15).into()),
            Kind::BitCount => Value::Integer(bytes[0].count_ones().into()),
            Kind::Bytes { .. } => Value::Bytes(bytes.to_vec()),
        })
    }

    /// Parses decimal, 0x or $ hexadecimal, 0b binary, with underscores anywhere; for floats also fractions, powers of ten, inf and
    /// nan. Hexadecimal and binary digits may give the bits of a signed type: 0xFF is -1 in 8 bits.
    pub fn parse(self, text: &str) -> Result<Value, ValueError> {
        let text = text.trim();
        let float = self.kind.is_float();
        let wrong = || ValueError::NotANumber { text: text.to_owned(), float };
        let Some((least, most)) = self.kind.range() else {
            if !float {
                return Err(ValueError::NeedsPattern);
            }
            let number = match integer(text) {
                #[expect(clippy::cast_precision_loss, reason = "rounded to the nearest float")]
                Some((number, _)) if !text.contains('.') => number as f64,
                _ => text.replace('_', "").parse().map_err(|_| wrong())?,
            };
            return Ok(Value::Float(if self.kind == Kind::F32 {
                f64::from(nearest(number))
            } else {
                number
            }));
        };
        let (number, is_bits) = integer(text).ok_or_else(wrong)?;
        let bits = 1i128 << (8 * self.width());
        if is_bits && self.kind.is_signed() && (most + 1..bits).contains(&number) {
            return Ok(Value::Integer(number - bits));
        }
        if (least..=most).contains(&number) {
            Ok(Value::Integer(number))
        } else {
            Err(ValueError::OutOfRange { value: number, kind: self.kind.name(), least, most })
        }
    }

    /// Formats a value.
    pub fn show(self, value: &Value, shown: NumberFormat) -> String {
        match value {
            Value::Integer(number) => {
                let (digits, mask) = match self.kind {
                    Kind::Bcd { .. } => return number.to_string(), // its hexadecimal digits are its decimal ones
                    Kind::Nibble | Kind::BitCount => (1, 15),
                    _ => (2 * self.width(), (1i128 << (8 * self.width())) - 1),
                };
                match shown {
                    NumberFormat::Decimal => number.to_string(),
                    NumberFormat::Hexadecimal => format!("0x{:0digits$X}", number & mask),
                    NumberFormat::Binary => format!("0b{:0width$b}", number & mask, width = 4 * digits),
                }
            }
            // The shortest digits that parse to the same value.
            Value::Float(number) if self.kind == Kind::F32 => format!("{:?}", nearest(*number)),
            Value::Float(number) => format!("{number:?}"),
            Value::Bytes(bytes) => {
                let hex: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
                hex.join(" ")
            }
        }
    }
}

/// An integer, and whether its digits are hexadecimal or binary.
fn integer(text: &str) -> Option<(i128, bool)> {
    let (minus, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = digits.replace('_', "").to_ascii_lowercase();
    let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix('$'));
    let (radix, digits) = match (hex, digits.strip_prefix("0b")) {
        (Some(hex), _) => (16, hex),
        (None, Some(binary)) => (2, binary),
        (None, None) => (10, digits.as_str()),
    };
    if !digits.starts_with(|first: char| first.is_digit(radix)) {
        return None; // a second sign
    }
    let number = i128::from_str_radix(digits, radix).ok()?;
    Some((if minus { -number } else { number }, radix != 10 && !minus))
}

#[expect(clippy::cast_possible_truncation, reason = "rounded to the nearest single")]
pub(super) fn nearest(number: f64) -> f32 {
    number as f32
}

#[expect(clippy::cast_possible_truncation, reason = "the caller gives 32 bits")]
pub(super) fn low_32(raw: u64) -> u32 {
    raw as u32
}

/// Packed decimal digits as a number; None when one is above 9.
pub(super) fn decimal(packed: u64) -> Option<u32> {
    (0..8).rev().try_fold(0, |sum, digit| {
        let digit = low_32(packed >> (4 * digit) & 15);
        (digit <= 9).then_some(10 * sum + digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: Kind, order: Endian) -> ValueType {
        ValueType::new(kind, order).expect("a type")
    }

    fn read(kind: Kind, order: Endian, bytes: &[u8]) -> Option<Value> {
        of(kind, order).read(bytes, Part::Whole)
    }

    #[test]
    fn bytes_are_read_as_every_type_says() {
        use Endian::{Big, Little};
        let bytes = [0x80, 0x12, 0x99, 0x07, 0xFF, 0xFF, 0xFF, 0xFE];
        let int = |number: i128| Some(Value::Integer(number));
        assert_eq!(read(Kind::U8, Big, &bytes), int(0x80));
        assert_eq!(read(Kind::I8, Big, &bytes), int(-128));
        assert_eq!(read(Kind::U16, Big, &bytes), int(0x8012));
        assert_eq!(read(Kind::U16, Little, &bytes), int(0x1280));
        assert_eq!(read(Kind::I16, Big, &bytes), int(0x8012 - 0x1_0000));
        assert_eq!(read(Kind::U32, Little, &bytes), int(0x0799_1280));
        assert_eq!(read(Kind::I32, Big, &bytes), int(0x8012_9907 - 0x1_0000_0000));
        assert_eq!(read(Kind::U64, Big, &bytes), int(0x8012_9907_FFFF_FFFE));
        assert_eq!(read(Kind::I64, Little, &bytes), int(-0x0100_0000_F866_ED80));
        assert_eq!(read(Kind::Bcd { bytes: 2 }, Big, &bytes), int(8012));
        assert_eq!(read(Kind::Bcd { bytes: 3 }, Big, &bytes), int(801_299));
        assert_eq!(read(Kind::Bcd { bytes: 3 }, Little, &bytes), int(991_280));
        assert_eq!(read(Kind::Bcd { bytes: 4 }, Little, &bytes), int(7_991_280));
        assert_eq!(read(Kind::Bcd { bytes: 1 }, Big, &bytes[4..]), None);
        assert_eq!(read(Kind::BitCount, Big, &bytes[4..]), int(8));
        assert_eq!(of(Kind::Nibble, Big).read(&bytes[2..], Part::Lower), int(9));
        assert_eq!(of(Kind::Nibble, Big).read(&[0x3A], Part::Upper), int(3));
        assert_eq!(of(Kind::Nibble, Big).read(&[0x3A], Part::Lower), int(10));
        assert_eq!(read(Kind::F32, Big, &[0x3F, 0xC0, 0, 0]), Some(Value::Float(1.5)));
        assert_eq!(read(Kind::F64, Little, &[0, 0, 0, 0, 0, 0, 0xF8, 0xBF]), Some(Value::Float(-1.5)));
        assert_eq!(read(Kind::Bytes { len: 2 }, Big, &bytes), Some(Value::Bytes(vec![0x80, 0x12])));
        assert_eq!(read(Kind::U64, Big, &bytes[1..]), None, "too few bytes");
    }

    #[test]
    fn what_people_type_is_understood_or_answered() {
        let parse = |kind, text: &str| of(kind, Endian::Big).parse(text);
        let int = |number: i128| Ok(Value::Integer(number));
        assert_eq!(parse(Kind::U16, " 1_000 "), int(1000));
        assert_eq!(parse(Kind::U16, "0xFFff"), int(0xFFFF));
        assert_eq!(parse(Kind::U16, "$4d2"), int(1234));
        assert_eq!(parse(Kind::U8, "0b1010"), int(10));
        assert_eq!(parse(Kind::I8, "-128"), int(-128));
        assert_eq!(parse(Kind::I8, "0xFF"), int(-1));
        assert_eq!(parse(Kind::I8, "-0x10"), int(-16));
        assert_eq!(parse(Kind::U64, "18446744073709551615"), int(u64::MAX.into()));
        assert_eq!(parse(Kind::Bcd { bytes: 2 }, "9999"), int(9999));
        assert_eq!(parse(Kind::F32, "0.1"), Ok(Value::Float(f64::from(0.1f32))));
        assert_eq!(parse(Kind::F64, "-1e3"), Ok(Value::Float(-1000.0)));
        assert_eq!(parse(Kind::F64, "0x10"), Ok(Value::Float(16.0)));
        for (kind, text) in
            [(Kind::U8, "256"), (Kind::I8, "255"), (Kind::Nibble, "16"), (Kind::BitCount, "9")]
        {
            let error = parse(kind, text).expect_err("it does not fit");
            assert!(matches!(error, ValueError::OutOfRange { .. }), "{error}");
        }
        assert_eq!(
            parse(Kind::U8, "300").expect_err("too great").to_string(),
            "300 is out of range: 8-bit unsigned is 0 to 255"
        );
        for text in ["", "-", "12a", "0x", "--5", "0x-5", "1.5", "- 5"] {
            let error = parse(Kind::U32, text).expect_err("no number");
            assert!(error.to_string().starts_with(&format!("invalid number `{text}`")), "{error}");
        }
        assert_eq!(parse(Kind::Bytes { len: 2 }, "1"), Err(ValueError::NeedsPattern));
        assert!(ValueType::new(Kind::Bcd { bytes: 5 }, Endian::Big).is_err());
        assert!(ValueType::new(Kind::Bytes { len: 0 }, Endian::Big).is_err());
    }

    #[test]
    fn values_are_shown_as_they_can_be_typed() {
        for kind in Kind::NUMBERS {
            let ty = of(kind, Endian::Little);
            for bytes in [[0u8; 8], [0x12, 0x34, 0x56, 0x78, 0x91, 0x23, 0x45, 0x67], [0x99; 8]] {
                let value = ty.read(&bytes, Part::Upper).expect("a value");
                for shown in [NumberFormat::Decimal, NumberFormat::Hexadecimal, NumberFormat::Binary] {
                    assert_eq!(ty.parse(&ty.show(&value, shown)), Ok(value.clone()), "{kind} {shown:?}");
                }
            }
        }
        let byte = of(Kind::I8, Endian::Big);
        assert_eq!(byte.show(&Value::Integer(-1), NumberFormat::Hexadecimal), "0xFF");
        assert_eq!(of(Kind::Nibble, Endian::Big).show(&Value::Integer(5), NumberFormat::Binary), "0b0101");
    }
}
