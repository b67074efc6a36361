//! Made-up games: RAM with a generator, the pieces and much else that moves, played by the engine of declared randomizers.

use crate::learn::{Observations, ObservedDeal, Report, Series};
use crate::source::Address;
use nextscope_boards::SplitMix64;
use nextscope_games::games::declared::{
    Clock, Deals, DeclaredDealer, Generator, LagOperation, LinearSteps, Program, Randomizer, Symbol,
};
use nextscope_memory::console::Endian;
use std::sync::Arc;

/// Where things are in the RAM of every game.
const STATE: usize = 0x148;
const COPY: usize = 0x480;
const PIECE: usize = 0x60;
const COUNT: usize = 0x98;
const BAG: usize = 0x600;
const TABLE: usize = 0x200;

/// A game.
#[derive(Clone)]
pub struct Game {
    pub name: &'static str,
    pub randomizer: Randomizer,
    pub order: Endian,
    /// Bytes of RAM.
    pub size: usize,
    pub deals: usize,
    /// Deals that are drawn ahead and shown.
    pub ahead: usize,
    /// Frames before the game in which the generator steps.
    pub title: usize,
    pub seed: u64,
    pub source: Source,
}

/// What deals.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// The randomizer.
    Generator,
    /// Numbers from outside of RAM, with the randomizer's bags in RAM.
    Hardware,
    /// Something of the generator's state that the language does not have.
    Other(u64),
}

impl Source {
    /// A number below `kinds`.
    fn kind(number: u64, state: u64, frame: u64, made: &[usize], kinds: usize) -> usize {
        let state = state & 0xFFFF_FFFF;
        let nth = made.len() as u64;
        let last = made.last().copied().unwrap_or(0);
        let before = made.len().checked_sub(2).map_or(0, |at| made[at]);
        let drawn = state >> 4;
        let kinds_64 = kinds as u64;
        let chosen = match number % 16 {
            0 => u64::from(state.count_ones()),
            1 => state ^ frame,
            2 => (state >> 8 ^ state) & 0xFF,
            3 => SplitMix64::mixed(state),
            4 => state.wrapping_mul(nth + 1) >> 3,
            5 => (state >> 8).wrapping_mul(state >> 8) >> 16,
            6 => state.reverse_bits() >> 32,
            7 if drawn % kinds_64 == before as u64 => drawn / 7,
            8 if nth % 4 == 3 => frame,
            9 => drawn + before as u64 + last as u64 * 3,
            10 => (state & 0xFF) * (state >> 8 & 0xFF),
            11 => (drawn % 7) ^ (drawn / 7 % 7) ^ (drawn / 49 % 7),
            12 => state % 3 + (state >> 8) % 3 + (state >> 16) % 3,
            13 if nth.is_multiple_of(7) => 6,
            14 => drawn / (nth + 1),
            15 => (state >> (nth % 8)) + frame / 64,
            _ => drawn,
        };
        usize::try_from(chosen % kinds_64).unwrap()
    }
}

/// What was recorded, and how the game goes on.
pub struct Played {
    pub series: Series,
    pub observed: Observations,
    /// The state before the first draw of the game.
    pub start: u64,
    /// Steps for frames before each deal.
    pub gaps: Vec<u32>,
    /// All deals, also those that were not recorded.
    pub dealt: Vec<(Symbol, Option<Symbol>)>,
}

/// Deals after the recorded ones by which a learned rule is judged.
pub const LATER: usize = 200;

/// The deals of a randomizer from a state.
fn deals(randomizer: &Randomizer, start: u64, gaps: &[u32]) -> Option<Vec<(Symbol, Option<Symbol>)>> {
    let mut dealer = DeclaredDealer::new(Arc::new(Program::new(randomizer.clone()).ok()?), start);
    Some(gaps.iter().map(|gap| next(&mut dealer, randomizer, *gap)).collect())
}

fn next(dealer: &mut DeclaredDealer, randomizer: &Randomizer, gap: u32) -> (Symbol, Option<Symbol>) {
    dealer.set_gap(gap);
    let number = usize::from(dealer.deal_number());
    match randomizer.deals {
        Deals::Pieces => (randomizer.kinds[number], None),
        Deals::Pairs => (randomizer.kinds[number >> 4], Some(randomizer.kinds[number & 0xF])),
    }
}

/// The bytes of the generator: one number, or the list of a lagged one, whose newest number is at `at`.
struct Stored {
    ring: Vec<u64>,
    at: usize,
    generator: Generator,
    dealer: DeclaredDealer,
}

impl Stored {
    fn new(randomizer: &Randomizer, start: u64) -> Self {
        let plain = Randomizer {
            clock: Clock::Deals,
            other_calls: 0,
            deal: nextscope_games::games::declared::Deal::Direct {},
            draw: nextscope_games::games::declared::Draw {
                shift: 0,
                bits: 1,
                method: nextscope_games::games::declared::Method::Modulo,
                add: None,
                sum_bits: None,
            },
            kinds: vec![Symbol::I, Symbol::J],
            codes: Vec::new(),
            table: Vec::new(),
            deals: Deals::Pieces,
            pair: nextscope_games::games::declared::PairForm::AxisFirst,
            first: None,
            queue: None,
            ..randomizer.clone()
        };
        let dealer = DeclaredDealer::new(Arc::new(Program::new(plain).unwrap()), start);
        let generator = randomizer.generator.clone();
        let mut ring = Vec::new();
        if let Generator::Lagged { width, long, fill, .. } = &generator {
            let LinearSteps { multiplier, increment, .. } = *fill;
            let filled = std::iter::successors(Some(start), |x| {
                Some(x.wrapping_mul(multiplier).wrapping_add(increment))
            });
            ring = filled.take((*long).into()).map(|x| x & (u64::MAX >> (64 - width))).collect();
        }
        Self { ring, at: 0, generator, dealer }
    }

    fn step(&mut self) {
        self.dealer.deal_number();
        if let Generator::Lagged { width, short, operation, .. } = &self.generator {
            let long = self.ring.len();
            let (old, newer) = (self.ring[self.at], self.ring[(self.at + long - usize::from(*short)) % long]);
            let new = match operation {
                LagOperation::Add => old.wrapping_add(newer),
                LagOperation::Subtract => old.wrapping_sub(newer),
                LagOperation::Xor => old ^ newer,
            };
            self.ring[self.at] = new & (u64::MAX >> (64 - width));
            self.at = (self.at + 1) % long;
        }
    }

    /// Steps until the state is this one.
    fn follow(&mut self, state: u64) {
        for _ in 0..20_000 {
            if self.dealer.state().word == state {
                return;
            }
            self.step();
        }
        panic!("the state is not reached");
    }

    fn store(&self, bytes: &mut [u8], at: usize, order: Endian) {
        let width = usize::from(self.generator.width()).div_ceil(8);
        let width = match self.generator {
            Generator::Table { .. } => 1,
            _ => width.next_power_of_two(),
        };
        let mut put = |at: usize, number: u64| {
            let cell = &mut bytes[at..at + width];
            match order {
                Endian::Big => cell.copy_from_slice(&number.to_be_bytes()[8 - width..]),
                Endian::Little => cell.copy_from_slice(&number.to_le_bytes()[..width]),
            }
        };
        if self.ring.is_empty() {
            put(at, self.dealer.state().word);
        } else {
            self.ring.iter().enumerate().for_each(|(nth, number)| put(at + nth * width, *number));
        }
    }
}

impl Game {
    pub fn play(&self) -> Played {
        let Self { randomizer, order, size, deals: count, ahead, title, .. } = self;
        let mut random = SplitMix64(self.seed);
        let start_seed = (u64::from(random.draw()) << 32 | u64::from(random.draw())) | 1;
        let start_seed = match &randomizer.generator {
            Generator::Lagged { .. } => start_seed & (u64::MAX >> (64 - randomizer.seed.bits)),
            _ => start_seed & (u64::MAX >> (64 - randomizer.seed.bits.min(randomizer.generator.width()))),
        };
        let steps_in_frames = randomizer.clock != Clock::Deals;
        // Before the game the generator runs, so that it can be found although the game itself does not use it.
        let mut stored = Stored::new(randomizer, start_seed);
        let mut frames: Vec<Option<usize>> = vec![None; title + 4];
        let mut at = frames.len();
        for deal in 0..*count {
            at += 20 + random.below(30) as usize;
            frames.resize(at, None);
            frames.push(Some(deal));
        }
        frames.resize(at + 12, None);
        let mut noise = SplitMix64(self.seed ^ 99);
        let mut bytes: Vec<u8> = (0..*size).map(|_| noise.draw() as u8).collect();
        if let Generator::Table { values, .. } = &randomizer.generator {
            for (at, value) in (TABLE..).zip(values) {
                bytes[at] = *value as u8;
            }
        }
        let codes: Vec<u8> = (0..16).map(|kind| 0x11_u8.wrapping_mul(kind) ^ 0x35).collect();
        let mut series = Series::new(Address(0x8000));
        let mut dealer: Option<DeclaredDealer> = None;
        let (mut start, mut made, mut gaps, mut dealt) = (0, Vec::new(), Vec::new(), Vec::new());
        let mut since = 0_u32;
        let mut others = Vec::new();
        let mut decoy = 0x1357_9BDF_u32;
        let mut word = 0;
        for (frame, event) in (0_u64..).zip(&frames) {
            let is_title = (frame as usize) < *title;
            if frame > 0 && (is_title || (steps_in_frames && frame as usize >= *title)) {
                stored.step();
            }
            since += 1;
            if let Some(deal) = event {
                if dealer.is_none() {
                    start = match &randomizer.generator {
                        Generator::Lagged { .. } => start_seed,
                        _ => stored.dealer.state().word,
                    };
                    let program = Arc::new(Program::new(randomizer.clone()).unwrap());
                    let mut new = DeclaredDealer::new(program, start);
                    // A lagged generator has run since the seed.
                    let lagged = matches!(randomizer.generator, Generator::Lagged { .. });
                    since = if lagged && steps_in_frames { frame as u32 } else { 0 };
                    new.set_gap(since);
                    dealer = Some(new);
                }
                let dealer = dealer.as_mut().unwrap();
                let wanted = deal + ahead + 1;
                while made.len() < wanted {
                    let gap = if steps_in_frames { since } else { 0 };
                    let mut dealt = next(dealer, randomizer, gap);
                    if let Source::Other(number) = self.source {
                        let kind =
                            Source::kind(number, dealer.state().word, frame, &others, randomizer.kinds.len());
                        others.push(kind);
                        dealt.0 = randomizer.kinds[kind];
                    }
                    made.push(dealt);
                    gaps.push(gap);
                    since = 0;
                }
                if dealer.state().word != word || *deal == 0 {
                    stored.follow(dealer.state().word);
                }
                dealt.push(ObservedDeal {
                    sample: frame as usize,
                    kind: index(randomizer, made[*deal].0),
                    child: made[*deal].1.map_or(0, |child| index(randomizer, child)),
                });
                for shown in 0..=*ahead {
                    let (kind, child) = made[deal + shown];
                    bytes[PIECE + 2 * shown] = codes[usize::from(index(randomizer, kind))];
                    bytes[PIECE + 2 * shown + 1] =
                        child.map_or(0, |child| codes[usize::from(index(randomizer, child))]);
                }
                bytes[COUNT] = (0xE0 + made.len()) as u8;
                bytes[PIECE + 0x30] = bytes[PIECE + 0x30].wrapping_add(7);
            }
            word = stored.dealer.state().word;
            if self.source == Source::Hardware {
                if let Some(deal) = event.filter(|deal| deal % 7 == 0) {
                    // The whole bag is made with its first piece.
                    let mut ahead = dealer.clone().unwrap();
                    let bag =
                        made[deal..].iter().copied().chain((0..6).map(|_| next(&mut ahead, randomizer, 0)));
                    for (at, (kind, _)) in (BAG..).zip(bag.take(7)) {
                        bytes[at] = codes[usize::from(index(randomizer, kind))];
                    }
                }
            } else {
                stored.store(&mut bytes, STATE, *order);
                stored.store(&mut bytes, COPY, *order);
            }
            // What else moves: counters, another generator, noise, sprites.
            bytes[0x10..0x12].copy_from_slice(&(frame as u16).to_be_bytes());
            bytes[0x14..0x18].copy_from_slice(&(frame as u32 * 3).to_le_bytes());
            bytes[0x1A] = (frame % 10) as u8;
            decoy = decoy.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            bytes[0x24..0x28].copy_from_slice(&decoy.to_le_bytes());
            bytes[0x700..0x740].fill_with(|| noise.draw() as u8);
            for (nth, byte) in bytes[0x40..0x50].iter_mut().enumerate() {
                *byte = ((frame as usize * (nth + 1)) / 16) as u8;
            }
            series.push(frame, &bytes).unwrap();
        }
        // The deals that follow, with made-up gaps.
        let dealer = dealer.as_mut().unwrap();
        while made.len() < count + LATER {
            let gap = if steps_in_frames { 20 + random.below(30) } else { 0 };
            made.push(next(dealer, randomizer, gap));
            gaps.push(gap);
        }
        let observed = Observations {
            deals: randomizer.deals,
            kinds: sorted(&randomizer.kinds),
            codes: Vec::new(),
            dealt,
            from_start: true,
        };
        Played { series, observed, start, gaps, dealt: made }
    }
}

/// Whether the best rule deals what the game dealt and deals afterwards.
pub fn is_right(report: &Report, played: &Played) -> bool {
    let Some(best) = report.candidates.first() else { return false };
    deals(&best.fit.randomizer, played.start, &played.gaps).is_some_and(|dealt| dealt == played.dealt)
}

/// The kinds in an order that tells nothing of the game's.
fn sorted(kinds: &[Symbol]) -> Vec<Symbol> {
    let mut kinds = kinds.to_vec();
    kinds.sort_unstable();
    kinds
}

fn index(randomizer: &Randomizer, symbol: Symbol) -> u8 {
    sorted(&randomizer.kinds).iter().position(|kind| *kind == symbol).unwrap() as u8
}
