//! Searches over all 2^32 states: threads, progress, cancellation.

use crate::games::puyo_tsu::seeds::Target;
use crate::games::puyo_tsu::seeds::filter::{CLASSES, Filter};
use crate::games::puyo_tsu::seeds::merged::MAX_BLOCK;
use crate::games::puyo_tsu::seeds::observations::Observations;
use crate::games::puyo_tsu::seeds::plan::Plan;
use crate::games::puyo_tsu::seeds::query::Query;
use crate::games::puyo_tsu::{State, Step, color_set, generate};
use fearless_simd::dispatch;
use nextscope_boards::Vectors;
use nextscope_task::Progress;
use rayon::prelude::*;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;

/// Classes of states tried between two checks of the stop flags. States that meet across the edge of a block are traced twice.
const BLOCK: u32 = 0x15 << 16;
const _: () = assert!(BLOCK <= MAX_BLOCK);

/// The most states in a result: observations that match more are too few to be useful.
pub const MAX_STATES: usize = 1 << 24;

/// Resources of a search.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Number of threads.
    pub threads: NonZeroUsize,
    /// The vector instruction set of each.
    pub vectors: Vectors,
}

impl Default for Effort {
    /// All cores and the widest vectors.
    fn default() -> Self {
        let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Self { threads, vectors: Vectors::widest() }
    }
}

impl Effort {
    /// Half of the cores, so that sampling an emulator is not delayed.
    pub fn half() -> Self {
        let all = Self::default();
        Self { threads: NonZeroUsize::new(all.threads.get() / 2).unwrap_or(NonZeroUsize::MIN), ..all }
    }
}

/// The result of a search that was not cancelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundStates {
    /// The matching states, ascending.
    pub states: Vec<State>,
    /// Whether these are all: a search ends when it has more than [`MAX_STATES`].
    pub complete: bool,
    /// Whether it was stopped before all states were tried.
    pub stopped: bool,
}

/// All states before a round that match the query; None if cancelled. The progress is of 2^32 states; it counts the classes found:
/// states after the first colour draw, each with at least one state before it.
pub fn find(query: &Query, effort: Effort, progress: &Progress) -> Option<FoundStates> {
    find_streaming(query, effort, progress, None)
}

/// As [`find`], and sends the states as they are found, in no order.
pub fn find_streaming(
    query: &Query,
    effort: Effort,
    progress: &Progress,
    sink: Option<&Sender<Vec<State>>>,
) -> Option<FoundStates> {
    run(&Plan::exact(query), effort, progress, sink)
}

/// All states that generate exactly these pools or, if none does, pools within [`MAX_DIFFERENCES`](crate::games::puyo_tsu::seeds::MAX_DIFFERENCES) bytes;
/// ascending. None if cancelled.
pub fn search(target: &Target, effort: Effort, progress: &Progress) -> Option<Vec<State>> {
    if let Ok(query) = Query::new(&Observations::from(target)) {
        let exact = find(&query, effort, progress)?.states;
        if !exact.is_empty() {
            return Some(exact);
        }
    }
    Some(run(&Plan::near(target), effort, progress, None)?.states)
}

/// [`search`] over the `count` states from `first` on, on this thread.
pub fn search_range(
    target: &Target,
    first: u32,
    count: u64,
    vectors: Vectors,
    progress: &Progress,
) -> Option<Vec<State>> {
    if let Ok(query) = Query::new(&Observations::from(target)) {
        let exact = find_in_range(&query, first, count, vectors, progress)?;
        if !exact.is_empty() {
            return Some(exact);
        }
    }
    range(&Plan::near(target), first, count, vectors, progress)
}

/// The states among the `count` from `first` on that match the query, on this thread.
pub fn find_in_range(
    query: &Query,
    first: u32,
    count: u64,
    vectors: Vectors,
    progress: &Progress,
) -> Option<Vec<State>> {
    range(&Plan::exact(query), first, count, vectors, progress)
}

/// [`find_in_range`] with the generator itself, state by state: the reference implementation that the filter is tested against.
pub fn find_reference(query: &Query, first: u32, count: u32) -> Vec<State> {
    let states = (0..count).map(|i| State(first.wrapping_add(i)));
    let drawn = states.filter(|state| query.color_sets().contains(&color_set(*state).0));
    drawn.filter(|state| query.fits(&generate(*state, query.setup()))).collect()
}

fn range(plan: &Plan, first: u32, count: u64, vectors: Vectors, progress: &Progress) -> Option<Vec<State>> {
    let end = u64::from(first).saturating_add(count).min(1 << 32);
    let mut filter = Filter::new(plan);
    let mut next = u64::from(first);
    progress.begin(end - next);
    while next < end {
        if progress.is_cancelled() {
            return None;
        }
        let length = (end - next).min(u64::from(BLOCK));
        #[expect(clippy::cast_possible_truncation, reason = "both are below 2^32")]
        let (start, length_32) = (next as u32, length as u32);
        dispatch!(vectors.level(), simd => filter.states(simd, start, length_32));
        next += length;
        progress.add(length);
    }
    dispatch!(vectors.level(), simd => filter.flush(simd));
    let mut states = states_before(&filter.take_passed());
    states.retain(|state| (u64::from(first)..end).contains(&u64::from(state.0)));
    Some(states)
}

fn run(
    plan: &Plan,
    effort: Effort,
    progress: &Progress,
    sink: Option<&Sender<Vec<State>>>,
) -> Option<FoundStates> {
    progress.begin(1 << 32);
    let next = AtomicU64::new(0);
    let passed = AtomicU64::new(0);
    let stopped = AtomicBool::new(false);
    let worker = || {
        let mut filter = Filter::new(plan);
        let mut mine: Vec<u32> = Vec::new();
        let mut keep = |filter: &mut Filter<'_>| {
            let new = filter.take_passed();
            let all = passed.fetch_add(new.len() as u64, Ordering::Relaxed);
            progress.add_found(new.len() as u64);
            if let (Some(sink), false) = (sink, new.is_empty()) {
                let _ = sink.send(states_before(&new)); // the receiver may be gone
            }
            if all <= MAX_STATES as u64 {
                mine.extend(new);
            }
        };
        while passed.load(Ordering::Relaxed) <= MAX_STATES as u64 {
            if progress.is_cancelled() {
                return None;
            }
            if progress.is_over() {
                stopped.store(true, Ordering::Relaxed);
                break;
            }
            let block = next.fetch_add(1, Ordering::Relaxed);
            let Ok(first) = u32::try_from(block * u64::from(BLOCK)) else { break };
            if first >= CLASSES {
                break;
            }
            let count = BLOCK.min(CLASSES - first);
            dispatch!(effort.vectors.level(), simd => filter.classes(simd, first, count));
            if first == 0 {
                dispatch!(effort.vectors.level(), simd => filter.extra_state(simd));
            }
            keep(&mut filter);
            progress.add(3 * u64::from(count) + u64::from(first == 0));
        }
        dispatch!(effort.vectors.level(), simd => filter.flush(simd));
        keep(&mut filter);
        Some(mine)
    };
    let parts: Vec<Option<Vec<u32>>> = std::thread::scope(|scope| {
        let others: Vec<_> = (1..effort.threads.get())
            .filter_map(|_| {
                std::thread::Builder::new().name("state search".into()).spawn_scoped(scope, worker).ok()
            })
            .collect();
        let mine = worker();
        let joined = others.into_iter().map(|other| other.join().unwrap_or_default());
        std::iter::once(mine).chain(joined).collect()
    });
    let mut all = Vec::new();
    for part in parts {
        all.extend(part?);
    }
    let complete = passed.into_inner() <= MAX_STATES as u64;
    let mut states = states_before(&all);
    drop(all);
    states.truncate(MAX_STATES);
    let stopped = stopped.into_inner();
    Some(FoundStates { complete: complete && !stopped && states.len() < MAX_STATES, stopped, states })
}

/// The states before a round, ascending, of those after its first colour draw.
fn states_before(after_first: &[u32]) -> Vec<State> {
    // Few observations leave millions, and stopping such a search waits for this.
    let before = |&state: &u32| State(state).predecessors(Step::COLOR);
    let mut states: Vec<State> = after_first.par_iter().flat_map_iter(before).collect();
    states.par_sort_unstable();
    states.dedup();
    states
}
