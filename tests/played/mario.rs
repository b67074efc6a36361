//! Dr. Mario for one player, its RAM filled by the model.

use super::{Recorded, record};
use nextscope::console::{Snapshot, StorageOrder};
use nextscope::games::dr_mario::{BOOT_STATE, Levels, Reserve, Round, State};
use nextscope::profile::Library;

const PLAYER: usize = 0x300;
const FIELD: usize = 0x400;
const RESERVE: usize = 0x780;

pub struct Console {
    ram: Vec<u8>,
    frame: u64,
    state: State,
    level: u8,
    pub recorded: Recorded,
}

impl Console {
    pub fn new(level: u8) -> Self {
        let mut ram = vec![0; 0x800];
        ram[0x710..0x71A].copy_from_slice(b"!DR.MARIO!");
        (ram[0x725], ram[0x727], ram[PLAYER + 0x16]) = (3, 1, level);
        ram[RESERVE..].fill(0xFF);
        Self { ram, frame: 0, state: BOOT_STATE, level, recorded: Some(Vec::new()) }
    }

    fn frame(&mut self, mode: u8) {
        self.frame += 1;
        self.ram[0x43] = self.ram[0x43].wrapping_add(1);
        self.ram[0x46] = mode;
        self.ram[0x17..0x19].copy_from_slice(&self.state.0.to_be_bytes());
        let domain = Library::built_in().by_id("dr-mario").unwrap().console.domain();
        let snapshot = Snapshot::from_stored(domain, StorageOrder::AsOnBus, self.ram.clone()).unwrap();
        record(&mut self.recorded, &snapshot, self.frame);
    }

    /// Frames on the options screen, the last one that in which Start is pressed.
    pub fn options(&mut self, frames: u32) {
        for number in 0..frames {
            self.state = self.state.step();
            if number + 1 < frames {
                self.frame(1);
            }
        }
    }

    /// A level, with so many capsules.
    pub fn level(&mut self, capsules: u32) {
        let round = Round::new(self.state, Levels::One(self.level));
        self.ram[PLAYER + 0x16] = self.level;
        self.frame(2);
        self.ram[RESERVE..].copy_from_slice(&round.reserve.0);
        self.ram[FIELD..FIELD + 128].fill(0xFF);
        self.throw(&round, 0);
        self.state = Reserve::new(self.state).1;
        self.frame(8);
        for at in 0..128 {
            self.ram[FIELD + at] = round.viruses.bottles[0].byte(at);
        }
        self.state = round.viruses.after;
        self.frame(8);
        for thrown in 0..=capsules {
            self.throw(&round, thrown);
            (0..3).for_each(|_| self.frame(4));
        }
        self.level += 1;
    }

    /// The cells of the player after `thrown` capsules.
    fn throw(&mut self, round: &Round, thrown: u32) {
        let next = round.reserve.capsule(thrown).0;
        let falling = if thrown == 0 { round.reserve.0[0] } else { round.reserve.capsule(thrown - 1).0 };
        let cells = &mut self.ram[PLAYER..];
        cells[1..3].copy_from_slice(&[falling / 3, falling % 3]);
        cells[0x1A..0x1C].copy_from_slice(&[next / 3, next % 3]);
        cells[0x27] = u8::try_from((thrown + 2) % 128).unwrap();
    }
}
