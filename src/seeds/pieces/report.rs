//! The answer as text: a table for people, JSON and CSV for programs.

use super::question::{Answer, At, Question, agreed, games, piece_letters};
use crate::game::piece::{Dealer, Piece, letters};
use crate::game::pieces::AnyDealer;
use crate::seeds::text;
use serde::Serialize;

/// Coming pieces that are told to be certain at most.
const CERTAIN: usize = 100;

/// An answer in words.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    game: &'static str,
    variant: &'static str,
    query: Asked,
    starts: u64,
    count: u64,
    games: Option<usize>,
    seeds_each: u64,
    states: Vec<Listed>,
    next_piece: Option<u64>,
    next: Vec<Chance>,
    certain: String,
    first_failure: Option<Failure>,
    seconds: f64,
}

#[derive(Debug, Clone, Serialize)]
struct Asked {
    pieces: String,
    /// None from the middle of a game.
    at: Option<u32>,
}

/// A state that is left.
#[derive(Debug, Clone, Serialize)]
pub struct Listed {
    /// The state before the first piece of the game, or from its middle after the fourth piece seen.
    pub state: String,
    /// The state after the last piece seen.
    pub state_after: String,
    /// The pieces it deals next.
    pub next: String,
}

#[derive(Debug, Clone, Serialize)]
struct Chance {
    piece: char,
    count: u64,
    chance: f64,
}

#[derive(Debug, Clone, Serialize)]
struct Failure {
    /// Which of the pieces given, from 1.
    piece: usize,
    letter: char,
}

impl Report {
    /// What `answer` says, with at most `limit` states and `coming` pieces of each.
    #[must_use]
    pub fn new(question: &Question, answer: &Answer, limit: usize, coming: usize, seconds: f64) -> Self {
        let dealers = question.dealers(answer);
        let state = |(&start, dealer): (&u64, &AnyDealer)| Listed {
            state: question.state(start),
            state_after: dealer.state_after(),
            next: letters(&dealer.to_owned().deal_many(coming)),
        };
        #[expect(clippy::cast_precision_loss, reason = "a chance")]
        let chance = |(piece, &count): (Piece, &u64)| Chance {
            piece: piece.letter(),
            count,
            chance: count as f64 / answer.count as f64,
        };
        let mut next: Vec<Chance> =
            Piece::ALL.into_iter().zip(&answer.next).filter(|&(_, &count)| count > 0).map(chance).collect();
        next.sort_by_key(|chance| std::cmp::Reverse(chance.count));
        let fails = question.pieces.get(answer.matched).filter(|_| answer.count == 0);
        Self {
            game: question.game.id(),
            variant: question.variant,
            query: Asked {
                pieces: piece_letters(&question.pieces),
                at: match question.at {
                    At::Piece(first) => Some(first),
                    At::Unknown => None,
                },
            },
            starts: answer.starts,
            count: answer.count,
            games: answer.kept.as_ref().map(|_| games(&dealers)),
            seeds_each: question.seeds_each(),
            states: answer.kept.iter().flatten().zip(&dealers).take(limit).map(state).collect(),
            next_piece: question.next_number(),
            next,
            certain: letters(&agreed(&dealers, CERTAIN)),
            first_failure: fails
                .map(|piece| Failure { piece: answer.matched + 1, letter: piece.map_or('?', Piece::letter) }),
            seconds,
        }
    }

    /// The states that are left, as many as were asked for.
    #[must_use]
    pub fn listed(&self) -> &[Listed] {
        &self.states
    }

    /// One object on one line.
    #[must_use]
    pub fn json(&self) -> String {
        text::json(self)
    }

    /// A line for each state.
    #[must_use]
    pub fn csv(&self) -> String {
        let line = |state: &Listed| format!("{},{},{}\n", state.state, state.state_after, state.next);
        "state,state_after,next\n".to_owned() + &self.states.iter().map(line).collect::<String>()
    }

    /// Why no game does this; None when one does.
    #[must_use]
    pub fn nobody(&self) -> Option<String> {
        let failure = self.first_failure.as_ref()?;
        Some(match failure.piece {
            1 => format!("none deals {} there", failure.letter),
            piece => format!("it first fails at piece {piece} of those given, {}", failure.letter),
        })
    }

    /// How many are left, in a few words.
    #[must_use]
    pub fn sentence(&self) -> String {
        match (self.count, self.states.as_slice()) {
            (0, _) => "no game".into(),
            (1, [state]) => format!("state {}", state.state),
            (count, _) => format!("{count} states"),
        }
    }

    /// For people.
    #[must_use]
    pub fn table(&self) -> String {
        if let Some(why) = self.nobody() {
            return format!("no game does this: {why} ({} starts tried)\n", self.starts);
        }
        let mut all = String::new();
        if !self.states.is_empty() {
            let rows: Vec<Vec<String>> = self
                .states
                .iter()
                .map(|state| vec![state.state.clone(), state.state_after.clone(), state.next.clone()])
                .collect();
            let from =
                self.next_piece.map_or("pieces from here on".into(), |next| format!("from piece {next} on"));
            all += &text::table(&["state", "state after", &from], &rows);
        }
        let states = if self.count == 1 { "state" } else { "states" };
        all += &format!("{} {states} of {} left", self.count, self.starts);
        match self.games {
            Some(games) if (games as u64) < self.count => {
                all += &format!(
                    ", {games} different {} from here on",
                    if games == 1 { "game" } else { "games" }
                );
            }
            _ => {}
        }
        if self.seeds_each > 1 {
            all += &format!("; each stands for {} seeds that deal the same", self.seeds_each);
        }
        all.push('\n');
        if self.certain.is_empty() {
            let chances: Vec<String> =
                self.next.iter().map(|next| format!("{} {:.1} %", next.piece, 100.0 * next.chance)).collect();
            let which = self.next_piece.map_or("the next piece".into(), |next| format!("piece {next}"));
            all += &format!("chances of {which}: {}\n", chances.join(", "));
        } else {
            all += &format!("certain: {}\n", self.certain);
        }
        all
    }
}
