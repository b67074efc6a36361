//! Cheat Engine's tables (`.CT`): XML with entries in groups. Scripts and addresses with Cheat Engine symbols are skipped.
//!
//! Source: tables as Cheat Engine 6 and 7 write them (CheatTable, CheatEntries, CheatEntry with Description, VariableType, Address,
//! Offsets, ShowAsHex, ShowAsSigned, Length, GroupHeader).

use super::LeftOut;
use super::list::{Display, Entry, Watch, whole};
use crate::{Address, Kind, NumberFormat, ValueType};
use nextscope_memory::console::Endian;
use roxmltree::{Document, Node};

const BYTES_MOST: usize = 16 << 20;

/// A parsed table.
#[derive(Clone, PartialEq, Debug)]
pub struct CheatTable {
    /// Groups become separators.
    pub entries: Vec<Entry>,
    /// Entries that were skipped.
    pub left_out: Vec<LeftOut>,
}

/// Why a file is not a table.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum CheatTableError {
    #[error("line {line}, column {column}: {problem}")]
    NotXml { line: u32, column: u32, problem: String },
    #[error("not a Cheat Engine table: the root element is {0}")]
    NotATable(String),
    /// Not UTF-8, or too long.
    #[error("{0}")]
    NotText(&'static str),
}

/// Parses a table. `module` returns the start of a module of the process.
pub fn read_cheat_table(
    bytes: &[u8],
    module: &dyn Fn(&str) -> Option<Address>,
) -> Result<CheatTable, CheatTableError> {
    if bytes.len() > BYTES_MOST {
        return Err(CheatTableError::NotText("larger than 16 MiB, too large for a table of addresses"));
    }
    let text =
        std::str::from_utf8(bytes).map_err(|_| CheatTableError::NotText("the file is not UTF-8 text"))?;
    let document = Document::parse(text.trim_start_matches('\u{FEFF}')).map_err(|error| {
        let at = error.pos();
        CheatTableError::NotXml { line: at.row, column: at.col, problem: error.to_string() }
    })?;
    let root = document.root_element();
    if !root.has_tag_name("CheatTable") {
        return Err(CheatTableError::NotATable(root.tag_name().name().to_owned()));
    }
    let mut table = CheatTable { entries: Vec::new(), left_out: Vec::new() };
    for entries in root.children().filter(|node| node.has_tag_name("CheatEntries")) {
        collect(entries, module, &mut table);
    }
    Ok(table)
}

fn collect(entries: Node<'_, '_>, module: &dyn Fn(&str) -> Option<Address>, table: &mut CheatTable) {
    for entry in entries.children().filter(|node| node.has_tag_name("CheatEntry")) {
        let label = text(entry, "Description").trim_matches('"').to_owned();
        let children = entry.children().find(|node| node.has_tag_name("CheatEntries"));
        if text(entry, "GroupHeader") == "1" || (children.is_some() && text(entry, "Address").is_empty()) {
            table.entries.push(Entry::Separator(label));
        } else {
            match watch(entry, &label, module) {
                Ok(watch) => table.entries.push(Entry::Watch(watch)),
                Err(why) => table.left_out.push(LeftOut { what: label, why }),
            }
        }
        if let Some(children) = children {
            collect(children, module, table);
        }
    }
}

fn text<'a>(entry: Node<'a, '_>, name: &str) -> &'a str {
    let child = entry.children().find(|node| node.has_tag_name(name));
    child.and_then(|node| node.text()).map_or("", str::trim)
}

fn watch(
    entry: Node<'_, '_>,
    label: &str,
    module: &dyn Fn(&str) -> Option<Address>,
) -> Result<Watch, String> {
    let ty = value_type(entry)?;
    let address = address(text(entry, "Address"), module)?;
    if entry.children().any(|node| node.has_tag_name("Offsets")) {
        return Err(format!("it is behind pointers from {address}; find it with a pointer search"));
    }
    let shown =
        if text(entry, "ShowAsHex") == "1" { NumberFormat::Hexadecimal } else { NumberFormat::Decimal };
    let shown = if text(entry, "VariableType") == "Binary" { NumberFormat::Binary } else { shown };
    Ok(Watch { label: label.to_owned(), display: Display::As(shown), ..Watch::new(address, ty) })
}

fn value_type(entry: Node<'_, '_>) -> Result<ValueType, String> {
    let signed = text(entry, "ShowAsSigned") == "1";
    let name = text(entry, "VariableType");
    let custom = text(entry, "CustomType");
    let made = |kind, order| ValueType::new(kind, order).map_err(|error| error.to_string());
    let number = |bytes, order| whole(bytes, signed, order).ok_or_else(|| "it has no such type".to_owned());
    match (name, custom) {
        ("Byte" | "Binary", _) => number(1, Endian::Little),
        ("2 Bytes", _) => number(2, Endian::Little),
        ("4 Bytes", _) => number(4, Endian::Little),
        ("8 Bytes", _) => number(8, Endian::Little),
        ("Float", _) => made(Kind::F32, Endian::Little),
        ("Double", _) => made(Kind::F64, Endian::Little),
        ("Custom", "2 Byte Big Endian") => number(2, Endian::Big),
        ("Custom", "4 Byte Big Endian") => number(4, Endian::Big),
        ("Custom", "8 Byte Big Endian") => number(8, Endian::Big),
        ("Custom", "Float Big Endian") => made(Kind::F32, Endian::Big),
        ("String", _) => made(Kind::Bytes { len: length(entry, "Length")? }, Endian::Little),
        ("Array of byte", _) => made(Kind::Bytes { len: length(entry, "ByteLength")? }, Endian::Little),
        ("Auto Assembler Script", _) => Err("it is a script".into()),
        ("", _) => Err("it has no type".into()),
        ("Custom", other) | (other, _) => Err(format!("its type, {other}, is not supported")),
    }
}

fn length(entry: Node<'_, '_>, name: &str) -> Result<u16, String> {
    text(entry, name).parse().map_err(|_| "it has no length".into())
}

/// A hexadecimal address, alone or relative to a module: `game.exe+1F2A`, `"libgame.so"+1F2A`.
fn address(expression: &str, module: &dyn Fn(&str) -> Option<Address>) -> Result<Address, String> {
    let hex = |digits: &str| Address::from_hex(digits.trim());
    if expression.is_empty() {
        return Err("it has no address".into());
    }
    if let Some(address) = hex(expression) {
        return Ok(address);
    }
    let unknown = || format!("its address, {expression}, is a Cheat Engine symbol");
    let (name, offset) = expression
        .rsplit_once('+')
        .map_or((expression, Some(Address(0))), |(name, offset)| (name, hex(offset)));
    let name = name.trim().trim_matches('"');
    let offset = offset.ok_or_else(unknown)?;
    let base = module(name).ok_or_else(|| format!("the process has no module {name}"))?;
    Ok(base.offset(offset.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<CheatTable CheatEngineTableVersion="46">
  <CheatEntries>
    <CheatEntry><ID>1</ID><Description>"Player"</Description><GroupHeader>1</GroupHeader>
      <CheatEntries>
        <CheatEntry><ID>2</ID><Description>"lives"</Description><VariableType>Byte</VariableType><Address>1F2A40</Address></CheatEntry>
        <CheatEntry><ID>3</ID><Description>"speed &amp; more"</Description><ShowAsSigned>1</ShowAsSigned>
          <VariableType>2 Bytes</VariableType><Address>"game.exe"+10</Address></CheatEntry>
        <CheatEntry><ID>4</ID><Description>"score"</Description><ShowAsHex>1</ShowAsHex><VariableType>Custom</VariableType>
          <CustomType>4 Byte Big Endian</CustomType><Address>0x20</Address></CheatEntry>
      </CheatEntries>
    </CheatEntry>
    <CheatEntry><ID>5</ID><Description>"god"</Description><VariableType>Auto Assembler Script</VariableType>
      <AssemblerScript>[ENABLE]</AssemblerScript></CheatEntry>
    <CheatEntry><ID>6</ID><Description>"far"</Description><VariableType>4 Bytes</VariableType><Address>100</Address>
      <Offsets><Offset>8</Offset></Offsets></CheatEntry>
    <CheatEntry><ID>7</ID><Description>"lost"</Description><VariableType>Float</VariableType><Address>other.dll+4</Address></CheatEntry>
  </CheatEntries>
</CheatTable>"#;

    #[test]
    fn supported_entries_are_read_and_the_rest_is_listed() {
        let module = |name: &str| (name == "game.exe").then_some(Address(0x40_0000));
        let table = read_cheat_table(TABLE.as_bytes(), &module).unwrap();
        assert_eq!(table.entries[0], Entry::Separator("Player".into()));
        let watches: Vec<String> = table.entries[1..]
            .iter()
            .map(|entry| match entry {
                Entry::Watch(w) => format!("{} {} {} {:?}", w.label, w.address, w.ty.kind(), w.ty.order()),
                Entry::Separator(title) => title.clone(),
            })
            .collect();
        assert_eq!(
            watches,
            [
                "lives 0x1F2A40 8-bit unsigned Little",
                "speed & more 0x400010 16-bit signed Little",
                "score 0x20 32-bit unsigned Big",
            ]
        );
        let left_out: Vec<String> =
            table.left_out.iter().map(|left| format!("{}: {}", left.what, left.why)).collect();
        assert_eq!(
            left_out,
            [
                "god: it is a script",
                "far: it is behind pointers from 0x100; find it with a pointer search",
                "lost: the process has no module other.dll",
            ]
        );
    }

    #[test]
    fn other_files_are_answered() {
        let read = |text: &str| read_cheat_table(text.as_bytes(), &|_| None).expect_err("no table");
        assert_eq!(read("<html></html>").to_string(), "not a Cheat Engine table: the root element is html");
        let CheatTableError::NotXml { line, .. } = read("<CheatTable>\n<CheatEntries>\n</CheatTable>") else {
            panic!()
        };
        assert_eq!(line, 3);
        assert!(matches!(read_cheat_table(&[0xFF, 0xFE], &|_| None), Err(CheatTableError::NotText(_))));
    }
}
