//! Arcade boards whose RAM the tests make from the models: views of the games of single pieces.

use nextscope::console::{Endian, Snapshot, StorageOrder};
use nextscope::emulator::{DetectionEvidence, DetectionMethod, EmulatorInfo};
use nextscope::games::dr_mario;
use nextscope::games::piece::{Dealer, Piece};
use nextscope::games::sega::State;
use nextscope::games::sega::sega_tetris::{Game, code};
use nextscope::games::tgm::cells;
use nextscope::games::tgm::tgm2::Tgm2;
use nextscope::live::{
    Connection, Data, EmulatorRow, Prediction, RowState, SampleContext, Target, Totals, Tracker, View,
};
use nextscope::process::Pid;
use nextscope::profile::{Library, Profile};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Where a game of Sega keeps its things on this board; no document tells.
const SEQUENCE: usize = 0x0E41;
const STATE: usize = 0x2336;
const INDEX: usize = 0x0030;
const PIECE: usize = 0x0101;

/// A board, and what the sampler knows after having seen it.
pub struct Machine {
    pub profile: Arc<Profile>,
    /// In bus order.
    pub ram: Vec<u8>,
    pub tracker: Tracker,
    frame: u64,
    totals: Totals,
    data: Option<Data>,
}

impl Machine {
    fn new(id: &str, without: &[&str]) -> Self {
        let mut profile = Library::built_in().by_id(id).unwrap().as_ref().clone();
        profile.fields.retain(|name, _| !without.contains(&name.as_str()));
        Self {
            ram: vec![0; profile.console.domain().len as usize],
            tracker: Tracker::new(profile.game),
            profile: Arc::new(profile),
            frame: 0,
            totals: Totals { attachments: 1, ..Totals::default() },
            data: None,
        }
    }

    fn put(&mut self, field: &str, bytes: &[u8]) {
        let domain = self.profile.console.domain();
        let Some(field) = self.profile.field(field) else { return };
        let mut bytes = bytes.to_vec();
        if domain.endian == Endian::Little && bytes.len() > 1 {
            bytes.reverse();
        }
        let span = domain.span(field.address, bytes.len()).unwrap();
        self.ram[span].copy_from_slice(&bytes);
    }

    /// A frame passes, and is looked at.
    fn look(&mut self) {
        self.frame += 1;
        let domain = self.profile.console.domain();
        let snapshot = Snapshot::from_stored(domain, StorageOrder::AsOnBus, self.ram.clone()).unwrap();
        let look = SampleContext { snapshot: &snapshot, profile: &self.profile, frame: self.frame };
        let nextscope::live::Update { observation, prediction, mismatches: found } =
            self.tracker.update(&look, &mut self.totals);
        assert_eq!(found, []);
        (self.totals.samples, self.totals.frames) = (self.frame, self.frame);
        self.data = Some(Data {
            snapshot,
            taken: Instant::now(),
            frame: self.frame,
            frames_per_second: 60.0,
            observation,
            prediction,
            verdict: Arc::new(self.tracker.verdict()),
        });
    }

    fn looks(&mut self, count: usize) {
        (0..count).for_each(|_| self.look());
    }

    /// Waits for what takes longer than a look, as the sampler does between two of them.
    pub fn settle(&mut self) {
        crate::waiting::eventually("the search ends", || {
            if let Some(found) = self.tracker.poll_background(self.frame, &mut self.totals) {
                assert_eq!(found, []);
            }
            self.tracker.search_progress().is_none()
        });
        let data = self.data.as_mut().unwrap();
        data.verdict = Arc::new(self.tracker.verdict());
        data.prediction = self.tracker.prediction().or_else(|| data.prediction.take());
    }

    pub fn forecast(&self) -> &Prediction {
        self.data.as_ref().unwrap().prediction.as_ref().unwrap()
    }

    /// As the sampler would publish it while the game runs.
    pub fn view(&self) -> View {
        let target = Target {
            pid: Pid(4711),
            identity: mame(),
            profile: Arc::clone(&self.profile),
            method: DetectionMethod::ContentAnchor,
            proof: DetectionEvidence { anchors: Vec::new(), liveness: String::new() },
            ram: String::new(),
            elapsed: Duration::from_millis(41),
        };
        View {
            sequence: 1,
            connection: Connection::Live,
            target: Some(Arc::new(target)),
            data: self.data.clone(),
            emulators: Arc::new(vec![EmulatorRow {
                pid: Pid(4711),
                identity: mame(),
                program: "/usr/games/mame".into(),
                state: RowState::Attached,
                report: None,
            }]),
            totals: self.totals,
            ..View::default()
        }
    }
}

/// The options screen of Dr. Mario after so many frames, and the state of its generator.
pub fn mario_options(frames: u16) -> (Machine, dr_mario::State) {
    let mut machine = Machine::new("dr-mario", &[]);
    machine.put("screen", &[1]);
    machine.put("p1_level", &[5]);
    machine.ram[0x710..0x71A].copy_from_slice(b"!DR.MARIO!");
    (machine.ram[0x725], machine.ram[0x727]) = (3, 1);
    machine.ram[0x780..].fill(0xFF);
    let mut state = dr_mario::BOOT_STATE;
    for frame in 1..=frames {
        state = state.step();
        machine.ram[0x17..0x19].copy_from_slice(&state.0.to_be_bytes());
        machine.put("frame_counter", &frame.to_le_bytes()[..1]);
        machine.look();
    }
    (machine, state)
}

fn mame() -> EmulatorInfo {
    EmulatorInfo { name: "MAME".into(), known: true, ..EmulatorInfo::default() }
}

/// A game of TAP of which the first piece was just seen; `known` says whether the profile has the generator's cells.
/// The model goes on after the piece that is shown as the next.
pub fn tap_begun(seed: u32, known: bool) -> (Machine, Tgm2, Piece) {
    let mut machine = Machine::new("tgm2p", if known { &[] } else { &["rng_state", "history"] });
    let mut dealer = Tgm2::new(seed);
    let next = dealer.deal();
    machine.put("state", &[1]);
    show(&mut machine, &dealer, next);
    machine.looks(2);
    (machine, dealer, next)
}

/// The same after so many pieces came into play.
pub fn tap(seed: u32, known: bool, pieces: usize) -> (Machine, Tgm2) {
    let (mut machine, mut dealer, mut next) = tap_begun(seed, known);
    machine.settle();
    for _ in 0..pieces {
        machine.put("state", &[3]);
        machine.looks(2);
        machine.put("state", &[2]);
        machine.put("current", &[cells::code(next)]);
        next = dealer.deal();
        show(&mut machine, &dealer, next);
        machine.looks(2);
        machine.settle();
    }
    (machine, dealer)
}

fn show(machine: &mut Machine, dealer: &Tgm2, next: Piece) {
    machine.put("next", &[cells::code(next)]);
    machine.put("rng_state", &dealer.rng.0.to_be_bytes());
    if let (Some(history), Some(field)) = (dealer.history.pieces(), machine.profile.field("history")) {
        let span = machine.profile.console.domain().span(field.address, 4).unwrap();
        machine.ram[span].copy_from_slice(&history.map(cells::number));
    }
}

/// A game of Sega Tetris of which so many pieces were dealt while it was watched.
pub fn sega(seed: u32, pieces: usize) -> (Machine, Game) {
    let mut machine = Machine::new("sega-tetris", &[]);
    let mut game = Game::new(State(seed));
    machine.ram[SEQUENCE..SEQUENCE + game.codes().len()].copy_from_slice(game.codes());
    machine.ram[STATE..STATE + 4].copy_from_slice(&game.state_after().0.to_be_bytes());
    machine.looks(40);
    for _ in 0..pieces {
        let piece = game.deal();
        machine.ram[INDEX..INDEX + 2].copy_from_slice(&u16::try_from(game.index()).unwrap().to_be_bytes());
        machine.ram[PIECE] = code(piece);
        machine.looks(6);
    }
    (machine, game)
}
