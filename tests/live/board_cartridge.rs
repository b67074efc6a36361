//! The boards of our own cartridge, which drops, pops and scores on a real 68000 core, checked by the
//! verifier; and faults written into a recording of it.

use nextscope::console::{ConsoleId, Snapshot, StorageOrder};
use nextscope::demo::console::Console;
use nextscope::demo::{CartridgeConfig, ROM};
use nextscope::live::{CheckId, Mismatch, SampleContext, Totals, Tracker};
use nextscope::profile::{Library, Profile};
use std::sync::Arc;

/// The cartridge's RAM, on the 68000's bus, after each pass of its main loop.
struct Cartridge {
    console: Console,
    passes: u8,
    frame: u64,
}

impl Cartridge {
    fn new(config: &str) -> Self {
        let mut rom = ROM.to_vec();
        config.parse::<CartridgeConfig>().unwrap().apply(&mut rom).unwrap();
        let console = Console::with_order(rom, StorageOrder::AsOnBus).unwrap();
        Self { console, passes: 0, frame: 0 }
    }

    /// Runs until the main loop completes a pass: its passes so far, and RAM.
    fn next(&mut self) -> (u64, Vec<u8>) {
        loop {
            self.console.run_frame();
            let passes = self.console.ram()[0xA069];
            let more = passes.wrapping_sub(std::mem::replace(&mut self.passes, passes));
            self.frame += u64::from(more);
            if more > 0 {
                return (self.frame, self.console.ram().to_vec());
            }
        }
    }
}

/// The sampled RAM, sample by sample.
struct Watched {
    profile: Arc<Profile>,
    tracker: Tracker,
    totals: Totals,
    found: Vec<Mismatch>,
}

impl Watched {
    fn new() -> Self {
        let profile = Arc::clone(Library::built_in().by_id("puyo-tsu-genesis").unwrap());
        let tracker = Tracker::new(profile.game);
        Self { profile, tracker, totals: Totals::default(), found: Vec::new() }
    }

    fn process_sample(&mut self, frame: u64, ram: Vec<u8>) {
        let domain = ConsoleId::Genesis.domain();
        let snapshot = Snapshot::from_stored(domain, StorageOrder::AsOnBus, ram).unwrap();
        let nextscope::live::Update { mismatches: found, .. } = self
            .tracker
            .update(&SampleContext { snapshot: &snapshot, profile: &self.profile, frame }, &mut self.totals);
        self.found.extend(found);
    }

    fn of_boards(&self) -> Vec<&Mismatch> {
        let boards = [CheckId::BOARD_P1, CheckId::BOARD_P2];
        self.found.iter().filter(|mismatch| boards.contains(&mismatch.check)).collect()
    }
}

#[test]
fn boards_of_the_cartridge_match_round_after_round() {
    let mut all = Totals::default();
    for (config, faults) in [
        ("deal1=40,deal2=56,menu=5,pairs=60", false),
        ("deal1=90,deal2=75,menu=5,pairs=60,schedule=versus", false),
        ("deal1=33,deal2=41,menu=5,pairs=60,faults=both,fault-every=3", true),
    ] {
        let (mut cartridge, mut watched) = (Cartridge::new(config), Watched::new());
        // In rounds whose pairs differ from the model boards are not judged: only these must not be flagged.
        let frames = if faults { 12_000 } else { 60_000 };
        while watched.totals.boards_verified < 1000 && cartridge.frame < frames {
            let (frame, ram) = cartridge.next();
            watched.process_sample(frame, ram);
        }
        assert!(watched.of_boards().is_empty(), "{config}: {:#?}", watched.of_boards());
        assert_eq!(!watched.found.is_empty(), faults, "{config}: {:#?}", watched.found);
        all.boards_verified += watched.totals.boards_verified;
        all.chains_verified += watched.totals.chains_verified;
    }
    assert!(all.boards_verified >= 2000 && all.chains_verified >= 200, "{all:?}");
}

#[test]
fn a_fault_written_into_a_recording_of_the_cartridge_is_flagged() {
    const BOARD: usize = 0x8000;
    const SCORE: usize = 0xD08A;
    let score = |ram: &[u8]| u32::from_be_bytes(ram[SCORE..SCORE + 4].try_into().unwrap());
    let mut cartridge = Cartridge::new("deal1=90,deal2=90,menu=5,events=0,schedule=versus");
    let recorded: Vec<(u64, Vec<u8>)> = (0..1800).map(|_| cartridge.next()).collect();
    let replay = |fault: &dyn Fn(usize, &mut Vec<u8>)| {
        let mut watched = Watched::new();
        for (nth, (frame, ram)) in recorded.iter().enumerate() {
            let mut ram = ram.clone();
            fault(nth, &mut ram);
            watched.process_sample(*frame, ram);
        }
        watched
    };
    let clean = replay(&|_, _| ());
    assert_eq!(clean.found, []);
    assert!(clean.totals.chains_verified > 2, "{:?}", clean.totals);

    // Another colour on the floor, from some frame on for as long as the cell is occupied.
    for (from, column) in [(900, 0), (1000, 3), (1100, 5)] {
        let at = BOARD + 12 * 13 + 2 * column;
        let watched = replay(&|nth, ram| {
            if nth >= from && ram[at] != 0 {
                ram[at] = if ram[at] == 0xD0 { 0x90 } else { 0xD0 };
            }
        });
        let first = watched.of_boards().into_iter().find(|mismatch| mismatch.field == "p1_board");
        let first = first.unwrap_or_else(|| panic!("{from}, {column}: {:?}", watched.found));
        assert!(first.frame > recorded[from].0, "{first}");
    }

    // Ten points too many, from the first step of a chain on.
    let steps =
        (901..recorded.len()).filter(|nth| score(&recorded[*nth].1) > score(&recorded[nth - 1].1) + 30);
    for step in steps.take(3).collect::<Vec<usize>>() {
        let watched = replay(&|nth, ram| {
            if nth >= step {
                let more = score(ram) + 10;
                ram[SCORE..SCORE + 4].copy_from_slice(&more.to_be_bytes());
            }
        });
        let found = watched.of_boards();
        assert_eq!(found.len(), 1, "{found:#?}");
        assert_eq!(
            (found[0].field.as_str(), found[0].check),
            ("p1_score", CheckId::BOARD_P1),
            "{}",
            found[0]
        );
    }
}
