//! Save states that emulators wrote of our own cartridges (`tests/vectors/states`): the RAM in them is
//! located, and belongs to the game.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod cli_support;

use cli_support::{errors, nextscope, status, text};
use flate2::read::GzDecoder;
use nextscope::console::{ConsoleAddr, ConsoleId, Snapshot, StorageOrder};
use nextscope::profile::{Library, Profile};
use nextscope::research::{Dump, SaveState, SourceError};
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/states").join(name)
}

/// The file as the emulator wrote it.
fn state(name: &str) -> Vec<u8> {
    let bytes = std::fs::read(path(name)).unwrap();
    if !name.ends_with(".gz") {
        return bytes;
    }
    let mut unpacked = Vec::new();
    GzDecoder::new(&bytes[..]).read_to_end(&mut unpacked).unwrap();
    unpacked
}

fn profiles() -> Vec<Arc<Profile>> {
    Library::built_in().profiles().to_vec()
}

fn opened(name: &str) -> (Snapshot, SaveState) {
    let opened = Dump::open_with_state(state(name), None, false, &profiles());
    match opened.unwrap_or_else(|error| panic!("{name}: {error}")) {
        (Dump::Console(snapshot), Some(info)) => (snapshot, info),
        other => panic!("{name}: {other:?}"),
    }
}

/// File, its formats, profile, whether the emulator stores RAM swapped.
const STATES: [(&str, &str, &str, bool); 12] = [
    (
        "retroarch-genesis-plus-gx.rzip.state",
        "RZIP, in it RetroArch state, in it Genesis Plus GX state",
        "puyo-tsu-genesis",
        true,
    ),
    (
        "retroarch-genesis-plus-gx.state.gz",
        "RetroArch state, in it Genesis Plus GX state",
        "puyo-tsu-genesis",
        true,
    ),
    ("retroarch-picodrive.state.gz", "RetroArch state", "puyo-tsu-genesis", true),
    ("mednafen-md.mca", "gzip, in it Mednafen state", "puyo-tsu-genesis", false),
    ("mame-genesis.sta", "MAME state", "puyo-tsu-genesis", true),
    ("retroarch-nestopia.rzip.state", "RZIP, in it RetroArch state", "tetris-nes", false),
    ("mednafen-nes.mca", "gzip, in it Mednafen state", "tetris-nes", false),
    ("mame-nes.sta", "MAME state", "tetris-nes", false),
    ("fceux.fc1.gz", "FCEUX state", "tetris-nes", false),
    (
        "retroarch-desmume.rzip.state",
        "RZIP, in it RetroArch state, in it DeSmuME state",
        "puyo-20th-nds",
        false,
    ),
    ("retroarch-melonds.state.gz", "RetroArch state", "puyo-20th-nds", false),
    ("py-desmume.dst.gz", "DeSmuME state", "puyo-20th-nds", false),
];

#[test]
fn ram_is_found_in_the_states_of_every_emulator() {
    for (name, format, profile, swapped) in STATES {
        let (snapshot, info) = opened(name);
        let found = info.found.as_ref().expect("found");
        println!("{name}: {info}");
        assert_eq!(info.format, format, "{name}");
        assert_eq!(found.profile.as_ref().unwrap().id, profile, "{name}");
        assert_eq!(found.order != StorageOrder::AsOnBus, swapped, "{name}");
        assert!(found.caution.is_none());
        assert_eq!(snapshot, found.snapshot, "{name}");
        assert_eq!(snapshot.all().len(), snapshot.domain().len as usize, "{name}: all of it");
        cells_of_the_cartridge(name, profile, &snapshot);
    }
}

/// Cartridge data that no anchor covers, so that truncated or shifted RAM is noticed.
fn cells_of_the_cartridge(name: &str, profile: &str, ram: &Snapshot) {
    match profile {
        "puyo-tsu-genesis" => {
            // The stack ends at 0xFF8000, and right behind it boards begin; the main loop's counter and the
            // pairs dealt.
            let tags = [0xFF_D080, 0xFF_D0C0].map(|at| ram.u16(ConsoleAddr(at)).unwrap());
            assert!(tags.iter().all(|tag| *tag != 0), "{name}: player structs {tags:X?}");
            let dealt = ram.u16(ConsoleAddr(0xFF_85A6)).unwrap();
            assert!((3..=140).contains(&dealt), "{name}: {dealt} pairs");
        }
        "tetris-nes" => {
            let playfield = ram.bytes(ConsoleAddr(0x0400), 200).unwrap();
            assert!(playfield.iter().all(|cell| *cell == 0xEF || (0x7B..=0x7D).contains(cell)), "{name}");
            let dealt = ram.u16(ConsoleAddr(0x0602)).unwrap();
            assert!((1..2000).contains(&dealt), "{name}: {dealt} pieces");
        }
        _ => {
            let cell = |at| ram.u32(ConsoleAddr(at)).unwrap();
            let (frames, done, stage) = (cell(0x0218_0000), cell(0x0218_0004), cell(0x0218_000C));
            assert!(
                frames > 60 && frames.abs_diff(done) <= 1 && stage <= 5,
                "{name}: {frames} {done} {stage}"
            );
            assert!(cell(0x0218_0038) > 1973, "{name}: steps of the generator");
        }
    }
}

/// The same with the console's name as without, and never as another console's.
#[test]
fn the_console_may_be_named() {
    let open = |name: &str, console| Dump::open(state(name), Some(console), false, &profiles());
    for (name, _, profile, _) in STATES {
        let (right, wrong) = match profile {
            "puyo-tsu-genesis" => (ConsoleId::Genesis, ConsoleId::Nds),
            "tetris-nes" => (ConsoleId::Nes, ConsoleId::Genesis),
            _ => (ConsoleId::Nds, ConsoleId::Nes),
        };
        let Ok(Dump::Console(snapshot)) = open(name, right) else { panic!("{name}") };
        assert_eq!(snapshot, opened(name).0);
        let Err(SourceError::Invalid(message)) = open(name, wrong) else { panic!("{name}") };
        assert!(message.ends_with("the save state contains no RAM of a known game"), "{name}: {message}");
    }
}

fn lines(output: &std::process::Output) -> Vec<Value> {
    text(output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn scan_watch_and_verify_read_them() {
    let file = path("retroarch-genesis-plus-gx.rzip.state");
    let file = file.to_str().unwrap();
    let output = nextscope(&["scan", "--json", "--dump", file, "pools"]);
    assert_eq!(status(&output), 0, "{}", errors(&output));
    let json = lines(&output);
    assert_eq!(
        (json[0]["ram"].as_str(), json[0]["offset"].as_u64(), json[0]["profile"].as_str()),
        (Some("68K RAM"), Some(16), Some("puyo-tsu-genesis")),
        "{json:?}"
    );
    assert_eq!(json[0]["order"], "swapped in 16-bit words");
    assert_eq!(json[1]["found"][0]["address"], "0xFFAD00", "{json:?}");
    let output = nextscope(&["scan", "--dump", file, "text COMPILE!", "rows"]);
    assert!(
        text(&output).contains("68K RAM at 0x10, swapped in 16-bit words (Puyo Puyo Tsu"),
        "{}",
        text(&output)
    );
    assert!(text(&output).contains("0xFF4AF8"), "{}", text(&output));

    let file = path("mame-nes.sta");
    let output = nextscope(&["watch", "--dump", file.to_str().unwrap()]);
    assert_eq!(status(&output), 0, "{}", errors(&output));
    assert!(text(&output).contains("Tetris (NES"), "{}", text(&output));
    // The generator's round is recomputed from the contents of the state.
    let file = path("mednafen-md.mca");
    let output = nextscope(&["verify", "--dump", file.to_str().unwrap()]);
    assert_eq!(status(&output), 0, "{}{}", text(&output), errors(&output));
    assert!(
        text(&output).contains("puyo-tsu-genesis") || text(&output).contains("Mega Drive"),
        "{}",
        text(&output)
    );
}

#[test]
fn other_files_and_unknown_games_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let complete = std::fs::read(path("mame-genesis.sta")).unwrap();
    let cut = write("cut.sta", &complete[..complete.len() / 2]);
    let other = write("other.bin", &[0x5A; 70_000]);
    let twice = {
        let one = state("retroarch-genesis-plus-gx.state.gz");
        write("twice.state", &[&one[16..], &one[16..]].concat())
    };
    for arguments in [["scan", "pools"], ["watch", ""], ["verify", ""]] {
        for (file, message) in [
            (&cut, "cut.sta: the MAME state is damaged"),
            (&twice, "twice.state: several locations in the Genesis Plus GX state look like the game's RAM"),
        ] {
            let arguments = [&arguments[..1], &["--dump", file], &arguments[1..]].concat();
            let arguments: Vec<&str> = arguments.into_iter().filter(|word| !word.is_empty()).collect();
            let output = nextscope(&arguments);
            assert_eq!(status(&output), 2, "{arguments:?}: {}", errors(&output));
            assert!(errors(&output).contains(message), "{arguments:?}: {}", errors(&output));
        }
    }
    let output = nextscope(&["verify", "--dump", &other]);
    assert_eq!(status(&output), 2);
    assert!(
        errors(&output).contains("no RAM of a known game was found in it as a save state"),
        "{}",
        errors(&output)
    );
    // A state of an unknown game is searched by the offsets of its unpacked contents.
    let unknown = {
        let mut file = std::io::Cursor::new(Vec::new());
        let mut encoder = flate2::write::GzEncoder::new(&mut file, flate2::Compression::fast());
        std::io::Write::write_all(&mut encoder, &[&[0; 5000][..], b"NEEDLE", &[0; 5000][..]].concat())
            .unwrap();
        encoder.finish().unwrap();
        write("unknown.gz", &file.into_inner())
    };
    let output = nextscope(&["scan", "--json", "--dump", &unknown, "text NEEDLE", "rows"]);
    let json = lines(&output);
    assert_eq!(
        (status(&output), json[0]["format"].as_str(), &json[0]["ram"]),
        (0, Some("gzip"), &Value::Null)
    );
    assert_eq!(json[2]["rows"][0]["address"], "0x1388", "{json:?}");
}
