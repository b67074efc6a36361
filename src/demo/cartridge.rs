//! Our own cartridge and the settings in its ROM (tests/cartridges/genesis-tsu/README.md, "ROM map").

use crate::puyo::{COLUMNS, Cell, Field, ROWS, field_from_text, to_rows};
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// The cartridge, written in 68000 assembly, which deals pairs as Puyo Puyo Tsu does.
pub const ROM: &[u8] = include_bytes!("../../tests/cartridges/genesis-tsu/genesis-tsu.bin");

/// The offset of the settings.
const BLOCK: usize = 0x200;

/// The first bytes of the settings.
const MAGIC: &[u8] = b"NXCF";

/// The offset of the schedule of rounds: a word with their number, and eight bytes each.
const SCHEDULE: usize = 0x220;

/// The offset of the initial board, one byte per cell.
const BOARD: usize = 0x2A0;

/// The offset of the times: eight words, and three lists of a word for each number of rows.
const TIMES: usize = 0x3F00;

/// The settings of [`CartridgeConfig::times`], in the order of the ROM, and their limits.
const TIME_SETTINGS: [(&str, RangeInclusive<u16>, &str); 8] = [
    ("press", 1..=15, "it takes 1 to 15"),
    ("release", 1..=255, "it takes 1 to 255"),
    ("down", 1..=255, "it takes 1 to 255"),
    ("lock", 1..=255, "it takes 1 to 255"),
    ("rest", 1..=255, "it takes 1 to 255"),
    ("all-clear", 0..=u16::MAX, "it takes 0 to 65535"),
    ("garbage", 0..=u16::MAX, "it takes 0 to 65535"),
    ("robot", 0..=1, "it takes 0 or 1"),
];

/// The settings of [`CartridgeConfig::row_times`], in the order of the ROM.
const ROW_SETTINGS: [&str; 3] = ["split", "chain-rows", "garbage-rows"];

/// The offset of [`CartridgeConfig::start`].
const START: usize = 0x3F64;

/// The bit that stops events from the press of Start on.
const START_QUIET: u16 = 0x8000;

/// Why a cartridge was not configured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum CartridgeError {
    #[error("this ROM cannot be configured: it is not our own cartridge (no `NXCF` at 0x200)")]
    NoSettings,
    #[error(
        "unknown setting `{0}`; use faults, deal1, deal2, pairs, schedule, menu, seed, fault-every, events, hand1, hand2, chain, delay, fall, level1, level2, group, board, press, release, down, lock, rest, all-clear, garbage, robot, split, chain-rows, garbage-rows, start"
    )]
    Unknown(String),
    #[error("invalid value `{value}` for `{setting}`: {expected}")]
    Value { setting: String, value: String, expected: &'static str },
}

/// Which rounds the cartridge plays, by their numbers in the settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Schedule {
    /// All rounds.
    All,
    /// Versus only.
    Versus,
    /// Story only.
    Story,
}

/// What moves a player's pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PairControl {
    /// The cartridge.
    Computer,
    /// The player's controller.
    Controller,
}

const FAULTS: [(&str, (bool, bool)); 4] =
    [("none", (false, false)), ("pool", (true, false)), ("dealt", (false, true)), ("both", (true, true))];
const SCHEDULES: [(&str, Schedule); 3] =
    [("all", Schedule::All), ("versus", Schedule::Versus), ("story", Schedule::Story)];
const HANDS: [(&str, PairControl); 2] =
    [("computer", PairControl::Computer), ("controller", PairControl::Controller)];

fn named<T: Copy>(names: &[(&str, T)], name: &str) -> Option<T> {
    names.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

fn name<T: Copy + PartialEq>(names: &[(&str, T)], value: Option<T>) -> Option<String> {
    names.iter().find(|(_, known)| value == Some(*known)).map(|(name, _)| (*name).to_owned())
}

/// The settings of the cartridge. None leaves the ROM's setting unchanged; [`Default`] changes nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CartridgeConfig {
    /// Deliberate faults: (a byte of a pool each round, a byte of a dealt pair now and then).
    pub faults: Option<(bool, bool)>,
    /// Passes of the main loop (one a frame) from one pair of player 1 to the next, at least 1.
    pub deal_1: Option<u16>,
    /// The same for player 2.
    pub deal_2: Option<u16>,
    /// The number of pairs dealt to player 1 in a round.
    pub pairs: Option<u16>,
    /// The rounds to play.
    pub schedule: Option<Schedule>,
    /// The duration of the level menu in passes.
    pub menu: Option<u16>,
    /// The randomizer's state after a cold boot; 0 selects the game's own, 0x35879DE2.
    pub seed: Option<u32>,
    /// A dealt-pair fault about every so many draws, at least 1 (that is every draw).
    pub fault_every: Option<u16>,
    /// The chance per pass, in 1/256, that the randomizer is advanced between rounds; 0 is never.
    pub events: Option<u16>,
    /// What moves the pairs of players 1 and 2.
    pub hands: [Option<PairControl>; 2],
    /// The duration of a chain step in passes; 0 runs the entire chain in the pass in which the pair lands.
    pub chain: Option<u16>,
    /// Passes from the end of a chain to the next pair, if a controller moves the pairs; at least 1.
    pub delay: Option<u16>,
    /// The speed of falling pairs, in 1/65536 rows per pass.
    pub fall: Option<u16>,
    /// Levels of players 1 and 2 in all rounds, 0 to 4.
    pub levels: [Option<u8>; 2],
    /// The size of a group that pops in all rounds, 2 to 6.
    pub group: Option<u8>,
    /// The initial content of both boards.
    pub board: Option<Field>,
    /// Times with a controller's hand, in passes: a button is held until it counts; all are released until the next one counts; a row with
    /// Down; put down with Down; put down without; more after an all clear. Then the number of pairs from one row of garbage to the next,
    /// 0 for none; and 1 if the cartridge itself presses the buttons of controller 1.
    pub times: [Option<u16>; 8],
    /// Times by rows, in passes: one puyo of a pair falls alone; things fall in a chain, in addition to `chain`; garbage falls.
    pub row_times: [Option<[u16; ROWS]>; 3],
    /// The title waits for Start, and the first round is generated in the pass with this number, that of the press being 1; 0 does not wait.
    /// And whether the randomizer is not advanced from the press until then.
    pub start: Option<(u16, bool)>,
}

impl CartridgeConfig {
    /// Writes the settings into a ROM of the cartridge.
    ///
    /// # Errors
    /// [`CartridgeError::NoSettings`] if there is something to write and the ROM is not our cartridge.
    pub fn apply(&self, rom: &mut [u8]) -> Result<(), CartridgeError> {
        if *self == Self::default() {
            return Ok(());
        }
        let ours = rom.len() >= START + 2 && rom[BLOCK..].starts_with(MAGIC);
        if !ours {
            return Err(CartridgeError::NoSettings);
        }
        let block = &mut rom[BLOCK..SCHEDULE];
        let faults = self.faults.map(|(pool, dealt)| u16::from(pool) | u16::from(dealt) << 1);
        let schedule = self.schedule.map(|schedule| schedule as u16);
        for (at, value) in [
            (0x04, faults),
            (0x06, self.deal_1),
            (0x08, self.deal_2),
            (0x0A, self.pairs),
            (0x0C, schedule),
            (0x0E, self.menu),
            (0x14, self.fault_every),
            (0x16, self.events),
            (0x1A, self.chain),
            (0x1C, self.delay),
            (0x1E, self.fall),
        ] {
            if let Some(value) = value {
                block[at..at + 2].copy_from_slice(&value.to_be_bytes());
            }
        }
        if let Some(seed) = self.seed {
            block[0x10..0x14].copy_from_slice(&seed.to_be_bytes());
        }
        for (player, hand) in self.hands.iter().enumerate() {
            if let Some(hand) = hand {
                block[0x19] =
                    block[0x19] & !(1 << player) | u8::from(*hand == PairControl::Controller) << player;
            }
        }
        for entry in rom[SCHEDULE + 2..BOARD].chunks_exact_mut(8) {
            for (at, value) in [(2, self.group), (3, self.levels[0]), (4, self.levels[1])] {
                entry[at] = value.unwrap_or(entry[at]);
            }
        }
        if let Some(mut board) = self.board {
            board.settle();
            for (nth, cell) in rom[BOARD..BOARD + ROWS * COLUMNS].iter_mut().enumerate() {
                *cell = cell_byte(board.get(nth % COLUMNS, ROWS - 1 - nth / COLUMNS));
            }
        }
        let words = self.times.into_iter();
        let lists = self.row_times.into_iter().flat_map(|list| (0..ROWS).map(move |row| Some(list?[row])));
        for (word, value) in rom[TIMES..].chunks_exact_mut(2).zip(words.chain(lists)) {
            if let Some(value) = value {
                word.copy_from_slice(&value.to_be_bytes());
            }
        }
        if let Some((passes, quiet)) = self.start {
            let word = passes | if quiet { START_QUIET } else { 0 };
            rom[START..START + 2].copy_from_slice(&word.to_be_bytes());
        }
        Ok(())
    }

    /// Parses settings in the form of [`Display`](fmt::Display); settings that are not named are unchanged.
    pub fn set(&mut self, text: &str) -> Result<(), CartridgeError> {
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (setting, value) = part.split_once('=').unwrap_or((part, ""));
            let invalid =
                |expected| CartridgeError::Value { setting: setting.into(), value: value.into(), expected };
            let number = |range: RangeInclusive<u16>, expected| {
                let number = value.parse().ok().filter(|number| range.contains(number));
                number.map(Some).ok_or_else(|| invalid(expected))
            };
            let count = || number(1..=u16::MAX, "it takes 1 to 65535");
            let any = || number(0..=u16::MAX, "it takes 0 to 65535");
            let level = || Ok(number(0..=4, "it takes 0 to 4")?.and_then(|level| u8::try_from(level).ok()));
            let hand = || {
                let hand = named(&HANDS, value);
                hand.map(Some).ok_or_else(|| invalid("it takes computer or controller"))
            };
            match setting {
                "faults" => {
                    let faults = named(&FAULTS, value);
                    self.faults = Some(faults.ok_or_else(|| invalid("it takes none, pool, dealt or both"))?);
                }
                "schedule" => {
                    let schedule = named(&SCHEDULES, value);
                    self.schedule = Some(schedule.ok_or_else(|| invalid("it takes all, versus or story"))?);
                }
                "seed" => {
                    let digits = value.strip_prefix("0x");
                    let seed = digits.map_or_else(|| value.parse(), |digits| u32::from_str_radix(digits, 16));
                    self.seed =
                        Some(seed.map_err(|_| invalid("it takes 0 to 4294967295, or 0x and hex digits"))?);
                }
                "deal1" => self.deal_1 = count()?,
                "deal2" => self.deal_2 = count()?,
                "pairs" => self.pairs = count()?,
                "fault-every" => self.fault_every = count()?,
                "menu" => self.menu = any()?,
                "events" => self.events = number(0..=256, "it takes 0 to 256")?,
                "hand1" => self.hands[0] = hand()?,
                "hand2" => self.hands[1] = hand()?,
                "chain" => self.chain = any()?,
                "delay" => self.delay = count()?,
                "fall" => self.fall = any()?,
                "level1" => self.levels[0] = level()?,
                "level2" => self.levels[1] = level()?,
                "group" => {
                    let group = number(2..=6, "it takes 2 to 6")?;
                    self.group = group.and_then(|group| u8::try_from(group).ok());
                }
                "start" => {
                    let (passes, quiet) = match value.strip_suffix("/quiet") {
                        Some(passes) => (passes, true),
                        None => (value, false),
                    };
                    let passes = passes.parse().ok().filter(|passes| *passes < START_QUIET);
                    let expected = "it takes 0 to 32767, or such a number and /quiet";
                    self.start = Some((passes.ok_or_else(|| invalid(expected))?, quiet));
                }
                "board" => {
                    let board = field_from_text(&value.replace('/', "\n"));
                    let expected =
                        "it takes rows of 6 letters with / between them, the top one first, or a field code";
                    self.board = Some(board.map_err(|_| invalid(expected))?);
                }
                _ => {
                    let time = TIME_SETTINGS.iter().position(|(name, ..)| *name == setting);
                    let rows = ROW_SETTINGS.iter().position(|name| *name == setting);
                    match (time, rows) {
                        (Some(at), _) => {
                            let (_, range, expected) = &TIME_SETTINGS[at];
                            self.times[at] = number(range.clone(), expected)?;
                        }
                        (_, Some(at)) => {
                            let list = row_times(value);
                            let expected = "it takes 1 to 14 numbers of 0 to 65535 with / between them, for 0, 1, 2 ... rows";
                            self.row_times[at] = Some(list.ok_or_else(|| invalid(expected))?);
                        }
                        (None, None) => return Err(CartridgeError::Unknown(setting.into())),
                    }
                }
            }
        }
        Ok(())
    }
}

fn joined(list: [u16; ROWS]) -> String {
    list.map(|number| number.to_string()).join("/")
}

fn start_text((passes, quiet): (u16, bool)) -> String {
    format!("{passes}{}", if quiet { "/quiet" } else { "" })
}

/// Times for 0, 1, 2 ... rows; the last one is for more rows as well.
fn row_times(text: &str) -> Option<[u16; ROWS]> {
    let numbers = text.split('/').map(|number| number.parse::<u16>().ok()).collect::<Option<Vec<_>>>()?;
    let last = *numbers.last()?;
    (numbers.len() <= ROWS).then(|| std::array::from_fn(|row| numbers.get(row).copied().unwrap_or(last)))
}

/// A cell as the cartridge stores it, without links (reference 1.4).
fn cell_byte(cell: Cell) -> u8 {
    match cell {
        Cell::Empty => 0,
        Cell::Puyo(color) => 0x80 | color.0 << 4,
        Cell::Ojama => 0xE0,
        Cell::Hard => 0xF0,
    }
}

impl FromStr for CartridgeConfig {
    type Err = CartridgeError;

    fn from_str(text: &str) -> Result<Self, CartridgeError> {
        let mut config = Self::default();
        config.set(text)?;
        Ok(config)
    }
}

/// `setting=value`, separated by commas; unset settings are left out.
impl fmt::Display for CartridgeConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |value: Option<u16>| value.map(|value| value.to_string());
        let small = |value: Option<u8>| number(value.map(u16::from));
        let mut between = "";
        for (setting, value) in [
            ("faults", name(&FAULTS, self.faults)),
            ("deal1", number(self.deal_1)),
            ("deal2", number(self.deal_2)),
            ("pairs", number(self.pairs)),
            ("schedule", name(&SCHEDULES, self.schedule)),
            ("menu", number(self.menu)),
            ("seed", self.seed.map(|seed| format!("0x{seed:08X}"))),
            ("fault-every", number(self.fault_every)),
            ("events", number(self.events)),
            ("hand1", name(&HANDS, self.hands[0])),
            ("hand2", name(&HANDS, self.hands[1])),
            ("chain", number(self.chain)),
            ("delay", number(self.delay)),
            ("fall", number(self.fall)),
            ("level1", small(self.levels[0])),
            ("level2", small(self.levels[1])),
            ("group", small(self.group)),
            ("board", self.board.map(|board| to_rows(&board).join("/"))),
        ]
        .into_iter()
        .chain(TIME_SETTINGS.iter().zip(self.times).map(|((name, ..), time)| (*name, number(time))))
        .chain(ROW_SETTINGS.into_iter().zip(self.row_times).map(|(name, list)| (name, list.map(joined))))
        .chain([("start", self.start.map(start_text))])
        {
            if let Some(value) = value {
                write!(f, "{between}{setting}={value}")?;
                between = ",";
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERY: &str = "faults=both,deal1=1,deal2=2,pairs=3,schedule=story,menu=0,seed=0x12345678,fault-every=5,\
         events=256,hand1=controller,hand2=computer,chain=6,delay=7,fall=8,level1=3,level2=4,group=5,\
         board=Y...../R.OHGP,press=1,release=2,down=3,lock=4,rest=5,all-clear=6,garbage=7,robot=1,\
         split=0/1/2/3/4/5/6/7/8/9/10/11/12/13,chain-rows=1/1/1/1/1/1/1/1/1/1/1/1/1/1,garbage-rows=0/0/0/0/0/0/0/0/0/0/0/0/0/9,\
         start=20/quiet";

    #[test]
    fn settings_are_parsed_and_written_to_their_offsets() {
        let config: CartridgeConfig = EVERY.parse().expect("good settings");
        assert_eq!(config.to_string(), EVERY);
        let mut rom = ROM.to_vec();
        config.apply(&mut rom).expect("our own cartridge");
        let block: Vec<u8> = [0_u16, 3, 1, 2, 3, 2, 0, 0x1234, 0x5678, 5, 256, 1, 6, 7, 8][1..]
            .iter()
            .flat_map(|word| word.to_be_bytes())
            .collect();
        assert_eq!(rom[0x204..0x220], block);
        assert_eq!(rom[..0x204], ROM[..0x204]);
        for entry in 0..15 {
            let at = 0x222 + 8 * entry;
            assert_eq!(rom[at..at + 2], ROM[at..at + 2]);
            assert_eq!(rom[at + 2..at + 5], [5, 3, 4]);
        }
        assert_eq!(rom[0x2A0..0x2E8], [0; 72]);
        assert_eq!(rom[0x2E8..0x2F4], [0x90, 0, 0, 0, 0, 0, 0x80, 0, 0xE0, 0xF0, 0xB0, 0xC0]);
        assert_eq!(rom[0x2F4..0x3F00], ROM[0x2F4..0x3F00]);
        let words = |words: &[u16]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
        assert_eq!(rom[0x3F00..0x3F10], words(&[1, 2, 3, 4, 5, 6, 7, 1]));
        assert_eq!(
            rom[0x3F10..0x3F2C],
            words(&std::array::from_fn::<u16, 14, _>(|row| row.try_into().unwrap()))
        );
        assert_eq!(rom[0x3F2C..0x3F48], words(&[1; 14]));
        assert_eq!(rom[0x3F62..0x3F64], [0, 9]);
        assert_eq!(rom[0x3F64..0x3F66], [0x80, 20]);
        assert_eq!(rom[0x3F66..], ROM[0x3F66..]);
    }

    #[test]
    fn wrong_settings_are_errors() {
        for (text, message) in [
            ("speed=1", "unknown setting `speed`"),
            ("deal1=0", "1 to 65535"),
            ("deal1", "1 to 65535"),
            ("events=257", "0 to 256"),
            ("faults=yes", "none, pool, dealt or both"),
            ("seed=0xG", "hex digits"),
            ("schedule=", "all, versus or story"),
            ("hand1=me", "computer or controller"),
            ("delay=0", "1 to 65535"),
            ("level1=5", "0 to 4"),
            ("group=1", "2 to 6"),
            ("board=XX", "rows of 6 letters"),
            ("press=0", "1 to 15"),
            ("split=", "1 to 14 numbers"),
            ("split=1/2/x", "with / between them"),
            ("chain-rows=0/0/0/0/0/0/0/0/0/0/0/0/0/0/0", "1 to 14 numbers"),
            ("start=32768", "0 to 32767"),
            ("start=/quiet", "0 to 32767"),
        ] {
            let error = text.parse::<CartridgeConfig>().expect_err(text).to_string();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn only_our_own_cartridge_is_configured() {
        let config: CartridgeConfig = "menu=1".parse().expect("good");
        assert_eq!(config.apply(&mut [0; 0x400]), Err(CartridgeError::NoSettings));
        assert_eq!(config.apply(&mut []), Err(CartridgeError::NoSettings));
        assert_eq!(CartridgeConfig::default().apply(&mut []), Ok(()));
    }
}
