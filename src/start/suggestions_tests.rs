use super::*;

#[test]
fn installed_emulators_are_suggested_with_their_arguments() {
    let folder = tempfile::tempdir().expect("a folder");
    let (bin, cores) = (folder.path().join("bin"), folder.path().join("cores"));
    for file in
        [bin.join("mame"), bin.join("retroarch"), bin.join("blastem"), cores.join("picodrive_libretro.so")]
    {
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
    assert_eq!(words(1, "/g/a.md"), format!("-L {} /g/a.md", cores.join("picodrive_libretro.so").display()));
    assert_eq!(words(1, "/g/a.nes"), "/g/a.nes", "no core is there for it: RetroArch asks");
    assert_eq!(words(2, "/g/a.md"), "genesis -cart /g/a.md");
    assert_eq!(words(2, "/g/a.nes"), "nes -cart /g/a.nes");
    assert_eq!(words(2, "/g/tgm2p.zip"), "-rompath /g tgm2p");
    assert!(found[0].plays("x.gen") && found[0].plays("") && !found[0].plays("x.nds"));
}
