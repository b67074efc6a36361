//! Watch lists as CSV with label, address, type, display and notes; a separator has only a label.

use super::list::{Display, Entry, Watch};
use crate::{CellAddress, InvalidCellAddress, Kind, NumberFormat, ValueType};
use nextscope_memory::console::Endian;

const COLUMNS: [&str; 5] = ["label", "address", "type", "display", "notes"];

/// An error in a line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct CsvError {
    /// From 1; the header is the first.
    pub line: u64,
    /// The problem and what was expected.
    pub problem: String,
}

const TYPES: [(&str, Kind); 16] = [
    ("u8", Kind::U8),
    ("i8", Kind::I8),
    ("u16", Kind::U16),
    ("i16", Kind::I16),
    ("u32", Kind::U32),
    ("i32", Kind::I32),
    ("u64", Kind::U64),
    ("i64", Kind::I64),
    ("f32", Kind::F32),
    ("f64", Kind::F64),
    ("bcd1", Kind::Bcd { bytes: 1 }),
    ("bcd2", Kind::Bcd { bytes: 2 }),
    ("bcd3", Kind::Bcd { bytes: 3 }),
    ("bcd4", Kind::Bcd { bytes: 4 }),
    ("nibble", Kind::Nibble),
    ("bits", Kind::BitCount),
];

/// The type with this name in files and on the command line: `u16be`, `bcd3`, `bytes8`; `order` is used without `be` or `le`.
pub fn type_of_name(text: &str, order: Endian) -> Option<ValueType> {
    let text = text.to_ascii_lowercase();
    let known = |name: &str| TYPES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
    // "nibble" ends in the letters of an order.
    let (kind, order) = if let Some(kind) = known(&text) {
        (kind, order)
    } else if let Some(len) = text.strip_prefix("bytes") {
        (Kind::Bytes { len: len.parse().ok()? }, order)
    } else {
        let big = text.strip_suffix("be").map(|name| (name, Endian::Big));
        let (name, order) = big.or_else(|| Some((text.strip_suffix("le")?, Endian::Little)))?;
        (known(name)?, order)
    };
    ValueType::new(kind, order).ok()
}

/// The name of a type for [`type_of_name`].
pub fn name_of_type(ty: ValueType) -> String {
    let name = match ty.kind() {
        Kind::Bytes { len } => return format!("bytes{len}"),
        kind => TYPES.iter().find(|(_, known)| *known == kind).map_or("u8", |(name, _)| name),
    };
    match (ty.width(), ty.order()) {
        (1, _) => name.to_owned(),
        (_, Endian::Big) => format!("{name}be"),
        (_, Endian::Little) => format!("{name}le"),
    }
}

/// The list as CSV.
pub fn to_csv(entries: &[Entry]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory does not fail.
    let _ = writer.write_record(COLUMNS);
    for entry in entries {
        let _ = match entry {
            Entry::Separator(title) => writer.write_record([title, "", "", "", ""]),
            Entry::Watch(watch) => {
                let address = CellAddress { address: watch.address, part: watch.part }.to_string();
                let display = match watch.display {
                    Display::As(NumberFormat::Decimal) => "decimal".to_owned(),
                    Display::As(NumberFormat::Hexadecimal) => "hex".to_owned(),
                    Display::As(NumberFormat::Binary) => "binary".to_owned(),
                    Display::Fixed { fraction_bits } => format!("fixed{fraction_bits}"),
                };
                writer.write_record([&watch.label, &address, &name_of_type(watch.ty), &display, &watch.notes])
            }
        };
    }
    writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}

/// Parses a list; `order` is used for types without one.
///
/// # Errors
/// The first line with an error.
pub fn read_csv(text: &str, order: Endian) -> Result<Vec<Entry>, CsvError> {
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).from_reader(text.trim_start_matches('\u{FEFF}').as_bytes());
    let wrong = |line: u64, problem: String| CsvError { line, problem };
    let csv_error = |error: &csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        CsvError { line, problem: error.to_string() }
    };
    let header = reader.headers().map_err(|error| csv_error(&error))?.clone();
    let column = |name: &str| header.iter().position(|column| column.trim().eq_ignore_ascii_case(name));
    let places = [column("label"), column("address"), column("type"), column("display"), column("notes")];
    let [_, Some(_), ..] = places else {
        let columns = COLUMNS.join(", ");
        return Err(wrong(1, format!("missing column address; the columns are {columns}")));
    };
    let mut entries = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| csv_error(&error))?;
        let line = record.position().map_or(0, csv::Position::line);
        let [label, address, ty, display, notes] =
            places.map(|place| place.and_then(|place| record.get(place)).unwrap_or("").trim());
        if address.is_empty() {
            entries.push(Entry::Separator(label.to_owned()));
            continue;
        }
        let CellAddress { address, part } =
            address.parse().map_err(|error: InvalidCellAddress| wrong(line, error.to_string()))?;
        let ty = type_of_name(if ty.is_empty() { "u8" } else { ty }, order).ok_or_else(|| {
            wrong(
                line,
                format!("unknown type `{ty}`: expected u8 i16 u32be f32le bcd2 nibble bits bytes8 ..."),
            )
        })?;
        let display = match display {
            "" | "decimal" => Display::As(NumberFormat::Decimal),
            "hex" => Display::As(NumberFormat::Hexadecimal),
            "binary" => Display::As(NumberFormat::Binary),
            other => {
                let bits =
                    other.strip_prefix("fixed").and_then(|bits| bits.parse().ok()).filter(|bits| *bits < 32);
                let fraction_bits = bits.ok_or_else(|| {
                    wrong(line, format!("unknown display `{other}`: expected decimal, hex, binary, fixed8"))
                })?;
                Display::Fixed { fraction_bits }
            }
        };
        let (label, notes) = (label.to_owned(), notes.to_owned());
        entries.push(Entry::Watch(Watch { label, part, display, notes, ..Watch::new(address, ty) }));
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Address, Part};

    #[test]
    fn a_list_is_read_back() {
        let of = |address, kind| Watch::new(Address(address), ValueType::new(kind, Endian::Big).unwrap());
        let entries = vec![
            Entry::Separator("Pieces, \"all\" of them".into()),
            Entry::Watch(Watch {
                label: "next, or\nnot".into(),
                notes: "a \"note\"".into(),
                display: Display::Fixed { fraction_bits: 8 },
                ..of(0xFF_A134, Kind::I32)
            }),
            Entry::Watch(Watch { part: Part::Upper, ..of(0x10, Kind::Nibble) }),
            Entry::Watch(Watch {
                display: Display::As(NumberFormat::Binary),
                ..of(0x20, Kind::Bytes { len: 8 })
            }),
        ];
        let text = to_csv(&entries);
        assert!(text.starts_with("label,address,type,display,notes\n"), "{text}");
        assert_eq!(read_csv(&text, Endian::Big), Ok(entries));
        for (name, kind) in TYPES {
            let ty = ValueType::new(kind, Endian::Little).unwrap();
            assert_eq!(type_of_name(&name_of_type(ty), Endian::Little), Some(ty), "{name}");
        }
    }

    #[test]
    fn foreign_lists_are_read_by_their_columns_and_errors_name_the_line() {
        let read = read_csv("Address,Notes,Label\n0x10,note,one\n$20,,\n", Endian::Little).unwrap();
        let Entry::Watch(first) = &read[0] else { panic!("{read:?}") };
        assert_eq!((first.label.as_str(), first.notes.as_str(), first.ty.kind()), ("one", "note", Kind::U8));
        for (text, expected) in [
            (
                "a,b\n1,2\n",
                "line 1: missing column address; the columns are label, address, type, display, notes",
            ),
            ("address\nXX\n", "line 2: invalid address `XX`: expected hexadecimal digits"),
            (
                "address,type\n1,u8\n2,u9\n",
                "line 3: unknown type `u9`: expected u8 i16 u32be f32le bcd2 nibble bits bytes8 ...",
            ),
            (
                "address,display\n1,octal\n",
                "line 2: unknown display `octal`: expected decimal, hex, binary, fixed8",
            ),
        ] {
            assert_eq!(read_csv(text, Endian::Big).expect_err(text).to_string(), expected);
        }
    }
}
