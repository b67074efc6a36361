//! What a file is that was dropped on the window.

use super::file_dialog::FileKind;
use super::recordings::is_recording;
use crate::research::watch::ListKind;
use std::io::Read;
use std::path::Path;

/// File name extensions of games, in lower case. Those that other files have too are recognised by their content.
const GAMES: [&str; 12] = ["nes", "nds", "sfc", "smd", "gen", "chd", "cue", "iso", "zip", "7z", "gba", "neo"];
/// Where the cartridge of a Genesis has the name of its console.
const SEGA: std::ops::Range<usize> = 0x100..0x104;

/// What the window does with a dropped file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dropped {
    /// Opens it in the panel of its kind.
    Open(FileKind),
    /// Adds it to the user's profiles.
    Profile,
    /// Nothing: the program writes such files and does not read them.
    Written(FileKind),
    /// A folder.
    Folder,
}

impl Dropped {
    /// Tells by the name and, where that is ambiguous, by the first bytes. A file of another kind is a memory dump: those have any
    /// name.
    pub fn of(path: &Path) -> Self {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        let extension = extension.as_deref().unwrap_or_default();
        if path.is_dir() {
            Self::Folder
        } else if is_recording(path) {
            Self::Open(FileKind::Recording)
        } else if ListKind::of(path).is_some() {
            Self::Open(FileKind::WatchList)
        } else if extension == "toml" {
            Self::Profile
        } else if GAMES.contains(&extension) || is_cartridge(path) {
            Self::Open(FileKind::Game)
        } else {
            match extension {
                "html" | "md" => Self::Written(FileKind::Report),
                "json" | "svg" | "png" | "apng" | "bk2" | "gmv" | "mcm" | "inp" | "dsm" | "url" => {
                    Self::Written(FileKind::Route)
                }
                _ => Self::Open(FileKind::Dump),
            }
        }
    }

    /// What will happen, for the hint while the file is over the window.
    pub fn hint(self) -> String {
        match self {
            Self::Open(FileKind::Game) => "Drop to start the game in an emulator".into(),
            Self::Open(kind) => format!("Drop to open the {}", kind.name()),
            Self::Profile => "Drop to add the profile".into(),
            Self::Written(kind) => format!("A {} cannot be opened", kind.name()),
            Self::Folder => "A folder cannot be opened".into(),
        }
    }
}

/// Whether it is a cartridge image of the Genesis.
fn is_cartridge(path: &Path) -> bool {
    let mut head = [0; SEGA.end];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && head.get(SEGA).is_some_and(|name| name == b"SEGA")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_recognised_by_its_name_or_its_content() {
        let folder = tempfile::tempdir().unwrap();
        let of = |name: &str, content: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, content).unwrap();
            Dropped::of(&path)
        };
        let mut cartridge = vec![0; 0x200];
        cartridge[SEGA].copy_from_slice(b"SEGA");
        assert_eq!(of("round.NSREC", b""), Dropped::Open(FileKind::Recording));
        assert_eq!(of("tsu.wch", b""), Dropped::Open(FileKind::WatchList));
        assert_eq!(of("ram.bin", &[0; 0x200]), Dropped::Open(FileKind::Dump));
        assert_eq!(of("quick.state", b"x"), Dropped::Open(FileKind::Dump));
        assert_eq!(of("puyo.bin", &cartridge), Dropped::Open(FileKind::Game));
        assert_eq!(of("puyo.md", &cartridge), Dropped::Open(FileKind::Game));
        assert_eq!(of("report.md", b"# Report"), Dropped::Written(FileKind::Report));
        assert_eq!(of("route.json", b"{}"), Dropped::Written(FileKind::Route));
        assert_eq!(of("mine.toml", b""), Dropped::Profile);
        assert_eq!(Dropped::of(folder.path()), Dropped::Folder);
    }
}
