//! Finds the predicted round that is closest to RAM, although some cells may be wrong.

/// The round with the smallest distance, what it was derived from, and that distance in cells. An exact match ends the search.
/// None when every round differs in more than `most` cells: then all are unrelated.
pub fn nearest<R, H>(
    rounds: impl Iterator<Item = (R, H)>,
    max_distance: usize,
    distance: impl Fn(&R) -> usize,
) -> Option<(R, H, usize)> {
    let mut best: Option<(R, H, usize)> = None;
    for (round, source) in rounds {
        let apart = distance(&round);
        if apart <= max_distance && best.as_ref().is_none_or(|(_, _, least)| apart < *least) {
            best = Some((round, source, apart));
            if apart == 0 {
                break;
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_nearest_round_is_returned_and_an_exact_match_ends_the_search() {
        let rounds = |all: &'static [usize]| all.iter().copied().zip("abcdef".chars());
        assert_eq!(nearest(rounds(&[5, 3, 4, 3]), 4, |apart| *apart), Some((3, 'b', 3)));
        assert_eq!(nearest(rounds(&[5, 6]), 4, |apart| *apart), None);
        let mut left = rounds(&[2, 0, 1]);
        assert_eq!(nearest(left.by_ref(), 4, |apart| *apart), Some((0, 'b', 0)));
        assert_eq!(left.next(), Some((1, 'c')));
    }
}
