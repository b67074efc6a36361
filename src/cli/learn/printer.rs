//! Prints what was learned.

use crate::cli::output;
use crate::console::Endian;
use crate::json::Kind;
use crate::research::learn::{Lesson, ListForm, Verdict};
use serde::Serialize;

#[derive(Serialize)]
struct LearnedObject {
    samples: u64,
    frame_counter: Option<CounterObject>,
    deals: u64,
    left_out: u64,
    deal_cell: String,
    signal: String,
    generators: Vec<GeneratorObject>,
    cells: Vec<CellObject>,
    lists: Vec<ListObject>,
    tried: Vec<TriedObject>,
    stopped: bool,
    verdict: &'static str,
    chance: Option<f64>,
    more_deals: Option<u64>,
    candidates: u64,
    /// The simplest rule, as the section of a profile.
    rule: Option<String>,
}

#[derive(Serialize)]
struct CounterObject {
    address: String,
    bytes: u8,
    per_frame: i8,
}

#[derive(Serialize)]
struct GeneratorObject {
    address: String,
    bytes: u8,
    big_endian: bool,
    kind: String,
    improbability_bits: f64,
}

#[derive(Serialize)]
struct CellObject {
    address: String,
    ahead: u64,
    child: bool,
    codes: String,
}

#[derive(Serialize)]
struct ListObject {
    address: String,
    stride: u64,
    reversed: bool,
    form: &'static str,
    /// The pieces of a bag or a queue, or the deals of a list that does not change.
    pieces: u64,
    codes: String,
}

#[derive(Serialize)]
struct TriedObject {
    family: &'static str,
    rules: u64,
}

pub fn print(json: bool, lesson: &Lesson) -> anyhow::Result<()> {
    if json {
        return output::object(Kind::Learn, object(lesson));
    }
    for line in lesson.lines() {
        output::line(format_args!("{}: {}", line.subject, line.text))?;
    }
    lesson.report.rule().map_or(Ok(()), |rule| {
        output::text(&format!(
            "
{rule}"
        ))
    })
}

fn object(lesson: &Lesson) -> LearnedObject {
    let Lesson { series, counter, timed, report } = lesson;
    let (verdict, chance, more) = match report.verdict {
        Verdict::Certain { chance } => ("certain", Some(chance), None),
        Verdict::Several { more } => ("several", None, Some(more as u64)),
        Verdict::Unsure { chance, more } => ("unsure", Some(chance), Some(more as u64)),
        Verdict::None if report.is_list_only() => ("list-only", None, None),
        Verdict::None => ("none", None, None),
    };
    let generators = report.generators.iter().map(|trace| GeneratorObject {
        address: trace.cell.address.to_string(),
        bytes: trace.cell.width,
        big_endian: trace.cell.order == Endian::Big,
        kind: trace.generator.summary(),
        improbability_bits: trace.bits,
    });
    let cells = report.cells.iter().map(|cell| CellObject {
        address: cell.address.to_string(),
        ahead: cell.ahead as u64,
        child: cell.is_child,
        codes: report.codes(&cell.codes),
    });
    let lists = report.lists.iter().map(|list| ListObject {
        address: list.address.to_string(),
        stride: list.stride as u64,
        reversed: list.is_reversed,
        form: match list.form {
            ListForm::Bag { .. } => "bag",
            ListForm::Queue { .. } => "queue",
            ListForm::Fixed { .. } => "fixed",
        },
        pieces: match list.form {
            ListForm::Bag { size: pieces, .. }
            | ListForm::Queue { length: pieces }
            | ListForm::Fixed { deals: pieces } => pieces as u64,
        },
        codes: report.codes(&list.codes),
    });
    let tried = report.tried.iter().map(|(of, tally)| TriedObject { family: of.name(), rules: tally.tried });
    LearnedObject {
        samples: series.len() as u64,
        frame_counter: counter.map(|cell| CounterObject {
            address: cell.address.to_string(),
            bytes: cell.width,
            per_frame: cell.per_frame,
        }),
        deals: timed.observed.dealt.len() as u64,
        left_out: (timed.left_out.0 + timed.left_out.1) as u64,
        deal_cell: timed.cell.to_string(),
        signal: format!("{} {}", timed.signal.address, timed.signal.event),
        generators: generators.collect(),
        cells: cells.collect(),
        lists: lists.collect(),
        tried: tried.collect(),
        stopped: report.was_stopped,
        verdict,
        chance,
        more_deals: more,
        candidates: report.candidates.len() as u64,
        rule: report.rule(),
    }
}
