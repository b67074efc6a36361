//! What RAM holds of the deals themselves: cells of the piece in play and of the next ones, and lists of the pieces to come.

use super::observed::Observations;
use super::series::Series;
use super::still::{StillList, StillSearch, bag_position};
use crate::source::Address;
use nextscope_task::Progress;
use rayon::prelude::*;
use std::ops::Range;

/// Deals ahead of the one in play, at most: two bags.
const AHEAD_MOST: usize = 14;
/// Samples from a deal to that in which a cell has it, at most.
const LAG_MOST: usize = 2;
/// Results, at most: the pieces of a list on the screen are in RAM many times.
const MOST: usize = 256;
/// Improbability from which on a cell is no coincidence, in bits, besides those of the number of cells and of the ways in which each is
/// tried.
const BITS_LEAST: f64 = 20.0;
/// Pieces to come side by side that are a queue.
pub(super) const QUEUE_LEAST: usize = 3;
/// Distances of the pieces of a list, in bytes.
const STRIDES: [usize; 4] = [1, 2, 4, 8];
/// Whole bags from which on a list of them is no coincidence.
const BAGS_LEAST: usize = 3;

/// A byte that is the code of a deal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PieceCell {
    /// Its address.
    pub address: Address,
    /// 0 for the deal in play, 1 for the next one, and so on.
    pub ahead: usize,
    /// Samples from the one in which a deal is observed to that in which the cell has it.
    pub lag: usize,
    /// Whether it is the child of a pair.
    pub is_child: bool,
    /// The code of each kind that was dealt: the kind, and the code.
    pub codes: Vec<(u8, u8)>,
    /// Whether the byte changes only with deals.
    pub only_deals: bool,
}

/// A list of the pieces to come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PieceList {
    /// The address of its first byte.
    pub address: Address,
    /// Bytes from one piece to the next.
    pub stride: usize,
    /// Whether it is dealt from its end.
    pub is_reversed: bool,
    /// Its form.
    pub form: ListForm,
    /// The code of each kind that was dealt: the kind, and the code.
    pub codes: Vec<(u8, u8)>,
}

impl PieceList {
    /// The bytes of a list that has all deals at once, of so many units each.
    pub(super) fn fixed_bytes(&self, units: usize) -> Option<Range<u64>> {
        let ListForm::Fixed { deals, still } = &self.form else { return None };
        let bytes = |entries: usize| (entries * units * self.stride) as u64;
        let at = self.address.0;
        Some(match still {
            Some(still) => still.start.0..still.start.0 + bytes(still.length),
            None if self.is_reversed => (at + 1).saturating_sub(bytes(*deals))..at + 1,
            None => at..at + bytes(*deals),
        })
    }
}

/// The form of a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ListForm {
    /// A bag, which is made again when it is empty.
    Bag {
        /// Its pieces.
        size: usize,
        /// Samples from that in which its first piece is observed to the one in which it is complete; negative if it is complete before.
        complete: i8,
        /// Where in the bag the game is, if a byte says so and the bag stays as it is until it is empty.
        still: Option<StillList>,
    },
    /// A queue that moves up with every deal.
    Queue {
        /// Its pieces, those that were observed to be right.
        length: usize,
        /// 0 if its first one is the piece in play, 1 if it is the next one.
        ahead: usize,
    },
    /// A list that does not change, with these deals.
    Fixed {
        /// Deals observed.
        deals: usize,
        /// Where in the list the game is, if a byte says so.
        still: Option<StillList>,
    },
}

/// A byte that counts the deals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DealCounter {
    /// Its address.
    pub address: Address,
    /// What it has with the first deal observed.
    first: u8,
}

/// A count of the deals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DealCount {
    /// The byte that has it.
    pub address: Option<Address>,
    /// The number of the deal before the first one observed.
    pub before: u64,
}

impl DealCounter {
    /// Whether it has this with the first deal observed.
    pub(super) const fn begins_with(&self, count: u8) -> bool {
        self.first == count
    }

    /// The count, if the deal so many ahead of the one in play is the last one that was drawn.
    pub(super) fn before(&self, ahead: usize) -> DealCount {
        let ahead = u8::try_from(ahead).unwrap_or(u8::MAX);
        let before = self.first.wrapping_sub(ahead).wrapping_sub(1);
        DealCount { address: Some(self.address), before: before.into() }
    }
}

/// The bytes that count the deals; of those that always have the same the first.
pub(super) fn deal_counters(series: &Series, observed: &Observations) -> Vec<DealCounter> {
    let mut found: Vec<DealCounter> = Vec::new();
    for offset in series.moving() {
        let of = |sample: usize| series.byte(offset, sample);
        let Some(first) = observed.dealt.first().map(|dealt| of(dealt.sample)) else { break };
        let counts = (0_u8..=u8::MAX).cycle().zip(&observed.dealt);
        let is_count = { counts }.all(|(nth, dealt)| of(dealt.sample) == first.wrapping_add(nth));
        if is_count && found.iter().all(|other| other.first != first) {
            found.push(DealCounter { address: series.address(offset), first });
        }
    }
    found
}

/// Codes of kinds, one to one.
#[derive(Clone)]
struct Codes {
    kind_of: [u8; 256],
    code_of: [u16; 16],
    kinds: f64,
    bits: f64,
}

impl Codes {
    fn new(kinds: usize) -> Self {
        let kinds = f64::from(u32::try_from(kinds).unwrap_or(u32::MAX));
        Self { kind_of: [u8::MAX; 256], code_of: [u16::MAX; 16], kinds, bits: 0.0 }
    }

    fn agree(&mut self, code: u8, kind: u8) -> bool {
        let (known, back) = (&mut self.kind_of[usize::from(code)], &mut self.code_of[usize::from(kind)]);
        if *known == u8::MAX && *back == u16::MAX {
            (*known, *back) = (kind, code.into());
            return true;
        }
        self.bits += self.kinds.log2();
        *known == kind && *back == u16::from(code)
    }

    fn list(&self) -> Vec<(u8, u8)> {
        (0..).zip(&self.code_of).filter_map(|(kind, code)| Some((kind, u8::try_from(*code).ok()?))).collect()
    }
}

/// The cells that have the code of a deal, and the lists of what comes, by address. A stopped search returns what it found.
pub(super) fn find(
    series: &Series,
    observed: &Observations,
    bags: &[(usize, usize)],
    progress: &Progress,
) -> (Vec<PieceCell>, Vec<PieceList>) {
    let moving: Vec<usize> = series.moving().collect();
    let bits = bits_least(moving.len() * (AHEAD_MOST + 1) * (LAG_MOST + 1) * observed.group());
    let cells = moving
        .par_iter()
        .take_any_while(|_| !progress.is_over())
        .flat_map_iter(|at| piece_cells(series, observed, *at, bits));
    let mut cells: Vec<PieceCell> = cells.collect();
    cells.sort_by_key(|cell| (!cell.only_deals, cell.ahead, cell.lag, cell.address));
    cells.truncate(MOST);
    let mut lists = queues(series, observed, &moving, progress);
    lists.extend(fixed_lists(series, observed, progress));
    for (copies, phase) in bags {
        lists.extend(bag_lists(series, observed, observed.count() * copies, *phase, &moving, progress));
    }
    lists.sort_by_key(|list| (list.address, list.stride));
    lists.truncate(MOST);
    (cells, lists)
}

fn piece_cells(series: &Series, observed: &Observations, at: usize, bits: f64) -> Vec<PieceCell> {
    let mut found = Vec::new();
    let (units, group) = (observed.units(), observed.group());
    for lag in 0..=LAG_MOST {
        let values: Vec<u8> = observed
            .dealt
            .iter()
            .map(|dealt| series.byte(at, (dealt.sample + lag).min(series.len().saturating_sub(1))))
            .collect();
        for ahead in 0..=AHEAD_MOST {
            for half in 0..group {
                let mut codes = Codes::new(observed.count());
                let kinds = units.iter().skip(half).step_by(group).skip(ahead);
                let agree = values.iter().zip(kinds).all(|(code, kind)| codes.agree(*code, *kind));
                if !agree || codes.bits < bits {
                    continue;
                }
                let moves = series.moves(at);
                found.push(PieceCell {
                    address: series.address(at),
                    ahead,
                    lag,
                    is_child: half == 1,
                    codes: codes.list(),
                    only_deals: moves <= observed.dealt.len() + 2,
                });
            }
        }
        // A cell has a deal for many samples; the first one says when.
        if !found.is_empty() {
            break;
        }
    }
    found
}

/// The improbability that is no coincidence if so many things are tried.
fn bits_least(tries: usize) -> f64 {
    BITS_LEAST + f64::from(u32::try_from(tries.max(1)).unwrap_or(u32::MAX)).log2()
}

/// For each deal a sample half-way to the next one. A queue moves up some samples before or after the deal is observed, not as many with each
/// deal where samples fall into the middle of a frame; here it has moved.
fn half_way(observed: &Observations, last: usize) -> Vec<usize> {
    let samples: Vec<usize> = observed.dealt.iter().map(|dealt| dealt.sample).collect();
    let halves: Vec<usize> = samples.windows(2).map(|pair| (pair[1] - pair[0]) / 2).collect();
    let shortest = halves.iter().min().copied().unwrap_or(0);
    let all = halves.into_iter().chain([shortest]);
    samples.iter().zip(all).map(|(sample, half)| (sample + half).min(last)).collect()
}

/// Cells side by side that have the pieces to come, one after the other.
fn queues(series: &Series, observed: &Observations, moving: &[usize], progress: &Progress) -> Vec<PieceList> {
    let units = observed.units();
    let samples = half_way(observed, series.len().saturating_sub(1));
    let bits = bits_least(moving.len() * 2 * STRIDES.len() * 2);
    // Whether the cell has the deal so many ahead, whenever there is one.
    let has = |codes: &mut Codes, cell: usize, ahead: usize| {
        let mut deals = samples.iter().zip(units.iter().skip(ahead));
        cell < series.size()
            && ahead < units.len()
            && deals.all(|(sample, kind)| codes.agree(series.byte(cell, *sample), *kind))
    };
    let at = |start: usize| {
        let mut found = Vec::new();
        for first in [0, 1] {
            if !has(&mut Codes::new(observed.count()), start, first) {
                continue;
            }
            for stride in STRIDES {
                for is_reversed in [false, true] {
                    let mut codes = Codes::new(observed.count());
                    let place = |nth: usize| {
                        if is_reversed {
                            start.checked_sub(nth * stride)
                        } else {
                            start.checked_add(nth * stride)
                        }
                    };
                    let mut good = codes.clone();
                    let length = (0..=AHEAD_MOST)
                        .take_while(|nth| {
                            good = codes.clone();
                            place(*nth).is_some_and(|cell| has(&mut codes, cell, first + nth))
                        })
                        .count();
                    if length >= QUEUE_LEAST && good.bits >= bits {
                        let lowest = if is_reversed { start - (length - 1) * stride } else { start };
                        let form = ListForm::Queue { length, ahead: first };
                        let (address, codes) = (series.address(lowest), good.list());
                        found.push((length, PieceList { address, stride, is_reversed, form, codes }));
                    }
                }
            }
        }
        found
    };
    let found = moving.par_iter().take_any_while(|_| !progress.is_over()).flat_map_iter(|start| at(*start));
    let found: Vec<(usize, PieceList)> = found.collect();
    // A queue without its first pieces is one too.
    let end = |(length, list): &(usize, PieceList)| {
        let way = if list.is_reversed { 0 } else { (length - 1) * list.stride };
        (list.stride, list.is_reversed, list.address.offset(way as u64))
    };
    let is_part =
        |list: &&(usize, PieceList)| found.iter().any(|other| end(other) == end(list) && other.0 > list.0);
    found.iter().filter(|list| !is_part(list)).map(|(_, list)| list.clone()).collect()
}

/// Lists that have all deals at once.
fn fixed_lists(series: &Series, observed: &Observations, progress: &Progress) -> Vec<PieceList> {
    let units = observed.units();
    let Some(last) = observed.dealt.last() else { return Vec::new() };
    let memory = series.memory(last.sample);
    let starts: Vec<usize> = (0..memory.len()).collect();
    let bits = bits_least(starts.len() * STRIDES.len() * 2);
    let samples = half_way(observed, series.len().saturating_sub(1));
    let still = StillSearch::new(series, observed, &samples);
    let at = |start: usize| {
        let mut found = Vec::new();
        for stride in STRIDES {
            for is_reversed in [false, true] {
                let mut codes = Codes::new(observed.count());
                let good = units.iter().enumerate().all(|(nth, kind)| {
                    let place = if is_reversed {
                        start.checked_sub(nth * stride)
                    } else {
                        start.checked_add(nth * stride)
                    };
                    place.and_then(|place| memory.get(place)).is_some_and(|code| codes.agree(*code, *kind))
                });
                if good && codes.bits >= bits {
                    let deals = observed.dealt.len();
                    let unit = if is_reversed { -stride.cast_signed() } else { stride.cast_signed() };
                    let is_code = |code: u8| codes.kind_of[usize::from(code)] != u8::MAX;
                    let still = still.as_ref().and_then(|search| search.list(start, unit, is_code));
                    found.push(PieceList {
                        address: series.address(start),
                        stride,
                        is_reversed,
                        form: ListForm::Fixed { deals, still },
                        codes: codes.list(),
                    });
                }
            }
        }
        found
    };
    starts.par_iter().take_any_while(|_| !progress.is_over()).flat_map_iter(|start| at(*start)).collect()
}

/// Lists that have a whole bag around the time of its first piece.
fn bag_lists(
    series: &Series,
    observed: &Observations,
    size: usize,
    phase: usize,
    moving: &[usize],
    progress: &Progress,
) -> Vec<PieceList> {
    let units = observed.units();
    if observed.group() != 1 {
        return Vec::new();
    }
    let bags: Vec<usize> =
        (phase..units.len()).step_by(size).filter(|first| first + size <= units.len()).collect();
    if bags.len() < BAGS_LEAST {
        return Vec::new();
    }
    let samples = half_way(observed, series.len().saturating_sub(1));
    let position = bag_position(series, &samples, size, phase);
    let at = |start: usize| {
        let mut found = Vec::new();
        for stride in STRIDES {
            if start + (size - 1) * stride >= series.size() {
                continue;
            }
            for is_reversed in [false, true] {
                let complete = [-1_i8, 0, 1, 2].into_iter().find_map(|complete| {
                    let mut codes = Codes::new(observed.count());
                    let good = bags.iter().all(|first| {
                        let sample = observed.dealt[*first]
                            .sample
                            .saturating_add_signed(complete.into())
                            .min(series.len() - 1);
                        (0..size).all(|nth| {
                            let place = if is_reversed { size - 1 - nth } else { nth };
                            codes.agree(series.byte(start + place * stride, sample), units[first + nth])
                        })
                    });
                    good.then(|| (complete, codes.list()))
                });
                if let Some((complete, codes)) = complete {
                    let stays = |first: &usize| {
                        (0..size).all(|nth| {
                            let place = start + nth * stride;
                            series.byte(place, samples[*first])
                                == series.byte(place, samples[first + size - 1])
                        })
                    };
                    let address = series.address(start);
                    let position = position.clone().filter(|_| bags.iter().all(stays));
                    let still = position.map(|position| StillList { start: address, length: size, position });
                    found.push(PieceList {
                        address,
                        stride,
                        is_reversed,
                        form: ListForm::Bag { size, complete, still },
                        codes,
                    });
                }
            }
        }
        found
    };
    moving.par_iter().take_any_while(|_| !progress.is_over()).flat_map_iter(|start| at(*start)).collect()
}
