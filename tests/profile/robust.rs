//! No input makes the parser panic or its diagnostics point outside the text.

use nextscope::profile::{Code, MAX_FILE_BYTES, Severity, built_in_files, parse, parse_bytes};
use proptest::prelude::*;

fn check(bytes: &[u8]) {
    let (profile, diagnostics) = parse_bytes(bytes, "x.toml");
    let failed = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    assert_eq!(profile.is_none(), failed, "{diagnostics:?}");
    assert!(diagnostics.len() <= 101);
    let shown = String::from_utf8_lossy(bytes);
    for diagnostic in diagnostics {
        assert!(
            diagnostic.span.start <= diagnostic.span.end
                && diagnostic.span.end <= bytes.len().max(diagnostic.span.start)
        );
        for colored in [false, true] {
            assert!(diagnostic.render(&shown, colored).contains("x.toml"));
        }
        // A caller may have another text than the one that was parsed.
        assert!(!diagnostic.render("", false).is_empty());
        assert!(!diagnostic.render("é", false).is_empty());
        assert!(diagnostic.position(&shown).line >= 1);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        check(&bytes);
    }

    #[test]
    fn text_that_resembles_a_profile(text in r#"((\[{0,2}(fields|anchors|roms|liveness|variants|id)(\.[a-z_é]{0,3})?\]{0,2}|(address|type|length|kind|first|second|magic|hex|field|modulo|per_frame|id|game|console|source|mode) ?= ?("[a-zé0-9?]{0,9}"|"(u8|bytes|pools|genesis|puyo-tsu|checksummed-pair)"|-?[0-9]{1,12}|0xFF[0-9A-F]{4}|true|\{ ?\}|\[\]|1\.5|1979-05-27))?\n){0,30}"#) {
        check(text.as_bytes());
    }

    #[test]
    fn mutated_built_in_profiles(
        which in 0..built_in_files().len(),
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<u8>()), 1..4),
    ) {
        let mut bytes = built_in_files()[which].1.as_bytes().to_vec();
        for (index, what, byte) in edits {
            let at = index.index(bytes.len());
            match what {
                0 => bytes[at] = byte,
                1 => { bytes.remove(at); }
                2 => bytes.insert(at, byte),
                _ => bytes.truncate(at.max(1)),
            }
        }
        check(&bytes);
    }
}

#[test]
fn every_line_of_a_built_in_profile_may_be_missing_or_doubled() {
    let text = built_in_files()[0].1;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for index in (0..lines.len()).step_by(7) {
        let mut without = lines.clone();
        without.remove(index);
        check(without.concat().as_bytes());
        let mut twice = lines.clone();
        twice.insert(index, lines[index]);
        check(twice.concat().as_bytes());
    }
}

fn only_code(bytes: &[u8]) -> Code {
    check(bytes);
    let (_, diagnostics) = parse_bytes(bytes, "x.toml");
    assert_eq!(diagnostics.len(), 1, "{diagnostics:?}");
    diagnostics[0].code
}

#[test]
fn files_that_cannot_be_profiles_are_reported_by_kind() {
    assert_eq!(only_code(b""), Code::Empty);
    assert_eq!(only_code(b"\xEF\xBB\xBF \n\t"), Code::Empty);
    assert_eq!(only_code(&vec![b'#'; MAX_FILE_BYTES + 1]), Code::TooLarge);
    assert_eq!(only_code(b"id = \"\xFF\""), Code::NotUtf8);
    let (_, diagnostics) = parse_bytes(b"\x7FELF\x02\x01\x01\0\0", "x.toml");
    assert!(!diagnostics.is_empty() && diagnostics.iter().all(|diagnostic| diagnostic.code == Code::Syntax));
    assert_eq!(parse(&"#".repeat(MAX_FILE_BYTES + 1), "x").1[0].code, Code::TooLarge);
}

#[test]
fn deep_nesting_and_thousands_of_errors_end_soon() {
    check(("a = ".to_owned() + &"[".repeat(100_000)).as_bytes());
    check(("a".to_owned() + &".a".repeat(50_000) + " = 1").as_bytes());
    let many: String = (0..20_000).map(|n| format!("unknown_{n} = 1\n")).collect();
    check(many.as_bytes());
    let (_, diagnostics) = parse(&many, "x");
    assert_eq!(diagnostics.last().unwrap().code, Code::More);
    let fields: String = (0..4_000)
        .map(|n| {
            format!(
                "[fields.f{n}]\naddress = 0xFF0000\ntype = \"bytes\"\nlength = {}\nsource = \"s\"\n",
                n + 1
            )
        })
        .collect();
    check(("console = \"genesis\"\n".to_owned() + &fields).as_bytes());
    let fields: String = (0..5_000).map(|n| format!("[fields.f{n}]\n")).collect();
    check(fields.as_bytes());
}
