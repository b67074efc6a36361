//! The answer as text.

use super::answer::{Answer, Options};
use super::grid;
use super::request::Request;
use crate::pochi::{Evaluation, GridCell, Ignition, RuleQuestion, Structure, Values};

impl Answer {
    pub fn text(&self, request: &Request, options: &Options) -> String {
        let mut text = request.introduction.clone();
        match &self.evaluations {
            Some([mvs, ps2]) => {
                text += &format!("{}\n\n", headline(request, mvs));
                text += &field(request, Some(mvs));
                if !mvs.structures.is_empty() {
                    text += &values(mvs, ps2);
                }
                if options.waves {
                    text += &if mvs.waves == ps2.waves {
                        waves("", mvs)
                    } else {
                        [mvs, ps2]
                            .map(|evaluation| waves(&format!("{}, ", evaluation.ruleset), evaluation))
                            .concat()
                    };
                }
                text += &open(request, [mvs, ps2]);
                if let Some(more) = &self.more {
                    for evaluation in [mvs, ps2] {
                        text += &one_more(request, evaluation, more);
                    }
                }
            }
            None => text += &field(request, None),
        }
        if let Some([code, link]) = &self.codes {
            text += &format!("\nCode: {code}\nLink: {link}\n");
        }
        text
    }
}

fn headline(request: &Request, evaluation: &Evaluation) -> String {
    let starts: Vec<GridCell> =
        evaluation.waves.first().into_iter().flatten().map(|block| block.at).collect();
    let list = starts.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let color = starts.first().and_then(|at| request.field.get(*at));
    let subject = match &request.ignition {
        Some(Ignition::Needle { at, color: named }) => {
            let color = named.or(color).map_or(String::new(), |color| format!("{color} "));
            if starts.is_empty() {
                return format!("The {color}needle at {at} ignites no block: value 0.");
            }
            format!("The {color}needle at {at} ignites")
        }
        _ => format!("Ignited, {}:", color.map_or("", |color| color.name())),
    };
    format!("{subject} {list}.")
}

/// The field with the needle and the numbers of the waves, which are the same under both rulesets.
fn field(request: &Request, evaluation: Option<&Evaluation>) -> String {
    let needle = needle(request);
    let wave = |at: GridCell| {
        evaluation
            .and_then(|evaluation| evaluation.wave_of(at))
            .map_or(String::new(), |wave| wave.to_string())
    };
    let mut text = grid::draw(&request.field, |at| {
        if needle == Some(at) {
            "*".to_owned()
        } else if request.supports.contains(&at) {
            "x".to_owned()
        } else {
            grid::letter(&request.field, at) + &wave(at)
        }
    });
    if evaluation.is_some_and(|evaluation| !evaluation.waves.is_empty()) {
        text += "A number is the wave that reaches the block";
        text += if needle.is_some() { "; * is the needle" } else { "" };
        text += if request.supports.is_empty() { "" } else { "; x needs a block of another colour" };
        text += ".\n";
    }
    text
}

fn needle(request: &Request) -> Option<GridCell> {
    match request.ignition {
        Some(Ignition::Needle { at, .. }) => Some(at),
        _ => None,
    }
}

/// Both values, their calculation, and the tails.
fn values(mvs: &Evaluation, ps2: &Evaluation) -> String {
    let row = |name: &str, number: fn(&Evaluation) -> u32| {
        vec![name.to_owned(), number(mvs).to_string(), number(ps2).to_string()]
    };
    let rows = [
        row("value", |evaluation| evaluation.value),
        row("counted tails", |evaluation| evaluation.base),
        row("bonus", |evaluation| evaluation.bonus),
        row("most tails of a structure", |evaluation| evaluation.max_tails),
    ];
    let mut text = "\n".to_owned() + &crate::text::table(&["", "MVS", "PS2"], &rows) + "\n";
    for evaluation in [mvs, ps2] {
        let bonus = evaluation.describe_bonus().map_or(String::new(), |bonus| format!("; {bonus}"));
        text +=
            &format!("{} {}: {}{bonus}\n", evaluation.ruleset, evaluation.value, evaluation.describe_sum());
    }
    let [of_mvs, of_ps2] = [mvs, ps2].map(tails);
    if of_mvs == of_ps2 {
        return text + &format!("Tails, under both rules: {of_mvs}\n");
    }
    text + &format!("Tails, MVS: {of_mvs}\nTails, PS2: {of_ps2}\n")
}

/// Every tail with its value and its end.
fn tails(evaluation: &Evaluation) -> String {
    let list = |structure: &Structure| {
        structure
            .tails
            .iter()
            .map(|tail| format!("{} at {}", tail.value, tail.at))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let several = evaluation.structures.len() > 1;
    let structures = evaluation.structures.iter().map(|structure| {
        let starts = structure.starts.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ");
        if several { format!("from {starts}: {}", list(structure)) } else { list(structure) }
    });
    structures.collect::<Vec<_>>().join("; ")
}

fn waves(prefix: &str, evaluation: &Evaluation) -> String {
    let several = evaluation.structures.len() > 1;
    let mut text = String::new();
    for (nth, wave) in evaluation.waves.iter().enumerate() {
        let blocks = wave.iter().map(|block| {
            let from = block.from.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ");
            let from = if from.is_empty() { from } else { format!(" from {from}") };
            let structure =
                if several { format!(" (structure {})", block.structure + 1) } else { String::new() };
            format!("{}{from}{structure}", block.at)
        });
        text += &format!("{prefix}wave {}: {}\n", nth + 1, blocks.collect::<Vec<_>>().join("; "));
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

/// The open questions that matter under either ruleset.
fn open(request: &Request, both: [&Evaluation; 2]) -> String {
    let mut text = String::new();
    for question in RuleQuestion::ALL {
        let opened = both.into_iter().filter_map(|evaluation| {
            let open =
                evaluation.open_questions.iter().find(|open| open.question == question && open.mattered)?;
            let same = if open.other_value == evaluation.value { ", by other tails" } else { "" };
            Some(format!("{} {}{same}", evaluation.ruleset, open.other_value))
        });
        let values = opened.collect::<Vec<_>>().join(", and ");
        if !values.is_empty() {
            let choice = request.rules.choice(question);
            let (taken, other) =
                (request.rules.answer(question), question.answers()[choice.other() as usize]);
            let open = if question.is_open() { "Open" } else { "Confirmed by the document" };
            text += &format!(
                "\n{open}: {} Assumed: {taken}. With --answer {}={other} the value is {values}.\n",
                question.text(),
                question.id()
            );
        }
    }
    for evaluation in both.into_iter().filter(|evaluation| evaluation.lowest < evaluation.highest) {
        let range = format!("{} to {}", evaluation.lowest, evaluation.highest);
        text += &format!("Over all answers, the {} value is {range}.\n", evaluation.ruleset);
    }
    text
}

/// The field with the change of the value by one more block, in each empty cell.
fn one_more(request: &Request, evaluation: &Evaluation, more: &[(GridCell, Values)]) -> String {
    let ruleset = evaluation.ruleset;
    let drawn = grid::draw(&request.field, |at| {
        let change = more
            .iter()
            .find(|(place, _)| *place == at)
            .map(|(_, values)| i64::from(values.under(ruleset)) - i64::from(evaluation.value));
        match change {
            Some(0) => "0".to_owned(),
            Some(change) => format!("{change:+}"),
            None if needle(request) == Some(at) => "*".to_owned(),
            None => grid::letter(&request.field, at),
        }
    });
    format!("\nChange by one more block of that colour, {ruleset}:\n{drawn}")
}
