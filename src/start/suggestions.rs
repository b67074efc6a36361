//! Installed emulators, and the command that starts each with a game (docs/emulators.md).

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Program folders that a desktop's PATH does not always include: Debian's games, and Flatpak exports.
const MORE_FOLDERS: [&str; 2] = ["/usr/games", "/var/lib/flatpak/exports/bin"];

/// How an emulator's command names the game.
#[derive(Debug, Clone, Copy)]
enum GameArgument {
    /// The file.
    File,
    /// MAME: the machine and the file as its cartridge, or the name of an arcade ROM set.
    Machine,
    /// RetroArch: `-L`, the core, then the file.
    Core,
}

const MEGA_DRIVE: &[&str] = &["md", "gen", "smd", "bin"];
const NES: &[&str] = &["nes"];
const DS: &[&str] = &["nds"];
const ARCADE: &[&str] = &["zip", "7z"];

/// Program, display name, the extensions of the games it plays, and how its command names the game.
type Known = (&'static str, &'static str, &'static [&'static [&'static str]], GameArgument);

const KNOWN: [Known; 16] = [
    ("blastem", "BlastEm", &[MEGA_DRIVE], GameArgument::File),
    ("mednafen", "Mednafen", &[MEGA_DRIVE, NES], GameArgument::File),
    ("retroarch", "RetroArch", &[MEGA_DRIVE, NES, DS], GameArgument::Core),
    ("org.libretro.RetroArch", "RetroArch (Flatpak)", &[MEGA_DRIVE, NES, DS], GameArgument::File),
    ("mame", "MAME", &[MEGA_DRIVE, NES, ARCADE], GameArgument::Machine),
    ("desmume", "DeSmuME", &[DS], GameArgument::File),
    ("desmume-cli", "DeSmuME without menus", &[DS], GameArgument::File),
    ("org.desmume.DeSmuME", "DeSmuME (Flatpak)", &[DS], GameArgument::File),
    ("melonDS", "melonDS", &[DS], GameArgument::File),
    ("net.kuribo64.melonDS", "melonDS (Flatpak)", &[DS], GameArgument::File),
    ("fceux", "FCEUX", &[NES], GameArgument::File),
    ("nestopia", "Nestopia", &[NES], GameArgument::File),
    ("jgenesis", "jgenesis", &[MEGA_DRIVE, NES], GameArgument::File),
    ("ares", "ares", &[MEGA_DRIVE, NES], GameArgument::File),
    ("dgen", "DGen", &[MEGA_DRIVE], GameArgument::File),
    ("fbneo", "FinalBurn Neo", &[ARCADE], GameArgument::Machine),
];

/// The cores that play a kind of file, in order of preference.
const CORES: [(&[&str], &[&str]); 3] = [
    (MEGA_DRIVE, &["genesis_plus_gx_libretro.so", "picodrive_libretro.so"]),
    (NES, &["nestopia_libretro.so", "fceumm_libretro.so", "mesen_libretro.so"]),
    (DS, &["melonds_libretro.so", "melondsds_libretro.so", "desmume_libretro.so"]),
];

/// An emulator that is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// Its display name.
    pub name: &'static str,
    /// The program.
    pub program: PathBuf,
    row: usize,
}

/// The emulators installed in the folders of PATH and a few more.
pub fn suggestions() -> Vec<Suggestion> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let home = std::env::home_dir().map(|home| home.join(".local/share/flatpak/exports/bin"));
    let folders = std::env::split_paths(&path).chain(MORE_FOLDERS.map(PathBuf::from)).chain(home);
    installed(&folders.collect::<Vec<_>>())
}

/// The emulators installed in these folders.
pub fn installed(folders: &[PathBuf]) -> Vec<Suggestion> {
    let find = |(row, known): (usize, &Known)| {
        let file = format!("{}{}", known.0, std::env::consts::EXE_SUFFIX);
        let program = folders.iter().map(|folder| folder.join(&file)).find(|file| file.is_file())?;
        Some(Suggestion { name: known.1, program, row })
    };
    KNOWN.iter().enumerate().filter_map(find).collect()
}

impl Suggestion {
    /// Whether it plays a file of this name; true for an empty name.
    pub fn plays(&self, game: &str) -> bool {
        let Some((_, _, kinds, _)) = KNOWN.get(self.row) else { return false };
        game.is_empty() || kinds.iter().any(|kind| is_of(game, kind))
    }

    /// The program and its arguments for a game.
    pub fn command(&self, game: &str) -> Vec<String> {
        self.command_with(game, &core_folders())
    }

    fn command_with(&self, game: &str, cores: &[PathBuf]) -> Vec<String> {
        let mut command = vec![self.program.display().to_string()];
        let file = (!game.is_empty()).then(|| game.to_owned());
        match KNOWN.get(self.row).map(|known| known.3) {
            Some(GameArgument::Core) => {
                let kind = CORES.iter().find(|(kind, _)| is_of(game, kind));
                let names = kind.map_or(&[][..], |(_, names)| names);
                let found = names.iter().flat_map(|name| cores.iter().map(move |folder| folder.join(name)));
                if let Some(core) = found.into_iter().find(|core| core.is_file()) {
                    command.extend(["-L".to_owned(), core.display().to_string()]);
                }
                command.extend(file);
            }
            Some(GameArgument::Machine) if is_of(game, ARCADE) => {
                let path = Path::new(game);
                if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                    command.extend(["-rompath".to_owned(), folder.display().to_string()]);
                }
                command.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
            }
            Some(GameArgument::Machine) if is_of(game, MEGA_DRIVE) || is_of(game, NES) => {
                let machine = if is_of(game, NES) { "nes" } else { "genesis" };
                command.extend([machine.to_owned(), "-cart".to_owned(), game.to_owned()]);
            }
            _ => command.extend(file),
        }
        command
    }
}

fn is_of(game: &str, kind: &[&str]) -> bool {
    let end = Path::new(game).extension().and_then(OsStr::to_str).unwrap_or_default();
    kind.iter().any(|kind| end.eq_ignore_ascii_case(kind))
}

/// The folders of libretro cores: RetroArch's own, Debian's (one per architecture), and others.
fn core_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        std::env::home_dir().map(|home| home.join(".config/retroarch/cores")).into_iter().collect();
    let architectures = std::fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    folders.extend(architectures.map(|entry| entry.path().join("libretro")).filter(|folder| folder.is_dir()));
    folders.extend(["/usr/lib/libretro", "/usr/lib64/libretro"].map(PathBuf::from));
    folders
}

#[cfg(all(test, unix))]
#[path = "suggestions_tests.rs"]
mod tests;
