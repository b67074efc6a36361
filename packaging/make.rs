//! The files of a package besides the program: `packaging FOLDER` writes man pages, shell completions, the
//! icon and the licences of dependencies into it, laid out as below /usr. The program itself contains none of
//! these. `packaging FOLDER windows` adds what the package for Windows needs to nextscope.exe in that folder.

#[path = "licences.rs"]
mod licences;

use clap::CommandFactory;
use clap_complete::Shell;
use nextscope::picture::icon;
use std::error::Error;
use std::fs;
use std::path::Path;

/// Icon sizes in pixels (freedesktop.org, Icon Theme Specification: hicolor).
const SIDES: [u16; 6] = [16, 32, 48, 64, 128, 256];

/// The folder where each shell looks for the completions of packages, and the file name.
const SHELLS: [(Shell, &str); 3] = [
    (Shell::Bash, "share/bash-completion/completions/nextscope"),
    (Shell::Zsh, "share/zsh/vendor-completions/_nextscope"),
    (Shell::Fish, "share/fish/vendor_completions.d/nextscope.fish"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("packaging FOLDER: where to write to")?;
    let folder = Path::new(&folder);
    if std::env::args().nth(2).as_deref() == Some("windows") {
        return for_windows(folder);
    }
    let put = |name: &str, bytes: &[u8]| -> Result<(), Box<dyn Error>> {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        Ok(fs::write(path, bytes)?)
    };

    let man = folder.join("share/man/man1");
    fs::create_dir_all(&man)?;
    clap_mangen::generate_to(nextscope::cli::Cli::command(), &man)?;

    for (shell, name) in SHELLS {
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut nextscope::cli::Cli::command(), "nextscope", &mut text);
        put(name, &text)?;
    }

    put("share/icons/hicolor/scalable/apps/nextscope.svg", icon::svg().as_bytes())?;
    for side in SIDES {
        put(&format!("share/icons/hicolor/{side}x{side}/apps/nextscope.png"), &icon::png(side)?)?;
    }

    put("share/doc/nextscope/THIRD-PARTY.txt", third_party(licences::LINUX)?.as_bytes())
}

fn third_party(platform: &str) -> Result<String, Box<dyn Error>> {
    let packages = licences::packages(platform)?;
    for package in &packages {
        if package.texts.is_empty() {
            return Err(format!("{} comes without a licence text", package.name).into());
        }
    }
    Ok(licences::as_text(&packages))
}

/// A terminal does not wait for a window program, and starts NAME.com rather than NAME.exe: it gets the same program, marked as one for the
/// console.
fn for_windows(folder: &Path) -> Result<(), Box<dyn Error>> {
    /// Offsets in the file of the address of the PE header, and from there of the subsystem (Microsoft, PE Format).
    const PE_HEADER: usize = 0x3C;
    const SUBSYSTEM: usize = 4 + 20 + 68;
    const WINDOW: u16 = 2;
    const CONSOLE: u16 = 3;

    let mut program = fs::read(folder.join("nextscope.exe"))?;
    let header =
        program.get(PE_HEADER..).and_then(<[u8]>::first_chunk).ok_or("nextscope.exe is too short")?;
    let at = usize::try_from(u32::from_le_bytes(*header))? + SUBSYSTEM;
    let subsystem = program.get_mut(at..at + 2).ok_or("nextscope.exe is too short")?;
    if subsystem != WINDOW.to_le_bytes() {
        return Err(format!("nextscope.exe has the subsystem {subsystem:?}").into());
    }
    subsystem.copy_from_slice(&CONSOLE.to_le_bytes());
    fs::write(folder.join("nextscope.com"), program)?;
    Ok(fs::write(folder.join("THIRD-PARTY.txt"), third_party(licences::WINDOWS)?)?)
}
