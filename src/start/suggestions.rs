//! Emulators that are installed, and how each is started with a game (docs/emulators.md).

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Where programs stand that a desktop's PATH does not always name: Debian's games, and what Flatpak exports.
const MORE_FOLDERS: [&str; 2] = ["/usr/games", "/var/lib/flatpak/exports/bin"];

/// How an emulator takes its game.
#[derive(Debug, Clone, Copy)]
enum Takes {
    /// As it is.
    File,
    /// MAME: the machine, then the game as its cartridge; an arcade game by the name of its ROM set.
    Machine,
    /// RetroArch: `-L` and the core, then the game.
    Core,
}

const MEGA_DRIVE: &[&str] = &["md", "gen", "smd", "bin"];
const NES: &[&str] = &["nes"];
const DS: &[&str] = &["nds"];
const ARCADE: &[&str] = &["zip", "7z"];

/// Program, name, what it plays by the ends of the files' names, how it takes them.
type Known = (&'static str, &'static str, &'static [&'static [&'static str]], Takes);

const KNOWN: [Known; 16] = [
    ("blastem", "BlastEm", &[MEGA_DRIVE], Takes::File),
    ("mednafen", "Mednafen", &[MEGA_DRIVE, NES], Takes::File),
    ("retroarch", "RetroArch", &[MEGA_DRIVE, NES, DS], Takes::Core),
    ("org.libretro.RetroArch", "RetroArch (Flatpak)", &[MEGA_DRIVE, NES, DS], Takes::File),
    ("mame", "MAME", &[MEGA_DRIVE, NES, ARCADE], Takes::Machine),
    ("desmume", "DeSmuME", &[DS], Takes::File),
    ("desmume-cli", "DeSmuME without menus", &[DS], Takes::File),
    ("org.desmume.DeSmuME", "DeSmuME (Flatpak)", &[DS], Takes::File),
    ("melonDS", "melonDS", &[DS], Takes::File),
    ("net.kuribo64.melonDS", "melonDS (Flatpak)", &[DS], Takes::File),
    ("fceux", "FCEUX", &[NES], Takes::File),
    ("nestopia", "Nestopia", &[NES], Takes::File),
    ("jgenesis", "jgenesis", &[MEGA_DRIVE, NES], Takes::File),
    ("ares", "ares", &[MEGA_DRIVE, NES], Takes::File),
    ("dgen", "DGen", &[MEGA_DRIVE], Takes::File),
    ("fbneo", "FinalBurn Neo", &[ARCADE], Takes::Machine),
];

/// Cores that play a kind of file, those that were tried first.
const CORES: [(&[&str], &[&str]); 3] = [
    (MEGA_DRIVE, &["genesis_plus_gx_libretro.so", "picodrive_libretro.so"]),
    (NES, &["nestopia_libretro.so", "fceumm_libretro.so", "mesen_libretro.so"]),
    (DS, &["melonds_libretro.so", "melondsds_libretro.so", "desmume_libretro.so"]),
];

/// An emulator that is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// Its name.
    pub name: &'static str,
    /// The program.
    pub program: PathBuf,
    row: usize,
}

/// The emulators that are installed, by the folders of PATH and a few more.
#[must_use]
pub fn suggestions() -> Vec<Suggestion> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let home = std::env::home_dir().map(|home| home.join(".local/share/flatpak/exports/bin"));
    let folders = std::env::split_paths(&path).chain(MORE_FOLDERS.map(PathBuf::from)).chain(home);
    installed(&folders.collect::<Vec<_>>())
}

/// Those in these folders.
#[must_use]
pub fn installed(folders: &[PathBuf]) -> Vec<Suggestion> {
    let find = |(row, known): (usize, &Known)| {
        let file = format!("{}{}", known.0, std::env::consts::EXE_SUFFIX);
        let program = folders.iter().map(|folder| folder.join(&file)).find(|file| file.is_file())?;
        Some(Suggestion { name: known.1, program, row })
    };
    KNOWN.iter().enumerate().filter_map(find).collect()
}

impl Suggestion {
    /// Whether it plays a file of this name; any, when no file is named yet.
    #[must_use]
    pub fn plays(&self, game: &str) -> bool {
        let Some((_, _, kinds, _)) = KNOWN.get(self.row) else { return false };
        game.is_empty() || kinds.iter().any(|kind| is_of(game, kind))
    }

    /// The program and its arguments for a game.
    #[must_use]
    pub fn command(&self, game: &str) -> Vec<String> {
        self.command_with(game, &core_folders())
    }

    fn command_with(&self, game: &str, cores: &[PathBuf]) -> Vec<String> {
        let mut command = vec![self.program.display().to_string()];
        let game_as_it_is = (!game.is_empty()).then(|| game.to_owned());
        match KNOWN.get(self.row).map(|known| known.3) {
            Some(Takes::Core) => {
                let wanted = CORES.iter().find(|(kind, _)| is_of(game, kind));
                let names = wanted.map_or(&[][..], |(_, names)| names);
                let found = names.iter().flat_map(|name| cores.iter().map(move |folder| folder.join(name)));
                if let Some(core) = found.into_iter().find(|core| core.is_file()) {
                    command.extend(["-L".to_owned(), core.display().to_string()]);
                }
                command.extend(game_as_it_is);
            }
            Some(Takes::Machine) if is_of(game, ARCADE) => {
                let path = Path::new(game);
                if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                    command.extend(["-rompath".to_owned(), folder.display().to_string()]);
                }
                command.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
            }
            Some(Takes::Machine) if is_of(game, MEGA_DRIVE) || is_of(game, NES) => {
                let machine = if is_of(game, NES) { "nes" } else { "genesis" };
                command.extend([machine.to_owned(), "-cart".to_owned(), game.to_owned()]);
            }
            _ => command.extend(game_as_it_is),
        }
        command
    }
}

fn is_of(game: &str, kind: &[&str]) -> bool {
    let end = Path::new(game).extension().and_then(OsStr::to_str).unwrap_or_default();
    kind.iter().any(|kind| end.eq_ignore_ascii_case(kind))
}

/// Where libretro cores are put: by RetroArch itself, by Debian (a folder for each architecture), by others.
fn core_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        std::env::home_dir().map(|home| home.join(".config/retroarch/cores")).into_iter().collect();
    let architectures = std::fs::read_dir("/usr/lib").into_iter().flatten().flatten();
    folders.extend(architectures.map(|entry| entry.path().join("libretro")).filter(|folder| folder.is_dir()));
    folders.extend(["/usr/lib/libretro", "/usr/lib64/libretro"].map(PathBuf::from));
    folders
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_is_installed_is_suggested_with_its_arguments() {
        let folder = tempfile::tempdir().expect("a folder");
        let (bin, cores) = (folder.path().join("bin"), folder.path().join("cores"));
        for file in [
            bin.join("mame"),
            bin.join("retroarch"),
            bin.join("blastem"),
            cores.join("picodrive_libretro.so"),
        ] {
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            std::fs::write(file, "").expect("a file");
        }
        let found = installed(&[folder.path().join("nothing"), bin.clone()]);
        let names: Vec<&str> = found.iter().map(|suggestion| suggestion.name).collect();
        assert_eq!(names, ["BlastEm", "RetroArch", "MAME"]);
        let words = |nth: usize, game: &str| {
            let command = found[nth].command_with(game, std::slice::from_ref(&cores));
            assert_eq!(command[0], found[nth].program.display().to_string());
            command[1..].join(" ")
        };
        assert_eq!(words(0, "/g/a.MD"), "/g/a.MD");
        assert_eq!(words(0, ""), "");
        assert_eq!(
            words(1, "/g/a.md"),
            format!("-L {} /g/a.md", cores.join("picodrive_libretro.so").display())
        );
        assert_eq!(words(1, "/g/a.nes"), "/g/a.nes", "no core is there for it: RetroArch asks");
        assert_eq!(words(2, "/g/a.md"), "genesis -cart /g/a.md");
        assert_eq!(words(2, "/g/a.nes"), "nes -cart /g/a.nes");
        assert_eq!(words(2, "/g/tgm2p.zip"), "-rompath /g tgm2p");
        assert!(found[0].plays("x.gen") && found[0].plays("") && !found[0].plays("x.nds"));
    }
}
