//! Which states a wait can start a round from, and in which frame.

use super::{Generation, Origin, Run};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

/// The longest time from a press to the generation that is searched for the frame whose state is used.
const MAX_DELAY: u64 = 1200;

/// A press that started a round, in one of the runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MeasuredStart {
    /// The index of the run.
    pub run: usize,
    /// The generation and its press.
    pub generation: Generation,
}

/// How far the runs of a wait agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Agreement {
    /// Frames in which at least two of them were sampled.
    pub compared: u64,
    /// Of these, the ones in which one run has the state that the other has a frame earlier or later: a sample may show the game in the middle
    /// of its work. Their states are not used.
    pub unsettled: u64,
    /// The first frame in which the states differ otherwise. From there on the state depends on more than the buttons, and is not used.
    pub differs_at: Option<u64>,
}

/// A state from which a round can be started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Offer {
    /// The first frame since the clock began in which the button can be pressed for it.
    pub frame: u64,
    /// The last one in a row.
    pub last: u64,
    /// The state that the round is generated from.
    pub state: u32,
    /// The index of a run that has a sample of the frame, and its frame of the recording; None if none has.
    pub recorded: Option<(usize, u64)>,
    /// The frame in which the pools of the round appear, for a press in `frame`; None if the measured delays do not say it.
    pub generated: Option<u64>,
}

/// Runs that wait for the same round after the same buttons.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait {
    /// The indices of the runs, the longest wait first.
    pub runs: Vec<usize>,
    /// The first and the last frame in which a button can be pressed.
    pub frames: (u64, u64),
    /// The starts of the round.
    pub starts: Vec<MeasuredStart>,
    /// How far the runs agree.
    pub agreement: Agreement,
    /// The round is generated from the state that the wait has so many frames after that of the press, without a press: all numbers that no
    /// start contradicts. Several fit if the state did not change between them, or if no longer wait shows it. None if no number fits or
    /// nothing was measured.
    pub offsets: Vec<i64>,
    /// The states, each with the first frame that gives it.
    pub offers: Vec<Offer>,
}

/// The fewest and the most frames that fit all measured ones; None if nothing was measured. The fewest are more than the most if they contradict
/// each other.
fn fitting(measured: impl Iterator<Item = (u64, u64)>) -> Option<(u64, u64)> {
    measured.reduce(|(low, high), (least, most)| (low.max(least), high.min(most)))
}

impl Wait {
    /// Frames from the press to the generation that fit all starts, the fewest and the most: more than the most if starts contradict each other.
    pub fn delay(&self) -> Option<(u64, u64)> {
        fitting(self.starts.iter().filter_map(|start| start.generation.delay()))
    }

    /// Frames from the press to the first pair, likewise.
    pub fn first_pair_delay(&self) -> Option<(u64, u64)> {
        fitting(self.starts.iter().filter_map(|start| start.generation.first_pair_delay()))
    }
}

/// The part of a run that waits for a round.
#[derive(Clone, Copy)]
struct Waiting {
    index: usize,
    /// The first frame without a button, or the first sampled one.
    begin: u64,
    /// Whether a button was held before.
    is_after_button: bool,
    /// The frame of the press that ends it, or the one after the last.
    end: u64,
}

fn waiting(index: usize, run: &Run, round: usize) -> Option<Waiting> {
    if run.origin == Origin::Reset {
        return None;
    }
    let before = match round.checked_sub(2) {
        Some(before) => run.starts().nth(before)?.frame + 1,
        None => 0,
    };
    let (first, last) = run.frames()?;
    let end = match run.starts().nth(round.checked_sub(1)?) {
        Some(start) => start.press?.before? + 1,
        None => last + 1,
    };
    let held = run.seen.iter().rev().filter(|seen| seen.clock < end);
    let held = held.into_iter().find(|seen| seen.pads.iter().any(|pad| !pad.is_none()));
    let begin = held.map_or(first, |seen| seen.clock + 1).max(before);
    (begin < end).then_some(Waiting { index, begin, is_after_button: held.is_some(), end })
}

/// Whether both runs wait at the same time, after the same buttons as far as these are known.
fn same_wait(runs: &[Run], one: Waiting, other: Waiting) -> bool {
    let end = one.end.min(other.end);
    if one.begin.max(other.begin) >= end {
        return false;
    }
    let other = &runs[other.index];
    let known = runs[one.index].seen.iter().take_while(|seen| seen.clock < end);
    known.into_iter().all(|seen| other.at(seen.clock).is_none_or(|same| same.pads == seen.pads))
}

/// The waits for the round with this number since power on, from 1. Runs that begin with a reset are not among them. If a run begins at power
/// on, one that begins later is used only if it continues its wait: the buttons before it are unknown.
pub fn waits(runs: &[Run], round: usize) -> Vec<Wait> {
    let mut all: Vec<Waiting> =
        runs.iter().enumerate().filter_map(|(index, run)| waiting(index, run, round)).collect();
    all.sort_by_key(|waiting| Reverse(waiting.end));
    let is_from_power_on = |waiting: &Waiting| runs[waiting.index].origin == Origin::PowerOn;
    let mut later = Vec::new();
    if all.iter().any(is_from_power_on) {
        (all, later) = all.into_iter().partition(is_from_power_on);
    }
    let mut groups: Vec<Vec<Waiting>> = Vec::new();
    while !all.is_empty() {
        let longest = all.remove(0);
        let (same, others) = all.into_iter().partition(|other| same_wait(runs, longest, *other));
        all = others;
        let mut group: Vec<Waiting> = vec![longest];
        group.extend::<Vec<Waiting>>(same);
        groups.push(group);
    }
    for waiting in later {
        if let Some(group) = groups.iter_mut().find(|group| continues(runs, group, waiting)) {
            group.push(waiting);
            group.sort_by_key(|waiting| Reverse(waiting.end));
        }
    }
    groups.iter().map(|group| wait(runs, round, group)).collect()
}

/// Whether a run that begins later has the buttons and the states of the others, and more than one state, which it might have by chance.
fn continues(runs: &[Run], group: &[Waiting], later: Waiting) -> bool {
    let overlaps = |other: &&Waiting| later.begin.max(other.begin) < later.end.min(other.end);
    let others: Vec<Waiting> = group.iter().filter(overlaps).copied().collect();
    if others.is_empty() || others.iter().any(|other| !same_wait(runs, *other, later)) {
        return false;
    }
    let (known, _) = agreed(runs, &others);
    let seen = runs[later.index].seen.iter().take_while(|seen| seen.clock < later.end);
    let shared: HashSet<u32> =
        seen.filter(|seen| known.contains_key(&seen.clock)).map(|seen| seen.state).collect();
    let differs_at = |group: &[Waiting]| agreed(runs, group).1.differs_at;
    let joined = [&others[..], &[later]].concat();
    shared.len() > 1 && differs_at(&joined) == differs_at(&others)
}

fn wait(runs: &[Run], round: usize, group: &[Waiting]) -> Wait {
    let (states, agreement) = agreed(runs, group);
    let starts: Vec<MeasuredStart> =
        group.iter().filter_map(|waiting| start(runs, round, *waiting)).collect();
    let offsets = offsets(&starts, &states);
    // A run whose recording begins late does not show the last button.
    let after_buttons = group.iter().filter(|waiting| waiting.is_after_button).map(|waiting| waiting.begin);
    let earliest = group.iter().map(|waiting| waiting.begin).min();
    let begin = after_buttons.max().or(earliest).unwrap_or(0);
    let end = group.first().map_or(0, |longest| longest.end);
    let mut wait = Wait {
        runs: group.iter().map(|waiting| waiting.index).collect(),
        frames: (begin + 1, end),
        starts,
        agreement,
        offsets,
        offers: Vec::new(),
    };
    wait.offers = offers(&wait, &states, runs);
    wait
}

fn start(runs: &[Run], round: usize, waiting: Waiting) -> Option<MeasuredStart> {
    let generation = runs[waiting.index].starts().nth(round - 1)?;
    Some(MeasuredStart { run: waiting.index, generation: *generation })
}

/// The state of each frame of the wait in which all runs agree.
fn agreed(runs: &[Run], group: &[Waiting]) -> (BTreeMap<u64, u32>, Agreement) {
    let mut by_frame: BTreeMap<u64, Vec<(usize, u32)>> = BTreeMap::new();
    for waiting in group {
        let seen = runs[waiting.index].seen.iter().take_while(|seen| seen.clock < waiting.end);
        for seen in seen {
            by_frame.entry(seen.clock).or_default().push((waiting.index, seen.state));
        }
    }
    let (mut states, mut agreement) = (BTreeMap::new(), Agreement::default());
    for (frame, seen) in by_frame {
        agreement.compared += u64::from(seen.len() > 1);
        let Some(((_, first), others)) = seen.split_first() else { continue };
        if others.iter().all(|(_, state)| state == first) {
            states.insert(frame, *first);
        } else if is_unsettled(runs, frame, &seen) {
            agreement.unsettled += 1;
        } else {
            agreement.differs_at = Some(frame);
            break;
        }
    }
    (states, agreement)
}

/// Whether of any two states one is that of the other run a frame earlier or later.
fn is_unsettled(runs: &[Run], frame: u64, seen: &[(usize, u32)]) -> bool {
    let beside = |run: usize, state: u32| {
        let frames = [frame.checked_sub(1), Some(frame + 1)];
        frames.into_iter().flatten().any(|frame| runs[run].state(frame) == Some(state))
    };
    let near = |(run, state): &(usize, u32), (other, other_state): &(usize, u32)| {
        state == other_state || beside(*run, *other_state) || beside(*other, *state)
    };
    seen.iter().all(|one| seen.iter().all(|other| near(one, other)))
}

/// How many frames after that of the press the wait has the state from which the round was generated: all numbers that no start contradicts. None
/// if no start confirms one of them.
fn offsets(starts: &[MeasuredStart], states: &BTreeMap<u64, u32>) -> Vec<i64> {
    let measured: Vec<(u64, u64, u32)> = starts
        .iter()
        .filter_map(|MeasuredStart { generation, .. }| {
            let press = generation.press.filter(super::run::Press::is_exact)?;
            Some((press.frame, generation.delay()?.1, generation.state?))
        })
        .collect();
    let longest = measured.iter().map(|(_, delay, _)| *delay).max().unwrap_or(0).min(MAX_DELAY);
    let mut is_confirmed = false;
    let fits = |offset: &i64| {
        let seen = |(press, _, state): &(u64, u64, u32)| {
            Some(states.get(&press.checked_add_signed(*offset)?)? == state)
        };
        let same: Vec<bool> = measured.iter().filter_map(seen).collect();
        let fits = same.iter().all(|same| *same);
        is_confirmed |= fits && !same.is_empty();
        fits
    };
    let offsets: Vec<i64> = (-1..i64::try_from(longest).unwrap_or(0)).filter(fits).collect();
    if is_confirmed { offsets } else { Vec::new() }
}

fn offers(wait: &Wait, states: &BTreeMap<u64, u32>, runs: &[Run]) -> Vec<Offer> {
    let delay = wait.delay().filter(|(least, most)| least == most).map(|(delay, _)| delay);
    let (mut offers, mut offered, mut open) = (Vec::<Offer>::new(), HashSet::new(), false);
    for frame in wait.frames.0..=wait.frames.1 {
        let mut used =
            wait.offsets.iter().map(|offset| states.get(&frame.checked_add_signed(*offset)?).copied());
        let first = used.next().flatten();
        let Some(state) = first.filter(|_| used.all(|other| other == first)) else {
            open = false;
            continue;
        };
        match offers.last_mut() {
            Some(last) if open && last.state == state => last.last = frame,
            _ if offered.insert(state) => {
                let recorded = |run: &usize| Some((*run, runs[*run].at(frame)?.recorded));
                let recorded = wait.runs.iter().find_map(recorded);
                let generated = delay.map(|delay| frame + delay);
                offers.push(Offer { frame, last: frame, state, recorded, generated });
                open = true;
            }
            _ => open = false,
        }
    }
    offers
}
