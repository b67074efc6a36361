//! Movies of planned routes: the routes, strict readers of the files, and what a playback must show.

#![allow(dead_code, clippy::expect_used, clippy::unwrap_used)]

pub mod genesis;
pub mod nds;
pub mod readers;
pub mod waits;

use nextscope::profile::{Profile, built_in_files, parse};
use nextscope::puyo::{Field, Placement, reachable};
use nextscope::route::export::Movie;
use nextscope::route::{FrameTable, Route, Start};

/// A pair of player 1 in a playback.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Appearance {
    /// The frames that were run when it was there first, from power on.
    pub frame: u32,
    /// The board at that time.
    pub board: Field,
}

/// A route that a movie plays, with the true durations of the cartridge.
#[derive(Clone, Debug)]
pub struct PlannedMovie {
    pub route: Route,
    pub table: FrameTable,
    /// Frames from power on until the first pair can be moved.
    pub lead_in: u32,
}

impl PlannedMovie {
    /// The movie with the true durations.
    pub fn movie(&self) -> Movie {
        self.movie_with(&self.table, self.lead_in)
    }

    /// The movie with others.
    pub fn movie_with(&self, table: &FrameTable, lead_in: u32) -> Movie {
        Movie::of(&self.route, table, lead_in).expect("the pairs can be placed")
    }

    /// The board when each pair appears, and the one after the last: the first board and those after every pair.
    fn boards(&self) -> impl Iterator<Item = Field> {
        std::iter::once(self.route.start).chain(self.route.steps.iter().map(|step| step.after))
    }

    /// What the playback of the true movie shows: each pair at its frame, on its board.
    pub fn expected(&self) -> Vec<Appearance> {
        let mut frame = self.lead_in;
        let costs = self.table.costs(&self.route).expect("the pairs can be placed");
        let frames = std::iter::once(0).chain(costs.iter().map(|cost| cost.total()));
        let frames = frames.map(|cost| {
            frame += cost;
            frame
        });
        frames.zip(self.boards()).map(|(frame, board)| Appearance { frame, board }).collect()
    }

    /// Compares a playback with the plan, frame by frame.
    ///
    /// # Errors
    /// Says at which pair it differs first.
    pub fn verify(&self, seen: &[Appearance]) -> Result<(), String> {
        let expected = self.expected();
        for (number, plan) in (1..).zip(&expected) {
            let Some(there) = seen.get(number - 1) else {
                return Err(format!("pair {number} of {} never appears", expected.len()));
            };
            if there.board != plan.board {
                return Err(format!(
                    "the board when pair {number} appears: expected {:?}, there is {:?}",
                    plan.board, there.board
                ));
            }
            if there.frame != plan.frame {
                return Err(format!(
                    "pair {number} appears after frame {}, planned for {}",
                    there.frame, plan.frame
                ));
            }
        }
        Ok(())
    }

    /// Whether a playback shows every planned board, whenever that is.
    pub fn reaches_every_board(&self, seen: &[Appearance]) -> bool {
        let mut seen = seen.iter();
        self.boards().all(|board| seen.next().is_some_and(|there| there.board == board))
    }
}

/// A part of a frame table that is wrong by one frame.
pub struct WrongTime {
    pub part: &'static str,
    pub table: FrameTable,
    pub lead_in: u32,
}

/// Every part of the table, and the time before the first pair, each one frame too long and one too short.
pub fn wrong_times(plan: &PlannedMovie) -> Vec<WrongTime> {
    let mut wrong = Vec::new();
    let mut add = |part, change: &dyn Fn(&mut FrameTable, &mut u32)| {
        let (mut table, mut lead_in) = (plan.table.clone(), plan.lead_in);
        change(&mut table, &mut lead_in);
        wrong.push(WrongTime { part, table, lead_in });
    };
    add("press + 1", &|table, _| table.press += 1);
    add("press - 1", &|table, _| table.press -= 1);
    add("release + 1", &|table, _| table.release += 1);
    add("release - 1", &|table, _| table.release -= 1);
    add("fall + 1", &|table, _| table.fall += 1);
    add("fall - 1", &|table, _| table.fall -= 1);
    add("lock + 1", &|table, _| table.lock += 1);
    add("lock - 1", &|table, _| table.lock -= 1);
    add("split + 1", &|table, _| *table.split.last_mut().unwrap() += 1);
    add("chain + 1", &|table, _| *table.chain.last_mut().unwrap() += 1);
    add("chain - 1", &|table, _| *table.chain.last_mut().unwrap() -= 1);
    add("next + 1", &|table, _| table.next += 1);
    add("next - 1", &|table, _| table.next -= 1);
    add("lead-in + 1", &|_, lead_in| *lead_in += 1);
    add("lead-in - 1", &|_, lead_in| *lead_in -= 1);
    wrong
}

/// The route and some pairs after it, so that the duration of its last chain matters: at least two, because the first one appears as planned
/// if a movie waits too long for it, and only then it is late.
pub fn extended(start: &Start, route: &Route, pairs: usize) -> Route {
    let mut places: Vec<Placement> = route.steps.iter().map(|step| step.placement).collect();
    for _ in 0..pairs {
        let so_far = Route::replay(start, &places).unwrap();
        places.push(reachable(&so_far.end()).iter().next().expect("a chain leaves room"));
    }
    Route::replay(start, &places).unwrap()
}

/// A route with placements anywhere that can be reached, up to the highest rows and between two walls, until the game is lost. `state` is that of
/// the generator of random numbers.
pub fn random_route(start: &Start, state: &mut u64) -> Route {
    let mut places: Vec<Placement> = Vec::new();
    loop {
        let route = Route::replay(start, &places).unwrap();
        let reached: Vec<Placement> = reachable(&route.end()).iter().collect();
        if reached.is_empty() || places.len() == start.pairs.len() {
            // The pair that loses the game lands on a board that the cartridge clears before the next one appears.
            places.pop();
            return Route::replay(start, &places).unwrap();
        }
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        places.push(reached[usize::try_from(*state >> 33).unwrap() % reached.len()]);
    }
}

/// A built-in profile.
pub fn profile(id: &str) -> Profile {
    let (path, text) =
        *built_in_files().iter().find(|(path, _)| path.contains(id)).expect("a built-in profile");
    parse(text, path).0.expect("it is valid")
}
