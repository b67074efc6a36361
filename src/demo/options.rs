//! The options of the embedded console's process.

use super::DemoError;
use super::cartridge::{CartridgeConfig, ROM};
use super::console::Console;
use super::script::Script;
use crate::console::StorageOrder;
use crate::file::{DUMP_LIMIT, TEXT_LIMIT, read_limited, read_text};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The highest speed, as a multiple of the real console's; use 0 for no limit.
pub(super) const MAX_SPEED: f64 = 1000.0;

/// The options of `nextscope demo-console`: name, value, and what it does.
pub const OPTIONS: [(&str, &str, &str); 6] = [
    ("--speed", "X", "Frames per second as a multiple of 59.92; 0 is unlimited"),
    ("--rom", "FILE", "A ROM instead of our own cartridge"),
    ("--order", "bus|swapped", "The byte order of RAM in the process"),
    ("--fault", "none|pool|dealt|both", "Deliberate faults of our cartridge"),
    ("--config", "SETTING=VALUE,...", "Settings of our cartridge; repeatable"),
    (
        "--input",
        "FILE",
        "A script for the first controller, which needs --config hand1=controller to move pairs",
    ),
];

/// How to run the embedded console.
#[derive(Clone, PartialEq, Debug)]
pub struct DemoOptions {
    /// Frames per second as a multiple of the real console's 59.92; 0 is unlimited.
    pub speed: f64,
    /// A ROM instead of our own cartridge.
    pub rom: Option<PathBuf>,
    /// The byte order of RAM in the process.
    pub order: StorageOrder,
    /// A file with a [`Script`] for the first controller.
    pub input: Option<PathBuf>,
    /// The settings of our cartridge.
    pub config: CartridgeConfig,
}

impl Default for DemoOptions {
    fn default() -> Self {
        Self {
            speed: 1.0,
            rom: None,
            order: StorageOrder::SwappedWords,
            input: None,
            config: CartridgeConfig::default(),
        }
    }
}

impl DemoOptions {
    /// Parses the arguments of `nextscope demo-console`, [`OPTIONS`].
    ///
    /// # Errors
    /// What is wrong, in a sentence.
    pub fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let (name, value) = match argument.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (argument.as_str(), rest.next().map(String::as_str)),
            };
            if !OPTIONS.iter().any(|(known, ..)| *known == name) {
                let known = OPTIONS.map(|(known, ..)| known).join(", ");
                return Err(format!("unknown argument `{argument}` of demo-console; known are {known}"));
            }
            let value = value.ok_or_else(|| format!("{name} needs a value"))?;
            match name {
                "--speed" => options.speed = speed(value)?,
                "--rom" => options.rom = Some(value.into()),
                "--input" => options.input = Some(value.into()),
                "--order" => {
                    options.order = match value {
                        "bus" => StorageOrder::AsOnBus,
                        "swapped" => StorageOrder::SwappedWords,
                        _ => return Err(format!("--order takes bus or swapped, not `{value}`")),
                    };
                }
                "--fault" => configure(&mut options, &format!("faults={value}"))?,
                _ => configure(&mut options, value)?,
            }
        }
        Ok(options)
    }

    /// The arguments that [`DemoOptions::parse`] parses as these options.
    pub fn arguments(&self) -> Vec<OsString> {
        let order = match self.order {
            StorageOrder::AsOnBus => "bus",
            _ => "swapped",
        };
        let mut arguments: Vec<OsString> =
            vec!["--speed".into(), self.speed.to_string().into(), "--order".into(), order.into()];
        if let Some(rom) = &self.rom {
            arguments.extend(["--rom".into(), rom.into()]);
        }
        if let Some(input) = &self.input {
            arguments.extend(["--input".into(), input.into()]);
        }
        if self.config != CartridgeConfig::default() {
            arguments.extend(["--config".into(), self.config.to_string().into()]);
        }
        arguments
    }

    /// Creates the console that these options describe.
    pub fn console(&self) -> Result<Console, DemoError> {
        let mut rom = match &self.rom {
            None => ROM.to_vec(),
            Some(path) => read_rom(path)?,
        };
        self.config.apply(&mut rom)?;
        Ok(Console::with_order(rom, self.order)?)
    }

    /// Loads the script that these options name.
    pub fn script(&self) -> Result<Option<Script>, DemoError> {
        let Some(path) = &self.input else { return Ok(None) };
        let text = read_text(path, TEXT_LIMIT).map_err(|error| error.to_string());
        let script = text.and_then(|text| text.parse());
        script.map(Some).map_err(|reason| DemoError::Input { path: path.clone(), reason })
    }
}

pub(super) fn read_rom(path: &Path) -> Result<Vec<u8>, DemoError> {
    read_limited(path, DUMP_LIMIT).map_err(|error| DemoError::Rom { path: path.to_owned(), error })
}

fn configure(options: &mut DemoOptions, text: &str) -> Result<(), String> {
    options.config.set(text).map_err(|error| error.to_string())
}

pub(super) fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed| *speed == 0.0 || (0.01..=MAX_SPEED).contains(speed));
    speed.ok_or_else(|| format!("invalid speed `{text}`: use 0 or 0.01 to {MAX_SPEED}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<DemoOptions, String> {
        DemoOptions::parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn arguments_are_parsed_as_the_same_options() {
        for text in [
            "",
            "--speed 0",
            "--speed=2.5 --order bus --rom some.bin",
            "--input some.txt --config hand1=controller,board=RR..../GG.OOB",
            "--fault both --config deal1=1,pairs=300 --config=menu=1 --order=swapped",
        ] {
            let options = parse(text).expect(text);
            let arguments: Vec<_> =
                options.arguments().into_iter().map(|argument| argument.into_string().unwrap()).collect();
            assert_eq!(DemoOptions::parse(&arguments), Ok(options), "{text}");
        }
        assert_eq!(parse(""), Ok(DemoOptions::default()));
        assert_eq!(parse("--fault pool").unwrap().config.faults, Some((true, false)));
    }

    #[test]
    fn wrong_arguments_are_errors() {
        for (text, message) in [
            ("--sped 1", "unknown argument `--sped`"),
            ("extra", "unknown argument `extra`"),
            ("--speed", "needs a value"),
            ("--speed -1", "0.01 to 1000"),
            ("--speed nan", "0.01 to 1000"),
            ("--order big", "bus or swapped"),
            ("--fault some", "none, pool, dealt or both"),
            ("--config pairs=0", "1 to 65535"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.contains(message), "{error}");
        }
    }
}
