//! The background search in single-piece games.

use crate::games::piece::Piece;
use crate::gui::repaint;
use crate::seeds::pieces::{Narrowing, PieceQuery, QueryError, Report};
use crate::task::{Progress, Task};
use eframe::egui;
use std::time::Instant;

/// Maximum number of certain pieces.
pub const CERTAIN: usize = 42;
/// Maximum number of listed and copied states, and of pieces of each.
pub const LISTED: usize = 1000;
pub const LISTED_PIECES: usize = 42;

/// A finished search.
pub struct Finished {
    /// The matching states.
    pub narrowing: Narrowing,
    /// The result, or why there is none.
    pub result: Result<SearchResult, QueryError>,
}

/// The result for the panel.
pub struct SearchResult {
    /// The result as text.
    pub report: Report,
    /// Pieces on which all states agree.
    pub certain: Vec<Piece>,
    /// Number of different games.
    pub games: Option<usize>,
}

/// A running search. Dropping it cancels it.
pub struct Running {
    pub query: PieceQuery,
    /// None if cancelled.
    pub task: Task<Option<Finished>>,
}

impl Running {
    /// Starts a search; `before` is the result for a prefix of the pieces. Requests a repaint of `ctx` at the end.
    pub fn start(query: PieceQuery, before: Option<&Narrowing>, ctx: &egui::Context) -> Self {
        let before = before.filter(|before| continues(before.query(), &query)).cloned();
        let request = query.clone();
        let task = Task::start("seeds", repaint::waker(ctx), move |task| {
            let began = Instant::now();
            let (narrowing, done) = search(request, before, task.progress());
            let result = done.map(|()| {
                narrowing.answer().map(|answer| SearchResult {
                    report: Report::new(
                        narrowing.query(),
                        answer,
                        LISTED,
                        LISTED_PIECES,
                        began.elapsed().as_secs_f64(),
                    ),
                    certain: narrowing.certain(CERTAIN),
                    games: narrowing.games(),
                })
            });
            result.transpose().map(|result| Finished { narrowing, result })
        });
        Self { query, task }
    }
}

/// Whether `later` only adds pieces.
fn continues(earlier: &PieceQuery, later: &PieceQuery) -> bool {
    later.pieces.len() > earlier.pieces.len()
        && *earlier == PieceQuery { pieces: later.pieces[..earlier.pieces.len()].to_vec(), ..later.clone() }
}

fn search(
    query: PieceQuery,
    before: Option<Narrowing>,
    progress: &Progress,
) -> (Narrowing, Result<(), QueryError>) {
    if let Some(mut narrowing) = before.filter(Narrowing::is_narrow) {
        let seen = narrowing.query().pieces.len();
        for &piece in &query.pieces[seen..] {
            if let Err(reject) = narrowing.advance(piece, progress) {
                return (narrowing, Err(reject));
            }
        }
        return (narrowing, Ok(()));
    }
    let mut narrowing = Narrowing::of(query);
    let done = narrowing.search(progress).map(|_| ());
    (narrowing, done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::piece::letters;
    use crate::seeds::pieces::PieceGame;
    use crate::seeds::pieces::{GamePosition, parse_pieces};

    fn query(text: &str) -> PieceQuery {
        PieceQuery {
            pieces: parse_pieces(text).unwrap(),
            ..PieceQuery::new(PieceGame::from_id("tgm2").unwrap(), "").unwrap()
        }
    }

    #[test]
    fn more_pieces_of_the_same_game_continue_a_search() {
        assert!(continues(&query("JTO"), &query("JTOL")));
        assert!(!continues(&query("JTO"), &query("JTO")));
        assert!(!continues(&query("JTO"), &query("JTLO")));
        let other = PieceQuery { at: GamePosition::Piece(2), ..query("JTOL") };
        assert!(!continues(&query("JTO"), &other));
    }

    #[test]
    fn a_continued_search_has_the_result_of_a_new_one() {
        let progress = Progress::default();
        let (before, _) = search(query("JTOLSJTZIS"), None, &progress);
        assert!(before.is_narrow());
        let (continued, done) = search(query("JTOLSJTZISOZLITJ"), Some(before), &progress);
        let (fresh, _) = search(query("JTOLSJTZISOZLITJ"), None, &progress);
        assert_eq!(done, Ok(()));
        assert_eq!((continued.answer(), continued.query()), (fresh.answer(), fresh.query()));
        assert_eq!(letters(&continued.certain(10)), "ZLOSTZIOOS");
    }
}
