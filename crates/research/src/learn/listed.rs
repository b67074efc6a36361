//! The pieces to come in RAM that a profile can follow when no rule is certain.

use super::Report;
use super::content::{ListForm, PieceCell, PieceList, QUEUE_LEAST};
use super::still::{ListPosition, StillList};
use super::verdict::Candidate;
use crate::source::Address;
use nextscope_games::games::declared::{Deals, ListEnd, PieceCodes, Position, Symbol};

/// The longest list of a profile, in entries.
const LONGEST: usize = 64;

/// The list of the pieces to come, or the cells of the next ones, and the one in play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedPieces {
    /// How they stand in RAM.
    pub codes: PieceCodes,
    /// The address of the first byte of the list.
    pub next: Address,
    /// Its entries.
    pub length: usize,
    /// Its bytes.
    pub bytes: usize,
    /// The piece in play.
    pub current: Option<Address>,
    /// For a list that does not move: the byte that says which entry is in play, and other bytes that may be it.
    pub position: Option<(Address, Vec<Address>)>,
    /// Whether it is a list, and not only cells of the next pieces, of which there are few.
    pub is_list: bool,
}

impl ListedPieces {
    /// In a few words.
    pub fn describe(&self) -> String {
        let unit = self.codes.deals.unit();
        let what = match (self.length, &self.position) {
            (length, Some((at, _))) => format!("of {length} entries that do not move, the next by {at}, are"),
            (1, None) => format!("the next {unit} is"),
            (length, None) => format!("the next {length} {unit}s are"),
        };
        let current = self.current.map_or_else(String::new, |at| format!(", the one in play at {at}"));
        format!("{what} read at {}{current}", self.next)
    }
}

/// What a profile follows.
#[derive(Clone, PartialEq, Debug)]
pub enum Followed<'a> {
    /// The generator, by a rule.
    Rule(&'a Candidate),
    /// The pieces to come in RAM.
    List(ListedPieces),
}

impl Report {
    /// What a profile follows: a certain rule before a list, and a list before a rule that is not certain. The cells of the next pieces come
    /// last: they say no more than the screen. None if nothing is known.
    pub fn followed(&self) -> Option<Followed<'_>> {
        match (self.best(), self.listed()) {
            (Some(best), listed)
                if self.is_certain() || listed.as_ref().is_none_or(|listed| !listed.is_list) =>
            {
                Some(Followed::Rule(best))
            }
            (_, listed) => listed.map(Followed::List),
        }
    }

    /// The pieces to come that can be followed in RAM: a list, or else the cells of the next ones and of the one in play.
    pub fn listed(&self) -> Option<ListedPieces> {
        let queue = |list: &PieceList| match list.form {
            ListForm::Queue { length, ahead } => Some((length.min(LONGEST), ahead)),
            ListForm::Bag { .. } | ListForm::Fixed { .. } => None,
        };
        let lists = self.lists.iter().filter_map(|list| Some((list, queue(list)?)));
        // The plainest first, and of those the longest.
        let mut lists: Vec<(&PieceList, (usize, usize))> = lists.collect();
        lists.sort_by_key(|(list, (length, _))| (list.stride, list.is_reversed, usize::MAX - length));
        let list = lists.into_iter().find_map(|(list, (length, ahead))| self.of_list(list, length, ahead));
        list.or_else(|| self.of_still_lists()).or_else(|| self.of_cells())
    }

    /// What is read of pairs are their cells: lists of them are not searched.
    fn deals(&self) -> Deals {
        if self.kinds.iter().any(|kind| kind.piece().is_none()) { Deals::Pairs } else { Deals::Pieces }
    }

    /// The codes of these kinds, of the codes of a cell or a list; None if not each was dealt.
    pub(super) fn codes_of(&self, kinds: &[Symbol], codes: &[(u8, u8)]) -> Option<Vec<u8>> {
        let is = |kind: u8, symbol: &Symbol| self.kinds.get(usize::from(kind)) == Some(symbol);
        let code = |symbol| codes.iter().find(|(kind, _)| is(*kind, symbol)).map(|(_, code)| *code);
        kinds.iter().map(code).collect()
    }

    fn of_list(&self, list: &PieceList, length: usize, ahead: usize) -> Option<ListedPieces> {
        if self.deals() == Deals::Pairs {
            return None;
        }
        let place = |nth: usize| list.address.offset((nth * list.stride) as u64);
        // The one in play is the first that is dealt.
        let in_list = (ahead == 0).then(|| if list.is_reversed { place(length - 1) } else { place(0) });
        let (next, length) = match (in_list, list.is_reversed) {
            (Some(_), false) => (place(1), length - 1),
            (Some(_), true) => (place(0), length - 1),
            (None, _) => (place(0), length),
        };
        let bytes = (length - 1) * list.stride + 1;
        let codes = self.piece_codes(list, None)?;
        let current = in_list.or_else(|| self.current_outside(list, next, bytes));
        Some(ListedPieces { codes, next, length, bytes, current, position: None, is_list: true })
    }

    /// How a list has its pieces; None if not each kind was dealt.
    fn piece_codes(&self, list: &PieceList, position: Option<Position>) -> Option<PieceCodes> {
        Some(PieceCodes {
            kinds: self.kinds.clone(),
            codes: self.codes_of(&self.kinds, &list.codes)?,
            deals: self.deals(),
            stride: if list.stride == 1 { 0 } else { u8::try_from(list.stride).ok()? },
            reversed: list.is_reversed,
            position,
        })
    }

    /// The cell of the piece in play with the codes of a list, outside of its bytes; of a pair the first of both.
    fn current_outside(&self, list: &PieceList, next: Address, bytes: usize) -> Option<Address> {
        let is_inside = |address: Address| (next.0..next.0 + bytes as u64).contains(&address.0);
        let has_child = |address: Address| {
            let child = (address.offset(1), 0, true);
            self.cells.iter().any(|cell| (cell.address, cell.ahead, cell.is_child) == child)
        };
        let is_current = |cell: &&PieceCell| {
            (cell.ahead, cell.is_child) == (0, false)
                && cell.codes == list.codes
                && !is_inside(cell.address)
                && (self.deals() == Deals::Pieces || has_child(cell.address))
        };
        self.cells.iter().find(is_current).map(|cell| cell.address)
    }

    /// The plainest of the lists that do not move.
    fn of_still_lists(&self) -> Option<ListedPieces> {
        let of = |list: &PieceList| match &list.form {
            ListForm::Fixed { still: Some(still), .. } => self.of_still(list, still, ListEnd::Unknown),
            ListForm::Bag { still: Some(still), .. } => self.of_still(list, still, ListEnd::Refill),
            _ => None,
        };
        let plainness = |listed: &ListedPieces| (listed.codes.stride, listed.codes.reversed);
        self.lists.iter().filter_map(of).min_by_key(plainness)
    }

    fn of_still(&self, list: &PieceList, still: &StillList, then: ListEnd) -> Option<ListedPieces> {
        let deals = self.deals();
        let unit = deals.bytes() as usize;
        // The halves of a pair are side by side, the axis first.
        if deals == Deals::Pairs && (list.stride != 1 || list.is_reversed) {
            return None;
        }
        let bytes = (still.length - 1) * list.stride * unit + unit;
        let current = self.current_outside(list, still.start, bytes)?;
        let ListPosition { address, first, step, others } = &still.position;
        let position = Position {
            first: *first,
            step: if step.unsigned_abs() == 1 { 0 } else { step.unsigned_abs() },
            counts_down: *step < 0,
            then,
        };
        Some(ListedPieces {
            codes: self.piece_codes(list, Some(position))?,
            next: still.start,
            length: still.length,
            bytes,
            current: Some(current),
            position: Some((*address, others.clone())),
            is_list: true,
        })
    }

    fn of_cells(&self) -> Option<ListedPieces> {
        let deals = self.deals();
        let unit = deals.bytes() as usize;
        let has = |codes: &[(u8, u8)], address: Address, ahead: usize| {
            let half = |is_child: bool, address: Address| {
                let is_it = |cell: &PieceCell| {
                    (cell.address, cell.ahead, cell.is_child) == (address, ahead, is_child)
                        && cell.codes == codes
                };
                self.cells.iter().any(is_it)
            };
            half(false, address) && (unit == 1 || half(true, address.offset(1)))
        };
        let axes = |ahead: usize| {
            let of = move |cell: &&PieceCell| cell.ahead == ahead && !cell.is_child;
            let whole = move |cell: &&PieceCell| has(&cell.codes, cell.address, ahead);
            self.cells.iter().filter(of).filter(whole)
        };
        let found = axes(1).filter_map(|next| {
            let codes = self.codes_of(&self.kinds, &next.codes)?;
            let current = axes(0).find(|current| current.codes == next.codes).map(|current| current.address);
            let after = |nth: usize| next.address.offset((nth * unit) as u64);
            let is_after = |nth: &usize| has(&next.codes, after(*nth), nth + 1);
            let length = 1 + (1..LONGEST).take_while(is_after).count();
            let is_list = length >= QUEUE_LEAST;
            let kinds = self.kinds.clone();
            let codes = PieceCodes { kinds, codes, deals, stride: 0, reversed: false, position: None };
            let bytes = length * unit;
            let (next, position) = (next.address, None);
            let listed = ListedPieces { codes, next, length, bytes, current, position, is_list };
            (is_list || current.is_some()).then_some(listed)
        });
        // The first of those that are as long.
        found.min_by_key(|listed| (usize::MAX - listed.length, listed.current.is_none()))
    }
}
