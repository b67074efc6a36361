//! Our own cartridge and the settings in its ROM (tests/cartridges/genesis-tsu/README.md, "ROM map").

use crate::puyo::{COLUMNS, Cell, Field, ROWS, field_from_text, to_rows};
use std::fmt;
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

/// Why a cartridge was not configured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum CartridgeError {
    #[error("this ROM cannot be configured: it is not our own cartridge (no `NXCF` at 0x200)")]
    NoSettings,
    #[error(
        "unknown setting `{0}`; use faults, deal1, deal2, pairs, schedule, menu, seed, fault-every, events, hand1, hand2, chain, delay, fall, level1, level2, group, board"
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
        let ours = rom.len() >= BOARD + ROWS * COLUMNS && rom[BLOCK..].starts_with(MAGIC);
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
        Ok(())
    }

    /// Parses settings in the form of [`Display`](fmt::Display); settings that are not named are unchanged.
    pub fn set(&mut self, text: &str) -> Result<(), CartridgeError> {
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (setting, value) = part.split_once('=').unwrap_or((part, ""));
            let invalid =
                |expected| CartridgeError::Value { setting: setting.into(), value: value.into(), expected };
            let number = |range: std::ops::RangeInclusive<u16>, expected| {
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
                "board" => {
                    let board = field_from_text(&value.replace('/', "\n"));
                    let expected =
                        "it takes rows of 6 letters with / between them, the top one first, or a field code";
                    self.board = Some(board.map_err(|_| invalid(expected))?);
                }
                _ => return Err(CartridgeError::Unknown(setting.into())),
            }
        }
        Ok(())
    }
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
        ] {
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
         board=Y...../R.OHGP";

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
        assert_eq!(rom[0x2F4..], ROM[0x2F4..]);
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
