//! Shared helpers of these tests.

use nextscope::console::{ConsoleId, Snapshot, StorageOrder};
use nextscope::demo::console::Console;
use nextscope::demo::{CartridgeConfig, ROM};
use nextscope::emulator::{DetectionEvidence, DetectionMethod, EmulatorInfo};
use nextscope::process::Pid;
use nextscope::profile::{Library, Profile};
use nextscope::recording::{Header, ProfileText, Recording, Sample, Writer};
use std::sync::Arc;
use std::time::Duration;

pub fn profile(id: &str) -> Arc<Profile> {
    Arc::clone(Library::built_in().by_id(id).expect("a built-in profile"))
}

/// A connection to an emulator with that profile's game.
pub fn header(profile: &Profile) -> Header {
    Header {
        nextscope: "0.1.0".into(),
        started: 1_700_000_000,
        emulator: EmulatorInfo { name: "nextscope demo".into(), known: true, ..EmulatorInfo::default() },
        pid: Pid(4711),
        found_by: DetectionMethod::NamedMapping,
        evidence: DetectionEvidence {
            anchors: vec!["pools and colour set".into()],
            liveness: "frame_counter".into(),
        },
        ram: "68K RAM at 0x1000, swapped in 16-bit words".into(),
        console: profile.console,
        order: StorageOrder::SwappedWords,
        profile: ProfileText::of(profile),
    }
}

pub fn micros(number: u64) -> Duration {
    Duration::from_micros(number)
}

/// Our own cartridge on the embedded console, frame by frame.
pub struct Game {
    console: Console,
    frame: u64,
}

impl Game {
    pub fn new(config: &str) -> Self {
        let mut rom = ROM.to_vec();
        config.parse::<CartridgeConfig>().expect(config).apply(&mut rom).expect("our cartridge");
        Self { console: Console::new(rom).unwrap(), frame: 0 }
    }

    /// The next frame, as the sampler would read it at the console's own speed.
    pub fn sample(&mut self) -> Sample {
        self.console.run_frame();
        self.frame += 1;
        let domain = ConsoleId::Genesis.domain();
        let stored = self.console.ram().to_vec();
        let snapshot = Snapshot::from_stored(domain, StorageOrder::SwappedWords, stored).unwrap();
        let counter = snapshot.u8(nextscope::console::ConsoleAddr(0xFF_A069)).unwrap().into();
        // 59.92 frames a second, and occasionally a late tick.
        let late = self.frame * 7919 % 1900;
        Sample { snapshot, frame: self.frame, counter, elapsed: micros(self.frame * 16_689 + late) }
    }
}

/// A recording in memory.
pub fn written(header: &Header, samples: &[Sample]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), header).unwrap();
    samples.iter().for_each(|sample| writer.sample(sample).unwrap());
    writer.finish().unwrap()
}

pub fn read(bytes: Vec<u8>) -> Recording {
    Recording::from_bytes(bytes, "test.nsrec").unwrap()
}

pub fn all(recording: &Recording) -> Vec<Sample> {
    (0..recording.len()).map(|index| recording.sample(index).unwrap()).collect()
}
