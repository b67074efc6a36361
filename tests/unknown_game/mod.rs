//! A game of an NES that no profile knows, made by the randomizer of an example of docs/randomizers.md: what it dealt, and its RAM.
#![allow(dead_code, reason = "each test program uses its part")]

use crate::recordings;
use nextscope::console::{ConsoleId, Snapshot, StorageOrder};
use nextscope::games::declared::{DeclaredDealer, Program, Randomizer};
use nextscope::profile::parse;
use nextscope::recording::Sample;
use std::sync::Arc;
use std::time::Duration;

const STATE: usize = 0x148;
const CURRENT: usize = 0x60;
const NEXT: usize = 0x62;
const QUEUE: usize = 0x80;
const FRAMES: usize = 0x10;
pub const SEED: u64 = 0x1234_5679;
pub const PIECES: usize = 45;
/// Frames before the first piece, and of each.
pub const TITLE: u64 = 60;
pub const EACH: u64 = 23;
/// Bytes of its RAM.
pub const RAM: usize = 0x800;

/// What it dealt, and its RAM in every frame.
pub struct Unknown {
    pub letters: String,
    pub samples: Vec<Sample>,
}

impl Unknown {
    /// A recording of it, under the profile of another game.
    pub fn recording(&self) -> Vec<u8> {
        recordings::written(&recordings::header(&recordings::profile("tetris-nes")), &self.samples)
    }

    /// Plays it in `ram`, and tells the letter of each piece while it is in play.
    pub fn play(&self, ram: &mut [u8], mut dealt: impl FnMut(char)) {
        let mut letters = self.letters.chars();
        for sample in &self.samples {
            let (_, bytes) = sample.snapshot.parts().next().unwrap();
            ram.copy_from_slice(bytes);
            std::hint::black_box(&ram);
            std::thread::sleep(Duration::from_millis(16));
            if sample.frame >= TITLE && (sample.frame - TITLE) % EACH == EACH / 3 {
                letters.next().into_iter().for_each(&mut dealt);
            }
        }
    }

    /// A line for each piece but the last: a frame in which it was in play, and its letter.
    pub fn lines(&self) -> String {
        let frame = |nth: usize| TITLE + EACH * nth as u64 + 11;
        self.letters.chars().enumerate().map(|(nth, letter)| format!("{},{letter}\n", frame(nth))).collect()
    }
}

/// What of the randomizer stands in RAM.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum InRam {
    /// The state of its generator.
    State,
    /// The pieces to come.
    Queue,
}

/// The example of the page that deals by a history.
fn randomizer() -> Randomizer {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/randomizers.md");
    let page = std::fs::read_to_string(page).unwrap();
    let example = page.split("```").find_map(|block| block.strip_prefix("toml\nid = \"example-history\""));
    let text = format!("id = \"example-history\"{}", example.unwrap());
    parse(&text, "example.toml").0.unwrap().randomizer.unwrap()
}

/// It deals by the history of the page's example, and shows the next piece.
pub fn unknown(in_ram: InRam) -> Unknown {
    let randomizer = randomizer();
    let mut dealer = DeclaredDealer::new(Arc::new(Program::new(randomizer.clone()).unwrap()), SEED);
    let mut ram = vec![0_u8; RAM];
    for (at, byte) in (0_u8..).zip(&mut ram[0x700..0x740]) {
        *byte = at.wrapping_mul(37) ^ 0x5A;
    }
    let put = |ram: &mut Vec<u8>, dealer: &DeclaredDealer| {
        if in_ram == InRam::Queue {
            return;
        }
        let state = u32::try_from(dealer.state().word).unwrap();
        ram[STATE..STATE + 4].copy_from_slice(&state.to_le_bytes());
    };
    put(&mut ram, &dealer);
    let mut dealt: Vec<u8> = Vec::new();
    let mut samples = Vec::new();
    for frame in 0..TITLE + EACH * PIECES as u64 {
        ram[FRAMES] = frame.to_le_bytes()[0];
        if let Some(since) = frame.checked_sub(TITLE).filter(|since| since.is_multiple_of(EACH)) {
            let deal = usize::try_from(since / EACH).unwrap();
            let ahead = if in_ram == InRam::Queue { 6 } else { 2 };
            while dealt.len() < deal + ahead {
                dealt.push(dealer.deal_number());
            }
            put(&mut ram, &dealer);
            (ram[CURRENT], ram[NEXT]) = (0x10 + 3 * dealt[deal], 0x10 + 3 * dealt[deal + 1]);
            if in_ram == InRam::Queue {
                ram[QUEUE..QUEUE + 5].copy_from_slice(&dealt[deal + 1..]);
            }
            ram[0x90] = ram[0x90].wrapping_add(5);
        }
        let snapshot = Snapshot::from_stored(ConsoleId::Nes.domain(), StorageOrder::AsOnBus, ram.clone());
        samples.push(Sample {
            snapshot: snapshot.unwrap(),
            frame,
            counter: ram[FRAMES].into(),
            elapsed: Duration::from_micros(frame * 16_667),
        });
    }
    let letter = |kind: &u8| randomizer.kinds[usize::from(*kind)].letter();
    Unknown { letters: dealt[..PIECES].iter().map(letter).collect(), samples }
}
