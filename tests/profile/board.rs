//! `[board]`: reading, rejecting, writing.

use crate::noise::noise;
use nextscope::console::{ConsoleAddr, ConsoleId, Snapshot, StorageOrder};
use nextscope::profile::{
    Addition, AdditionError, BoardCell, BoardLayout, Code, EditError, Library, Profile, Severity,
    built_in_files, parse, with_board,
};
use proptest::prelude::*;

fn recipe() -> &'static str {
    built_in_files().iter().find(|(path, _)| path.ends_with("/pochi-nyaa-mvs.toml")).unwrap().1
}

fn layout() -> BoardLayout {
    BoardLayout {
        address: ConsoleAddr(0x10_2001),
        second: None,
        columns: 7,
        rows: 12,
        column_stride: 2,
        row_stride: 14,
        mask: 0xFF,
        empty: 0,
        codes: [Some(1), Some(2), None, Some(4)],
        stored: Some(StorageOrder::SwappedWords),
        source: "test".into(),
        confirmed: false,
        note: None,
    }
}

/// Whether the layout is valid: computed in another way than in the program.
fn can_be(board: &BoardLayout) -> bool {
    let mut bytes = std::collections::HashSet::new();
    for first in std::iter::once(board.address).chain(board.second) {
        for y in 0..i64::from(board.rows) {
            for x in 0..i64::from(board.columns) {
                let at =
                    i64::from(first.0) + x * i64::from(board.column_stride) + y * i64::from(board.row_stride);
                if !(0x10_0000..=0x10_FFFF).contains(&at) || !bytes.insert(at) {
                    return false;
                }
            }
        }
    }
    let mut codes: Vec<u8> = board.codes.into_iter().flatten().collect();
    let some = !codes.is_empty();
    codes.push(board.empty);
    let masked = codes.iter().all(|code| code & board.mask == *code);
    codes.sort_unstable();
    some && masked && codes.windows(2).all(|two| two[0] != two[1])
}

prop_compose! {
    fn layouts()(
        address in 0xF_FF00u32..0x11_0100,
        second in prop::option::of(0x10_0000u32..0x11_0000),
        (columns, rows) in (1u8..=64, 1u8..=64),
        column_stride in prop_oneof![1..4i32, -4..-1i32, 1..40i32],
        row_stride in prop_oneof![1..130i32, -130..-1i32],
        mask in prop::sample::select(vec![0xFFu8, 0xF0, 0x0F, 0x70]),
        empty in 0u8..6,
        codes in prop::array::uniform4(prop::option::weighted(0.8, prop_oneof![0u8..8, any::<u8>()])),
        small: bool,
        stored in prop::option::of(prop::sample::select(StorageOrder::OF_16_BIT_BUS.to_vec())),
        confirmed: bool,
        note in prop::option::of("[a-z\"\\\\]{1,9}"),
        shifted: bool,
    ) -> BoardLayout {
        let (columns, rows) = if small { (7, 12) } else { (columns, rows) };
        let shift = |code: u8| if shifted { code << 4 } else { code };
        BoardLayout {
            address: ConsoleAddr(address),
            second: second.map(ConsoleAddr),
            columns, rows, column_stride, row_stride, mask,
            empty: shift(empty),
            codes: codes.map(|code| code.map(shift)),
            stored,
            source: "some \"source\"".into(),
            confirmed,
            note,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn valid_layouts_are_written_and_read_back_and_no_others(board in layouts()) {
        match with_board(recipe(), &board) {
            Ok(edited) => {
                prop_assert!(can_be(&board));
                prop_assert_eq!(edited.profile.board.as_ref(), Some(&board));
                prop_assert!(edited.text.starts_with(recipe().trim_end()));
                prop_assert!(edited.warnings.is_empty());
                // Written once more, nothing changes; and another one replaces it.
                let again = with_board(&edited.text, &board).unwrap();
                prop_assert!(again.changes.is_empty() && again.text == edited.text);
                let other = with_board(&edited.text, &layout()).unwrap();
                prop_assert_eq!(other.profile.board, Some(layout()));
                prop_assert_eq!(other.text.matches("[board]").count(), edited.text.matches("[board]").count());
            }
            Err(error) => prop_assert!(!can_be(&board), "{}", error),
        }
    }

    #[test]
    fn any_content_of_the_section_causes_no_panic(
        text in r#"((address|second|columns|rows|column_stride|row_stride|mask|empty|red|blue|stored|source|note) = (-?[0-9]{1,10}|0x10[0-9A-F]{4}|"swapped-words"|"x"|true|\[\]|1\.5)\n){0,12}"#,
    ) {
        let source = format!("{}\n[board]\n{text}", recipe());
        let (profile, diagnostics) = parse(&source, "x");
        prop_assert_eq!(profile.is_none(), diagnostics.iter().any(|one| one.severity == Severity::Error));
        for one in &diagnostics {
            prop_assert!(one.render(&source, false).contains("x:"));
        }
    }

    #[test]
    fn cells_are_read_at_the_strides(
        seed: u64,
        (x, y) in (0usize..7, 0usize..12),
        // Room for eleven rows of 32 bytes and six columns of two on either side.
        first in 0x200u32..0xF000,
        (right, down) in (prop::sample::select(vec![1, 2, 4, -1, -2]), prop::sample::select(vec![14, 28, 40, -16, -32])),
    ) {
        // Drawing each byte by itself would take a minute.
        let bytes: Vec<u8> = noise(0x1_0000, seed).into_iter().map(|byte| byte % 8).collect();
        let snapshot = Snapshot::from_stored(ConsoleId::NeoGeo.domain(), StorageOrder::AsOnBus, bytes.clone()).unwrap();
        let board = BoardLayout { column_stride: right, row_stride: down, ..layout() };
        let cells = board.cells(&snapshot, ConsoleAddr(0x10_0000 + first)).unwrap();
        let at = i64::from(first) + x as i64 * i64::from(right) + y as i64 * i64::from(down);
        let byte = bytes[usize::try_from(at).unwrap()];
        let expected = match byte {
            0 => BoardCell::Empty,
            1 | 2 => BoardCell::Block(usize::from(byte) - 1),
            4 => BoardCell::Block(3),
            _ => BoardCell::Unknown(byte),
        };
        prop_assert_eq!(cells[y * 7 + x], expected);
    }
}

/// RAM with these rows, the top one first, at the address of [`layout`].
fn ram(rows: &str) -> Snapshot {
    let mut bytes = vec![0u8; 0x1_0000];
    let rows: Vec<&str> = rows.lines().map(str::trim).filter(|row| !row.is_empty()).collect();
    for (y, row) in (12 - rows.len()..).zip(rows) {
        for (x, cell) in row.bytes().enumerate() {
            let code = b".RGBY?".iter().position(|known| *known == cell).unwrap();
            bytes[0x2001 + 2 * x + 14 * y] = u8::try_from(code).unwrap();
        }
    }
    Snapshot::from_stored(ConsoleId::NeoGeo.domain(), StorageOrder::AsOnBus, bytes).unwrap()
}

#[test]
fn ram_is_identified_by_a_field_in_the_games_layout_and_accepted_while_it_may_be_one() {
    let board = layout();
    let check = |rows: &str| (board.matches(&ram(rows)), board.may_match(&ram(rows)));
    assert_eq!(check("R......\nRRGG..Y\nRRGG..Y"), (true, true));
    assert_eq!(check("RRG....\nRRGG..Y"), (true, true), "eight cells");
    assert_eq!(check("RRG..Y.\nRRGG..."), (false, true), "a floating cell");
    assert_eq!(check("RRRR...\nRRRR..."), (false, true), "only one colour");
    assert_eq!(check("RRG....\nRRG...."), (false, true), "too few");
    assert_eq!(check("RRGG..Y\nRRGG..?"), (false, true), "an unknown code");
    assert_eq!(check("BBB....\nRRGGGGG"), (false, true), "blue's code is unknown");
    assert_eq!(check(""), (false, true), "an empty field may be one");
    assert_eq!(check(&"???????\n".repeat(6)), (false, true));
    assert_eq!(check(&"???????\n".repeat(7)), (false, false), "garbage is not a field");
}

#[test]
fn the_built_in_profile_has_no_address_and_identifies_no_ram() {
    let (profile, diagnostics) = parse(recipe(), "x");
    let profile = profile.unwrap();
    assert!(diagnostics.is_empty() && profile.board.is_none() && profile.fields.is_empty());
    assert!(profile.notes.contains("No address of this game is published"));
    assert!(nextscope::emulator::matching_anchors(&ram("RRGG..Y\nRRGG..Y"), &profile).is_empty());
    assert_eq!(profile.orders(), StorageOrder::OF_16_BIT_BUS);
    let found = with_board(recipe(), &layout()).unwrap().profile;
    assert_eq!(found.orders(), [StorageOrder::SwappedWords, StorageOrder::AsOnBus]);
    assert_eq!(nextscope::emulator::matching_anchors(&ram("RRGG..Y\nRRGG..Y"), &found), ["playfield"]);
}

#[test]
fn a_section_that_is_no_table_and_a_blocking_file_are_refused() {
    let odd = format!("board = 3\n{}", recipe());
    assert!(matches!(with_board(&odd, &layout()), Err(EditError::BoardIsNoTable)));
    let none = BoardLayout { codes: [None; 4], ..layout() };
    assert!(matches!(with_board(recipe(), &none), Err(EditError::Invalid(_))));
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("pochi-nyaa-mvs.toml"), "# my notes").unwrap();
    let library = Library::load(Some(home.path()));
    let profile: &Profile = library.by_id("pochi-nyaa-mvs").unwrap();
    let refused = Addition::board(library.folder(), profile, &layout());
    assert!(matches!(refused, Err(AdditionError::FileExists(_))));
    assert_eq!(std::fs::read_to_string(home.path().join("pochi-nyaa-mvs.toml")).unwrap(), "# my notes");
}

#[test]
fn another_games_profile_has_no_board() {
    let text =
        with_board(recipe(), &layout()).unwrap().text.replace("game = \"pochi-nyaa\"", "game = \"tgm1\"");
    let (profile, diagnostics) = parse(&text, "x");
    assert!(profile.is_none());
    assert!(diagnostics.iter().filter(|one| one.code == Code::BadReference).count() == 2, "{diagnostics:?}");
}
