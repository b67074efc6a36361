//! The games with checks: the samples of a game of each, and a wrong byte in them.

mod listed;

use crate::played::{anniversary, arcade, bean, bloxeed, mario, nes};
use nextscope::console::{ConsoleAddr, Snapshot};
use nextscope::games::bloxeed::{Game as BloxeedGame, Table};
use nextscope::games::mean_bean;
use nextscope::games::puyo_20th::RoundSeed;
use nextscope::games::sega::State;
use nextscope::games::sega::sega_tetris;
use nextscope::games::tetris_nes::TABLE;
use nextscope::games::tgm::tgm1::{Reading, Tgm1};
use nextscope::games::tgm::tgm2::Tgm2;
use nextscope::live::CheckId;
use nextscope::profile::{Library, Profile, parse};
use std::ops::Range;

pub type Samples = Vec<(Snapshot, u64)>;

/// A game, and the fault in its RAM.
#[derive(Clone)]
pub struct Case {
    pub name: &'static str,
    /// The text of the profile, and the samples of a game without a fault.
    pub played: fn() -> (String, Samples),
    /// The wrong bytes, by offset in the domain.
    place: Range<usize>,
    /// They are wrong from this change on, up to the next one.
    change: usize,
    spoil: fn(&mut [u8]),
    /// The right bytes are here throughout.
    copy: Option<usize>,
    pub check: CheckId,
    pub field: &'static str,
    /// The first index, where one is reported.
    pub index: Option<u32>,
    /// The mismatch as the page shows it.
    pub drawn: &'static str,
    /// The corrected profile.
    pub corrected: fn(&str) -> String,
    /// The verdict for the samples under that profile.
    pub corrected_says: &'static str,
}

impl Case {
    /// The same without a fault.
    pub fn without_fault(&self) -> Self {
        Self { spoil: |_| {}, ..self.clone() }
    }
}

pub fn built_in(id: &str) -> String {
    Library::built_in().by_id(id).unwrap().text.to_string()
}

pub fn parsed(text: &str) -> Profile {
    let (profile, diagnostics) = parse(text, "test.toml");
    assert_eq!(diagnostics, []);
    profile.unwrap()
}

/// A text without the section of a field.
fn without(text: &str, field: &str) -> String {
    let begins = text.find(&format!("[fields.{field}]")).unwrap();
    let length = text[begins + 1..].find("\n[").map_or(text.len() - begins, |at| at + 2);
    format!("{}{}", &text[..begins], &text[begins + length..])
}

fn replaced(text: &str, from: &str, to: &str) -> String {
    assert_eq!(text.matches(from).count(), 1, "{from}");
    text.replace(from, to)
}

/// Two rounds; in the second both players get the same pairs at the same time.
fn anniversary(queues: bool) -> Samples {
    let mut game = anniversary::Game::new(queues);
    game.recorded = Some(Vec::new());
    game.passes(2);
    game.round([4, 4], 3);
    game.draws(77);
    game.passes(2);
    game.generate(RoundSeed::UpperHalf);
    game.passes(2);
    game.fill([4, 4]);
    game.passes(2);
    for _ in 0..40 {
        game.deal(0);
        game.deal(1);
        game.passes(4);
    }
    assert_eq!(game.found, []);
    game.recorded.unwrap()
}

fn nes() -> (String, Samples) {
    let mut game = nes::Game::new();
    game.recorded = Some(Vec::new());
    let mut game = game.begin();
    for _ in 0..20 {
        game.dealing();
        game.sample();
        game.frames(9);
    }
    assert_eq!(game.found, []);
    (built_in("tetris-nes"), game.recorded.unwrap())
}

/// The same console under a profile that declares the randomizer instead of naming the game.
pub fn nes_declared() -> (String, Samples) {
    let (text, samples) = nes();
    let text = replaced(&text, "id = \"tetris-nes\"", "id = \"declared-nes\"");
    let text = replaced(&text, "game = \"tetris-nes\"\n", "");
    let cells = "[[anchors]]\nkind = \"cells\"\nnote = \"from the first game or demo on\"\n\n";
    let text = replaced(&replaced(&text, cells, ""), "[variants]\npick = \"code\"\n\n", "");
    let text = replaced(&text, "[fields.next_piece]", "[fields.next]");
    let text = replaced(&text, "[fields.spawn_count]", "[fields.deals]");
    let randomizer = include_str!("../../crates/games/src/games/declared/models/tetris-nes.toml");
    (format!("{text}\n{randomizer}"), samples)
}

/// The game of [`tap`] under a profile that declares the randomizer and has the id of the built-in one, which it replaces. Only deals
/// step the generator.
fn tap_declared() -> (String, Samples) {
    let text = replaced(&built_in("tgm2p"), "game = \"tgm2\"\n", "");
    let cells = "kind = \"cells\"\nnote = \"a state, pieces, a rotation and a history that can be, from the first game on\"";
    let bytes = "kind = \"bytes\"\naddress = 0x06064B00\nhex = \"44 45 43 4C 41 52 45 44\"";
    let randomizer = include_str!("../../crates/games/src/games/declared/models/tgm2.toml");
    let randomizer = replaced(randomizer, "seed = ", "codes = [2, 3, 4, 5, 6, 7, 8]\nseed = ");
    let text = format!("{}\n{randomizer}", replaced(&text, cells, bytes));
    let mut board = recorded(parsed(&text));
    board.put_bytes(ConsoleAddr(0x0606_4B00), b"DECLARED");
    let mut played = arcade::Played::begin(board, Tgm2::new(DECLARED_SEED), arcade::state_of_tgm2);
    played.play(25);
    assert_eq!(played.board.mismatches, []);
    (text, played.board.recorded.unwrap())
}

fn recorded_board(id: &str) -> arcade::Board {
    recorded(arcade::profile(id))
}

fn recorded(profile: Profile) -> arcade::Board {
    let mut board = arcade::Board::new(profile, nextscope::console::StorageOrder::AsOnBus);
    (board.recorded, board.patient) = (Some(Vec::new()), false);
    board
}

fn tap() -> (String, Samples) {
    let mut played = arcade::Played::begin(recorded_board("tgm2p"), Tgm2::new(7), arcade::state_of_tgm2);
    played.play(25);
    (built_in("tgm2p"), played.board.recorded.unwrap())
}

fn tgm() -> (String, Samples) {
    let dealer = Tgm1::new(0x1234, Reading::FourPasses);
    let mut played = arcade::Played::begin(recorded_board("tgmj"), dealer, arcade::state_of_tgm1);
    played.play(45);
    (built_in("tgmj"), played.board.recorded.unwrap())
}

fn sega(id: &str, seed: u32) -> (String, Samples) {
    let mut board = recorded_board(id);
    let mut game = sega_tetris::Game::new(State(seed));
    board.ram = arcade::noise(board.ram.len());
    board.lay_out(&arcade::LAYOUT, game.codes(), game.state_after());
    for _ in 0..2 {
        board.looks(40);
        for _ in 0..20 {
            board.deal_sega(&arcade::LAYOUT, &mut game);
        }
        game = game.next_game(false);
        board.lay_out(&arcade::LAYOUT, game.codes(), game.state_after());
    }
    assert_eq!(board.mismatches, []);
    (built_in(id), board.recorded.unwrap())
}

fn bloxeed() -> (String, Samples) {
    let text = bloxeed::recipe_text();
    let game = BloxeedGame::new(Table::Plain, State(0));
    let order = nextscope::console::StorageOrder::AsOnBus;
    let mut board = bloxeed::Board::noisy(parsed(&text), order, game);
    board.recorded = Some(Vec::new());
    board.begin(game);
    board.play(40);
    assert_eq!(board.mismatches, []);
    (text, board.board.recorded.unwrap())
}

fn bean(id: &str) -> (String, Samples) {
    let mut console = bean::Console::new(id);
    console.round(mean_bean::State(0x3DC9_3DDA), mean_bean::Setup::STORY, &[], 20);
    console.round(mean_bean::State(0x97B5_F53A), mean_bean::Setup::VERSUS, &[300], 20);
    console.round(mean_bean::State(0x3DC9_3DDA), mean_bean::Setup::STORY, &[], 20);
    (built_in(id), console.recorded.unwrap())
}

fn mario() -> (String, Samples) {
    let mut console = mario::Console::new(3);
    console.options(70);
    console.level(20);
    console.level(20);
    (built_in("dr-mario"), console.recorded.unwrap())
}

const SEQUENCE: Range<usize> = arcade::LAYOUT.sequence..arcade::LAYOUT.sequence + sega_tetris::LENGTH;

/// A field whose address no profile has, described with the address of the right bytes.
fn sequence_at_the_copy(text: &str) -> String {
    let field =
        "[fields.sequence]\naddress = 0xFFDC01\ntype = \"bytes\"\nlength = 1000\nsource = \"a test\"\n";
    format!("{text}\n{field}")
}

fn wrong_piece(bytes: &mut [u8]) {
    let place = TABLE.iter().position(|(_, orientation)| *orientation == bytes[0]).unwrap();
    bytes[0] = TABLE[(place + 2) % 7].1;
}

/// The pieces of the Grand Master games are 2 to 8.
fn wrong_cell(bytes: &mut [u8]) {
    bytes[0] = (bytes[0] - 2 + 3) % 7 + 2;
}

fn wrong_code(bytes: &mut [u8]) {
    bytes[0] = (bytes[0] + 1) % 7;
}

fn ds(address: u32) -> usize {
    nextscope::console::ConsoleId::Nds.domain().offset_of(ConsoleAddr(address)).unwrap()
}

/// The name of the case of [`tap_declared`], and the seed of its game.
pub const DECLARED: &str = "a declared randomizer, TAP";
pub const DECLARED_SEED: u32 = 7;

pub fn cases() -> Vec<Case> {
    let pool_4 = ds(anniversary::USUAL + anniversary::POOLS[1]);
    let queue = ds(anniversary::PLAYERS[0]);
    let tgm_place = |id: &str, field: &str| {
        let profile = parsed(&built_in(id));
        let field = profile.field(field).unwrap();
        profile.console.domain().span(field.address, field.len()).unwrap()
    };
    vec![
        Case {
            name: "20th Anniversary, a pool",
            played: || (built_in("puyo-20th-nds"), anniversary(false)),
            place: pool_4..pool_4 + 256,
            change: 2,
            spoil: |bytes| bytes[41] = (bytes[41] + 1) % 4,
            copy: None,
            check: CheckId::GENERATION,
            field: "pool_4",
            index: Some(41),
            drawn: "✗ Pair 20: the emulator has",
            corrected: |text| replaced(text, "address = 0x0216FDB0", "address = 0x02170DB0"),
            corrected_says: "the fields cannot be read",
        },
        Case {
            name: "20th Anniversary, a queue",
            played: || (built_in("puyo-20th-nds") + anniversary::QUEUES, anniversary(true)),
            place: queue..queue + 4,
            change: 20,
            spoil: |bytes| bytes[3] = (bytes[3] + 1) % 4,
            copy: None,
            check: CheckId::QUEUE_P1,
            field: "p1_queue",
            index: None,
            drawn: "8 rows of 16 pairs",
            // The other player gets the same pairs.
            corrected: |text| {
                let (ours, _) = text.split_once("[fields.p2_queue]").unwrap();
                replaced(ours, "address = 0x02181000", "address = 0x02181040")
            },
            corrected_says: "Mismatch not reproduced",
        },
        Case {
            name: "NES, the next piece",
            played: nes,
            place: 0xBF..0xC0,
            change: 9,
            spoil: wrong_piece,
            copy: Some(0x7F0),
            check: CheckId::DEALT_PIECE,
            field: "next_piece",
            index: None,
            drawn: "aria-label=\"the model has ",
            corrected: |text| replaced(text, "address = 0x00BF", "address = 0x07F0"),
            corrected_says: "Mismatch not reproduced",
        },
        Case {
            name: "NES, the statistics",
            played: nes,
            place: 0x3F0..0x3FE,
            change: 7,
            spoil: |bytes| bytes.rotate_left(2),
            copy: Some(0x7E0),
            check: CheckId::STATISTICS,
            field: "statistics",
            index: None,
            drawn: "statistics",
            corrected: |text| replaced(text, "address = 0x03F0", "address = 0x07E0"),
            corrected_says: "Mismatch not reproduced",
        },
        Case {
            name: "TAP, the next piece",
            played: tap,
            place: tgm_place("tgm2p", "next"),
            change: 7,
            spoil: wrong_cell,
            copy: Some(tgm_place("tgm2p", "x").start),
            check: CheckId::PIECES,
            field: "next",
            index: None,
            drawn: "aria-label=\"the model has ",
            corrected: |text| replaced(&without(text, "x"), "address = 0x06064BF9", "address = 0x06064BFC"),
            corrected_says: "Mismatch not reproduced",
        },
        Case {
            name: DECLARED,
            played: tap_declared,
            place: tgm_place("tgm2p", "next"),
            change: 7,
            spoil: wrong_cell,
            copy: Some(tgm_place("tgm2p", "x").start),
            check: CheckId::DECLARED_DEALS,
            field: "next",
            index: Some(7),
            drawn: "Declared deals",
            corrected: |text| replaced(&without(text, "x"), "address = 0x06064BF9", "address = 0x06064BFC"),
            corrected_says: "Mismatch not reproduced",
        },
        listed::case(),
        Case {
            name: "TGM, the next piece",
            played: tgm,
            place: tgm_place("tgmj", "next"),
            change: 29,
            spoil: wrong_cell,
            copy: Some(tgm_place("tgmj", "x").start),
            check: CheckId::PIECES,
            field: "next",
            index: None,
            drawn: "aria-label=\"the model has ",
            corrected: |text| replaced(&without(text, "x"), "address = 0x001769D2", "address = 0x001769DA"),
            corrected_says: "Mismatch not reproduced",
        },
        Case {
            name: "Sega Tetris, two codes",
            played: || sega("sega-tetris", 0),
            place: SEQUENCE,
            change: 1,
            spoil: |bytes| [17, 20].into_iter().for_each(|at| bytes[at] = (bytes[at] + 1) % 7),
            copy: Some(0x1C01),
            check: CheckId::GENERATION,
            field: "sequence",
            index: Some(17),
            drawn: "✗ Piece 18: the emulator has",
            corrected: sequence_at_the_copy,
            corrected_says: "Mismatch not reproduced",
        },
        Case {
            name: "Flash Point, a code",
            played: || sega("flash-point", 0x2A6D_365B),
            place: SEQUENCE,
            change: 1,
            spoil: |bytes| bytes[500] = (bytes[500] + 1) % 7,
            copy: Some(0x1C01),
            check: CheckId::GENERATION,
            field: "sequence",
            index: Some(500),
            drawn: "✗ Piece 501: the emulator has",
            corrected: sequence_at_the_copy,
            corrected_says: "Mismatch not reproduced",
        },
        Case {
            name: "Bloxeed, a piece",
            played: bloxeed,
            place: bloxeed::PIECE..bloxeed::PIECE + 1,
            change: 25,
            spoil: wrong_code,
            copy: Some(0x3F00),
            check: CheckId::PIECES,
            field: "drawn_piece",
            index: None,
            drawn: "aria-label=\"the model has ",
            corrected: |text| {
                let field = |name: &str, at: usize, kind: &str| {
                    let address = 0xFF_C000 + at;
                    format!("[fields.{name}]\naddress = {address:#X}\ntype = {kind:?}\nsource = \"a test\"\n")
                };
                let states =
                    field("piece_seed", bloxeed::SEED, "u32") + &field("piece_state", bloxeed::STATE, "u32");
                format!("{text}\n{states}{}", field("drawn_piece", 0x3F00, "u8"))
            },
            corrected_says: "Mismatch not reproduced",
        },
        Case {
            name: "Mean Bean Machine, a pool",
            played: || bean("mean-bean-genesis"),
            place: 0x133E..0x143E,
            change: 2,
            spoil: |bytes| bytes[41] = if bytes[41] == 3 { 4 } else { 3 },
            copy: Some(0xC000),
            check: CheckId::GENERATION,
            field: "pool_5",
            index: Some(41),
            drawn: "✗ Pair 20: the emulator has",
            corrected: |text| replaced(text, "address = 0xFF133E", "address = 0xFFC000"),
            corrected_says: "Mismatch not reproduced",
        },
        Case {
            name: "Puyo Puyo, a pool",
            played: || bean("puyo-puyo-1-genesis"),
            place: 0x111C..0x121C,
            change: 2,
            spoil: |bytes| bytes[17] = if bytes[17] == 3 { 4 } else { 3 },
            copy: Some(0xC000),
            check: CheckId::GENERATION,
            field: "pool_4",
            index: Some(17),
            drawn: "✗ Pair 8: the emulator has",
            corrected: |text| replaced(text, "address = 0xFF111C", "address = 0xFFC000"),
            corrected_says: "Mismatch not reproduced",
        },
        Case {
            name: "Dr. Mario, a virus",
            played: mario,
            place: 0x400..0x480,
            change: 2,
            spoil: |bytes| bytes[127] = if bytes[127] == 0xD1 { 0xD2 } else { 0xD1 },
            copy: Some(0x600),
            check: CheckId::VIRUSES,
            field: "p1_field",
            index: Some(127),
            drawn: "row 16, column 8",
            corrected: |text| replaced(text, "address = 0x0400", "address = 0x0600"),
            corrected_says: "Mismatch not reproduced",
        },
    ]
}

/// The samples with the fault in them, and the right bytes elsewhere.
pub fn with_fault(case: &Case, clean: Samples) -> Samples {
    let mut changes = 0;
    let mut last: Option<Vec<u8>> = None;
    let spoiled = |(snapshot, frame): (Snapshot, u64)| {
        let mut parts: Vec<(usize, Box<[u8]>)> =
            snapshot.parts().map(|(at, bytes)| (at, bytes.into())).collect();
        let right = snapshot.at(case.place.clone()).unwrap().to_vec();
        changes += usize::from(last.as_ref().is_some_and(|last| *last != right));
        let mut put = |at: usize, bytes: &[u8]| {
            let (begins, part) = parts.iter_mut().rfind(|(begins, _)| *begins <= at).unwrap();
            part[at - *begins..at - *begins + bytes.len()].copy_from_slice(bytes);
        };
        if let Some(copy) = case.copy {
            put(copy, &right);
        }
        if changes == case.change {
            let mut wrong = right.clone();
            (case.spoil)(&mut wrong);
            put(case.place.start, &wrong);
        }
        last = Some(right);
        (Snapshot::from_parts(snapshot.domain(), parts).unwrap(), frame)
    };
    let samples = clean.into_iter().map(spoiled).collect();
    assert!(changes >= case.change, "{}: {changes} changes", case.name);
    samples
}

/// Apart from the others: with missed frames the wrong piece may be a possible one, and then it is no mismatch.
pub fn declared_nes() -> Case {
    Case {
        name: "a declared randomizer, the next piece",
        played: nes_declared,
        place: 0xBF..0xC0,
        change: 9,
        spoil: wrong_piece,
        copy: Some(0x7F0),
        check: CheckId::DECLARED_DEALS,
        field: "next",
        index: None,
        drawn: "Declared deals",
        corrected: |text| replaced(text, "address = 0x00BF", "address = 0x07F0"),
        corrected_says: "Mismatch not reproduced",
    }
}
