//! Prints what was learned.

use crate::cli::output;
use crate::console::Endian;
use crate::json::Kind;
use crate::research::learn::{Event, Family, Lesson, ListForm, Opening, Report, Verdict};
use serde::Serialize;

#[derive(Serialize)]
struct LearnObject {
    samples: u64,
    frame_counter: Option<CounterObject>,
    deals: DealsObject,
    generators: Vec<GeneratorObject>,
    cells: Vec<CellObject>,
    lists: Vec<ListObject>,
    tried: Vec<TriedObject>,
    stopped: bool,
    verdict: &'static str,
    chance: Option<f64>,
    more_deals: Option<u64>,
    candidates: u64,
    opening: &'static str,
    in_ram: bool,
    rule: Option<String>,
}

#[derive(Serialize)]
struct CounterObject {
    address: String,
    bytes: u8,
    per_frame: i8,
}

#[derive(Serialize)]
struct DealsObject {
    count: u64,
    left_out: u64,
    other_games: u64,
    address: String,
    signal: SignalObject,
}

#[derive(Serialize)]
struct SignalObject {
    address: String,
    event: &'static str,
    value: Option<u8>,
}

#[derive(Serialize)]
struct GeneratorObject {
    address: String,
    bytes: u8,
    byte_order: &'static str,
    generator: String,
    improbability_bits: f64,
}

#[derive(Serialize)]
struct CellObject {
    address: String,
    ahead: u64,
    child: bool,
    codes: Vec<CodeObject>,
}

#[derive(Serialize)]
struct ListObject {
    address: String,
    form: &'static str,
    /// Of a bag or a queue; or the deals of a list that does not change.
    length: u64,
    stride: u64,
    reversed: bool,
    codes: Vec<CodeObject>,
}

#[derive(Serialize)]
struct CodeObject {
    symbol: char,
    code: String,
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
    output::text(&lesson.text())
}

const fn family(family: Family) -> &'static str {
    match family {
        Family::Direct => "direct",
        Family::Table => "table",
        Family::History => "history",
        Family::Bag => "bag",
        Family::DroughtPool => "drought-pool",
        Family::List => "list",
        Family::Pool => "pool",
    }
}

fn codes(report: &Report, codes: &[(u8, u8)]) -> Vec<CodeObject> {
    let letter = |kind: u8| report.kinds.get(usize::from(kind)).map_or('?', |kind| kind.letter());
    let object = |(kind, code): &(u8, u8)| CodeObject { symbol: letter(*kind), code: format!("{code:02X}") };
    codes.iter().map(object).collect()
}

fn object(lesson: &Lesson) -> LearnObject {
    let Lesson { series, counter, timed, other_games, report } = lesson;
    let (verdict, chance, more) = match report.verdict {
        Verdict::Certain { chance } => ("certain", Some(chance), None),
        Verdict::Several { more } => ("several", None, Some(more as u64)),
        Verdict::Unsure { chance, more } => ("unsure", Some(chance), Some(more as u64)),
        Verdict::ByChance { more } => ("by-chance", None, Some(more as u64)),
        Verdict::None => ("none", None, None),
    };
    let (event, value) = match timed.signal.event {
        Event::Changes => ("changes", None),
        Event::Gets(value) => ("gets", Some(value)),
        Event::Leaves(value) => ("leaves", Some(value)),
    };
    let generators = report.generators.iter().map(|trace| GeneratorObject {
        address: trace.cell.address.to_string(),
        bytes: trace.cell.width,
        byte_order: if trace.cell.order == Endian::Big { "big" } else { "little" },
        generator: trace.generator.summary(),
        improbability_bits: trace.bits,
    });
    let cells = report.cells.iter().map(|cell| CellObject {
        address: cell.address.to_string(),
        ahead: cell.ahead as u64,
        child: cell.is_child,
        codes: codes(report, &cell.codes),
    });
    let lists = report.lists.iter().map(|list| {
        let (form, length) = match &list.form {
            ListForm::Bag { size, .. } => ("bag", *size),
            ListForm::Queue { length, .. } => ("queue", *length),
            ListForm::Fixed { deals, .. } => ("fixed", *deals),
        };
        ListObject {
            address: list.address.to_string(),
            form,
            length: length as u64,
            stride: list.stride as u64,
            reversed: list.is_reversed,
            codes: codes(report, &list.codes),
        }
    });
    let tried =
        report.tried.iter().map(|(of, tally)| TriedObject { family: family(*of), rules: tally.tried });
    LearnObject {
        samples: series.len() as u64,
        frame_counter: counter.map(|cell| CounterObject {
            address: cell.address.to_string(),
            bytes: cell.width,
            per_frame: cell.per_frame,
        }),
        deals: DealsObject {
            count: timed.observed.dealt.len() as u64,
            left_out: (timed.left_out.0 + timed.left_out.1) as u64,
            other_games: *other_games as u64,
            address: timed.cell.to_string(),
            signal: SignalObject { address: timed.signal.address.to_string(), event, value },
        },
        generators: generators.collect(),
        cells: cells.collect(),
        lists: lists.collect(),
        tried: tried.collect(),
        stopped: report.was_stopped,
        verdict,
        chance,
        more_deals: more,
        candidates: report.candidates.len() as u64,
        opening: match report.opening {
            Opening::NotSeen => "not-seen",
            Opening::Explained => "explained",
            Opening::Unexplained => "unexplained",
        },
        in_ram: report.is_list_only(),
        rule: report.rule(),
    }
}
