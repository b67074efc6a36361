//! Compares what comes with what the list announced, sample by sample.
//!
//! A sample of which the list moved on by one entry, or not at all, is accepted at once. What explains less, and what does not fit, is believed
//! only when another frame shows it too: a sample may fall into the middle of a write, and a new game, a reset or a loaded state is not
//! announced. The piece in play may change some frames before or after the list: it has until the list moves on again.

use super::entries::{Announced, Entry, Overlap, chance};
use super::{Listed, Observation, Prediction};
use crate::games::declared::live::follower::Verify;
use crate::games::declared::live::ram::Fields;
use crate::live::{Check, CheckId, Mismatch, ObserveError, Status, Totals, Verdict};
use crate::profile::Profile;
use crate::text::counted as counted_text;
use std::sync::Arc;

/// Frames in which the new entries of a list may still change: some games move the list first, and draw the last entry a few frames later.
/// `learn` accepts two samples.
const SETTLING: u64 = 4;
/// With this chance a list that has nothing to do with the last one may be taken for the same game, so that a new game is reported as a
/// mismatch: for seven kinds five entries have to agree but one.
const CHANCE_MOST: f64 = 1.0 / 200.0;
/// The same where a count of the deals says too that it is the same game.
const CHANCE_MOST_COUNTED: f64 = 1.0 / 10.0;
/// Deals between two samples, at most; with more it is another game.
const MAX_DEALS: u64 = 32;
/// Pieces in a row that came without having been announced, before it is reported for a list too short to tell a new game from a fault.
const MAX_UNANNOUNCED: u32 = 5;

/// What a sample shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// The list moved on by so many entries.
    Moved(usize),
    /// The same, with a wrong entry at a place.
    Wrong(usize, usize),
    /// So many deals came, more than the list has in common.
    Skipped(u64),
    /// Another game, a loaded state, or the middle of a write.
    Another,
}

/// A sample that waits for another frame that shows the same.
#[derive(Debug, Clone)]
struct Pending {
    list: Vec<Option<u8>>,
    reading: Reading,
    frame: u64,
}

/// The piece in play since the list moved.
#[derive(Debug, Clone)]
struct Due {
    /// What was announced.
    entry: Entry,
    has_come: bool,
    /// What was in play when the list moved.
    before: Option<u8>,
    /// Another piece that came, its first frame, and whether another frame had it too.
    other: Option<(u8, u64, bool)>,
}

impl Due {
    const fn new(entry: Entry, before: Option<u8>) -> Self {
        Self { entry, has_come: false, before, other: None }
    }

    /// One that came before the first sample.
    const fn past() -> Self {
        Self { has_come: true, ..Self::new(Entry::Open, None) }
    }
}

/// The game that is followed.
#[derive(Debug, Clone)]
struct Game {
    last: Arc<Observation>,
    list: Announced,
    /// The number of the first entry, from 0.
    head: u64,
    /// The count in RAM that belongs to it.
    counted: Option<u64>,
    due: Due,
    /// The frame in which the list moved.
    moved: u64,
    /// Whether the list moved since the game was first sampled. A list that is being filled for the first time changes in any way.
    has_moved: bool,
    came: u64,
}

/// Compares samples with one another.
#[derive(Debug, Clone, Default)]
pub struct Verifier {
    game: Option<Game>,
    pending: Option<Pending>,
    /// Whether the piece in play changes in the same frame as the list.
    is_together: bool,
    unannounced: u32,
    games: u64,
    result: Option<(Status, String)>,
}

impl Verify for Verifier {
    type Declared = Listed;
    type Observation = Observation;
    type Prediction = Prediction;

    fn declared(profile: &Profile) -> Result<Listed, String> {
        let codes = profile.piece_codes.as_ref();
        codes.map(Listed::new).ok_or_else(|| format!("profile {} has no [piece_codes]", profile.id))
    }

    fn observe(listed: &Arc<Listed>, fields: Fields<'_>) -> Result<Observation, ObserveError> {
        listed.observe(fields)
    }

    fn reset(&mut self) {
        *self = Self { games: self.games, ..Self::default() };
    }

    fn round(&self) -> u64 {
        self.games
    }

    fn predict(&self, now: &Observation) -> Option<Prediction> {
        let game = self.game.as_ref().filter(|_| now.is_game())?;
        Some(Prediction {
            current: game.last.current,
            // A code that means nothing is not a piece, and nothing after it has a known place.
            list: game.last.list.iter().map_while(|deal| *deal).collect(),
            before: game.head,
            joined_late: game.last.deals.is_none(),
        })
    }

    fn step(&mut self, now: &Arc<Observation>, frame: u64, totals: &mut Totals) -> Vec<Mismatch> {
        if !now.is_game() {
            self.unannounced = 0;
            return Vec::new();
        }
        let Some(game) = &mut self.game else {
            self.join(now, frame, totals);
            return Vec::new();
        };
        if frame > game.moved + SETTLING {
            game.list.settle();
        }
        let (reading, is_sure) = read(game, now, self.is_together);
        if !is_sure && !self.is_confirmed(now, reading, frame) {
            return Vec::new();
        }
        self.pending = None;
        let found = match reading {
            Reading::Moved(shift) => self.move_on(shift, now, frame, totals),
            Reading::Wrong(shift, place) => {
                let before = self.move_on(shift, now, frame, totals);
                before.into_iter().chain(self.wrong_entry(place, now, frame)).collect()
            }
            Reading::Skipped(deals) => {
                self.skip(deals, now, frame, totals);
                Vec::new()
            }
            Reading::Another => {
                let found = self.unannounced_piece(now, frame);
                self.join(now, frame, totals);
                found.into_iter().collect()
            }
        };
        totals.mismatches += found.len() as u64;
        found
    }

    fn verdict(&self) -> Verdict {
        let cannot = |game: &Game| !game.last.has_current && (game.last.is_still || game.last.list.len() < 2);
        let (status, detail) = match (&self.result, &self.game) {
            (Some(result), _) => result.clone(),
            (None, Some(game)) if cannot(game) => (
                Status::NotVerified,
                "a list of one entry, or one that does not move, needs the field `current` to be compared with".into(),
            ),
            (None, Some(_)) => (Status::NotVerified, "not checked yet".into()),
            (None, None) => (Status::Nothing, "no game yet".into()),
        };
        Verdict { checks: vec![Check { id: CheckId::DECLARED_LIST, status, detail }] }
    }
}

impl Verifier {
    /// Whether another frame showed this before; otherwise it is remembered.
    fn is_confirmed(&mut self, now: &Observation, reading: Reading, frame: u64) -> bool {
        let is_same = |before: &Pending| before.reading == reading && before.list == now.list;
        match &self.pending {
            // Frames in which the same is seen again count from the first.
            Some(before) if is_same(before) => before.frame != frame,
            _ => {
                self.pending = Some(Pending { list: now.list.clone(), reading, frame });
                false
            }
        }
    }

    /// A game that was in progress when it was first seen, or that no earlier sample explains.
    fn join(&mut self, now: &Arc<Observation>, frame: u64, totals: &mut Totals) {
        // A list that is being filled is one game.
        if self.game.as_ref().is_none_or(|game| game.has_moved) {
            self.games += 1;
            totals.rounds += 1;
            self.result = None;
        }
        self.game = Some(Game {
            last: Arc::clone(now),
            list: Announced::new(&now.list),
            head: first_number(now),
            counted: now.deals.map(|deals| deals.number),
            due: Due::past(),
            moved: frame,
            has_moved: false,
            came: 0,
        });
    }

    /// Deals that were not sampled, as the count in RAM says.
    fn skip(&mut self, deals: u64, now: &Arc<Observation>, frame: u64, totals: &mut Totals) {
        let Some(game) = &mut self.game else { return };
        totals.pairs_missed += deals + u64::from(now.has_current && !game.due.has_come);
        game.head += deals;
        game.counted = now.deals.map(|deals| deals.number);
        (game.list, game.due, game.moved) = (Announced::new(&now.list), Due::past(), frame);
        game.last = Arc::clone(now);
    }

    /// The list moved on by some entries, or not at all.
    fn move_on(
        &mut self,
        shift: usize,
        now: &Arc<Observation>,
        frame: u64,
        totals: &mut Totals,
    ) -> Vec<Mismatch> {
        let found = if shift > 0 { self.settle_due(shift, now, frame, totals) } else { None };
        let Some(game) = &mut self.game else { return Vec::new() };
        let is_short = now.list.len() < 2;
        if let Some(taken) = shift.checked_sub(1) {
            // With more than one the others were in play between two samples, if at all.
            totals.pairs_missed += taken as u64;
            let entry = if game.list.is_new(taken) { Entry::Open } else { game.list.get(taken) };
            if now.has_current {
                game.due = Due::new(entry, game.last.current);
            } else if taken == 0 && !is_short && !now.is_still && entry.deal().is_some() {
                totals.pairs_verified += 1;
                game.came += 1;
            } else {
                totals.pairs_missed += 1;
            }
            game.moved = frame;
            game.has_moved = true;
        }
        game.list.move_on(&now.list, shift);
        game.head += shift as u64;
        game.counted = game.counted.map(|counted| counted.wrapping_add(shift as u64));
        // The count of a new game may begin some frames after its list.
        if !game.has_moved && counted(game, now).is_none() {
            (game.head, game.counted) = (first_number(now), now.deals.map(|deals| deals.number));
        }
        self.see_current(shift, now, frame, totals);
        let Some(game) = &mut self.game else { return Vec::new() };
        game.last = Arc::clone(now);
        if game.came > 0 {
            let unit = now.kinds.deals().unit();
            let came = counted_text(game.came, unit);
            self.result = Some((Status::Verified, format!("{came} came as announced")));
        }
        found.into_iter().collect()
    }

    /// The piece in play at a sample.
    fn see_current(&mut self, shift: usize, now: &Observation, frame: u64, totals: &mut Totals) {
        let Some(game) = &mut self.game else { return };
        let Some(current) = now.current else { return };
        let (due, before) = (&mut game.due, game.last.current);
        if due.entry == Entry::Is(current) {
            if shift == 1 && before != Some(current) && game.last.list != now.list {
                self.is_together = true;
            }
            if !due.has_come {
                due.has_come = true;
                totals.pairs_verified += 1;
                game.came += 1;
                self.unannounced = 0;
            }
            return;
        }
        if shift == 1 {
            self.is_together = false;
        }
        // The next one may come before the list moves.
        if Some(current) == due.before || game.list.first() == Entry::Is(current) {
            return;
        }
        due.other = match due.other {
            Some((other, first, is_sure)) if other == current => {
                Some((other, first, is_sure || first != frame))
            }
            other if other.is_some_and(|(_, _, is_sure)| is_sure) => other,
            _ => Some((current, frame, false)),
        };
    }

    /// The list moves on: what was due has come by now, or another piece has, or it was not sampled.
    fn settle_due(
        &mut self,
        shift: usize,
        now: &Arc<Observation>,
        frame: u64,
        totals: &mut Totals,
    ) -> Option<Mismatch> {
        let game = self.game.as_ref()?;
        if !now.has_current || game.due.has_come {
            return None;
        }
        let other = game.due.other.filter(|(_, _, is_sure)| *is_sure).map(|(other, ..)| other);
        let (Some(announced), Some(other)) = (game.due.entry.deal(), other) else {
            totals.pairs_missed += 1;
            return None;
        };
        let Overlap { known, .. } = game.list.overlap(&now.list, shift);
        let is_game = chance(now.kinds.count(), known, 0) <= most(game, now, shift);
        let (index, letters) = (game.head.saturating_sub(1), |deal: u8| now.kinds.letters(deal));
        let (expected, actual) = (letters(announced), letters(other));
        if is_game {
            let what = format!("{}: announced {expected}, {actual} came", self.number(index, now));
            return Some(self.mismatch(what, (expected, actual), "current", Some(index), frame));
        }
        totals.pairs_missed += 1;
        self.unannounced_piece(now, frame)
    }

    /// A piece came that a list announced otherwise which is too short to tell a new game from a fault. Games do not begin again and again.
    fn unannounced_piece(&mut self, now: &Observation, frame: u64) -> Option<Mismatch> {
        let game = self.game.as_ref()?;
        if !now.has_current || chance(now.kinds.count(), game.list.len(), 0) <= CHANCE_MOST {
            return None;
        }
        let letters = |deal: Option<u8>| deal.map_or_else(String::new, |deal| now.kinds.letters(deal));
        let (expected, actual) = (letters(game.list.first().deal()), letters(now.current));
        self.unannounced += 1;
        if self.unannounced != MAX_UNANNOUNCED {
            return None;
        }
        let what = format!(
            "the last {MAX_UNANNOUNCED} {}s were not those announced: check the addresses of `next` and `current`, and [piece_codes]",
            now.kinds.deals().unit()
        );
        Some(self.mismatch(what, (expected, actual), "current", None, frame))
    }

    fn wrong_entry(&mut self, place: usize, now: &Observation, frame: u64) -> Option<Mismatch> {
        let game = self.game.as_mut()?;
        let announced = game.list.get(place).deal()?;
        game.list.dispute(place);
        let index = game.head + place as u64;
        let letters = |deal: u8| now.kinds.letters(deal);
        let (expected, actual) = (letters(announced), letters(now.list.get(place).copied().flatten()?));
        let what = format!("{}: announced {expected}, RAM has {actual}", self.number(index, now));
        Some(self.mismatch(what, (expected, actual), "next", Some(index), frame))
    }

    /// "piece 12 of the game".
    fn number(&self, index: u64, now: &Observation) -> String {
        let since = if now.deals.is_none() { "since the first sample" } else { "of the game" };
        format!("{} {} {since}", now.kinds.deals().unit(), index.saturating_add(1))
    }

    fn mismatch(
        &mut self,
        what: String,
        (expected, actual): (String, String),
        field: &str,
        index: Option<u64>,
        frame: u64,
    ) -> Mismatch {
        self.result = Some((Status::Mismatch, what.clone()));
        Mismatch {
            check: CheckId::DECLARED_LIST,
            what,
            expected,
            actual,
            field: field.to_owned(),
            index: index.and_then(|index| u32::try_from(index).ok()),
            frame,
            round: self.games,
            evidence: None,
            one_of: false,
        }
    }
}

/// The number of the first entry in a game that was not sampled before.
fn first_number(now: &Observation) -> u64 {
    let listed = if now.is_still { 0 } else { now.list.len() as u64 };
    now.deals.map_or(u64::from(now.has_current), |deals| deals.number.saturating_sub(listed))
}

/// Deals since the last sample by the count in RAM; None without one, and if it went back.
fn counted(game: &Game, now: &Observation) -> Option<u64> {
    let deals = now.deals?.since(game.counted?);
    (deals <= MAX_DEALS).then_some(deals)
}

/// The chance that another game looks the same, at most, for a sample to be judged.
fn most(game: &Game, now: &Observation, shift: usize) -> f64 {
    match now.deals {
        None => CHANCE_MOST,
        Some(_) if counted(game, now) == Some(shift as u64) => CHANCE_MOST_COUNTED,
        Some(_) => 0.0,
    }
}

/// What a sample shows, and whether it is believed at once.
fn read(game: &Game, now: &Observation, is_together: bool) -> (Reading, bool) {
    let (kinds, length) = (now.kinds.count(), game.list.len());
    let counted = counted(game, now).and_then(|deals| usize::try_from(deals).ok());
    let overlaps: Vec<Overlap> = (0..=length).map(|shift| game.list.overlap(&now.list, shift)).collect();
    let agrees = |shift: usize| overlaps.get(shift).is_some_and(|overlap| overlap.wrong.is_empty());
    let first = game.list.first().deal();
    // The count may go on some frames before or after the rest. What still looks the same moved on if the piece in play changed with the count,
    // or had nothing to change. In a list that does not move the count is the place.
    let fits = |shift: usize| {
        let taken = game.list.get(shift - 1);
        let is_taken = now.current == taken.deal();
        let is_new = now.current != game.last.current || game.due.entry == taken;
        now.is_still || !agrees(0) || !now.has_current || is_taken && is_new
    };
    if let Some(shift) = counted.filter(|shift| *shift > 0 && agrees(*shift) && fits(*shift)) {
        return (Reading::Moved(shift), shift == 1);
    }
    // The piece in play is now the one that the list announced.
    let has_come = now.current.is_some() && now.current == first && now.current != game.last.current;
    if agrees(0) {
        // A list of the same piece again and again looks the same when it moves on.
        let is_even = now.list.iter().all(|deal| *deal == now.list[0]);
        let is_moved = has_come && is_together && now.deals.is_none() && is_even;
        return (Reading::Moved(usize::from(is_moved)), true);
    }
    if agrees(1) {
        let known = overlaps[1].known;
        let is_sure = known > 1 || has_come || counted == Some(1);
        let is_other = known < 2 && is_together && now.current.is_some() && now.current != first;
        if !is_other {
            return (Reading::Moved(1), is_sure);
        }
    }
    let strong = (2..length).find(|shift| {
        let known = overlaps[*shift].known;
        let is_taken = now.current.is_none() || Entry::of(now.current) == game.list.get(*shift - 1);
        agrees(*shift) && is_taken && chance(kinds, known, 0) <= CHANCE_MOST
    });
    if let Some(shift) = strong {
        return (Reading::Moved(shift), false);
    }
    let wrong = |shift: &usize| {
        let overlap = overlaps.get(*shift)?;
        let [place] = overlap.wrong[..] else { return None };
        // In another game the piece in play is another one too.
        let due = if *shift == 0 { game.due.entry } else { game.list.first() };
        let agrees = now.current.is_some() && due == Entry::of(now.current);
        let is_still = now.current == game.last.current && (*shift > 0 || !game.due.has_come);
        let known = overlap.known + usize::from(agrees);
        let is_same_game = agrees || is_still || now.current.is_none();
        let is_fault = game.has_moved && is_same_game && chance(kinds, known, 1) <= most(game, now, *shift);
        is_fault.then_some(Reading::Wrong(*shift, place))
    };
    if let Some(wrong) = [0, 1].iter().find_map(wrong) {
        return (wrong, false);
    }
    match counted {
        Some(deals) if deals >= length => (Reading::Skipped(deals as u64), false),
        _ => (Reading::Another, false),
    }
}
