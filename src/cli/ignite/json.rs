//! The answer for programs.

use super::{Answer, Arguments, Asked};
use crate::pochi::{Evaluation, Example, Opening, Place, Reached, Ruleset, Values};
use serde::Serialize;

/// A cell: column and row, from 0 at the top left.
pub type Cell = [u8; 2];

/// A place as column and row.
pub fn place(at: Place) -> Cell {
    [at.x, at.y]
}

/// The rules as they are named on the command line.
pub fn rules(ruleset: Ruleset) -> &'static str {
    match ruleset {
        Ruleset::Mvs => "mvs",
        Ruleset::Ps2 => "ps2",
    }
}

/// The body of `ignite`.
#[derive(Serialize)]
pub struct Ignited<'a> {
    example: Option<&'a ListedExample>,
    build: Option<&'a BuiltStructure>,
    /// Rows from the top.
    grid: Vec<String>,
    /// How many blocks a needle ignites.
    needle_rule: &'static str,
    /// Of what ignites.
    color: Option<char>,
    /// What the needle ignites; None without an ignition.
    starts: Option<Vec<Cell>>,
    mvs: Option<Worth>,
    ps2: Option<Worth>,
    /// The questions that the sources leave open and that came up.
    open: Vec<Open>,
    one_more: Option<Vec<OneMore>>,
    code: Option<&'a str>,
    link: Option<&'a str>,
}

/// What an ignition is worth under one ruleset.
#[derive(Serialize)]
struct Worth {
    value: u32,
    base: u32,
    bonus: u32,
    counted: u32,
    max_tails: u32,
    /// Of each structure.
    tails: Vec<Vec<u32>>,
    /// Where they end.
    ends: Vec<Vec<Cell>>,
    /// The least and the most that it is worth, where an open question matters.
    between: Option<[u32; 2]>,
    waves: Option<Vec<Vec<WaveBlock>>>,
}

/// A block of a wave.
#[derive(Serialize)]
struct WaveBlock {
    at: Cell,
    structure: usize,
    from: Vec<Cell>,
}

#[derive(Serialize)]
struct Open {
    rules: &'static str,
    question: &'static str,
    answer: &'static str,
    other_value: u32,
    mattered: bool,
}

/// What one more block in a cell would make of it.
#[derive(Serialize)]
struct OneMore {
    at: Cell,
    mvs: u32,
    ps2: u32,
}

/// An example of the document.
#[derive(Serialize)]
pub struct ListedExample {
    number: usize,
    name: &'static str,
    needle: Cell,
    ignited: Vec<Cell>,
    mvs: u32,
    ps2: u32,
    /// Which of the two the document states itself.
    stated: Vec<&'static str>,
    note: &'static str,
}

impl ListedExample {
    pub fn of(number: usize, example: &Example) -> Self {
        Self {
            number,
            name: example.name,
            needle: place(example.needle),
            ignited: example.ignited.iter().map(|block| place(*block)).collect(),
            mvs: example.mvs,
            ps2: example.ps2,
            stated: example.stated.iter().map(|ruleset| rules(*ruleset)).collect(),
            note: example.note,
        }
    }
}

/// The best structure of so many blocks.
#[derive(Serialize)]
pub struct BuiltStructure {
    pub rules: &'static str,
    /// Blocks that were asked for, and those of the structure.
    pub asked: u32,
    pub blocks: u32,
    pub value: u32,
    /// What none is worth more than; None where that is not known.
    pub bound: Option<u32>,
    pub proven: bool,
    pub stopped: bool,
    /// Shapes tried.
    pub tried: u64,
    /// Cells in which blocks of other colours must stand.
    pub supports: Vec<Cell>,
    pub elapsed_seconds: f64,
}

impl Answer {
    pub fn json<'a>(&'a self, asked: &'a Asked, arguments: &Arguments) -> Ignited<'a> {
        let both = self.evaluations.as_ref();
        let starts: Option<Vec<Place>> =
            both.map(|[mvs, _]| mvs.waves.first().into_iter().flatten().map(|block| block.at).collect());
        let color = starts.iter().flatten().find_map(|at| asked.field.get(*at));
        let named = match asked.ignition {
            Some(crate::pochi::Ignition::Needle { color, .. }) => color,
            _ => None,
        };
        let open = |(evaluation, open): (&Evaluation, &Opening)| Open {
            rules: rules(evaluation.ruleset),
            question: open.question.id(),
            answer: asked.rules.answer(open.question),
            other_value: open.other_value,
            mattered: open.mattered,
        };
        let openings =
            both.into_iter().flatten().flat_map(|told| told.openings.iter().map(move |open| (told, open)));
        let more =
            |(at, values): &(Place, Values)| OneMore { at: place(*at), mvs: values.mvs, ps2: values.ps2 };
        Ignited {
            example: asked.example.as_ref(),
            build: asked.build.as_ref(),
            grid: asked.field.to_text().lines().map(str::to_owned).collect(),
            needle_rule: asked.rules.needle().id(),
            color: color.or(named.filter(|_| both.is_some())).map(crate::pochi::Color::letter),
            starts: starts.map(|starts| starts.into_iter().map(place).collect()),
            mvs: both.map(|[mvs, _]| Worth::of(mvs, arguments.waves)),
            ps2: both.map(|[_, ps2]| Worth::of(ps2, arguments.waves)),
            open: openings.map(open).collect(),
            one_more: self.more.as_ref().map(|cells| cells.iter().map(more).collect()),
            code: self.codes.as_ref().map(|[code, _]| code.as_str()),
            link: self.codes.as_ref().map(|[_, link]| link.as_str()),
        }
    }
}

impl Worth {
    fn of(told: &Evaluation, waves: bool) -> Self {
        let structures = || told.structures.iter();
        let block = |block: &Reached| WaveBlock {
            at: place(block.at),
            structure: block.structure,
            from: block.from.iter().map(|from| place(*from)).collect(),
        };
        let mattered = told.openings.iter().any(|open| open.mattered);
        Self {
            value: told.value,
            base: told.base,
            bonus: told.bonus,
            counted: told.counted,
            max_tails: told.max_tails,
            tails: structures().map(|one| one.tails.iter().map(|tail| tail.value).collect()).collect(),
            ends: structures().map(|one| one.tails.iter().map(|tail| place(tail.at)).collect()).collect(),
            between: mattered.then_some([told.lowest, told.highest]),
            waves: waves.then(|| told.waves.iter().map(|wave| wave.iter().map(block).collect()).collect()),
        }
    }
}
