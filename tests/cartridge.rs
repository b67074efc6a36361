//! The committed ROM is what its sources assemble to.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

#[test]
fn the_committed_rom_is_what_the_sources_assemble_to() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cartridges/genesis-tsu");
    if Command::new("m68k-linux-gnu-as").arg("--version").output().is_err() {
        let must = std::env::var("NEXTSCOPE_TEST_MUST").is_ok_and(|value| value == "all");
        assert!(!must, "binutils-m68k-linux-gnu is not installed");
        println!("left out: binutils-m68k-linux-gnu is not installed");
        return;
    }
    let copy = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() && path.extension().is_none_or(|extension| extension != "bin") {
            std::fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    let status = Command::new("bash").arg("build").current_dir(copy.path()).status().expect("bash runs");
    assert!(status.success(), "the build script fails");
    let built = std::fs::read(copy.path().join("genesis-tsu.bin")).expect("the build writes the ROM");
    let committed = std::fs::read(folder.join("genesis-tsu.bin")).unwrap();
    assert!(built == committed, "rebuild tests/cartridges/genesis-tsu and commit the ROM");
}
