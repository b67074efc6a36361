//! A route as scenes, one after the other: each pair put down, each step of each chain.

use super::super::Route;
use super::draw::{At, Mark, placed};
use crate::puyo::{Field, plain};

/// Hundredths of a second that a pair put down is shown.
const LANDED: u16 = 50;
/// That a step of a chain is shown.
const POPPING: u16 = 45;
/// That the board after a chain is shown.
const SETTLED: u16 = 40;
/// That the last board is shown before it begins again.
const END: u16 = 300;

/// A board with what is drawn on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scene {
    /// The board.
    pub field: Field,
    /// Cells that are marked, by column and row.
    pub marks: Vec<(At, Mark)>,
    /// Which pair it is, and where it goes.
    pub title: String,
    /// The chain; empty when there is none.
    pub told: String,
    /// How long it is shown, in hundredths of a second.
    pub hundredths: u16,
}

impl Scene {
    /// A board with nothing marked on it.
    #[must_use]
    pub fn still(field: &Field, title: &str) -> Self {
        Self {
            field: *field,
            marks: Vec::new(),
            title: title.to_owned(),
            told: String::new(),
            hundredths: END,
        }
    }
}

/// A scene for each pair as it lands, and one for the end.
pub(super) fn boards(route: &Route) -> Vec<Scene> {
    let before = std::iter::once(&route.start).chain(route.steps.iter().map(|step| &step.after));
    let steps = before.zip(&route.steps).enumerate();
    let landed = steps.map(|(nth, (before, step))| Scene {
        field: step.landed,
        marks: placed(before, step, route.rules),
        title: format!("{} {} {}", nth + 1, step.pair.letters(), step.placement).to_uppercase(),
        told: match step.fired.chain {
            0 => String::new(),
            chain => told(chain, step.fired.score),
        },
        hundredths: LANDED,
    });
    let mut scenes: Vec<Scene> = landed.collect();
    let mut end = Scene::still(&route.end(), "END");
    if route.chain > 0 {
        end.told = told(route.chain, route.score);
    }
    scenes.push(end);
    scenes
}

/// The scenes of a route, those of its chains included.
#[must_use]
pub fn scenes(route: &Route) -> Vec<Scene> {
    let mut scenes = Vec::new();
    let mut boards = boards(route).into_iter();
    for (step, mut landed) in route.steps.iter().zip(boards.by_ref()) {
        let title = landed.title.clone();
        landed.told.clear(); // the chain is to come
        scenes.push(landed);
        let mut field = step.landed;
        let mut score = 0;
        for (nth, popping) in plain::fire(&mut field, route.rules).into_iter().enumerate() {
            score += popping.points;
            let popped = popping.groups.iter().flat_map(|group| &group.cells).chain(&popping.beside);
            scenes.push(Scene {
                field: popping.before,
                marks: popped.map(|at| (*at, Mark::Pop)).collect(),
                title: title.clone(),
                told: told(u32::try_from(nth + 1).unwrap_or(u32::MAX), score),
                hundredths: POPPING,
            });
        }
        if step.fired.chain > 0 {
            let told = told(step.fired.chain, step.fired.score);
            scenes.push(Scene { field, marks: Vec::new(), title, told, hundredths: SETTLED });
        }
    }
    scenes.extend(boards);
    scenes
}

fn told(chain: u32, score: u32) -> String {
    format!("{chain}X {score}")
}
