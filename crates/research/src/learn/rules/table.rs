//! Tables of numbers in RAM that an index reads in a loop.

use super::super::generators::counters;
use super::super::observed::Observations;
use super::super::series::Series;
use super::super::trace::Trace;
use super::super::windows::alignments;
use super::draws::{below, draws};
use super::labels::{Labels, kind_bits};
use nextscope_games::games::declared::Method;
use nextscope_task::Progress;
use rayon::prelude::*;

/// Improbability of a table, in bits, of up to 2^22 places and a few ways to read it.
const BITS_LEAST: f64 = 40.0;

/// The tables whose numbers explain the deals by one draw each.
pub(in crate::learn) fn tables(series: &Series, observed: &Observations, progress: &Progress) -> Vec<Trace> {
    if observed.group() != 1 {
        return Vec::new();
    }
    let kinds = observed.count();
    let bits = kind_bits(&observed.units(), kinds);
    let draws = draws(8, &[Method::Modulo, Method::MultiplyHigh], kinds);
    let memory = series.memory(0);
    let mut found = Vec::new();
    let mut tried: Vec<Vec<(usize, u8)>> = Vec::new();
    for counter in counters(series) {
        // The index itself is followed as the numbers of a table would be.
        let Some(index) = counter.trace(series, 0) else { continue };
        for alignment in alignments(&index, series, observed).iter().filter(|alignment| !alignment.at_start) {
            let last: Vec<(usize, u8)> = alignment
                .groups
                .iter()
                .filter(|group| group.deals.len() == 1 && !group.drawn.is_empty() && group.deals.start > 0)
                .filter_map(|group| {
                    let at = usize::try_from(*index.states.get(group.drawn.end - 1)?).ok()?;
                    Some((at, observed.dealt.get(group.deals.start)?.kind))
                })
                .collect();
            // A place of a table means one kind, so that most other counters are excluded before any table is looked for.
            let is_consistent =
                last.iter().all(|(at, kind)| last.iter().all(|other| other.0 != *at || other.1 == *kind));
            if !is_consistent || tried.contains(&last) {
                continue;
            }
            let at = |start: usize| {
                draws.iter().find_map(|costed| {
                    let mut labels = Labels::new(kinds, kinds, bits);
                    let good = last.iter().all(|(at, kind)| {
                        let number = memory.get(start + at).copied().unwrap_or(0);
                        below(&costed.draw, number.into(), 0, kinds)
                            .is_some_and(|drawn| labels.agree(drawn, *kind, kinds))
                    });
                    (good && labels.bits >= BITS_LEAST).then_some(start)
                })
            };
            let starts: Vec<usize> = (0..memory.len().saturating_sub(counter.length)).collect();
            let starts: Vec<usize> = starts
                .par_iter()
                .take_any_while(|_| !progress.is_over())
                .filter_map(|start| at(*start))
                .collect();
            tried.push(last);
            found.extend(starts.iter().filter_map(|start| counter.trace(series, *start)));
            if !found.is_empty() {
                return found;
            }
        }
    }
    found
}
