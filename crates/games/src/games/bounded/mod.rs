//! Nextscope's own randomizer with hard limits: no drought is longer than allowed, no piece repeats too often, and within these
//! limits each piece is drawn at random. It answers the closing question of seed document 002: whether hard limits on
//! droughts and floods just make the game more predictable (`nextscope stats bounded --sweep`).
//!
//! # The limits can always be met
//!
//! Let D be the drought limit, F the flood limit and K the limit on a run of nothing but S and Z. Write `due(p)` for the
//! number of pieces within which p must be dealt: D + 1 less the number of pieces since p was dealt (or since the start). A
//! position is *safe* if some order of all seven pieces meets every due date and breaks neither of the other limits.
//!
//! 1. *From a safe position the game can continue forever*: deal the seven in that order, and repeat that order.
//!    Each piece then comes every seventh time, so D >= 6 is met; no piece follows itself; and S and Z make runs of at most
//!    two, so K >= 2 is met.
//! 2. *A position from which the game can continue forever is safe*: take the pieces in the order of their next occurrence and
//!    leave out all repetitions. This delays no piece. Runs of S and Z do not exceed the limit: only two of the seven are
//!    S and Z, and if the two come first, no other piece came before them in the full sequence either.
//! 3. So "the position after it is safe" is exactly the right test for a next piece: it forbids nothing that could be allowed,
//!    and in a safe position at least one piece passes, the first of the safe order. The start, where everything is due in
//!    D + 1 >= 7 pieces, is safe. By induction there is always a piece to deal.
//!
//! The test is earliest due date first. Without the limit on S and Z a position is safe if and only if the k-th
//! most urgent piece is due in k or more, for each k (Hall's condition). Dealing a piece brings all others one closer, so if
//! the k-th is due in exactly k, the next piece must be one of the first k; the smallest such k decides. The limit F never
//! conflicts with it: the piece dealt last is due in D + 1 >= 7, the least urgent of all. The limit K adds one condition: after a
//! run of K the next piece must be neither S nor Z, so if the other of the two is the most urgent, it must then be due in two or more.

mod deal_tree;
mod definition;
pub(crate) mod seeds;

pub(super) use definition::GAME;

pub use crate::games::pieces::Limits;

use crate::games::GameId;
use crate::games::piece::{Chances, Dealer, GameDealer, Piece};
use crate::games::pieces::Variants;
use crate::games::uniform::Uniform;

/// The id of the game.
pub const ID: GameId = GameId::new("bounded");

/// Named limits, chosen by measuring (`nextscope stats bounded --sweep`).
pub const VARIANTS: Variants = &[
    (
        "balanced",
        "droughts of at most 12 pieces, the same piece at most twice in a row, S and Z at most four in a row: the guarantees of a \
        bag of seven",
    ),
    ("like-ti", "droughts of at most 14 pieces and recent ones avoided as much as in Terror-Instinct"),
    ("strict", "droughts of at most 9 pieces, no piece twice in a row, S and Z at most three in a row"),
];

/// The limits of a variant; the default for an unknown name.
pub fn limits_of(variant: &str) -> Limits {
    match variant {
        "like-ti" => Limits { drought: 14, flood: 2, snakes: Some(4), memory: 2 },
        "strict" => Limits { drought: 9, flood: 1, snakes: Some(3), memory: 2 },
        _ => Limits::default(),
    }
}

/// The longest drought that the weights distinguish. Keeps the sum of all weights below 2^15.
const LONGEST_MEMORY: u8 = 15;

/// The weights: powers of 1 to 16, by [`Limits::memory`].
const WEIGHTS: [[u32; LONGEST_MEMORY as usize + 1]; 4] = {
    let mut weights = [[0; LONGEST_MEMORY as usize + 1]; 4];
    let mut place = 0;
    while place < 4 * (LONGEST_MEMORY as u32 + 1) {
        let (memory, away) = (place % 4, place / 4);
        weights[memory as usize][away as usize] = (away + 1).pow(memory);
        place += 1;
    }
    weights
};

/// The droughts and runs of a game so far; a function of the dealt pieces.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct DealHistory {
    limits: Limits,
    /// Pieces since each was dealt, by [`Piece::index`].
    away: [u8; 7],
    /// The pieces, least recently dealt first: the most urgent first.
    order: [u8; 7],
    last: Option<Piece>,
    /// Length of the current run of the last piece.
    run: u8,
    /// Length of the current run of S and Z.
    snakes: u8,
}

const fn is_snake(piece: usize) -> bool {
    piece == Piece::S as usize || piece == Piece::Z as usize
}

impl DealHistory {
    /// Before the first piece.
    pub const fn new(limits: Limits) -> Self {
        Self { limits, away: [0; 7], order: [0, 1, 2, 3, 4, 5, 6], last: None, run: 0, snakes: 0 }
    }

    /// The number of pieces within which a piece must be dealt.
    const fn due(&self, piece: u8) -> u8 {
        self.limits.drought + 1 - self.away[piece as usize]
    }

    /// Which pieces may come next, by [`Piece::index`].
    pub fn allowed(&self) -> [bool; 7] {
        let mut allowed = [false; 7];
        for (&piece, place) in self.order.iter().zip(1..) {
            allowed[usize::from(piece)] = true;
            if self.due(piece) == place {
                break; // all slots so far are taken by these
            }
        }
        if let Some(last) = self.last.filter(|_| self.run >= self.limits.flood) {
            allowed[last.index()] = false;
        }
        let Some(most) = self.limits.snakes else { return allowed };
        if self.snakes >= most {
            (allowed[Piece::S.index()], allowed[Piece::Z.index()]) = (false, false);
        } else if self.snakes + 1 == most {
            // The run would be full: the piece after this one must not be S or Z.
            for (snake, other) in [(Piece::S, Piece::Z), (Piece::Z, Piece::S)] {
                let (snake, other) = (snake as u8, other as u8);
                let first_but = |piece| self.order[usize::from(self.order[0] == piece)];
                if first_but(snake) == other && self.due(other) <= 2 {
                    allowed[usize::from(snake)] = false;
                }
            }
        }
        allowed
    }

    /// The weight of each piece as the next, by [`Piece::index`]: exact for a player who knows the rule and
    /// the pieces so far, but not the state of the generator.
    pub fn weights(&self) -> [u32; 7] {
        let powers = &WEIGHTS[usize::from(self.limits.memory & 3)];
        let (allowed, mut weights) = (self.allowed(), [0; 7]);
        for ((weight, allowed), &away) in weights.iter_mut().zip(allowed).zip(&self.away) {
            *weight = powers[usize::from(away.min(LONGEST_MEMORY))] * u32::from(allowed);
        }
        weights
    }

    /// The weights normalized to a sum of 1.
    pub fn chances(&self) -> [f64; 7] {
        let weights = self.weights().map(f64::from);
        let sum: f64 = weights.iter().sum();
        weights.map(|weight| weight / sum)
    }

    /// The history after one more piece.
    #[must_use]
    fn after(mut self, piece: Piece) -> Self {
        self.deal(piece);
        self
    }

    /// The pieces that may come next, with the history after each: all, or this one.
    fn followers(self, only: Option<Piece>) -> impl Iterator<Item = (Piece, Self)> {
        let allowed = self.allowed();
        let next = Piece::ALL.into_iter().filter(move |next| only.is_none_or(|only| only == *next));
        next.filter(move |next| allowed[next.index()]).map(move |next| (next, self.after(next)))
    }

    /// Records a dealt piece.
    pub fn deal(&mut self, piece: Piece) {
        for away in &mut self.away {
            *away = away.saturating_add(1);
        }
        self.away[piece.index()] = 0;
        if let Some(place) = self.order.iter().position(|&known| usize::from(known) == piece.index()) {
            self.order[place..].rotate_left(1);
        }
        self.run = if self.last == Some(piece) { self.run.saturating_add(1) } else { 1 };
        self.snakes = if is_snake(piece.index()) { self.snakes.saturating_add(1) } else { 0 };
        self.last = Some(piece);
    }
}

/// The dealer of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bounded {
    /// The generator: SplitMix64, one draw per piece.
    pub rng: Uniform,
    /// The droughts and runs so far.
    pub history: DealHistory,
}

impl Bounded {
    /// Before the first piece of a game.
    pub fn new(seed: u32, limits: Limits) -> Self {
        Self { rng: Uniform::SplitMix64(seed.into()), history: DealHistory::new(limits) }
    }
}

impl Dealer for Bounded {
    fn deal(&mut self) -> Piece {
        let weights = self.history.weights();
        // The sum is below 2^15, so the 32 bits of a draw give each weight its share to within one in 2^17.
        let mut drawn = self.rng.below(weights.iter().sum());
        let mut chosen = 0;
        for (piece, &weight) in weights.iter().enumerate() {
            chosen = piece;
            if drawn < weight {
                break;
            }
            drawn -= weight;
        }
        let piece = Piece::ALL[chosen];
        self.history.deal(piece);
        piece
    }
}

impl GameDealer for Bounded {
    fn state_after(&self) -> String {
        self.rng.to_string()
    }

    fn chances(&self) -> Option<Chances> {
        Some(self.history.chances())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn limits() -> impl Strategy<Value = Limits> {
        (6u8..24, 1u8..4, prop::option::of(2u8..6), 0u8..4)
            .prop_map(|(drought, flood, snakes, memory)| Limits { drought, flood, snakes, memory })
    }

    /// Whether some order of the seven pieces meets every limit from here on, by exhaustive search.
    fn safe(history: &DealHistory, left: &mut Vec<Piece>) -> bool {
        if left.is_empty() {
            return true;
        }
        (0..left.len()).any(|place| {
            let piece = left.remove(place);
            let mut after = *history;
            after.deal(piece);
            let limits = history.limits;
            let within = history.away[piece.index()] <= limits.drought
                && after.run <= limits.flood
                && limits.snakes.is_none_or(|most| after.snakes <= most);
            let found = within && safe(&after, left);
            left.insert(place, piece);
            found
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn limits_are_met_at_all_times(limits in limits(), seed: u32) {
            let mut dealer = Bounded::new(seed, limits.checked().unwrap());
            let (mut last, mut run, mut snakes, mut away) = (None, 0, 0, [0u32; 7]);
            for _ in 0..5000 {
                prop_assert!(dealer.history.weights().iter().sum::<u32>() > 0);
                let piece = dealer.deal();
                for away in &mut away {
                    *away += 1;
                }
                prop_assert!(away[piece.index()] <= u32::from(limits.drought) + 1, "{piece} in {limits}");
                away[piece.index()] = 0;
                run = if last == Some(piece) { run + 1 } else { 1 };
                snakes = if matches!(piece, Piece::S | Piece::Z) { snakes + 1 } else { 0 };
                prop_assert!(run <= limits.flood && limits.snakes.is_none_or(|most| snakes <= most), "{limits}");
                last = Some(piece);
            }
            // Droughts end with a dealt piece; those still open are within their limit.
            prop_assert!(away.iter().all(|&away| away <= limits.drought.into()));
        }

        /// The dealer forbids exactly the pieces after which no order of all seven meets the limits.
        #[test]
        fn only_unsafe_pieces_are_forbidden(
            drought in 6u8..11, flood in 1u8..3, snakes in prop::option::of(2u8..4), seed: u32, steps in 0usize..200,
        ) {
            // Without memory the limits are reached most often.
            let mut dealer = Bounded::new(seed, Limits { drought, flood, snakes, memory: 0 });
            dealer.deal_many(steps);
            let history = dealer.history;
            for piece in Piece::ALL {
                let mut after = history;
                after.deal(piece);
                let within = after.run <= flood && snakes.is_none_or(|most| after.snakes <= most);
                let expected = within
                    && after.away.iter().all(|&away| away <= drought)
                    && safe(&after, &mut Piece::ALL.to_vec());
                prop_assert_eq!(history.allowed()[piece.index()], expected, "{} in {:?}", piece, history);
            }
        }
    }

    #[test]
    fn out_of_range_limits_are_rejected_with_the_valid_range() {
        let limits = Limits::default();
        for (bad, word) in [
            (Limits { drought: 5, ..limits }, "drought limit of 5 is not possible: give 6 to 200"),
            (Limits { flood: 0, ..limits }, "flood limit of 0"),
            (Limits { snakes: Some(1), ..limits }, "snake limit of 1"),
            (Limits { memory: 4, ..limits }, "memory of 4"),
        ] {
            let error = bad.checked().unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
        for (variant, _) in VARIANTS {
            assert!(limits_of(variant).checked().is_ok());
        }
        assert_eq!(limits, limits_of(VARIANTS[0].0));
    }

    #[test]
    fn pieces_are_as_frequent_as_their_weights() {
        let mut start = Bounded::new(0, Limits::default());
        start.deal_many(40);
        let weights = start.history.weights();
        let total = f64::from(weights.iter().sum::<u32>());
        let mut count = [0u32; 7];
        for seed in 0..70_000 {
            let mut dealer = Bounded { rng: Uniform::SplitMix64(seed), ..start };
            count[dealer.deal().index()] += 1;
        }
        for (&count, weight) in count.iter().zip(weights) {
            let expected = 70_000.0 * f64::from(weight) / total;
            assert!((f64::from(count) - expected).abs() <= 4.0 * expected.sqrt(), "{count} for {expected}");
        }
    }

    #[test]
    fn the_tightest_limits_repeat_one_order_forever() {
        let mut dealer = Bounded::new(3, Limits { drought: 6, flood: 1, snakes: None, memory: 0 });
        let pieces = dealer.deal_many(700);
        assert!(pieces.chunks(7).all(|seven| *seven == pieces[..7]));
    }
}
