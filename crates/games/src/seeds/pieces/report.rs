//! The result of a piece search as a table, JSON and CSV.

use crate::games::piece::AnyDealer;
use crate::games::piece::{Dealer, Piece, letters};
use crate::json::{self, Envelope, FirstFailure, Found, FoundState, Kind, Searched};
use crate::seeds::pieces::answer::Answer;
use crate::seeds::pieces::game::{GamePosition, PieceQuery};
use crate::seeds::pieces::query::{agreed, games, piece_letters};
use crate::seeds::pieces::steps::Steps;
use crate::seeds::text;
use serde::Serialize;

/// The most coming pieces that are listed as certain.
const CERTAIN: usize = 100;

/// The report of an answer.
#[derive(Debug, Clone)]
pub struct Report {
    game: &'static str,
    variant: &'static str,
    query: QueryReport,
    starts: u64,
    /// Whether all starts were tried; if not, the search was stopped and there may be more.
    complete: bool,
    count: u64,
    games: Option<usize>,
    seeds_each: u64,
    states: Vec<ListedState>,
    next_piece: Option<u64>,
    next: Vec<Chance>,
    certain: String,
    /// Whether certainty is unknown: not all states are stored, or the coming steps are a range.
    unknown: bool,
    first_failure: Option<Failure>,
    seconds: f64,
    /// The gaps hide more than the pieces reveal.
    blurred: bool,
}

#[derive(Debug, Clone, Serialize)]
struct QueryReport {
    /// Letters, `?` for an unknown piece.
    pieces: Vec<char>,
    /// None in the middle of a game.
    at: Option<u32>,
    /// `tetris-nes`: steps before each piece that is not among `gaps`, and before the coming ones.
    steps: Option<String>,
    gaps: Vec<String>,
    /// Whether the steps are ranges: then states are those after the last given piece.
    #[serde(rename = "ranges")]
    open: bool,
}

/// A matching state.
#[derive(Debug, Clone)]
pub struct ListedState {
    /// The state before the first piece of the game, or in its middle after the fourth given piece; if steps between picks
    /// are ranges, after the last given piece.
    pub state: String,
    /// The state after the last given piece.
    pub state_after: String,
    /// The pieces it deals next; none if the coming steps are a range.
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
    /// The index of the given piece, from 1.
    piece: usize,
    letter: char,
    /// The dealing rule that it breaks, if that alone excludes it.
    reason: Option<String>,
}

impl Report {
    /// The report of `answer`, with at most `limit` states and `coming` pieces of each.
    pub fn new(query: &PieceQuery, answer: &Answer, limit: usize, coming: usize, seconds: f64) -> Self {
        let dealers = query.dealers(answer);
        let open = query.has_open_gaps();
        let steps_unknown = open && query.later.known().is_none();
        let state = |(place, &start): (usize, &u64)| {
            let dealer = dealers.get(place).cloned().or_else(|| query.dealer_after(start));
            let state = query.state(start);
            let state_after = match dealer.as_ref().map(AnyDealer::state_after) {
                Some(after) => after,
                None => state.split(' ').next().unwrap_or_default().to_owned(),
            };
            let next = dealer.map_or_else(String::new, |mut dealer| letters(&dealer.deal_many(coming)));
            ListedState { state, state_after, next, nes: query.nes_parts(start) }
        };
        let chances = answer.chances().unwrap_or_default();
        let chance = |((piece, &count), chance): ((Piece, &u64), f64)| {
            (count > 0).then(|| Chance { piece: piece.letter(), count, chance })
        };
        let mut next: Vec<Chance> =
            Piece::ALL.into_iter().zip(&answer.next).zip(chances).filter_map(chance).collect();
        next.sort_by(|one, other| other.chance.total_cmp(&one.chance));
        let nes = query.game.has_option("steps");
        let fails = query.pieces.get(answer.matched).filter(|_| answer.count == 0 && answer.complete);
        Self {
            game: query.game.id(),
            variant: query.variant,
            query: QueryReport {
                pieces: piece_letters(&query.pieces).chars().collect(),
                at: match query.at {
                    GamePosition::Piece(first) => Some(first),
                    GamePosition::Unknown => None,
                },
                steps: nes.then(|| query.later.to_string()),
                gaps: query.steps.iter().map(Steps::to_string).collect(),
                open,
            },
            blurred: open && is_gap_limited(query),
            starts: answer.starts,
            complete: answer.complete,
            count: answer.count,
            games: answer.stored.as_ref().filter(|_| !steps_unknown).map(|_| games(&dealers)),
            seeds_each: query.seeds_each(),
            states: answer.listed().iter().enumerate().take(limit).map(state).collect(),
            next_piece: query.next_number(),
            next,
            certain: if answer.complete { letters(&agreed(&dealers, CERTAIN)) } else { String::new() },
            unknown: !answer.complete || answer.count > 0 && (dealers.is_empty() || steps_unknown),
            first_failure: fails.map(|piece| Failure {
                piece: answer.matched + 1,
                letter: piece.map_or('?', Piece::letter),
                reason: answer.against_rule.clone(),
            }),
            seconds,
        }
    }

    /// The matching states, up to the requested number.
    pub fn listed(&self) -> &[ListedState] {
        &self.states
    }

    /// The object that `find --json` prints.
    pub fn object(&self) -> Envelope<Found<impl Serialize + use<>>> {
        let each = |letters: &str| letters.chars().map(String::from).collect::<Vec<String>>();
        let state = |listed: &ListedState| {
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
    pub fn json(&self) -> String {
        self.object().text() + "\n"
    }

    /// One line per state.
    pub fn csv(&self) -> String {
        let line = |state: &ListedState| format!("{},{},{}\n", state.state, state.state_after, state.next);
        "state,state_after,next\n".to_owned() + &self.states.iter().map(line).collect::<String>()
    }

    /// Why no game matches; None if one does.
    pub fn no_match_reason(&self) -> Option<String> {
        let failure = self.first_failure.as_ref()?;
        if let Some(reason) = &failure.reason {
            let (piece, letter) = (failure.piece, failure.letter);
            return Some(format!("piece {piece} of the input, {letter}, breaks the dealing rule: {reason}"));
        }
        Some(match failure.piece {
            1 => format!("no seed deals {} there", failure.letter),
            piece => format!("it fails at piece {piece} of the input, {}", failure.letter),
        })
    }

    /// The number of matching states, or the only one.
    pub fn sentence(&self) -> String {
        match (self.count, self.states.as_slice()) {
            (0, _) => "no game".into(),
            (1, [state]) => format!("state {}", state.state),
            (count, _) => format!("{count} states"),
        }
    }

    /// A hint about the gaps, if more pieces would not reduce the states.
    pub fn hint(&self) -> Option<&'static str> {
        self.blurred.then_some(
            "A gap of seven steps or more hides as much as a piece reveals: use narrower gaps to reduce the number of states",
        )
    }

    /// The table for display.
    pub fn table(&self) -> String {
        if let Some(why) = self.no_match_reason() {
            let broken = self.first_failure.as_ref().is_some_and(|failure| failure.reason.is_some());
            let tried = if broken { "no seed".to_owned() } else { format!("{} seeds", self.starts) };
            return format!("no seed produces this sequence: {why} ({tried} tried)\n");
        }
        let mut all = String::new();
        if !self.states.is_empty() {
            let from =
                self.next_piece.map_or("pieces from here on".into(), |next| format!("from piece {next} on"));
            let row = |state: &ListedState| {
                let ListedState { state, state_after, next, .. } = state.clone();
                // With ranges of steps, both states are the same.
                if self.query.open { vec![state, next] } else { vec![state, state_after, next] }
            };
            let rows: Vec<Vec<String>> = self.states.iter().map(row).collect();
            let head = ["state", "state after", &from];
            let open = ["state after", &from];
            all += &text::table(if self.query.open { &open } else { &head }, &rows);
        }
        if (self.states.len() as u64) < self.count && !self.states.is_empty() {
            all += &format!("... (first {} shown)\n", self.states.len());
        }
        let remain = if self.count == 1 { "remains" } else { "remain" };
        all += &format!("{} of {} states {remain}", self.count, self.starts);
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
            all += &format!("; each covers {} equivalent seeds", self.seeds_each);
        }
        all.push('\n');
        if !self.complete {
            return all + "the search was stopped early; there may be more\n";
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

/// Whether the gaps between the given pieces hide, on average, as much as the pieces reveal: more pieces do not help then.
fn is_gap_limited(query: &PieceQuery) -> bool {
    let bits = |ways: f64| ways.log2();
    // The first gap only shifts the unknown start.
    let revealed = query.pieces.iter().skip(1).flatten().count();
    let gaps = query.steps.iter().copied().chain(std::iter::repeat(query.later));
    #[expect(clippy::cast_precision_loss, reason = "at most 32767")]
    let hidden: f64 = gaps.take(query.pieces.len()).skip(1).map(|steps| bits(steps.width() as f64)).sum();
    #[expect(clippy::cast_precision_loss, reason = "a number of pieces")]
    let revealed = revealed as f64 * bits(Piece::ALL.len() as f64);
    revealed > 0.0 && hidden >= revealed
}
