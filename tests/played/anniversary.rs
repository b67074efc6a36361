//! Puyo Puyo!! 20th Anniversary, of whose RAM only parts are read, behind a pointer.

use super::{Recorded, record};
use nextscope::console::{ConsoleAddr, ConsoleId, Domain, Snapshot, StorageOrder};
use nextscope::games::puyo_20th::{Round, RoundSeed, State, generate};
use nextscope::live::{CheckId, Mismatch, Observation, Prediction, SampleContext, Status, Totals, Tracker};
use nextscope::process::ByteArray;
use nextscope::process::HostAddr;
use nextscope::profile::{Profile, parse};

/// The usual address of the block, and those to which the game may move it.
pub const USUAL: u32 = 0x0216_FAD8;
pub const ELSEWHERE: [u32; 3] = [0x0230_0004, 0x0200_1000, 0x023F_F000];
/// Behind the pointer (reference 2.3).
pub const STATE: u32 = 0x28;
pub const ALTERNATE: u32 = 0x9C;
pub const MAP: u32 = 0x1C4;
pub const POOLS: [u32; 3] = [0x1D8, 0x2D8, 0x3D8];
pub const POINTER: u32 = 0x0211_A6DC;
pub const FRAMES: u32 = 0x023F_FC3C;
/// Queues that this game has beside.
pub const PLAYERS: [u32; 2] = [0x0218_1000, 0x0218_1040];

pub const QUEUES: &str = include_str!("../cartridges/nds-20th/queues.toml");

pub fn profile(queues: bool) -> Profile {
    let text = std::fs::read_to_string("profiles/puyo-20th-nds.toml").unwrap();
    let text = if queues { text + QUEUES } else { text };
    let (profile, diagnostics) = parse(&text, "test.toml");
    assert_eq!(diagnostics, []);
    profile.unwrap()
}

pub struct Game {
    pub profile: Profile,
    pub memory: ByteArray,
    pub base: u32,
    pub frame: u32,
    pub tracker: Tracker,
    pub totals: Totals,
    pub found: Vec<Mismatch>,
    pub seen: Option<Observation>,
    pub forecast: Option<Prediction>,
    pub round: Option<Round>,
    pub recorded: Recorded,
}

pub fn domain() -> &'static Domain {
    ConsoleId::Nds.domain()
}

impl Game {
    pub fn new(queues: bool) -> Self {
        let memory = ByteArray { base: HostAddr(0x1000), bytes: vec![0; domain().len as usize] };
        let mut game = Self {
            profile: profile(queues),
            memory,
            base: USUAL,
            frame: 0,
            tracker: Tracker::new(nextscope::games::puyo_20th::ID),
            totals: Totals::default(),
            found: Vec::new(),
            seen: None,
            forecast: None,
            round: None,
            recorded: None,
        };
        game.put(POINTER, &USUAL.to_le_bytes());
        game.put(USUAL + STATE, &0x6119_4321_u32.to_le_bytes());
        game
    }

    pub fn put(&mut self, addr: u32, bytes: &[u8]) {
        let at = domain().offset_of(ConsoleAddr(addr)).unwrap();
        self.memory.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    }

    pub fn get<const N: usize>(&self, addr: u32) -> [u8; N] {
        let at = domain().offset_of(ConsoleAddr(addr)).unwrap();
        self.memory.bytes[at..at + N].try_into().unwrap()
    }

    pub fn state(&self) -> State {
        State(u32::from_le_bytes(self.get(self.base + STATE)))
    }

    pub fn sample(&mut self) {
        let plan = self.profile.plan();
        let order = StorageOrder::AsOnBus;
        let snapshot = Snapshot::read_parts(&self.memory, domain(), self.memory.base, order, &plan).unwrap();
        record(&mut self.recorded, &snapshot, self.frame.into());
        let look = SampleContext { snapshot: &snapshot, profile: &self.profile, frame: self.frame.into() };
        let nextscope::live::Update { observation: seen, prediction: forecast, mismatches: found } =
            self.tracker.update(&look, &mut self.totals);
        self.seen = Some(seen.unwrap());
        self.forecast = forecast;
        self.found.extend(found);
    }

    pub fn pass(&mut self) {
        self.frame += 1;
        self.put(FRAMES, &self.frame.to_le_bytes());
        self.sample();
    }

    pub fn passes(&mut self, count: usize) {
        for _ in 0..count {
            self.pass();
        }
    }

    /// The generator runs: samples fall into the middle of it, while the frame counter does not change.
    pub fn generate(&mut self, reading: RoundSeed) {
        let round = generate(reading.seed_from(self.state()));
        let cells: Vec<u8> = round.color_map.cells().iter().flat_map(|cell| cell.to_le_bytes()).collect();
        self.put(self.base + MAP, &cells);
        self.sample();
        for (at, pool) in POOLS.into_iter().zip(&round.pools) {
            self.put(self.base + at, pool);
            self.sample();
        }
        self.put(self.base + STATE, &round.after.0.to_le_bytes());
        self.sample();
        self.round = Some(round);
    }

    pub fn fill(&mut self, colors: [u8; 2]) {
        for (player, colors) in PLAYERS.into_iter().zip(colors) {
            let pool: [u8; 4] = self.get(self.base + POOLS[usize::from(colors) - 3]);
            self.put(player, &pool);
            self.put(player + 4, &[0, 0, colors]);
        }
    }

    /// The pair that is drawn is number `dealt + 1` after the deal.
    pub fn deal(&mut self, player: usize) {
        let at = PLAYERS[player];
        let [a, b, c, d, low, high, colors]: [u8; 7] = self.get(at);
        let _ = (a, b);
        let dealt = u16::from_le_bytes([low, high]) + 1;
        let pool = self.base + POOLS[usize::from(colors) - 3];
        let next: [u8; 2] = self.get(pool + 2 * (u32::from(dealt + 1) % 128));
        self.put(at, &[c, d, next[0], next[1]]);
        self.sample();
        self.put(at + 4, &dealt.to_le_bytes());
    }

    pub fn play(&mut self, deals: usize) {
        for n in 0..deals {
            self.deal(0);
            if n % 2 == 0 {
                self.deal(1);
            }
            self.passes(2);
        }
    }

    pub fn round(&mut self, colors: [u8; 2], deals: usize) {
        self.generate(RoundSeed::UpperHalf);
        self.passes(2);
        self.fill(colors);
        self.passes(2);
        self.play(deals);
    }

    pub fn draws(&mut self, count: u32) {
        let state = self.state().jump(count);
        self.put(self.base + STATE, &state.0.to_le_bytes());
    }

    /// The block moves, the pointer with it.
    pub fn move_to(&mut self, base: u32) {
        let block: [u8; 0x4D8] = self.get(self.base);
        self.put(base, &block);
        self.base = base;
        self.put(POINTER, &base.to_le_bytes());
    }

    pub fn status(&self, id: CheckId) -> Status {
        self.tracker.verdict().status(id)
    }

    pub fn work(&mut self) {
        while self.tracker.search_progress().is_some() {
            let found = self.tracker.poll_background(self.frame.into(), &mut self.totals);
            self.found.extend(found.into_iter().flatten());
        }
    }
}
