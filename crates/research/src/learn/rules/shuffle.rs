//! The shuffles of the language, on numbers that were drawn.

use super::reader::{Mismatch, Reader};
use nextscope_games::games::declared::{Draw, Shuffle, ShuffleMethod};

/// The shuffles that have no further numbers, and how many bits it takes to say each.
pub(super) const PLAIN: [(ShuffleMethod, f64); 7] = [
    (ShuffleMethod::Down, 2.0),
    (ShuffleMethod::Up, 2.0),
    (ShuffleMethod::AnyUp, 3.0),
    (ShuffleMethod::InsideOut, 3.5),
    (ShuffleMethod::Remaining, 3.0),
    (ShuffleMethod::Retry, 3.0),
    (ShuffleMethod::AnyDown, 4.0),
];

/// A shuffle without further numbers.
pub(super) const fn plain(method: ShuffleMethod, last_draw: bool) -> Shuffle {
    Shuffle { method, rows: Vec::new(), count: 0, last_draw, draw: None }
}

/// Whether a number for the last item makes a difference to a shuffle.
pub(super) const fn has_last_draw(method: ShuffleMethod) -> bool {
    !matches!(
        method,
        ShuffleMethod::AnyUp | ShuffleMethod::AnyDown | ShuffleMethod::Swaps | ShuffleMethod::Rows
    )
}

/// Shuffles as the engine of declared randomizers does.
///
/// # Errors
/// [`Mismatch`] if there are fewer numbers.
pub(super) fn shuffle(
    reader: &mut Reader<'_>,
    shuffle: &Shuffle,
    draw: &Draw,
    cells: &mut [u8],
) -> Result<(), Mismatch> {
    let count = cells.len();
    let skipped = usize::from(!shuffle.last_draw);
    match shuffle.method {
        ShuffleMethod::Up => {
            for at in 0..count - skipped {
                let drawn = reader.place(draw, count - at)?;
                cells.swap(at, at + drawn);
            }
        }
        ShuffleMethod::Down => {
            for at in (skipped..count).rev() {
                cells.swap(at, reader.place(draw, at + 1)?);
            }
        }
        ShuffleMethod::InsideOut => {
            for at in skipped..count {
                cells.swap(at, reader.place(draw, at + 1)?);
            }
        }
        ShuffleMethod::AnyUp => {
            for at in 0..count {
                cells.swap(at, reader.place(draw, count)?);
            }
        }
        ShuffleMethod::AnyDown => {
            for at in (0..count).rev() {
                cells.swap(at, reader.place(draw, count)?);
            }
        }
        ShuffleMethod::Remaining => {
            for at in 0..count - skipped {
                let drawn = reader.place(draw, count - at)?;
                cells[at..=at + drawn].rotate_right(1);
            }
        }
        ShuffleMethod::Retry => {
            let from = cells.to_vec();
            let mut taken = vec![false; count];
            for (left, cell) in (1..=count).rev().zip(cells) {
                *cell = from[untaken(reader, draw, &mut taken, left, shuffle.last_draw)?];
            }
        }
        ShuffleMethod::Swaps => {
            for _ in 0..shuffle.count {
                let one = reader.place(draw, count)?;
                let two = reader.place(draw, count)?;
                cells.swap(one, two);
            }
        }
        ShuffleMethod::Rows => {
            for length in shuffle.rows.iter().map(|length| usize::from(*length)) {
                for start in (0..count.saturating_sub(length)).step_by(length.max(1)) {
                    for _ in 0..length / 2 {
                        let upper = reader.place(draw, length)?;
                        let lower = reader.place(draw, length)?;
                        if start + length + lower < count {
                            cells.swap(start + upper, start + length + lower);
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

/// A place that was not taken before, of which there are `left`; it is then taken.
pub(super) fn untaken(
    reader: &mut Reader<'_>,
    draw: &Draw,
    taken: &mut [bool],
    left: usize,
    last_draw: bool,
) -> Result<usize, Mismatch> {
    let only = taken.iter().position(|taken| !taken).unwrap_or(0);
    if left == 1 && !last_draw {
        return Ok(only);
    }
    loop {
        let place = reader.place(draw, taken.len())?;
        if !taken[place] {
            taken[place] = true;
            return Ok(place);
        }
    }
}
