//! Compares emulator and model, sample by sample.
//!
//! The dealer is after the last deal of the last accepted sample. A sample that it explains is accepted at once: the state is one that its
//! next deals leave, and these are in RAM. A sample may fall into the middle of a write, and a reset or a loaded state is not announced, so
//! that what it does not explain is believed only when another frame shows it too.

use super::checks::OF_GENERATORS;
use super::follower::Verify;
use super::observe::{Observation, observe};
use super::prediction::{Prediction, predict};
use super::ram::Fields;
use crate::games::declared::{Clock, DeclaredDealer, Problem, Program};
use crate::live::{Check, CheckId, Mismatch, ObserveError, Status, Totals, Verdict};
use crate::profile::Profile;
use std::sync::Arc;

/// Deals between two samples, at most; with more, the tracker starts again.
const MAX_DEALS: usize = 32;
/// Steps between two samples that are traced, at most: a minute of frames.
const MAX_STEPS: u64 = 3_600;
/// States that no declared step explains, each with a new deal of the same game, before it is reported.
const MAX_UNEXPLAINED: usize = 5;
/// Deals that a dealer without a limited memory must get right before it is certain: two bags of seven.
const TENTATIVE: usize = 14;
/// The last deals that are remembered: more than any history and any list in RAM.
const REMEMBERED: usize = 80;
/// Draws to explain one sample; the next one does not wait for more.
const MAX_EXPLAINING_DRAWS: u32 = 1 << 20;

/// A sample that the dealer does not explain.
#[derive(Debug, Clone)]
struct Pending {
    observation: Arc<Observation>,
    frame: u64,
    /// The number of a wrong deal; None for a state that does not follow.
    wrong: Option<u64>,
}

/// Compares samples with the model and with one another.
#[derive(Debug, Clone, Default)]
pub struct Verifier {
    /// The last accepted sample.
    last: Option<(Arc<Observation>, u64)>,
    /// None while the next deals depend on what is not known.
    dealer: Option<DeclaredDealer>,
    /// The last deals, newest first.
    recent: Vec<u8>,
    /// Deals of this game; since the first sample, if it had begun before.
    dealt: u64,
    joined_late: bool,
    /// Deals until it is certain that the dealer has the memory of the game: what looks like the start of one may be its middle.
    tentative: usize,
    pending: Option<Pending>,
    unexplained: u32,
    phases: Phases,
    games: u64,
    results: [Option<(Status, String)>; 2],
}

/// Where in its frame a game may draw: before the steps of the frame, after one of them, or after two. It is found out by excluding what
/// does not give the pieces dealt; then each piece can be verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Phases([bool; 3]);

impl Phases {
    const ALL: Self = Self([true; 3]);

    fn has(self, steps_before: u64) -> bool {
        usize::try_from(steps_before).is_ok_and(|phase| self.0.get(phase) == Some(&true))
    }

    /// Without those that do not agree; if none of these agrees, all that do.
    fn narrowed(self, agrees: impl Fn(Self) -> bool) -> Self {
        let agreeing = [0, 1, 2].map(|phase| agrees(Self([0, 1, 2].map(|other| other == phase))));
        let both = [0, 1, 2].map(|phase| self.0[phase] && agreeing[phase]);
        if both.contains(&true) {
            Self(both)
        } else if agreeing.contains(&true) {
            Self(agreeing)
        } else {
            self
        }
    }
}

impl Default for Phases {
    fn default() -> Self {
        Self::ALL
    }
}

/// What the samples say if `count` deals came between them.
struct Explained {
    dealer: DeclaredDealer,
    /// Those deals, oldest first.
    new: Vec<u8>,
    /// Wrong entries of the window: its place, and the right deal.
    wrong: Vec<(usize, u8)>,
}

impl Verify for Verifier {
    type Declared = Program;
    type Observation = Observation;
    type Prediction = Prediction;

    fn declared(profile: &Profile) -> Result<Program, String> {
        let randomizer = profile.randomizer.clone();
        let randomizer = randomizer.ok_or_else(|| format!("profile {} has no [randomizer]", profile.id))?;
        let problems =
            |problems: Vec<Problem>| problems.first().map_or_else(String::new, |one| one.message.clone());
        Program::new(randomizer).map_err(problems)
    }

    fn observe(program: &Arc<Program>, fields: Fields<'_>) -> Result<Observation, ObserveError> {
        observe(program, fields)
    }

    fn reset(&mut self) {
        *self = Self { games: self.games, phases: self.phases, ..Self::default() };
    }

    fn round(&self) -> u64 {
        self.games
    }

    fn predict(&self, now: &Observation) -> Option<Prediction> {
        let (last, _) = self.last.as_ref().filter(|_| is_game(now))?;
        Some(predict(last, self.dealer.as_ref()?, self.dealt, self.joined_late, self.tentative > 0))
    }

    fn step(&mut self, now: &Arc<Observation>, frame: u64, totals: &mut Totals) -> Vec<Mismatch> {
        if !is_game(now) {
            return Vec::new();
        }
        let Some((last, then)) = self.last.clone() else {
            self.join(now, frame, totals);
            return Vec::new();
        };
        let found = if last == *now {
            self.pending = None;
            self.last = Some((last, frame));
            None
        } else if now.program.has_gaps {
            self.with_gaps(&last, now, then, frame, totals)
        } else {
            self.without_gaps(&last, now, frame, totals)
        };
        totals.mismatches += u64::from(found.is_some());
        found.into_iter().collect()
    }

    fn verdict(&self) -> Verdict {
        let check = |(id, result): (&CheckId, &Option<(Status, String)>)| match result {
            Some((status, detail)) => Check { id: *id, status: *status, detail: detail.clone() },
            None if self.games > 0 => {
                Check { id: *id, status: Status::NotVerified, detail: "not checked yet".into() }
            }
            None => Check { id: *id, status: Status::Nothing, detail: "no game yet".into() },
        };
        Verdict { checks: OF_GENERATORS.iter().zip(&self.results).map(check).collect() }
    }
}

impl Verifier {
    /// A game that was in progress when it was first seen, or one that no earlier sample explains.
    fn join(&mut self, now: &Arc<Observation>, frame: u64, totals: &mut Totals) {
        self.recent = now.window.iter().rev().map_while(|deal| *deal).collect();
        (self.dealt, self.joined_late) =
            (now.deals.map_or(self.recent.len() as u64, |deals| deals.number), now.deals.is_none());
        self.begin(totals);
        self.accept(now, frame);
    }

    fn begin(&mut self, totals: &mut Totals) {
        self.games += 1;
        totals.rounds += 1;
        self.results = Default::default();
    }

    fn accept(&mut self, now: &Arc<Observation>, frame: u64) {
        self.recent.truncate(REMEMBERED);
        self.pending = None;
        if now.program.has_gaps || self.dealer.is_none() {
            let made = now.deals.map(|deals| deals.number);
            self.dealer = DeclaredDealer::resumed(Arc::clone(&now.program), now.state, &self.recent, made);
        }
        self.last = Some((Arc::clone(now), frame));
    }

    /// Whether another frame showed this before; otherwise it is remembered.
    fn is_confirmed(&mut self, now: &Arc<Observation>, frame: u64, wrong: Option<u64>) -> bool {
        let same = |before: &Pending| {
            let is_same = match wrong {
                Some(_) => before.wrong == wrong && before.observation.window == now.window,
                None => before.wrong.is_none() && before.observation == *now,
            };
            is_same && before.frame != frame
        };
        let confirmed = self.pending.as_ref().is_some_and(same);
        // Frames in which the same is seen again count from the first.
        if !confirmed
            && self.pending.as_ref().is_none_or(|before| before.wrong != wrong || before.observation != *now)
        {
            self.pending = Some(Pending { observation: Arc::clone(now), frame, wrong });
        }
        confirmed
    }

    /// Only deals step the generator.
    fn without_gaps(
        &mut self,
        last: &Arc<Observation>,
        now: &Arc<Observation>,
        frame: u64,
        totals: &mut Totals,
    ) -> Option<Mismatch> {
        let explained = self.dealer.as_ref().and_then(|dealer| explain(dealer, &self.recent, now));
        // With a wrong history the state may come by chance, after other deals than the lists show.
        let explained =
            explained.filter(|found| self.tentative == 0 || shift(last, now) == Some(found.new.len()));
        if let Some(Explained { dealer, new, wrong }) = explained {
            let index = |place: usize| {
                let dealt = self.dealt.saturating_add((new.len() + place) as u64);
                dealt.saturating_sub(now.window.len() as u64)
            };
            let first = wrong.first().map(|(place, right)| (*place, *right, index(*place)));
            // Something else altogether is in RAM: another game that starts from the same state, or nothing.
            let known = now.window.iter().flatten().count();
            let is_this_game = wrong.len() < known || known == 1 && !new.is_empty();
            if wrong.is_empty() || is_this_game && self.tentative == 0 {
                if let Some((_, _, index)) = first
                    && !self.is_confirmed(now, frame, Some(index))
                {
                    return None;
                }
                let wrong_new =
                    wrong.iter().filter(|(place, _)| place + new.len() >= now.window.len()).count();
                totals.pairs_verified += new.len().saturating_sub(wrong_new) as u64;
                self.unexplained = 0;
                self.add_dealt(new.len());
                self.tentative = self.tentative.saturating_sub(new.len());
                for deal in new {
                    self.recent.insert(0, deal);
                }
                self.dealer = Some(dealer);
                self.accept(now, frame);
                self.verified(CheckId::DECLARED_GENERATOR, || format!("state {}", now.state_text()));
                let Some((place, right, index)) = first else {
                    let dealt = self.dealt;
                    self.verified(CheckId::DECLARED_DEALS, || format!("{dealt} dealt, all as predicted"));
                    return None;
                };
                return Some(self.wrong_deal(now, (place, index), &[right], frame));
            }
        }
        if !self.is_confirmed(now, frame, None) {
            return None;
        }
        self.restart(last, now, frame, totals)
    }

    /// Two samples agree on what the dealer does not explain: another game, a reset, a loaded state, or a wrong declaration.
    fn restart(
        &mut self,
        last: &Arc<Observation>,
        now: &Arc<Observation>,
        frame: u64,
        totals: &mut Totals,
    ) -> Option<Mismatch> {
        let start = DeclaredDealer::started(Arc::clone(&now.program), last.state);
        let was_tentative = self.tentative > 0;
        let started = if now.program.has_gaps || was_tentative { None } else { explain(&start, &[], now) };
        let entries = now.window.len();
        // A new bag may look the same as the start of a game. How many deals came then is in the lists.
        let shown = shift(last, now).filter(|shift| entries > 1 && *shift < entries);
        if let Some(Explained { dealer, new, wrong }) = started
            && wrong.is_empty()
            && !new.is_empty()
            && shown.is_none_or(|shown| shown == new.len())
        {
            let (goes_on, count) = (shown.is_some(), new.len());
            totals.pairs_verified += count as u64;
            // With one entry in RAM it may be the next deal of the same game, whose history is then still needed.
            if entries > 1 && !goes_on {
                self.recent.clear();
            }
            self.recent.splice(0..0, new.into_iter().rev());
            if goes_on {
                self.add_dealt(count);
            } else {
                self.begin(totals);
                totals.rounds_verified += 1;
                (self.dealt, self.joined_late) = (count as u64, false);
            }
            self.unexplained = 0;
            let memory = now.program.memory().unwrap_or(TENTATIVE);
            self.tentative = if entries == 1 { memory } else { memory.saturating_sub(count) };
            self.dealer = Some(dealer);
            self.accept(now, frame);
            let from = last.state_text();
            self.verified(CheckId::DECLARED_GENERATOR, || format!("dealt from state {from} on"));
            self.verified(CheckId::DECLARED_DEALS, || "the first ones are as declared".into());
            return None;
        }
        let (was, is_same_state) = (last.state_text(), last.state == now.state);
        let has_dealt = last.window != now.window && !is_same_state;
        // Without a dealer nothing was predicted that could be wrong.
        let was_predicted = self.dealer.take().is_some();
        // One entry overlaps with nothing: it may be the next deal of this game, or of another one.
        let is_unsure = entries == 1 && now.deals.is_none() && !is_same_state;
        let goes_on =
            |shift: &usize| *shift < entries && (now.deals.is_some() || overlaps(last, now, *shift));
        let shift = if is_unsure { Some(1) } else { shift(last, now).filter(goes_on) };
        let Some(shift) = shift else {
            // Another game.
            (self.tentative, self.unexplained) = (0, 0);
            self.join(now, frame, totals);
            return None;
        };
        let new = now.window.iter().rev().take(shift).map_while(|deal| *deal);
        self.recent.splice(0..0, new.collect::<Vec<u8>>());
        self.add_dealt(shift);
        totals.pairs_missed += shift as u64;
        self.accept(now, frame);
        // After a loaded state the overlap may be chance, and what is no longer in RAM was dealt in another game.
        let known = if is_unsure { 0 } else { now.window.iter().flatten().count() };
        let unknown = now.program.memory().unwrap_or(TENTATIVE).saturating_sub(known);
        self.tentative = if is_unsure || self.dealer.is_some() { unknown } else { 0 };
        self.unexplained += u32::from(was_predicted && has_dealt && !is_unsure);
        // With a wrong history a deal may be unexplained too.
        if self.unexplained as usize != MAX_UNEXPLAINED + unknown {
            return None;
        }
        let what = format!(
            "the generator has the state {}, which no declared step makes of {was}; so had the {} deals before: check \
             [randomizer.generator] and `clock`",
            now.state_text(),
            self.unexplained - 1
        );
        let (expected, actual) = (format!("a state after {was}"), now.state_text());
        Some(self.mismatch(CheckId::DECLARED_GENERATOR, what, expected, actual, "rng_state", None, frame))
    }

    /// Frames or other calls step the generator too.
    fn with_gaps(
        &mut self,
        last: &Arc<Observation>,
        now: &Arc<Observation>,
        then: u64,
        frame: u64,
        totals: &mut Totals,
    ) -> Option<Mismatch> {
        let Some(steps) = distance(last, now) else {
            return if self.is_confirmed(now, frame, None) {
                self.restart(last, now, frame, totals)
            } else {
                None
            };
        };
        let frames = frame.saturating_sub(then);
        let description = now.program.description();
        let most_calls = u64::from(description.other_calls);
        let by_frames = description.clock != Clock::Deals;
        match shift(last, now) {
            Some(0) => {
                // Menus may step in other ways: what does not fit is no mismatch while nothing is dealt.
                if by_frames && steps.abs_diff(frames) <= 1 {
                    self.verified(CheckId::DECLARED_GENERATOR, || "one step per frame".into());
                }
                self.accept(now, frame);
                None
            }
            Some(1) => {
                let possible = |phases: Phases| {
                    possible_deals(self.dealer.as_ref()?, steps, |before, drawn| {
                        if by_frames {
                            let is_in_phase = frames != 1 || phases.has(before);
                            is_in_phase && before <= frames + 1 && (steps - drawn).abs_diff(frames) <= 1
                        } else {
                            before <= most_calls && steps - before - drawn <= most_calls
                        }
                    })
                };
                let (in_phase, possible) = (possible(self.phases), possible(Phases::ALL));
                let deal = now.window.last().copied().flatten();
                let index = self.dealt;
                if let (Some(possible), Some(deal)) = (&possible, deal)
                    && !possible.contains(&deal)
                {
                    if !self.is_confirmed(now, frame, Some(index)) {
                        return None;
                    }
                    self.take(deal, now, frame);
                    return Some(self.wrong_deal(now, (now.window.len() - 1, index), possible, frame));
                }
                if let (Some(deal), true) = (deal, frames == 1) {
                    let agrees = |phase: &Phases| {
                        let deals =
                            possible_deals(self.dealer.as_ref()?, steps, |before, _| phase.has(before))?;
                        Some(deals.contains(&deal))
                    };
                    self.phases = self.phases.narrowed(|phase| agrees(&phase) == Some(true));
                }
                if let Some(deal) = deal {
                    self.take(deal, now, frame);
                } else {
                    self.accept(now, frame);
                }
                match (deal, in_phase.as_deref()) {
                    (Some(deal), Some([predicted])) if deal == *predicted => {
                        totals.pairs_verified += 1;
                        self.verified(CheckId::DECLARED_GENERATOR, || "as declared".into());
                        self.verified(CheckId::DECLARED_DEALS, || {
                            format!("deal {} is the only possible one", index.saturating_add(1))
                        });
                    }
                    _ => totals.pairs_missed += 1,
                }
                None
            }
            Some(several) if several < now.window.len() => {
                totals.pairs_missed += several as u64;
                let new: Vec<u8> = now.window.iter().rev().take(several).map_while(|deal| *deal).collect();
                self.recent.splice(0..0, new);
                self.add_dealt(several);
                self.accept(now, frame);
                None
            }
            _ => {
                if self.is_confirmed(now, frame, None) {
                    self.join(now, frame, totals);
                }
                None
            }
        }
    }

    /// The count comes from RAM if the profile has the field.
    fn add_dealt(&mut self, deals: usize) {
        self.dealt = self.dealt.saturating_add(deals as u64);
    }

    fn take(&mut self, deal: u8, now: &Arc<Observation>, frame: u64) {
        self.recent.insert(0, deal);
        self.add_dealt(1);
        self.accept(now, frame);
    }

    fn wrong_deal(
        &mut self,
        now: &Observation,
        (place, index): (usize, u64),
        right: &[u8],
        frame: u64,
    ) -> Mismatch {
        let letters = |deal: &u8| now.program.letters(*deal);
        let actual = now.window.get(place).copied().flatten().map_or_else(String::new, |deal| letters(&deal));
        let mut possible: Vec<String> = right.iter().map(letters).collect();
        possible.sort_unstable();
        possible.dedup();
        let expected = if possible.is_empty() { "none".to_owned() } else { possible.join(" ") };
        let since = if self.joined_late { " since the first sample" } else { " of the game" };
        let what = format!("deal {}{since}: predicted {expected}, RAM has {actual}", index.saturating_add(1));
        let field = if now.has_current && place == 0 { "current" } else { "next" };
        let index = u32::try_from(index).ok();
        let one_of = possible.len() > 1;
        let mismatch = self.mismatch(CheckId::DECLARED_DEALS, what, expected, actual, field, index, frame);
        Mismatch { one_of, ..mismatch }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a mismatch")]
    fn mismatch(
        &mut self,
        check: CheckId,
        what: String,
        expected: String,
        actual: String,
        field: &str,
        index: Option<u32>,
        frame: u64,
    ) -> Mismatch {
        self.set_result(check, Status::Mismatch, what.clone());
        let (field, round) = (field.to_owned(), self.games);
        Mismatch { check, what, expected, actual, field, index, frame, round, evidence: None, one_of: false }
    }

    fn verified(&mut self, id: CheckId, detail: impl FnOnce() -> String) {
        self.set_result(id, Status::Verified, detail());
    }

    fn set_result(&mut self, id: CheckId, status: Status, detail: String) {
        if let Some(at) = OF_GENERATORS.iter().position(|check| *check == id) {
            self.results[at] = Some((status, detail));
        }
    }
}

/// Whether the fields can be those of a game: the state is possible, a deal is known, and the RAM is not cleared.
fn is_game(now: &Observation) -> bool {
    let is_cleared = now.state == 0 && now.window.iter().all(|deal| *deal == now.window[0]);
    now.program.is_possible(now.state) && now.window.iter().any(Option::is_some) && !is_cleared
}

/// The number of deals after which the dealer has the state in RAM, so that the fewest entries are wrong. None if it never has it.
fn explain(dealer: &DeclaredDealer, recent: &[u8], now: &Observation) -> Option<Explained> {
    let first = dealer;
    let (mut dealer, mut new) = (first.clone(), Vec::new());
    let mut best: Option<Explained> = None;
    for _ in 0..=MAX_DEALS {
        if dealer.is_stuck() || dealer.draws_since(first) > MAX_EXPLAINING_DRAWS {
            break;
        }
        if dealer.word() == now.state {
            let dealt = new.iter().rev().chain(recent).copied();
            let entries = now.window.iter().enumerate().rev().zip(dealt);
            let wrong = entries.filter(|((_, entry), right)| entry.is_some_and(|entry| entry != *right));
            let mut wrong: Vec<(usize, u8)> = wrong.map(|((place, _), right)| (place, right)).collect();
            wrong.reverse();
            if best.as_ref().is_none_or(|best| wrong.len() < best.wrong.len()) {
                best = Some(Explained { dealer: dealer.clone(), new: new.clone(), wrong });
            }
        } else if best.is_some() {
            break; // the state does not come back
        }
        new.push(dealer.deal_number());
    }
    best
}

/// How many deals came between two samples: by the count in RAM, or else the fewest with which the lists overlap, all for none.
fn shift(last: &Observation, now: &Observation) -> Option<usize> {
    if let (Some(before), Some(now)) = (last.deals, now.deals) {
        let deals = now.since(before.number);
        return usize::try_from(deals).ok().filter(|deals| *deals <= MAX_DEALS);
    }
    let agree = |shift: &usize| {
        let pairs = last.window.iter().skip(*shift).zip(&now.window);
        pairs.clone().all(|(one, other)| one.is_none() || other.is_none() || one == other)
    };
    (0..=now.window.len()).find(agree)
}

/// Whether the lists have something in common if `shift` deals came between them.
fn overlaps(last: &Observation, now: &Observation, shift: usize) -> bool {
    last.window.iter().skip(shift).zip(&now.window).any(|(one, other)| one.is_some() && one == other)
}

/// Steps of the generator from one state to the other.
fn distance(last: &Observation, now: &Observation) -> Option<u64> {
    let mut stepper = DeclaredDealer::started(Arc::clone(&now.program), last.state);
    for steps in 0..=MAX_STEPS {
        if stepper.word() == now.state {
            return Some(steps);
        }
        stepper.step();
    }
    None
}

/// The deals that are possible in `steps` steps, each once; `fits` gets the steps before the deal and those of its draws. None if that
/// takes too many draws.
fn possible_deals(dealer: &DeclaredDealer, steps: u64, fits: impl Fn(u64, u64) -> bool) -> Option<Vec<u8>> {
    let (mut possible, mut draws) = (Vec::new(), 0);
    let mut waiting = dealer.clone();
    for before in 0..=steps {
        let mut drawing = waiting.clone();
        let deal = drawing.deal_number();
        let drawn = drawing.draws_since(&waiting);
        draws += drawn;
        if drawing.is_stuck() || draws > MAX_EXPLAINING_DRAWS {
            return None;
        }
        let drawn = u64::from(drawn);
        if before + drawn <= steps && fits(before, drawn) && !possible.contains(&deal) {
            possible.push(deal);
        }
        waiting.step();
    }
    Some(possible)
}
