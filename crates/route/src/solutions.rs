//! The best ends of routes that a search found.

use std::cmp::Reverse;

/// How many routes a search reports.
#[derive(Clone, Copy)]
pub(super) struct RouteCount {
    /// 1 or more.
    pub most: usize,
    /// Also routes that differ only in the last placement.
    pub any_last: bool,
}

/// What decides between two routes, the greatest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Rank(u128, u32);

impl Rank {
    /// By one number, and among equals by another.
    pub fn new(first: u32, second: u32) -> Self {
        Self(first.into(), second)
    }

    /// By points per frame, and among equals by points. Two different fractions with denominators below 2^32 differ by more than 2^-64, so
    /// the whole part of the fraction times 2^64 compares them exactly.
    pub fn points_per_frame(points: u32, frames: u32) -> Self {
        Self((u128::from(points) << 64) / u128::from(frames.max(1)), points)
    }
}

/// A path to the goal: the last placement of a route.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Solution {
    /// The greatest first.
    pub rank: Rank,
    /// Among equals, the one that comes first in the layer.
    pub order: Reverse<(u32, u8)>,
}

impl Solution {
    fn parent(&self) -> u32 {
        self.order.0.0
    }
}

/// The best solutions, the best first.
#[derive(Default)]
pub(super) struct Solutions(pub Vec<Solution>);

impl Solutions {
    /// Adds a solution, unless enough others are better, or one is that differs only in the last placement.
    pub fn add(&mut self, solution: Solution, RouteCount { most, any_last }: RouteCount) {
        let Self(list) = self;
        if list.len() >= most && list.last().is_some_and(|worst| solution <= *worst) {
            return;
        }
        let is_same = |other: &Solution| !any_last && other.parent() == solution.parent();
        if let Some(same) = list.iter().position(is_same) {
            if solution <= list[same] {
                return;
            }
            list.remove(same);
        }
        let place = list.partition_point(|other| *other > solution);
        list.insert(place, solution);
        list.truncate(most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn fractions_are_compared_exactly(points in any::<[u32; 2]>(), frames in [1..=u32::MAX, 1..=u32::MAX], near in 0..3_u32) {
            let [one, other] = [0, 1].map(|nth| Rank::points_per_frame(points[nth], frames[nth]));
            let product = |nth: usize| u64::from(points[nth]) * u64::from(frames[1 - nth]);
            prop_assert_eq!(one.cmp(&other), product(0).cmp(&product(1)).then(points[0].cmp(&points[1])));
            // The closest fractions that there are: n / (n + 1) and the next one.
            let (n, m) = (frames[0].saturating_sub(2 + near), frames[0].saturating_sub(1 + near));
            let (low, high) = (Rank::points_per_frame(n, m), Rank::points_per_frame(m, m.saturating_add(1)));
            prop_assert!(m < 2 || low < high, "{n}/{m}");
        }
    }
}
