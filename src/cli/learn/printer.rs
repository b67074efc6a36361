//! Prints what was learned.

use super::Learned;
use crate::cli::output;
use crate::console::Endian;
use crate::json::Kind;
use crate::research::learn::{Event, Family, ListForm, PieceCell, PieceList, StateCell, Verdict};
use crate::text::counted;
use serde::Serialize;

/// Cells and lists that are printed, at most.
const MOST: usize = 12;

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

pub fn print(json: bool, learned: &Learned) -> anyhow::Result<()> {
    if json { output::object(Kind::Learn, object(learned)) } else { text(learned) }
}

fn family(family: Family) -> &'static str {
    match family {
        Family::Direct => "direct",
        Family::Table => "direct by a table",
        Family::History => "history",
        Family::Bag => "bag",
        Family::DroughtPool => "drought-pool",
        Family::List => "list made at the start",
        Family::Pool => "pool made at the start",
    }
}

fn event(event: Event) -> String {
    match event {
        Event::Changes => "changes".into(),
        Event::Gets(value) => format!("gets 0x{value:02X}"),
        Event::Leaves(value) => format!("no longer has 0x{value:02X}"),
    }
}

impl Learned {
    fn codes(&self, codes: &[(u8, u8)]) -> String {
        let letter = |kind: u8| self.report.kinds.get(usize::from(kind)).map_or('?', |kind| kind.letter());
        let codes: Vec<String> =
            codes.iter().map(|(kind, code)| format!("{}={code}", letter(*kind))).collect();
        codes.join(" ")
    }

    fn rule(&self) -> Option<String> {
        self.report.candidates.first().map(|best| best.fit.randomizer.to_toml())
    }
}

fn state(cell: StateCell) -> String {
    let order = match (cell.width, cell.order) {
        (1, _) => "",
        (_, Endian::Big) => ", highest first",
        (_, Endian::Little) => ", lowest first",
    };
    format!("{}, {}{order}", cell.address, counted(cell.width.into(), "byte"))
}

fn place(cell: &PieceCell) -> String {
    let half = if cell.is_child { ", child" } else { "" };
    match cell.ahead {
        0 => format!("in play{half}"),
        1 => format!("next{half}"),
        ahead => format!("{ahead} ahead{half}"),
    }
}

fn form(list: &PieceList) -> String {
    let stride = if list.stride == 1 { String::new() } else { format!(", every {} bytes", list.stride) };
    let reversed = if list.is_reversed { ", dealt from its end" } else { "" };
    let form = match list.form {
        ListForm::Bag { size, .. } => format!("bag of {size}"),
        ListForm::Queue { length } => format!("queue of at least {length}"),
        ListForm::Fixed { deals } => format!("list of all {deals} deals"),
    };
    format!("{form}{stride}{reversed}")
}

fn text(learned: &Learned) -> anyhow::Result<()> {
    let Learned { series, counter, timed, report } = learned;
    let samples = counted(series.len() as u64, "sample");
    output::line(format_args!("{samples} of {}", counted(series.size() as u64, "byte")))?;
    match counter {
        Some(cell) => output::line(format_args!(
            "Frame counter: {}, {}, {:+} per frame; moved in {} of {samples}",
            cell.address,
            counted(cell.width.into(), "byte"),
            cell.per_frame,
            cell.moves
        ))?,
        None => output::line("Frame counter: none found")?,
    }
    let deals = counted(timed.observed.dealt.len() as u64, "deal");
    let left_out = match timed.left_out.0 + timed.left_out.1 {
        0 => String::new(),
        left_out => format!(" ({left_out} more at the ends, whose time is not known)"),
    };
    output::line(format_args!("Deals: {deals}{left_out}; the cell at {} has them", timed.cell))?;
    output::line(format_args!(
        "Time of a deal: the cell at {} {}; {} with it",
        timed.signal.address,
        event(timed.signal.event),
        counted(timed.signal.agreeing as u64, "cell")
    ))?;
    if report.generators.is_empty() {
        output::line("Generator: none found that moves in RAM")?;
    }
    let mut shown: Vec<StateCell> = Vec::new();
    for trace in &report.generators {
        if shown.contains(&trace.cell) || shown.len() == MOST {
            continue;
        }
        shown.push(trace.cell);
        let alike = report.generators.iter().filter(|other| other.cell == trace.cell).count() - 1;
        let alike = if alike > 0 { format!(" ({alike} others fit as well)") } else { String::new() };
        let (kind, state, bits) = (trace.generator.summary(), state(trace.cell), trace.bits);
        output::line(format_args!(
            "Generator: {kind}{alike}; state at {state}; improbability {bits:.0} bits"
        ))?;
    }
    for cell in report.cells.iter().take(MOST) {
        let codes = learned.codes(&cell.codes);
        output::line(format_args!("Piece in RAM: {} {}; {codes}", cell.address, place(cell)))?;
    }
    for list in report.lists.iter().take(MOST) {
        let codes = learned.codes(&list.codes);
        output::line(format_args!("List in RAM: {}, {}; {codes}", list.address, form(list)))?;
    }
    let tried: Vec<String> = report
        .tried
        .iter()
        .filter(|(_, tally)| tally.tried > 0)
        .map(|(of, tally)| format!("{} {}", tally.tried, family(*of)))
        .collect();
    let tried = if tried.is_empty() { "none".to_owned() } else { tried.join(", ") };
    output::line(format_args!("Rules tried: {tried}"))?;
    if report.was_stopped {
        output::line("The search was stopped; it is not complete.")?;
    }
    let left = report.candidates.len();
    match report.verdict {
        Verdict::Certain { chance } => output::line(format_args!(
            "Rule: certain; the chance that a wrong one explains as much is {chance:.0e}"
        ))?,
        Verdict::Several { more } => output::line(format_args!(
            "Rule: {left} explain every deal; about {} separate most of them",
            counted(more as u64, "more deal")
        ))?,
        Verdict::Unsure { chance, more } => output::line(format_args!(
            "Rule: not sure; by chance a wrong one explains as much in {chance:.0e} of all cases; about {} settle it",
            counted(more as u64, "more deal")
        ))?,
        Verdict::None if report.is_list_only() => output::line(
            "Rule: none of those tried explains the deals, so that a seed cannot be found; but the pieces to come are in RAM",
        )?,
        Verdict::None => output::line("Rule: none of those tried explains the deals")?,
    }
    learned.rule().map_or(Ok(()), |rule| output::text(&format!("\n{rule}")))
}

fn object(learned: &Learned) -> LearnedObject {
    let Learned { series, counter, timed, report } = learned;
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
        codes: learned.codes(&cell.codes),
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
        codes: learned.codes(&list.codes),
    });
    let tried =
        report.tried.iter().map(|(of, tally)| TriedObject { family: family(*of), rules: tally.tried });
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
        signal: format!("{} {}", timed.signal.address, event(timed.signal.event)),
        generators: generators.collect(),
        cells: cells.collect(),
        lists: lists.collect(),
        tried: tried.collect(),
        stopped: report.was_stopped,
        verdict,
        chance,
        more_deals: more,
        candidates: report.candidates.len() as u64,
        rule: learned.rule(),
    }
}
