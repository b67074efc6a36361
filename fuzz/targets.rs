//! The fuzz targets: one function each, which takes any bytes and must neither panic nor take long.
//!
//! Where a target has several parsers, the first byte chooses. Each function also checks the invariants of
//! what was parsed: it round-trips through its written form, and two ways to the same result agree.
//! `tests/fuzz_corpora.rs` runs the corpora through the same functions with an ordinary compiler.

use nextscope::console::{ConsoleAddr, ConsoleId, Endian, Snapshot, StorageOrder};
use nextscope::emulator::{NetworkReply, build_id, exported_ram, save_state};
use nextscope::options::OptionValues;
use nextscope::pairs::PairGame;
use nextscope::pochi;
use nextscope::process::{ByteArray, HostAddr};
use nextscope::profile::{self, BoardLayout, FieldKind, NewField, Profile, built_in_files};
use nextscope::puyo;
use nextscope::recording::Recording;
use nextscope::research::watch::{ListContext, ListKind, read_list, wch::WchFile, write_list};
use nextscope::research::{
    Address, BoardPattern, CellAddress, FieldLocation, FieldRam, Module, PathFile, Pattern, find_board,
    merged_layout, narrow_fields, parse_step, value_type,
};
use nextscope::route::{Goal, Start, pairs_from_letters, seeds};
use nextscope::task::Progress;
use nextscope::{demo, stats};
use std::fmt::Write as _;
use std::io::Read as _;
use std::sync::{Arc, LazyLock};

/// A target: its name, which is also that of its corpus, and its function.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 10] = [
    ("boards", boards),
    ("exports", exports),
    ("saved_files", saved_files),
    ("profiles", profiles),
    ("recordings", recordings),
    ("replies", replies),
    ("states", states),
    ("steps", steps),
    ("watch_lists", watch_lists),
    ("words", words),
];

/// The selector from the first byte, and the remaining bytes.
fn choice(data: &[u8]) -> (u8, &[u8]) {
    data.split_first().map_or((0, &[]), |(first, rest)| (*first, rest))
}

/// The remaining bytes as text, if they are UTF-8.
fn text(data: &[u8]) -> Option<&str> {
    std::str::from_utf8(data).ok()
}

/// The built-in profiles.
static PROFILES: LazyLock<Vec<Arc<Profile>>> = LazyLock::new(|| {
    built_in_files().iter().filter_map(|(name, text)| profile::parse(text, name).0.map(Arc::new)).collect()
});

/// All-zero RAM of a console.
fn zeros(console: ConsoleId) -> Option<Snapshot> {
    let domain = console.domain();
    Snapshot::from_stored(domain, StorageOrder::AsOnBus, vec![0; domain.len as usize]).ok()
}

/// A profile: parsed, read, extended.
pub fn profiles(data: &[u8]) {
    let (how, rest) = choice(data);
    let (profile, diagnostics) = profile::parse_bytes(rest, "fuzz.toml");
    for diagnostic in &diagnostics {
        let _ = diagnostic.to_string();
    }
    let Some(text) = text(rest) else { return };
    if let Some(profile) = &profile
        && let Some(snapshot) = zeros(profile.console)
    {
        for field in profile.fields.values() {
            let _ = field.read(&snapshot).map(|value| value.to_string());
        }
        if let Some(board) = &profile.board {
            let _ = board.matches(&snapshot) || board.may_match(&snapshot);
        }
        let _ = nextscope::emulator::matching_anchors(&snapshot, profile);
    }
    let source = "a fuzzer".to_owned();
    let added = if how & 1 == 0 {
        let field = NewField {
            name: "added".into(),
            address: profile.as_ref().map_or(ConsoleAddr(0), |profile| profile.console.domain().base),
            kind: if how & 2 == 0 { FieldKind::U8 } else { FieldKind::Bytes { length: u32::from(how) } },
            source,
            note: None,
            confirmed: false,
        };
        profile::with_field(text, &field, how & 4 != 0)
    } else {
        let board = BoardLayout {
            address: profile.as_ref().map_or(ConsoleAddr(0), |profile| profile.console.domain().base),
            second: None,
            columns: 6,
            rows: 12,
            column_stride: 1,
            row_stride: 6,
            mask: 0xFF,
            empty: 0,
            codes: [Some(1), Some(2), None, None],
            stored: None,
            source,
            confirmed: false,
            note: None,
        };
        profile::with_board(text, &board)
    };
    if let Ok(added) = added {
        let again = profile::parse(&added.text, "the new profile").0;
        assert_eq!(again.as_ref(), Some(&added.profile), "the text says what the edited profile is");
    }
}

/// Watch lists: BizHawk's, Cheat Engine's, CSV.
pub fn watch_lists(data: &[u8]) {
    let (how, rest) = choice(data);
    let kind = [ListKind::Wch, ListKind::CheatTable, ListKind::Csv][usize::from(how % 3)];
    let domain = [None, Some(ConsoleId::Genesis), Some(ConsoleId::Nds)][usize::from(how / 3 % 3)];
    let domain = domain.map(ConsoleId::domain);
    let module = |name: &str| (name == "game.exe").then_some(Address(0x40_0000));
    let whose = ListContext { domain, order: Endian::Big, module: &module };
    let Ok(opened) = read_list(kind, rest, whose) else { return };
    for to in [ListKind::Wch, ListKind::Csv] {
        let Ok((bytes, left_out)) = write_list(to, &opened.entries, domain, Some(&opened)) else { continue };
        let again = read_list(to, &bytes, whose);
        let again = again.unwrap_or_else(|errors| panic!("{to:?} cannot be read again: {errors:?}"));
        if left_out.is_empty() && to == ListKind::Csv {
            assert_eq!(again.entries.len(), opened.entries.len(), "every line is read back");
        }
    }
    if kind == ListKind::Wch
        && let Ok(file) = WchFile::parse(rest)
    {
        assert_eq!(file.to_bytes(), rest, "an unchanged file is written as it was");
    }
}

/// The files that the program saves: pointer paths, the state of a route search, locations of a field.
pub fn saved_files(data: &[u8]) {
    let (how, rest) = choice(data);
    let Some(text) = text(rest) else { return };
    match how % 3 {
        0 => {
            let modules = [
                Module { name: "game.elf".into(), start: Address(0x40_0000), len: 0x10_0000 },
                Module { name: "top".into(), start: Address(u64::MAX - 0xFFFF), len: 0xFFFF },
            ];
            for modules in [&modules[..], &[]] {
                let Ok(file) = PathFile::read(text, modules) else { continue };
                let again = PathFile::read(&file.to_text(modules), modules);
                assert_eq!(again.as_ref(), Ok(&file), "it round-trips");
            }
        }
        1 => search_progress(text),
        _ => places(text),
    }
}

fn search_progress(text: &str) {
    let Some(game) = PairGame::from_id("puyo-20th") else { return };
    let deal = (game.rules().dealer)(&OptionValues::new(game.rules().deal_options, 0), None);
    let start = |seed| {
        let pairs = deal(seed, 0..4);
        Some(Start::empty(pairs, puyo::Rules::TWENTIETH))
    };
    // As it is, and with its checksum repaired, since no fuzzer guesses that.
    let _ = seeds::SeedSearchProgress::parse(text);
    let Ok(mut saved) = serde_json::from_str::<serde_json::Value>(text) else { return };
    let mut crc = flate2::Crc::new();
    crc.update(saved["search"].to_string().as_bytes());
    let Some(sum) = saved.get_mut("crc32") else { return };
    *sum = crc.sum().into();
    let Ok(progress) = seeds::SeedSearchProgress::parse(&saved.to_string()) else { return };
    let share = progress.share();
    assert!((0.0..=1.0).contains(&share), "{share} is no share");
    let again = seeds::SeedSearchProgress::parse(&progress.text());
    assert_eq!(again.ok().as_ref(), Some(&progress), "it round-trips");
    let _ = progress.verify(&start);
    let parts = [progress.clone(), progress];
    let Ok(Some(merged)) = seeds::merge(&parts, Some(&(0x100..=0x1FF))) else { return };
    assert!((0.0..=1.0).contains(&merged.share), "{} is no share", merged.share);
    assert_eq!(merged.best, parts[0].best, "a part merges with itself to itself");
}

fn places(text: &str) {
    let Ok(places) = serde_json::from_str::<Vec<FieldLocation>>(text) else { return };
    let Ok(field) = pochi::Field::from_text(&".......\n".repeat(12)) else { return };
    let orders = ConsoleId::NeoGeo.domain().orders.iter();
    let ram = |order: &StorageOrder| Some(FieldRam::of_file(*order, zeros(ConsoleId::NeoGeo)?));
    let rams: Vec<FieldRam> = orders.filter_map(ram).collect();
    let _ = narrow_fields(&places, &rams, &field);
    for place in &places {
        let _ = merged_layout(None, place, 0, false, "a fuzzer");
    }
}

/// Recordings and evidence: the bytes of a file as they are, or blocks whose checksums and packing are
/// repaired first, since no fuzzer guesses those.
pub fn recordings(data: &[u8]) {
    let (how, rest) = choice(data);
    let file = if how & 1 == 0 { rest.to_vec() } else { repaired(rest) };
    let Ok(recording) = Recording::from_bytes(file, "fuzz.nsrec") else { return };
    let _ = (
        recording.damage_summary(),
        recording.length(),
        recording.is_finished(),
        recording.header().domain(),
    );
    let samples = recording.len();
    // The complete file would be slow where it is long; the last samples still depend on those before them in
    // their blocks.
    for index in (0..samples.min(64)).chain(samples.saturating_sub(8)..samples).rev() {
        let Ok(sample) = recording.sample(index) else { continue };
        assert_eq!(recording.sample(index).as_ref(), Ok(&sample), "a second read is the same");
        let _ = (recording.section_of(index), recording.index_of_frame(sample.frame));
    }
    let _ = recording.index_at(recording.length() / 2);
    for kind in ["", "mismatch", "evidence"] {
        let _ = recording.annotations(kind).count();
    }
    for section in recording.sections() {
        let _ = section.header.profile.profile();
    }
}

/// The length of a block header in a recording, and the file's first bytes (docs/recordings.md).
const HEAD: usize = 68;
const FILE_BEGINS: [u8; 12] = *b"\x89NSREC\r\n\x01\0\0\0";

/// A recording from blocks with unpacked contents: each has a header as in a file, whose sizes say how many
/// bytes of content follow, and whose base is the index of the block that it refers to, from 0.
pub fn repaired(mut rest: &[u8]) -> Vec<u8> {
    let mut file = FILE_BEGINS.to_vec();
    let mut begins: Vec<u64> = Vec::new();
    while let Some((head, after)) = rest.split_first_chunk::<HEAD>() {
        let mut head = *head;
        let said = u32::from_le_bytes([head[12], head[13], head[14], head[15]]);
        let (content, after) = after.split_at(after.len().min(said as usize));
        rest = after;
        let mut packed = Vec::new();
        let fast = flate2::Compression::fast();
        if flate2::read::DeflateEncoder::new(content, fast).read_to_end(&mut packed).is_err() {
            break;
        }
        begins.push(file.len() as u64);
        head[..4].copy_from_slice(&[0x9E, b'N', b'S', b'B']);
        let sizes = [packed.len(), content.len()].map(|size| u32::try_from(size).unwrap_or(0).to_le_bytes());
        head[8..16].copy_from_slice(sizes.as_flattened());
        head[16..20].copy_from_slice(&checksum(&packed));
        if let Some(base) = begins.get(usize::from(head[56])) {
            head[56..64].copy_from_slice(&base.to_le_bytes());
        }
        let sum = checksum(&head[..HEAD - 4]);
        head[HEAD - 4..].copy_from_slice(&sum);
        file.extend(head);
        file.extend(packed);
    }
    file
}

fn checksum(bytes: &[u8]) -> [u8; 4] {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum().to_le_bytes()
}

/// The addresses of modules in the memory that [`exports`] makes of its input.
const MODULE: u64 = 0x7F00_0000_0000;

/// Modules as they are mapped: ELF and PE headers, exports, the code behind them.
pub fn exports(data: &[u8]) {
    let memory = ByteArray { base: HostAddr(MODULE), bytes: data.to_vec() };
    let _ = build_id(&memory, memory.base);
    let _ = exported_ram(&memory, memory.base, "fuzz_libretro.so");
}

/// Save states of many emulators.
pub fn states(data: &[u8]) {
    if let Ok(unpacked) = save_state::unpack(data.to_vec())
        && let Ok(Some(found)) = save_state::locate(&unpacked, &PROFILES)
    {
        let domain = found.snapshot.domain();
        assert!(found.snapshot.bytes(domain.base, domain.len as usize).is_ok(), "all of RAM is there");
        let _ = found.to_string();
    }
}

/// Datagrams of RetroArch.
pub fn replies(data: &[u8]) {
    let Some(NetworkReply::Ram { at, bytes: Some(bytes) }) = NetworkReply::parse(data) else { return };
    let mut text = format!("READ_CORE_RAM {at:x}");
    for byte in &bytes {
        let _ = write!(text, " {byte:02X}");
    }
    assert_eq!(NetworkReply::parse(text.as_bytes()), Some(NetworkReply::Ram { at, bytes: Some(bytes) }));
}

/// Text boards of Pochi & Nyaa and Puyo Puyo, and painted ones.
pub fn boards(data: &[u8]) {
    let (how, rest) = choice(data);
    let Some(text) = text(rest) else { return };
    match how % 3 {
        0 => {
            let Ok((field, ignition)) = pochi::from_grid_or_code(text) else { return };
            let rules = pochi::Rules::default();
            if let Ok(code) = pochi::to_code(&field, ignition.as_ref()) {
                assert_eq!(pochi::from_code(&code).ok(), Some((field.clone(), ignition.clone())), "{code}");
            }
            if let Some(ignition) = &ignition {
                for ruleset in [pochi::Ruleset::Mvs, pochi::Ruleset::Ps2] {
                    let _ = pochi::evaluate(&field, ignition, ruleset, rules);
                }
            }
            assert_eq!(pochi::Field::from_text(&field.to_text()), Ok(field), "rows round-trip");
        }
        1 => {
            let Ok(field) = puyo::field_from_text(text) else { return };
            for rules in [puyo::Rules::TSU, puyo::Rules::TWENTIETH] {
                let (mut plain, mut quick) = (field, field);
                quick.settle(); // it is defined for boards on which nothing floats
                let chain = puyo::reference::fire(&mut plain, rules).len();
                let fired = puyo::Simulator::new(rules).fire(&mut quick);
                assert_eq!((plain, chain), (quick, fired.chain as usize), "two simulators agree");
            }
            if let Ok(code) = puyo::to_code(&field) {
                assert_eq!(puyo::field_from_code(&code), Ok(field), "{code}");
            }
        }
        _ => {
            // A blank line ends the board; the rest is the search text.
            let (board, ram) = text.split_once("\n\n").unwrap_or((text, text));
            let Ok(painted) = BoardPattern::from_text(board) else { return };
            let ram = ByteArray { base: HostAddr(0x1000), bytes: ram.bytes().take(4096).collect() };
            let _ = find_board(&ram, &painted, &Progress::default());
        }
    }
}

/// The steps of `scan` and their parts.
pub fn steps(data: &[u8]) {
    const TYPES: [&str; 12] = [
        "u8", "i8", "u16be", "i16le", "u32be", "i64le", "f32be", "f64le", "bcd2", "nibble", "bits", "bytes8",
    ];
    let (how, rest) = choice(data);
    let Some(text) = text(rest) else { return };
    let name = TYPES[usize::from(how) % TYPES.len()];
    let Ok(ty) = value_type(name, Endian::Big) else { panic!("{name} is a type") };
    let _ = parse_step(text, ty).map_err(|error| error.to_string());
    let _ = value_type(text, Endian::Little);
    let _ = ty.parse(text);
    let _ = Pattern::bytes(text);
    if let Ok(place) = text.parse::<CellAddress>() {
        assert_eq!(place.to_string().parse::<CellAddress>().ok(), Some(place), "{place}");
    }
    if let Some(value) = ty.read(rest, place_part(text)) {
        let _ = ty.show(&value, nextscope::research::NumberFormat::default());
    }
}

fn place_part(text: &str) -> nextscope::research::Part {
    text.parse::<CellAddress>().map_or(nextscope::research::Part::Whole, |place| place.part)
}

/// Command-line values: pieces, pairs, numbers, goals, games, and the scripts of the embedded console.
pub fn words(data: &[u8]) {
    use nextscope::seeds;
    let (how, rest) = choice(data);
    let Some(text) = text(rest) else { return };
    match how % 8 {
        0 => drop(seeds::pieces::parse_pieces(text)),
        1 => drop(nextscope::games::puyo_20th::seeds::parse_pieces(text)),
        2 => drop(pairs_from_letters(text)),
        3 => drop(seeds::text::parse_number(text)),
        4 => {
            if let Ok(goal) = text.parse::<Goal>() {
                assert_eq!(goal.id().parse::<Goal>().ok(), Some(goal), "{}", goal.id());
            }
        }
        5 => drop(stats::Subject::parse(text, stats::Choices::default())),
        6 => drop(text.parse::<demo::Script>()),
        _ => {
            let arguments: Vec<String> = text.split(' ').map(str::to_owned).collect();
            if let Ok(options) = demo::DemoOptions::parse(&arguments) {
                let _ = options.arguments();
            }
            if let Ok(config) = text.parse::<demo::CartridgeConfig>() {
                assert_eq!(config.to_string().parse().ok(), Some(config), "{config}");
                let _ = config.apply(&mut demo::ROM.to_vec());
            }
        }
    }
}
