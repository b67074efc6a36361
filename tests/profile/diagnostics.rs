//! Diagnostics of invalid profiles: each `tests/profiles/NAME.toml` with its output in `NAME.txt`.
//! `NEXTSCOPE_BLESS=1` rewrites the latter; read the difference.

use nextscope::profile::{Code, Position, Severity, parse};
use std::path::Path;

#[test]
fn invalid_profiles_are_reported_with_line_caret_and_help() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/profiles");
    let mut count = 0;
    let mut wrong = Vec::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        count += 1;
        let name = path.file_name().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let (profile, diagnostics) = parse(&text, name);
        let failed = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
        assert_eq!(profile.is_none(), failed, "{name}");
        let mut shown = String::new();
        for diagnostic in &diagnostics {
            shown.push_str(&format!("[{}]\n{}\n\n", diagnostic.code.id(), diagnostic.render(&text, false)));
        }
        let expected = path.with_extension("txt");
        if std::env::var_os("NEXTSCOPE_BLESS").is_some() {
            std::fs::write(&expected, &shown).unwrap();
        }
        if std::fs::read_to_string(&expected).unwrap_or_default() != shown {
            wrong.push(format!("--- {name} now shows\n{shown}"));
        }
    }
    assert!(count >= 15, "the fixtures are missing");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn positions_count_lines_and_characters_from_one() {
    let text = "id = 1\nname = \"é\" x\n";
    assert_eq!(Position::of(text, 0), Position { line: 1, column: 1 });
    assert_eq!(Position::of(text, text.find(" x").unwrap()), Position { line: 2, column: 11 });
    assert_eq!(Position::of(text, 9999), Position { line: 3, column: 1 });
    let inside = text.find('é').unwrap() + 1;
    assert_eq!(
        Position::of(text, inside),
        Position { line: 2, column: 9 },
        "inside a character: its beginning"
    );
    assert_eq!(Position::of("", 3).to_string(), "1:1");
}

#[test]
fn colour_is_only_used_on_request() {
    let (_, diagnostics) = parse("id = 3\n", "x.toml");
    let diagnostic = diagnostics.iter().find(|diagnostic| diagnostic.code == Code::WrongType).unwrap();
    assert!(!diagnostic.render("id = 3\n", false).contains('\u{1b}'));
    assert!(diagnostic.render("id = 3\n", true).contains('\u{1b}'));
    assert_eq!(diagnostic.position("id = 3\n"), Position { line: 1, column: 6 });
}
