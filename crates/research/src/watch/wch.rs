//! BizHawk's watch files (`.wch`), and those of the emulators from which it took the format. Unchanged lines are written byte for
//! byte as they were read.
//!
//! Source: BizHawk's `WatchList.cs` and `Watch.cs`, and the RAM watch window of Gens, from which the other emulators have theirs. A
//! line has, separated by tabs, a hexadecimal address, a size, a display, 1 for big-endian, the domain's name (BizHawk) and a note;
//! the others have a line number first and no domain. An address is an offset in the domain, in Gens a bus address.

use std::fmt;

const LINE_MOST: usize = 4096;

const COLUMNS: usize = 6;

/// The size of a watch, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
#[allow(missing_docs, reason = "the numbers say it")]
pub enum WchSize {
    Byte = 1,
    Word = 2,
    Long = 4,
}

/// How a value is displayed, with its letter in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum WchDisplay {
    /// From 0.
    Unsigned = b'u',
    /// Two's complement.
    Signed = b's',
    /// Hexadecimal.
    Hex = b'h',
    /// Binary.
    Binary = b'b',
    /// Two bytes, 4 fraction bits.
    Fixed12_4 = b'1',
    /// Four bytes, 12 fraction bits.
    Fixed20_12 = b'2',
    /// Four bytes, 16 fraction bits.
    Fixed16_16 = b'3',
    /// Four bytes, single precision.
    Float = b'f',
}

/// One watch of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WchWatch {
    /// An offset in the domain, or in files without domains the emulator's address.
    pub address: u64,
    /// The size.
    pub size: WchSize,
    /// The display.
    pub display: WchDisplay,
    /// Whether the value is big-endian.
    pub big_endian: bool,
    /// The domain's name; empty in files of other emulators.
    pub domain: String,
    /// The note.
    pub notes: String,
}

/// An entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WchEntry {
    /// A watch.
    Watch(WchWatch),
    /// A separator with a title.
    Separator(String),
}

/// A watch file. Unchanged lines are written as they were read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WchFile {
    lines: Vec<Line>,
    /// Lines have numbers and no domain.
    numbered: bool,
    crlf: bool,
    entries_read: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Line {
    /// None for a line that was not in the file.
    read: Option<String>,
    entry: Option<WchEntry>,
}

/// An error in a watch file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}{}: {problem}", Column(*.column))]
pub struct WchError {
    /// From 1.
    pub line: usize,
    /// From 1; None for the whole line.
    pub column: Option<usize>,
    /// The problem and what was expected.
    pub problem: String,
}

struct Column(Option<usize>);

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |column| write!(f, ", column {column}"))
    }
}

impl WchSize {
    fn of(text: &str) -> Option<Self> {
        match text {
            "b" => Some(Self::Byte),
            "w" => Some(Self::Word),
            "d" => Some(Self::Long),
            _ => None,
        }
    }

    fn letter(self) -> char {
        match self {
            Self::Byte => 'b',
            Self::Word => 'w',
            Self::Long => 'd',
        }
    }

    /// In bytes.
    pub fn bytes(self) -> u8 {
        self as u8
    }
}

impl WchDisplay {
    const ALL: [Self; 8] = [
        Self::Unsigned,
        Self::Signed,
        Self::Hex,
        Self::Binary,
        Self::Fixed12_4,
        Self::Fixed20_12,
        Self::Fixed16_16,
        Self::Float,
    ];

    fn of(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|display| text == display.letter().to_string())
    }

    fn letter(self) -> char {
        char::from(self as u8)
    }

    /// Whether BizHawk supports this display for the size.
    pub fn fits(self, size: WchSize) -> bool {
        match self {
            Self::Fixed12_4 => size == WchSize::Word,
            Self::Fixed20_12 | Self::Fixed16_16 | Self::Float => size == WchSize::Long,
            Self::Unsigned | Self::Signed | Self::Hex | Self::Binary => true,
        }
    }
}

impl WchFile {
    /// A new BizHawk file for a console: "GEN", "NDS", "NES".
    pub fn new(system: &str) -> Self {
        let header = Line { read: Some(format!("SystemID {}", one_line(system))), entry: None };
        Self { lines: vec![header], numbered: false, crlf: false, entries_read: 0 }
    }

    /// Parses a file.
    ///
    /// # Errors
    /// All errors, in order.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<WchError>> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let before = &bytes[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            vec![WchError { line, column: None, problem: "not UTF-8 text; is this a watch file?".into() }]
        })?;
        let mut file = Self { lines: Vec::new(), numbered: false, crlf: false, entries_read: 0 };
        let mut errors = Vec::new();
        let mut rest = text;
        // Line endings belong to their lines: the last one may have none.
        while !rest.is_empty() {
            let end = rest.find('\n').map_or(rest.len(), |end| end + 1);
            let (line, after) = rest.split_at(end);
            rest = after;
            file.crlf |= line.ends_with("\r\n");
            match file.entry(line) {
                Ok(entry) => {
                    file.entries_read += usize::from(entry.is_some());
                    file.lines.push(Line { read: Some(line.to_owned()), entry });
                }
                Err((column, problem)) => {
                    let line = file.lines.len() + errors.len() + 1;
                    errors.push(WchError { line, column, problem });
                }
            }
        }
        if errors.is_empty() { Ok(file) } else { Err(errors) }
    }

    /// Parses a line; None for a header or an empty line.
    fn entry(&mut self, line: &str) -> Result<Option<WchEntry>, (Option<usize>, String)> {
        let line = line.trim_end_matches(['\r', '\n']);
        let first = self.lines.is_empty();
        let text = if first { line.trim_start_matches('\u{FEFF}') } else { line };
        if text.trim().is_empty() || text.starts_with("SystemID ") || text.starts_with("Domain") {
            return Ok(None);
        }
        // Gens writes the machine first, and all of them the number of watches.
        if self.entries_read == 0
            && !text.contains('\t')
            && text.trim().bytes().all(|byte| byte.is_ascii_digit())
        {
            self.numbered = true;
            return Ok(None);
        }
        if text.len() > LINE_MOST {
            return Err((None, format!("{} bytes long; a watch has at most {LINE_MOST}", text.len())));
        }
        let columns: Vec<&str> = text.splitn(COLUMNS, '\t').collect();
        if columns.len() != COLUMNS {
            let problem = format!("{} tab-separated columns; a watch has {COLUMNS}", columns.len());
            return Err((None, problem));
        }
        let place = |column: usize| {
            let before: usize = columns[..column].iter().map(|column| column.chars().count() + 1).sum();
            Some(before + 1)
        };
        let from = usize::from(self.numbered);
        if self.numbered && u64::from_str_radix(columns[0], 16).is_err() {
            return Err((
                place(0),
                format!("invalid line number `{}`: expected hexadecimal digits", columns[0]),
            ));
        }
        let [address, size, display, endian] = [from, from + 1, from + 2, from + 3];
        let (domain, notes) = if self.numbered { ("", columns[5]) } else { (columns[4], columns[5]) };
        if columns[size] == "S" || columns[display] == "_" {
            return Ok(Some(WchEntry::Separator(notes.to_owned())));
        }
        let watch = WchWatch {
            address: u64::from_str_radix(columns[address], 16).map_err(|_| {
                (
                    place(address),
                    format!("invalid address `{}`: expected hexadecimal digits", columns[address]),
                )
            })?,
            size: WchSize::of(columns[size]).ok_or_else(|| {
                let problem =
                    format!("unknown size `{}`: expected b, w, d or S for a separator", columns[size]);
                (place(size), problem)
            })?,
            display: WchDisplay::of(columns[display]).ok_or_else(|| {
                let problem =
                    format!("unknown display `{}`: expected u, s, h, b, 1, 2, 3, f", columns[display]);
                (place(display), problem)
            })?,
            big_endian: match columns[endian] {
                "0" => false,
                "1" => true,
                other => {
                    return Err((
                        place(endian),
                        format!("expected 1 (big-endian) or 0 instead of `{other}`"),
                    ));
                }
            },
            domain: domain.to_owned(),
            notes: notes.to_owned(),
        };
        if !watch.display.fits(watch.size) {
            let problem =
                format!("a value of {} bytes cannot be shown as `{}`", watch.size.bytes(), columns[display]);
            return Err((place(display), problem));
        }
        Ok(Some(WchEntry::Watch(watch)))
    }

    /// BizHawk's name of the console, if the file has one.
    pub fn system(&self) -> Option<&str> {
        self.lines.iter().find_map(|line| {
            let read = line.read.as_deref().filter(|_| line.entry.is_none())?;
            Some(read.trim_start_matches('\u{FEFF}').strip_prefix("SystemID ")?.trim())
        })
    }

    /// The watches and separators, in order.
    pub fn entries(&self) -> impl Iterator<Item = &WchEntry> {
        self.lines.iter().filter_map(|line| line.entry.as_ref())
    }

    /// Replaces the watches and separators. Equal entries keep their lines as they were read.
    pub fn set_entries(&mut self, entries: Vec<WchEntry>) {
        // Each entry with the lines up to the next one: empty lines move with the group before them.
        let mut head = Vec::new();
        let mut old: Vec<Option<(Line, Vec<Line>)>> = Vec::new();
        for line in self.lines.drain(..) {
            match (old.last_mut(), line.entry.is_some()) {
                (_, true) => old.push(Some((line, Vec::new()))),
                (Some(Some((_, behind))), false) => behind.push(line),
                _ => head.push(line),
            }
        }
        // Lines at the end stay there.
        let tail = old.last_mut().and_then(Option::as_mut).map(|(_, behind)| std::mem::take(behind));
        let tail = tail.unwrap_or_else(|| {
            let blank = |line: &&Line| line.read.as_deref().is_some_and(|read| read.trim().is_empty());
            let blanks = head.iter().rev().take_while(blank).count();
            head.split_off(head.len() - blanks)
        });
        self.lines = head;
        // Where the search for the next one starts: most edits only add lines.
        let mut from = 0;
        for entry in entries {
            let same =
                |at: &usize| old[*at].as_ref().is_some_and(|(line, _)| line.entry.as_ref() == Some(&entry));
            let found = (from..old.len()).chain(0..from).find(same);
            let reused = found.and_then(|at| {
                from = at + 1;
                old[at].take()
            });
            match reused {
                Some((line, behind)) => self.lines.extend(std::iter::once(line).chain(behind)),
                None => self.lines.push(Line { read: None, entry: Some(entry) }),
            }
        }
        self.lines.extend(tail);
    }

    /// Formats the file. Of the lines read, only the number of watches before a numbered list is updated.
    pub fn to_bytes(&self) -> Vec<u8> {
        let ending = if self.crlf { "\r\n" } else { "\n" };
        let mut text = String::new();
        let count = self.entries().count();
        let header = self.lines.iter().take_while(|line| line.entry.is_none());
        let counted = header.clone().enumerate().filter(|(_, line)| number_in(line).is_some()).last();
        let counted = counted.filter(|_| self.numbered && count != self.entries_read).map(|(at, _)| at);
        for (place, line) in self.lines.iter().enumerate() {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push_str(ending);
            }
            match (&line.read, &line.entry) {
                (Some(read), None) if counted == Some(place) && number_in(line) != Some(count) => {
                    let old = read.trim_matches(|c: char| !c.is_ascii_digit());
                    text.push_str(&read.replacen(old, &count.to_string(), 1));
                }
                (Some(read), _) => text.push_str(read),
                (None, Some(entry)) => {
                    let number = self.lines[..place].iter().filter(|line| line.entry.is_some()).count();
                    text.push_str(&self.line(entry, number));
                    text.push_str(ending);
                }
                (None, None) => {}
            }
        }
        text.into_bytes()
    }

    fn line(&self, entry: &WchEntry, number: usize) -> String {
        let front = if self.numbered { format!("{number:05X}\t") } else { String::new() };
        match entry {
            // BizHawk writes a separator with the address 0 and as big-endian.
            WchEntry::Separator(title) => {
                let domain = if self.numbered { "" } else { "\t" };
                format!("{front}0\tS\t_\t1{domain}\t{}", one_line(title))
            }
            WchEntry::Watch(watch) => {
                let domain =
                    if self.numbered { String::new() } else { format!("\t{}", one_cell(&watch.domain)) };
                format!(
                    "{front}{:0digits$X}\t{}\t{}\t{}{domain}\t{}",
                    watch.address,
                    watch.size.letter(),
                    watch.display.letter(),
                    u8::from(watch.big_endian),
                    one_line(&watch.notes),
                    digits = self.digits(&watch.domain),
                )
            }
        }
    }

    /// As many digits as other addresses of the domain have; they depend on its length, which the file does not contain.
    fn digits(&self, domain: &str) -> usize {
        let of = |line: &Line| match (&line.read, &line.entry) {
            (Some(read), Some(WchEntry::Watch(watch))) if watch.domain == domain => {
                Some(read.split('\t').nth(usize::from(self.numbered))?.len())
            }
            _ => None,
        };
        let seen = self.lines.iter().find_map(of);
        seen.unwrap_or(match domain {
            "Main RAM" => 6, // 4 MiB
            _ if self.numbered => 8,
            _ => 4,
        })
    }
}

fn number_in(line: &Line) -> Option<usize> {
    line.read.as_deref()?.trim().parse().ok()
}

/// Replaces line breaks, which would end a watch.
fn one_line(text: &str) -> String {
    text.replace(['\r', '\n'], " ")
}

/// Replaces tabs, which would start another column.
fn one_cell(text: &str) -> String {
    one_line(text).replace('\t', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BIZHAWK: &str = "SystemID GEN\r\n0\tS\t_\t1\t\tPools\r\nAD00\tb\th\t1\t68K RAM\tfirst puyo\r\n\
        A134\td\th\t1\t68K RAM\tgenerator\r\n0F10\tw\t1\t1\t68K RAM\tspeed, with a\ttab\r\n\r\n";
    const GENS: &str = "0\n2\n00000\t00FFA134\td\th\t0\tgenerator\n00001\t00FFFE12\tw\tu\t0\ttimer\n";

    fn entries(bytes: &[u8]) -> Vec<WchEntry> {
        WchFile::parse(bytes).expect("a watch file").entries().cloned().collect()
    }

    #[test]
    fn files_are_written_as_they_were_read() {
        for text in [
            BIZHAWK,
            "0\n7\n\n00000\t10\tb\tu\t0\tthe number is wrong\n\n00001\t11\tb\tu\t0\tand a line is empty\n",
            GENS,
            "",
            "\n",
            "SystemID NES\n10\tb\tu\t0\tRAM\tno end of line",
            "\u{FEFF}SystemID NDS\n0211A6DC\td\th\t0\tARM9 System Bus\t\n\n\n",
            "SystemID GEN\nff\tb\ts\t1\t68K RAM\tsmall letters and few digits\r\nFE\tb\ts\t1\t68K RAM\t\n",
        ] {
            let file = WchFile::parse(text.as_bytes()).expect("a watch file");
            assert_eq!(String::from_utf8(file.to_bytes()).unwrap(), text);
            let mut same = file.clone();
            same.set_entries(file.entries().cloned().collect());
            assert_eq!(same.to_bytes(), text.as_bytes(), "the same entries again");
        }
    }

    #[test]
    fn watches_are_understood() {
        let read = entries(BIZHAWK.as_bytes());
        assert_eq!(read[0], WchEntry::Separator("Pools".into()));
        let WchEntry::Watch(generator) = &read[2] else { panic!("{read:?}") };
        assert_eq!((generator.address, generator.size, generator.big_endian), (0xA134, WchSize::Long, true));
        assert_eq!((generator.domain.as_str(), generator.notes.as_str()), ("68K RAM", "generator"));
        let WchEntry::Watch(speed) = &read[3] else { panic!("{read:?}") };
        assert_eq!((speed.display, speed.notes.as_str()), (WchDisplay::Fixed12_4, "speed, with a\ttab"));
        assert_eq!(WchFile::parse(BIZHAWK.as_bytes()).unwrap().system(), Some("GEN"));

        let file = WchFile::parse(GENS.as_bytes()).unwrap();
        assert!(file.numbered);
        let WchEntry::Watch(timer) = file.entries().nth(1).unwrap() else { panic!() };
        assert_eq!((timer.address, timer.domain.as_str(), timer.notes.as_str()), (0xFF_FE12, "", "timer"));
    }

    #[test]
    fn changed_lines_are_rewritten_and_the_rest_is_left() {
        let mut file = WchFile::parse(BIZHAWK.as_bytes()).unwrap();
        let mut new: Vec<WchEntry> = file.entries().cloned().collect();
        let watch = WchWatch {
            address: 0xB2,
            size: WchSize::Byte,
            display: WchDisplay::Unsigned,
            big_endian: true,
            domain: "68K RAM".into(),
            notes: "two\nlines".into(),
        };
        new.insert(1, WchEntry::Watch(watch));
        new.remove(3);
        file.set_entries(new);
        let expected = "SystemID GEN\r\n0\tS\t_\t1\t\tPools\r\n00B2\tb\tu\t1\t68K RAM\ttwo lines\r\n\
            AD00\tb\th\t1\t68K RAM\tfirst puyo\r\n0F10\tw\t1\t1\t68K RAM\tspeed, with a\ttab\r\n\r\n";
        assert_eq!(String::from_utf8(file.to_bytes()).unwrap(), expected);

        let mut gens = WchFile::parse(GENS.as_bytes()).unwrap();
        let first = gens.entries().next().cloned().unwrap();
        gens.set_entries(vec![first]);
        assert_eq!(gens.to_bytes(), b"0\n1\n00000\t00FFA134\td\th\t0\tgenerator\n");

        let mut fresh = WchFile::new("NES");
        fresh.set_entries(vec![WchEntry::Separator("Pieces".into())]);
        assert_eq!(fresh.to_bytes(), b"SystemID NES\n0\tS\t_\t1\t\tPieces\n");
        assert_eq!(entries(&fresh.to_bytes()), [WchEntry::Separator("Pieces".into())]);
    }

    #[test]
    fn wrong_lines_are_reported_by_line_and_column() {
        let text = "SystemID GEN\nXYZ\tb\th\t1\t68K RAM\t\n10\tq\th\t1\t68K RAM\t\n10\tb\tz\t1\t68K RAM\t\n\
            10\tb\th\t2\t68K RAM\t\n10\tb\tf\t1\t68K RAM\t\nnot a watch\n10\tb\th\t1\t68K RAM\tgood\n17\n";
        let errors = WchFile::parse(text.as_bytes()).expect_err("errors");
        let messages: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            messages,
            [
                "line 2, column 1: invalid address `XYZ`: expected hexadecimal digits",
                "line 3, column 4: unknown size `q`: expected b, w, d or S for a separator",
                "line 4, column 6: unknown display `z`: expected u, s, h, b, 1, 2, 3, f",
                "line 5, column 8: expected 1 (big-endian) or 0 instead of `2`",
                "line 6, column 6: a value of 1 bytes cannot be shown as `f`",
                "line 7: 1 tab-separated columns; a watch has 6",
                "line 9: 1 tab-separated columns; a watch has 6", // the number of watches comes before them
            ]
        );
        let error = WchFile::parse(b"SystemID GEN\n\xFF\xFE").expect_err("no text");
        assert_eq!((error[0].line, error.len()), (2, 1));
    }

    proptest! {
        #[test]
        fn anything_is_read_back_as_it_was_or_answered(text in "[ -~\t\r\n]{0,200}") {
            if let Ok(file) = WchFile::parse(text.as_bytes()) {
                prop_assert_eq!(file.to_bytes(), text.as_bytes());
            }
        }

        #[test]
        fn entries_of_ours_are_read_back(address in 0u64..0x1_0000, note in "[a-z\u{e4} ]{0,12}", big: bool, size in 0usize..3) {
            let size = [WchSize::Byte, WchSize::Word, WchSize::Long][size];
            let watch = WchWatch {
                address, size, display: WchDisplay::Signed, big_endian: big, domain: "68K RAM".into(), notes: note,
            };
            let mut file = WchFile::new("GEN");
            file.set_entries(vec![WchEntry::Watch(watch.clone())]);
            prop_assert_eq!(entries(&file.to_bytes()), [WchEntry::Watch(watch)]);
        }
    }
}
