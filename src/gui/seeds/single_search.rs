//! The search behind the panel of single pieces, on a thread of its own.

use super::single::{CERTAIN, LISTED, LISTED_PIECES};
use crate::game::piece::Piece;
use crate::seeds::pieces::{Narrowing, Progress, Question, Reject, Report};
use eframe::egui;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, channel};
use std::time::Instant;

/// A search that was ended.
pub struct Known {
    /// The states that are left.
    pub narrowing: Narrowing,
    /// What it says; or why it cannot be told.
    pub said: Result<Said, Reject>,
}

/// The same for the window.
pub struct Said {
    /// The answer as text.
    pub report: Report,
    /// Coming pieces on which all states agree.
    pub certain: Vec<Piece>,
    /// Different games that are left.
    pub games: Option<usize>,
}

/// A search on a thread of its own. Dropping it cancels it.
pub struct Running {
    /// What is asked.
    pub question: Question,
    /// How far it is.
    pub progress: Arc<Progress>,
    /// What was found, at the end.
    pub result: Receiver<Known>,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.progress.cancel.store(true, Ordering::Relaxed);
    }
}

impl Running {
    /// Searches; `before` is what is known of the same game with some of the pieces.
    /// Starts it; `ctx` is asked for a frame at the end.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(
        question: Question,
        before: Option<&Narrowing>,
        ctx: egui::Context,
    ) -> std::io::Result<Self> {
        let (send, result) = channel();
        let progress = Arc::new(Progress::default());
        let theirs = Arc::clone(&progress);
        let before = before.filter(|before| continues(before.question(), &question)).cloned();
        let asked = question.clone();
        std::thread::Builder::new().name("seeds".into()).spawn(move || {
            let began = Instant::now();
            let (narrowing, done) = search(asked, before, &theirs);
            let said = done.map(|()| {
                narrowing.answer().map(|answer| Said {
                    report: Report::new(
                        narrowing.question(),
                        answer,
                        LISTED,
                        LISTED_PIECES,
                        began.elapsed().as_secs_f64(),
                    ),
                    certain: narrowing.certain(CERTAIN),
                    games: narrowing.games(),
                })
            });
            // Without an answer it was cancelled, and nobody waits.
            if let Some(said) = said.transpose() {
                let _ = send.send(Known { narrowing, said });
                ctx.request_repaint();
            }
        })?;
        Ok(Self { question, progress, result })
    }
}

/// Whether `later` only has more pieces.
fn continues(earlier: &Question, later: &Question) -> bool {
    later.pieces.len() > earlier.pieces.len()
        && *earlier == Question { pieces: later.pieces[..earlier.pieces.len()].to_vec(), ..later.clone() }
}

fn search(
    question: Question,
    before: Option<Narrowing>,
    progress: &Progress,
) -> (Narrowing, Result<(), Reject>) {
    if let Some(mut narrowing) = before.filter(Narrowing::is_narrow) {
        let seen = narrowing.question().pieces.len();
        for &piece in &question.pieces[seen..] {
            if let Err(reject) = narrowing.advance(piece, progress) {
                return (narrowing, Err(reject));
            }
        }
        return (narrowing, Ok(()));
    }
    let mut narrowing = Narrowing::of(question);
    let done = narrowing.search(progress).map(|_| ());
    (narrowing, done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::piece::letters;
    use crate::seeds::pieces::PieceGame;
    use crate::seeds::pieces::{At, parse_pieces};

    fn question(text: &str) -> Question {
        Question {
            pieces: parse_pieces(text).unwrap(),
            ..Question::new(PieceGame::from_id("tgm2").unwrap(), "").unwrap()
        }
    }

    #[test]
    fn more_pieces_of_the_same_game_continue_a_search() {
        assert!(continues(&question("JTO"), &question("JTOL")));
        assert!(!continues(&question("JTO"), &question("JTO")));
        assert!(!continues(&question("JTO"), &question("JTLO")));
        let other = Question { at: At::Piece(2), ..question("JTOL") };
        assert!(!continues(&question("JTO"), &other));
    }

    #[test]
    fn a_search_that_continues_says_what_a_new_one_says() {
        let progress = Progress::default();
        let (before, _) = search(question("JTOLSJTZIS"), None, &progress);
        assert!(before.is_narrow());
        let (continued, done) = search(question("JTOLSJTZISOZLITJ"), Some(before), &progress);
        let (anew, _) = search(question("JTOLSJTZISOZLITJ"), None, &progress);
        assert_eq!(done, Ok(()));
        assert_eq!((continued.answer(), continued.question()), (anew.answer(), anew.question()));
        assert_eq!(letters(&continued.certain(10)), "ZLOSTZIOOS");
    }
}
