//! Narrows down the generator states by the pieces of one game on a separate thread: while many states are left, each piece takes a
//! search over all 33,554,432 states, which must not delay sampling.

use crate::games::piece::{Piece, letters};
use crate::games::tgm::live::mismatch;
use crate::live::{CheckId, Mismatch};
use crate::seeds::pieces::Narrowing;
use nextscope_task::{Progress, Task};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::time::Duration;

/// Pieces predicted ahead once they are certain.
pub(super) const AHEAD: usize = 60;
/// The text of a mismatch with the only possible piece.
pub(super) const NOT_PREDICTED: &str = "not the piece that the remaining generator states deal";

/// The text of the verdict for such a mismatch of piece number `place`, from 0.
pub(super) fn not_expected(place: usize, piece: Piece, expected: Piece) -> String {
    format!("piece {} was {piece}, not {expected}: no further prediction", place + 1)
}

/// The knowledge after a piece.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Knowledge {
    /// Generator states that deal the pieces so far.
    pub remaining: u64,
    /// The chance of each piece to be the next one; None before the first search.
    pub chances: Option<[f32; 7]>,
    /// The following pieces that are certain.
    pub certain: Vec<Piece>,
}

impl Knowledge {
    fn of(narrowing: &Narrowing) -> Self {
        Self {
            remaining: narrowing.remaining(),
            chances: narrowing.next_chances(),
            certain: narrowing.certain(AHEAD),
        }
    }
}

/// A piece that none of the remaining states deals.
#[derive(Debug)]
pub(super) struct Wrong {
    /// The mismatch.
    pub mismatch: Mismatch,
    /// The text of the verdict.
    pub sentence: String,
}

/// The results received from the thread.
#[derive(Debug, Default)]
pub(super) struct Results {
    /// Whether there are any.
    pub any: bool,
    /// The piece that ends the search.
    pub wrong: Option<Wrong>,
    /// Whether the thread has crashed.
    pub lost: bool,
}

/// The thread's result for one piece.
#[derive(Debug)]
struct Answer {
    knowledge: Knowledge,
    narrowing: Arc<Narrowing>,
}

/// The search thread. Dropping this cancels the search.
#[derive(Debug)]
struct Search {
    pieces: Sender<Piece>,
    answers: Receiver<Answer>,
    task: Task<()>,
}

impl Search {
    /// Starts after the pieces of `narrowing`, with those that wait for an answer.
    fn start(narrowing: &Arc<Narrowing>, waiting: impl Iterator<Item = Piece>) -> Self {
        let (pieces, receiver) = mpsc::channel();
        let (sender, answers) = mpsc::channel();
        let narrowing = Narrowing::clone(narrowing);
        let task = Task::start(
            "narrowing",
            || (),
            move |task| narrow(narrowing, &receiver, &sender, task.progress()),
        );
        for piece in waiting {
            let _ = pieces.send(piece); // `collect` detects when the thread has ended
        }
        Self { pieces, answers, task }
    }
}

/// One game, from the first piece sampled.
#[derive(Debug)]
pub(super) struct SeedNarrower {
    /// The number of the game, from 1 since attaching.
    round: u64,
    pieces: Vec<Piece>,
    /// The pieces without an answer yet, each with its frame.
    waiting: VecDeque<(Piece, u64)>,
    /// The knowledge after the pieces before those.
    knowledge: Knowledge,
    /// The states left after them; shared with the checkpoints of this game.
    narrowing: Arc<Narrowing>,
    /// None before the first piece.
    search: Option<Search>,
}

impl SeedNarrower {
    /// A new game. The thread starts with the first piece.
    pub fn new(narrowing: Narrowing, round: u64) -> Self {
        let knowledge = Knowledge::of(&narrowing);
        let narrowing = Arc::new(narrowing);
        let (pieces, waiting) = (Vec::new(), VecDeque::new());
        Self { round, pieces, waiting, knowledge, narrowing, search: None }
    }

    /// An independent copy. Results are shared; outstanding searches run again on demand.
    pub fn checkpoint(&self) -> Self {
        Self {
            round: self.round,
            pieces: self.pieces.clone(),
            waiting: self.waiting.clone(),
            knowledge: self.knowledge.clone(),
            narrowing: Arc::clone(&self.narrowing),
            search: None,
        }
    }

    /// The thread for the waiting pieces.
    fn search(&mut self) -> &Search {
        self.search.get_or_insert_with(|| {
            Search::start(&self.narrowing, self.waiting.iter().map(|(piece, _)| *piece))
        })
    }

    /// Adds a piece and its frame. Its answer comes later.
    pub fn push(&mut self, piece: Piece, frame: u64) {
        self.pieces.push(piece);
        self.waiting.push_back((piece, frame));
        match &self.search {
            Some(search) => {
                let _ = search.pieces.send(piece); // `collect` detects when the thread has ended
            }
            None => {
                self.search();
            }
        }
    }

    /// Whether answers are outstanding.
    pub fn is_searching(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The knowledge after the last answered piece.
    pub const fn knowledge(&self) -> &Knowledge {
        &self.knowledge
    }

    /// The upcoming pieces that are certain. They are available while answers are outstanding, if the waiting pieces are as
    /// predicted.
    pub fn certain(&self) -> &[Piece] {
        let waiting = self.waiting.iter().map(|(piece, _)| piece);
        match self.knowledge.certain.split_at_checked(self.waiting.len()) {
            Some((predicted, rest)) if predicted.iter().eq(waiting) => rest,
            _ => &[],
        }
    }

    /// The progress of the running search, 0 to 1.
    pub fn share(&self) -> f64 {
        self.search.as_ref().map_or(0.0, |search| search.task.progress().share())
    }

    /// Collects the available answers. After a wrong piece there are no more.
    pub fn collect(&mut self) -> Results {
        let mut results = Results::default();
        while let Some(&(piece, frame)) = self.waiting.front() {
            let search = self.search();
            let Answer { knowledge, narrowing } = match search.answers.try_recv() {
                Ok(answer) => answer,
                Err(TryRecvError::Empty) => return results,
                Err(TryRecvError::Disconnected) => {
                    if let Some(Err(error)) = search.task.wait(Duration::MAX) {
                        tracing::error!("the search over the generator states {error}");
                    }
                    self.waiting.clear();
                    return Results { any: true, wrong: None, lost: true };
                }
            };
            (results.any, self.narrowing) = (true, narrowing);
            let place = self.pieces.len() - self.waiting.len();
            let before = std::mem::replace(&mut self.knowledge, knowledge);
            self.waiting.pop_front();
            results.wrong = match before.certain.first() {
                Some(&expected) if expected != piece => {
                    Some(self.not_predicted(place, piece, expected, frame))
                }
                _ if self.knowledge.remaining == 0 => Some(self.impossible(place, frame)),
                _ => None,
            };
            if results.wrong.is_some() {
                self.waiting.clear();
            }
        }
        results
    }

    fn not_predicted(&self, place: usize, piece: Piece, expected: Piece, frame: u64) -> Wrong {
        self.wrong(
            place,
            frame,
            (NOT_PREDICTED, expected.to_string(), piece.to_string()),
            not_expected(place, piece, expected),
        )
    }

    fn impossible(&self, place: usize, frame: u64) -> Wrong {
        let pieces = letters(&self.pieces[..=place]);
        self.wrong(
            place,
            frame,
            ("no generator state deals these pieces", "another piece".into(), pieces.clone()),
            format!("no generator state deals {pieces}"),
        )
    }

    fn wrong(
        &self,
        place: usize,
        frame: u64,
        (what, expected, actual): (&str, String, String),
        sentence: String,
    ) -> Wrong {
        let mut mismatch = mismatch(CheckId::PIECES, what, expected, actual, "next");
        mismatch.index = u32::try_from(place).ok();
        (mismatch.frame, mismatch.round) = (frame, self.round);
        Wrong { mismatch, sentence }
    }
}

/// The thread: sends an answer for each piece, in order, until it is cancelled.
fn narrow(mut narrowing: Narrowing, pieces: &Receiver<Piece>, answers: &Sender<Answer>, progress: &Progress) {
    let pool = half_of_the_cores();
    for piece in pieces {
        let mut advance = || narrowing.advance(Some(piece), progress);
        let done = match &pool {
            Some(pool) => pool.install(advance),
            None => advance(),
        };
        // An error means too few pieces so far in the middle of a game, which is expected here.
        let answer = Answer { knowledge: Knowledge::of(&narrowing), narrowing: Arc::new(narrowing.clone()) };
        if done == Ok(false) || answers.send(answer).is_err() {
            return; // cancelled
        }
    }
}

/// A pool with half of the cores, so that sampling is not delayed.
fn half_of_the_cores() -> Option<ThreadPool> {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let name = |number| format!("narrowing {number}");
    ThreadPoolBuilder::new().num_threads((cores / 2).max(1)).thread_name(name).build().ok()
}
