//! The answer as text: a table for people, JSON and CSV for programs.

use super::question::{Answer, At, Question, agreed, games, piece_letters};
use super::steps::Steps;
use crate::game::piece::AnyDealer;
use crate::game::piece::{Dealer, Piece, letters};
use crate::json::{self, Envelope, FirstFailure, Found, FoundState, Kind, Searched};
use crate::seeds::text;
use serde::Serialize;

/// Coming pieces that are told to be certain at most.
const CERTAIN: usize = 100;

/// An answer in words.
#[derive(Debug, Clone)]
pub struct Report {
    game: &'static str,
    variant: &'static str,
    query: Asked,
    starts: u64,
    /// Whether all starts were tried; otherwise the search was stopped, and there may be more.
    complete: bool,
    count: u64,
    games: Option<usize>,
    seeds_each: u64,
    states: Vec<Listed>,
    next_piece: Option<u64>,
    next: Vec<Chance>,
    certain: String,
    /// Whether nobody knows what is certain: not all states are at hand, or the coming steps are a range.
    unknown: bool,
    first_failure: Option<Failure>,
    seconds: f64,
    /// The gaps hide more than the pieces tell.
    blurred: bool,
}

#[derive(Debug, Clone, Serialize)]
struct Asked {
    /// Letters, `?` for one that was not seen.
    pieces: Vec<char>,
    /// None from the middle of a game.
    at: Option<u32>,
    /// `tetris-nes`: steps before each piece that is not among `gaps`, and before the coming ones.
    steps: Option<String>,
    gaps: Vec<String>,
    /// Whether they are ranges: then states are those after the last piece seen.
    #[serde(rename = "ranges")]
    open: bool,
}

/// A state that is left.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The state before the first piece of the game, or from its middle after the fourth piece seen; where steps between picks
    /// are ranges, after the last piece seen.
    pub state: String,
    /// The state after the last piece seen.
    pub state_after: String,
    /// The pieces it deals next; none where the coming steps are a range.
    pub next: String,
    nes: Option<(String, u8, Option<Piece>)>,
}

#[derive(Debug, Clone)]
struct Chance {
    piece: char,
    count: u64,
    chance: f64,
}

#[derive(Debug, Clone)]
struct Failure {
    /// Which of the pieces given, from 1.
    piece: usize,
    letter: char,
    /// The dealing rule that it breaks, where that alone rules it out.
    reason: Option<String>,
}

impl Report {
    /// What `answer` says, with at most `limit` states and `coming` pieces of each.
    #[must_use]
    pub fn new(question: &Question, answer: &Answer, limit: usize, coming: usize, seconds: f64) -> Self {
        let dealers = question.dealers(answer);
        let open = question.has_open_gaps();
        let untold = open && question.later.known().is_none();
        let state = |(place, &start): (usize, &u64)| {
            let dealer = dealers.get(place).cloned().or_else(|| question.dealer_after(start));
            let state = question.state(start);
            let state_after = match dealer.as_ref().map(AnyDealer::state_after) {
                Some(after) => after,
                None => state.split(' ').next().unwrap_or_default().to_owned(),
            };
            let next = dealer.map_or_else(String::new, |mut dealer| letters(&dealer.deal_many(coming)));
            Listed { state, state_after, next, nes: question.nes_parts(start) }
        };
        let chances = answer.chances().unwrap_or_default();
        let chance = |((piece, &count), chance): ((Piece, &u64), f64)| {
            (count > 0).then(|| Chance { piece: piece.letter(), count, chance })
        };
        let mut next: Vec<Chance> =
            Piece::ALL.into_iter().zip(&answer.next).zip(chances).filter_map(chance).collect();
        next.sort_by(|one, other| other.chance.total_cmp(&one.chance));
        let nes = question.game.has_option("steps");
        let fails = question.pieces.get(answer.matched).filter(|_| answer.count == 0 && answer.complete);
        Self {
            game: question.game.id(),
            variant: question.variant,
            query: Asked {
                pieces: piece_letters(&question.pieces).chars().collect(),
                at: match question.at {
                    At::Piece(first) => Some(first),
                    At::Unknown => None,
                },
                steps: nes.then(|| question.later.to_string()),
                gaps: question.steps.iter().map(Steps::to_string).collect(),
                open,
            },
            blurred: open && is_blurred(question),
            starts: answer.starts,
            complete: answer.complete,
            count: answer.count,
            games: answer.kept.as_ref().filter(|_| !untold).map(|_| games(&dealers)),
            seeds_each: question.seeds_each(),
            states: answer.listed().iter().enumerate().take(limit).map(state).collect(),
            next_piece: question.next_number(),
            next,
            certain: if answer.complete { letters(&agreed(&dealers, CERTAIN)) } else { String::new() },
            unknown: !answer.complete || answer.count > 0 && (dealers.is_empty() || untold),
            first_failure: fails.map(|piece| Failure {
                piece: answer.matched + 1,
                letter: piece.map_or('?', Piece::letter),
                reason: answer.against_rule.clone(),
            }),
            seconds,
        }
    }

    /// The states that are left, as many as were asked for.
    #[must_use]
    pub fn listed(&self) -> &[Listed] {
        &self.states
    }

    /// The object that `find --json` prints.
    #[must_use]
    pub fn object(&self) -> Envelope<Found<impl Serialize + use<>>> {
        let each = |letters: &str| letters.chars().map(String::from).collect::<Vec<String>>();
        let state = |listed: &Listed| {
            let (state, spawn_count, last_piece) = match listed.nes.clone() {
                Some((state, count, last)) => (state, Some(count), last),
                None => (listed.state.clone(), None, None),
            };
            FoundState {
                state,
                state_after: Some(listed.state_after.clone()),
                spawn_count,
                last_piece,
                next: each(&listed.next),
                ..FoundState::default()
            }
        };
        let chance = |next: &Chance| json::Chance {
            next: next.piece.into(),
            count: Some(next.count),
            chance: next.chance,
        };
        let failure = |failure: &Failure| FirstFailure {
            index: Some(failure.piece),
            given: failure.letter.into(),
            left_before: None,
        };
        let body = Found {
            game: self.game,
            variant: Some(self.variant),
            query: Some(self.query.clone()),
            starts: self.starts,
            count: self.count,
            complete: self.complete,
            stopped: !self.complete,
            impossible: self.first_failure.as_ref().and_then(|failure| failure.reason.clone()),
            first_failure: self.first_failure.as_ref().map(failure),
            games: self.games.map(|games| games as u64),
            differ_at: None,
            seeds_each: self.seeds_each,
            states: self.states.iter().map(state).collect(),
            next_at: self.next_piece,
            certain: (!self.unknown).then(|| each(&self.certain)),
            chances: Some(self.next.iter().map(chance).collect()),
            search: Searched {
                method: "all-states",
                simd: None,
                threads: None,
                elapsed_seconds: self.seconds,
            },
        };
        Envelope::new(Kind::Find, body)
    }

    /// The object on one line.
    #[must_use]
    pub fn json(&self) -> String {
        self.object().text() + "\n"
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
        if let Some(reason) = &failure.reason {
            let (piece, letter) = (failure.piece, failure.letter);
            return Some(format!(
                "piece {piece} of those given, {letter}, breaks the dealing rule: {reason}"
            ));
        }
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

    /// What would narrow it down; None where more pieces do.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        self.blurred.then_some(
            "A piece tells one of seven, and a gap of seven steps or more hides as much: narrower gaps are needed for fewer states",
        )
    }

    /// For people.
    #[must_use]
    pub fn table(&self) -> String {
        if let Some(why) = self.nobody() {
            let broken = self.first_failure.as_ref().is_some_and(|failure| failure.reason.is_some());
            let tried = if broken { "no start".to_owned() } else { format!("{} starts", self.starts) };
            return format!("no game does this: {why} ({tried} tried)\n");
        }
        let mut all = String::new();
        if !self.states.is_empty() {
            let from =
                self.next_piece.map_or("pieces from here on".into(), |next| format!("from piece {next} on"));
            let row = |state: &Listed| {
                let Listed { state, state_after, next, .. } = state.clone();
                // With ranges of steps, both states are the same.
                if self.query.open { vec![state, next] } else { vec![state, state_after, next] }
            };
            let rows: Vec<Vec<String>> = self.states.iter().map(row).collect();
            let head = ["state", "state after", &from];
            let open = ["state after", &from];
            all += &text::table(if self.query.open { &open } else { &head }, &rows);
        }
        if (self.states.len() as u64) < self.count && !self.states.is_empty() {
            all += &format!("... the first {} of them\n", self.states.len());
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
        if !self.complete {
            return all + "the search was stopped before all were tried; there may be more\n";
        }
        if self.certain.is_empty() {
            let chances: Vec<String> =
                self.next.iter().map(|next| format!("{} {:.1} %", next.piece, 100.0 * next.chance)).collect();
            let which = self.next_piece.map_or("the next piece".into(), |next| format!("piece {next}"));
            all += &format!("chances of {which}: {}\n", chances.join(", "));
        } else {
            all += &format!("certain: {}\n", self.certain);
        }
        if let Some(hint) = self.hint() {
            all += &format!("{hint}\n");
        }
        all
    }
}

/// Whether the gaps between the pieces that were seen hide as much as the pieces tell, on average: more pieces do not help then.
fn is_blurred(question: &Question) -> bool {
    let bits = |ways: f64| ways.log2();
    // The first gap only moves the unknown beginning.
    let told = question.pieces.iter().skip(1).flatten().count();
    let gaps = question.steps.iter().copied().chain(std::iter::repeat(question.later));
    #[expect(clippy::cast_precision_loss, reason = "at most 32767")]
    let hidden: f64 = gaps.take(question.pieces.len()).skip(1).map(|steps| bits(steps.width() as f64)).sum();
    #[expect(clippy::cast_precision_loss, reason = "a number of pieces")]
    let told = told as f64 * bits(Piece::ALL.len() as f64);
    told > 0.0 && hidden >= told
}
