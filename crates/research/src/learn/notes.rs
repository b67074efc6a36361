//! When each deal was made, from what a player noted.
//!
//! A player notes each piece some time while it is in play, or only the order in which the pieces came. A cell of RAM that has the code
//! of each deal says more exactly when: it changes, unless a deal is of the same kind as the one before. For those another cell tells,
//! the *signal*: it changes, or gets or leaves a value, once for every deal, always the same few frames before or after the cell.
//!
//! | known of each deal | cells that are tried |
//! |---|---|
//! | its kind and a sample in which it was in play | those that have a code for each kind in these samples |
//! | its kind | those whose values, one after the other, are a code for each kind |
//! | a cell, and the codes of the kinds | this one |

use super::observed::{LEAST, Observations, ObservedDeal};
use super::series::Series;
use crate::source::Address;
use nextscope_games::games::declared::{Deals, Symbol};
use nextscope_task::Progress;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Deals ahead of the one in play that a cell may have, at most.
const AHEAD_MOST: usize = 6;
/// Samples between a cell and a signal, at most.
const APART_MOST: isize = 4;
/// Improbability from which on a cell is no coincidence, in bits, besides those of the number of cells.
const BITS_LEAST: f64 = 20.0;
/// Cells for which a signal is searched, at most: pieces on the screen are in RAM many times.
const CELLS_MOST: usize = 64;
/// Missing deals that are counted.
const MISSING_MOST: usize = 100;
/// What a cell has for fewer samples than this is not a piece: games clear the cell for some frames between two pieces.
const SHORTEST: usize = 8;
/// A pause between two deals is at least so many times as long as half of them are apart.
const PAUSE: usize = 6;

/// A deal as a player noted it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Noted {
    /// The piece, or the axis of a pair: an index in the kinds.
    pub kind: u8,
    /// The child of a pair; not used for pieces.
    pub child: u8,
    /// A sample in which it was in play, if known.
    pub sample: Option<usize>,
}

/// The deals as a player noted them, in order, without a gap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notes {
    /// What is dealt.
    pub deals: Deals,
    /// The kinds, 2 to 16.
    pub kinds: Vec<Symbol>,
    /// The deals. With a known cell they may be left out.
    pub noted: Vec<Noted>,
    /// A cell that has the codes of the deals, and the code of each kind, if they are known.
    pub cell: Option<(Address, Vec<u8>)>,
    /// Whether the first one is the first of a game.
    pub from_start: bool,
}

/// What tells of a deal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Event {
    /// The cell changes.
    Changes,
    /// It gets this value.
    Gets(u8),
    /// It has this value no longer.
    Leaves(u8),
}

/// A cell that tells of every deal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signal {
    /// Its address.
    pub address: Address,
    /// What tells of a deal.
    pub event: Event,
    /// Cells that tell of the same samples, with this one.
    pub agreeing: usize,
}

/// The deals and their samples, and how these were found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Timed {
    /// The deals.
    pub observed: Observations,
    /// The cell that has their codes.
    pub cell: Address,
    /// How many deals ahead of the one noted it is.
    pub ahead: usize,
    /// What told of deals of the same kind as the one before.
    pub signal: Signal,
    /// Deals at the beginning and at the end whose samples are not known, and that are left out.
    pub left_out: (usize, usize),
}

/// Why it is not known when the deals were made.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum NotesError {
    #[error("{noted} deals are too few to tell their cell in RAM from chance; go on until there are {least}")]
    TooFew { noted: usize, least: usize },
    #[error("the deals are not in the order of the samples: deal {0} is not after the one before it")]
    Order(usize),
    #[error("address {0} is not in this memory")]
    Outside(Address),
    #[error("the cell at {0} has none of the codes for {SHORTEST} samples or longer")]
    NoCodes(Address),
    #[error(
        "no byte of RAM has a code for each kind of the {noted} deals noted; check that none is left out or wrong, \
         and that the whole recording is of one game"
    )]
    NoCell { noted: usize },
    #[error(
        "the cell at {cell} has the deals, but nothing in RAM tells when a deal is of the same kind as the one before; \
         check that none is left out or noted twice"
    )]
    NoSignal { cell: Address },
}

/// Successive deals of one kind, as a cell has them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
    /// The sample in which the cell gets their code; None if it had it before the first sample.
    start: Option<usize>,
    /// How many they are, if known.
    deals: Option<usize>,
    kind: u8,
}

/// A cell that has the deals.
#[derive(Clone, PartialEq, Debug)]
struct DealCell {
    offset: usize,
    ahead: usize,
    runs: Vec<Run>,
    /// The sample after the last one that has the code of the last run.
    end: usize,
    /// The code of each kind; none if that of one kind is not known.
    codes: Vec<u8>,
    /// Whether it changes for nothing else.
    is_quiet: bool,
}

/// The sample and the kind of each deal.
type Moments = Vec<(usize, u8)>;

/// Codes of kinds, one to one.
#[derive(Default)]
struct Codes {
    of_kind: BTreeMap<u8, u8>,
    of_code: BTreeMap<u8, u8>,
}

impl Codes {
    /// The code of each kind; none if that of one is not known.
    fn list(&self, kinds: usize) -> Vec<u8> {
        let codes: Vec<u8> = self.of_kind.values().copied().collect();
        if codes.len() == kinds { codes } else { Vec::new() }
    }

    fn agree(&mut self, code: u8, kind: u8) -> bool {
        *self.of_kind.entry(kind).or_insert(code) == code && *self.of_code.entry(code).or_insert(kind) == kind
    }
}

impl Notes {
    /// How many units a deal has.
    const fn group(&self) -> usize {
        match self.deals {
            Deals::Pieces => 1,
            Deals::Pairs => 2,
        }
    }

    /// The kinds of one half of all deals, from deal `ahead` on.
    fn half(&self, half: usize, ahead: usize) -> Vec<u8> {
        let unit = |noted: &Noted| if half == 0 { noted.kind } else { noted.child };
        self.noted.iter().skip(ahead).map(unit).collect()
    }

    /// Finds when each deal was made. A stopped search finds nothing.
    ///
    /// # Errors
    /// [`NotesError`].
    pub fn locate(&self, series: &Series, progress: &Progress) -> Result<Timed, NotesError> {
        let cells = match &self.cell {
            Some((address, codes)) => vec![self.known_cell(series, *address, codes)?],
            None => {
                let timed = self.cells(series, progress)?;
                // A player who was late once, so that the next piece was in play already, still noted the right order.
                if timed.is_empty() && self.is_timed() {
                    self.without_samples().cells(series, progress)?
                } else {
                    timed
                }
            }
        };
        let Some(first) = cells.first() else { return Err(NotesError::NoCell { noted: self.noted.len() }) };
        let no_signal = NotesError::NoSignal { cell: series.address(first.offset) };
        let signals = cells.into_iter().filter_map(|cell| {
            let (signal, moments) = signal(series, &cell, progress)?;
            Some((cell, signal, moments))
        });
        // Without times, the cells of the pieces shown next have the same pieces earlier: the one in play is the last one.
        let best = signals.max_by_key(|(cell, signal, moments)| {
            let latest = if self.is_timed() { 0 } else { moments.first().map_or(0, |(sample, _)| *sample) };
            (latest, cell.is_quiet, signal.agreeing, usize::MAX - cell.ahead)
        });
        let (cell, signal, moments) = best.ok_or(no_signal)?;
        Ok(self.timed(series, &cell, signal, &moments))
    }

    /// The longest run of deals without a pause, enough to learn from; None if it is all of them, or if it is not known when each was in
    /// play. After a pause another game may have begun.
    pub(super) fn longest_run(&self) -> Option<Range<usize>> {
        let samples: Option<Vec<usize>> = self.noted.iter().map(|noted| noted.sample).collect();
        let samples = samples?;
        let mut apart: Vec<usize> = samples.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
        apart.sort_unstable();
        let pause = PAUSE * apart.get(apart.len() / 2)?;
        let mut next = 0;
        let runs = samples.chunk_by(|one, other| other.saturating_sub(*one) < pause).map(|run| {
            next += run.len();
            next - run.len()..next
        });
        let longest = runs.reduce(|longest, run| if run.len() > longest.len() { run } else { longest })?;
        (LEAST..samples.len()).contains(&longest.len()).then_some(longest)
    }

    /// Some of the deals.
    pub(super) fn part(&self, deals: Range<usize>) -> Self {
        let from_start = self.from_start && deals.start == 0;
        let noted = self.noted.get(deals).unwrap_or_default().to_vec();
        Self { noted, from_start, ..self.clone() }
    }

    fn without_samples(&self) -> Self {
        let noted = self.noted.iter().map(|noted| Noted { sample: None, ..*noted });
        Self { noted: noted.collect(), ..self.clone() }
    }

    fn is_timed(&self) -> bool {
        !self.noted.is_empty() && self.noted.iter().all(|noted| noted.sample.is_some())
    }

    fn timed(&self, series: &Series, cell: &DealCell, signal: Signal, moments: &[(usize, u8)]) -> Timed {
        let is_first_lost = cell.runs.first().is_some_and(|run| run.start.is_none());
        let lost = if is_first_lost { cell.runs[0].deals.unwrap_or(0) } else { 0 };
        let dealt: Vec<ObservedDeal> = moments
            .iter()
            .enumerate()
            .map(|(nth, (sample, kind))| match self.noted.get(lost + nth) {
                Some(noted) => ObservedDeal { sample: *sample, kind: noted.kind, child: noted.child },
                None => ObservedDeal { sample: *sample, kind: *kind, child: 0 },
            })
            .collect();
        let end = self.noted.len().saturating_sub(lost + dealt.len());
        let observed = Observations {
            deals: self.deals,
            kinds: self.kinds.clone(),
            codes: cell.codes.clone(),
            dealt,
            from_start: self.from_start && lost == 0,
        };
        let (address, ahead) = (series.address(cell.offset), cell.ahead);
        Timed { observed, cell: address, ahead, signal, left_out: (lost, end) }
    }

    /// The cells that have the noted deals, the best first.
    fn cells(&self, series: &Series, progress: &Progress) -> Result<Vec<DealCell>, NotesError> {
        let noted = self.noted.len();
        if noted < LEAST {
            return Err(NotesError::TooFew { noted, least: LEAST });
        }
        let samples: Vec<usize> = self.noted.iter().filter_map(|noted| noted.sample).collect();
        let is_timed = samples.len() == noted;
        if let Some(late) = samples.windows(2).position(|pair| pair[0] >= pair[1]).filter(|_| is_timed) {
            return Err(NotesError::Order(late + 2));
        }
        let moving: Vec<usize> = series.moving().collect();
        let aheads = if is_timed { AHEAD_MOST } else { 0 };
        let tries = moving.len() * (aheads + 1) * self.group();
        let bits = BITS_LEAST + f64::from(u32::try_from(tries).unwrap_or(u32::MAX)).log2();
        let missing = self.missing(is_timed, bits);
        if missing > 0 {
            return Err(NotesError::TooFew { noted, least: noted + missing });
        }
        let found = moving.par_iter().take_any_while(|_| !progress.is_over()).flat_map_iter(|offset| {
            let halves = (0..=aheads).flat_map(|ahead| (0..self.group()).map(move |half| (ahead, half)));
            let cell = |(ahead, half)| {
                let kinds = self.half(half, ahead);
                if is_timed {
                    timed_cell(series, *offset, &kinds, &samples, ahead, bits, self.kinds.len())
                } else {
                    untimed_cell(series, *offset, &kinds, bits, self.kinds.len())
                }
            };
            halves.filter_map(cell).collect::<Vec<_>>()
        });
        let mut found: Vec<DealCell> = found.collect();
        found.sort_by_key(|cell| (!cell.is_quiet, cell.ahead, cell.offset));
        found.truncate(CELLS_MOST);
        Ok(found)
    }

    /// The deals that are missing for such an improbability.
    fn missing(&self, is_timed: bool, bits: f64) -> usize {
        let kinds = self.half(0, 0);
        let distinct = kinds.iter().collect::<BTreeSet<_>>().len();
        let told = if is_timed { kinds.len() } else { grouped(&kinds).len() };
        let known = improbability(told, self.kinds.len(), distinct);
        (0..=MISSING_MOST)
            .find(|more| known + improbability(*more, self.kinds.len(), 0) >= bits)
            .unwrap_or(MISSING_MOST)
    }

    /// The deals of a known cell.
    fn known_cell(&self, series: &Series, address: Address, codes: &[u8]) -> Result<DealCell, NotesError> {
        let offset = series.offset(address).ok_or(NotesError::Outside(address))?;
        let kind = |code: u8| (0..).zip(codes).find(|(_, known)| **known == code).map(|(kind, _)| kind);
        let mut runs: Vec<Run> = Vec::new();
        for (start, code) in lasting(&values(series, offset), series.len()) {
            let Some(kind) = kind(code) else { continue };
            // After a break with the same code it is not known whether it is the same deal: the signal tells.
            if runs.last().is_none_or(|last| last.kind != kind) {
                runs.push(Run { start: Some(start).filter(|start| *start > 0), deals: None, kind });
            }
        }
        if runs.is_empty() {
            return Err(NotesError::NoCodes(address));
        }
        if !self.noted.is_empty() {
            let kinds: Vec<u8> = self.half(0, 0);
            let wanted = grouped(&kinds);
            let at = (0..runs.len()).find(|at| {
                let agree = |(run, (kind, _)): (&Run, &(u8, usize))| run.kind == *kind;
                runs.len() - at >= wanted.len() && runs[*at..].iter().zip(&wanted).all(agree)
            });
            let at = at.ok_or(NotesError::NoCell { noted: self.noted.len() })?;
            runs = runs[at..]
                .iter()
                .zip(&wanted)
                .map(|(run, (_, deals))| Run { deals: Some(*deals), ..*run })
                .collect();
        }
        // What comes after the last code may be a piece that did not last long enough to be known.
        let last = runs.last().and_then(|run| codes.get(usize::from(run.kind)));
        let values = values(series, offset);
        let with_last = values.iter().rposition(|(_, code)| Some(code) == last);
        let next = with_last.and_then(|at| values.get(at + 1));
        let end = next.map_or(series.len(), |(start, _)| *start);
        Ok(DealCell { offset, ahead: 0, runs, end, codes: codes.to_vec(), is_quiet: true })
    }
}

/// Successive kinds that are equal: the kind, and how many.
fn grouped(kinds: &[u8]) -> Vec<(u8, usize)> {
    kinds.chunk_by(|one, other| one == other).map(|run| (run[0], run.len())).collect()
}

/// The values of a byte, and from which sample on it has each.
fn values(series: &Series, offset: usize) -> Vec<(usize, u8)> {
    let first = (0, series.byte(offset, 0));
    std::iter::once(first)
        .chain(series.changes(offset).map(|(sample, value)| (sample as usize, value)))
        .collect()
}

/// The values that last, without the short ones between them.
fn lasting(values: &[(usize, u8)], samples: usize) -> Vec<(usize, u8)> {
    let ends = values.iter().skip(1).map(|(start, _)| *start).chain([samples]);
    let long = values.iter().zip(ends).filter(|((start, _), end)| end - start >= SHORTEST);
    long.map(|(value, _)| *value).collect()
}

/// How improbable it is by chance that a cell has a code for each kind.
fn improbability(units: usize, kinds: usize, distinct: usize) -> f64 {
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    number(units.saturating_sub(distinct)) * number(kinds).log2()
}

fn timed_cell(
    series: &Series,
    offset: usize,
    kinds: &[u8],
    samples: &[usize],
    ahead: usize,
    bits: f64,
    all_kinds: usize,
) -> Option<DealCell> {
    let mut codes = Codes::default();
    let agree =
        samples.iter().zip(kinds).all(|(sample, kind)| codes.agree(series.byte(offset, *sample), *kind));
    if !agree || improbability(kinds.len(), all_kinds, codes.of_kind.len()) < bits {
        return None;
    }
    let values = values(series, offset);
    let mut deal = 0_usize;
    let mut runs = Vec::new();
    for (kind, deals) in grouped(kinds) {
        let from = deal.checked_sub(1).map_or(0, |before| samples[before] + 1);
        let until = samples[deal];
        let code = codes.of_kind[&kind];
        let at = values.partition_point(|(start, _)| *start < from);
        let mut within = values[at..].iter().take_while(|(start, _)| *start <= until);
        let start = if deal == 0 {
            // Nothing says from when on the first one may be: what the cell has without a break.
            values[..values.partition_point(|(start, _)| *start <= until)].last().map(|(start, _)| *start)
        } else {
            within.find(|(_, value)| *value == code).map(|(start, _)| *start)
        };
        runs.push(Run { start: start.filter(|start| *start > 0), deals: Some(deals), kind });
        deal += deals;
    }
    let is_known = runs.iter().skip(1).all(|run| run.start.is_some());
    let is_quiet = series.moves(offset) <= samples.len() + 2;
    is_known.then_some(DealCell {
        offset,
        ahead,
        runs,
        end: series.len(),
        codes: codes.list(all_kinds),
        is_quiet,
    })
}

fn untimed_cell(
    series: &Series,
    offset: usize,
    kinds: &[u8],
    bits: f64,
    all_kinds: usize,
) -> Option<DealCell> {
    let wanted = grouped(kinds);
    let values = values(series, offset);
    if values.len() < wanted.len() {
        return None;
    }
    let mut lasting = lasting(&values, series.len());
    lasting.dedup_by_key(|(_, value)| *value);
    for values in [values, lasting] {
        for first in 0..(values.len() + 1).saturating_sub(wanted.len()) {
            let mut codes = Codes::default();
            let here = &values[first..first + wanted.len()];
            let agree = here.iter().zip(&wanted).all(|((_, code), (kind, _))| codes.agree(*code, *kind));
            if !agree || improbability(wanted.len(), all_kinds, codes.of_kind.len()) < bits {
                continue;
            }
            let run = |((start, _), (kind, deals)): (&(usize, u8), &(u8, usize))| Run {
                start: Some(*start).filter(|start| *start > 0),
                deals: Some(*deals),
                kind: *kind,
            };
            let runs = here.iter().zip(&wanted).map(run).collect();
            let is_quiet = series.moves(offset) <= kinds.len() + 2;
            let codes = codes.list(all_kinds);
            return Some(DealCell { offset, ahead: 0, runs, end: series.len(), codes, is_quiet });
        }
    }
    None
}

/// The signal that most cells agree on, and the sample and the kind of each deal.
fn signal(series: &Series, cell: &DealCell, progress: &Progress) -> Option<(Signal, Moments)> {
    let known: Vec<Run> = cell.runs.iter().skip_while(|run| run.start.is_none()).copied().collect();
    let starts: Vec<usize> = known.iter().map_while(|run| run.start).collect();
    let first = *starts.first()?;
    if starts.len() != known.len() {
        return None;
    }
    let moving: Vec<usize> = series.moving().collect();
    let found: Vec<(usize, Event, Moments)> = moving
        .par_iter()
        .take_any_while(|_| !progress.is_over())
        .flat_map_iter(|offset| {
            let values = values(series, *offset);
            let mut found = Vec::new();
            for apart in -APART_MOST..=APART_MOST {
                let Some(at) = first.checked_add_signed(apart) else { continue };
                let Ok(nth) = values.binary_search_by_key(&at, |(start, _)| *start) else { continue };
                let Some(before) = nth.checked_sub(1) else { continue };
                let (old, new) = (values[before].1, values[nth].1);
                for event in [Event::Changes, Event::Gets(new), Event::Leaves(old)] {
                    let moments = moments(&values, event, apart, &known, &starts, cell.end);
                    found.extend(moments.map(|moments| (*offset, event, moments)));
                }
            }
            found
        })
        .collect();
    let mut agreeing: BTreeMap<Moments, Vec<(usize, Event)>> = BTreeMap::new();
    for (offset, event, moments) in found {
        let cells = agreeing.entry(moments).or_default();
        // A cell that gets a value leaves another one: it counts once.
        if cells.iter().all(|(known, _)| *known != offset) {
            cells.push((offset, event));
        }
    }
    let (moments, cells) =
        agreeing.into_iter().max_by_key(|(moments, cells)| (cells.len(), usize::MAX - moments.len()))?;
    let (offset, event) = *cells.iter().min_by_key(|(offset, event)| (*event, *offset))?;
    Some((Signal { address: series.address(offset), event, agreeing: cells.len() }, moments))
}

/// The deals that a signal tells of; None if it does not go together with the runs.
fn moments(
    values: &[(usize, u8)],
    event: Event,
    apart: isize,
    runs: &[Run],
    starts: &[usize],
    last: usize,
) -> Option<Moments> {
    let is_event = |pair: &[(usize, u8)]| match event {
        Event::Changes => true,
        Event::Gets(value) => pair[1].1 == value,
        Event::Leaves(value) => pair[0].1 == value,
    };
    let events = values.windows(2).filter(|pair| is_event(pair)).map(|pair| pair[1].0);
    let events: Vec<usize> = events.filter_map(|sample| sample.checked_add_signed(-apart)).collect();
    let mut found = Vec::new();
    for (nth, run) in runs.iter().enumerate() {
        let end = starts.get(nth + 1).copied();
        let from = events.partition_point(|sample| *sample < starts[nth]);
        let until = events.partition_point(|sample| *sample < end.unwrap_or(last));
        let within = &events[from..until];
        let enough = match (run.deals, end) {
            (Some(deals), Some(_)) => within.len() == deals,
            // The player may have stopped before the cell changed.
            (Some(deals), None) => within.len() >= deals,
            // More than a few deals of one kind in a row are no deals, but something that moves on its own.
            (None, _) => within.len() <= 8,
        };
        if within.first() != Some(&starts[nth]) || !enough {
            return None;
        }
        let taken = within.iter().take(run.deals.unwrap_or(usize::MAX));
        found.extend(taken.map(|sample| (*sample, run.kind)));
    }
    Some(found)
}
