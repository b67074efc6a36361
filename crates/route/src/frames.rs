//! The number of frames that a route takes, from a profile's frame table.

use super::inputs::{PairInputs, UnreachablePlacement, find_all_inputs};
use super::{Route, Step};
use nextscope_boards::puyo::{Field, Rules, garbage_rows, reference};
use nextscope_games::profile::{FrameStatus, Profile};
use serde::Serialize;

/// The durations of a game in frames; see [`FrameTimes`](nextscope_games::profile::FrameTimes) for the meaning of each number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrameTable {
    /// How far the numbers have been verified.
    pub status: FrameStatus,
    /// Holding a button for one step or turn.
    pub press: u32,
    /// Releasing it before the next press.
    pub release: u32,
    /// Falling one row, with Down held.
    pub fall: u32,
    /// From resting to being part of the board.
    pub lock: u32,
    /// Added if one puyo falls this many rows further; the last entry covers more.
    pub split: Vec<u32>,
    /// A chain step by the rows that puyos fall after it; the last entry covers more.
    pub chain: Vec<u32>,
    /// Until the next pair can be moved.
    pub next: u32,
    /// Added after a chain that leaves nothing on the board.
    pub all_clear: u32,
    /// Added when garbage falls, by the rows that it falls from above the visible ones; the last entry covers more. None if that is not known.
    pub garbage: Option<Vec<u32>>,
}

/// Frames of a pair, from when it can be moved until the next one can.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Frames {
    /// Steps sideways and turns.
    #[serde(rename = "move")]
    pub moving: u32,
    /// Falling with Down held.
    pub fall: u32,
    /// Locking, and one puyo falling alone.
    pub lock: u32,
    /// The chain.
    pub chain: u32,
    /// Waiting for the next pair.
    pub next: u32,
}

impl Frames {
    /// The sum.
    pub fn total(self) -> u32 {
        self.moving + self.fall + self.lock + self.chain + self.next
    }
}

impl FrameTable {
    /// The table of a profile; None if it has none.
    pub fn of(profile: &Profile) -> Option<Self> {
        let times = profile.frames.as_ref()?;
        Some(Self {
            status: times.status,
            press: times.press.frames.get(),
            release: times.release.frames.get(),
            fall: times.fall.frames.get(),
            lock: times.lock.frames,
            split: times.split.frames.clone(),
            chain: times.chain.frames.clone(),
            next: times.next.frames,
            all_clear: times.all_clear.as_ref().map_or(0, |time| time.frames),
            garbage: times.garbage.as_ref().map(|times| times.frames.clone()),
        })
    }

    /// Whether the numbers were verified on the running game. Results from other tables must be marked as estimates.
    pub fn confirmed(&self) -> bool {
        self.status == FrameStatus::Confirmed
    }

    /// The frames of a step with these inputs.
    pub fn cost(&self, step: &Step, carried: &PairInputs, rules: Rules) -> Frames {
        let (chain, all_clear) = self.after_landing(&step.landed, rules);
        let placing = self.placing(carried.taps.len(), carried.falls, carried.splits);
        let garbage = self.of_garbage(&step.popped, &step.after);
        Frames { chain, next: placing.next + all_clear + garbage, ..placing }
    }

    /// The frames of garbage that leads from one board to another; 0 if they are not known.
    pub(super) fn of_garbage(&self, before: &Field, after: &Field) -> u32 {
        match &self.garbage {
            Some(list) if before != after => entry(list, garbage_rows(before, after)),
            _ => 0,
        }
    }

    /// Whether the frames of a route contain everything: false if garbage falls and its time is not known.
    pub fn is_complete_for(&self, route: &Route) -> bool {
        self.garbage.is_some() || !route.has_falling_garbage()
    }

    /// The frames of a step without its chain: the taps, the rows the pair falls, and the rows that one puyo falls alone.
    fn placing(&self, taps: usize, falls: usize, splits: usize) -> Frames {
        Frames {
            moving: count(taps) * (self.press + self.release),
            fall: count(falls) * self.fall,
            lock: self.lock + entry(&self.split, splits),
            chain: 0,
            next: self.next,
        }
    }

    /// The sum of the same.
    pub(super) fn without_chain(&self, taps: usize, falls: usize, splits: usize) -> u32 {
        self.placing(taps, falls, splits).total()
    }

    /// The frames of the chain of a board, with the additional ones of an all clear.
    pub(super) fn of_chain(&self, landed: &Field, rules: Rules) -> u32 {
        let (chain, all_clear) = self.after_landing(landed, rules);
        chain + all_clear
    }

    fn after_landing(&self, landed: &Field, rules: Rules) -> (u32, u32) {
        let mut field = *landed;
        let steps = reference::fire(&mut field, rules);
        let chain = steps.iter().map(|step| entry(&self.chain, step.rows_fallen())).sum();
        (chain, if !steps.is_empty() && field.is_empty() { self.all_clear } else { 0 })
    }

    /// The frames of each step of a route.
    ///
    /// # Errors
    /// [`UnreachablePlacement`] if a pair cannot be brought to its placement.
    pub fn costs(&self, route: &Route) -> Result<Vec<Frames>, UnreachablePlacement> {
        let carried = find_all_inputs(route)?;
        Ok(route.steps.iter().zip(&carried).map(|(step, way)| self.cost(step, way, route.rules)).collect())
    }

    /// The total frames of a route.
    ///
    /// # Errors
    /// [`UnreachablePlacement`] if a pair cannot be brought to its placement.
    pub fn total(&self, route: &Route) -> Result<u32, UnreachablePlacement> {
        Ok(self.costs(route)?.into_iter().map(Frames::total).sum())
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn entry(list: &[u32], rows: usize) -> u32 {
    list.get(rows).or(list.last()).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Start;
    use nextscope_boards::puyo::{Placement, Rotation, field_from_rows};
    use nextscope_boards::{Color, Pair};

    fn table() -> FrameTable {
        FrameTable {
            status: FrameStatus::Unconfirmed,
            press: 1,
            release: 2,
            fall: 10,
            lock: 100,
            split: vec![0, 1000, 2000],
            chain: vec![10_000, 20_000, 30_000],
            next: 7,
            all_clear: 1_000_000,
            garbage: None,
        }
    }

    #[test]
    fn frames_of_a_pair_are_added_up() {
        let field = field_from_rows(&["..O...", "RRY...", "YYR..."]).expect("a board");
        let pair = Pair { axis: Color::RED, child: Color::RED };
        let start = Start { field, pairs: vec![pair; 2], rules: Rules::TSU, target_points: 70 };
        let at = |column, rotation| Placement::new(column, rotation).expect("inside");
        let route =
            Route::replay(&start, &[at(2, Rotation::Right), at(0, Rotation::Right)]).expect("a route");
        let costs = table().costs(&route).expect("reached");
        // One turn; from row 11 to row 3; then the child falls 3 rows more: the last entry of the list.
        assert_eq!(costs[0], Frames { moving: 3, fall: 80, lock: 2100, chain: 0, next: 7 });
        // Two columns and a turn; onto row 2. Four reds pop, the garbage beside them is cleared, and the puyo above it falls a row.
        assert_eq!(costs[1], Frames { moving: 9, fall: 90, lock: 100, chain: 20_000, next: 7 });
        assert_eq!(table().total(&route), Ok(2190 + 20_206));
        assert!(!table().confirmed());
    }

    #[test]
    fn an_all_clear_takes_longer() {
        let field = field_from_rows(&["RR...."]).expect("a board");
        let pair = Pair { axis: Color::RED, child: Color::RED };
        let start = Start { field, pairs: vec![pair; 2], rules: Rules::TSU, target_points: 70 };
        let at = |column| Placement::new(column, Rotation::Right).expect("inside");
        let route = Route::replay(&start, &[at(2), at(2)]).expect("a route");
        let costs = table().costs(&route).expect("reached");
        assert_eq!((costs[0].chain, costs[0].next), (10_000, 1_000_007));
        assert_eq!((costs[1].chain, costs[1].next), (0, 7));
    }

    #[test]
    fn falling_garbage_takes_the_time_of_its_longest_fall() {
        let pair = Pair { axis: Color::RED, child: Color::BLUE };
        let start = Start::empty(vec![pair; 2], Rules::TSU);
        let at = |column| Placement::new(column, Rotation::Right).expect("inside");
        let attacks = ["2@1".parse().expect("an attack")];
        // Into the last two columns, from the row above the visible ones to the floor: 12 rows.
        let route = Route::replay_against(&start, &attacks, &[at(0), at(0)], &[0b11_0000]).expect("a route");
        let unknown = table();
        let known = FrameTable { garbage: Some((0..13).map(|rows| rows * 1_000_000).collect()), ..table() };
        assert!(!unknown.is_complete_for(&route) && known.is_complete_for(&route));
        let total = |table: &FrameTable| table.total(&route).expect("reached");
        assert_eq!(total(&known) - total(&unknown), 12_000_000);
        // Onto the pair in the first two columns: 11 rows.
        let onto = Route::replay_against(&start, &attacks, &[at(0), at(0)], &[0b11]).expect("a route");
        let costs = known.costs(&onto).expect("reached");
        assert_eq!((costs[0].next, costs[1].next), (11_000_007, 7));
    }

    #[test]
    fn tables_come_from_profiles() {
        let text = include_str!("../../../profiles/puyo-tsu-genesis.toml");
        let profile = nextscope_games::profile::parse(text, "x").0.expect("a profile");
        let table = FrameTable::of(&profile).expect("it has one");
        assert_eq!((table.press, table.fall, table.chain[1]), (1, 2, 80));
        assert!(!table.confirmed(), "the table is unverified");
        assert_eq!(FrameTable::of(&Profile { frames: None, ..profile }), None);
    }
}
