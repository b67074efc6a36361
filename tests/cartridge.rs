//! The committed ROMs equal the output of the assembler.

#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "programs/mod.rs"]
mod programs;

use std::path::Path;
use std::process::Command;

/// What several cartridges include.
const SHARED: &str = "genesis";

/// Builds `rom` again in a copy of `folder`, if the assembler of `package` is installed.
fn is_what_its_sources_assemble_to(folder: &str, rom: &str, assembler: &str, package: &str) {
    let cartridges = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cartridges");
    if !programs::is_installed(assembler, package) {
        return;
    }
    let copies = tempfile::tempdir().unwrap();
    for name in [folder, SHARED] {
        std::fs::create_dir(copies.path().join(name)).unwrap();
        for entry in std::fs::read_dir(cartridges.join(name)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() && path.file_name().is_none_or(|file| file != rom) {
                std::fs::copy(&path, copies.path().join(name).join(path.file_name().unwrap())).unwrap();
            }
        }
    }
    let (copy, folder) = (copies.path().join(folder), cartridges.join(folder));
    let status = Command::new("bash").arg("build").current_dir(&copy).status().expect("bash runs");
    assert!(status.success(), "the build script fails");
    let built = std::fs::read(copy.join(rom)).expect("the build writes the ROM");
    let committed = std::fs::read(folder.join(rom)).unwrap();
    assert!(built == committed, "rebuild {} and commit the ROM", folder.display());
}

#[test]
fn the_committed_genesis_rom_matches_its_sources() {
    let package = "binutils-m68k-linux-gnu";
    is_what_its_sources_assemble_to("genesis-tsu", "genesis-tsu.bin", "m68k-linux-gnu-as", package);
}

#[test]
fn the_committed_sega_rom_matches_its_sources() {
    let package = "binutils-m68k-linux-gnu";
    is_what_its_sources_assemble_to("genesis-sega", "genesis-sega.bin", "m68k-linux-gnu-as", package);
}

#[test]
fn the_committed_bean_roms_match_their_sources() {
    for rom in ["genesis-bean.bin", "genesis-puyo.bin"] {
        is_what_its_sources_assemble_to("genesis-bean", rom, "m68k-linux-gnu-as", "binutils-m68k-linux-gnu");
    }
}

#[test]
fn the_committed_nes_cartridge_matches_its_sources() {
    is_what_its_sources_assemble_to("nes-tetris", "nes-tetris.nes", "ca65", "cc65");
}

#[test]
fn the_committed_dr_mario_cartridge_matches_its_sources() {
    is_what_its_sources_assemble_to("nes-mario", "nes-mario.nes", "ca65", "cc65");
}

#[test]
fn the_committed_nds_card_matches_its_sources() {
    is_what_its_sources_assemble_to("nds-20th", "nds-20th.nds", "arm-none-eabi-as", "binutils-arm-none-eabi");
}
