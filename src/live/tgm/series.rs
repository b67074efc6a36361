//! The pieces of one game as they were dealt, what they tell, and whether the game keeps to it.

use super::follower::{AHEAD, Follower, NOT_FORETOLD, News, not_expected};
use super::{Observation, check, mismatch};
use crate::game::arika::State;
use crate::game::piece::{Dealer, Piece, letters};
use crate::game::tgm_cells::Phase;
use crate::game::tgm2::Tgm2;
use crate::live::{Check, CheckId, Mismatch, Status, Totals, Verdict};
use crate::seeds::pieces::PieceGame;
use crate::seeds::pieces::arika::Narrowing;

/// Frames between two samples in which no piece can come and be laid unseen: the quickest game (TAP, Death) waits four frames before a
/// piece and shows it, its lock and the wait after it for as long at least.
const NONE_UNSEEN: u16 = 10;
/// Frames in which one may have been dealt, but not two.
const ONE_UNSEEN: u16 = 24;
/// So many pieces that came as foretold are no chance: one in 343.
const CONFIRMED: u8 = 3;

/// What is to come.
#[derive(Debug, Clone, PartialEq)]
pub struct Forecast {
    /// The piece in play.
    pub current: Option<Piece>,
    /// The next piece, which the game shows itself.
    pub next: Option<Piece>,
    /// Pieces seen in this game, the next one included.
    pub seen: usize,
    /// Whether the game was under way when its first piece was seen.
    pub from_middle: bool,
    /// States of the generator that deal what was seen; None when that is not known.
    pub remaining: Option<u64>,
    /// Whether states are still being tried: what remains is then of the pieces before.
    pub narrowing: bool,
    /// The chance of each piece to be the one after the next, in the order of [`Piece::ALL`]; all 0 when they are not known.
    pub chances: [f32; 7],
    /// The pieces after the next one, as far as they are certain.
    pub certain: Vec<Piece>,
    /// Whether they come from the generator in the game's RAM, and not from the pieces seen.
    pub from_state: bool,
}

/// The dealer in the game's RAM after a deal: what the next deal must come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Standing {
    dealer: Tgm2,
    /// Whether the generator moved while nothing was dealt.
    moved: bool,
}

/// Whether what is seen follows from what was seen before: pieces may have been dealt unseen, or taken back.
#[derive(Debug, Clone, Copy)]
struct Doubt {
    /// The most frames of the game's clock from one sample to the next, or what it jumped by.
    frames: u16,
    /// Pieces since then that came as they were foretold.
    confirmed: u8,
}

/// One game after another.
#[derive(Debug, Default)]
pub struct Series {
    phase: Option<Phase>,
    /// The piece in play and the next one when they were last looked at.
    shown: Option<(Piece, Piece)>,
    pieces: Vec<Piece>,
    /// Whether pieces were dealt in this game that nobody saw.
    from_middle: bool,
    /// None once the pieces contradicted it.
    follower: Option<Follower>,
    /// Those whose game is over, or is not followed any more, while answers are still to come.
    ended: Vec<Follower>,
    standing: Option<Standing>,
    doubt: Option<Doubt>,
    games: u64,
    dealt: u64,
    wrong_next: bool,
    wrong_piece: Option<String>,
    wrong_history: bool,
    history_seen: bool,
    verified_by_state: u64,
    verified_by_pieces: u64,
}

impl Series {
    /// Forgets everything, but for what was counted.
    pub fn restart(&mut self) {
        *self = Self { games: self.games, ..Self::default() };
    }

    /// The same again, which goes its own way.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            phase: self.phase,
            shown: self.shown,
            pieces: self.pieces.clone(),
            from_middle: self.from_middle,
            follower: self.follower.as_ref().map(Follower::checkpoint),
            ended: self.ended.iter().map(Follower::checkpoint).collect(),
            standing: self.standing,
            doubt: self.doubt,
            games: self.games,
            dealt: self.dealt,
            wrong_next: self.wrong_next,
            wrong_piece: self.wrong_piece.clone(),
            wrong_history: self.wrong_history,
            history_seen: self.history_seen,
            verified_by_state: self.verified_by_state,
            verified_by_pieces: self.verified_by_pieces,
        }
    }

    /// The game is over.
    fn end_game(&mut self) {
        self.let_go();
        *self = Self { games: self.games, ended: std::mem::take(&mut self.ended), ..Self::default() };
    }

    /// The pieces are not followed from here on; those before are still held against what they say.
    fn let_go(&mut self) {
        self.ended.extend(self.follower.take().filter(Follower::waits));
    }

    /// Takes what the pieces say that were seen, as far as it was found out. True when something changed.
    pub fn collect(&mut self, found: &mut Vec<Mismatch>) -> bool {
        let News { any, wrong, lost } = self.follower.as_mut().map_or_else(News::default, Follower::collect);
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
            follower.waits()
        });
        any || found.len() > before
    }

    /// The share of the search under way that is done, 0 to 1; None when there is none.
    #[must_use]
    pub fn outstanding(&self) -> Option<f64> {
        let mut waiting = self.follower.iter().chain(&self.ended).filter(|follower| follower.waits());
        waiting.next().map(Follower::share)
    }

    /// The game's clock stood there in the sample before, and stands here now.
    pub fn pass(&mut self, before: u16, clock: u16) {
        let frames = clock.wrapping_sub(before);
        // It begins anew with a game, before its first piece comes into play.
        let begins = self.shown.is_none() && clock <= NONE_UNSEEN;
        if frames > NONE_UNSEEN && !begins {
            let longest = self.doubt.map_or(0, |doubt| doubt.frames).max(frames);
            self.doubt = Some(Doubt { frames: longest, confirmed: 0 });
        }
    }

    /// Takes what two samples agreed on; true when something about the pieces changed.
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
                if again && (before == Some(Phase::Active) || self.doubt.is_some()) && self.stands(now) {
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

    /// Whether the same pieces as before are in play because none was dealt since.
    fn stands(&mut self, now: &Observation) -> bool {
        let Some(doubt) = self.doubt else { return true };
        let by_state = self.standing.filter(|standing| !standing.moved).zip(now.rng);
        let (stands, certain) = match by_state {
            Some((standing, rng)) => (standing.dealer.rng == rng, true),
            None if self.by_pieces().is_some() => (true, false),
            None => (doubt.frames <= ONE_UNSEEN, true),
        };
        self.doubt = self.doubt.filter(|_| !(stands && certain));
        stands
    }

    /// Whether the piece in play and the next one can be those after the last ones seen. Where that is in doubt, what is known of them has
    /// to say so, or there was no time for more.
    fn follows(&mut self, now: &Observation, (current, next): (Piece, Piece)) -> bool {
        let Some(doubt) = &mut self.doubt else { return true };
        doubt.confirmed += 1;
        let (frames, confirmed) = (doubt.frames, doubt.confirmed >= CONFIRMED);
        let (follows, certain) = match (self.by_state().zip(now.rng), self.by_pieces()) {
            (Some(((piece, dealer), rng)), _) => (piece == next && dealer.rng == rng, true),
            (None, Some(piece)) => (piece == next, confirmed),
            (None, None) => (frames <= ONE_UNSEEN, true),
        };
        self.doubt = self.doubt.filter(|_| !certain);
        follows && self.pieces.last() == Some(&current)
    }

    /// Pieces were dealt that nobody saw, or a state was loaded: what is seen from here on is the middle of a game.
    fn lose(&mut self, totals: &mut Totals) {
        totals.pairs_unseen += 1;
        // Who loads states again and again would have a search under way for each of them.
        self.follower = None;
        (self.pieces, self.shown, self.standing, self.doubt) = (Vec::new(), None, None, None);
    }

    /// The piece that is drawn next by the pieces seen, when they say.
    fn by_pieces(&self) -> Option<Piece> {
        self.follower.as_ref().and_then(|follower| follower.certain().first().copied())
    }

    /// The piece that is drawn next by the dealer in RAM, where it is known, and that dealer afterwards.
    fn by_state(&self) -> Option<(Piece, Tgm2)> {
        self.standing.filter(|standing| !standing.moved).map(|standing| {
            let mut dealer = standing.dealer;
            (dealer.deal(), dealer)
        })
    }

    /// A game begins: its first piece is shown as the next one.
    fn begin(&mut self, now: &Observation, first: Piece, frame: u64, totals: &mut Totals) -> bool {
        self.end_game();
        self.phase = Some(Phase::Start);
        self.games += 1;
        totals.rounds += 1;
        self.follow(piece_game(now).and_then(|game| Narrowing::new(game, &now.variant)));
        self.push(first, None, frame, totals, &mut Vec::new());
        self.stand(now);
        true
    }

    /// A piece came into play, and the one after it was drawn.
    fn deal(
        &mut self,
        now: &Observation,
        (current, next): (Piece, Piece),
        before: Option<Phase>,
        frame: u64,
        totals: &mut Totals,
        found: &mut Vec<Mismatch>,
    ) {
        let promised = match (self.shown, before) {
            (Some((_, promised)), _) => Some(promised),
            (None, Some(Phase::Start | Phase::Active | Phase::Between)) => self.pieces.last().copied(),
            _ => None,
        };
        self.dealt += 1;
        if promised.is_some_and(|promised| promised != current) {
            self.wrong_next = true;
            let promised = promised.map(|piece| piece.to_string()).unwrap_or_default();
            let mut told = mismatch(
                CheckId::QueueP1,
                "the piece in play is not the one that was shown as the next",
                promised,
                current.to_string(),
                "current",
            );
            told.index = index(self.pieces.len().saturating_sub(1));
            found.push(told);
        }
        if self.pieces.is_empty() {
            // Attached in the middle of a game: what was dealt before is not known.
            self.follow(piece_game(now).and_then(|game| Narrowing::from_middle(game, &now.variant)));
            self.from_middle = true;
            for piece in [current, next] {
                self.push(piece, None, frame, totals, found);
            }
            self.shown = Some((current, next));
            self.stand(now);
            return;
        }
        let by_state = self.by_state();
        self.hold_history(now, next, found);
        self.push(next, by_state.map(|(piece, _)| piece), frame, totals, found);
        self.shown = Some((current, next));
        if let (Some((piece, dealer)), Some(rng)) = (by_state, now.rng)
            && piece == next
            && dealer.rng == rng
        {
            self.verified_by_state += 1;
        }
        self.stand(now);
    }

    fn follow(&mut self, narrowing: Option<Narrowing>) {
        self.follower = narrowing.map(|narrowing| Follower::new(narrowing, self.games));
    }

    /// Takes a piece that was drawn, and holds it against what is known of it. What is being found out of the pieces before is
    /// held against it later, by the follower.
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
                    Some(_) => NOT_FORETOLD,
                    None => "not the piece that the generator's state deals",
                };
                let mut told =
                    mismatch(CheckId::Pieces, what, expected.to_string(), piece.to_string(), "next");
                told.index = index(place);
                self.wrong_piece = Some(not_expected(place, piece, expected));
                self.let_go();
                found.push(told);
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

    fn hold_history(&mut self, now: &Observation, next: Piece, found: &mut Vec<Mismatch>) {
        let (Some(history), Some(standing)) = (now.history, self.standing) else { return };
        let expected = standing.dealer.history.then(next);
        self.history_seen = true;
        if crate::game::arika::History::new(history) != expected {
            self.wrong_history = true;
            let mut told = mismatch(
                CheckId::History,
                "the history is not that of the pieces drawn",
                format!("{next} and the three before it"),
                letters(&history),
                "history",
            );
            told.index = index(self.pieces.len());
            found.push(told);
        }
    }

    fn stand(&mut self, now: &Observation) {
        // Only the second game's cells are known.
        let known = now.rng.zip(now.model_history()).filter(|_| now.game == crate::game::tgm2::ID);
        self.standing = known.map(|(rng, history)| Standing { dealer: Tgm2 { rng, history }, moved: false });
    }

    /// Nothing was dealt: the generator must stand.
    fn watch_state(&mut self, now: &Observation) {
        if let (Some(standing), Some(rng), None) = (&mut self.standing, now.rng, self.doubt) {
            standing.moved |= standing.dealer.rng != rng;
        }
    }

    /// What is to come.
    #[must_use]
    pub fn forecast(&self, now: &Observation) -> Option<Forecast> {
        let next = self.pieces.last().copied()?;
        let standing = self.standing.filter(|standing| !standing.moved);
        let by_state = standing.map(|mut standing| standing.dealer.deal_many(AHEAD));
        let follower = self.follower.as_ref();
        let by_pieces = follower.map(Follower::certain).unwrap_or_default();
        let from_state = by_state.is_some();
        let certain = by_state.unwrap_or_else(|| by_pieces.to_vec());
        let narrowing = follower.is_some_and(Follower::waits);
        let chances = match (certain.first(), follower) {
            (Some(piece), _) => {
                let mut chances = [0.0; 7];
                chances[piece.index()] = 1.0;
                chances
            }
            (None, Some(follower)) if !narrowing => follower.told().chances.unwrap_or_default(),
            (None, _) => [0.0; 7],
        };
        Some(Forecast {
            current: now.current,
            next: Some(next),
            seen: self.pieces.len(),
            from_middle: self.from_middle,
            remaining: follower.map(|follower| follower.told().remaining),
            narrowing,
            chances,
            certain,
            from_state,
        })
    }

    /// The generator after the last deal, where it is known.
    #[must_use]
    pub fn state(&self) -> Option<State> {
        self.standing.map(|standing| standing.dealer.rng)
    }

    /// The round under way, or the last one, counted from 1 since attaching; 0 before the first.
    #[must_use]
    pub const fn round(&self) -> u64 {
        self.games
    }

    /// How the checks stand.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        Verdict { checks: vec![self.queue_check(), self.pieces_check(), self.history_check()] }
    }

    fn queue_check(&self) -> Check {
        let (status, detail) = match (self.dealt, self.wrong_next) {
            (0, _) => (Status::Nothing, "no piece was dealt yet".to_owned()),
            (_, true) => (Status::Mismatch, "a piece came that was not shown as the next one".into()),
            (dealt, false) => (Status::Holds, format!("{dealt} pieces came as they were shown")),
        };
        check(CheckId::QueueP1, status, detail)
    }

    fn pieces_check(&self) -> Check {
        let (status, detail) = match (&self.wrong_piece, &self.follower, &self.standing) {
            (Some(wrong), _, _) => (Status::Mismatch, wrong.clone()),
            (None, _, Some(standing)) if standing.moved => (
                Status::NotVerified,
                "the cell of the generator moves between deals: the profile may be wrong about it".into(),
            ),
            (None, _, Some(_)) if self.verified_by_state > 0 => (
                Status::Holds,
                format!(
                    "{} pieces drawn as the state in RAM deals them, {} of them foretold by the pieces alone",
                    self.verified_by_state, self.verified_by_pieces
                ),
            ),
            (None, Some(follower), _) => {
                let (seen, foretold) = (self.pieces.len(), self.verified_by_pieces);
                let status = if foretold > 0 { Status::Holds } else { Status::NotVerified };
                let from = if self.from_middle { " from the middle of a game" } else { "" };
                let left = match follower.told().remaining {
                    _ if follower.waits() => "narrowing the states down...".to_owned(),
                    1 => "1 state left".to_owned(),
                    left => format!("{left} states left"),
                };
                (status, format!("{seen} pieces seen{from}, {left}, {foretold} foretold rightly"))
            }
            (None, None, _) if self.pieces.is_empty() => (Status::Nothing, "no game yet".into()),
            (None, None, _) => (Status::NotVerified, "nothing is known of this game".into()),
        };
        check(CheckId::Pieces, status, detail)
    }

    fn history_check(&self) -> Check {
        let (status, detail) = match (self.history_seen, self.wrong_history) {
            (false, _) => (Status::Nothing, "the profile does not say where it is, or nothing was dealt"),
            (true, true) => (Status::Mismatch, "it was not that of the pieces drawn"),
            (true, false) => (Status::Holds, "the last four pieces drawn"),
        };
        check(CheckId::History, status, detail)
    }
}

/// The rules by which the game deals; None for one that is not of the family.
fn piece_game(now: &Observation) -> Option<PieceGame> {
    PieceGame::from_id(now.game.id())
}

fn index(place: usize) -> Option<u32> {
    u32::try_from(place).ok()
}
