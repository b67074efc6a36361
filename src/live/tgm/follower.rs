//! The pieces of one game, and the states of the generator that they leave, narrowed down on a thread of its own: while many are left a
//! piece takes a search over all 33,554,432 states, and whoever samples an emulator must not wait for that.

use super::mismatch;
use crate::game::piece::{Piece, letters};
use crate::live::{CheckId, Mismatch};
use crate::seeds::pieces::{Narrowing, Progress};
use crate::seeds::{Crashed, poll};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{self, Receiver, Sender};

/// Pieces that are told ahead once they are known.
pub(super) const AHEAD: usize = 60;
/// What is wrong with a piece that was not the only one left.
pub(super) const NOT_FORETOLD: &str = "not the piece that the only states left deal";

/// The same for the verdict, of piece number `place`, from 0.
pub(super) fn not_expected(place: usize, piece: Piece, expected: Piece) -> String {
    format!("piece {} was {piece}, not {expected}: the rest is not known", place + 1)
}

/// What the pieces say up to one of them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Told {
    /// States of the generator that deal them.
    pub remaining: u64,
    /// The chance of each piece to be the one after them; None while nothing was searched for.
    pub chances: Option<[f32; 7]>,
    /// The pieces after them, as far as they are certain.
    pub certain: Vec<Piece>,
}

impl Told {
    fn of(narrowing: &Narrowing) -> Self {
        Self {
            remaining: narrowing.remaining(),
            chances: narrowing.next_chances(),
            certain: narrowing.certain(AHEAD),
        }
    }
}

/// A piece that no state left can deal.
#[derive(Debug)]
pub(super) struct Wrong {
    /// For the list of mismatches.
    pub mismatch: Mismatch,
    /// For the verdict.
    pub sentence: String,
}

/// What has come from the thread.
#[derive(Debug, Default)]
pub(super) struct News {
    /// Whether anything has come.
    pub any: bool,
    /// The piece that ends it.
    pub wrong: Option<Wrong>,
    /// The thread has ended, by a fault: nothing can be told any more.
    pub lost: bool,
}

/// What the thread finds out with each piece.
#[derive(Debug)]
struct Answer {
    told: Told,
    narrowing: Arc<Narrowing>,
}

/// The thread that narrows down. Dropping it cancels the search.
#[derive(Debug)]
struct Search {
    pieces: Sender<Piece>,
    answers: Receiver<Answer>,
    progress: Arc<Progress>,
}

impl Search {
    /// Begins after the pieces of `narrowing`, with those that wait for an answer.
    fn start(narrowing: &Arc<Narrowing>, waiting: impl Iterator<Item = Piece>) -> std::io::Result<Self> {
        let (pieces, theirs) = mpsc::channel();
        let (sender, answers) = mpsc::channel();
        let progress = Arc::new(Progress::default());
        let (narrowing, seen) = (Narrowing::clone(narrowing), Arc::clone(&progress));
        let run = move || narrow(narrowing, &theirs, &sender, &seen);
        std::thread::Builder::new().name("narrowing".into()).spawn(run)?;
        for piece in waiting {
            let _ = pieces.send(piece); // that the thread has gone is noticed when its answer is asked for
        }
        Ok(Self { pieces, answers, progress })
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.progress.cancel.store(true, Ordering::Relaxed);
    }
}

/// One game, followed from its first piece seen.
#[derive(Debug)]
pub(super) struct Follower {
    /// The game, counted from 1 since attaching.
    round: u64,
    pieces: Vec<Piece>,
    /// Those of them whose answer is still to come, each with the frame in which it was seen.
    waiting: VecDeque<(Piece, u64)>,
    /// What the pieces before those say.
    told: Told,
    /// The states that are left after them; shared with the checkpoints of this game.
    narrowing: Arc<Narrowing>,
    /// None until there is a piece to ask about.
    search: Option<Search>,
}

impl Follower {
    /// Begins. A thread is started with the first piece.
    pub fn new(narrowing: Narrowing, round: u64) -> Self {
        let told = Told::of(&narrowing);
        let narrowing = Arc::new(narrowing);
        let (pieces, waiting) = (Vec::new(), VecDeque::new());
        Self { round, pieces, waiting, told, narrowing, search: None }
    }

    /// The same game, followed from here on independently of this one. What has been found out is shared; answers that are still to
    /// come are searched for again once they are asked for.
    pub fn checkpoint(&self) -> Self {
        Self {
            round: self.round,
            pieces: self.pieces.clone(),
            waiting: self.waiting.clone(),
            told: self.told.clone(),
            narrowing: Arc::clone(&self.narrowing),
            search: None,
        }
    }

    /// The thread, for the pieces that wait; None when the system gives none, which is logged.
    fn search(&mut self) -> Option<&Search> {
        if self.search.is_none() {
            let waiting = self.waiting.iter().map(|(piece, _)| *piece);
            match Search::start(&self.narrowing, waiting) {
                Ok(search) => self.search = Some(search),
                Err(error) => {
                    tracing::error!("no thread to narrow the states of the generator down: {error}");
                }
            }
        }
        self.search.as_ref()
    }

    /// One more piece, seen in that frame. Its answer comes later.
    pub fn push(&mut self, piece: Piece, frame: u64) {
        self.pieces.push(piece);
        self.waiting.push_back((piece, frame));
        match &self.search {
            Some(search) => {
                let _ = search.pieces.send(piece); // that the thread has gone is noticed when its answer is asked for
            }
            None => {
                self.search();
            }
        }
    }

    /// Whether answers are still to come.
    pub fn waits(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// What the pieces say of which the answer has come.
    pub const fn told(&self) -> &Told {
        &self.told
    }

    /// The coming pieces, as far as they are certain: also while an answer is still to come, when the pieces asked about are
    /// those that had been foretold.
    pub fn certain(&self) -> &[Piece] {
        let waiting = self.waiting.iter().map(|(piece, _)| piece);
        match self.told.certain.split_at_checked(self.waiting.len()) {
            Some((foretold, rest)) if foretold.iter().eq(waiting) => rest,
            _ => &[],
        }
    }

    /// The share of the search under way that is done, 0 to 1.
    pub fn share(&self) -> f64 {
        self.search.as_ref().map_or(0.0, |search| search.progress.share())
    }

    /// Takes the answers that have come. After a wrong piece there is nothing more to come.
    pub fn collect(&mut self) -> News {
        let mut news = News::default();
        while let Some(&(piece, frame)) = self.waiting.front() {
            let Answer { told, narrowing } = match self.search().map_or(Err(Crashed), |s| poll(&s.answers)) {
                Ok(Some(answer)) => answer,
                Ok(None) => return news,
                Err(Crashed) => {
                    tracing::error!("the thread that narrowed the states of the generator down has ended");
                    self.waiting.clear();
                    return News { any: true, wrong: None, lost: true };
                }
            };
            (news.any, self.narrowing) = (true, narrowing);
            let place = self.pieces.len() - self.waiting.len();
            let before = std::mem::replace(&mut self.told, told);
            self.waiting.pop_front();
            news.wrong = match before.certain.first() {
                Some(&expected) if expected != piece => {
                    Some(self.not_foretold(place, piece, expected, frame))
                }
                _ if self.told.remaining == 0 => Some(self.impossible(place, frame)),
                _ => None,
            };
            if news.wrong.is_some() {
                self.waiting.clear();
            }
        }
        news
    }

    fn not_foretold(&self, place: usize, piece: Piece, expected: Piece, frame: u64) -> Wrong {
        self.wrong(
            place,
            frame,
            (NOT_FORETOLD, expected.to_string(), piece.to_string()),
            not_expected(place, piece, expected),
        )
    }

    fn impossible(&self, place: usize, frame: u64) -> Wrong {
        let pieces = letters(&self.pieces[..=place]);
        self.wrong(
            place,
            frame,
            ("no state of the generator deals these pieces", "another piece".into(), pieces.clone()),
            format!("no state deals {pieces}"),
        )
    }

    fn wrong(
        &self,
        place: usize,
        frame: u64,
        (what, expected, actual): (&str, String, String),
        sentence: String,
    ) -> Wrong {
        let mut mismatch = mismatch(CheckId::Pieces, what, expected, actual, "next");
        mismatch.index = u32::try_from(place).ok();
        (mismatch.frame, mismatch.round) = (frame, self.round);
        Wrong { mismatch, sentence }
    }
}

/// The thread: an answer for each piece, in their order, until nobody wants them any more.
fn narrow(mut narrowing: Narrowing, pieces: &Receiver<Piece>, answers: &Sender<Answer>, progress: &Progress) {
    let pool = half_of_the_cores();
    for piece in pieces {
        let mut advance = || narrowing.advance(Some(piece), progress);
        let done = match &pool {
            Some(pool) => pool.install(advance),
            None => advance(),
        };
        // An error is that from the middle of a game too few pieces are known yet, which is no fault here.
        let answer = Answer { told: Told::of(&narrowing), narrowing: Arc::new(narrowing.clone()) };
        if done == Ok(false) || answers.send(answer).is_err() {
            return; // cancelled
        }
    }
}

/// Who samples an emulator meanwhile must not wait for a core.
fn half_of_the_cores() -> Option<ThreadPool> {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let name = |number| format!("narrowing {number}");
    ThreadPoolBuilder::new().num_threads((cores / 2).max(1)).thread_name(name).build().ok()
}
