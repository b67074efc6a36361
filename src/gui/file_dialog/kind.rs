//! The kinds of files, each with its own recent files.

use crate::recording::EXTENSION;
use serde::{Deserialize, Serialize};

/// A kind of file that the window opens or saves. The names of the variants are keys in the saved settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileKind {
    /// A recording, or the evidence of a mismatch.
    Recording,
    /// A memory dump or a save state.
    Dump,
    /// A list of watched addresses.
    WatchList,
    /// A route: steps, pictures or a movie.
    Route,
    /// A field of the ignition calculator: text or pictures.
    Field,
    /// A verification report.
    Report,
    /// A game to start in an emulator.
    Game,
    /// A profile that was learned.
    Profile,
}

impl FileKind {
    /// All variants.
    pub const ALL: [Self; 8] = [
        Self::Recording,
        Self::Dump,
        Self::WatchList,
        Self::Route,
        Self::Field,
        Self::Report,
        Self::Game,
        Self::Profile,
    ];

    /// Its name in labels.
    pub fn name(self) -> &'static str {
        match self {
            Self::Recording => "recording",
            Self::Dump => "memory dump",
            Self::WatchList => "watch list",
            Self::Route => "route",
            Self::Field => "field",
            Self::Report => "report",
            Self::Game => "game",
            Self::Profile => "profile",
        }
    }

    /// Its plural as a title.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Recording => "Recordings",
            Self::Dump => "Memory dumps",
            Self::WatchList => "Watch lists",
            Self::Route => "Routes",
            Self::Field => "Fields",
            Self::Report => "Reports",
            Self::Game => "Games",
            Self::Profile => "Profiles",
        }
    }

    /// The file filters of a dialog: names and extensions.
    pub fn filters(self) -> &'static [(&'static str, &'static [&'static str])] {
        match self {
            Self::Recording => &[("Recordings", &[EXTENSION])],
            Self::WatchList => &[
                ("Watch lists", &["wch", "CT", "csv"]),
                ("BizHawk watch list", &["wch"]),
                ("Cheat Engine table", &["CT"]),
                ("CSV table", &["csv"]),
            ],
            Self::Route => &[
                ("Steps as JSON", &["json"]),
                ("Steps as CSV", &["csv"]),
                ("Links", &["url"]),
                ("Pictures", &["svg", "png", "apng"]),
                ("BizHawk script", &["lua"]),
                ("BizHawk movies", &["bk2", "log"]),
                ("Gens movie", &["gmv"]),
                ("Mednafen movie", &["mcm"]),
                ("MAME recording", &["inp"]),
                ("DeSmuME movie", &["dsm"]),
                ("Script for the embedded console", &["txt"]),
            ],
            Self::Field => &[("SVG picture", &["svg"]), ("PNG picture", &["png"]), ("Text", &["txt"])],
            Self::Report => &[("HTML report", &["html"]), ("Markdown report", &["md"])],
            Self::Profile => &[("Profiles", &["toml"])],
            // Their names end in anything.
            Self::Dump | Self::Game => &[],
        }
    }

    /// The suggested name of a file to save; empty for what is only opened.
    pub fn default_name(self) -> &'static str {
        match self {
            Self::WatchList => "watches.wch",
            Self::Route => "route.json",
            Self::Field => "field.svg",
            Self::Report => "report.html",
            Self::Profile => "my-game.toml",
            Self::Recording | Self::Dump | Self::Game => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::dropped::Dropped;
    use crate::report::Format;
    use crate::research::watch::ListKind;
    use crate::route::export::FILE_FORMS;
    use std::path::Path;

    #[test]
    fn the_filters_are_the_supported_formats() {
        for kind in FileKind::ALL {
            for extension in kind.filters().iter().flat_map(|(_, extensions)| *extensions) {
                let name = format!("x.{extension}");
                let known = match kind {
                    FileKind::Recording => crate::gui::recordings::is_recording(Path::new(&name)),
                    FileKind::WatchList => ListKind::of(Path::new(&name)).is_some(),
                    FileKind::Route => FILE_FORMS.contains(&format!(".{extension}")),
                    FileKind::Report => Format::of(Path::new(&name)).is_some(),
                    // Tested where fields are written.
                    FileKind::Field => true,
                    FileKind::Profile => Dropped::of(Path::new(&name)) == Dropped::Profile,
                    FileKind::Dump | FileKind::Game => false,
                };
                assert!(known, "{name}");
            }
            let name = Path::new(kind.default_name());
            let extension = name.extension().map(|extension| extension.to_str().unwrap());
            let first = kind.filters().first().and_then(|(_, extensions)| extensions.first().copied());
            assert!(extension.is_none() || extension == first, "{name:?}");
        }
    }
}
