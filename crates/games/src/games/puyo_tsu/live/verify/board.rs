//! Compares one player's board and score with the model after each pair.
//!
//! Between two deals a pair lands, a chain may pop, and garbage may fall. The game may write this to RAM in any steps: puyos may
//! land one by one, groups may disappear cell by cell. Therefore a board is compared with the model only when the next pair has
//! been dealt, which the game does when everything has settled.

use crate::games::puyo_tsu::live::board::{Chain, rules};
use crate::games::puyo_tsu::live::verify::PlayerObservation;
use crate::live::{Check, CheckId, Mismatch, Status, Totals};
use nextscope_boards::Pair;
use nextscope_boards::puyo::{COLUMNS, Cell, Field, Placement, ROWS, Rotation, Rules, reference, to_rows};

/// The most points of a pair without a chain: one for each row that it falls with Down held, at most 13, and one more.
const DROP_POINTS: u32 = 14;
/// Rows that the next pair may have fallen with Down held when its deal is sampled: there are at most two passes of the main loop
/// between two samples, when the first is at the start of a pass and the second at the end of the next one.
const NEXT_ROWS: u32 = 2;

/// One sample of a board.
pub struct Sample<'a> {
    pub player: usize,
    pub observed: &'a PlayerObservation,
    /// Puyos that pop together.
    pub pop_count: u8,
    /// The pair in play by the model, for each variant of the dealing.
    pub pairs: Vec<Pair>,
    pub frame: u64,
    /// Whether it is continuous with the previous sample.
    pub follows: bool,
    pub round: u64,
}

/// The values of a sample that the checks use.
#[derive(Debug, Clone, Copy)]
struct BoardState {
    frame: u64,
    dealt: u16,
    rules: Rules,
    field: Field,
    score: Option<u32>,
    /// The next pair in the queue.
    next: Pair,
}

/// A deal between two samples.
#[derive(Debug, Clone)]
struct Deal {
    before: BoardState,
    observed: BoardState,
}

/// The result of one placement of a pair.
#[derive(Debug, Clone)]
struct Outcome {
    landed: Field,
    chain: Option<Chain>,
    after: Field,
}

/// The state from one deal to the next.
#[derive(Debug, Clone)]
struct Turn {
    /// Pairs dealt, including the one in play.
    dealt: u16,
    /// The score when it was dealt.
    score: Option<u32>,
    /// The board at the deal, plus the garbage that has fallen since.
    rest: Field,
    /// Whether that board was predicted; otherwise it may already contain the pair in play.
    certain: bool,
    rules: Rules,
    /// The possible pairs in play.
    pairs: Vec<Pair>,
    /// The results of all placements that match the samples so far.
    outcomes: Vec<Outcome>,
    /// Set when the pair has landed: the score at that time.
    landed: Option<Option<u32>>,
    /// Board and score when they were last unchanged between two samples.
    settled: Option<(Field, Option<u32>)>,
}

/// The result of comparing a board.
enum Comparison<'a> {
    Verified(&'a Outcome),
    /// The board is right, the score is not.
    Score(&'a Outcome, [u32; 2]),
    /// Groups on the board should have popped.
    Unpopped(&'a Outcome),
    /// The board was emptied: a lost or abandoned game.
    Cleared,
    /// No placement leads to this board; the outcome is the nearest one.
    Board(&'a Outcome),
}

/// The result of the check.
#[derive(Debug, Clone, Default)]
enum State {
    #[default]
    NotYet,
    Verified,
    Mismatch(String),
    /// Groups of this size are on the board and have never popped.
    OtherRules(u32),
}

/// One player's board.
#[derive(Debug, Clone, Default)]
pub struct BoardTrack {
    last: Option<BoardState>,
    deal: Option<Deal>,
    turn: Option<Turn>,
    /// Why the newest sample cannot be checked.
    unread: Option<String>,
    state: State,
    landings: u64,
    chains: u64,
    last_chain: Option<(usize, u32)>,
    /// Whether the board was all clear, without a chain since. It is unknown when that changes the score.
    all_clear: bool,
}

impl BoardTrack {
    /// Call this when another round starts.
    pub fn leave_round(&mut self, totals: &mut Totals) {
        self.deal = None;
        let Some(turn) = self.turn.take() else { return };
        // The last chain of the round is complete when its board and score are.
        let Some((field, score)) = turn.settled.filter(|_| turn.landed.is_some()) else { return };
        if let Some(Comparison::Verified(outcome)) = turn.compare(&field, &[score], self.all_clear)
            && outcome.chain.is_some()
        {
            self.count(outcome, totals);
        }
    }

    pub fn step(&mut self, sample: &Sample<'_>, totals: &mut Totals) -> Option<Mismatch> {
        let now = match board_state(sample) {
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
                self.deal = Some(Deal { before: last, observed: now });
            } else {
                self.leave_round(totals);
            }
            return None;
        }
        if now.frame == last.frame {
            // The deal may be in progress: it is complete when the next frame is equal.
            if let Some(deal) = &mut self.deal {
                deal.observed = now;
            }
            return None;
        }
        if let Some(deal) = self.deal.take() {
            return self.dealt(&deal, &now, sample, totals);
        }
        if let Some(turn) = &mut self.turn
            && (now.field, now.score) == (last.field, last.score)
        {
            turn.note_settled(&now);
        }
        None
    }

    /// After a complete deal: checks the result of the previous pair and starts the new turn.
    fn dealt(
        &mut self,
        deal: &Deal,
        now: &BoardState,
        sample: &Sample<'_>,
        totals: &mut Totals,
    ) -> Option<Mismatch> {
        let turn = self.turn.take();
        if deal.observed.field != now.field {
            totals.boards_missed += u64::from(turn.is_some());
            return None;
        }
        let mut pairs = sample.pairs.clone();
        pairs.push(deal.before.next);
        // The variants agree on most pairs: try each once.
        pairs.sort_unstable_by_key(|pair| (pair.axis.0, pair.child.0));
        pairs.dedup();
        // If no frame was missed before the deal, the new pair has not landed yet.
        let exact = deal.observed.frame.saturating_sub(deal.before.frame) <= 1;
        let scores = [deal.before.score, deal.observed.score, now.score];
        let (mut explained, mut certain, mut found) = (false, false, None);
        if let Some(turn) = &turn {
            match turn.compare(&now.field, &scores, self.all_clear) {
                Some(Comparison::Verified(outcome)) => {
                    explained = true;
                    // Two pairs of the same colours can be confused.
                    certain = turn.certain
                        || turn.landed.is_some()
                        || !turn.pairs.iter().any(|pair| alike(*pair, &pairs));
                    self.count(outcome, totals);
                }
                Some(Comparison::Cleared) => self.all_clear = false,
                Some(Comparison::Unpopped(_)) if self.chains == 0 => {
                    self.state = State::OtherRules(now.rules.group);
                }
                Some(_) if turn.outrun(&now.field, &pairs) => {
                    totals.boards_missed += 1;
                    return None;
                }
                // A board that was not settled before the deal may have been incomplete.
                Some(comparison) if exact && turn.settled.is_some_and(|(field, _)| field == now.field) => {
                    found = mismatch(turn, &comparison, now, sample);
                }
                Some(_) => totals.boards_missed += 1,
                None => {}
            }
        }
        if let Some(found) = &found {
            self.state = State::Mismatch(found.what.clone());
            self.all_clear = false;
        }
        if exact || explained {
            self.turn = Some(Turn::new(now, deal.observed.score, pairs, certain));
        }
        found
    }

    fn count(&mut self, outcome: &Outcome, totals: &mut Totals) {
        self.state = State::Verified;
        self.landings += 1;
        totals.boards_verified += 1;
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
            State::NotYet => (Status::NotVerified, "no pair sampled from deal to deal yet".into()),
            State::Verified => (Status::Verified, self.summary()),
            State::Mismatch(what) => (Status::Mismatch, what.clone()),
            State::OtherRules(group) => (
                Status::NotVerified,
                format!("groups of {group} or more do not pop: the game uses rules that are not modelled"),
            ),
        };
        Check { id, status, detail }
    }

    fn summary(&self) -> String {
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
        format!("{pairs} matched the model; {chains}")
    }
}

/// The board state of a sample; None when the profile lacks the address of the board.
fn board_state(sample: &Sample<'_>) -> Result<Option<BoardState>, String> {
    let observed = sample.observed;
    let Some(board) = &observed.board else { return Ok(None) };
    let field = *board.as_ref().map_err(ToString::to_string)?;
    let rules = rules(sample.pop_count)
        .ok_or_else(|| format!("groups of {} puyos are not modelled", sample.pop_count))?;
    let (dealt, score, next) = (observed.pairs_dealt, observed.score, observed.queue[0]);
    Ok(Some(BoardState { frame: sample.frame, dealt, rules, field, score, next }))
}

/// Whether a pair has the colours of one of these.
fn alike(pair: Pair, others: &[Pair]) -> bool {
    let turned = Pair { axis: pair.child, child: pair.axis };
    others.iter().any(|other| *other == pair || *other == turned)
}

/// The boards from which a pair can have led to this one.
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

/// The results of all placements of the pairs on a board, without duplicates.
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
    fn new(now: &BoardState, score: Option<u32>, pairs: Vec<Pair>, certain: bool) -> Self {
        let outcomes = outcomes(&now.field, &pairs, now.rules);
        let (dealt, rest, rules) = (now.dealt, now.field, now.rules);
        Self { dealt, score, rest, certain, rules, pairs, outcomes, landed: None, settled: None }
    }

    /// Whether the next pair, which is one of these, may have landed before its deal was sampled; or the pair in play before
    /// its own deal was.
    fn outrun(&self, field: &Field, next: &[Pair]) -> bool {
        let mut bases: Vec<Field> = self.outcomes.iter().map(|outcome| outcome.after).collect();
        bases.push(Field::default()); // an emptied board
        if !self.certain {
            let mut fired = self.rest;
            reference::fire(&mut fired, self.rules);
            if fired.is_below_garbage_of(field) {
                return true;
            }
            bases.push(fired);
        }
        let lifted: Vec<Field> = next.iter().flat_map(|pair| lifted(field, *pair)).collect();
        bases.iter().any(|base| {
            let popped = |later: &Outcome| later.chain.is_some() && later.after.is_below_garbage_of(field);
            lifted.iter().any(|below| base.is_below_garbage_of(below))
                || outcomes(base, next, self.rules).iter().any(popped)
        })
    }

    /// Processes a board and score that are equal in two consecutive frames.
    fn note_settled(&mut self, now: &BoardState) {
        self.settled = Some((now.field, now.score));
        if self.landed.is_some() || now.field == self.rest {
            return;
        }
        if self.outcomes.iter().any(|outcome| outcome.landed == now.field) {
            self.outcomes.retain(|outcome| outcome.landed == now.field);
            self.landed = Some(now.score);
        } else if self.rest.is_below_garbage_of(&now.field) {
            // Garbage that falls after the deal.
            *self = Self::new(now, self.score, std::mem::take(&mut self.pairs), self.certain);
        }
    }

    /// Checks the result of the pair; None when there is no placement. `scores` are those of the samples around the deal; the
    /// chain's points must lead to one of them.
    fn compare(&self, field: &Field, scores: &[Option<u32>], all_clear: bool) -> Option<Comparison<'_>> {
        let came = || self.outcomes.iter().filter(|outcome| outcome.after.is_below_garbage_of(field));
        let scores: Vec<u32> = scores.iter().copied().flatten().collect();
        let right = |outcome: &&Outcome| match (&outcome.chain, self.score) {
            (Some(chain), Some(dealt)) if !scores.is_empty() => {
                let worth = |score: &u32| self.leads_to(chain, dealt, *score);
                all_clear || outcome.after.is_empty() || scores.iter().any(worth)
            }
            _ => true,
        };
        if let Some(outcome) = came().find(right) {
            return Some(Comparison::Verified(outcome));
        }
        if let (Some(outcome), Some(before)) = (came().next(), self.score) {
            let from = self.landed.flatten().unwrap_or(before);
            let points = outcome.chain.as_ref().map_or(0, Chain::points);
            let actual = scores.last().copied().unwrap_or(from);
            return Some(Comparison::Score(outcome, [from.wrapping_add(points), actual]));
        }
        if field.is_empty() {
            return Some(Comparison::Cleared);
        }
        let unpopped =
            |outcome: &&Outcome| outcome.chain.is_some() && outcome.landed.is_below_garbage_of(field);
        if let Some(outcome) = self.outcomes.iter().find(unpopped) {
            return Some(Comparison::Unpopped(outcome));
        }
        self.outcomes.iter().min_by_key(|outcome| apart(&outcome.after, field).count()).map(Comparison::Board)
    }

    /// Whether a chain can end with this score. After the pair has landed, only the chain and the next pair add points; before that,
    /// there may also be points for rows that it fell with Down held.
    fn leads_to(&self, chain: &Chain, dealt: u32, end: u32) -> bool {
        let points = chain.points();
        let Some(landed) = self.landed.flatten() else {
            return (points..=points.saturating_add(DROP_POINTS)).contains(&end.wrapping_sub(dealt));
        };
        // The first step may have been counted when the pair landed.
        let first = chain.steps.first().map_or(0, |step| step.points);
        let gained = end.wrapping_sub(landed);
        let worth = |points: u32| (points..=points.saturating_add(NEXT_ROWS)).contains(&gained);
        worth(points) || landed.wrapping_sub(dealt) >= first && worth(points - first)
    }
}

/// The cells in which two boards differ, from the floor up.
fn apart<'a>(one: &'a Field, other: &'a Field) -> impl Iterator<Item = (usize, usize)> + 'a {
    let cells = (0..ROWS).flat_map(|row| (0..COLUMNS).map(move |column| (column, row)));
    cells.filter(|&(column, row)| one.get(column, row) != other.get(column, row))
}

fn mismatch(
    turn: &Turn,
    comparison: &Comparison<'_>,
    now: &BoardState,
    sample: &Sample<'_>,
) -> Option<Mismatch> {
    let player = sample.player + 1;
    let check = if sample.player == 0 { CheckId::BOARD_P1 } else { CheckId::BOARD_P2 };
    let whose = format!("player {player}, pair {} of the round", turn.dealt);
    let (outcome, unpopped) = match comparison {
        Comparison::Verified(_) | Comparison::Cleared => return None,
        Comparison::Score(outcome, _) | Comparison::Board(outcome) => (outcome, false),
        Comparison::Unpopped(outcome) => (outcome, true),
    };
    let came = match &outcome.chain {
        None => String::new(),
        Some(chain) => {
            format!(" after a chain of {} for {} points", chain.steps.len(), chain.points())
        }
    };
    let (what, field, expected, actual) = if let Comparison::Score(_, [expected, actual]) = comparison {
        (
            format!("{whose}:{came} the score is {actual}, not {expected}"),
            format!("p{player}_score"),
            expected.to_string(),
            actual.to_string(),
        )
    } else {
        let what = match apart(&outcome.after, &now.field).next() {
            _ if unpopped => format!("{whose}: groups of {} or more did not pop", now.rules.group),
            Some((column, row)) => format!(
                "{whose}:{came} column {}, row {} from the floor is {}, not {}",
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
