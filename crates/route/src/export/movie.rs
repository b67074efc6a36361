//! A route as a sequence of inputs, frame by frame.

use super::super::inputs::{Input, find_all_inputs};
use super::super::{FrameTable, Route, UnreachablePlacement};
use nextscope_games::profile::FrameStatus;
use nextscope_games::round_starts::{Opening, PadButtons};

/// One button, or none, held for a number of frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
    frames: u32,
    held: Option<Input>,
}

/// The inputs of one pair.
#[derive(Clone, PartialEq, Eq, Debug)]
struct PairRuns {
    /// Taps, then Down until it locks.
    played: Vec<Run>,
    /// No input until the next pair.
    waits: u32,
}

/// The frames before the first pair can be moved.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LeadIn {
    /// The buttons of both pads.
    frames: Vec<[PadButtons; 2]>,
    /// The number of the frame, from 1, in which the button that starts the round is pressed.
    press: Option<u64>,
}

impl LeadIn {
    /// Frames without input.
    pub fn idle(frames: u32) -> Self {
        Self { frames: vec![[PadButtons::NONE; 2]; frames as usize], press: None }
    }

    /// Frames without input until the game's clock begins, and then the buttons of a recording.
    pub fn recorded(before_clock: u32, opening: &Opening) -> Self {
        let Self { mut frames, .. } = Self::idle(before_clock);
        frames.extend(&opening.frames);
        Self { frames, press: Some(u64::from(before_clock) + opening.press) }
    }

    /// Whether no button is pressed.
    pub fn is_idle(&self) -> bool {
        self.frames.iter().flatten().all(|pad| pad.is_none())
    }

    /// The number of the frame, from 1, in which the button that starts the round is pressed; None without a recorded start.
    pub fn press(&self) -> Option<u64> {
        self.press
    }

    fn len(&self) -> u32 {
        u32::try_from(self.frames.len()).unwrap_or(u32::MAX)
    }
}

/// The inputs from the frame in which the first pair can be moved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Movie {
    pub(super) lead_in: LeadIn,
    pairs: Vec<PairRuns>,
    status: FrameStatus,
}

impl Movie {
    /// The movie of a route, timed by a table, after `lead_in` frames without input.
    ///
    /// # Errors
    /// If no inputs bring a pair to its placement.
    pub fn of(route: &Route, table: &FrameTable, lead_in: u32) -> Result<Self, UnreachablePlacement> {
        Self::after(route, table, LeadIn::idle(lead_in))
    }

    /// The same after other frames.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn after(route: &Route, table: &FrameTable, lead_in: LeadIn) -> Result<Self, UnreachablePlacement> {
        let carried = find_all_inputs(route)?;
        let pairs = route.steps.iter().zip(&carried).map(|(step, way)| {
            let cost = table.cost(step, way, route.rules);
            let tap = |tap: &Input| {
                [Run { frames: table.press, held: Some(*tap) }, Run { frames: table.release, held: None }]
            };
            let mut played: Vec<Run> = way.taps.iter().flat_map(tap).collect();
            let down = cost.fall + table.lock;
            played.push(Run { frames: down, held: Some(Input::Down) });
            played.retain(|run| run.frames > 0);
            PairRuns { played, waits: cost.total() - cost.moving - down }
        });
        Ok(Self { lead_in, pairs: pairs.collect(), status: table.status })
    }

    /// Total frames, including those before the first pair.
    pub fn frames(&self) -> u32 {
        let of_pair = |pair: &PairRuns| pair.played.iter().map(|run| run.frames).sum::<u32>() + pair.waits;
        self.lead_in.len().saturating_add(self.pairs.iter().map(of_pair).sum::<u32>())
    }

    /// The input of each frame; none in those before the first pair.
    pub fn held(&self) -> impl Iterator<Item = Option<Input>> {
        self.lead_in.frames.iter().map(|_| None).chain(self.route_held())
    }

    /// The input of each frame from the one in which the first pair can be moved.
    fn route_held(&self) -> impl Iterator<Item = Option<Input>> {
        let none = |frames| Run { frames, held: None };
        let runs =
            self.pairs.iter().flat_map(move |pair| pair.played.iter().copied().chain([none(pair.waits)]));
        runs.flat_map(|run| (0..run.frames).map(move |_| run.held))
    }

    /// The buttons of both pads in each frame.
    pub fn pads(&self) -> impl Iterator<Item = [PadButtons; 2]> {
        let of_route = self.route_held().map(|held| [buttons(held), PadButtons::NONE]);
        self.lead_in.frames.iter().copied().chain(of_route)
    }

    /// A title for a movie file, with what has to be said about the times.
    pub(super) fn title(&self, name: &str) -> String {
        self.status.caution().map_or_else(|| name.to_owned(), |caution| format!("{name}; {caution}"))
    }

    /// Remarks for the metadata of a movie file.
    pub(super) fn remarks(&self) -> Vec<String> {
        let begins = match (self.lead_in.len(), self.lead_in.press) {
            (0, _) => "The first frame is the one in which the first pair can be moved.".to_owned(),
            (frames, None) => format!("The first pair can be moved after {frames} frames."),
            (frames, Some(press)) => format!(
                "The buttons of a recording start the round in frame {press}; the first pair can be moved after {frames} frames."
            ),
        };
        let timed = match self.status {
            FrameStatus::Confirmed => "The timing was verified on the running game.",
            FrameStatus::Measured => {
                "The timing was measured in the running game, but no movie with it was verified yet."
            }
            FrameStatus::PartlyConfirmed | FrameStatus::Unconfirmed => {
                "The timing is an estimate that was not verified on the running game: expect to shift inputs by some frames."
            }
        };
        vec!["Written by Nextscope from a planned route.".to_owned(), begins, timed.to_owned()]
    }

    /// The script of the embedded console: `N BUTTONS` holds buttons for N passes from when the pair can be moved (L, R, A, B, D; `-` for
    /// none), and `pair` waits for the next pair.
    pub fn console_script(&self) -> String {
        let line = |run: &Run| format!("{} {}\n", run.frames, run.held.map_or('-', Input::letter));
        let pairs: Vec<String> =
            self.pairs.iter().map(|pair| pair.played.iter().map(line).collect()).collect();
        pairs.join("pair\n")
    }
}

fn buttons(held: Option<Input>) -> PadButtons {
    match held {
        None => PadButtons::NONE,
        Some(Input::Left) => PadButtons::LEFT,
        Some(Input::Right) => PadButtons::RIGHT,
        Some(Input::Down) => PadButtons::DOWN,
        Some(Input::Anticlockwise) => PadButtons::A,
        Some(Input::Clockwise) => PadButtons::B,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Start;
    use nextscope_boards::puyo::{Placement, Rotation, Rules};
    use nextscope_boards::{Color, Pair};

    #[test]
    fn frames_of_a_movie_match_the_route() {
        let table = FrameTable {
            status: FrameStatus::Confirmed,
            press: 2,
            release: 1,
            fall: 1,
            lock: 3,
            split: vec![0, 5],
            chain: vec![20],
            next: 4,
            all_clear: 0,
            garbage: None,
        };
        let pair = Pair { axis: Color::RED, child: Color::BLUE };
        let start = Start::empty(vec![pair; 2], Rules::TSU);
        let place = [(0, Rotation::Up), (0, Rotation::Right)];
        let place = place.map(|(column, rotation)| Placement::new(column, rotation).expect("inside"));
        let route = Route::replay(&start, &place).expect("a route");
        let movie = Movie::of(&route, &table, 6).expect("reached");
        let held: String = movie.held().map(|held| held.map_or('-', Input::letter)).collect();
        let falls = |rows: usize| "D".repeat(rows + 3);
        let first = format!("------LL-LL-{}----", falls(11));
        let second = format!("LL-LL-BB-{}---------", falls(9));
        assert_eq!(held, format!("{first}{second}"));
        assert_eq!(movie.frames() as usize, held.len());
        assert_eq!(movie.frames() - 6, table.total(&route).expect("reached"));
        let script = "2 L\n1 -\n2 L\n1 -\n14 D\npair\n2 L\n1 -\n2 L\n1 -\n2 B\n1 -\n12 D\n";
        assert_eq!(movie.console_script(), script);
        assert!(movie.remarks().iter().any(|line| line.contains("after 6 frames")));
    }
}
