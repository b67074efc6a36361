//! Runs the fuzzer's corpora through its targets with an ordinary compiler: every interesting input so far,
//! and every finding, on every run of the tests. No panic, at most one second of processor time and 256 MiB.

#![allow(clippy::expect_used, clippy::unwrap_used)]
#![cfg(target_os = "linux")]

#[path = "../fuzz/gauge.rs"]
mod gauge;
#[path = "../fuzz/targets.rs"]
mod targets;

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

#[global_allocator]
static GAUGE: gauge::Gauge = gauge::Gauge::new();

/// Time and memory are measured for the complete process: measured code runs alone.
static ALONE: Mutex<()> = Mutex::new(());

/// The maximum processor time of an input.
const LONGEST: Duration = Duration::from_secs(1);
/// The minimum number of files of a target: guards against a lost corpus.
const FILES_LEAST: usize = 3;

#[test]
fn every_file_of_the_corpora_is_processed_quickly_and_in_little_memory() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // Lazily created caches do not count for any input.
    for (_, target) in targets::TARGETS {
        target(&[]);
    }
    for (name, target) in targets::TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
        let files =
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        assert!(files.len() >= FILES_LEAST, "{name} has {} files", files.len());
        let (mut slowest, mut largest) = (Default::default(), Default::default());
        for file in &files {
            let bytes = std::fs::read(file).unwrap();
            // Shown when the test fails: a panic inside does not say which file it was.
            println!("{}", file.display());
            let (time, allocated) = GAUGE.check(LONGEST, || target(&bytes));
            slowest = std::cmp::max(slowest, (time, file.clone()));
            largest = std::cmp::max(largest, (allocated, file.clone()));
        }
        let of = |file: &Path| file.file_name().unwrap().to_string_lossy().into_owned();
        println!(
            "{name}: {} files; at most {:?} ({}) and {} KiB ({})",
            files.len(),
            slowest.0,
            of(&slowest.1),
            largest.0 >> 10,
            of(&largest.1)
        );
    }
}

/// Mutations that a target's corpus goes through on an ordinary run; NEXTSCOPE_FUZZ_CHANGES sets another
/// number.
const CHANGES: u32 = 300;

/// Marsaglia's xorshift (2003): the mutations are the same on every run.
struct Changes(u64);

impl Changes {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap() % limit.max(1)
    }

    /// A mutated file: bits and bytes changed, parts removed, doubled, or copied from another file.
    fn change(&mut self, file: &[u8], other: &[u8]) -> Vec<u8> {
        const ODD: [u8; 8] = [0, 1, 0x7F, 0x80, 0xFF, b'0', b'-', b'\n'];
        let mut bytes = file.to_vec();
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len() + 1);
            let len = self.below(bytes.len() + 1 - at).min(1 << self.below(10));
            match self.below(6) {
                0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                1 if at < bytes.len() => bytes[at] = ODD[self.below(ODD.len())],
                2 => drop(bytes.drain(at..at + len)),
                3 => drop(bytes.splice(at..at, bytes[at..at + len].to_vec())),
                4 => {
                    let from = self.below(other.len() + 1);
                    let part = &other[from..other.len().min(from + 1 + self.below(64))];
                    drop(bytes.splice(at..at + len.min(part.len()), part.iter().copied()));
                }
                _ => bytes.truncate(at.max(1)),
            }
        }
        bytes
    }
}

#[test]
fn mutations_of_the_corpora_are_processed_as_well() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let count = std::env::var("NEXTSCOPE_FUZZ_CHANGES").ok().and_then(|count| count.parse().ok());
    let only = std::env::var("NEXTSCOPE_FUZZ_TARGET").ok();
    for (name, target) in targets::TARGETS {
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
        let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        let files: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).unwrap()).collect();
        let mut changes = Changes(0x9E37_79B9_7F4A_7C15);
        for _ in 0..count.unwrap_or(CHANGES) {
            let [file, other] = [0; 2].map(|_| &files[changes.below(files.len())]);
            let input = changes.change(file, other);
            let began = std::time::Instant::now();
            let result = std::panic::catch_unwind(|| target(&input));
            let slow = began.elapsed() > Duration::from_secs(10);
            if result.is_err() || slow {
                let saved = std::env::temp_dir().join(format!("nextscope-fuzz-{name}"));
                std::fs::write(&saved, &input).unwrap();
                panic!("{name}: a finding{}, saved as {}", if slow { ", slow" } else { "" }, saved.display());
            }
        }
    }
}

#[test]
fn every_target_is_run_by_the_fuzzer() {
    let manifest = include_str!("../fuzz/Cargo.toml");
    for (name, _) in targets::TARGETS {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
    }
    assert_eq!(manifest.matches("[[bin]]").count(), targets::TARGETS.len());
    // It has its own lock file: the crates that it shares with the package must have the same version.
    let [own, workspace] =
        [manifest, include_str!("../Cargo.toml")].map(|text| text.parse::<toml::Table>().unwrap());
    let shared = workspace["workspace"]["dependencies"].as_table().unwrap();
    for (name, dependency) in own["dependencies"].as_table().unwrap() {
        let version = |dependency: &toml::Value| {
            dependency.as_str().or_else(|| dependency.get("version")?.as_str()).map(str::to_owned)
        };
        if dependency.get("path").is_none() && name != "libfuzzer-sys" {
            assert_eq!(version(&shared[name.as_str()]), version(dependency), "{name}");
        }
    }
}

/// A recording with all features: two connections, complete samples and deltas, events, annotations.
fn recording() -> Vec<u8> {
    use nextscope::console::{ConsoleId, Snapshot, StorageOrder};
    use nextscope::emulator::{DetectionEvidence, DetectionMethod, EmulatorInfo};
    use nextscope::process::Pid;
    use nextscope::profile::{built_in_files, parse};
    use nextscope::recording::{Event, Header, ProfileText, Sample, Writer};

    let nes = |text: &&str| text.contains("id = \"tetris-nes\"");
    let text = built_in_files().iter().map(|(_, text)| *text).find(nes).unwrap();
    let profile = parse(text, "tetris-nes.toml").0.unwrap();
    let domain = ConsoleId::Nes.domain();
    let header = Header {
        nextscope: "0.1.0".into(),
        started: 1_700_000_000,
        emulator: EmulatorInfo {
            name: "FCEUX".into(),
            core: None,
            content: Some("game.nes".into()),
            known: true,
            build_id: Some("00ff".into()),
        },
        pid: Pid(7),
        found_by: DetectionMethod::ContentAnchor,
        evidence: DetectionEvidence { anchors: vec!["text".into()], liveness: "frames".into() },
        ram: "0x1000".into(),
        console: profile.console,
        order: StorageOrder::AsOnBus,
        // Its text would be most of the fuzzed bytes, and has its own target.
        profile: ProfileText { text: "id = 1".into(), ..ProfileText::of(&profile) },
    };
    let mut writer = Writer::new(Vec::new(), &header).unwrap();
    let mut ram = vec![0; domain.len as usize];
    for number in 0..48_u32 {
        if number % 16 == 0 {
            writer.event(&Event::Note("a note".into())).unwrap();
            writer.flush().unwrap();
        }
        if number == 32 {
            writer.event(&Event::Lost("it ended".into())).unwrap();
            writer.event(&Event::Attached(Box::new(header.clone()))).unwrap();
        }
        ram[number as usize * 7 % 2048] = number.to_le_bytes()[0];
        let snapshot = Snapshot::from_stored(domain, StorageOrder::AsOnBus, ram.clone()).unwrap();
        let elapsed = Duration::from_micros(16_639 * u64::from(number));
        writer.sample(&Sample { snapshot, frame: number.into(), counter: number, elapsed }).unwrap();
    }
    writer.annotate("mismatch", b"{\"at\":12}").unwrap();
    writer.finish().unwrap()
}

/// The blocks of a recording in the form that [`targets::repaired`] reads.
fn unpacked(file: &[u8]) -> Vec<u8> {
    use std::io::Read as _;
    let number = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    let (mut at, mut begins, mut blocks) = (12, Vec::new(), Vec::new());
    while at < file.len() {
        begins.push(at as u64);
        let (packed, mut content) = (&file[at + 68..at + 68 + number(at + 8)], Vec::new());
        flate2::read::DeflateDecoder::new(packed).read_to_end(&mut content).unwrap();
        let mut head = file[at..at + 68].to_vec();
        let base = u64::from_le_bytes(head[56..64].try_into().unwrap());
        let base = begins.iter().position(|begin| *begin == base).unwrap_or(0);
        head[56..64].copy_from_slice(&(base as u64).to_le_bytes());
        blocks.extend(head);
        blocks.extend(content);
        at += 68 + packed.len();
    }
    blocks
}

#[test]
fn recordings_get_past_their_checksums() {
    use nextscope::recording::Recording;
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let file = recording();
    let blocks = unpacked(&file);
    let (one, other) = (file.clone(), targets::repaired(&blocks));
    let [one, other] = [one, other].map(|file| Recording::from_bytes(file, "x").unwrap());
    assert_eq!((one.len(), other.len(), other.damage()), (48, 48, &[][..]));
    assert!((0..48).all(|index| one.sample(index) == other.sample(index)));
    // The initial corpus: see fuzz/seeds.
    if let Some(folder) = std::env::var_os("NEXTSCOPE_FUZZ_SEEDS") {
        let folder = Path::new(&folder).join("recordings");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("file"), [&[0], &file[..]].concat()).unwrap();
        std::fs::write(folder.join("blocks"), [&[1], &blocks[..]].concat()).unwrap();
        std::fs::write(folder.join("torn"), [&[0], &file[..file.len() / 2]].concat()).unwrap();
    }
}
