//! The icon of the Windows executable, which its build reads from a file, is the icon that the program draws.
//! `NEXTSCOPE_BLESS=1` writes the file.

use nextscope::picture::icon;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/windows/nextscope.ico");

#[test]
fn the_icon_file_is_the_drawn_icon() {
    let drawn = icon::ico(&[16, 24, 32, 48, 64, 256]).unwrap();
    if std::env::var_os("NEXTSCOPE_BLESS").is_some() {
        std::fs::write(FILE, &drawn).unwrap();
    }
    let file = std::fs::read(FILE).unwrap_or_default();
    assert!(
        file == drawn,
        "packaging/windows/nextscope.ico is old: run this test once with NEXTSCOPE_BLESS=1"
    );
}
