//! The one schema: every command is run with `--json`, what it prints keeps the rules of `docs/json.md`, and that page documents
//! exactly what is printed.

use crate::cli_support::{errors, nextscope, status, text};
use crate::declared;
use crate::gui_support::arcade;
use crate::movies::genesis::{SEED, SETTINGS, rom};
use crate::movies::waits;
use crate::recordings;
use crate::unknown_game;
use nextscope::demo::{Buttons, DemoOptions, DemoProcess, ROM, spawn_program};
use nextscope::json::{Kind, SCHEMA};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The page on all of it.
fn page() -> String {
    std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/json.md")).unwrap()
}

/// A value with the keys in the order in which they came.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Null,
    Other,
    Text(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Value;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON value")
            }
            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }
            fn visit_bool<E>(self, _: bool) -> Result<Value, E> {
                Ok(Value::Other)
            }
            fn visit_i64<E>(self, _: i64) -> Result<Value, E> {
                Ok(Value::Other)
            }
            fn visit_u64<E>(self, _: u64) -> Result<Value, E> {
                Ok(Value::Other)
            }
            fn visit_f64<E>(self, _: f64) -> Result<Value, E> {
                Ok(Value::Other)
            }
            fn visit_str<E>(self, text: &str) -> Result<Value, E> {
                Ok(Value::Text(text.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
                let mut list = Vec::new();
                while let Some(one) = seq.next_element()? {
                    list.push(one);
                }
                Ok(Value::List(list))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
                let mut object = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    object.push(pair);
                }
                Ok(Value::Object(object))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

impl Value {
    fn keys(&self) -> Vec<&str> {
        match self {
            Self::Object(fields) => fields.iter().map(|(key, _)| key.as_str()).collect(),
            _ => Vec::new(),
        }
    }

    fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(fields) => fields.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    fn kind(&self) -> &str {
        match self.get("kind") {
            Some(Self::Text(kind)) => kind,
            _ => panic!("an object without a kind: {self:?}"),
        }
    }

    /// The paths of all keys below: `players[].next_at`; `*` stands for a piece's letter.
    fn paths(&self, at: &str, paths: &mut BTreeSet<String>) {
        match self {
            Self::List(list) => list.iter().for_each(|one| one.paths(&format!("{at}[]"), paths)),
            // The state in a file of evidence is an object of its own.
            Self::Object(_) if !at.is_empty() && self.get("schema").is_some() => {}
            Self::Object(fields) => {
                for (key, value) in fields {
                    let key = if is_letter(key) { "*" } else { key };
                    let path = if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
                    value.paths(&path, paths);
                    paths.insert(path);
                }
            }
            _ => {}
        }
    }
}

fn is_letter(key: &str) -> bool {
    matches!(key.as_bytes(), [b'A'..=b'Z'])
}

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Breaks of the rules, each with its path.
fn broken_rules(value: &Value, at: &str, broken: &mut Vec<String>) {
    match value {
        Value::Text(text) if text.is_empty() => broken.push(format!("{at}: \"\" instead of null")),
        Value::List(list) => list.iter().for_each(|one| broken_rules(one, &format!("{at}[]"), broken)),
        Value::Object(fields) => {
            let mut names = BTreeSet::new();
            for (key, one) in fields {
                let snake = key.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
                if !(snake || is_letter(key)) || !names.insert(key) {
                    broken.push(format!("{at}.{key}: not a key of its own in snake_case"));
                }
                sequences(value, key, one, &format!("{at}.{key}"), broken);
                broken_rules(one, &format!("{at}.{key}"), broken);
            }
        }
        _ => {}
    }
}

/// What is a sequence of pairs or pieces, and what accompanies it.
fn sequences(object: &Value, key: &str, value: &Value, at: &str, broken: &mut Vec<String>) {
    let unit = |text: &str| {
        let letters = text.chars().all(|c| "RYGPBIJLOSTZ?".contains(c));
        letters && matches!(text.len(), 1 | 2)
    };
    let is_sequence = matches!(key, "pairs" | "pieces" | "next" | "certain" | "if_picked_in");
    if let (true, Value::List(list)) = (is_sequence, value) {
        for one in list {
            if !matches!(one, Value::Text(text) if unit(text)) {
                broken.push(format!("{at}: {one:?} is neither a pair nor a piece"));
            }
        }
        let codes = object.get(if key == "pairs" { "codes" } else { "next_codes" });
        if let (Some(Value::List(codes)), true) = (codes, matches!(key, "pairs" | "next")) {
            let code = |one: &Value| matches!(one, Value::Text(text) if text.len() == 2 && text.chars().all(|c| c.is_ascii_hexdigit()));
            if codes.len() != list.len() || !codes.iter().all(code) {
                broken.push(format!("{at}: {} codes for {} pairs", codes.len(), list.len()));
            }
        }
    }
    let is_state = matches!(key, "state" | "seed" | "state_after" | "piece_seed" | "piece_state");
    if let (true, Value::Text(text)) = (is_state && !text_is_address(object), value)
        && !text.starts_with("0x")
    {
        broken.push(format!("{at}: {text:?} does not begin with 0x"));
    }
}

/// In what `serve` says, `state` is an address.
fn text_is_address(object: &Value) -> bool {
    object.get("events").is_some()
}

/// What commands printed.
#[derive(Default)]
struct Printed {
    lines: Vec<(String, Value)>,
    raw: String,
}

impl Printed {
    fn take(&mut self, arguments: &str, text: &str) {
        for line in text.lines() {
            self.lines.push((arguments.to_owned(), parse(line)));
            self.raw += &format!("{line}\n");
        }
    }

    fn run(&mut self, arguments: &[&str]) {
        let output = nextscope(&[arguments, &["--json"]].concat());
        assert!(matches!(status(&output), 0 | 1), "{arguments:?}: {} {}", text(&output), errors(&output));
        assert!(!output.stdout.is_empty(), "{arguments:?} prints nothing: {}", errors(&output));
        self.take(&arguments.join(" "), &text(&output));
    }
}

struct Files(tempfile::TempDir);

impl Files {
    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn with(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        std::fs::write(self.0.path().join(name), bytes).unwrap();
        self.path(name)
    }
}

fn state(name: &str) -> String {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/states").join(name).display().to_string()
}

fn console(options: &DemoOptions) -> DemoProcess {
    spawn_program(Path::new(env!("CARGO_BIN_EXE_nextscope")), options).unwrap()
}

/// Everything that needs no emulator.
fn without_emulators(printed: &mut Printed, files: &Files) {
    for game in [
        &["generate", "puyo-tsu", "--seed", "0x35879DE2", "--count", "4"][..],
        &["generate", "puyo-20th", "--seed", "0x6119..0x611A", "--count", "4"],
        &["generate", "tgm2", "--seed", "7", "--count", "6"],
        &["generate", "tetris-nes", "--seed", "0x8988", "--count", "6", "--steps", "60"],
        &["generate", "bloxeed", "--seed", "0", "--count", "6", "--games", "2"],
        &["generate", "sega-tetris", "--seed", "0", "--count", "6", "--games", "2"],
        &["generate", "dr-mario", "--seed", "0x44C4", "--count", "4"],
        &[
            "find",
            "dr-mario",
            "--capsules",
            "BB YR",
            "--bottle",
            "B.Y...../......../......../......../........",
            "--level",
            "0",
        ],
        &["find", "dr-mario", "--capsules", "BB ?R", "--limit", "2"],
        &["stats", "dr-mario", "--rank", "top", "--limit", "1"],
        &["find", "puyo-tsu", "--after", "0x35879DE2", "--limit", "2"],
        &["find", "puyo-tsu", "--pieces", "RG BY PP RR"],
        &["find", "puyo-20th", "--pieces", "GY YY Y?", "--limit", "2", "--next", "3"],
        &["find", "puyo-20th", "--pieces", "BG GG GY BB BB RB RY BY RR BY", "--relabel", "--limit", "2"],
        &["find", "puyo-20th", "--pieces", "RG BY"],
        &["find", "puyo-20th", "--pieces", "GY YY YB GG GG RB GB RG"],
        &["find", "puyo-20th", "--state", "0x29282725"],
        &["find", "tgm2", "--pieces", "JTOLSJTZISOZLITJ", "--next", "4"],
        &["find", "tgm2", "--pieces", "JTOLSJTZISOZLITJJ"],
        &["find", "tetris-nes", "--pieces", "TOJLSZI", "--limit", "2", "--next", "3"],
        &["stats", "tgm1", "tetris-1985", "--count", "2000"],
        &["stats", "tetris-nes", "--count", "2000", "--droughts-over", "30"],
        &["stats", "puyo-tsu", "--seeds", "0..3"],
        &["stats", "bounded", "--sweep", "--count", "1000"],
        &[
            "route",
            "puyo-tsu",
            "--pieces",
            "RR GR RG GG",
            "--goal",
            "all-clear",
            "--width",
            "500",
            "--steps",
            "--routes",
            "2",
        ],
        &["route", "puyo-tsu", "--pieces", "RR GR", "--goal", "all-clear", "--width", "100"],
        &["route", "puyo-tsu", "--pieces", "RR GR", "--goal", "survive", "--garbage", "2@1", "--width", "20"],
        &[
            "route",
            "puyo-20th",
            "--seeds",
            "0x0000..0x0003",
            "--goal",
            "points:300",
            "--pairs",
            "6",
            "--width",
            "20",
        ],
        &["route", "puyo-tsu", "--states-from", "tests/recordings/v1.nsrec", "--pairs", "4", "--width", "10"],
        &["ignite", "--gallery"],
        &["ignite", "--gallery", "3", "--waves", "--one-more", "--code"],
        &["ignite", "--build", "4"],
        &["ignite", "--grid", "16b", "--code"],
        &["simulate", "--board", "990", "--steps"],
        &["profile", "list"],
        &["profile", "check", "profiles/puyo-tsu-genesis.toml"],
        &["profile", "new", "my-hack"],
        &["replay", "tests/recordings/v1.nsrec"],
        &["watch", "--replay", "tests/recordings/v1.nsrec", "--speed", "0"],
        &["verify", "--replay", "tests/recordings/v1.nsrec"],
    ] {
        printed.run(game);
    }
    let (low, high) = (files.path("low.json"), files.path("high.json"));
    for (seeds, file) in [("0x0000..0x0003", &low), ("0x0002..0x0005", &high)] {
        let search =
            ["route", "puyo-20th", "--goal", "points:300", "--pairs", "8", "--width", "20", "--seeds"];
        printed.run(&[&search[..], &[seeds, "--checkpoint", file]].concat());
    }
    printed.run(&["route", "merge", &low, &high, "--seeds", "0x0000..0x0007"]);
    let samples = waits::record(waits::waiting_rom("1"), &waits::person(Some(200)), 300);
    let header = recordings::header(&recordings::profile("puyo-tsu-genesis"));
    let start = files.with("start.nsrec", recordings::written(&header, &samples));
    let search = ["route", "puyo-tsu", "--states-from", &start, "--pairs", "4", "--width", "10"];
    printed.run(&search);
    // A round that starts without a press, and the details of a state.
    let idle = |_| Buttons::NONE;
    let samples = waits::record(rom(SEED, SETTINGS), &idle, 300);
    let unpressed = files.with("unpressed.nsrec", recordings::written(&header, &samples));
    let details = ["--states-from", &unpressed, "--steps", "--routes", "2", "--choose", "2"];
    printed.run(&[&search[..], &details].concat());
    let route = files.path("route.json");
    printed.run(&[
        "route",
        "puyo-tsu",
        "--seed",
        "0x35879DE2",
        "--pairs",
        "3",
        "--goal",
        "survive",
        "--out",
        &route,
    ]);
    let samples = waits::record(rom(SEED, SETTINGS), &|_| Buttons::DOWN, 400);
    let played = files.with("played.nsrec", recordings::written(&header, &samples));
    printed.run(&["route", "check", &route, "--replay", &played]);
    let wrong = files.with("wrong.toml", "id = 7\n");
    printed.run(&["profile", "check", &wrong]);
    let out = files.path("cut.nsrec");
    printed.run(&["replay", "tests/recordings/v1.nsrec", "--cut", &out]);
    let first = serde_json::from_str::<serde_json::Value>(&text(&nextscope(&[
        "replay",
        "tests/recordings/v1.nsrec",
        "--json",
    ])))
    .unwrap()["first_frame"]
        .to_string();
    printed.run(&["replay", "tests/recordings/v1.nsrec", "--dump", &first, &files.path("ram.bin")]);
    printed.run(&["replay", "tests/recordings/v1.nsrec", "--dump", "999999999", &files.path("none.bin")]);
    let grid = files.with("grid.txt", "...B.\n.BBBB\nYRBRY\n");
    printed.run(&["ignite", "--grid", &grid, "--needle", "0,1", "--color", "B"]);
    printed.run(&["ignite", "--grid", &grid, "--rank", "--limit", "2"]);
    let profiles = files.path("profiles");
    std::fs::create_dir(&profiles).unwrap();
    printed.run(&[
        "profile",
        "add",
        "puyo-tsu-genesis",
        "my_field",
        "0xFF8000",
        "u8",
        "--profiles",
        &profiles,
    ]);
}

/// What profiles that declare their randomizer make: the examples of their page, with addresses.
fn of_declared(printed: &mut Printed, files: &Files) {
    let page = declared::page();
    let anchor = "[[anchors]]\nkind = \"bytes\"\naddress = 0x700\nhex = \"44 45 43\"\n";
    let fields = "[fields]\nrng_state = { address = 0x10, type = \"bytes\", length = 2, source = \"test\" }\n\
                  next = { address = 0x20, type = \"u8\", source = \"test\" }\n\
                  deals = { address = 0x21, type = \"u8\", source = \"test\" }\n";
    let mut ram = vec![0; 0x800];
    ram[0x10..0x12].copy_from_slice(&[0x89, 0x88]);
    ram[0x700..0x703].copy_from_slice(b"DEC");
    for (id, code, dealt) in [("example-frames", 0x0E, "JZOSL"), ("example-weights", 4, "IJLIJ")] {
        let example = declared::examples(&page).into_iter().find(|example| example.profile.contains(id));
        let folder = files.path(id);
        std::fs::create_dir(&folder).unwrap();
        let text = format!("{}{anchor}{fields}", example.unwrap().profile);
        std::fs::write(Path::new(&folder).join("mine.toml"), text).unwrap();
        ram[0x20..0x22].copy_from_slice(&[code, 17]);
        let dump = files.with(&format!("{id}.bin"), &ram);
        printed.run(&["watch", "--dump", &dump, "--profiles", &folder]);
        printed.run(&["verify", "--dump", &dump, "--profiles", &folder]);
        let profile = ["--profile", id, "--profiles", &folder];
        printed.run(&[&["generate", "declared", "--seed", "9", "--count", "6"], &profile[..]].concat());
        for pieces in [dealt, "TTTTTTTTTT"] {
            let find = ["find", "declared", "--pieces", pieces, "--limit", "2", "--next", "3"];
            printed.run(&[&find[..], &profile].concat());
        }
    }
}

/// What a profile that has only the list of the pieces to come makes.
fn of_lists(printed: &mut Printed, files: &Files) {
    let folder = files.path("lists");
    std::fs::create_dir(&folder).unwrap();
    let text = "id = \"list\"\nname = \"List\"\nconsole = \"nes\"\nstatus = \"learned\"\n\
                [[anchors]]\nkind = \"bytes\"\naddress = 0x700\nhex = \"4C 49 53\"\n\
                [fields]\nnext = { address = 0x20, type = \"bytes\", length = 3, source = \"test\" }\n\
                [piece_codes]\nkinds = [\"I\", \"J\", \"O\"]\n";
    std::fs::write(Path::new(&folder).join("list.toml"), text).unwrap();
    let mut ram = vec![0; 0x800];
    ram[0x20..0x23].copy_from_slice(&[2, 1, 2]);
    ram[0x700..0x703].copy_from_slice(b"LIS");
    let dump = files.with("list.bin", &ram);
    printed.run(&["watch", "--dump", &dump, "--profiles", &folder]);
    printed.run(&["verify", "--dump", &dump, "--profiles", &folder]);
}

/// What is learned of a game that no profile knows.
fn of_learning(printed: &mut Printed, files: &Files) {
    for in_ram in [unknown_game::InRam::State, unknown_game::InRam::Queue] {
        let game = unknown_game::unknown(in_ram);
        let recording = files.with("unknown.nsrec", game.recording());
        printed.run(&["learn", "--replay", &recording, "--pieces", &game.letters, "--from-start"]);
    }
}

/// What takes dumps and save states.
fn of_dumps(printed: &mut Printed, files: &Files) {
    for (name, machine) in [("tap", arcade::tap(7, true, 5).0), ("sega", arcade::sega(0, 3).0)] {
        let dump = files.with(name, &machine.ram);
        printed.run(&["watch", "--dump", &dump, "--pairs", "4"]);
        if name == "sega" {
            printed.run(&["profile", "locate", "--dump", &dump]);
        }
    }
    let zeros = files.with("zeros", vec![0; 0x1_0000]);
    printed.run(&["watch", "--dump", &zeros]);
    printed.run(&["verify", "--dump", &zeros]);
    printed.run(&["find", "puyo-tsu", "--dump", &zeros]);
    for name in ["mednafen-md.mca", "mednafen-nes.mca", "retroarch-desmume.rzip.state"] {
        printed.run(&["watch", "--dump", &state(name), "--pairs", "4"]);
    }
    let tsu = state("mednafen-md.mca");
    let list = files.path("cells.csv");
    let save = format!("save-watches {list}");
    let watch = "watch @FFA000 u32be ticks";
    printed.run(&["scan", "--dump", &tsu, "pools", "unknown", "rows 2", watch, "watches", &save]);
    let again = files.with("again.bin", vec![0; 0x1_0000]);
    printed.run(&[
        "scan",
        "--console",
        "genesis",
        "--dump",
        &zeros,
        "--dump",
        &again,
        "unknown",
        "wait",
        "unchanged",
        "undo",
    ]);
    let mut board = vec![0; 0x1_0000];
    for (row, cells) in [[3, 1, 4], [1, 5, 9], [2, 6, 5], [3, 5, 8]].iter().enumerate() {
        board[0x1000 + 3 * row..0x1003 + 3 * row].copy_from_slice(cells);
    }
    let board = files.with("board.bin", &board);
    let drawn = files.with("board.txt", "abc\nbde\nfgd\naex\n");
    let step = format!("board {drawn}");
    printed.run(&["scan", "--console", "genesis", "--dump", &board, &step, "sequence abcbdefgd"]);
}

/// What needs a running emulator.
fn of_emulators(printed: &mut Printed, files: &Files) {
    let demo = console(&DemoOptions { speed: 20.0, ..DemoOptions::default() });
    let pid = demo.pid().to_string();
    printed.run(&["list", "--pid", &pid]);
    printed.run(&["verify", "--pid", &pid, "--pairs", "20", "--seconds", "30"]);
    printed.run(&["record", &files.path("a.nsrec"), "--pid", &pid, "--seconds", "3"]);
    printed.run(&["frames", "measure", &files.path("a.nsrec")]);
    printed.run(&["serve", "--pid", &pid, "--seconds", "1", "--port", "0"]);
    drop(demo);
    // Faults that the cartridge of the embedded console makes when it is asked to.
    let mut rom = ROM.to_vec();
    rom[0x204..0x206].copy_from_slice(&3_u16.to_be_bytes());
    let rom = PathBuf::from(files.with("fault.md", rom));
    let faulty = console(&DemoOptions { speed: 20.0, rom: Some(rom), ..DemoOptions::default() });
    let folder = files.path("evidence");
    let pid = faulty.pid().to_string();
    printed.run(&["verify", "--pid", &pid, "--fail-fast", "--seconds", "60", "--evidence", &folder]);
    drop(faulty);
    let (_, report) = printed.lines.last().expect("the report");
    let Some(Value::List(mismatches)) = report.get("mismatches") else { panic!("{report:?}") };
    let file = mismatches.iter().find_map(|one| match one.get("evidence") {
        Some(Value::Text(path)) if Path::new(path).exists() => Some(path.clone()),
        _ => None,
    });
    printed.run(&["evidence", &file.expect("a mismatch with evidence")]);
}

/// What is remembered, and what is installed: an emulator of that name that does nothing.
#[cfg(target_os = "linux")]
fn of_starts(printed: &mut Printed, files: &Files) {
    use std::os::unix::fs::PermissionsExt;
    let bin = files.path("bin");
    std::fs::create_dir(&bin).unwrap();
    let program = PathBuf::from(files.with("bin/blastem", "#!/bin/sh\nexit 0\n"));
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_nextscope"))
            .args(arguments)
            .env("PATH", format!("{bin}:/usr/bin:/bin"))
            .env("XDG_CONFIG_HOME", files.path("home"))
            .output()
            .unwrap();
        assert!(output.status.code().is_some(), "{arguments:?}: {}", errors(&output));
        text(&output)
    };
    std::fs::create_dir(files.path("home")).unwrap();
    run(&["start", "--terminal", "--seconds", "0.2", "--save", "mine", "--", "/bin/true"]);
    for arguments in [&["start", "--list", "--json"][..], &["start", "--suggest", "game.md", "--json"]] {
        printed.take(&arguments.join(" "), &run(arguments));
    }
    printed.take("start --forget", &run(&["start", "--forget", "mine", "--json"]));
}

/// The examples of the page, by kind.
fn examples(page: &str) -> BTreeMap<String, Vec<Value>> {
    let mut all: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for block in page.split("```json\n").skip(1) {
        let (text, _) = block.split_once("```").expect("an end");
        let example = parse(text);
        all.entry(example.kind().to_owned()).or_default().push(example);
    }
    all
}

/// A kind for which the test makes no output, or not of every key, and why.
const NOT_PRINTED: [(&str, &str); 3] = [
    ("find-state", "a search through all states, which tests/models runs"),
    ("scan-memory", "a recording of parts of RAM, which tests/recordings makes"),
    ("scan-paths", "pointers in a running game, which tests/scan_lists follows"),
];

#[test]
fn every_command_prints_the_documented_schema() {
    let files = Files(tempfile::tempdir().unwrap());
    let mut printed = Printed::default();
    without_emulators(&mut printed, &files);
    of_dumps(&mut printed, &files);
    of_declared(&mut printed, &files);
    of_lists(&mut printed, &files);
    of_learning(&mut printed, &files);
    of_emulators(&mut printed, &files);
    #[cfg(target_os = "linux")]
    of_starts(&mut printed, &files);
    // To write the examples of the page from.
    if let Some(path) = std::env::var_os("NEXTSCOPE_JSON_OUT") {
        std::fs::write(path, &printed.raw).unwrap();
    }
    let mut wrong = Vec::new();
    let mut real: BTreeMap<&str, (BTreeSet<Vec<&str>>, BTreeSet<String>)> = BTreeMap::new();
    for (arguments, line) in &printed.lines {
        assert_eq!(line.keys()[..2], ["schema", "kind"], "{arguments}");
        let mut broken = Vec::new();
        broken_rules(line, "", &mut broken);
        wrong.extend(broken.into_iter().map(|what| format!("{arguments}: {what}")));
        let (keys, paths) = real.entry(line.kind()).or_default();
        keys.insert(line.keys());
        line.paths("", paths);
    }
    let kinds: BTreeSet<String> = Kind::ALL
        .iter()
        .map(|kind| serde_json::to_string(kind).unwrap().trim_matches('"').to_owned())
        .collect();
    for kind in real.keys().filter(|kind| !kinds.contains(**kind)) {
        wrong.push(format!("{kind} is no kind"));
    }
    let page = page();
    let examples = examples(&page);
    for kind in &kinds {
        if !page.contains(&format!("\n### `{kind}`\n")) {
            wrong.push(format!("docs/json.md has no part on {kind}"));
        }
        let Some(examples) = examples.get(kind) else {
            wrong.push(format!("docs/json.md has no example of {kind}"));
            continue;
        };
        let Some((keys, paths)) = real.get(kind.as_str()) else {
            if !NOT_PRINTED.iter().any(|(name, _)| name == kind) {
                wrong.push(format!("no command printed {kind}"));
            }
            continue;
        };
        let mut documented = BTreeSet::new();
        for example in examples {
            example.paths("", &mut documented);
            if !keys.contains(&example.keys()) {
                wrong.push(format!(
                    "{kind}: keys of an example, {:?}, of the output {keys:?}",
                    example.keys()
                ));
            }
        }
        for path in paths.difference(&documented) {
            wrong.push(format!("{kind}: {path} is printed, and is in no example"));
        }
        for path in documented.difference(paths) {
            wrong.push(format!("{kind}: {path} is in an example, and is not printed"));
        }
    }
    let all = real.values().flat_map(|(_, paths)| paths);
    let names: BTreeSet<&str> = all
        .filter_map(|path| path.rsplit(['.', ']']).next())
        .filter(|name| *name != "*" && !name.is_empty())
        .collect();
    for name in names.iter().filter(|name| !page.contains(&format!("`{name}`"))) {
        wrong.push(format!("docs/json.md does not say what `{name}` is"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn examples_on_the_page_follow_the_schema() {
    let page = page();
    for example in examples(&page).values().flatten() {
        assert_eq!(example.keys()[..2], ["schema", "kind"]);
        let mut broken = Vec::new();
        broken_rules(example, example.kind(), &mut broken);
        assert!(broken.is_empty(), "{}", broken.join("\n"));
    }
    assert!(page.contains(&format!("`schema` is {SCHEMA}")));
}
