//! Finds the cell that counts the dealt pieces by its changes: it increases by one now and then, and another cell contains the
//! piece at that index. A cell that counts the pieces of all games does so too, but in one game only.

use crate::games::sega::sega_tetris::LENGTH;
use nextscope_memory::console::{ConsoleAddr, Domain};

/// Steps of a counter before it and its piece cell are accepted.
const STEPS: u32 = 8;
/// Two candidates whose steps differ by at most this are ambiguous: the first sample may have been taken in the middle of a deal,
/// after one of two counters moved.
const HEAD_START: u32 = 1;
/// Steps in a row without the piece at its index, after which a found counter is given up.
const WRONG_STEPS: u32 = 3;
/// The largest step of a candidate: one deal may have been missed.
const DEALT_AT_ONCE: usize = 2;
/// The most pieces dealt between two samples across the end of the buffer; more mean another game.
const MAX_DEALT_ACROSS_END: usize = 16;
/// A cell with fewer samples per step than this counts frames.
const SAMPLES_PER_STEP: u32 = 2;
/// Possible offsets from the counter's value to the index of the piece in the other cell: the game may count before it
/// deals, and show a piece ahead.
const OFFSETS: [isize; 4] = [-2, -1, 0, 1];

/// A cell that counts the pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct FoundIndex {
    /// Its address.
    pub address: ConsoleAddr,
    /// Its length, 2.
    pub bytes: usize,
    /// A cell that contains the piece at that index.
    pub piece_at: ConsoleAddr,
    /// The offset from the counter's value to the index of that piece.
    pub ahead: isize,
}

#[derive(Debug, Clone)]
struct Candidate {
    at: usize,
    value: usize,
    steps: u32,
    samples: u32,
    /// Whether it moved with the last sample, which may have been taken in the middle of a deal.
    moved: bool,
    /// Whether this sample confirms a step. Only then is the cell accepted, and not because another one is cleared before the next game.
    confirmed: bool,
    /// Cells that contained the piece at the value plus an offset in the sample after every step.
    followers: Option<Vec<(usize, isize)>>,
}

/// Searches all cells for the counter.
#[derive(Debug, Clone, Default)]
pub struct CounterFinder {
    candidates: Option<Vec<Candidate>>,
    game: u64,
    found: Option<Found>,
}

#[derive(Debug, Clone)]
struct Found {
    at: usize,
    /// The cell that contains the piece at the counter's value plus `ahead`.
    piece_at: usize,
    ahead: isize,
    value: Option<usize>,
    wrong_steps: u32,
}

impl CounterFinder {
    /// Processes a sample of RAM in bus order, during a game with these codes. A new game restarts the search, unless the
    /// counter was found and counts the pieces of this game too.
    pub fn update(&mut self, ram: &[u8], game: u64, codes: &[u8; LENGTH]) {
        let value =
            |at: usize| ram.get(at..at + 2).map(|cell| usize::from(cell[0]) << 8 | usize::from(cell[1]));
        if std::mem::replace(&mut self.game, game) != game {
            self.candidates = None;
        }
        if let Some(found) = &mut self.found {
            if found.is_confirmed(value(found.at), ram, codes) {
                return;
            }
            (self.found, self.candidates) = (None, None);
        }
        let Some(candidates) = &mut self.candidates else {
            let cells = (0..ram.len()).step_by(2).filter_map(|at| Some((at, value(at)?)));
            self.candidates = Some(cells.map(|(at, value)| Candidate::new(at, value)).collect());
            return;
        };
        candidates.retain_mut(|one| {
            one.samples += 1;
            let Some(now) = value(one.at) else { return false };
            one.confirmed = now == one.value && std::mem::take(&mut one.moved);
            if now == one.value {
                return !one.confirmed || one.follow(ram, codes);
            }
            let is_index = one.value < LENGTH && now < LENGTH;
            if !is_index || !(1..=DEALT_AT_ONCE).contains(&dealt_between(one.value, now)) {
                // The game may set it after the sequence of the game is complete.
                let is_first_value = one.steps == 0;
                *one = Candidate::new(one.at, now);
                return is_first_value;
            }
            (one.value, one.moved) = (now, true);
            one.steps += 1;
            one.steps < STEPS || one.samples >= one.steps * SAMPLES_PER_STEP
        });
        let most = candidates.iter().map(|one| one.steps).max().filter(|most| *most >= STEPS);
        let Some(most) = most else { return };
        let mut likely = candidates.iter().filter(|one| one.steps + HEAD_START >= most);
        if let (Some(one), None) = (likely.next(), likely.next())
            && one.confirmed
        {
            let follower = one.followers.as_ref().and_then(|followers| followers.first());
            self.found = follower.map(|&(piece_at, ahead)| Found {
                at: one.at,
                piece_at,
                ahead,
                value: None,
                wrong_steps: 0,
            });
        }
    }

    /// The cell, once it is certain.
    pub fn found(&self, domain: &Domain) -> Option<FoundIndex> {
        let found = self.found.as_ref()?;
        let (address, piece_at) = (domain.address_at(found.at), domain.address_at(found.piece_at));
        Some(FoundIndex { address, bytes: 2, piece_at, ahead: found.ahead })
    }
}

/// Pieces dealt between two samples of the counting cell; 0 when it goes back further than the end of the buffer explains, which means
/// another game.
pub(super) fn dealt_between(last: usize, index: usize) -> usize {
    match index.checked_sub(last) {
        Some(dealt) => dealt,
        None => Some(index + LENGTH - last).filter(|dealt| *dealt <= MAX_DEALT_ACROSS_END).unwrap_or(0),
    }
}

/// The code at an index of the sequence, which repeats.
fn code_at(codes: &[u8; LENGTH], index: usize, ahead: isize) -> u8 {
    codes[(index.cast_signed() + ahead).rem_euclid(LENGTH.cast_signed()).cast_unsigned()]
}

impl Found {
    /// Whether the piece is still at its index. What is in the cells between two steps says nothing: a menu may use them.
    fn is_confirmed(&mut self, value: Option<usize>, ram: &[u8], codes: &[u8; LENGTH]) -> bool {
        let before = std::mem::replace(&mut self.value, value);
        if let (Some(before), Some(value)) = (before, value)
            && value == before + 1
        {
            let right = ram.get(self.piece_at) == Some(&code_at(codes, value, self.ahead));
            self.wrong_steps = if right { 0 } else { self.wrong_steps + 1 };
        }
        self.wrong_steps < WRONG_STEPS
    }
}

impl Candidate {
    fn new(at: usize, value: usize) -> Self {
        Self { at, value, steps: 0, samples: 0, moved: false, confirmed: false, followers: None }
    }

    /// Retains the cells that contain the piece at the counter's index; false when none is left.
    fn follow(&mut self, ram: &[u8], codes: &[u8; LENGTH]) -> bool {
        let piece = |ahead: isize| code_at(codes, self.value, ahead);
        match &mut self.followers {
            None => {
                let mut all = Vec::new();
                for ahead in OFFSETS {
                    let code = piece(ahead);
                    let cells = (0..ram.len()).filter(|cell| ram[*cell] == code);
                    all.extend(cells.map(|cell| (cell, ahead)));
                }
                self.followers = Some(all);
            }
            Some(followers) => followers.retain(|(cell, ahead)| ram.get(*cell) == Some(&piece(*ahead))),
        }
        self.followers.as_ref().is_some_and(|left| !left.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nextscope_memory::console::ConsoleId;

    const INDEX: usize = 0x30;
    const PIECE: usize = 0x101;
    const OF_ALL_GAMES: usize = 0x206;

    /// RAM with a counter of this game's pieces, the piece, and a counter of the pieces of all games.
    struct Console {
        ram: Vec<u8>,
        finder: CounterFinder,
    }

    impl Console {
        fn new() -> Self {
            Self { ram: vec![0xFF; 0x400], finder: CounterFinder::default() }
        }

        fn set(&mut self, at: usize, value: u16) {
            self.ram[at..at + 2].copy_from_slice(&value.to_be_bytes());
        }

        /// Some samples of each of some deals of a game.
        fn play(&mut self, game: u64, codes: &[u8; LENGTH], deals: std::ops::Range<u16>, dealt_before: u16) {
            for index in deals {
                self.ram[PIECE] = codes[usize::from(index)];
                self.set(INDEX, index + 1);
                self.set(OF_ALL_GAMES, dealt_before + index + 1);
                for _ in 0..5 {
                    self.finder.update(&self.ram, game, codes);
                }
            }
        }

        fn found(&self) -> Option<usize> {
            self.finder.found.as_ref().map(|found| found.at)
        }
    }

    /// Codes in an order without a pattern.
    fn codes(seed: u32) -> [u8; LENGTH] {
        let mut state = seed;
        std::array::from_fn(|_| {
            state = state.wrapping_mul(0x41C6_4E6D).wrapping_add(12_345);
            u8::try_from((state >> 20) % 7).unwrap()
        })
    }

    #[test]
    fn the_counter_of_a_game_is_distinguished_from_one_of_all_games_although_the_first_sample_was_in_a_deal()
    {
        for head_start in [None, Some(INDEX), Some(OF_ALL_GAMES)] {
            let mut console = Console::new();
            let (first, second) = (codes(1), codes(2));
            console.set(INDEX, 3);
            console.set(OF_ALL_GAMES, 3);
            console.ram[PIECE] = first[2];
            if let Some(at) = head_start {
                console.set(at, 4);
            }
            console.finder.update(&console.ram, 1, &first);
            console.play(1, &first, 3..30, 0);
            assert_eq!(console.found(), None, "both count alike in the first game");
            console.play(2, &second, 0..12, 30);
            assert_eq!(console.found(), Some(INDEX));
            let domain = ConsoleId::Genesis.domain();
            let found = console.finder.found(domain).unwrap();
            assert_eq!((found.ahead, found.piece_at), (-1, domain.address_at(PIECE)));
        }
    }

    #[test]
    fn a_counter_that_is_set_after_the_first_sample_of_a_game_is_not_left_out() {
        for before in [0xFFFF, 700, 14] {
            let mut console = Console::new();
            let (first, second) = (codes(7), codes(8));
            console.set(INDEX, before);
            console.set(OF_ALL_GAMES, 0);
            console.finder.update(&console.ram, 1, &first);
            console.set(INDEX, 0);
            console.finder.update(&console.ram, 1, &first);
            console.play(1, &first, 0..30, 0);
            assert_eq!(console.found(), None, "both count alike in the first game");
            console.play(2, &second, 0..12, 30);
            assert_eq!(console.found(), Some(INDEX));
        }
    }

    #[test]
    fn samples_in_the_middle_of_a_deal_and_missed_deals_decide_nothing() {
        for early in [INDEX, OF_ALL_GAMES, PIECE] {
            let mut console = Console::new();
            let (first, second) = (codes(5), codes(6));
            console.play(1, &first, 0..5, 0);
            // Only one of the three was written when this sample was taken.
            if early == PIECE {
                console.ram[PIECE] = first[5];
            } else {
                console.set(early, 6);
            }
            console.finder.update(&console.ram, 1, &first);
            // The seventh is missed.
            console.play(1, &first, 5..7, 0);
            console.play(1, &first, 8..30, 0);
            // The next game begins with this, and its sequence is not there yet.
            console.set(INDEX, 0);
            for _ in 0..5 {
                console.finder.update(&console.ram, 1, &first);
            }
            assert_eq!(console.found(), None, "both count alike in the first game");
            console.play(2, &second, 0..12, 30);
            assert_eq!(console.found(), Some(INDEX));
        }
    }

    #[test]
    fn a_counter_that_does_not_count_the_next_game_is_given_up() {
        let mut console = Console::new();
        let (first, second) = (codes(3), codes(4));
        // In the first game, only the counter of all games is there.
        for index in 0..12 {
            console.ram[PIECE] = first[usize::from(index)];
            console.set(OF_ALL_GAMES, index + 1);
            for _ in 0..5 {
                console.finder.update(&console.ram, 1, &first);
            }
        }
        assert_eq!(console.found(), Some(OF_ALL_GAMES));
        console.play(2, &second, 0..30, 12);
        assert_eq!(console.found(), Some(INDEX));
        // What a menu writes there changes nothing.
        console.ram[PIECE] = 0xEE;
        console.set(INDEX, 700);
        for _ in 0..100 {
            console.finder.update(&console.ram, 2, &second);
        }
        assert_eq!(console.found(), Some(INDEX));
    }
}
