//! The rule for the first deal of a game, which the others are tested without.

use super::Task;
use super::draws::{CostedDraw, below};
use super::labels::Labels;
use nextscope_games::games::declared::First;

/// What the first deal of a game needs besides the rule: nothing, or its own rule. None if neither explains it.
pub(super) fn rule(task: &Task<'_>, costed: &CostedDraw, labels: &Labels) -> Option<Option<First>> {
    if !task.may_be_first(0) {
        return Some(None);
    }
    let Some(drawn) = task.own_draws(0) else { return Some(None) };
    let added = costed.added(0, 0);
    let kinds: Vec<Option<u8>> = drawn
        .iter()
        .filter_map(|number| below(&costed.draw, *number, added, labels.len()))
        .map(|drawn| labels.kind(drawn))
        .collect();
    let (last, rejected) = kinds.split_last()?;
    if *last != Some(task.halves(0)[0]) {
        return None;
    }
    let mut rejected: Vec<u8> =
        rejected.iter().map(|kind| kind.filter(|kind| Some(*kind) != *last)).collect::<Option<_>>()?;
    rejected.sort_unstable();
    rejected.dedup();
    if rejected.is_empty() {
        return Some(None);
    }
    let kinds = rejected.into_iter().map(|kind| task.observed.kinds[usize::from(kind)]).collect();
    Some(Some(First::Exclude { kinds }))
}
