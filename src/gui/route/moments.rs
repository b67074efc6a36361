//! A route as a row of moments: each pair put down, each step of the chain that it fires, what is left. One of them is shown.

use crate::puyo::plain::{At, fire};
use crate::puyo::{COLUMNS, Cell, Field, ROWS};
use crate::route::{Carried, Route, carry_all};
use std::time::{Duration, Instant};

/// How long a moment stays while the route is played.
const STAYS: Duration = Duration::from_millis(650);

/// One moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// Pairs that were put down by then; 0 is the start.
    pub step: usize,
    /// The board.
    pub field: Field,
    /// Where the pair stands that was put down.
    pub placed: Vec<At>,
    /// The groups that pop.
    pub popping: Vec<At>,
    /// What happens, in words.
    pub words: String,
}

/// All moments of a route.
#[must_use]
pub fn moments(route: &Route) -> Vec<Moment> {
    let plain =
        |step, field, words: String| Moment { step, field, placed: Vec::new(), popping: Vec::new(), words };
    let mut all = vec![plain(0, route.start, "The board at the start".into())];
    let mut before = route.start;
    for (number, step) in (1..).zip(&route.steps) {
        let placed = added(&before, &step.landed);
        let words = format!("Pair {number}: {}", super::words::placement(step.placement));
        all.push(Moment { placed, ..plain(number, step.landed, words) });
        let chain = fire(&mut step.landed.clone(), route.rules);
        let count = chain.len();
        for (nth, popped) in (1..).zip(&chain) {
            let popping = popped.groups.iter().flat_map(|group| &group.cells).copied().collect();
            let words = format!("Chain step {nth} of {count}: {} points", popped.points);
            all.push(Moment { popping, ..plain(number, popped.before, words) });
        }
        if count > 0 {
            all.push(plain(number, step.after, format!("What the {count}-chain leaves")));
        }
        before = step.after;
    }
    all
}

/// The cells that are taken on the second board and were not on the first.
#[must_use]
pub fn added(before: &Field, after: &Field) -> Vec<At> {
    let cells = (0..COLUMNS).flat_map(|column| (0..ROWS).map(move |row| (column, row)));
    let taken = |field: &Field, (column, row): At| field.get(column, row) != Cell::Empty;
    cells.filter(|at| taken(after, *at) && !taken(before, *at)).collect()
}

/// Where to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Go {
    /// To the start.
    First,
    /// One moment back.
    Back,
    /// One moment on.
    On,
    /// To the end.
    Last,
    /// To where so many pairs were put down.
    Step(usize),
}

/// The moments of a route, and the one that is shown.
#[derive(Debug, Default)]
pub struct Player {
    moments: Vec<Moment>,
    at: usize,
    /// Whether somebody chose the moment.
    chosen: bool,
    /// When the next moment comes, while the route is played.
    due: Option<Instant>,
    /// The buttons that bring each pair to its place.
    inputs: Vec<String>,
    /// The step that the table was scrolled to.
    scrolled: usize,
}

impl Player {
    /// Takes another route. As long as nobody chose a moment, the pair that fires the best chain is shown.
    pub fn take(&mut self, route: &Route) {
        let step = self.moment().map_or(0, |moment| moment.step);
        self.moments = moments(route);
        let carried = carry_all(route).unwrap_or_default();
        self.inputs = carried.iter().map(Carried::letters).collect();
        let best =
            (1..).zip(&route.steps).max_by_key(|(number, step)| (step.fired.chain, usize::MAX - number));
        let best =
            best.filter(|(_, step)| step.fired.chain > 0).map_or(route.steps.len(), |(number, _)| number);
        self.at = 0;
        self.find(if self.chosen { step.min(route.steps.len()) } else { best });
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// The moment that is shown.
    #[must_use]
    pub fn moment(&self) -> Option<&Moment> {
        self.moments.get(self.at)
    }

    /// The buttons that bring a pair (from 0) to its place, before Down is held.
    #[must_use]
    pub fn inputs(&self, pair: usize) -> &str {
        self.inputs.get(pair).map_or("", String::as_str)
    }

    /// Whether there is a moment before it, and one after it.
    #[must_use]
    pub fn ends(&self) -> (bool, bool) {
        (self.at > 0, self.at + 1 < self.moments.len())
    }

    /// Goes there; whoever asks for that has chosen, and nothing is played any more.
    pub fn go(&mut self, go: Go) {
        let last = self.moments.len().saturating_sub(1);
        (self.chosen, self.due) = (true, None);
        match go {
            Go::First => self.at = 0,
            Go::Back => self.at = self.at.saturating_sub(1),
            Go::On => self.at = (self.at + 1).min(last),
            Go::Last => self.at = last,
            Go::Step(step) => self.find(step),
        }
    }

    fn find(&mut self, step: usize) {
        self.at = self.moments.iter().position(|moment| moment.step == step).unwrap_or(self.at);
    }

    /// The row of the table (from 0) that is to be brought into sight; None when nothing else is shown than before.
    pub fn newly_shown(&mut self) -> Option<usize> {
        let step = self.moment()?.step;
        (std::mem::replace(&mut self.scrolled, step) != step).then(|| step.saturating_sub(1))
    }

    /// Whether the route is being played.
    #[must_use]
    pub fn plays(&self) -> bool {
        self.due.is_some()
    }

    /// Begins or stops to play it; at its end it begins anew.
    pub fn toggle(&mut self, now: Instant) {
        if self.due.take().is_none() {
            if !self.ends().1 {
                self.at = 0;
            }
            (self.chosen, self.due) = (true, Some(now + STAYS));
        }
    }

    /// Goes on while it is played; how long until the next moment. Without motion, chains are not shown step by step.
    pub fn tick(&mut self, now: Instant, motion: bool) -> Option<Duration> {
        let due = self.due?;
        if now < due {
            return Some(due - now);
        }
        let step = self.moment().map_or(0, |moment| moment.step);
        let next = if motion {
            Some(self.at + 1)
        } else {
            // What is left after the next pair.
            self.moments.iter().rposition(|moment| moment.step == step + 1)
        };
        match next.filter(|next| *next < self.moments.len()) {
            Some(next) => (self.at, self.due) = (next, Some(now + STAYS)),
            None => self.due = None,
        }
        self.due.map(|due| due - now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::puyo::{Color, Pair};
    use crate::puyo::{Placement, Rotation, Rules};
    use crate::route::Start;

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
        let all = moments(&route());
        let steps: Vec<usize> = all.iter().map(|moment| moment.step).collect();
        assert_eq!(steps, [0, 1, 2, 3, 3, 3, 4], "the third pops and leaves something");
        assert_eq!(all[1].placed, [(0, 0), (0, 1)]);
        assert_eq!(all[3].words, "Pair 3: column 2, child up");
        let mut popping = all[4].popping.clone();
        popping.sort_unstable();
        assert_eq!(popping, [(0, 0), (0, 1), (1, 0), (1, 1)]);
        assert_eq!(all[4].words, "Chain step 1 of 1: 40 points");
        assert_eq!(all[5].field.count(), 2);
    }

    #[test]
    fn the_moment_of_the_best_chain_is_shown_until_somebody_chooses() {
        let mut player = Player::default();
        player.take(&route());
        assert_eq!(player.moment().map(|moment| moment.step), Some(3));
        player.go(Go::Last);
        assert_eq!((player.moment().map(|moment| moment.step), player.ends()), (Some(4), (true, false)));
        player.go(Go::On);
        player.take(&route());
        assert_eq!(player.moment().map(|moment| moment.step), Some(4), "as chosen");
        for _ in 0..20 {
            player.go(Go::Back);
        }
        assert_eq!(player.ends(), (false, true));
        player.go(Go::Step(2));
        assert_eq!(player.moment().map(|moment| moment.step), Some(2));
        player.go(Go::Step(77));
        assert_eq!(player.moment().map(|moment| moment.step), Some(2), "there is no such step");
    }

    #[test]
    fn a_route_is_played_to_its_end_moment_by_moment_or_pair_by_pair() {
        for (motion, moments) in [(true, 6), (false, 4)] {
            let mut player = Player::default();
            player.take(&route());
            player.go(Go::First);
            let mut now = Instant::now();
            player.toggle(now);
            assert_eq!(player.tick(now, motion), Some(STAYS), "nothing yet");
            let mut seen = 0;
            while player.plays() {
                let before = player.at;
                now += STAYS;
                player.tick(now, motion);
                seen += usize::from(player.at != before);
            }
            assert_eq!((seen, player.ends().1), (moments, false), "{motion}");
            player.toggle(now);
            assert_eq!((player.at, player.plays()), (0, true), "it begins anew");
            player.toggle(now);
            assert!(!player.plays());
        }
    }
}
