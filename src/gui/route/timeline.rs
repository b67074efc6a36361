//! The timeline of a route: each placement, each step of the chain it fires, and the board after it.

use crate::puyo::reference::{CellPosition, fire};
use crate::puyo::{COLUMNS, Cell, Field, ROWS};
use crate::route::{PairInputs, Route, UNCERTAIN_INPUTS, find_all_inputs};
use std::time::{Duration, Instant};

/// Duration of a step during playback.
const STEP_DURATION: Duration = Duration::from_millis(650);

#[derive(Debug, Clone, PartialEq)]
pub struct TimelineStep {
    /// Number of placed pairs; 0 is the start.
    pub pair_count: usize,
    pub field: Field,
    /// The cells of the placed pair, or of the garbage that fell.
    pub placed: Vec<CellPosition>,
    /// The popping groups.
    pub popping: Vec<CellPosition>,
    /// A description.
    pub text: String,
    /// Whether the board is only one of those that drawn columns lead to.
    pub is_example: bool,
}

pub fn steps(route: &Route) -> Vec<TimelineStep> {
    let plain = |pair_count, field, text: String, is_example| TimelineStep {
        pair_count,
        field,
        placed: Vec::new(),
        popping: Vec::new(),
        text: if is_example { format!("{text} (example)") } else { text },
        is_example,
    };
    let mut all = vec![plain(0, route.start, "Start".into(), false)];
    let mut before = route.start;
    for (number, step) in (1..).zip(&route.steps) {
        let certain = route.certainty(number - 1);
        let plain = |field, text, certain: bool| plain(number, field, text, !certain);
        let placed = added(&before, &step.landed);
        let text = format!("Pair {number}: {}", super::placement_text::placement_text(step.placement));
        all.push(TimelineStep { placed, ..plain(step.landed, text, certain.landed) });
        let chain = fire(&mut step.landed.clone(), route.rules);
        let count = chain.len();
        for (nth, popped) in (1..).zip(&chain) {
            let popping = popped.groups.iter().flat_map(|group| &group.cells).copied().collect();
            let text = format!("Chain step {nth} of {count}: {} points", popped.points);
            all.push(TimelineStep { popping, ..plain(popped.before, text, certain.landed) });
        }
        if count > 0 {
            all.push(plain(step.popped, format!("After the {count}-chain"), certain.landed));
        }
        if step.garbage.fell > 0 {
            let text = format!("Garbage: {}", step.garbage);
            let placed = added(&step.popped, &step.after);
            all.push(TimelineStep { placed, ..plain(step.after, text, certain.after) });
        }
        before = step.after;
    }
    all
}

/// The cells that are occupied only on the second board.
pub fn added(before: &Field, after: &Field) -> Vec<CellPosition> {
    let cells = (0..COLUMNS).flat_map(|column| (0..ROWS).map(move |row| (column, row)));
    let taken = |field: &Field, (column, row): CellPosition| field.get(column, row) != Cell::Empty;
    cells.filter(|at| taken(after, *at) && !taken(before, *at)).collect()
}

/// A target on the timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Go {
    First,
    /// One step back.
    Back,
    /// One step forward.
    Forward,
    Last,
    /// After this number of placements.
    Step(usize),
}

/// The timeline and its current step.
#[derive(Debug, Default)]
pub struct Timeline {
    steps: Vec<TimelineStep>,
    at: usize,
    /// Whether the user chose the current step.
    chosen_by_user: bool,
    /// When the next step is due during playback.
    due: Option<Instant>,
    /// The inputs for each placement.
    inputs: Vec<String>,
    /// The row that the table was scrolled to.
    scrolled: usize,
}

impl Timeline {
    /// Sets another route. Unless the user chose a step, shows the pair that fires the longest chain.
    pub fn take(&mut self, route: &Route) {
        let step = self.current().map_or(0, |current| current.pair_count);
        self.steps = steps(route);
        let carried = find_all_inputs(route).unwrap_or_default();
        let letters = |(pair, inputs): (usize, &PairInputs)| {
            if route.certainty(pair).inputs { inputs.letters() } else { UNCERTAIN_INPUTS.into() }
        };
        self.inputs = carried.iter().enumerate().map(letters).collect();
        let best =
            (1..).zip(&route.steps).max_by_key(|(number, step)| (step.fired.chain, usize::MAX - number));
        let best =
            best.filter(|(_, step)| step.fired.chain > 0).map_or(route.steps.len(), |(number, _)| number);
        self.at = 0;
        self.find(if self.chosen_by_user { step.min(route.steps.len()) } else { best });
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    pub fn current(&self) -> Option<&TimelineStep> {
        self.steps.get(self.at)
    }

    /// The inputs that place a pair (from 0), before Down is held.
    pub fn inputs(&self, pair: usize) -> &str {
        self.inputs.get(pair).map_or("", String::as_str)
    }

    /// Whether there is a step before and after the current one.
    pub fn ends(&self) -> (bool, bool) {
        (self.at > 0, self.at + 1 < self.steps.len())
    }

    /// Goes to a step chosen by the user; stops playback.
    pub fn go(&mut self, go: Go) {
        let last = self.steps.len().saturating_sub(1);
        (self.chosen_by_user, self.due) = (true, None);
        match go {
            Go::First => self.at = 0,
            Go::Back => self.at = self.at.saturating_sub(1),
            Go::Forward => self.at = (self.at + 1).min(last),
            Go::Last => self.at = last,
            Go::Step(step) => self.find(step),
        }
    }

    fn find(&mut self, step: usize) {
        self.at = self.steps.iter().position(|current| current.pair_count == step).unwrap_or(self.at);
    }

    /// The row of the table (from 0) to scroll to; None if the step did not change.
    pub fn newly_shown(&mut self) -> Option<usize> {
        let step = self.current()?.pair_count;
        (std::mem::replace(&mut self.scrolled, step) != step).then(|| step.saturating_sub(1))
    }

    pub fn plays(&self) -> bool {
        self.due.is_some()
    }

    /// Starts or pauses playback; restarts at the end.
    pub fn toggle(&mut self, now: Instant) {
        if self.due.take().is_none() {
            if !self.ends().1 {
                self.at = 0;
            }
            (self.chosen_by_user, self.due) = (true, Some(now + STEP_DURATION));
        }
    }

    /// Advances playback; returns the time until the next step. Without animations, skips the steps of chains.
    pub fn tick(&mut self, now: Instant, motion: bool) -> Option<Duration> {
        let due = self.due?;
        if now < due {
            return Some(due - now);
        }
        let step = self.current().map_or(0, |current| current.pair_count);
        let next = if motion {
            Some(self.at + 1)
        } else {
            // The board after the next pair.
            self.steps.iter().rposition(|current| current.pair_count == step + 1)
        };
        match next.filter(|next| *next < self.steps.len()) {
            Some(next) => (self.at, self.due) = (next, Some(now + STEP_DURATION)),
            None => self.due = None,
        }
        self.due.map(|due| due - now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puyo::{Placement, Rotation, Rules};
    use crate::route::Start;
    use nextscope_boards::{Color, Pair};

    /// Four pairs of which the fourth fires a chain of one step.
    fn route() -> Route {
        let pair = Pair { axis: Color::RED, child: Color::RED };
        let other = Pair { axis: Color::BLUE, child: Color::GREEN };
        let start = Start::empty(vec![pair, other, pair, other], Rules::TSU);
        let up = |column| Placement::new(column, Rotation::Up).unwrap();
        Route::replay(&start, &[up(0), up(3), up(1), up(4)]).unwrap()
    }

    #[test]
    fn each_pair_and_each_step_of_a_chain_is_a_moment() {
        let all = steps(&route());
        let steps: Vec<usize> = all.iter().map(|current| current.pair_count).collect();
        assert_eq!(steps, [0, 1, 2, 3, 3, 3, 4], "the third pops and leaves something");
        assert_eq!(all[1].placed, [(0, 0), (0, 1)]);
        assert_eq!(all[3].text, "Pair 3: column 2, child up");
        let mut popping = all[4].popping.clone();
        popping.sort_unstable();
        assert_eq!(popping, [(0, 0), (0, 1), (1, 0), (1, 1)]);
        assert_eq!(all[4].text, "Chain step 1 of 1: 40 points");
        assert_eq!(all[5].field.count(), 2);
    }

    #[test]
    fn the_moment_of_the_best_chain_is_shown_until_somebody_chooses() {
        let mut player = Timeline::default();
        player.take(&route());
        assert_eq!(player.current().map(|current| current.pair_count), Some(3));
        player.go(Go::Last);
        assert_eq!(
            (player.current().map(|current| current.pair_count), player.ends()),
            (Some(4), (true, false))
        );
        player.go(Go::Forward);
        player.take(&route());
        assert_eq!(player.current().map(|current| current.pair_count), Some(4), "as chosen by the user");
        for _ in 0..20 {
            player.go(Go::Back);
        }
        assert_eq!(player.ends(), (false, true));
        player.go(Go::Step(2));
        assert_eq!(player.current().map(|current| current.pair_count), Some(2));
        player.go(Go::Step(77));
        assert_eq!(player.current().map(|current| current.pair_count), Some(2), "there is no such step");
    }

    #[test]
    fn a_route_is_played_to_its_end_moment_by_moment_or_pair_by_pair() {
        for (motion, steps) in [(true, 6), (false, 4)] {
            let mut player = Timeline::default();
            player.take(&route());
            player.go(Go::First);
            let mut now = Instant::now();
            player.toggle(now);
            assert_eq!(player.tick(now, motion), Some(STEP_DURATION), "nothing yet");
            let mut seen = 0;
            while player.plays() {
                let before = player.at;
                now += STEP_DURATION;
                player.tick(now, motion);
                seen += usize::from(player.at != before);
            }
            assert_eq!((seen, player.ends().1), (steps, false), "{motion}");
            player.toggle(now);
            assert_eq!((player.at, player.plays()), (0, true), "it starts over");
            player.toggle(now);
            assert!(!player.plays());
        }
    }
}
