#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "numbers made up for tests")]

use super::*;
use nextscope_emulator::process::ByteArray;
use nextscope_emulator::process::HostAddr;

const PAINTED: &str = "
    ......
    ..R...
    .GR..B
    BGGRYB
    YYGBB?
";

fn find(bytes: Vec<u8>) -> Vec<BoardHit> {
    let painted = BoardPattern::from_text(PAINTED).expect("a board");
    let source = ByteArray { base: HostAddr(0xFF_0000), bytes };
    find_board(&source, &painted, &Progress::default()).expect("it can be read")
}

/// Writes the board with the given strides and codes into other bytes.
fn board(at: usize, right: isize, down: isize, code: impl Fn(u8, usize) -> u8) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..4096u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let rows = PAINTED.lines().map(str::trim).filter(|row| !row.is_empty());
    for (y, row) in rows.enumerate() {
        for (x, cell) in row.bytes().enumerate() {
            let offset = x as isize * right + y as isize * down;
            bytes[at.checked_add_signed(offset).expect("inside")] = code(cell, x);
        }
    }
    bytes
}

#[test]
fn a_board_is_found_in_every_order_of_rows_and_columns() {
    let code =
        |cell: u8, _: usize| b".RGBY?".iter().position(|known| *known == cell).expect("known") as u8 * 3;
    for (right, down) in [(1, 6), (2, 12), (1, 8), (-1, 6), (1, -6), (4, -40), (5, 1), (-6, 1), (10, -2)] {
        let hits = find(board(2000, right, down, code));
        assert_eq!(hits.len(), 1, "{right} {down}: {hits:?}");
        assert_eq!(hits[0].address, Address(0xFF_0000 + 2000));
        assert_eq!((hits[0].column_stride as isize, hits[0].row_stride as isize), (right, down));
        assert_eq!((hits[0].mask, hits[0].codes[1]), (0xFF, (b'R', 3)));
    }
}

#[test]
fn a_half_of_the_cell_that_holds_other_things_is_left_out() {
    // As in Puyo Puyo Tsu: the code in the upper half, joined neighbours in the lower one.
    let code = |cell: u8, x: usize| match cell {
        b'.' => 0,
        _ => {
            let code = b"RY?GPB".iter().position(|known| *known == cell).expect("known") as u8;
            0x80 | code << 4 | (x as u8 * 5) & 15
        }
    };
    let hits = find(board(1000, 2, 12, code));
    assert_eq!(hits.len(), 1);
    assert_eq!((hits[0].mask, hits[0].row_stride), (0xF0, 12));
}

#[test]
fn what_is_no_board_or_could_be_anywhere_is_refused() {
    assert!(matches!(BoardPattern::from_text(""), Err(BoardError::NotAGrid)));
    assert!(matches!(BoardPattern::from_text("AB\nABC"), Err(BoardError::NotAGrid)));
    assert!(matches!(BoardPattern::from_text("AAAA\nAAAA"), Err(BoardError::TooLittle { kinds: 1, .. })));
    assert!(matches!(BoardPattern::from_text("A?B?\n????"), Err(BoardError::TooLittle { painted: 2, .. })));
}
