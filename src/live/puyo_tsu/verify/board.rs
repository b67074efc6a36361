//! One player's board and score against what must come of each pair.
//!
//! Between two deals a pair comes down, a chain may go off, and garbage may fall. When and in which steps the game writes that
//! into RAM is its own business: puyos may land one after the other, groups may go cell by cell. So nothing is judged on the
//! way; a board is held against the model when the next pair has been dealt, which the game does when all is over.

use super::super::board::{Chain, rules};
use super::PlayerObservation;
use crate::game::puyo::Pair;
use crate::live::{Check, CheckId, Mismatch, Status, Totals};
use crate::puyo::{COLUMNS, Cell, Field, Placement, ROWS, Rotation, Rules, reference, to_rows};

/// Points that a pair can bring without a chain: one for each row that it falls with Down held, 13 at most, and one more.
const DROP_POINTS: u32 = 14;
/// Rows that the next pair may have fallen with Down held when its deal is seen: two passes of the main loop lie between two
/// samples at most, when the first was taken at the beginning of its pass and the second at the end of the next one.
const NEXT_ROWS: u32 = 2;

/// One sample, as a board sees it.
pub struct Sample<'a> {
    pub player: usize,
    pub seen: &'a PlayerObservation,
    /// Puyos that pop together.
    pub pop_count: u8,
    /// The pair in play as the model deals it, by every reading of the documents.
    pub pairs: Vec<Pair>,
    pub frame: u64,
    /// Whether it follows from the sample before.
    pub follows: bool,
    pub round: u64,
}

/// What is kept of a sample.
#[derive(Debug, Clone, Copy)]
struct Look {
    frame: u64,
    dealt: u16,
    rules: Rules,
    field: Field,
    score: Option<u32>,
    /// The pair that is dealt next.
    next: Pair,
}

/// A deal between two samples.
#[derive(Debug, Clone)]
struct Deal {
    before: Look,
    seen: Look,
}

/// What can come of a pair in one of its places.
#[derive(Debug, Clone)]
struct Outcome {
    landed: Field,
    chain: Option<Chain>,
    after: Field,
}

/// The time from one deal to the next.
#[derive(Debug, Clone)]
struct Turn {
    /// Pairs dealt, the one in play included.
    dealt: u16,
    /// The score when it was dealt.
    score: Option<u32>,
    /// The board when it was dealt, and the garbage that has fallen on it since.
    rest: Field,
    /// Whether that board was foretold: otherwise the pair in play may have been on it already.
    sure: bool,
    rules: Rules,
    /// What the pair in play can be.
    pairs: Vec<Pair>,
    /// What can come of it, in all places that are possible after what was seen.
    outcomes: Vec<Outcome>,
    /// Whether the pair was seen to have landed, and the score at that time.
    landed: Option<Option<u32>>,
    /// Board and score when they were last seen to stand.
    stood: Option<(Field, Option<u32>)>,
}

/// What came of a pair.
enum Judged<'a> {
    Holds(&'a Outcome),
    /// The board is right, the score is not.
    Score(&'a Outcome, [u32; 2]),
    /// Groups stand on the board that should have popped.
    Stands(&'a Outcome),
    /// The board was emptied: a lost game, or one that was left.
    Cleared,
    /// Nothing that the pair can do leads to this board; the outcome is the one that comes nearest.
    Board(&'a Outcome),
}

/// How the check stands.
#[derive(Debug, Clone, Default)]
enum State {
    #[default]
    NotYet,
    Holds,
    Mismatch(String),
    /// Groups of so many stand on the board and have never popped.
    OtherRules(u32),
}

/// One player's board.
#[derive(Debug, Clone, Default)]
pub struct BoardTrack {
    last: Option<Look>,
    deal: Option<Deal>,
    turn: Option<Turn>,
    /// Why the newest sample tells nothing.
    unread: Option<String>,
    state: State,
    landings: u64,
    chains: u64,
    last_chain: Option<(usize, u32)>,
    /// The board was all clear, and no chain has gone off since. Sources have no word on when that changes the score.
    all_clear: bool,
}

impl BoardTrack {
    /// Another round begins: what was seen belongs to the one before.
    pub fn leave_round(&mut self, totals: &mut Totals) {
        self.deal = None;
        let Some(turn) = self.turn.take() else { return };
        // The chain that ended the round is over when its board stands and its points are counted.
        let Some((field, score)) = turn.stood.filter(|_| turn.landed.is_some()) else { return };
        if let Some(Judged::Holds(outcome)) = turn.judge(&field, &[score], self.all_clear)
            && outcome.chain.is_some()
        {
            self.count(outcome, totals);
        }
    }

    pub fn step(&mut self, sample: &Sample<'_>, totals: &mut Totals) -> Option<Mismatch> {
        let now = match look(sample) {
            Ok(now) => now?,
            Err(why) => {
                self.unread = Some(why);
                return None;
            }
        };
        self.unread = None;
        let last = self.last.replace(now)?;
        if !sample.follows {
            (self.turn, self.deal) = (None, None);
            return None;
        }
        if now.rules != last.rules {
            self.leave_round(totals);
            return None;
        }
        if now.dealt != last.dealt {
            if last.dealt.checked_add(1) == Some(now.dealt) && self.deal.is_none() {
                self.deal = Some(Deal { before: last, seen: now });
            } else {
                self.leave_round(totals);
            }
            return None;
        }
        if now.frame == last.frame {
            // The deal may be under way: what the next frame shows alike is complete.
            if let Some(deal) = &mut self.deal {
                deal.seen = now;
            }
            return None;
        }
        if let Some(deal) = self.deal.take() {
            return self.dealt(&deal, &now, sample, totals);
        }
        if let Some(turn) = &mut self.turn
            && (now.field, now.score) == (last.field, last.score)
        {
            turn.stands(&now);
        }
        None
    }

    /// The deal is complete: judges what came of the pair before, and begins with the new one.
    fn dealt(
        &mut self,
        deal: &Deal,
        now: &Look,
        sample: &Sample<'_>,
        totals: &mut Totals,
    ) -> Option<Mismatch> {
        let turn = self.turn.take();
        if deal.seen.field != now.field {
            totals.landings_unseen += u64::from(turn.is_some());
            return None;
        }
        let mut pairs = sample.pairs.clone();
        pairs.push(deal.before.next);
        // The readings agree on most pairs: each is tried once.
        pairs.sort_unstable_by_key(|pair| (pair.axis.0, pair.child.0));
        pairs.dedup();
        // With no frame missed before the deal, the new pair has hardly come down yet.
        let exact = deal.seen.frame.saturating_sub(deal.before.frame) <= 1;
        let scores = [deal.before.score, deal.seen.score, now.score];
        let (mut explained, mut sure, mut found) = (false, false, None);
        if let Some(turn) = &turn {
            match turn.judge(&now.field, &scores, self.all_clear) {
                Some(Judged::Holds(outcome)) => {
                    explained = true;
                    // Two pairs of the same colours can be taken for one another.
                    sure = turn.sure
                        || turn.landed.is_some()
                        || !turn.pairs.iter().any(|pair| alike(*pair, &pairs));
                    self.count(outcome, totals);
                }
                Some(Judged::Cleared) => self.all_clear = false,
                Some(Judged::Stands(_)) if self.chains == 0 => {
                    self.state = State::OtherRules(now.rules.group);
                }
                Some(_) if turn.outrun(&now.field, &pairs) => {
                    totals.landings_unseen += 1;
                    return None;
                }
                // A board that did not stand before the deal may have been on its way still.
                Some(judged) if exact && turn.stood.is_some_and(|(field, _)| field == now.field) => {
                    found = mismatch(turn, &judged, now, sample);
                }
                Some(_) => totals.landings_unseen += 1,
                None => {}
            }
        }
        if let Some(found) = &found {
            self.state = State::Mismatch(found.what.clone());
            self.all_clear = false;
        }
        if exact || explained {
            self.turn = Some(Turn::new(now, deal.seen.score, pairs, sure));
        }
        found
    }

    fn count(&mut self, outcome: &Outcome, totals: &mut Totals) {
        self.state = State::Holds;
        self.landings += 1;
        totals.landings_verified += 1;
        if let Some(chain) = &outcome.chain {
            self.chains += 1;
            totals.chains_verified += 1;
            self.last_chain = Some((chain.steps.len(), chain.points()));
            self.all_clear = outcome.after.is_empty();
        }
    }

    pub fn check(&self, id: CheckId) -> Check {
        if let Some(why) = &self.unread {
            return Check { id, status: Status::NotVerified, detail: why.clone() };
        }
        let (status, detail) = match &self.state {
            State::NotYet => (Status::NotVerified, "no pair was seen from deal to deal yet".into()),
            State::Holds => (Status::Holds, self.told()),
            State::Mismatch(what) => (Status::Mismatch, what.clone()),
            State::OtherRules(group) => (
                Status::NotVerified,
                format!(
                    "groups of {group} and more stand on the board and do not pop: not the rules that are modelled"
                ),
            ),
        };
        Check { id, status, detail }
    }

    fn told(&self) -> String {
        let pairs = match self.landings {
            1 => "1 pair".to_owned(),
            pairs => format!("{pairs} pairs"),
        };
        let chains = match (self.chains, self.last_chain) {
            (0, _) | (_, None) => "no chain yet".to_owned(),
            (chains, Some((steps, points))) => {
                let chains = if chains == 1 { "1 chain".into() } else { format!("{chains} chains") };
                let steps = if steps == 1 { "1 step".into() } else { format!("{steps} steps") };
                format!("{chains}, the last of {steps} for {points} points")
            }
        };
        format!("{pairs} left the board that was foretold; {chains}")
    }
}

/// What a sample shows; None when the profile does not say where boards stand.
fn look(sample: &Sample<'_>) -> Result<Option<Look>, String> {
    let seen = sample.seen;
    let Some(board) = &seen.board else { return Ok(None) };
    let field = *board.as_ref().map_err(ToString::to_string)?;
    let rules = rules(sample.pop_count)
        .ok_or_else(|| format!("groups of {} puyos are not modelled", sample.pop_count))?;
    let (dealt, score, next) = (seen.pairs_dealt, seen.score, seen.queue[0]);
    Ok(Some(Look { frame: sample.frame, dealt, rules, field, score, next }))
}

/// Whether a pair has the colours of one of these.
fn alike(pair: Pair, others: &[Pair]) -> bool {
    let turned = Pair { axis: pair.child, child: pair.axis };
    others.iter().any(|other| *other == pair || *other == turned)
}

/// The boards on which a pair can have landed to make this one.
fn lifted(field: &Field, pair: Pair) -> impl Iterator<Item = Field> + '_ {
    Placement::ALL.into_iter().filter_map(move |placement| {
        let mut below = *field;
        let (axis, child) = ((placement.column(), pair.axis), (placement.child_column(), pair.child));
        let from_the_top = if placement.rotation() == Rotation::Down { [axis, child] } else { [child, axis] };
        for (column, color) in from_the_top {
            let row = below.height(column).checked_sub(1)?;
            if below.get(column, row) != Cell::Puyo(color) {
                return None;
            }
            below.set(column, row, Cell::Empty);
        }
        Some(below)
    })
}

/// What can come of pairs on a board, in all places; the same board once.
fn outcomes(field: &Field, pairs: &[Pair], rules: Rules) -> Vec<Outcome> {
    let mut outcomes: Vec<Outcome> = Vec::new();
    for (pair, placement) in pairs.iter().flat_map(|pair| Placement::ALL.map(|placement| (pair, placement))) {
        let mut landed = *field;
        landed.land(*pair, placement, rules);
        if outcomes.iter().all(|known| known.landed != landed) {
            let chain = Chain::on(&landed, rules);
            let after = chain.as_ref().map_or(landed, |chain| chain.after);
            outcomes.push(Outcome { landed, chain, after });
        }
    }
    outcomes
}

impl Turn {
    fn new(now: &Look, score: Option<u32>, pairs: Vec<Pair>, sure: bool) -> Self {
        let outcomes = outcomes(&now.field, &pairs, now.rules);
        let (dealt, rest, rules) = (now.dealt, now.field, now.rules);
        Self { dealt, score, rest, sure, rules, pairs, outcomes, landed: None, stood: None }
    }

    /// Whether the next pair, which is one of these, may have come down before its deal was seen; or the pair in play before
    /// its own was.
    fn outrun(&self, field: &Field, next: &[Pair]) -> bool {
        let mut bases: Vec<Field> = self.outcomes.iter().map(|outcome| outcome.after).collect();
        bases.push(Field::default()); // a board that was emptied
        if !self.sure {
            let mut fired = self.rest;
            reference::fire(&mut fired, self.rules);
            if follows(&fired, field) {
                return true;
            }
            bases.push(fired);
        }
        let lifted: Vec<Field> = next.iter().flat_map(|pair| lifted(field, *pair)).collect();
        bases.iter().any(|base| {
            let popped = |later: &Outcome| later.chain.is_some() && follows(&later.after, field);
            lifted.iter().any(|below| follows(base, below))
                || outcomes(base, next, self.rules).iter().any(popped)
        })
    }

    /// Board and score were seen alike on both sides of a step of the frame counter.
    fn stands(&mut self, now: &Look) {
        self.stood = Some((now.field, now.score));
        if self.landed.is_some() || now.field == self.rest {
            return;
        }
        if self.outcomes.iter().any(|outcome| outcome.landed == now.field) {
            self.outcomes.retain(|outcome| outcome.landed == now.field);
            self.landed = Some(now.score);
        } else if follows(&self.rest, &now.field) {
            // Garbage that falls after the deal.
            *self = Self::new(now, self.score, std::mem::take(&mut self.pairs), self.sure);
        }
    }

    /// What came of the pair; None when nothing could be placed. `scores` are those of the samples around the deal, one of
    /// which the chain's points must lead to.
    fn judge(&self, field: &Field, scores: &[Option<u32>], all_clear: bool) -> Option<Judged<'_>> {
        let came = || self.outcomes.iter().filter(|outcome| follows(&outcome.after, field));
        let scores: Vec<u32> = scores.iter().copied().flatten().collect();
        let right = |outcome: &&Outcome| match (&outcome.chain, self.score) {
            (Some(chain), Some(dealt)) if !scores.is_empty() => {
                let worth = |score: &u32| self.leads_to(chain, dealt, *score);
                all_clear || outcome.after.is_empty() || scores.iter().any(worth)
            }
            _ => true,
        };
        if let Some(outcome) = came().find(right) {
            return Some(Judged::Holds(outcome));
        }
        if let (Some(outcome), Some(before)) = (came().next(), self.score) {
            let from = self.landed.flatten().unwrap_or(before);
            let points = outcome.chain.as_ref().map_or(0, Chain::points);
            let actual = scores.last().copied().unwrap_or(from);
            return Some(Judged::Score(outcome, [from.wrapping_add(points), actual]));
        }
        if field.is_empty() {
            return Some(Judged::Cleared);
        }
        let stands = |outcome: &&Outcome| outcome.chain.is_some() && follows(&outcome.landed, field);
        if let Some(outcome) = self.outcomes.iter().find(stands) {
            return Some(Judged::Stands(outcome));
        }
        self.outcomes.iter().min_by_key(|outcome| apart(&outcome.after, field).count()).map(Judged::Board)
    }

    /// Whether a chain can end with this score. Once the pair has landed there is nothing but the chain's own points, and what the
    /// next pair brings meanwhile; before, there may be some for rows that it fell with Down held.
    fn leads_to(&self, chain: &Chain, dealt: u32, end: u32) -> bool {
        let points = chain.points();
        let Some(landed) = self.landed.flatten() else {
            return (points..=points.saturating_add(DROP_POINTS)).contains(&end.wrapping_sub(dealt));
        };
        // The first step may have been counted in the moment in which the pair landed.
        let first = chain.steps.first().map_or(0, |step| step.points);
        let gained = end.wrapping_sub(landed);
        let worth = |points: u32| (points..=points.saturating_add(NEXT_ROWS)).contains(&gained);
        worth(points) || landed.wrapping_sub(dealt) >= first && worth(points - first)
    }
}

/// Whether a board is another one, with nothing or with garbage on top of it.
fn follows(before: &Field, field: &Field) -> bool {
    (0..COLUMNS).all(|column| {
        let (old, new) = (before.height(column), field.height(column));
        new >= old
            && (0..old).all(|row| before.get(column, row) == field.get(column, row))
            && (old..new).all(|row| matches!(field.get(column, row), Cell::Ojama | Cell::Hard))
    })
}

/// The cells in which two boards differ, from the floor up.
fn apart<'a>(one: &'a Field, other: &'a Field) -> impl Iterator<Item = (usize, usize)> + 'a {
    let cells = (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| (column, row)));
    cells.filter(|&(column, row)| one.get(column, row) != other.get(column, row))
}

fn mismatch(turn: &Turn, judged: &Judged<'_>, now: &Look, sample: &Sample<'_>) -> Option<Mismatch> {
    let player = sample.player + 1;
    let check = if sample.player == 0 { CheckId::BoardP1 } else { CheckId::BoardP2 };
    let whose = format!("player {player}, pair {} of the round", turn.dealt);
    let (outcome, stands) = match judged {
        Judged::Holds(_) | Judged::Cleared => return None,
        Judged::Score(outcome, _) | Judged::Board(outcome) => (outcome, false),
        Judged::Stands(outcome) => (outcome, true),
    };
    let came = match &outcome.chain {
        None => String::new(),
        Some(chain) => {
            format!(" after a chain of {} for {} points", chain.steps.len(), chain.points())
        }
    };
    let (what, field, expected, actual) = if let Judged::Score(_, [expected, actual]) = judged {
        (
            format!("{whose}:{came} the score is {actual}, not {expected}"),
            format!("p{player}_score"),
            expected.to_string(),
            actual.to_string(),
        )
    } else {
        let what = match apart(&outcome.after, &now.field).next() {
            _ if stands => format!("{whose}: groups of {} and more stand and did not pop", now.rules.group),
            Some((column, row)) => format!(
                "{whose}:{came} column {}, row {} from the floor holds {}, not {}",
                column + 1,
                row + 1,
                now.field.get(column, row).letter(),
                outcome.after.get(column, row).letter()
            ),
            None => return None,
        };
        (what, format!("p{player}_board"), to_rows(&outcome.after).join("/"), to_rows(&now.field).join("/"))
    };
    Some(Mismatch {
        check,
        what,
        expected,
        actual,
        field,
        index: Some(u32::from(turn.dealt).saturating_sub(1)),
        frame: sample.frame,
        round: sample.round,
        evidence: None,
        one_of: false,
    })
}
