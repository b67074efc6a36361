//! Mean Bean Machine and Puyo Puyo, their RAM filled by the model.

use super::{Recorded, record};
use nextscope::console::{Snapshot, StorageOrder};
use nextscope::games::mean_bean::{Dealer, Level};
use nextscope::games::mean_bean::{
    OPTIONS_LEN, Round, Setup, State, generate_interrupted, options_checksum, pool_index,
};
use nextscope::profile::{Library, Profile};
use std::sync::Arc;

/// Where the objects of both players and their queues are, beside the first objects.
const PLAYERS: [usize; 2] = [0xC0, 0x140];
const QUEUES: [usize; 2] = [0x240, 0x300];

pub struct Console {
    profile: Arc<Profile>,
    ram: Vec<u8>,
    frame: u64,
    pub recorded: Recorded,
}

impl Console {
    /// The console after the first frames, without a round.
    pub fn new(profile: &str) -> Self {
        let profile = Arc::clone(Library::built_in().by_id(profile).expect("a built-in profile"));
        let ram = vec![0; usize::try_from(profile.console.domain().len).unwrap()];
        let mut console = Self { profile, ram, frame: 0, recorded: Some(Vec::new()) };
        let mut options = [7; OPTIONS_LEN];
        let sum = options_checksum(&options[2..]).to_be_bytes();
        options[..2].copy_from_slice(&sum);
        console.put("options", 0, &options);
        console.put("options_copy", 0, &options);
        console.frames(3);
        console
    }

    fn put(&mut self, field: &str, offset: usize, bytes: &[u8]) {
        let address = self.profile.field(field).unwrap().address;
        let at = self.profile.console.domain().offset_of(address).unwrap() + offset;
        self.ram[at..at + bytes.len()].copy_from_slice(bytes);
    }

    pub fn frames(&mut self, frames: u64) {
        for _ in 0..frames {
            self.frame += 1;
            let counter = u16::try_from(self.frame & 0xFFFF).unwrap();
            self.put("frame_counter", 0, &counter.to_be_bytes());
            let domain = self.profile.console.domain();
            let snapshot = Snapshot::from_stored(domain, StorageOrder::AsOnBus, self.ram.clone()).unwrap();
            record(&mut self.recorded, &snapshot, self.frame);
        }
    }

    /// A round is generated, with an interrupt before each of these draws, and `pairs` pairs are dealt to both players.
    pub fn round(&mut self, before: State, setup: Setup, interrupts: &[u16], pairs: u16) {
        let round = generate_interrupted(before, setup, interrupts);
        self.put("mode", 0, &[setup.mode]);
        self.put("stage", 0, &[setup.stage]);
        self.put("pool_4", 0, &round.pools[0]);
        self.put("pool_5", 0, &round.pools[1]);
        self.put("rng_state", 0, &round.after.jump(3).0.to_be_bytes());
        for dealt in 0..=pairs {
            self.deal(setup, &round, dealt);
            self.frames(3);
        }
    }

    fn deal(&mut self, setup: Setup, round: &Round, dealt: u16) {
        let objects = self.profile.field("objects").unwrap().address.0 | 0xFF00_0000;
        let pointer = |at: usize| (objects + u32::try_from(at).unwrap()).to_be_bytes();
        for player in 0..2 {
            let (object, queue) = (PLAYERS[player], QUEUES[player]);
            let number = u8::try_from(player).unwrap();
            self.put("objects", object, &[0xF1 + number]);
            self.put("objects", object + 0x2A, &[number, 0]);
            self.put("objects", object + 0x2E, &pointer(PLAYERS[1 - player]));
            self.put("objects", object + 0x32, &pointer(queue));
            let dealer = Dealer { mode: setup.mode, player, level: Level(0) };
            let pairs = (u32::from(dealt)..).take(3).map(|n| dealer.pair(&round.pools, n).unwrap());
            let bytes: Vec<u8> = pairs.flat_map(|pair| [pair.axis.0, pair.child.0]).collect();
            self.put("objects", queue + 0x1E, &dealt.to_be_bytes());
            self.put("objects", queue + 0x20, &[pool_index(dealt)]);
            self.put("objects", queue + 0x26, &bytes);
        }
    }
}
