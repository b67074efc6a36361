//! `stats dr-mario`: all starts of the game, and those that are worth waiting for.

use super::options::{LEVEL, LEVEL_2, levels, parse_state};
use super::starts::frames_between;
use super::{
    BOOT_STATE, Bottle, COLUMNS, Capsule, ID, Levels, PERIOD, RESERVE, Reserve, Round, State, top_row,
};
use crate::json::{Envelope, Kind};
use crate::options::{OptionKind, OptionSpec, OptionValues};
use crate::pairs::Format;
use crate::seeds::text::{grouped, table};
use nextscope_boards::Pair;
use serde::Serialize;
use std::collections::HashSet;

/// Rows of `--rank top`.
const TOP_ROWS: usize = 3;
/// Capsules that are printed of a ranked start.
const FIRST: u32 = 12;

pub(super) const OPTIONS: &[OptionSpec] = &[
    LEVEL,
    LEVEL_2,
    OptionSpec::new(
        "rank",
        OptionKind::Text,
        "Starts worth waiting for, best first: top or top:N for the fewest viruses in the highest 3 or N rows that the level \
        can fill; capsule:YY for the earliest capsule of these colours; drought:YY for its shortest longest drought",
    )
    .value_name("MEASURE"),
    OptionSpec::new(
        "now",
        OptionKind::Text,
        "State on the options screen from which frames are counted [default: 0x8988, after power-on]",
    )
    .value_name("STATE"),
    OptionSpec::new(
        "within",
        OptionKind::Number(1, PERIOD as u32),
        "Only starts that need at most this many frames of waiting",
    )
    .value_name("FRAMES"),
    OptionSpec::new("limit", OptionKind::Number(0, u32::MAX), "Maximum number of starts that --rank prints")
        .value_name("N")
        .default("20"),
];

/// What starts are ranked by; less is better.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Measure {
    /// Viruses in the highest rows that the level can fill.
    Top(usize),
    /// Capsules before the first of these colours, in either order.
    Capsule(Pair),
    /// The longest drought of these colours, in either order.
    Drought(Pair),
}

impl Measure {
    fn parse(text: &str) -> Option<Self> {
        let (name, value) = text.split_once(':').unwrap_or((text, ""));
        let pair = || {
            let pair = Pair::from_text(value)?;
            Capsule::all().any(|capsule| capsule.pair() == pair).then_some(pair)
        };
        match name {
            "top" if value.is_empty() => Some(Self::Top(TOP_ROWS)),
            "top" => value.parse().ok().filter(|rows| (1..=16).contains(rows)).map(Self::Top),
            "capsule" => pair().map(Self::Capsule),
            "drought" => pair().map(Self::Drought),
            _ => None,
        }
    }

    /// The value of a start; None for a capsule that it never deals.
    fn value(self, state: State, levels: Levels) -> Option<u32> {
        let numbers = |pair: Pair| {
            let (reserve, _) = Reserve::new(state);
            let other = Pair { axis: pair.child, child: pair.axis };
            let alike = move |capsule: &Capsule| [pair, other].contains(&capsule.pair());
            reserve
                .falling()
                .enumerate()
                .filter(|(_, capsule)| alike(capsule))
                .map(|(number, _)| number)
                .collect::<Vec<_>>()
        };
        match self {
            Self::Top(rows) => {
                let viruses = Round::new(state, levels).viruses;
                let top = |player: usize| {
                    let first = top_row(levels.of(player)) * COLUMNS;
                    let cells = ((1_u128 << (rows * COLUMNS).min(127)) - 1) << first;
                    (viruses.bottles[player].occupied() & cells).count_ones()
                };
                Some(top(0).max(top(1)))
            }
            Self::Capsule(pair) => number(*numbers(pair).first()?),
            Self::Drought(pair) => number(longest_gap(&numbers(pair))?),
        }
    }
}

fn number(number: usize) -> Option<u32> {
    u32::try_from(number).ok()
}

/// The longest drought of a capsule that falls as these numbers, and again after each repetition of the reserve.
fn longest_gap(numbers: &[usize]) -> Option<usize> {
    let (first, last) = (*numbers.first()?, *numbers.last()?);
    let between = numbers.windows(2).map(|two| two[1] - two[0] - 1);
    between.chain([first, RESERVE - 1 - last + first]).max()
}

#[derive(Serialize)]
struct Figures {
    game: &'static str,
    level: u8,
    level_2: Option<u8>,
    starts: u16,
    different_reserves: usize,
    different_bottles: usize,
    virus_frames: VirusFrames,
    capsules: Vec<CapsuleFigures>,
    /// The measure of `--rank`, and the best starts.
    rank: Option<String>,
    count: usize,
    ranked: Vec<Ranked>,
}

/// Frames until all viruses are in their places.
#[derive(Serialize)]
struct VirusFrames {
    least: u16,
    most: u16,
    mean: f64,
}

#[derive(Serialize)]
struct CapsuleFigures {
    capsule: Pair,
    /// Its share of all capsules.
    share: f64,
    /// The most other capsules before one.
    longest_drought: usize,
    /// A start with that drought, and the frames until it.
    state: String,
    frames: u16,
    /// The starts that never deal it.
    never_dealt: usize,
}

#[derive(Serialize)]
struct Ranked {
    frames: u16,
    state: String,
    value: u32,
    next: Vec<Pair>,
}

pub(super) fn run(values: &OptionValues, format: Format) -> Result<String, String> {
    let levels = levels(values);
    let now = values.text("now").map(parse_state).transpose()?.unwrap_or(BOOT_STATE);
    let now = if now.is_reachable() { now } else { now.step() };
    let within = values.number("within").unwrap_or(PERIOD.into());
    let limit = values.number("limit").map_or(usize::MAX, |limit| limit as usize);
    let rank = values.text("rank");
    let measure = rank
        .map(|text| {
            Measure::parse(text).ok_or_else(|| {
                format!("invalid measure {text:?}: expected top, top:1 to top:16, capsule:YR or drought:YR, of the colours Y, R and B")
            })
        })
        .transpose()?;
    let mut ranked = measure.map(|measure| ranked(measure, levels, now, within)).unwrap_or_default();
    let count = ranked.len();
    ranked.truncate(limit);
    let figures = figures(levels, rank, count, ranked);
    Ok(match format {
        Format::Json => Envelope::new(Kind::StatsStarts, figures).text() + "\n",
        Format::Text | Format::Csv if measure.is_some() => rank_text(&figures, now),
        Format::Text | Format::Csv => text(&figures),
    })
}

fn ranked(measure: Measure, levels: Levels, now: State, within: u32) -> Vec<Ranked> {
    let starts = (1..=PERIOD).zip(std::iter::successors(Some(now.step()), |state| Some(state.step())));
    let starts = starts.take_while(|(frames, _)| u32::from(*frames) <= within);
    let value = |(frames, state): (u16, State)| Some((measure.value(state, levels)?, frames, state));
    let mut best: Vec<(u32, u16, State)> = starts.filter_map(value).collect();
    best.sort_by_key(|(value, frames, _)| (*value, *frames));
    let ranked = |(value, frames, state): (u32, u16, State)| {
        let (reserve, _) = Reserve::new(state);
        let next = (0..FIRST).map(|number| reserve.capsule(number).pair()).collect();
        // The number of the capsule, from 1, is what a player counts.
        let value = if matches!(measure, Measure::Capsule(_)) { value + 1 } else { value };
        Ranked { frames, state: state.to_string(), value, next }
    };
    best.into_iter().map(ranked).collect()
}

fn figures(levels: Levels, rank: Option<&str>, count: usize, ranked: Vec<Ranked>) -> Figures {
    let (mut reserves, mut bottles) = (HashSet::new(), HashSet::<[Bottle; 2]>::new());
    let (mut least, mut most, mut all) = (u16::MAX, 0, 0_u32);
    // Of each capsule: how often it falls, its longest drought and where, and the starts without it.
    let mut capsules = [(0_u32, 0, BOOT_STATE, 0); super::NUMBERS as usize];
    for state in BOOT_STATE.orbit() {
        let round = Round::new(state, levels);
        let frames = round.viruses.frames;
        (least, most, all) = (least.min(frames), most.max(frames), all + u32::from(frames));
        let mut numbers: [Vec<usize>; super::NUMBERS as usize] = Default::default();
        for (number, capsule) in round.reserve.falling().enumerate() {
            numbers[usize::from(capsule.0)].push(number);
        }
        for ((dealt, longest, start, never), numbers) in capsules.iter_mut().zip(&numbers) {
            *dealt += u32::try_from(numbers.len()).unwrap_or(0);
            match longest_gap(numbers) {
                Some(gap) if gap > *longest => (*longest, *start) = (gap, state),
                Some(_) => {}
                None => *never += 1,
            }
        }
        reserves.insert(round.reserve);
        bottles.insert(round.viruses.bottles);
    }
    let starts = f64::from(PERIOD);
    #[expect(clippy::cast_precision_loss, reason = "128")]
    let dealt = starts * RESERVE as f64;
    let capsule = |(capsule, (times, longest_drought, start, never_dealt)): (Capsule, _)| CapsuleFigures {
        capsule: capsule.pair(),
        share: f64::from(times) / dealt,
        longest_drought,
        state: State::to_string(&start),
        frames: frames_between(BOOT_STATE, start).unwrap_or(PERIOD),
        never_dealt,
    };
    Figures {
        game: ID.id(),
        level: levels.of(0),
        level_2: matches!(levels, Levels::Two(..)).then(|| levels.of(1)),
        starts: PERIOD,
        different_reserves: reserves.len(),
        different_bottles: bottles.len(),
        virus_frames: VirusFrames { least, most, mean: f64::from(all) / starts },
        capsules: Capsule::all().zip(capsules).map(capsule).collect(),
        rank: rank.map(str::to_owned),
        count,
        ranked,
    }
}

fn text(figures: &Figures) -> String {
    let VirusFrames { least, most, mean } = figures.virus_frames;
    let count = |number: usize| grouped(number as u64);
    let row = |capsule: &CapsuleFigures| {
        vec![
            capsule.capsule.letters(),
            format!("{:.2} %", 100.0 * capsule.share),
            format!("{:15}", capsule.longest_drought),
            capsule.state.clone(),
            format!("{:6}", capsule.frames),
            format!("{:>5}", count(capsule.never_dealt)),
        ]
    };
    let level_2 = figures.level_2.map(|level| format!(" and {level}")).unwrap_or_default();
    format!(
        "starts              {}\ndifferent reserves  {}\ndifferent bottles   {} at level {}{level_2}\n\
        frames of viruses   {least} to {most}, mean {mean:.1}\n\n{}",
        count(figures.starts.into()),
        count(figures.different_reserves),
        count(figures.different_bottles),
        figures.level,
        table(
            &["capsule", "share", "longest drought", "state", "frames", "starts without it"],
            &figures.capsules.iter().map(row).collect::<Vec<_>>()
        )
    )
}

fn rank_text(figures: &Figures, now: State) -> String {
    let row = |start: &Ranked| {
        let next: Vec<String> = start.next.iter().map(|pair| pair.letters()).collect();
        vec![format!("{:5}", start.value), format!("{:6}", start.frames), start.state.clone(), next.join(" ")]
    };
    let rows: Vec<Vec<String>> = figures.ranked.iter().map(row).collect();
    let from = if now == BOOT_STATE { "power-on".into() } else { format!("state {now}") };
    table(&["value", "frames", "state", "capsules"], &rows)
        + &format!(
            "{} of {} starts printed; frames on the options screen after {from}\n",
            figures.ranked.len(),
            grouped(figures.count as u64)
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn droughts_go_on_when_the_reserve_repeats() {
        for (numbers, longest) in
            [(&[0, 64][..], Some(63)), (&[10, 20], Some(117)), (&[127], Some(127)), (&[], None)]
        {
            assert_eq!(longest_gap(numbers), longest, "{numbers:?}");
        }
    }

    #[test]
    fn measures_are_parsed() {
        let yellow = Pair::from_text("YY").unwrap();
        for (text, measure) in [
            ("top", Some(Measure::Top(3))),
            ("top:1", Some(Measure::Top(1))),
            ("capsule:YY", Some(Measure::Capsule(yellow))),
            ("drought:yy", Some(Measure::Drought(yellow))),
            ("top:17", None),
            ("capsule:GG", None),
            ("capsule", None),
            ("best", None),
        ] {
            assert_eq!(Measure::parse(text), measure, "{text}");
        }
    }

    #[test]
    fn ranked_starts_have_the_value_that_they_promise() {
        let levels = Levels::One(20);
        let pair = Pair::from_text("BB").unwrap();
        let first = &ranked(Measure::Capsule(pair), levels, BOOT_STATE, 500)[0];
        assert_eq!((first.value, first.next[0]), (1, pair));
        let top = ranked(Measure::Top(2), levels, State(0x44C4), 300);
        assert!(top.is_sorted_by_key(|start| (start.value, start.frames)) && top.len() == 300);
        let state = State(0x44C4).jump(top[0].frames.into());
        let rows = Round::new(state, levels).viruses.bottles[0].rows();
        let viruses = rows[3..5].concat().chars().filter(|cell| *cell != '.').count();
        assert_eq!(
            (top[0].state.clone(), top[0].value),
            (state.to_string(), u32::try_from(viruses).unwrap())
        );
    }
}
