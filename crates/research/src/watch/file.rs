//! Watch list files: BizHawk's `.wch`, Cheat Engine's `.CT`, CSV.

use super::cheat_table::read_cheat_table;
use super::convert::{LeftOut, from_wch, to_wch};
use super::csv_file::{read_csv, to_csv};
use super::list::Entry;
use super::wch::{WchEntry, WchFile};
use crate::Address;
use nextscope_memory::console::{ConsoleId, Domain, Endian};
use std::path::Path;

/// The formats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ListKind {
    /// BizHawk's, and that of the emulators from which BizHawk took it.
    Wch,
    /// Cheat Engine's, read only.
    CheatTable,
    /// CSV.
    Csv,
}

impl ListKind {
    /// The format by the file's extension.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "wch" => Some(Self::Wch),
            "ct" => Some(Self::CheatTable),
            "csv" => Some(Self::Csv),
            _ => None,
        }
    }
}

/// What a file is read for.
#[derive(Clone, Copy)]
pub struct ListContext<'a> {
    /// The console's RAM; None when addresses are not a console's.
    pub domain: Option<&'static Domain>,
    /// The byte order of types without one.
    pub order: Endian,
    /// The start of a module of the emulator, for addresses relative to it.
    pub module: &'a dyn Fn(&str) -> Option<Address>,
}

/// A loaded file.
#[derive(Clone, Debug, Default)]
pub struct OpenedList {
    /// The entries.
    pub entries: Vec<Entry>,
    /// Entries that were skipped.
    pub left_out: Vec<LeftOut>,
    /// The file, to save it as it was.
    wch: Option<Wch>,
}

#[derive(Clone, Debug)]
struct Wch {
    file: WchFile,
    domain: &'static Domain,
    /// Skipped lines, each with the line before it.
    others: Vec<(Option<WchEntry>, WchEntry)>,
}

/// BizHawk's names of the consoles (its `VSystemID.cs`).
const SYSTEMS: [(&str, ConsoleId); 3] =
    [("GEN", ConsoleId::Genesis), ("NDS", ConsoleId::Nds), ("NES", ConsoleId::Nes)];
/// BizHawk's name of any arcade board.
const ARCADE: &str = "Arcade";

fn system(domain: &Domain) -> &'static str {
    SYSTEMS.iter().find(|(_, console)| console.domain() == domain).map_or(ARCADE, |(system, _)| system)
}

/// Parses a list.
///
/// # Errors
/// The errors with their lines.
pub fn read_list(kind: ListKind, bytes: &[u8], whose: ListContext<'_>) -> Result<OpenedList, Vec<String>> {
    match kind {
        ListKind::Wch => {
            let file = WchFile::parse(bytes)
                .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>())?;
            let named = SYSTEMS.iter().find(|(name, _)| file.system() == Some(*name));
            let domain = whose.domain.or(named.map(|(_, console)| console.domain())).ok_or_else(|| {
                let what = "its addresses are a console's, and it does not name the console: attach to an emulator, or name the console";
                vec![what.to_owned()]
            })?;
            let (entries, left_out) = from_wch(file.entries(), domain);
            let mut others = Vec::new();
            let mut before = None;
            for entry in file.entries() {
                if from_wch(std::iter::once(entry), domain).1.is_empty() {
                    before = Some(entry.clone());
                } else {
                    others.push((before.clone(), entry.clone()));
                }
            }
            Ok(OpenedList { entries, left_out, wch: Some(Wch { file, domain, others }) })
        }
        ListKind::CheatTable => {
            let table = read_cheat_table(bytes, whose.module).map_err(|error| vec![error.to_string()])?;
            Ok(OpenedList { entries: table.entries, left_out: table.left_out, wch: None })
        }
        ListKind::Csv => {
            let text = std::str::from_utf8(bytes).map_err(|error| {
                let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
                vec![format!("line {line}: not UTF-8 text")]
            })?;
            let entries = read_csv(text, whose.order).map_err(|error| vec![error.to_string()])?;
            Ok(OpenedList { entries, ..OpenedList::default() })
        }
    }
}

/// Formats a list. `opened` is the file it was loaded from, whose skipped lines are preserved.
///
/// # Errors
/// The reason.
pub fn write_list(
    kind: ListKind,
    entries: &[Entry],
    domain: Option<&'static Domain>,
    opened: Option<&OpenedList>,
) -> Result<(Vec<u8>, Vec<LeftOut>), String> {
    match kind {
        ListKind::CheatTable => Err("Cheat Engine tables are read only; write .wch or .csv".to_owned()),
        ListKind::Csv => Ok((to_csv(entries).into_bytes(), Vec::new())),
        ListKind::Wch => {
            let Wch { mut file, domain, others } = match opened.and_then(|opened| opened.wch.clone()) {
                Some(wch) => wch,
                None => {
                    let domain = domain
                        .ok_or("such a file has a console's addresses; save other addresses as .csv")?;
                    Wch { file: WchFile::new(system(domain)), domain, others: Vec::new() }
                }
            };
            let (mut lines, left_out) = to_wch(entries, domain);
            // Backward, so that lines after the same line stay in order.
            for (before, other) in others.into_iter().rev() {
                let at = before
                    .map_or(Some(0), |before| lines.iter().position(|line| *line == before).map(|at| at + 1));
                lines.insert(at.unwrap_or(lines.len()), other);
            }
            file.set_entries(lines);
            Ok((file.to_bytes(), left_out))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOBODY: ListContext<'_> = ListContext { domain: None, order: Endian::Little, module: &|_| None };

    #[test]
    fn a_file_is_written_as_it_was_read_with_what_did_not_map() {
        let text = "SystemID GEN\r\n0010\tb\th\t1\tZ80 RAM\tsound\r\n85A6\tw\tu\t1\t68K RAM\tpairs\r\n\
            0012\tb\th\t1\tZ80 RAM\ttempo\r\n0013\tb\th\t1\tVRAM\t\r\n\r\n0\tS\t_\t1\t\tPools\r\n";
        let opened = read_list(ListKind::Wch, text.as_bytes(), NOBODY).unwrap();
        assert_eq!((opened.entries.len(), opened.left_out.len()), (2, 3));
        let write = |entries: &[Entry]| {
            let (bytes, left_out) = write_list(ListKind::Wch, entries, None, Some(&opened)).unwrap();
            assert!(left_out.is_empty());
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(write(&opened.entries), text);
        let Entry::Watch(mut pairs) = opened.entries[0].clone() else { panic!() };
        pairs.label = "dealt".into();
        let changed = write(&[Entry::Watch(pairs), opened.entries[1].clone()]);
        let line = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        for unchanged in line(text).iter().filter(|line| !line.contains("pairs")) {
            assert!(line(&changed).contains(unchanged), "{unchanged:?} in {changed:?}");
        }
        assert!(changed.contains("85A6\tw\tu\t1\t68K RAM\tdealt"), "{changed:?}");
    }

    #[test]
    fn the_extension_decides_the_kind_and_errors_name_the_line() {
        for (name, kind) in
            [("a.WCH", ListKind::Wch), ("b.CT", ListKind::CheatTable), ("c.csv", ListKind::Csv)]
        {
            assert_eq!(ListKind::of(Path::new(name)), Some(kind));
        }
        assert_eq!(ListKind::of(Path::new("d.txt")), None);
        for (kind, bytes, expected) in [
            (
                ListKind::Wch,
                &b"SystemID GEN\n0\tq\tu\t1\t68K RAM\t\n"[..],
                "line 2, column 3: unknown size `q`",
            ),
            (ListKind::Wch, b"0010\tb\tu\t1\t68K RAM\t\n", "attach to an emulator"),
            (ListKind::Csv, b"address\n10\n\xFF\n", "line 3: not UTF-8 text"),
            (ListKind::Csv, b"address\n10\nXX\n", "line 3: invalid address `XX`"),
            (ListKind::CheatTable, b"<CheatTable>\n<a>\n</CheatTable>", "line 3"),
        ] {
            let errors = read_list(kind, bytes, NOBODY).expect_err(expected).join("; ");
            assert!(errors.contains(expected), "{errors}");
        }
        let error = write_list(ListKind::Wch, &[], None, None).expect_err("no console");
        assert!(error.contains("a console's addresses"), "{error}");
        assert!(write_list(ListKind::CheatTable, &[], Some(ConsoleId::Nes.domain()), None).is_err());
        let (bytes, _) = write_list(ListKind::Wch, &[], Some(ConsoleId::Nes.domain()), None).unwrap();
        assert_eq!(bytes, b"SystemID NES");
    }
}
