//! The steps of a search as a user types them.

use super::condition::{Against, Change, Compare, Condition, Previous};
use super::pattern::{Pattern, TextCode};
use super::source::Address;
use super::value::{CellAddress, InvalidCellAddress, Kind, Part, Value, ValueType};
use super::watch::{Watch, type_of_name};
use nextscope_memory::console::Endian;
use std::path::PathBuf;

/// The help text of all steps.
pub const STEPS: &str = "\
Conditions (the first one starts the search, the next ones narrow it down):
  unknown                          any value
  = 5   != 5   < 5   <= 5   > 5   >= 5     against a number
  > @FFA134                        against another cell
  > first   = frame   != change    against a previous value of the same cell
  between 3 9                      both included
  changed   unchanged              since the last search; also: changed since frame
  greater   less                   than at the last search; also: greater since first
  by +3   by -3   by 3             differs by exactly this much from the last search; by at-least +3 since first
  modulo 4 = 1                     the remainder
  changes >= 3                     how often it changed between frames (use `track` first)
  bytes 4E 65 ?? 7?   text \"NEXT\"  a byte pattern, a text
Previous values: search (the last search), frame (the last frame sampled), first (the first search), change (before the last change)
Other steps:
  wait 60   wait 1.5s              wait for frames or seconds; with several dumps: `wait` goes to the next
  auto 120 unchanged               narrow at every frame, for this many frames
  preview changed                  count the cells that would be left
  undo   redo   new                undo a step, redo it, start over (`undo` restores the search)
  type u16be                       u8 i8 u16 i16 u32 i32 u64 i64 f32 f64 bcd1 bcd2 bcd3 bcd4 nibble bits; be or le
  align 2                          cells start at multiples of this
  track                            count changes from now on
  rows 20                          show results
  drop @FFA134                     remove a cell
By structure:
  pools   pools states             pools of Puyo Puyo Tsu and 20th Anniversary; with the states of Tsu's generator before and after the round
  sequence RGBYYR                  pieces in the order seen, any letters; ? for an unknown piece
  rng 30                           random number generators, from samples of this many frames
  board FILE                       a board from a text file: one line per row, one character per cell, ? for any
Watch list (updated at every frame of `wait` and `auto`):
  watch @FF85A6 u16be pairs dealt  watch a cell; type and label are optional
  watches                          values, previous values and number of changes
  watches FILE                     add the watches in a file: .wch (BizHawk), .CT (Cheat Engine) or .csv
  save-watches FILE                save the list: .wch or .csv
  exclude-watched                  remove the watched cells from the search
Pointer paths (from all RAM of a console, from the modules of a process):
  pointers @FF9010 depth 3 offset 0x400    paths to a cell: most pointers, largest offset after each
  paths                            show the paths and where they lead now
  recheck   recheck @FF9210        remove the paths that no longer lead there, or to this address
  save-paths FILE   paths FILE     save the paths, load them in another run";

/// One step.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Starts or narrows the search.
    Narrow(Condition),
    /// Counts the cells that a condition would leave.
    Preview(Condition),
    /// Narrows at each of this many frames.
    Auto(u32, Condition),
    /// Bytes to find; they also set the type.
    Match(Pattern),
    /// Waits.
    Wait(Pause),
    /// Undoes the last step.
    Undo,
    /// Redoes it.
    Redo,
    /// Starts over.
    New,
    /// The type of the values of the next search.
    Type(ValueType),
    /// Cells start at multiples of this many bytes.
    Align(u64),
    /// Starts counting changes.
    Track,
    /// Shows this many results.
    Rows(u64),
    /// Removes a cell.
    Drop(CellAddress),
    /// Finds pools.
    Pools,
    /// Finds pools and, for Tsu, the generator's states before and after the round, among all 2^32.
    PoolStates,
    /// Finds a sequence of pieces; None is an unknown piece.
    Sequence(Vec<Option<u8>>),
    /// Finds generators, from samples of this many frames.
    Rng(u32),
    /// Finds the board in this text file.
    Board(PathBuf),
    /// Watches a cell.
    Watch(Watch),
    /// Adds the watches of a file, or shows the list.
    Watches(Option<PathBuf>),
    /// Saves the watch list.
    SaveWatches(PathBuf),
    /// Removes the watched cells from the search.
    ExcludeWatched,
    /// Finds paths to a cell.
    Pointers {
        /// The cell.
        target: Address,
        /// The most pointers in a path.
        depth: usize,
        /// The largest offset after a pointer, in bytes.
        offset: u64,
    },
    /// Loads paths from a file, or shows them.
    Paths(Option<PathBuf>),
    /// Saves the paths.
    SavePaths(PathBuf),
    /// Removes the paths that no longer lead to the target, or to this address.
    Recheck(Option<Address>),
}

const DEPTH: usize = 3;
/// With more pointers, most paths are chance.
const DEPTH_MOST: usize = 8;
const OFFSET: u64 = 0x400;

/// How long to wait.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pause {
    /// Frames of the game.
    Frames(u32),
    /// Seconds.
    Seconds(f64),
    /// Until the next dump or frame.
    Next,
}

/// A step that cannot be parsed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("step `{step}`: {problem}")]
pub struct StepError {
    /// The step.
    pub step: String,
    /// The problem and what was expected.
    pub problem: String,
}

/// Parses a step; numbers are of type `ty`.
pub fn parse_step(text: &str, ty: ValueType) -> Result<Step, StepError> {
    let step = Parser { words: text.split_whitespace().collect(), at: 0, ty, text };
    step.clone().step().map_err(|problem| StepError { step: text.trim().to_owned(), problem })
}

/// The type with this name, such as `u16be`; `order` is used when the name has none.
///
/// # Errors
/// What was expected.
pub fn value_type(text: &str, order: Endian) -> Result<ValueType, String> {
    type_of_name(text, order).ok_or_else(|| {
        format!(
            "unknown type `{text}`: expected u8 i8 u16 i16 u32 i32 u64 i64 f32 f64 bcd1 bcd2 bcd3 bcd4 nibble bits bytes8, optionally followed by be or le"
        )
    })
}

#[derive(Clone)]
struct Parser<'a> {
    words: Vec<&'a str>,
    at: usize,
    ty: ValueType,
    text: &'a str,
}

impl<'a> Parser<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let word = self.words.get(self.at).copied();
        self.at += 1;
        word
    }

    fn expect_word(&mut self, what: &str) -> Result<&'a str, String> {
        self.next().ok_or_else(|| format!("missing {what}"))
    }

    fn number<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, String> {
        let word = self.expect_word(what)?;
        word.parse().map_err(|_| format!("invalid {what} `{word}`"))
    }

    fn value(&mut self) -> Result<Value, String> {
        let word = self.expect_word("a value")?;
        self.ty.parse(word).map_err(|error| error.to_string())
    }

    /// Everything after the first word, as typed.
    fn rest(&self) -> &'a str {
        let text = self.text.trim_start();
        text.find(char::is_whitespace).map_or("", |end| text[end..].trim())
    }

    fn expect_end(&mut self) -> Result<(), String> {
        self.next().map_or(Ok(()), |word| Err(format!("unexpected `{word}`")))
    }

    fn step(mut self) -> Result<Step, String> {
        let first = self.expect_word("a step")?.to_ascii_lowercase();
        let step = match first.as_str() {
            "preview" => Step::Preview(self.condition()?),
            "auto" => {
                let frames = self.number("number of frames")?;
                Step::Auto(frames, self.condition()?)
            }
            "bytes" => {
                return Pattern::bytes(self.rest()).map(Step::Match).map_err(|error| error.to_string());
            }
            "text" => {
                let text = self.rest();
                let bare = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
                let pattern = Pattern::text(bare, TextCode::Utf8, self.ty.order(), false);
                return pattern.map(Step::Match).map_err(|error| error.to_string());
            }
            "wait" => match self.next() {
                None => Step::Wait(Pause::Next),
                Some(length) => Step::Wait(pause(length)?),
            },
            "undo" => Step::Undo,
            "redo" => Step::Redo,
            "new" => Step::New,
            "track" => Step::Track,
            "pools" => match self.next() {
                None => Step::Pools,
                Some("states") => Step::PoolStates,
                Some(other) => {
                    return Err(format!("unexpected `{other}`; `pools states` also finds the states"));
                }
            },
            "type" => {
                let name = self.expect_word("the name of a type")?;
                Step::Type(value_type(name, self.ty.order())?)
            }
            "align" => Step::Align(self.number("number of bytes")?),
            "rows" => {
                Step::Rows(if self.at < self.words.len() { self.number("number of rows")? } else { 20 })
            }
            "drop" => Step::Drop(self.cell()?),
            "sequence" => {
                let letters: String = self.words[1..].concat();
                let pieces = letters.bytes().map(|letter| (letter != b'?').then_some(letter)).collect();
                return Ok(Step::Sequence(pieces));
            }
            "rng" => {
                Step::Rng(if self.at < self.words.len() { self.number("number of frames")? } else { 30 })
            }
            "watch" => return self.watch().map(Step::Watch),
            "watches" => return Ok(Step::Watches(self.file().ok())),
            "save-watches" => return self.file().map(Step::SaveWatches),
            "exclude-watched" => Step::ExcludeWatched,
            "pointers" => self.pointers()?,
            "paths" => return Ok(Step::Paths(self.file().ok())),
            "save-paths" => return self.file().map(Step::SavePaths),
            "recheck" => {
                let cell = if self.at < self.words.len() { Some(self.cell()?.address) } else { None };
                Step::Recheck(cell)
            }
            "board" => return self.file().map(Step::Board),
            _ => {
                self.at = 0;
                Step::Narrow(self.condition()?)
            }
        };
        self.expect_end()?;
        Ok(step)
    }

    fn cell(&mut self) -> Result<CellAddress, String> {
        let cell = self.expect_word("cell address")?;
        address(cell.trim_start_matches('@'))
    }

    /// A file name is everything after the first word.
    fn file(&self) -> Result<PathBuf, String> {
        let file = self.rest();
        if file.is_empty() { Err("missing file name".into()) } else { Ok(file.into()) }
    }

    /// `@FF85A6 u16be "pairs dealt"`: cell, type, label; the last two are optional.
    fn watch(&mut self) -> Result<Watch, String> {
        let CellAddress { address, part } = self.cell()?;
        let behind = |text: &'a str| text.split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim());
        let mut label = behind(self.rest());
        let mut ty = self.ty;
        if let Some(named) = self.next().and_then(|word| type_of_name(word, self.ty.order())) {
            (ty, label) = (named, behind(label));
        }
        if (part == Part::Whole) == (ty.kind() == Kind::Nibble) {
            return Err("a nibble needs @10.hi or @10.lo, and no other type takes them".into());
        }
        let bare = label.strip_prefix('"').and_then(|label| label.strip_suffix('"')).unwrap_or(label);
        Ok(Watch { label: bare.to_owned(), part, ..Watch::new(address, ty) })
    }

    fn pointers(&mut self) -> Result<Step, String> {
        let target = self.cell()?.address;
        let (mut depth, mut offset) = (DEPTH, OFFSET);
        while let Some(word) = self.next() {
            match word {
                "depth" => depth = self.number("number of pointers")?,
                "offset" => {
                    let word = self.expect_word("a number of bytes")?;
                    let hex = word.strip_prefix("0x").map(|digits| u64::from_str_radix(digits, 16).ok());
                    let number = hex.unwrap_or_else(|| word.parse().ok());
                    offset = number.ok_or_else(|| format!("invalid number of bytes `{word}`"))?;
                }
                _ => {
                    return Err(format!(
                        "unexpected `{word}`; expected pointers @FF9010 depth 3 offset 0x400"
                    ));
                }
            }
        }
        if !(1..=DEPTH_MOST).contains(&depth) {
            return Err(format!("invalid depth {depth}: expected 1 to {DEPTH_MOST}"));
        }
        Ok(Step::Pointers { target, depth, offset })
    }

    fn condition(&mut self) -> Result<Condition, String> {
        let word = self.expect_word("a condition")?.to_ascii_lowercase();
        if let Some(compare) = compare(&word) {
            // Alone, `greater` and `less` compare with the last search.
            let bare = matches!(word.as_str(), "greater" | "less") && self.at >= self.words.len();
            let since = self.words.get(self.at).is_some_and(|word| *word == "since");
            let against = if bare || since { Against::Previous(self.since()?) } else { self.operand()? };
            return Ok(Condition::Compare(compare, against));
        }
        Ok(match word.as_str() {
            "unknown" => Condition::Unknown,
            "changed" => Condition::Changed(self.since()?),
            "unchanged" => Condition::Unchanged(self.since()?),
            "between" => Condition::Between(self.value()?, self.value()?),
            "by" => self.differs()?,
            "modulo" => {
                let divisor = self.number("divisor")?;
                let sign = self.expect_word("=")?;
                if sign != "=" {
                    return Err(format!("expected = instead of `{sign}`: modulo {divisor} = 1"));
                }
                Condition::Modulo { divisor, equals: self.operand()? }
            }
            "changes" => {
                let sign = self.expect_word("a comparison")?;
                let compare = compare(sign)
                    .ok_or_else(|| format!("unknown comparison `{sign}`: expected = != < <= > >="))?;
                Condition::Changes(compare, self.number("number of changes")?)
            }
            _ => {
                return Err(format!(
                    "unknown step `{word}`; `nextscope scan --help` lists all steps (= 5, changed, greater, by +1, wait 60, rows ...)"
                ));
            }
        })
    }

    fn differs(&mut self) -> Result<Condition, String> {
        let at_least = self.words.get(self.at) == Some(&"at-least");
        self.at += usize::from(at_least);
        let word = self.expect_word("a number")?;
        let (change, digits) = match (word.strip_prefix('+'), word.strip_prefix('-')) {
            (Some(digits), _) => (Change::Up, digits),
            (None, Some(digits)) => (Change::Down, digits),
            (None, None) => (Change::Either, word),
        };
        // A difference may exceed the type: the greatest signed number minus the least.
        let wider = match self.ty.kind() {
            Kind::F32 | Kind::F64 => self.ty,
            _ => ValueType::new(Kind::U64, self.ty.order()).map_err(|error| error.to_string())?,
        };
        let by = wider.parse(digits).map_err(|error| error.to_string())?;
        Ok(Condition::Differs { change, at_least, by, from: Against::Previous(self.since()?) })
    }

    /// `since first`; the last search when left out.
    fn since(&mut self) -> Result<Previous, String> {
        if self.at >= self.words.len() {
            return Ok(Previous::LastSearch);
        }
        let word = self.expect_word("since")?;
        if word != "since" {
            return Err(format!("unexpected `{word}`"));
        }
        let word = self.expect_word("search, frame, first or change")?;
        previous(word).ok_or_else(|| {
            format!("unknown previous value `{word}`: expected search, frame, first or change")
        })
    }

    fn operand(&mut self) -> Result<Against, String> {
        let word = self.expect_word("a value")?;
        if let Some(previous) = previous(word) {
            return Ok(Against::Previous(previous));
        }
        if let Some(cell) = word.strip_prefix('@') {
            return Ok(Against::Cell(address(cell)?));
        }
        self.ty.parse(word).map(Against::Value).map_err(|error| error.to_string())
    }
}

fn compare(word: &str) -> Option<Compare> {
    Some(match word {
        "=" | "==" | "equal" => Compare::Equal,
        "!=" | "<>" | "other" => Compare::NotEqual,
        "<" | "less" => Compare::Less,
        "<=" => Compare::LessOrEqual,
        ">" | "greater" => Compare::Greater,
        ">=" => Compare::GreaterOrEqual,
        _ => return None,
    })
}

fn previous(word: &str) -> Option<Previous> {
    Some(match word {
        "search" => Previous::LastSearch,
        "frame" => Previous::LastFrame,
        "first" => Previous::First,
        "change" => Previous::LastChange,
        _ => return None,
    })
}

fn address(text: &str) -> Result<CellAddress, String> {
    text.parse().map_err(|error: InvalidCellAddress| error.to_string())
}

fn pause(text: &str) -> Result<Pause, String> {
    let wrong = || format!("invalid time `{text}`: expected 60 for frames or 1.5s for seconds");
    if let Some(seconds) = text.strip_suffix('s') {
        let seconds: f64 = seconds.parse().map_err(|_| wrong())?;
        return if (0.0..=86_400.0).contains(&seconds) { Ok(Pause::Seconds(seconds)) } else { Err(wrong()) };
    }
    text.parse().map(Pause::Frames).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Address, Part};

    fn step(text: &str) -> Result<Step, String> {
        let ty = ValueType::new(Kind::U16, Endian::Big).unwrap();
        parse_step(text, ty).map_err(|error| error.problem)
    }

    fn narrow(text: &str) -> Condition {
        match step(text) {
            Ok(Step::Narrow(condition)) => condition,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn conditions_are_understood() {
        let five = || Against::Value(Value::Integer(5));
        assert_eq!(narrow("unknown"), Condition::Unknown);
        assert_eq!(narrow("= 5"), Condition::Compare(Compare::Equal, five()));
        assert_eq!(narrow(">= 0x5"), Condition::Compare(Compare::GreaterOrEqual, five()));
        assert_eq!(narrow("equal $5"), Condition::Compare(Compare::Equal, five()));
        let place = CellAddress { address: Address(0xFF_A134), part: Part::Whole };
        assert_eq!(narrow("!= @FFA134"), Condition::Compare(Compare::NotEqual, Against::Cell(place)));
        let first = Against::Previous(Previous::First);
        assert_eq!(narrow("> first"), Condition::Compare(Compare::Greater, first.clone()));
        assert_eq!(narrow("greater since first"), Condition::Compare(Compare::Greater, first));
        let last = Against::Previous(Previous::LastSearch);
        assert_eq!(narrow("less"), Condition::Compare(Compare::Less, last.clone()));
        assert_eq!(narrow("less 5"), Condition::Compare(Compare::Less, five()));
        assert_eq!(narrow("changed"), Condition::Changed(Previous::LastSearch));
        assert_eq!(narrow("Unchanged since frame"), Condition::Unchanged(Previous::LastFrame));
        assert_eq!(narrow("between 3 9"), Condition::Between(Value::Integer(3), Value::Integer(9)));
        let by = |change, at_least| Condition::Differs {
            change,
            at_least,
            by: Value::Integer(3),
            from: last.clone(),
        };
        assert_eq!(narrow("by +3"), by(Change::Up, false));
        assert_eq!(narrow("by at-least -3"), by(Change::Down, true));
        assert_eq!(narrow("by 3"), by(Change::Either, false));
        assert_eq!(narrow("modulo 4 = 5"), Condition::Modulo { divisor: 4, equals: five() });
        assert_eq!(narrow("changes >= 3"), Condition::Changes(Compare::GreaterOrEqual, 3));
    }

    #[test]
    fn other_steps_are_understood() {
        assert_eq!(step("wait 60"), Ok(Step::Wait(Pause::Frames(60))));
        assert_eq!(step("wait 1.5s"), Ok(Step::Wait(Pause::Seconds(1.5))));
        assert_eq!(step(" wait "), Ok(Step::Wait(Pause::Next)));
        assert_eq!(step("auto 9 changed"), Ok(Step::Auto(9, Condition::Changed(Previous::LastSearch))));
        assert_eq!((step("pools"), step("pools states")), (Ok(Step::Pools), Ok(Step::PoolStates)));
        assert_eq!(step("rows"), Ok(Step::Rows(20)));
        assert_eq!(step("sequence AB?A"), Ok(Step::Sequence(vec![Some(b'A'), Some(b'B'), None, Some(b'A')])));
        assert!(matches!(step("bytes 4E ?? 7?"), Ok(Step::Match(pattern)) if pattern.len() == 3));
        assert!(matches!(step("text \"NEXT ONE\""), Ok(Step::Match(pattern)) if pattern.len() == 8));
        let signed = ValueType::new(Kind::I32, Endian::Little).unwrap();
        assert_eq!(step("type i32le"), Ok(Step::Type(signed)));
        assert_eq!(value_type("u16", Endian::Big), Ok(ValueType::new(Kind::U16, Endian::Big).unwrap()));
        assert_eq!(step("board my board.txt"), Ok(Step::Board("my board.txt".into())));
        let upper = CellAddress { address: Address(0x10), part: Part::Upper };
        assert_eq!(step("drop @10.hi"), Ok(Step::Drop(upper)));
    }

    #[test]
    fn watches_and_paths_are_understood() {
        let watch = |text: &str| match step(text) {
            Ok(Step::Watch(watch)) => (watch.label.clone(), watch.address.0, watch.part, watch.ty),
            other => panic!("{text}: {other:?}"),
        };
        let ty = |kind, order| ValueType::new(kind, order).unwrap();
        let (u16_be, i32_le) = (ty(Kind::U16, Endian::Big), ty(Kind::I32, Endian::Little));
        let whole = Part::Whole;
        assert_eq!(watch("watch @FF85A6"), (String::new(), 0xFF_85A6, whole, u16_be));
        assert_eq!(watch("watch FF85A6 i32le"), (String::new(), 0xFF_85A6, whole, i32_le));
        assert_eq!(watch("watch @10  i32le  pairs  dealt "), ("pairs  dealt".into(), 0x10, whole, i32_le));
        assert_eq!(watch("watch @10 \"u8 of mine\""), ("u8 of mine".into(), 0x10, whole, u16_be));
        assert_eq!(watch("watch @10.hi nibble x").2, Part::Upper);
        assert_eq!(step("watches"), Ok(Step::Watches(None)));
        assert_eq!(step("watches my list.wch"), Ok(Step::Watches(Some("my list.wch".into()))));
        assert_eq!(step("save-watches a.csv"), Ok(Step::SaveWatches("a.csv".into())));
        assert_eq!(step("exclude-watched"), Ok(Step::ExcludeWatched));
        let target = Address(0x10);
        assert_eq!(step("pointers @10"), Ok(Step::Pointers { target, depth: 3, offset: 0x400 }));
        let far = Step::Pointers { target, depth: 2, offset: 0x1000 };
        assert_eq!(step("pointers @10 offset 0x1000 depth 2"), Ok(far));
        assert_eq!(step("recheck"), Ok(Step::Recheck(None)));
        assert_eq!(step("recheck @10"), Ok(Step::Recheck(Some(target))));
        assert_eq!(step("paths"), Ok(Step::Paths(None)));
        assert_eq!(step("save-paths p.txt"), Ok(Step::SavePaths("p.txt".into())));
    }

    #[test]
    fn wrong_steps_are_answered() {
        for (text, expected) in [
            ("", "missing a step"),
            ("bigger", "unknown step `bigger`; "),
            ("= 70000", "70000 is out of range: 16-bit unsigned is 0 to 65535"),
            ("= 5 6", "unexpected `6`"),
            ("changed until", "unexpected `until`"),
            ("changed since yesterday", "unknown previous value `yesterday`"),
            ("between 3", "missing a value"),
            ("modulo 4 1", "expected = instead of `1`"),
            ("modulo x = 1", "invalid divisor `x`"),
            ("wait soon", "invalid time `soon`"),
            ("wait -1s", "invalid time `-1s`"),
            ("type u128", "unknown type `u128`"),
            ("= @XYZ", "invalid address `XYZ`"),
            ("bytes", "the pattern is empty"),
            ("board", "missing file name"),
            ("watch", "missing cell address"),
            ("watch @10 nibble", "a nibble needs @10.hi or @10.lo"),
            ("watch @10.lo", "a nibble needs @10.hi or @10.lo"),
            ("save-watches", "missing file name"),
            ("exclude-watched now", "unexpected `now`"),
            ("pointers @10 depth", "missing number of pointers"),
            ("pointers @10 depth 99", "invalid depth 99"),
            ("pointers @10 offset far", "invalid number of bytes `far`"),
            ("pointers @10 near", "unexpected `near`"),
        ] {
            let problem = step(text).expect_err(text);
            assert!(problem.starts_with(expected), "{text}: {problem}");
        }
    }
}
