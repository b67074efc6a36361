//! The display format.

use super::details::{Details, position};
use super::observe::Observation;
use super::prediction::{Conditional, Prediction};
use crate::games::declared::{Clock, Deals, Program};
use crate::games::piece::Piece;
use crate::live::{FrameOdds, GameObservation, PieceChances, PiecePlayer, Player, PredictionView};
use crate::text::counted;

impl GameObservation for Observation {
    type Prediction = Prediction;

    fn view(&self, prediction: &Prediction) -> PredictionView {
        match self.program.deals() {
            Deals::Pieces => {
                let player = piece_player(&self.program, prediction);
                PredictionView {
                    pieces: vec![player],
                    note: note(self, prediction),
                    ..PredictionView::default()
                }
            }
            Deals::Pairs => {
                let player = pair_player(&self.program, prediction);
                PredictionView {
                    players: vec![player],
                    note: note(self, prediction),
                    ..PredictionView::default()
                }
            }
        }
    }

    fn without_prediction(&self) -> String {
        let unit = self.program.deals().unit();
        let state = self.state_text();
        let wait = match self.program.memory() {
            _ if self.program.counts_deals() && self.deals.is_none() => {
                "the draws count the deals: add a field `deals` to the profile, or start a new game"
                    .to_owned()
            }
            None if self.program.has_gaps => {
                format!(
                    "the next {unit}s depend on all before them, and on steps between them: they are not predicted"
                )
            }
            None => format!("the next {unit}s depend on all before them: start a new game"),
            Some(0) => "no game in progress".to_owned(),
            Some(count) => format!("the last {} are not known yet", counted(count as u64, unit)),
        };
        format!("Generator state: {state}; {wait}")
    }

    fn details(&self, prediction: Option<&Prediction>) -> serde_json::Value {
        let letters = |deals: &[u8]| deals.iter().map(|deal| self.program.letters(*deal)).collect();
        let conditional = prediction.and_then(|prediction| prediction.conditional.as_ref());
        let (frames, calls) = match conditional {
            Some(Conditional::Frames(deals)) => (Some(letters(deals)), None),
            Some(Conditional::Calls(deals, _)) => (None, Some(letters(deals))),
            None => (None, None),
        };
        crate::json::value(&Details {
            state: Some(self.state_text()),
            dealt: prediction.map(|prediction| prediction.dealt),
            listed: prediction.map(|prediction| prediction.listed as u64),
            if_drawn_in: frames,
            after_calls: calls,
        })
    }

    fn same_pools(&self, _: &Self) -> bool {
        true
    }
}

/// How many of the game were dealt before the next one; None if its first ones were not seen.
fn before_next(prediction: &Prediction) -> Option<u64> {
    if prediction.joined_late { None } else { prediction.dealt.checked_sub(prediction.listed as u64) }
}

fn piece_player(program: &Program, prediction: &Prediction) -> PiecePlayer {
    let pieces =
        |deals: &[u8]| -> Vec<Piece> { deals.iter().filter_map(|deal| program.piece(*deal)).collect() };
    let mut player = PiecePlayer {
        title: "Player 1".into(),
        captions: vec![format!("generator state {}", prediction.state)],
        current: prediction.current.and_then(|deal| program.piece(deal)),
        pieces: pieces(&prediction.certain),
        names: &["next"],
        dealt: before_next(prediction).and_then(|dealt| u32::try_from(dealt).ok()),
        joined_late: prediction.joined_late,
        position: position(program.deals(), prediction.dealt, prediction.joined_late),
        ..PiecePlayer::default()
    };
    match &prediction.conditional {
        Some(Conditional::Frames(deals)) => {
            let frames = pieces(deals);
            let wait = |piece| frames.iter().position(|drawn| *drawn == piece).map(|frames| frames + 1);
            player.waits = Some(FrameOdds {
                caption: "The piece after those, by the frames until it is drawn".into(),
                shortest: Piece::ALL.map(wait),
                frames,
            });
        }
        // More calls than are computed may come, and then no chance is known.
        Some(Conditional::Calls(deals, false)) => {
            let drawn = pieces(deals);
            let mut each = [0.0; 7];
            for piece in &drawn {
                #[expect(clippy::cast_precision_loss, reason = "a few calls")]
                let share = 1.0 / drawn.len() as f32;
                each[piece.index()] += share;
            }
            let caption = "The piece after those, if each number of other calls is equally likely".into();
            player.chances = Some(PieceChances { caption, each });
        }
        Some(Conditional::Calls(_, true)) | None => {}
    }
    player
}

fn pair_player(program: &Program, prediction: &Prediction) -> Player {
    Player {
        title: "Player 1".into(),
        captions: vec![format!("generator state {}", prediction.state)],
        current: prediction.current.and_then(|deal| program.pair(deal)),
        pairs: prediction.certain.iter().filter_map(|deal| program.pair(*deal)).collect(),
        names: &["next"],
        dealt: before_next(prediction).and_then(|dealt| u16::try_from(dealt).ok()),
        position: position(program.deals(), prediction.dealt, prediction.joined_late),
        ..Player::default()
    }
}

/// Under which condition the next deal is predicted.
fn note(observation: &Observation, prediction: &Prediction) -> Option<String> {
    /// Conditional pairs that fit on a line.
    const LISTED: usize = 12;
    let program = &observation.program;
    let unit = program.deals().unit();
    let listed = |deals: &[u8]| {
        let letters: Vec<String> = deals.iter().take(LISTED).map(|deal| program.letters(*deal)).collect();
        letters.join(" ")
    };
    if prediction.tentative {
        return Some(format!(
            "a game seems to have started: if it is an older one, the next {unit}s are different"
        ));
    }
    Some(match prediction.conditional.as_ref()? {
        Conditional::Frames(deals) => {
            let steps = if program.description().clock == Clock::Both {
                "frames and draws step"
            } else {
                "frames step"
            };
            let first = format!(
                "{steps} the generator: the {unit} after those depends on the frame in which it is drawn"
            );
            if program.deals() == Deals::Pairs {
                format!("{first}; in 1, 2, ... frames: {}", listed(deals))
            } else {
                first
            }
        }
        Conditional::Calls(deals, _) => format!(
            "other parts of the game may call the generator up to {} before the next {unit}; after 0, 1, ... calls: {}",
            counted(program.description().other_calls.into(), "time"),
            listed(deals)
        ),
    })
}
