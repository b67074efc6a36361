//! Which of several rounds it was, when some of what is seen may be wrong.

/// The round that comes nearest to what stands in RAM, with what told of it, and the number of cells that differ. An exact one
/// ends the search; None when none is within `most` cells, for then all are unrelated.
pub fn nearest<R, H>(
    rounds: impl Iterator<Item = (R, H)>,
    most: usize,
    distance: impl Fn(&R) -> usize,
) -> Option<(R, H, usize)> {
    let mut best: Option<(R, H, usize)> = None;
    for (round, how) in rounds {
        let apart = distance(&round);
        if apart <= most && best.as_ref().is_none_or(|(_, _, least)| apart < *least) {
            best = Some((round, how, apart));
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
    fn the_nearest_counts_and_an_exact_one_ends_the_search() {
        let rounds = |all: &'static [usize]| all.iter().copied().zip("abcdef".chars());
        assert_eq!(nearest(rounds(&[5, 3, 4, 3]), 4, |apart| *apart), Some((3, 'b', 3)));
        assert_eq!(nearest(rounds(&[5, 6]), 4, |apart| *apart), None);
        let mut left = rounds(&[2, 0, 1]);
        assert_eq!(nearest(left.by_ref(), 4, |apart| *apart), Some((0, 'b', 0)));
        assert_eq!(left.next(), Some((1, 'c')));
    }
}
