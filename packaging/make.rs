//! The files of a package besides the program: `packaging FOLDER` writes man pages, shell completions, the
//! icon and the licences of dependencies into it, laid out as below /usr. The program itself contains none of
//! these.

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

    let packages = licences::packages()?;
    for package in &packages {
        if package.texts.is_empty() {
            return Err(format!("{} comes without a licence text", package.name).into());
        }
    }
    put("share/doc/nextscope/THIRD-PARTY.txt", licences::told(&packages).as_bytes())
}
