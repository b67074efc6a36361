//! A step of a chain over all colours together, written once for vectors of every width, as macros: `$width` is a module with the operations.
//!
//! `ternary` is an operation of three inputs by its truth table, `count_16` counts the bits of each column, `down_by` moves each column down by
//! so many cells, at least one, and `test` is 0 if two vectors have no bit in common. The other names say what they do to each bit or column.

// Truth tables of three inputs, as the instruction expects them: the first input is 0xF0, the second 0xCC, the third 0xAA.
pub const FIRST: i32 = 0xF0;
pub const SECOND: i32 = 0xCC;
pub const THIRD: i32 = 0xAA;
pub const ANY: i32 = FIRST | SECOND | THIRD;
pub const ALL: i32 = FIRST & SECOND & THIRD;
pub const BOTH_OR_THIRD: i32 = FIRST & SECOND | THIRD;
pub const TWO_OF_THREE: i32 = FIRST & SECOND | FIRST & THIRD | SECOND & THIRD;
pub const EITHER_AND_THIRD: i32 = (FIRST | SECOND) & THIRD;
pub const CHOICE: i32 = FIRST & SECOND | !FIRST & THIRD;
pub const BOTH_WITHOUT_THIRD: i32 = FIRST & SECOND & !THIRD & 0xFF;
pub const LIKE_AND_THIRD: i32 = !(FIRST ^ SECOND) & THIRD & 0xFF;
pub const THIRD_WITH_FIRST_WITHOUT_SECOND: i32 = FIRST & !SECOND & THIRD;

/// Shifts by one cell: up, down, right, left. Bits that leave a column are lost; bits that leave the board have no effect.
macro_rules! up {
    ($width:ident, $cells:expr) => {
        $width::shifted_up::<1>($cells)
    };
}
macro_rules! down {
    ($width:ident, $cells:expr) => {
        $width::shifted_down::<1>($cells)
    };
}
macro_rules! right {
    ($width:ident, $cells:expr) => {
        $width::bytes_up::<2>($cells)
    };
}
macro_rules! left {
    ($width:ident, $cells:expr) => {
        $width::bytes_down::<2>($cells)
    };
}

/// The visible puyos with a neighbour of the same colour below, above, to the left, to the right, for all colours
/// together. The operations are arranged for short dependency chains, here and below.
macro_rules! links {
    ($width:ident, $planes:expr, $visible:expr) => {{
        let [low, middle, high] = $planes;
        let puyos = $width::ternary::<BOTH_OR_THIRD>(low, middle, high);
        let like_low = $width::ternary::<LIKE_AND_THIRD>(low, up!($width, low), $visible);
        let unlike_middle = $width::xor(middle, up!($width, middle));
        let like_high = $width::ternary::<LIKE_AND_THIRD>(high, up!($width, high), puyos);
        let below = $width::ternary::<BOTH_WITHOUT_THIRD>(like_low, like_high, unlike_middle);
        let like_low = $width::ternary::<LIKE_AND_THIRD>(low, right!($width, low), $visible);
        let unlike_middle = $width::xor(middle, right!($width, middle));
        let like_high = $width::ternary::<LIKE_AND_THIRD>(high, right!($width, high), puyos);
        let to_left = $width::ternary::<BOTH_WITHOUT_THIRD>(like_low, like_high, unlike_middle);
        [below, down!($width, below), to_left, left!($width, to_left)]
    }};
}

/// Cells that are certainly in a group of four or more: those with three links, and two linked cells with two links each
/// (see `groups_of_four`). In two halves, whose combination is known one operation later.
macro_rules! sure {
    ($width:ident, $links:expr) => {{
        let [below, above, to_left, to_right] = $links;
        // The links above and to the right are known one operation later than the others.
        let (either, both) = ($width::or(below, to_left), $width::and(below, to_left));
        let later = $width::or(above, to_right);
        let two = $width::or($width::ternary::<TWO_OF_THREE>(either, above, to_right), both);
        let three = $width::ternary::<EITHER_AND_THIRD>(above, to_right, both);
        let three = $width::or($width::ternary::<ALL>(either, above, to_right), three);
        // Of cells with another link too. The same as cells of `two` with this link, but known earlier.
        let [below, above, to_left, to_right] = [
            $width::ternary::<EITHER_AND_THIRD>(later, to_left, below),
            $width::ternary::<EITHER_AND_THIRD>(either, to_right, above),
            $width::ternary::<EITHER_AND_THIRD>(later, below, to_left),
            $width::ternary::<EITHER_AND_THIRD>(either, above, to_right),
        ];
        let some = $width::ternary::<BOTH_OR_THIRD>(up!($width, two), below, three);
        let some = $width::ternary::<BOTH_OR_THIRD>(right!($width, two), to_left, some);
        let more = $width::and(down!($width, two), above);
        let more = $width::ternary::<BOTH_OR_THIRD>(left!($width, two), to_right, more);
        [some, more]
    }};
}

/// The groups of the certain cells: every other cell of a group of four or more is linked to a certain one.
macro_rules! groups {
    ($width:ident, $sure:expr, $links:expr) => {{
        let [below, above, to_left, to_right] = $links;
        let [some, more] = $sure;
        let above_one = $width::ternary::<EITHER_AND_THIRD>(up!($width, some), up!($width, more), below);
        let below_one = $width::ternary::<EITHER_AND_THIRD>(down!($width, some), down!($width, more), above);
        let right_of_one =
            $width::ternary::<EITHER_AND_THIRD>(right!($width, some), right!($width, more), to_left);
        let left_of_one =
            $width::ternary::<EITHER_AND_THIRD>(left!($width, some), left!($width, more), to_right);
        let one = $width::or(some, more);
        let some = $width::ternary::<ANY>(above_one, below_one, one);
        let more = $width::or(right_of_one, left_of_one);
        $width::or(some, more)
    }};
}

/// A board's cells as a vector.
macro_rules! lane {
    ($simd:expr, $cells:expr) => {
        __m128i::from(u8x16::simd_from($simd, $cells.to_ne_bytes()))
    };
}

/// A vector of 128 bits as a board's cells.
macro_rules! cells {
    ($simd:expr, $lane:expr) => {
        u128::from_ne_bytes(<[u8; 16]>::from(u8x16::simd_from($simd, $lane)))
    };
}

/// The cells below a run in each column, and those up to its upper end: all, in a column without a run.
macro_rules! below_and_up_to {
    ($width:ident, $run:expr) => {{
        let below = $width::without($run, $width::sub_16($run, $width::all_16(1)));
        [below, $width::or(below, $run)]
    }};
}

/// Removes one run of cells from each column, so that the cells above it fall; returns the number of rows.
macro_rules! fall {
    ($width:ident, [$low:ident, $middle:ident, $high:ident], $run:expr, $limits:expr) => {{
        let rows = $width::count_16($run);
        $low = $width::fallen($low, $limits, rows);
        $middle = $width::fallen($middle, $limits, rows);
        $high = $width::fallen($high, $limits, rows);
        rows
    }};
}

/// The remaining cells after the lowest run of each column is removed.
macro_rules! rest {
    ($width:ident, $cells:expr) => {{
        let lowest = $width::and($cells, $width::sub_16($width::zero(), $cells));
        $width::and($cells, $width::add_16($cells, lowest))
    }};
}

/// Removes popping groups and the garbage next to them; hard blocks next to them become garbage; then everything falls.
macro_rules! without {
    ($width:ident, [$low:ident, $middle:ident, $high:ident], $popping:expr, $visible:expr, $has_others:expr) => {
        let mut gone = $popping;
        if $has_others {
            let near = $width::ternary::<ANY>(up!($width, gone), down!($width, gone), left!($width, gone));
            let near = $width::and($width::or(near, right!($width, gone)), $visible);
            let near = $width::without($high, near);
            let hard = $width::ternary::<THIRD_WITH_FIRST_WITHOUT_SECOND>($middle, $low, near);
            let ojama = $width::ternary::<THIRD_WITH_FIRST_WITHOUT_SECOND>($low, $middle, near);
            $low = $width::or($low, hard);
            $middle = $width::without(hard, $middle);
            gone = $width::or(gone, ojama);
        }
        // Usually the removed cells are one run in each column; otherwise the lowest run is removed first.
        let limits = below_and_up_to!($width, gone);
        if $width::test(limits[1], $width::add_16(limits[1], $width::all_16(1))) == 0 {
            fall!($width, [$low, $middle, $high], gone, limits);
        } else {
            loop {
                let rest = rest!($width, gone);
                let run = $width::without(rest, gone);
                let limits = below_and_up_to!($width, run);
                let rows = fall!($width, [$low, $middle, $high], run, limits);
                if $width::test(rest, rest) == 0 {
                    break;
                }
                gone = $width::down_by(rest, rows);
            }
        }
    };
}

pub(super) use {
    below_and_up_to, cells, down, fall, groups, lane, left, links, rest, right, sure, up, without,
};
