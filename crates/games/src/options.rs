//! Options that a game states as data: the command line makes arguments of them, the window controls, and the game reads
//! their values.

use crate::profile::Profile;
use crate::seeds::text::parse_hex;
use nextscope_memory::console::Snapshot;
use std::sync::Arc;

/// An option of a command for one game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionSpec {
    /// The name on the command line, without the dashes.
    pub name: &'static str,
    /// What the value is called in the help; empty for a flag.
    pub value_name: &'static str,
    /// The help.
    pub help: &'static str,
    /// The values.
    pub kind: OptionKind,
    /// The value of an option that is not given.
    pub default: Option<&'static str>,
    /// Options that cannot be given with this one.
    pub conflicts_with: &'static [&'static str],
    /// This option must be given unless one of these is; none if it need not be given.
    pub required_unless: &'static [&'static str],
    /// An option without which this one means nothing.
    pub requires: Option<&'static str>,
}

/// The values of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionKind {
    /// Given or not.
    Flag,
    /// A number in a range, both ends included.
    Number(u32, u32),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any text.
    Text,
    /// A seed or state as text, which may look like a negative number.
    Seed,
    /// A board as text, rows from the top, separated by "/".
    Board(&'static BoardSpec),
    /// The name of a file, whose bytes are read.
    File,
    /// The name of a file with RAM: a dump, a save state, or a recording with the option `frame`.
    Dump,
    /// The frame of that recording.
    Frame,
    /// A profile: the id of a known one, or the name of its file.
    Profile,
}

/// A board that a user enters.
#[derive(Debug, PartialEq, Eq)]
pub struct BoardSpec {
    /// Cells of a row.
    pub columns: usize,
    /// Rows.
    pub rows: usize,
    /// What a cell can be, the state of an untouched cell first: colours by their letters, and other signs.
    pub signs: &'static [char],
}

impl OptionSpec {
    pub(crate) const fn new(name: &'static str, kind: OptionKind, help: &'static str) -> Self {
        let (conflicts_with, required_unless): (&[&str], &[&str]) = (&[], &[]);
        Self {
            name,
            value_name: "",
            help,
            kind,
            default: None,
            conflicts_with,
            required_unless,
            requires: None,
        }
    }

    pub(crate) const fn value_name(self, value_name: &'static str) -> Self {
        Self { value_name, ..self }
    }

    pub(crate) const fn default(self, value: &'static str) -> Self {
        Self { default: Some(value), ..self }
    }

    pub(crate) const fn conflicts_with(self, conflicts_with: &'static [&'static str]) -> Self {
        Self { conflicts_with, ..self }
    }

    pub(crate) const fn required_unless(self, required_unless: &'static [&'static str]) -> Self {
        Self { required_unless, ..self }
    }

    pub(crate) const fn requires(self, option: &'static str) -> Self {
        Self { requires: Some(option), ..self }
    }

    /// The value that this text gives; None for a text that is none, and for the names of files.
    pub fn parse(&self, text: &str) -> Option<OptionValue> {
        match self.kind {
            OptionKind::Flag => Some(OptionValue::Flag),
            OptionKind::Number(least, most) => {
                text.parse().ok().filter(|number| (least..=most).contains(number)).map(OptionValue::Number)
            }
            OptionKind::Choice(words) => words.contains(&text).then(|| OptionValue::Text(text.to_owned())),
            OptionKind::Text | OptionKind::Seed | OptionKind::Board(_) => {
                Some(OptionValue::Text(text.to_owned()))
            }
            OptionKind::File | OptionKind::Dump | OptionKind::Frame | OptionKind::Profile => None,
        }
    }
}

/// The value of an option.
#[derive(Debug, Clone)]
pub enum OptionValue {
    /// The flag is set.
    Flag,
    /// A number.
    Number(u32),
    /// A text or a word.
    Text(String),
    /// The bytes of a file.
    File(NamedBytes),
    /// The RAM in a file.
    Dump(NamedRam),
    /// A profile.
    Profile(Arc<Profile>),
}

/// A file.
#[derive(Debug, Clone)]
pub struct NamedBytes {
    /// Its name, for messages.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

impl NamedBytes {
    /// The bytes of a file of one of these lengths; of any other file those that its hexadecimal digits give, `??` for an unknown one,
    /// or none.
    pub(crate) fn known_bytes(&self, lengths: &[usize]) -> Vec<Option<u8>> {
        if lengths.contains(&self.bytes.len()) {
            return self.bytes.iter().copied().map(Some).collect();
        }
        std::str::from_utf8(&self.bytes).ok().and_then(parse_hex).unwrap_or_default()
    }
}

/// The RAM in a file.
#[derive(Debug, Clone)]
pub struct NamedRam {
    /// The name of the file, for messages.
    pub name: String,
    /// The RAM with the profile that matches it; None if no known game is in it.
    pub found: Option<(Snapshot, Arc<Profile>)>,
}

impl NamedRam {
    /// The message if no known game is in it.
    pub fn no_known_game(&self) -> String {
        format!("{}: {NO_KNOWN_GAME}", self.name)
    }
}

/// What a command reports when no profile matches.
pub const NO_KNOWN_GAME: &str = "no known game found in this RAM image";

/// The options that were given, and the defaults of the others.
#[derive(Debug, Clone, Default)]
pub struct OptionValues {
    values: Vec<(&'static str, OptionValue)>,
    random: u32,
}

impl OptionValues {
    /// The defaults of these options. `random` is a random number, for a game that needs one.
    pub fn new(options: &'static [OptionSpec], random: u32) -> Self {
        let default = |option: &OptionSpec| Some((option.name, option.parse(option.default?)?));
        Self { values: options.iter().filter_map(default).collect(), random }
    }

    /// Sets the value of an option.
    pub fn set(&mut self, name: &'static str, value: OptionValue) {
        self.values.retain(|(known, _)| *known != name);
        self.values.push((name, value));
    }

    /// The value of an option that was given or has a default.
    pub fn get(&self, name: &str) -> Option<&OptionValue> {
        self.values.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Whether the option was given, or has a default.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The number.
    pub fn number(&self, name: &str) -> Option<u32> {
        match self.get(name)? {
            OptionValue::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The number as a byte, for a range that fits one.
    pub fn byte(&self, name: &str) -> Option<u8> {
        self.number(name).and_then(|number| u8::try_from(number).ok())
    }

    /// The text or the word.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            OptionValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The file.
    pub fn file(&self, name: &str) -> Option<&NamedBytes> {
        match self.get(name)? {
            OptionValue::File(file) => Some(file),
            _ => None,
        }
    }

    /// The RAM in a file.
    pub fn dump(&self, name: &str) -> Option<&NamedRam> {
        match self.get(name)? {
            OptionValue::Dump(ram) => Some(ram),
            _ => None,
        }
    }

    /// The profile.
    pub fn profile(&self, name: &str) -> Option<&Arc<Profile>> {
        match self.get(name)? {
            OptionValue::Profile(profile) => Some(profile),
            _ => None,
        }
    }

    /// The random number.
    pub fn random(&self) -> u32 {
        self.random
    }
}
