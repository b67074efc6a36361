//! Which numbers of a generator each deal may have drawn.
//!
//! Between the sample before a deal and that of the deal the generator advances by the draws of the deal, and by its steps for the
//! frames. Unknown are: how many samples after its draws a deal is observed, how many deals ahead it is drawn (the pieces that are shown
//! next), and whether the steps of a frame come before its draws. There are few possibilities, and each is tried.

use super::observed::Observations;
use super::series::Series;
use super::trace::Trace;
use nextscope_games::games::declared::Clock;
use std::ops::Range;

/// Samples between the draws of a deal and its being observed, at most.
const LAG_MOST: usize = 3;
/// Deals that are drawn ahead, at most.
const AHEAD_MOST: usize = 6;

/// Draws one after the other, and the deals that they are for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Group {
    /// Indices of the numbers that were drawn.
    pub drawn: Range<usize>,
    /// The deals.
    pub deals: Range<usize>,
}

/// For so many deals, one sample may have steps that nothing explains.
const UNEXPLAINED: usize = 20;

/// A possibility.
#[derive(Clone, PartialEq, Debug)]
pub struct Alignment {
    /// Samples from the draws of a deal to the one in which it is observed.
    pub lag: usize,
    /// How many deals ahead of what is observed the draws are.
    pub ahead: usize,
    /// When the generator steps.
    pub clock: Clock,
    /// Steps for a frame, besides draws.
    pub steps_per_frame: u32,
    /// Whether these come before the draws of their frame.
    pub frame_first: bool,
    /// Whether all deals were drawn at the start.
    pub at_start: bool,
    /// Ascending, without a gap.
    pub(super) groups: Vec<Group>,
    /// Bits to say it.
    pub(super) cost: f64,
}

/// The possibilities, the simplest first.
pub(super) fn alignments(trace: &Trace, series: &Series, observed: &Observations) -> Vec<Alignment> {
    let Some(last) = observed.dealt.last() else { return Vec::new() };
    let first = observed.dealt[0].sample;
    let mut all = Vec::new();
    let rate = steps_per_frame(trace, series, observed);
    let is_busy = (first + 1..=last.sample).any(|sample| moved(trace, sample) > 0);
    if observed.from_start && !is_busy {
        all.extend(at_start(trace, first));
    }
    if !is_busy {
        return all;
    }
    for lag in 0..=LAG_MOST.min(first.saturating_sub(1)) {
        if !explains_moves(trace, series, observed, rate, lag) {
            continue;
        }
        for ahead in 0..=AHEAD_MOST {
            let ways: &[(Clock, bool)] = if rate == 0 {
                &[(Clock::Deals, true)]
            } else {
                &[(Clock::Frames, true), (Clock::Both, true), (Clock::Frames, false), (Clock::Both, false)]
            };
            for (nth, (clock, frame_first)) in (0_u8..).zip(ways) {
                let cost = 2.0 * f64::from(low_8(lag)) + 2.0 * f64::from(low_8(ahead)) + f64::from(nth);
                let mut one = Alignment {
                    lag,
                    ahead,
                    clock: *clock,
                    steps_per_frame: rate,
                    frame_first: *frame_first,
                    at_start: false,
                    groups: Vec::new(),
                    cost,
                };
                if one.fill(trace, series, observed) {
                    all.push(one);
                }
            }
        }
    }
    all.sort_by(|one, other| one.cost.total_cmp(&other.cost));
    all
}

fn low_8(small: usize) -> u8 {
    u8::try_from(small).unwrap_or(u8::MAX)
}

fn moved(trace: &Trace, sample: usize) -> usize {
    sample.checked_sub(1).map_or(0, |before| trace.index(sample) - trace.index(before))
}

/// The steps for a frame in samples without a deal: what most of them have.
fn steps_per_frame(trace: &Trace, series: &Series, observed: &Observations) -> u32 {
    let (first, last) = (observed.dealt[0].sample, observed.dealt[observed.dealt.len() - 1].sample);
    let mut counts = [0_u32; 9];
    for sample in first + 1..last {
        let frames = usize::try_from(series.frames_before(sample)).unwrap_or(1).max(1);
        let steps = moved(trace, sample);
        if steps.is_multiple_of(frames) && steps / frames < counts.len() {
            counts[steps / frames] += 1;
        }
    }
    let most = counts.iter().max().copied().unwrap_or(0);
    (0..).zip(counts).find(|(_, count)| *count == most).map_or(0, |(steps, _)| steps)
}

/// Whether all moves in a game but a few are the steps of frames, or come so many samples before a deal is observed. A rule that leaves out
/// steps of the generator would explain the deals observed and not predict others.
fn explains_moves(trace: &Trace, series: &Series, observed: &Observations, rate: u32, lag: usize) -> bool {
    let range = observed.dealt[0].sample + 1..observed.dealt[observed.dealt.len() - 1].sample + 1 - lag;
    let is_deal =
        |sample: usize| observed.dealt.binary_search_by_key(&(sample + lag), |dealt| dealt.sample).is_ok();
    let steps =
        |sample: usize| usize::try_from(series.frames_before(sample)).unwrap_or(1).max(1) * rate as usize;
    let others = range.filter(|sample| !is_deal(*sample));
    let is_unexplained = |sample: &usize| {
        moved(trace, *sample) != steps(*sample) && !series.has_missed(sample.saturating_sub(1)..=sample + 1)
    };
    let unexplained = others.filter(is_unexplained).count();
    UNEXPLAINED * unexplained <= observed.dealt.len()
}

/// All deals drawn at once: in the longest move before or with the first one.
fn at_start(trace: &Trace, first: usize) -> Vec<Alignment> {
    let moves = trace.reached.windows(2).filter(|pair| pair[1].0 as usize <= first);
    let longest = moves.map(|pair| pair[0].1..pair[1].1).max_by_key(Range::len);
    let Some(longest) = longest.filter(|drawn| drawn.len() >= 2) else { return Vec::new() };
    // A frame's step may come first, and a seed may be stored in the same sample.
    (0..3_u8)
        .map(|skipped| Alignment {
            lag: 0,
            ahead: 0,
            clock: Clock::Deals,
            steps_per_frame: 0,
            frame_first: true,
            at_start: true,
            groups: vec![Group {
                drawn: longest.start + 1 + usize::from(skipped)..longest.end + 1,
                deals: 0..usize::MAX,
            }],
            cost: 3.0 + 2.0 * f64::from(skipped),
        })
        .collect()
}

impl Alignment {
    /// The generator's steps from a draw to the end of the sample in which its deal is observed.
    pub(super) fn steps_early(&self) -> u32 {
        let samples = u32::from(low_8(self.lag)) + u32::from(!self.frame_first);
        samples * self.steps_per_frame
    }

    /// The draws of each deal; false if these cannot be, or if those of most deals are not known.
    fn fill(&mut self, trace: &Trace, series: &Series, observed: &Observations) -> bool {
        let rate = self.steps_per_frame as usize;
        for (event, dealt) in observed.dealt.iter().enumerate() {
            let deals = match event {
                // The first deals of a game are drawn together.
                0 if observed.from_start => 0..self.ahead + 1,
                // It may be the first of a game all the same.
                0 => continue,
                _ => event + self.ahead..event + self.ahead + 1,
            };
            if deals.end > observed.dealt.len() {
                break;
            }
            let Some(sample) = dealt.sample.checked_sub(self.lag).filter(|sample| *sample > 0) else {
                return false;
            };
            let (before, after) = (trace.index(sample - 1), trace.index(sample));
            let frames = usize::try_from(series.frames_before(sample)).unwrap_or(1).max(1) * rate;
            // If frames were missed, it is not known in which sample the draws are, and with a new seed nothing is.
            let has_missed = series.has_missed(sample..=dealt.sample) || rate > 0 && frames > rate;
            if trace.is_seeded(before, after) || has_missed {
                continue;
            }
            let Some(drawn) = (after - before).checked_sub(frames) else { return false };
            let start = before + if self.frame_first { frames } else { 0 };
            let drawn = match self.clock {
                // The first draw reads the state as it is.
                Clock::Frames => start..start + drawn + 1,
                Clock::Deals | Clock::Both => start + 1..start + 1 + drawn,
            };
            if drawn.end > trace.numbers.len() {
                return false;
            }
            self.groups.push(Group { drawn, deals });
        }
        2 * self.groups.len() > observed.dealt.len()
            && self.groups.iter().any(|group| !group.drawn.is_empty())
    }
}
