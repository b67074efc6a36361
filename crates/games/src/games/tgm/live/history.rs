//! The sequence of games: follows the dealt pieces, predicts the next ones and checks the game against the predictions.

use crate::games::piece::{Dealer, Piece, letters};
use crate::games::tgm::arika::State;
use crate::games::tgm::cells::Phase;
use crate::games::tgm::live::seed_narrower::{AHEAD, NOT_PREDICTED, Results, SeedNarrower, not_expected};
use crate::games::tgm::live::{Observation, check, mismatch};
use crate::games::tgm::seeds::Narrowing;
use crate::games::tgm::tgm2::Tgm2;
use crate::live::{Check, CheckId, Mismatch, Status, Totals, Verdict};
use crate::seeds::pieces::PieceGame;

/// Frames between two observations in which no piece can be dealt and locked: the fastest game (TAP, Death) waits four frames before a
/// piece, and the piece, its lock and the following wait last at least as long.
const MAX_FRAMES_FOR_NONE: u16 = 10;
/// Frames in which one piece may have been dealt, but not two.
const MAX_FRAMES_FOR_ONE: u16 = 24;
/// Predicted pieces that exclude chance (one in 343).
const CONFIRMED: u8 = 3;

/// The prediction.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// The piece in play.
    pub current: Option<Piece>,
    /// The next piece, which the game shows.
    pub next: Option<Piece>,
    /// Pieces sampled in this game, including the next one.
    pub seen: usize,
    /// Whether the game was in progress at its first sample.
    pub from_middle: bool,
    /// Generator states that deal these pieces; None when unknown.
    pub remaining: Option<u64>,
    /// Whether a search is running: `remaining` then excludes the last pieces.
    pub narrowing: bool,
    /// The chance of each piece to be the one after the next, in the order of [`Piece::ALL`]; all 0 when unknown.
    pub chances: [f32; 7],
    /// The pieces after the next one that are certain.
    pub certain: Vec<Piece>,
    /// Whether they come from the generator in RAM and not from the pieces.
    pub from_state: bool,
}

/// The dealer in RAM after a deal, from which the next deal follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DealerState {
    dealer: Tgm2,
    /// Whether the generator changed without a deal.
    moved: bool,
}

/// A gap in the game's clock: pieces may have been dealt between two observations, or a state loaded.
#[derive(Debug, Clone, Copy)]
struct ContinuityGap {
    /// The longest step of the game's clock between two observations.
    frames: u16,
    /// Pieces since then that came as predicted.
    confirmed: u8,
}

/// The sequence of games.
#[derive(Debug, Default)]
pub struct GameHistory {
    phase: Option<Phase>,
    /// The last sampled piece in play and next piece.
    shown: Option<(Piece, Piece)>,
    pieces: Vec<Piece>,
    /// Whether the first pieces of this game were not sampled.
    from_middle: bool,
    /// None after a contradiction.
    follower: Option<SeedNarrower>,
    /// Followers of past games with outstanding answers.
    ended: Vec<SeedNarrower>,
    dealer_state: Option<DealerState>,
    gap: Option<ContinuityGap>,
    games: u64,
    dealt: u64,
    wrong_next: bool,
    wrong_piece: Option<String>,
    wrong_history: bool,
    history_checked: bool,
    verified_by_state: u64,
    verified_by_pieces: u64,
}

impl GameHistory {
    /// Discards everything except the count of games.
    pub fn reset(&mut self) {
        *self = Self { games: self.games, ..Self::default() };
    }

    /// An independent copy.
    pub fn checkpoint(&self) -> Self {
        Self {
            phase: self.phase,
            shown: self.shown,
            pieces: self.pieces.clone(),
            from_middle: self.from_middle,
            follower: self.follower.as_ref().map(SeedNarrower::checkpoint),
            ended: self.ended.iter().map(SeedNarrower::checkpoint).collect(),
            dealer_state: self.dealer_state,
            gap: self.gap,
            games: self.games,
            dealt: self.dealt,
            wrong_next: self.wrong_next,
            wrong_piece: self.wrong_piece.clone(),
            wrong_history: self.wrong_history,
            history_checked: self.history_checked,
            verified_by_state: self.verified_by_state,
            verified_by_pieces: self.verified_by_pieces,
        }
    }

    /// Ends the game.
    fn end_game(&mut self) {
        self.stop_following();
        *self = Self { games: self.games, ended: std::mem::take(&mut self.ended), ..Self::default() };
    }

    /// Stops following the pieces; outstanding answers are still processed.
    fn stop_following(&mut self) {
        self.ended.extend(self.follower.take().filter(SeedNarrower::is_searching));
    }

    /// Collects the available answers of the searches. True when something changed.
    pub fn collect(&mut self, found: &mut Vec<Mismatch>) -> bool {
        let Results { any, wrong, lost } =
            self.follower.as_mut().map_or_else(Results::default, SeedNarrower::collect);
        if lost || wrong.is_some() {
            self.follower = None;
        }
        if let Some(wrong) = wrong {
            self.wrong_piece = Some(wrong.sentence);
            found.push(wrong.mismatch);
        }
        let before = found.len();
        self.ended.retain_mut(|follower| {
            found.extend(follower.collect().wrong.map(|wrong| wrong.mismatch));
            follower.is_searching()
        });
        any || found.len() > before
    }

    /// The progress of the running search, 0 to 1; None when there is none.
    pub fn search_progress(&self) -> Option<f64> {
        let mut waiting = self.follower.iter().chain(&self.ended).filter(|follower| follower.is_searching());
        waiting.next().map(SeedNarrower::share)
    }

    /// Processes the game's clock of the previous and the current observation that two samples agreed on.
    pub fn pass(&mut self, before: u16, clock: u16) {
        let frames = clock.wrapping_sub(before);
        // The clock restarts with a game, before its first piece comes into play.
        let begins = self.shown.is_none() && clock <= MAX_FRAMES_FOR_NONE;
        if frames > MAX_FRAMES_FOR_NONE && !begins {
            let longest = self.gap.map_or(0, |gap| gap.frames).max(frames);
            self.gap = Some(ContinuityGap { frames: longest, confirmed: 0 });
        }
    }

    /// Processes an observation confirmed by two samples; true when the pieces changed.
    pub fn see(
        &mut self,
        now: &Observation,
        frame: u64,
        totals: &mut Totals,
        found: &mut Vec<Mismatch>,
    ) -> bool {
        let (Some(phase), Some(next)) = (now.phase, now.next) else { return false };
        let before = self.phase.replace(phase);
        let first = found.len();
        let changed = match phase {
            Phase::Idle => {
                let over = before.is_some_and(|before| before != Phase::Idle);
                if over {
                    self.end_game();
                    self.phase = Some(phase);
                }
                over
            }
            Phase::Start => before != Some(Phase::Start) && self.begin(now, next, frame, totals),
            Phase::Between => {
                self.watch_state(now);
                false
            }
            Phase::Active => {
                let Some(current) = now.current else { return false };
                let again = self.shown == Some((current, next));
                if again && (before == Some(Phase::Active) || self.gap.is_some()) && self.is_unchanged(now) {
                    self.watch_state(now);
                    false
                } else {
                    if !self.pieces.is_empty() && !self.follows(now, (current, next)) {
                        self.lose(totals);
                    }
                    self.deal(now, (current, next), before, frame, totals, found);
                    true
                }
            }
        };
        for mismatch in &mut found[first..] {
            (mismatch.frame, mismatch.round) = (frame, self.games);
        }
        changed
    }

    /// Whether the same pieces are in play because none was dealt since.
    fn is_unchanged(&mut self, now: &Observation) -> bool {
        let Some(gap) = self.gap else { return true };
        let by_state = self.dealer_state.filter(|dealer_state| !dealer_state.moved).zip(now.rng);
        let (unchanged, certain) = match by_state {
            Some((dealer_state, rng)) => (dealer_state.dealer.rng == rng, true),
            None if self.by_pieces().is_some() => (true, false),
            None => (gap.frames <= MAX_FRAMES_FOR_ONE, true),
        };
        self.gap = self.gap.filter(|_| !(unchanged && certain));
        unchanged
    }

    /// Whether the piece in play and the next one can follow the last sampled ones. After a gap, they must be as predicted, or the gap
    /// must be too short for more pieces.
    fn follows(&mut self, now: &Observation, (current, next): (Piece, Piece)) -> bool {
        let Some(gap) = &mut self.gap else { return true };
        gap.confirmed += 1;
        let (frames, confirmed) = (gap.frames, gap.confirmed >= CONFIRMED);
        let (follows, certain) = match (self.by_state().zip(now.rng), self.by_pieces()) {
            (Some(((piece, dealer), rng)), _) => (piece == next && dealer.rng == rng, true),
            (None, Some(piece)) => (piece == next, confirmed),
            (None, None) => (frames <= MAX_FRAMES_FOR_ONE, true),
        };
        self.gap = self.gap.filter(|_| !certain);
        follows && self.pieces.last() == Some(&current)
    }

    /// Restarts from the middle of a game because pieces were missed or a state was loaded.
    fn lose(&mut self, totals: &mut Totals) {
        totals.pairs_missed += 1;
        // Otherwise loading states repeatedly would start a search for each.
        self.follower = None;
        (self.pieces, self.shown, self.dealer_state, self.gap) = (Vec::new(), None, None, None);
    }

    /// The next piece by the previous pieces, if certain.
    fn by_pieces(&self) -> Option<Piece> {
        self.follower.as_ref().and_then(|follower| follower.certain().first().copied())
    }

    /// The next piece by the dealer in RAM, if known, and the dealer after it.
    fn by_state(&self) -> Option<(Piece, Tgm2)> {
        self.dealer_state.filter(|dealer_state| !dealer_state.moved).map(|dealer_state| {
            let mut dealer = dealer_state.dealer;
            (dealer.deal(), dealer)
        })
    }

    /// Starts a game: its first piece is shown as the next one.
    fn begin(&mut self, now: &Observation, first: Piece, frame: u64, totals: &mut Totals) -> bool {
        self.end_game();
        self.phase = Some(Phase::Start);
        self.games += 1;
        totals.rounds += 1;
        self.follow(piece_game(now).and_then(|game| Narrowing::new(game, &now.variant)));
        self.push(first, None, frame, totals, &mut Vec::new());
        self.store_dealer_state(now);
        true
    }

    /// Processes a deal: a piece came into play, and the next one was drawn.
    fn deal(
        &mut self,
        now: &Observation,
        (current, next): (Piece, Piece),
        before: Option<Phase>,
        frame: u64,
        totals: &mut Totals,
        found: &mut Vec<Mismatch>,
    ) {
        let announced = match (self.shown, before) {
            (Some((_, announced)), _) => Some(announced),
            (None, Some(Phase::Start | Phase::Active | Phase::Between)) => self.pieces.last().copied(),
            _ => None,
        };
        self.dealt += 1;
        if announced.is_some_and(|announced| announced != current) {
            self.wrong_next = true;
            let announced = announced.map(|piece| piece.to_string()).unwrap_or_default();
            let mut mismatch = mismatch(
                CheckId::QUEUE_P1,
                "the piece in play is not the one shown as next",
                announced,
                current.to_string(),
                "current",
            );
            mismatch.index = index(self.pieces.len().saturating_sub(1));
            found.push(mismatch);
        }
        if self.pieces.is_empty() {
            // Attached in the middle of a game: the pieces before are unknown.
            self.follow(piece_game(now).and_then(|game| Narrowing::from_middle(game, &now.variant)));
            self.from_middle = true;
            for piece in [current, next] {
                self.push(piece, None, frame, totals, found);
            }
            self.shown = Some((current, next));
            self.store_dealer_state(now);
            return;
        }
        let by_state = self.by_state();
        self.check_history(now, next, found);
        self.push(next, by_state.map(|(piece, _)| piece), frame, totals, found);
        self.shown = Some((current, next));
        if let (Some((piece, dealer)), Some(rng)) = (by_state, now.rng)
            && piece == next
            && dealer.rng == rng
        {
            self.verified_by_state += 1;
        }
        self.store_dealer_state(now);
    }

    fn follow(&mut self, narrowing: Option<Narrowing>) {
        self.follower = narrowing.map(|narrowing| SeedNarrower::new(narrowing, self.games));
    }

    /// Adds a drawn piece and compares it with the prediction. While a search is running, the follower compares it later.
    fn push(
        &mut self,
        piece: Piece,
        by_state: Option<Piece>,
        frame: u64,
        totals: &mut Totals,
        found: &mut Vec<Mismatch>,
    ) {
        let place = self.pieces.len();
        self.pieces.push(piece);
        let by_pieces = self.by_pieces();
        match by_pieces.or(by_state) {
            Some(expected) if expected != piece => {
                let what = match by_pieces {
                    Some(_) => NOT_PREDICTED,
                    None => "not the piece that the generator state deals",
                };
                let mut mismatch =
                    mismatch(CheckId::PIECES, what, expected.to_string(), piece.to_string(), "next");
                mismatch.index = index(place);
                self.wrong_piece = Some(not_expected(place, piece, expected));
                self.stop_following();
                found.push(mismatch);
                return;
            }
            Some(_) => {
                totals.pairs_verified += 1;
                self.verified_by_pieces += u64::from(by_pieces.is_some());
            }
            None => {}
        }
        if let Some(follower) = &mut self.follower {
            follower.push(piece, frame);
        }
    }

    fn check_history(&mut self, now: &Observation, next: Piece, found: &mut Vec<Mismatch>) {
        let (Some(history), Some(dealer_state)) = (now.history, self.dealer_state) else { return };
        let expected = dealer_state.dealer.history.then(next);
        self.history_checked = true;
        if crate::games::tgm::arika::History::new(history) != expected {
            self.wrong_history = true;
            let mut mismatch = mismatch(
                CheckId::HISTORY,
                "the history does not match the pieces drawn",
                format!("{next} and the three before it"),
                letters(&history),
                "history",
            );
            mismatch.index = index(self.pieces.len());
            found.push(mismatch);
        }
    }

    fn store_dealer_state(&mut self, now: &Observation) {
        // The cells are only known for the second game.
        let known = now.rng.zip(now.model_history()).filter(|_| now.game == crate::games::tgm::tgm2::ID);
        self.dealer_state =
            known.map(|(rng, history)| DealerState { dealer: Tgm2 { rng, history }, moved: false });
    }

    /// Without a deal, the generator must not change.
    fn watch_state(&mut self, now: &Observation) {
        if let (Some(dealer_state), Some(rng), None) = (&mut self.dealer_state, now.rng, self.gap) {
            dealer_state.moved |= dealer_state.dealer.rng != rng;
        }
    }

    /// The prediction.
    pub fn predict(&self, now: &Observation) -> Option<Prediction> {
        let next = self.pieces.last().copied()?;
        let dealer_state = self.dealer_state.filter(|dealer_state| !dealer_state.moved);
        let by_state = dealer_state.map(|mut dealer_state| dealer_state.dealer.deal_many(AHEAD));
        let follower = self.follower.as_ref();
        let by_pieces = follower.map(SeedNarrower::certain).unwrap_or_default();
        let from_state = by_state.is_some();
        let certain = by_state.unwrap_or_else(|| by_pieces.to_vec());
        let narrowing = follower.is_some_and(SeedNarrower::is_searching);
        let chances = match (certain.first(), follower) {
            (Some(piece), _) => {
                let mut chances = [0.0; 7];
                chances[piece.index()] = 1.0;
                chances
            }
            (None, Some(follower)) if !narrowing => follower.knowledge().chances.unwrap_or_default(),
            (None, _) => [0.0; 7],
        };
        Some(Prediction {
            current: now.current,
            next: Some(next),
            seen: self.pieces.len(),
            from_middle: self.from_middle,
            remaining: follower.map(|follower| follower.knowledge().remaining),
            narrowing,
            chances,
            certain,
            from_state,
        })
    }

    /// The generator after the last deal, if known.
    pub fn state(&self) -> Option<State> {
        self.dealer_state.map(|dealer_state| dealer_state.dealer.rng)
    }

    /// The number of the current or last round, from 1 since attaching; 0 before the first.
    pub const fn round(&self) -> u64 {
        self.games
    }

    /// The results of the checks.
    pub fn verdict(&self) -> Verdict {
        Verdict { checks: vec![self.queue_check(), self.pieces_check(), self.history_check()] }
    }

    fn queue_check(&self) -> Check {
        let (status, detail) = match (self.dealt, self.wrong_next) {
            (0, _) => (Status::Nothing, "no piece dealt yet".to_owned()),
            (_, true) => (Status::Mismatch, "a piece in play was not the one shown as next".into()),
            (dealt, false) => (Status::Verified, format!("{dealt} pieces came as shown")),
        };
        check(CheckId::QUEUE_P1, status, detail)
    }

    fn pieces_check(&self) -> Check {
        let (status, detail) = match (&self.wrong_piece, &self.follower, &self.dealer_state) {
            (Some(wrong), _, _) => (Status::Mismatch, wrong.clone()),
            (None, _, Some(dealer_state)) if dealer_state.moved => (
                Status::NotVerified,
                "the generator changes between deals: its address in the profile may be wrong".into(),
            ),
            (None, _, Some(_)) if self.verified_by_state > 0 => (
                Status::Verified,
                format!(
                    "{} pieces match the state in RAM, {} of them also predicted by the pieces alone",
                    self.verified_by_state, self.verified_by_pieces
                ),
            ),
            (None, Some(follower), _) => {
                let (count, predicted) = (self.pieces.len(), self.verified_by_pieces);
                let status = if predicted > 0 { Status::Verified } else { Status::NotVerified };
                let from = if self.from_middle { " from the middle of a game" } else { "" };
                let left = match follower.knowledge().remaining {
                    _ if follower.is_searching() => "narrowing down the states...".to_owned(),
                    1 => "1 state left".to_owned(),
                    left => format!("{left} states left"),
                };
                (status, format!("{count} pieces sampled{from}, {left}, {predicted} predicted correctly"))
            }
            (None, None, _) if self.pieces.is_empty() => (Status::Nothing, "no game yet".into()),
            (None, None, _) => (Status::NotVerified, "nothing is known about this game".into()),
        };
        check(CheckId::PIECES, status, detail)
    }

    fn history_check(&self) -> Check {
        let (status, detail) = match (self.history_checked, self.wrong_history) {
            (false, _) => (Status::Nothing, "the profile lacks the address, or nothing was dealt"),
            (true, true) => (Status::Mismatch, "it does not match the pieces drawn"),
            (true, false) => (Status::Verified, "it matches the last four pieces drawn"),
        };
        check(CheckId::HISTORY, status, detail)
    }
}

/// The rules by which the game deals; None for one that is not of the family.
fn piece_game(now: &Observation) -> Option<PieceGame> {
    PieceGame::from_id(now.game.id())
}

fn index(place: usize) -> Option<u32> {
    u32::try_from(place).ok()
}
