//! The sequence of games: checks the seed against the main generator, the state against its calls, the pieces against the draws, and
//! determines the variant of the table.

use crate::games::bloxeed::live::finder::MAX_STEP;
use crate::games::bloxeed::live::pieces::Drawn;
use crate::games::bloxeed::live::{Observation, Values};
use crate::games::bloxeed::states::{GAME_LIMIT, MAX_ITEMS, dealt, items_before, mains_before};
use crate::games::bloxeed::{Game, Reading, Table};
use crate::games::piece::Piece;
use crate::games::sega::{Carry, LATER_DEFAULT, State, ZeroTest};
use crate::live::{Check, CheckId, Mismatch, SampleContext, Status, Totals, Verdict};
use crate::profile::Profile;
use std::cmp::Ordering;

/// Consecutive samples with a state that does not follow from its seed before the cells count as wrong: three seconds.
const LOST_AFTER: u32 = 200;

/// The current game.
#[derive(Debug, Clone)]
struct Current {
    /// Pieces dealt; None when the state does not follow from the seed.
    dealt: Option<u32>,
    /// How often it was continued.
    continues: u32,
    /// The result for the seed.
    seed: Check,
}

/// The sequence of games.
#[derive(Debug, Clone, Default)]
pub struct GameHistory {
    current: Option<Current>,
    last: Option<Values>,
    games: u64,
    /// Consecutive samples with a state that does not follow from its seed.
    inconsistent: u32,
    /// Pieces drawn since attaching.
    stepped: u64,
    checked: u64,
    /// The last wrong piece, and the last wrong state.
    wrong_piece: Option<String>,
    wrong_state: Option<String>,
    /// Pieces that match only one variant of the table, in the order of [`Table::ALL`].
    tables: [u32; 2],
    /// Games whose seeds match only one variant of the carry, in the order of [`Carry::ALL`].
    carries: [u32; 2],
    /// Games whose seeds match only one zero test, in the order of [`ZeroTest::ALL`].
    zeros: [u32; 2],
}

/// The variant with the higher count; None when they are equal.
fn decided<T: Copy>(variants: [T; 2], counts: [u32; 2]) -> Option<T> {
    match counts[0].cmp(&counts[1]) {
        Ordering::Greater => Some(variants[0]),
        Ordering::Less => Some(variants[1]),
        Ordering::Equal => None,
    }
}

impl GameHistory {
    /// Discards the game but not the round count.
    pub fn reset(&mut self) {
        *self = Self { games: self.games, ..Self::default() };
    }

    /// The variants to use, and whether a piece has determined the table; the profile's variants until determined.
    pub fn reading(&self, profile: &Profile) -> (Reading, bool) {
        let usual = Reading::of_profile(|name| profile.variant(name));
        let table = decided(Table::ALL, self.tables);
        let reading = Reading {
            table: table.unwrap_or(usual.table),
            zero: decided(ZeroTest::ALL, self.zeros).unwrap_or(usual.zero),
            carry: decided(Carry::ALL, self.carries).unwrap_or(usual.carry),
        };
        (reading, table.is_some())
    }

    /// The items drawn before the main generator generated a seed, by the best variant; counts variants that are the only match.
    fn items(&mut self, main: State, seed: State) -> Option<u32> {
        let by = |carry, zero| {
            let reading = Reading { zero, carry, ..Reading::default() };
            items_before(reading.routine(), main, seed)
        };
        let all = Carry::ALL.map(|carry| ZeroTest::ALL.map(|zero| by(carry, zero)));
        let items = all.into_iter().flatten().flatten().min()?;
        // Only the variants with as few items: another one may match by chance after a thousand items.
        let fits = all.map(|row| row.map(|found| found == Some(items)));
        let carries = fits.map(|row| row[0] || row[1]);
        let zeros = [0, 1].map(|zero| fits[0][zero] || fits[1][zero]);
        for (counts, fits) in [(&mut self.carries, carries), (&mut self.zeros, zeros)] {
            if fits[0] != fits[1] {
                counts[usize::from(fits[1])] += 1;
            }
        }
        Some(items)
    }

    /// Whether the states were inconsistent for so long that the cells must be wrong.
    pub fn is_lost(&self) -> bool {
        self.inconsistent > LOST_AFTER
    }

    /// Discards the main generator's value because its cell has changed.
    pub(super) fn forget_main(&mut self) {
        if let Some(last) = &mut self.last {
            last.main = None;
        }
    }

    /// Processes stable values. Returns the pieces drawn last if one was drawn now.
    pub(super) fn see(
        &mut self,
        now: &Values,
        sample: &SampleContext<'_>,
        totals: &mut Totals,
        found: &mut Vec<Mismatch>,
    ) -> Option<Drawn> {
        let before = self.last.replace(*now);
        if before.as_ref() == Some(now) {
            if self.current.as_ref().is_some_and(|current| current.dealt.is_none()) {
                self.inconsistent += 1;
            }
            return None;
        }
        let first = found.len();
        let predicted_before = totals.rounds_predicted;
        let drawn = match before {
            Some(before) if before.seed == now.seed && self.current.is_some() => {
                self.continues(&before, now, totals, found)
            }
            _ => {
                self.begins(before.as_ref(), now, sample, totals, found);
                true
            }
        };
        if before.is_none_or(|before| before.state != now.state) {
            let same_game = before.is_some_and(|before| before.seed == now.seed);
            let predicted = drawn && (same_game || totals.rounds_predicted > predicted_before);
            self.check_piece(now, sample, predicted, totals, found);
        }
        for mismatch in &mut found[first..] {
            (mismatch.frame, mismatch.round) = (sample.frame, self.games);
        }
        let dealt = self.current.as_ref().and_then(|current| current.dealt);
        match dealt {
            Some(dealt) if drawn && dealt > 0 => {
                let both = |state: State| Table::ALL.map(|table| table.piece(state.0 >> 16));
                Some([Some(both(now.state)), (dealt > 1).then(|| both(now.state.previous()))])
            }
            _ => None,
        }
    }

    /// Starts a game, or joins one in progress.
    fn begins(
        &mut self,
        before: Option<&Values>,
        now: &Values,
        sample: &SampleContext<'_>,
        totals: &mut Totals,
        found: &mut Vec<Mismatch>,
    ) {
        self.games += 1;
        totals.rounds += 1;
        let seed = self.seed_check(before, now, totals, sample.profile, found);
        totals.rounds_verified += u64::from(seed.status == Status::Verified);
        let pieces = dealt(now.seed, now.state, GAME_LIMIT);
        if pieces.is_none() {
            self.inconsistent_state(now, now.seed, None, found);
        } else {
            self.inconsistent = 0;
            self.wrong_state = None;
        }
        self.wrong_piece = None;
        self.stepped += u64::from(before.and(pieces).unwrap_or(0));
        self.current = Some(Current { dealt: pieces, continues: 0, seed });
    }

    /// Checks whether the main generator produced the seed of a game.
    fn seed_check(
        &mut self,
        before: Option<&Values>,
        now: &Values,
        totals: &mut Totals,
        profile: &Profile,
        found: &mut Vec<Mismatch>,
    ) -> Check {
        let check = |status, detail: String| Check { id: CheckId::SEED, status, detail };
        let since = |to: State| {
            let calls = mains_before(now.seed).filter_map(|made| made.distance_to(to));
            calls.filter(|calls| (1..=MAX_ITEMS).contains(calls)).min()
        };
        let main_before = before.and_then(|before| before.main);
        let power_on = Game::new(Table::Plain, LATER_DEFAULT).piece_seed() == now.seed;
        if let Some(items) = main_before.and_then(|main| self.items(main, now.seed)) {
            totals.rounds_predicted += u64::from(items == 0);
            let drawn = match items {
                0 => "as predicted".to_owned(),
                items => format!("{items} calls after the last sample"),
            };
            return check(Status::Verified, format!("the main generator returned the seed, {drawn}"));
        }
        let made = now.main.map(since);
        match made {
            Some(Some(calls)) if main_before.is_none() => check(
                Status::Verified,
                format!("the main generator returned the seed {calls} calls ago"),
            ),
            Some(Some(_)) | None if power_on => {
                check(Status::Verified, "the first game after the battery RAM was cleared".into())
            }
            Some(Some(_)) => check(
                Status::NotVerified,
                "the main generator returned the seed, but not after the previous game: games were missed, or another state was loaded"
                    .into(),
            ),
            None => check(Status::NotVerified, "the address of the main generator is unknown".into()),
            Some(None) if main_before.is_none() => check(
                Status::NotVerified,
                "the main generator is too far from the seed; checked with the next game".into(),
            ),
            Some(None) => {
                let expected = main_before.map(|main| Game::new(self.reading(profile).0, main).piece_seed());
                let expected = expected.map_or_else(String::new, |seed| seed.to_string());
                found.push(mismatch(
                    CheckId::SEED,
                    "the main generator does not return the piece seed".into(),
                    expected.clone(),
                    now.seed.to_string(),
                    "piece_seed",
                    None,
                ));
                check(Status::Mismatch, format!("the seed is {}, not {expected} or one soon after it", now.seed))
            }
        }
    }

    /// Continues the game with the same seed; true when a piece was drawn.
    fn continues(
        &mut self,
        before: &Values,
        now: &Values,
        totals: &mut Totals,
        found: &mut Vec<Mismatch>,
    ) -> bool {
        if before.state == now.state {
            return false;
        }
        let Some(current) = &mut self.current else { return false };
        let index = current.dealt;
        if let Some(steps) = dealt(before.state, now.state, MAX_STEP) {
            current.dealt = current.dealt.map(|dealt| dealt + steps);
            self.stepped += u64::from(steps);
            totals.pairs_missed += u64::from(steps - 1);
            return true;
        }
        let again = dealt(now.seed, now.state, GAME_LIMIT);
        match again {
            Some(steps) if steps <= MAX_STEP => {
                current.continues += 1;
                self.stepped += u64::from(steps);
                totals.pairs_missed += u64::from(steps.saturating_sub(1));
            }
            // Another moment of the same game: a save state was loaded.
            Some(_) => totals.jumps += 1,
            None => {
                current.dealt = None;
                self.inconsistent_state(now, before.state.next(), index, found);
                return false;
            }
        }
        current.dealt = again;
        self.inconsistent = 0;
        true
    }

    fn inconsistent_state(
        &mut self,
        now: &Values,
        expected: State,
        index: Option<u32>,
        found: &mut Vec<Mismatch>,
    ) {
        self.inconsistent += 1;
        let what = "the piece state does not follow from the previous one";
        self.wrong_state = Some(format!("{} does not follow from {expected}", now.state));
        let (expected, actual) = (expected.to_string(), now.state.to_string());
        found.push(mismatch(CheckId::GENERATION, what.into(), expected, actual, "piece_state", index));
    }

    /// Compares the piece in its cell with the drawn one.
    fn check_piece(
        &mut self,
        now: &Values,
        sample: &SampleContext<'_>,
        predicted: bool,
        totals: &mut Totals,
        found: &mut Vec<Mismatch>,
    ) {
        let Some((code, behind)) = now.piece else { return };
        let Some(dealt) = self.current.as_ref().and_then(|current| current.dealt) else { return };
        let Some(index) = dealt.checked_sub(1 + u32::try_from(behind).unwrap_or(u32::MAX)) else { return };
        let state = if behind == 0 { now.state } else { now.state.previous() };
        let drawn = |table: Table| table.piece(state.0 >> 16);
        let (reading, decided) = self.reading(sample.profile);
        let expected = drawn(reading.table);
        let shown = now.shown();
        let readings = Table::ALL.map(drawn);
        if readings[0] != readings[1] {
            for (count, reading) in self.tables.iter_mut().zip(readings) {
                *count += u32::from(shown == Some(reading));
            }
        }
        self.checked += 1;
        let other = !decided && readings.map(Some).contains(&shown);
        if shown == Some(expected) || other {
            totals.pairs_verified += u64::from(predicted);
            return;
        }
        let actual = shown.map_or_else(|| format!("code {code:#04X}"), |piece: Piece| piece.to_string());
        self.wrong_piece = Some(format!("piece {} was {actual}, not {expected}", index + 1));
        let what = format!("piece {} of the game is not the one that the generator draws", index + 1);
        let field = if behind == 0 { "drawn_piece" } else { "current_piece" };
        found.push(mismatch(CheckId::PIECES, what, expected.to_string(), actual, field, Some(index)));
    }

    /// The variant of the seed routine, by the seeds of consecutive games.
    fn routine_check(&self) -> Check {
        let games = |count: u32| if count == 1 { "1 game".to_owned() } else { format!("{count} games") };
        let of = |counts: [u32; 2], readings: [&str; 2], nothing: &str| match counts {
            [0, 0] => (Status::NotVerified, nothing.to_owned()),
            [first, 0] => (Status::Verified, format!("{}, by {}", readings[0], games(first))),
            [0, second] => (Status::Verified, format!("{}, by {}", readings[1], games(second))),
            [first, second] => {
                let [one, other] = readings;
                (Status::Mismatch, format!("{one} by {}, but {other} by {}", games(first), games(second)))
            }
        };
        let carry = of(
            self.carries,
            ["the carry is dropped", "the carry is bit 16 of the seed"],
            "the carry is not determined yet",
        );
        let zero = of(
            self.zeros,
            ["the whole state is tested for zero", "the low word is tested for zero"],
            "the zero test is not determined yet (one state of 65,536 does)",
        );
        let status = match (carry.0, zero.0) {
            (Status::Mismatch, _) | (_, Status::Mismatch) => Status::Mismatch,
            // A state that distinguishes the zero tests is rare.
            (carry, _) => carry,
        };
        Check { id: CheckId::SEED_ROUTINE, status, detail: format!("{}; {}", carry.1, zero.1) }
    }

    /// The number of the current or last round, from 1 since attaching; 0 before the first.
    pub const fn round(&self) -> u64 {
        self.games
    }

    /// The results of the checks.
    pub fn verdict(&self, now: Option<&Observation>) -> Verdict {
        let check = |id, status, detail: String| Check { id, status, detail };
        let Some(current) = &self.current else {
            let ids = [
                CheckId::GENERATION,
                CheckId::SEED,
                CheckId::PIECES,
                CheckId::PIECE_TABLE,
                CheckId::SEED_ROUTINE,
            ];
            let nothing = |id| check(id, Status::Nothing, "no game was found in the RAM yet".to_owned());
            return Verdict { checks: ids.map(nothing).to_vec() };
        };
        let generation = match (&self.wrong_state, current.dealt) {
            (Some(wrong), _) => (Status::Mismatch, wrong.clone()),
            (None, Some(dealt)) => {
                let continued = match current.continues {
                    0 => String::new(),
                    1 => ", continued once".to_owned(),
                    times => format!(", continued {times} times"),
                };
                let moved = self.stepped;
                let status = if moved > 0 || dealt > 0 { Status::Verified } else { Status::NotVerified };
                let detail = format!(
                    "the state is {dealt} calls after the seed{continued}; {moved} pieces drawn since attaching"
                );
                (status, detail)
            }
            (None, None) => (Status::NotVerified, "the state does not follow from the seed".to_owned()),
        };
        let cell = now.and_then(|now| now.values).is_some_and(|values| values.piece.is_some());
        let pieces = match (&self.wrong_piece, self.checked) {
            (Some(wrong), _) => (Status::Mismatch, wrong.clone()),
            (None, 0) if cell => (Status::NotVerified, "no piece drawn yet".to_owned()),
            (None, 0) => {
                (Status::NotVerified, "the cell of the drawn piece is unknown: searching for it".to_owned())
            }
            (None, checked) => (Status::Verified, format!("{checked} pieces drawn as predicted")),
        };
        let count = |table: Table| {
            Table::ALL
                .into_iter()
                .zip(self.tables)
                .find(|(one, _)| *one == table)
                .map_or(0, |(_, count)| count)
        };
        let table = match (count(Table::Plain), count(Table::FewerSnakes)) {
            (0, 0) => (Status::NotVerified, "the table variant is not determined yet".to_owned()),
            (plain, 0) => (Status::Verified, format!("the remainder of 7, by {plain} pieces")),
            (0, snakes) => {
                (Status::Verified, format!("I instead of Z and S from 0x70 on, by {snakes} pieces"))
            }
            (plain, snakes) => (
                Status::Mismatch,
                format!(
                    "{plain} pieces match only the remainder of 7, {snakes} only the variant with fewer Z and S"
                ),
            ),
        };
        let checks = vec![
            check(CheckId::GENERATION, generation.0, generation.1),
            current.seed.clone(),
            check(CheckId::PIECES, pieces.0, pieces.1),
            check(CheckId::PIECE_TABLE, table.0, table.1),
            self.routine_check(),
        ];
        Verdict { checks }
    }
}

fn mismatch(
    check: CheckId,
    what: String,
    expected: String,
    actual: String,
    field: &str,
    index: Option<u32>,
) -> Mismatch {
    Mismatch {
        check,
        what,
        expected,
        actual,
        field: field.into(),
        index,
        frame: 0,
        round: 0,
        evidence: None,
        one_of: false,
    }
}
