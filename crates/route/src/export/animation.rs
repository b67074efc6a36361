//! A route as a sequence of scenes: each placement, each step of each chain.

use super::super::{Route, Step};
use super::draw::{Mark, TEXT_LINES, fallen, placed};
use nextscope_boards::puyo::reference::CellPosition;
use nextscope_boards::puyo::{Field, reference};

/// Display time of a placed pair, in hundredths of a second.
const LANDED: u16 = 50;
/// Display time of a chain step.
const POPPING: u16 = 45;
/// Display time of the board after a chain.
const SETTLED: u16 = 40;
/// Display time of the last board before the animation repeats.
const END: u16 = 300;

/// A board with markers and text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scene {
    /// The board.
    pub field: Field,
    /// Marked cells, by column and row.
    pub marks: Vec<(CellPosition, Mark)>,
    /// The number of the pair and its placement.
    pub title: String,
    /// The chain; empty if there is none.
    pub chain_text: String,
    /// Display time, in hundredths of a second.
    pub hundredths: u16,
}

impl Scene {
    /// A board without markers.
    pub fn still(field: &Field, title: &str) -> Self {
        Self {
            field: *field,
            marks: Vec::new(),
            title: title.to_owned(),
            chain_text: String::new(),
            hundredths: END,
        }
    }

    /// The lines of text below the board.
    pub(super) fn lines(&self) -> [&str; TEXT_LINES as usize] {
        [&self.title, &self.chain_text]
    }
}

/// A scene for each pair as it lands, one for garbage that falls after it, and one for the end.
pub(super) fn boards(route: &Route) -> Vec<Scene> {
    let before = std::iter::once(&route.start).chain(route.steps.iter().map(|step| &step.after));
    let mut scenes = Vec::new();
    for (nth, (before, step)) in before.zip(&route.steps).enumerate() {
        let chain_text = match step.fired.chain {
            0 => String::new(),
            chain => chain_text(chain, step.fired.score),
        };
        scenes.push(Scene {
            field: step.landed,
            marks: placed(before, step, route.rules),
            title: format!("{} {} {}", nth + 1, step.pair.letters(), step.placement).to_uppercase(),
            chain_text: as_example(chain_text, !route.certainty(nth).landed),
            hundredths: LANDED,
        });
        scenes.extend(garbage_scene(route, nth, step));
    }
    let mut end = Scene::still(&route.end(), "END");
    let total = if route.chain > 0 { chain_text(route.chain, route.score) } else { String::new() };
    let is_certain = route.steps.len().checked_sub(1).is_none_or(|last| route.certainty(last).after);
    end.chain_text = as_example(total, !is_certain);
    scenes.push(end);
    scenes
}

/// The board after garbage fell.
fn garbage_scene(route: &Route, nth: usize, step: &Step) -> Option<Scene> {
    let garbage = step.garbage;
    (garbage.fell > 0).then(|| Scene {
        field: step.after,
        marks: fallen(step, route.rules),
        title: format!("{} GARBAGE {}", nth + 1, garbage.fell),
        chain_text: as_example(String::new(), !route.certainty(nth).after),
        hundredths: LANDED,
    })
}

/// The text of a board that is only one of those that drawn columns lead to.
fn as_example(text: String, is_example: bool) -> String {
    if is_example { format!("{text} EXAMPLE").trim().to_owned() } else { text }
}

/// The scenes of a route, including its chain steps.
pub fn scenes(route: &Route) -> Vec<Scene> {
    let mut scenes = Vec::new();
    let mut boards = boards(route).into_iter();
    for (nth, step) in route.steps.iter().enumerate() {
        let Some(mut landed) = boards.next() else { break };
        let is_example = !route.certainty(nth).landed;
        let title = landed.title.clone();
        landed.chain_text = as_example(String::new(), is_example); // the chain is to come
        scenes.push(landed);
        let mut field = step.landed;
        let mut score = 0;
        for (nth, popping) in reference::fire(&mut field, route.rules).into_iter().enumerate() {
            score += popping.points;
            let popped = popping.groups.iter().flat_map(|group| &group.cells).chain(&popping.beside);
            scenes.push(Scene {
                field: popping.before,
                marks: popped.map(|at| (*at, Mark::Pop)).collect(),
                title: title.clone(),
                chain_text: as_example(
                    chain_text(u32::try_from(nth + 1).unwrap_or(u32::MAX), score),
                    is_example,
                ),
                hundredths: POPPING,
            });
        }
        if step.fired.chain > 0 {
            let chain_text = as_example(chain_text(step.fired.chain, step.fired.score), is_example);
            scenes.push(Scene { field, marks: Vec::new(), title, chain_text, hundredths: SETTLED });
        }
        if step.garbage.fell > 0 {
            scenes.extend(boards.next());
        }
    }
    scenes.extend(boards);
    scenes
}

fn chain_text(chain: u32, score: u32) -> String {
    format!("{chain}X {score}")
}
