//! The answer as JSON.

use super::answer::{Answer, Options};
use super::json_parts::{BuiltStructure, ListedExample};
use super::request::Request;
use crate::pochi::{Evaluation, GridCell, OpenQuestion, ReachedBlock, Ruleset, Values};
use serde::Serialize;

#[derive(Serialize)]
pub struct Ignited<'a> {
    example: Option<&'a ListedExample>,
    build: Option<&'a BuiltStructure>,
    /// Rows, the top one first.
    grid: Vec<String>,
    needle_rule: &'static str,
    color: Option<char>,
    /// The blocks that the needle ignites; None without an ignition.
    starts: Option<Vec<GridCell>>,
    mvs: Option<ValueJson<'a>>,
    ps2: Option<ValueJson<'a>>,
    /// The open questions that occurred.
    open: Vec<Open>,
    one_more: Option<Vec<OneMore>>,
    code: Option<&'a str>,
    link: Option<&'a str>,
}

#[derive(Serialize)]
struct ValueJson<'a> {
    value: u32,
    base: u32,
    bonus: u32,
    counted: u32,
    max_tails: u32,
    /// Of each structure.
    tails: Vec<Vec<u32>>,
    ends: Vec<Vec<GridCell>>,
    /// The lowest and highest value over all answers, if an open question matters.
    between: Option<[u32; 2]>,
    waves: Option<&'a [Vec<ReachedBlock>]>,
}

#[derive(Serialize)]
struct Open {
    rules: Ruleset,
    question: &'static str,
    answer: &'static str,
    other_value: u32,
    mattered: bool,
}

#[derive(Serialize)]
struct OneMore {
    at: GridCell,
    #[serde(flatten)]
    values: Values,
}

impl Answer {
    pub fn json<'a>(&'a self, request: &'a Request, options: &Options) -> Ignited<'a> {
        let both = self.evaluations.as_ref();
        let starts: Option<Vec<GridCell>> =
            both.map(|[mvs, _]| mvs.waves.first().into_iter().flatten().map(|block| block.at).collect());
        let color = starts.iter().flatten().find_map(|at| request.field.get(*at));
        let named = match request.ignition {
            Some(crate::pochi::Ignition::Needle { color, .. }) => color,
            _ => None,
        };
        let open = |(evaluation, open): (&Evaluation, &OpenQuestion)| Open {
            rules: evaluation.ruleset,
            question: open.question.id(),
            answer: request.rules.answer(open.question),
            other_value: open.other_value,
            mattered: open.mattered,
        };
        let open_questions = both
            .into_iter()
            .flatten()
            .flat_map(|evaluation| evaluation.open_questions.iter().map(move |open| (evaluation, open)));
        let more = |(at, values): &(GridCell, Values)| OneMore { at: *at, values: *values };
        Ignited {
            example: request.example.as_ref(),
            build: request.build.as_ref(),
            grid: request.field.to_text().lines().map(str::to_owned).collect(),
            needle_rule: request.rules.needle().id(),
            color: color.or(named.filter(|_| both.is_some())).map(crate::pochi::Color::letter),
            starts,
            mvs: both.map(|[mvs, _]| ValueJson::of(mvs, options.waves)),
            ps2: both.map(|[_, ps2]| ValueJson::of(ps2, options.waves)),
            open: open_questions.map(open).collect(),
            one_more: self.more.as_ref().map(|cells| cells.iter().map(more).collect()),
            code: self.codes.as_ref().map(|[code, _]| code.as_str()),
            link: self.codes.as_ref().map(|[_, link]| link.as_str()),
        }
    }
}

impl<'a> ValueJson<'a> {
    fn of(evaluation: &'a Evaluation, waves: bool) -> Self {
        let structures = || evaluation.structures.iter();
        let mattered = evaluation.open_questions.iter().any(|open| open.mattered);
        Self {
            value: evaluation.value,
            base: evaluation.base,
            bonus: evaluation.bonus,
            counted: evaluation.counted,
            max_tails: evaluation.max_tails,
            tails: structures().map(|one| one.tails.iter().map(|tail| tail.value).collect()).collect(),
            ends: structures().map(|one| one.tails.iter().map(|tail| tail.at).collect()).collect(),
            between: mattered.then_some([evaluation.lowest, evaluation.highest]),
            waves: waves.then_some(&*evaluation.waves),
        }
    }
}
