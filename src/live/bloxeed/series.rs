//! One game after another: whether its seed is the main generator's, whether its state goes on by calls, whether its pieces are
//! those drawn, and which reading of the table holds.

use super::finder::STEP_MOST;
use super::pieces::Drawn;
use super::{Observation, Values};
use crate::game::bloxeed::{Game, Reading, Table};
use crate::game::bloxeed_states::{GAME_LIMIT, MAX_ITEMS, dealt, items_before, mains_before};
use crate::game::piece::Piece;
use crate::game::sega::{Carry, LATER_DEFAULT, State, ZeroTest};
use crate::live::{Check, CheckId, Mismatch, SampleContext, Status, Totals, Verdict};
use crate::profile::Profile;
use std::cmp::Ordering;

/// Looks at a state that does not follow from its seed before the cells are believed to be others: three seconds.
const LOST_AFTER: u32 = 200;

/// The game under way.
#[derive(Debug, Clone)]
struct Current {
    /// Pieces dealt; None when the state does not follow from the seed.
    dealt: Option<u32>,
    /// How often it was continued.
    continues: u32,
    /// What came of the seed.
    seed: Check,
}

/// One game after another.
#[derive(Debug, Clone, Default)]
pub struct Series {
    current: Option<Current>,
    last: Option<Values>,
    games: u64,
    /// Looks in a row at a state that does not follow from its seed.
    astray: u32,
    /// Pieces that were drawn while watching.
    stepped: u64,
    judged: u64,
    /// The last wrong piece, and the last wrong state.
    wrong_piece: Option<String>,
    wrong_state: Option<String>,
    /// Pieces that told the readings of the table apart, in the order of [`Table::ALL`].
    told: [u32; 2],
    /// Games whose seeds told what becomes of the carry, in the order of [`Carry::ALL`].
    carries: [u32; 2],
    /// Games whose seeds told what counts as zero, in the order of [`ZeroTest::ALL`].
    zeros: [u32; 2],
}

/// The reading that more is for; None when both have as much.
fn decided<T: Copy>(readings: [T; 2], told: [u32; 2]) -> Option<T> {
    match told[0].cmp(&told[1]) {
        Ordering::Greater => Some(readings[0]),
        Ordering::Less => Some(readings[1]),
        Ordering::Equal => None,
    }
}

impl Series {
    /// Forgets the game, but for what was counted.
    pub fn restart(&mut self) {
        *self = Self { games: self.games, ..Self::default() };
    }

    /// The reading to go by, and whether a piece has decided its table; the profile's where nothing was seen that decides.
    #[must_use]
    pub fn reading(&self, profile: &Profile) -> (Reading, bool) {
        let usual = Reading::of_profile(|name| profile.variant(name));
        let table = decided(Table::ALL, self.told);
        let reading = Reading {
            table: table.unwrap_or(usual.table),
            zero: decided(ZeroTest::ALL, self.zeros).unwrap_or(usual.zero),
            carry: decided(Carry::ALL, self.carries).unwrap_or(usual.carry),
        };
        (reading, table.is_some())
    }

    /// How many items were drawn before the main generator made a seed, by whichever reading fits; and notes what only one reading
    /// fits.
    fn items(&mut self, main: State, seed: State) -> Option<u32> {
        let by = |carry, zero| {
            let reading = Reading { zero, carry, ..Reading::default() };
            items_before(reading.routine(), main, seed)
        };
        let all = Carry::ALL.map(|carry| ZeroTest::ALL.map(|zero| by(carry, zero)));
        let items = all.into_iter().flatten().flatten().min()?;
        // What fits as soon: by chance another reading may fit after a thousand items.
        let fits = all.map(|row| row.map(|found| found == Some(items)));
        let carries = fits.map(|row| row[0] || row[1]);
        let zeros = [0, 1].map(|zero| fits[0][zero] || fits[1][zero]);
        for (told, fits) in [(&mut self.carries, carries), (&mut self.zeros, zeros)] {
            if fits[0] != fits[1] {
                told[usize::from(fits[1])] += 1;
            }
        }
        Some(items)
    }

    /// Whether the states have made no sense for so long that they must be others.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.astray > LOST_AFTER
    }

    /// The main generator is read from another cell than before.
    pub(super) fn forget_main(&mut self) {
        if let Some(last) = &mut self.last {
            last.main = None;
        }
    }

    /// Takes values that stand. The pieces drawn last, when one was drawn just now.
    pub(super) fn see(
        &mut self,
        now: &Values,
        look: &SampleContext<'_>,
        totals: &mut Totals,
        found: &mut Vec<Mismatch>,
    ) -> Option<Drawn> {
        let before = self.last.replace(*now);
        if before.as_ref() == Some(now) {
            if self.current.as_ref().is_some_and(|current| current.dealt.is_none()) {
                self.astray += 1;
            }
            return None;
        }
        let first = found.len();
        let foreseen = totals.rounds_foreseen;
        let drawn = match before {
            Some(before) if before.seed == now.seed && self.current.is_some() => {
                self.goes_on(&before, now, totals, found)
            }
            _ => {
                self.begins(before.as_ref(), now, look, totals, found);
                true
            }
        };
        if before.is_none_or(|before| before.state != now.state) {
            let same_game = before.is_some_and(|before| before.seed == now.seed);
            let foreseen = drawn && (same_game || totals.rounds_foreseen > foreseen);
            self.judge(now, look, foreseen, totals, found);
        }
        for mismatch in &mut found[first..] {
            (mismatch.frame, mismatch.round) = (look.frame, self.games);
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

    /// A game begins, or the first look falls into one.
    fn begins(
        &mut self,
        before: Option<&Values>,
        now: &Values,
        look: &SampleContext<'_>,
        totals: &mut Totals,
        found: &mut Vec<Mismatch>,
    ) {
        self.games += 1;
        totals.rounds += 1;
        let seed = self.seed_check(before, now, totals, look.profile, found);
        totals.rounds_verified += u64::from(seed.status == Status::Holds);
        let pieces = dealt(now.seed, now.state, GAME_LIMIT);
        if pieces.is_none() {
            self.astray(now, now.seed, None, found);
        } else {
            self.astray = 0;
            self.wrong_state = None;
        }
        self.wrong_piece = None;
        self.stepped += u64::from(before.and(pieces).unwrap_or(0));
        self.current = Some(Current { dealt: pieces, continues: 0, seed });
    }

    /// Whether the seed of a game is a result of the main generator.
    fn seed_check(
        &mut self,
        before: Option<&Values>,
        now: &Values,
        totals: &mut Totals,
        profile: &Profile,
        found: &mut Vec<Mismatch>,
    ) -> Check {
        let check = |status, detail: String| Check { id: CheckId::Seed, status, detail };
        let since = |to: State| {
            let calls = mains_before(now.seed).filter_map(|made| made.distance_to(to));
            calls.filter(|calls| (1..=MAX_ITEMS).contains(calls)).min()
        };
        let main_before = before.and_then(|before| before.main);
        let power_on = Game::new(Table::Plain, LATER_DEFAULT).piece_seed() == now.seed;
        if let Some(items) = main_before.and_then(|main| self.items(main, now.seed)) {
            totals.rounds_foreseen += u64::from(items == 0);
            let drawn = match items {
                0 => "it was foretold".to_owned(),
                items => format!("{items} calls after it was last seen"),
            };
            return check(Status::Holds, format!("the seed is what the main generator returned, {drawn}"));
        }
        let made = now.main.map(since);
        match made {
            Some(Some(calls)) if main_before.is_none() => check(
                Status::Holds,
                format!("the seed is what the main generator returned {calls} calls ago"),
            ),
            Some(Some(_)) | None if power_on => {
                check(Status::Holds, "the first game after the battery RAM was cleared".into())
            }
            Some(Some(_)) => check(
                Status::NotVerified,
                "the seed is the main generator's, but does not follow from the game before: games were missed, or another state was loaded"
                    .into(),
            ),
            None => check(Status::NotVerified, "where the main generator stands is not known".into()),
            Some(None) if main_before.is_none() => check(
                Status::NotVerified,
                "the main generator is too far from the seed: the next game will tell".into(),
            ),
            Some(None) => {
                let expected = main_before.map(|main| Game::new(self.reading(profile).0, main).piece_seed());
                let expected = expected.map_or_else(String::new, |seed| seed.to_string());
                found.push(mismatch(
                    CheckId::Seed,
                    "the seed of the pieces is not a result of the main generator".into(),
                    expected.clone(),
                    now.seed.to_string(),
                    "piece_seed",
                    None,
                ));
                check(Status::Mismatch, format!("the seed is {}, not {expected} or one soon after it", now.seed))
            }
        }
    }

    /// The seed stands; true when a piece was drawn.
    fn goes_on(
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
        if let Some(steps) = dealt(before.state, now.state, STEP_MOST) {
            current.dealt = current.dealt.map(|dealt| dealt + steps);
            self.stepped += u64::from(steps);
            totals.pairs_unseen += u64::from(steps - 1);
            return true;
        }
        let again = dealt(now.seed, now.state, GAME_LIMIT);
        match again {
            Some(steps) if steps <= STEP_MOST => {
                current.continues += 1;
                self.stepped += u64::from(steps);
                totals.pairs_unseen += u64::from(steps.saturating_sub(1));
            }
            // Another moment of the same game: a state was loaded.
            Some(_) => totals.jumps += 1,
            None => {
                current.dealt = None;
                self.astray(now, before.state.next(), index, found);
                return false;
            }
        }
        current.dealt = again;
        self.astray = 0;
        true
    }

    fn astray(&mut self, now: &Values, expected: State, index: Option<u32>, found: &mut Vec<Mismatch>) {
        self.astray += 1;
        let what = "the state of the pieces is not one to which calls lead";
        self.wrong_state = Some(format!("{} does not follow from {expected}", now.state));
        let (expected, actual) = (expected.to_string(), now.state.to_string());
        found.push(mismatch(CheckId::Generation, what.into(), expected, actual, "piece_state", index));
    }

    /// Holds the piece in its cell against the one that was drawn.
    fn judge(
        &mut self,
        now: &Values,
        look: &SampleContext<'_>,
        foreseen: bool,
        totals: &mut Totals,
        found: &mut Vec<Mismatch>,
    ) {
        let Some((code, behind)) = now.piece else { return };
        let Some(dealt) = self.current.as_ref().and_then(|current| current.dealt) else { return };
        let Some(index) = dealt.checked_sub(1 + u32::try_from(behind).unwrap_or(u32::MAX)) else { return };
        let state = if behind == 0 { now.state } else { now.state.previous() };
        let drawn = |table: Table| table.piece(state.0 >> 16);
        let (reading, decided) = self.reading(look.profile);
        let expected = drawn(reading.table);
        let shown = now.shown();
        let readings = Table::ALL.map(drawn);
        if readings[0] != readings[1] {
            for (told, reading) in self.told.iter_mut().zip(readings) {
                *told += u32::from(shown == Some(reading));
            }
        }
        self.judged += 1;
        let other = !decided && readings.map(Some).contains(&shown);
        if shown == Some(expected) || other {
            totals.pairs_verified += u64::from(foreseen);
            return;
        }
        let actual = shown.map_or_else(|| format!("code {code:#04X}"), |piece: Piece| piece.to_string());
        self.wrong_piece = Some(format!("piece {} was {actual}, not {expected}", index + 1));
        let what = format!("piece {} of the game is not the one that the generator draws", index + 1);
        let field = if behind == 0 { "drawn_piece" } else { "current_piece" };
        found.push(mismatch(CheckId::Pieces, what, expected.to_string(), actual, field, Some(index)));
    }

    /// What the seeds of games that followed each other said of the routine that makes them.
    fn routine_check(&self) -> Check {
        let games = |count: u32| if count == 1 { "1 game".to_owned() } else { format!("{count} games") };
        let of = |told: [u32; 2], readings: [&str; 2], nothing: &str| match told {
            [0, 0] => (Status::NotVerified, nothing.to_owned()),
            [first, 0] => (Status::Holds, format!("{}, by {}", readings[0], games(first))),
            [0, second] => (Status::Holds, format!("{}, by {}", readings[1], games(second))),
            [first, second] => {
                let [one, other] = readings;
                (Status::Mismatch, format!("{} say that {one}, {} that {other}", games(first), games(second)))
            }
        };
        let carry = of(
            self.carries,
            ["the carry is dropped", "the carry is bit 16 of the seed"],
            "no seed yet told what becomes of the carry",
        );
        let zero = of(
            self.zeros,
            ["the whole state is tested for zero", "the low word is tested for zero"],
            "no state yet told what is tested for zero (one of 65,536 does)",
        );
        let status = match (carry.0, zero.0) {
            (Status::Mismatch, _) | (_, Status::Mismatch) => Status::Mismatch,
            // A state that tells the tests apart hardly ever comes.
            (carry, _) => carry,
        };
        Check { id: CheckId::SeedRoutine, status, detail: format!("{}; {}", carry.1, zero.1) }
    }

    /// The round under way, or the last one, counted from 1 since attaching; 0 before the first.
    #[must_use]
    pub const fn round(&self) -> u64 {
        self.games
    }

    /// How the checks stand.
    #[must_use]
    pub fn verdict(&self, now: Option<&Observation>) -> Verdict {
        let check = |id, status, detail: String| Check { id, status, detail };
        let Some(current) = &self.current else {
            let ids = [
                CheckId::Generation,
                CheckId::Seed,
                CheckId::Pieces,
                CheckId::PieceTable,
                CheckId::SeedRoutine,
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
                let status = if moved > 0 || dealt > 0 { Status::Holds } else { Status::NotVerified };
                let detail = format!(
                    "the state stands {dealt} calls after the seed{continued}; {moved} pieces drawn while watching"
                );
                (status, detail)
            }
            (None, None) => (Status::NotVerified, "the state does not follow from the seed".to_owned()),
        };
        let cell = now.and_then(|now| now.values).is_some_and(|values| values.piece.is_some());
        let pieces = match (&self.wrong_piece, self.judged) {
            (Some(wrong), _) => (Status::Mismatch, wrong.clone()),
            (None, 0) if cell => (Status::NotVerified, "no piece was drawn yet".to_owned()),
            (None, 0) => (
                Status::NotVerified,
                "the cell that holds the drawn piece is not known yet: it is being watched for".to_owned(),
            ),
            (None, judged) => (Status::Holds, format!("{judged} pieces were those that the generator draws")),
        };
        let told = |table: Table| {
            Table::ALL.into_iter().zip(self.told).find(|(one, _)| *one == table).map_or(0, |(_, told)| told)
        };
        let table = match (told(Table::Plain), told(Table::FewerSnakes)) {
            (0, 0) => (Status::NotVerified, "no piece yet told the two readings apart".to_owned()),
            (plain, 0) => (Status::Holds, format!("the remainder of 7, by {plain} pieces")),
            (0, snakes) => {
                (Status::Holds, format!("an I in the place of Z and S from 0x70 on, by {snakes} pieces"))
            }
            (plain, snakes) => (
                Status::Mismatch,
                format!("{plain} pieces are for the remainder of 7, {snakes} for fewer Z and S"),
            ),
        };
        let checks = vec![
            check(CheckId::Generation, generation.0, generation.1),
            current.seed.clone(),
            check(CheckId::Pieces, pieces.0, pieces.1),
            check(CheckId::PieceTable, table.0, table.1),
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
