//! What a profile reads when no rule is certain.

use crate::learn::{
    Candidate, Followed, ListForm, ListedPieces, Opening, PieceCell, PieceList, Report, Verdict,
};
use crate::source::Address;
use nextscope_games::games::declared::{Deals, Symbol};

const KINDS: [Symbol; 3] = [Symbol::I, Symbol::J, Symbol::O];
const CODES: [(u8, u8); 3] = [(0, 5), (1, 4), (2, 9)];

fn cell(address: u64, ahead: usize) -> PieceCell {
    let (address, codes) = (Address(address), CODES.to_vec());
    PieceCell { address, ahead, lag: 0, is_child: false, codes, only_deals: true }
}

fn list(address: u64, stride: usize, is_reversed: bool, length: usize, ahead: usize) -> PieceList {
    let form = ListForm::Queue { length, ahead };
    PieceList { address: Address(address), stride, is_reversed, form, codes: CODES.to_vec() }
}

fn report(cells: &[PieceCell], lists: &[PieceList]) -> Report {
    Report {
        kinds: KINDS.to_vec(),
        generators: Vec::new(),
        cells: cells.to_vec(),
        lists: lists.to_vec(),
        bags: Vec::new(),
        candidates: Vec::<Candidate>::new(),
        verdict: Verdict::None,
        opening: Opening::NotSeen,
        tried: Vec::new(),
        was_stopped: false,
    }
}

/// The address, the entries and the bytes of the list, its stride, whether it is reversed, and the piece in play.
fn read(listed: &ListedPieces) -> (u64, usize, usize, u8, bool, Option<u64>) {
    let ListedPieces { codes, next, length, bytes, current, .. } = listed;
    (next.0, *length, *bytes, codes.stride, codes.reversed, current.map(|at| at.0))
}

#[test]
fn a_list_is_read_from_its_next_piece_on() {
    let current = [cell(0x82, 0), cell(0x60, 0)];
    for (list, expected) in [
        (list(0x80, 1, false, 5, 1), (0x80, 5, 5, 0, false, Some(0x60))),
        // The piece in play is its first one.
        (list(0x80, 1, false, 5, 0), (0x81, 4, 4, 0, false, Some(0x80))),
        (list(0x80, 2, false, 4, 0), (0x82, 3, 5, 2, false, Some(0x80))),
        (list(0x80, 2, true, 4, 0), (0x80, 3, 5, 2, true, Some(0x86))),
        (list(0x80, 1, true, 4, 1), (0x80, 4, 4, 0, true, Some(0x60))),
    ] {
        let report = report(&current, std::slice::from_ref(&list));
        let Some(Followed::List(listed)) = report.followed() else { panic!("{list:?}") };
        assert!(listed.is_list && listed.codes.codes == [5, 4, 9]);
        assert_eq!(read(&listed), expected, "{list:?}");
    }
}

#[test]
fn the_plainest_list_and_of_those_the_longest_is_read() {
    let lists = [list(0x40, 4, false, 9, 1), list(0x80, 1, false, 4, 1), list(0x90, 1, false, 6, 1)];
    let listed = report(&[], &lists).listed().expect("a list");
    assert_eq!(read(&listed), (0x90, 6, 6, 0, false, None));
    // A kind that never came has no code.
    let mut short = list(0x80, 1, false, 4, 1);
    short.codes.pop();
    assert_eq!(report(&[], &[short]).listed(), None);
    let bag =
        PieceList { form: ListForm::Bag { size: 7, complete: 0, still: None }, ..list(0x80, 1, false, 7, 1) };
    assert_eq!(report(&[], &[bag]).listed(), None);
}

#[test]
fn without_a_list_the_cells_of_the_next_pieces_are_read() {
    let listed = report(&[cell(0x3C, 0), cell(0x3E, 1)], &[]).listed().expect("cells");
    assert_eq!((read(&listed), listed.is_list), ((0x3E, 1, 1, 0, false, Some(0x3C)), false));
    assert_eq!(listed.describe(), "the next piece is read at 0x3E, the one in play at 0x3C");
    let listed = report(&[cell(0x3C, 0), cell(0x3E, 1), cell(0x3F, 2)], &[]).listed().expect("cells");
    assert_eq!(read(&listed), (0x3E, 2, 2, 0, false, Some(0x3C)));
    // One code each: nothing is known from a next piece alone, nor from cells with other codes.
    assert_eq!(report(&[cell(0x3E, 1)], &[]).listed(), None);
    let other = PieceCell { codes: vec![(0, 1), (1, 2), (2, 3)], ..cell(0x3C, 0) };
    assert_eq!(report(&[other, cell(0x3E, 1)], &[]).listed(), None);
    assert_eq!(report(&[], &[]).followed(), None);
}

/// The bytes of a pair in play may be apart, as those of objects on the screen are.
#[test]
fn pairs_side_by_side_are_a_list_without_the_pair_in_play() {
    let pair = |address, ahead| {
        let child = PieceCell { is_child: true, ..cell(address + 1, ahead) };
        [cell(address, ahead), child]
    };
    let colors = |cells: &[[PieceCell; 2]], apart: bool| {
        let mut cells = cells.concat();
        if apart {
            cells.extend([cell(0x20, 0), PieceCell { is_child: true, ..cell(0x60, 0) }]);
        }
        let kinds = vec![Symbol::R, Symbol::Y, Symbol::G];
        Report { kinds, ..report(&cells, &[]) }.listed()
    };
    // What is shown of the next one elsewhere is less than the list.
    let listed = colors(&[pair(0x40, 1), pair(0x80, 1), pair(0x82, 2), pair(0x84, 3)], true).expect("a list");
    assert_eq!((read(&listed), listed.is_list), ((0x80, 3, 6, 0, false, None), true));
    assert_eq!(listed.codes.deals, Deals::Pairs);
    // Two pairs are too few, unless the one in play is known.
    let two = [pair(0x80, 1), pair(0x82, 2)];
    assert_eq!(colors(&two, true), None);
    let [one, other] = two;
    let listed = colors(&[one, other, pair(0x90, 0)], false).expect("cells");
    assert_eq!((read(&listed), listed.is_list), ((0x80, 2, 4, 0, false, Some(0x90)), false));
}
