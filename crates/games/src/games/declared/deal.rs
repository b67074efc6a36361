//! The rules: from numbers to kinds, and from kinds to deals.

use super::compile::{FirstRule, HistoryRule, Mixer, Program, Rule};
use super::draw::NumberDraw;
use super::generator::GeneratorState;
use super::language::{
    Addend, Clock, Deals, Method, MixedPool, PairForm, QueueEnd, QueueOrder, ShuffleMethod,
};

/// Redraws after which a number is taken whatever it is: a generator that never leaves a few states would be drawn from forever.
pub(super) const MAX_REDRAWS: u32 = 10_000;
/// Draws for one deal, those of its queue included: no game needs as many, but a file can ask for draws that take hours.
pub(super) const MAX_DEAL_DRAWS: u32 = 1 << 22;
/// No kind.
const NONE: u8 = u8::MAX;

/// Everything that the next deals depend on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct DealState {
    pub generator: GeneratorState,
    /// Whether a number was taken because draws did not end. All later ones are then 0.
    pub stuck: bool,
    /// Draws that one deal may make.
    pub limit: u32,
    /// How many of them are left.
    left: u32,
    /// Whether the next draw reads the state without a step.
    reads_first: bool,
    /// Whether the first deal is over although none was made.
    is_resumed: bool,
    /// Steps that draws made, modulo 2^32.
    pub steps: u32,
    /// Whether a queue is made at the start, as in the game, also where the deals would be the same otherwise.
    pub is_eager: bool,
    /// Deals made so far.
    made: u64,
    /// The code of the last piece, or the number of the last pair.
    last: u64,
    /// The last kinds, newest first.
    history: [u8; 8],
    /// The bag or the pool.
    cells: Vec<u8>,
    /// The cells of a bag that are still to be dealt, or the next cell of a pool.
    at: usize,
    drought: Vec<u32>,
    queue: Vec<u8>,
    dealt: u64,
    pub taken: Vec<bool>,
    pub scratch: Vec<u8>,
}

impl DealState {
    /// The state before a game is started; one deal may make `limit` draws.
    pub fn new(limit: u32) -> Self {
        Self { limit, ..Self::default() }
    }
}

/// The longest drought that refills found, and its kind.
#[derive(Default)]
struct Longest {
    drought: u32,
    kind: u8,
}

impl Program {
    pub(super) fn restart(&self, state: &mut DealState, seed: u64) {
        self.stepper.seed(&mut state.generator, seed);
        for _ in 0..self.description.seed.steps {
            self.stepper.step(&mut state.generator);
        }
        (state.stuck, state.reads_first, state.is_resumed, state.steps) = (false, false, false, 0);
        (state.made, state.last, state.dealt, state.at, state.left) = (0, 0, 0, 0, 0);
        state.history = [NONE; 8];
        state.queue.clear();
        state.cells.clear();
        if let Rule::History(HistoryRule { initial, .. })
        | Rule::DroughtPool { history: HistoryRule { initial, .. }, .. } = &self.rule
        {
            state.history[..initial.len()].copy_from_slice(initial);
        }
        if let Rule::DroughtPool { cells, drought, .. } = &self.rule {
            state.cells.extend_from_slice(cells);
            state.drought.clear();
            state.drought.resize(self.kinds.into(), *drought);
        }
    }

    /// How many of the last kinds the next deals depend on; None if they depend on more than that.
    pub(super) fn memory(&self) -> Option<usize> {
        if self.queue.is_some_and(|queue| queue.then == QueueEnd::Repeat) {
            return None;
        }
        let last = usize::from(self.draw.add == Some(Addend::Last));
        match &self.rule {
            Rule::Direct => Some(last),
            Rule::History(rule) => {
                let again = usize::from(rule.again.add == Some(Addend::Last));
                Some(rule.length.max(last).max(again))
            }
            Rule::Bag { .. } | Rule::Pools { .. } | Rule::DroughtPool { .. } => None,
        }
    }

    /// Whether the next deals depend on how many were made.
    pub(super) fn counts_deals(&self) -> bool {
        let again = match &self.rule {
            Rule::History(rule) => rule.again.add,
            _ => None,
        };
        [self.draw.add, again].contains(&Some(Addend::Deals))
    }

    /// The middle of a game: `recent` are the last deals, newest first, at least [`Self::memory`] kinds of them.
    pub(super) fn resume(&self, state: &mut DealState, recent: &[u8], made: u64) {
        let is_pair = self.description.deals == Deals::Pairs;
        let child_first = self.description.pair == PairForm::ChildFirst;
        let kinds = recent.iter().flat_map(|&deal| {
            let (axis, child) = (deal >> 4, deal & 0xF);
            match (is_pair, child_first) {
                (false, _) => vec![deal],
                (true, false) => vec![child, axis],
                (true, true) => vec![axis, child],
            }
        });
        for (place, kind) in state.history.iter_mut().zip(kinds) {
            *place = kind;
        }
        if let Some(&newest) = recent.first() {
            state.last = if self.description.pair == PairForm::OneNumber {
                u64::from(newest >> 4) * u64::from(self.kinds) + u64::from(newest & 0xF)
            } else {
                self.coded.code(state.history[0]).into()
            };
        }
        // The rule of the first deal is over, and so is the queue.
        (state.is_resumed, state.made, state.dealt) = (true, made, u64::MAX / 2);
    }

    /// A number below `limit`; None if `mask` gives none.
    #[inline]
    pub(super) fn number(&self, state: &mut DealState, draw: &NumberDraw, limit: u32) -> Option<u32> {
        let mut redraws = 0;
        loop {
            if state.left == 0 {
                state.stuck = true;
                return Some(0);
            }
            state.left -= 1;
            if state.reads_first {
                state.reads_first = false;
            } else {
                self.stepper.step(&mut state.generator);
                state.steps = state.steps.wrapping_add(1);
            }
            let added = match draw.add {
                None => 0,
                Some(Addend::Deals) => state.made.wrapping_add(1),
                Some(Addend::Last) => state.last,
            };
            let number = draw.below(self.stepper.number(&state.generator), added, limit);
            if number.is_some() || draw.method != Method::Rejection {
                return number;
            }
            redraws += 1;
            if redraws > MAX_REDRAWS {
                state.left = 0;
            }
        }
    }

    /// A kind by one draw; None if `mask` gives none.
    #[inline]
    fn kind(&self, state: &mut DealState, draw: &NumberDraw) -> Option<u8> {
        let limit = u32::try_from(self.table.len()).unwrap_or(u32::MAX);
        self.number(state, draw, limit).map(|number| self.table[number as usize])
    }

    /// The next deal of the player: the kind of a piece, or 16 times the axis of a pair plus its child.
    pub(super) fn deal(&self, state: &mut DealState) -> u8 {
        state.left = if state.stuck { 0 } else { state.limit };
        let Some(queue) = &self.queue else { return self.make(state) };
        let (number, length) = (state.dealt, u64::from(queue.length));
        state.dealt += 1;
        if number >= length && queue.then == QueueEnd::Continue {
            return self.make(state);
        }
        let place = (number + u64::from(queue.first)) % length;
        let place =
            usize::try_from(if queue.order == QueueOrder::Reversed { length - 1 - place } else { place });
        let place = place.unwrap_or(0);
        // Without other steps in between, it makes no difference when a deal is made, and most searches need only a few.
        let is_lazy = queue.order == QueueOrder::Forward && !self.has_gaps && !state.is_eager;
        let needed = if is_lazy { place + 1 } else { queue.length.into() };
        while state.queue.len() < needed {
            let made = self.make(state);
            state.queue.push(made);
        }
        state.queue[place]
    }

    /// Makes the next deal.
    fn make(&self, state: &mut DealState) -> u8 {
        state.reads_first = self.description.clock == Clock::Frames;
        let dealt = match (self.description.deals, self.description.pair) {
            (Deals::Pieces, _) => self.next_kind(state),
            (_, PairForm::AxisFirst) => {
                let axis = self.next_kind(state);
                axis << 4 | self.next_kind(state)
            }
            (_, PairForm::ChildFirst) => {
                let child = self.next_kind(state);
                self.next_kind(state) << 4 | child
            }
            (_, PairForm::OneNumber) => {
                let kinds = u32::from(self.kinds);
                // The checks exclude a draw that gives no number.
                let number = self.number(state, &self.draw, kinds * kinds).unwrap_or(0);
                state.last = number.into();
                // At most 16 kinds.
                u8::try_from(((number / kinds) << 4) | (number % kinds)).unwrap_or(0)
            }
        };
        // The count comes from RAM where a game was in progress.
        state.made = state.made.wrapping_add(1);
        dealt
    }

    fn next_kind(&self, state: &mut DealState) -> u8 {
        let is_first = state.made == 0 && !state.is_resumed;
        let kind = match (&self.rule, &self.first) {
            (Rule::Bag { cells, continued, shuffle, as_dealt, from_end }, first) => {
                let excluded = match first {
                    Some(FirstRule::Exclude(excluded)) if is_first => *excluded,
                    _ => 0,
                };
                if state.at == 0 {
                    self.refill_bag(state, cells, *continued);
                    if !as_dealt {
                        self.shuffle_bag(state, shuffle, cells, *continued, *from_end, excluded);
                    }
                }
                if *as_dealt {
                    self.take_from_bag(state, shuffle, excluded)
                } else {
                    state.at -= 1;
                    let left = state.at;
                    state.cells[if *from_end { left } else { state.cells.len() - 1 - left }]
                }
            }
            (Rule::Pools { dealt, mapping, pools }, _) => {
                if state.cells.is_empty() {
                    self.make_pools(state, *dealt, mapping.as_ref(), pools);
                }
                let kind = state.cells[state.at];
                state.at = (state.at + 1) % state.cells.len();
                kind
            }
            (_, Some(first)) if is_first => self.first_kind(state, first),
            (Rule::Direct, _) => self.kind(state, &self.draw).unwrap_or(0),
            (Rule::History(rule), _) => self.by_history(state, rule),
            (Rule::DroughtPool { history, carried, .. }, _) => self.by_drought(state, history, *carried),
        };
        state.last = self.coded.code(kind).into();
        state.history.copy_within(..7, 1);
        state.history[0] = kind;
        kind
    }

    fn first_kind(&self, state: &mut DealState, rule: &FirstRule) -> u8 {
        for _ in 0..MAX_REDRAWS {
            if state.stuck {
                return 0;
            }
            let kind = match rule {
                FirstRule::Exclude(excluded) => {
                    self.kind(state, &self.draw).filter(|kind| excluded >> kind & 1 == 0)
                }
                FirstRule::Among(kinds) => {
                    let limit = u32::try_from(kinds.len()).unwrap_or(u32::MAX);
                    self.number(state, &self.draw, limit).map(|number| kinds[number as usize])
                }
            };
            if let Some(kind) = kind {
                return kind;
            }
        }
        state.stuck = true;
        0
    }

    fn by_history(&self, state: &mut DealState, rule: &HistoryRule) -> u8 {
        let mut drawn = self.kind(state, &self.draw);
        for tried in 1..=rule.tries {
            if let Some(kind) = drawn
                && !state.history[..rule.length].contains(&kind)
            {
                return kind;
            }
            if tried < rule.tries {
                for _ in 0..rule.discarded {
                    self.kind(state, &rule.again);
                }
            }
            drawn = self.kind(state, &rule.again);
        }
        // The checks exclude that the last draw gives no kind.
        drawn.unwrap_or(0)
    }

    fn by_drought(&self, state: &mut DealState, rule: &HistoryRule, carried: bool) -> u8 {
        let count = u32::try_from(state.cells.len()).unwrap_or(u32::MAX);
        let mut longest = Longest::default();
        let slot = |state: &mut DealState, draw| self.number(state, draw, count).unwrap_or(0) as usize;
        let mut drawn = slot(state, &self.draw);
        for tried in 1..=rule.tries {
            if !state.history[..rule.length].contains(&state.cells[drawn]) {
                break;
            }
            refill(state, drawn, &mut longest, carried);
            if tried < rule.tries {
                for _ in 0..rule.discarded {
                    slot(state, &rule.again);
                }
            }
            drawn = slot(state, &rule.again);
        }
        let kind = state.cells[drawn];
        for drought in &mut state.drought {
            *drought = drought.saturating_add(1);
        }
        state.drought[usize::from(kind)] = 0;
        refill(state, drawn, &mut longest, carried);
        kind
    }

    fn refill_bag(&self, state: &mut DealState, cells: &[u8], continued: bool) {
        if !continued || state.cells.is_empty() {
            state.cells.clear();
            state.cells.extend_from_slice(cells);
        }
        state.at = cells.len();
        state.taken.clear();
        state.taken.resize(cells.len(), false);
    }

    fn shuffle_bag(
        &self,
        state: &mut DealState,
        shuffle: &Mixer,
        cells: &[u8],
        continued: bool,
        from_end: bool,
        excluded: u16,
    ) {
        for _ in 0..MAX_REDRAWS {
            let mut bag = std::mem::take(&mut state.cells);
            self.shuffle(state, shuffle, &mut bag);
            let first = if from_end { bag.last() } else { bag.first() };
            let is_excluded = first.is_some_and(|kind| excluded >> kind & 1 == 1);
            state.cells = bag;
            if !is_excluded || state.stuck {
                return;
            }
            self.refill_bag(state, cells, continued);
        }
        state.stuck = true;
    }

    fn take_from_bag(&self, state: &mut DealState, shuffle: &Mixer, excluded: u16) -> u8 {
        let (left, count) = (state.at, state.cells.len());
        state.at -= 1;
        for redraws in 0..=MAX_REDRAWS {
            let is_drawn = left > 1 || shuffle.last_draw;
            // Where the item is, and where it goes.
            let (from, to) = match shuffle.method {
                ShuffleMethod::Down => {
                    (if is_drawn { self.place(state, shuffle, left) } else { 0 }, left - 1)
                }
                ShuffleMethod::Retry => {
                    let mut taken = std::mem::take(&mut state.taken);
                    let place = self.untaken(state, shuffle, &mut taken, left);
                    let is_excluded = excluded >> state.cells[place] & 1 == 1;
                    taken[place] = !is_excluded || redraws == MAX_REDRAWS;
                    state.taken = taken;
                    (place, place)
                }
                _ => {
                    (count - left + if is_drawn { self.place(state, shuffle, left) } else { 0 }, count - left)
                }
            };
            if excluded >> state.cells[from] & 1 == 1 && redraws < MAX_REDRAWS {
                continue;
            }
            state.stuck |= redraws == MAX_REDRAWS;
            if shuffle.method == ShuffleMethod::Remaining {
                state.cells[to..=from].rotate_right(1);
            } else {
                state.cells.swap(from, to);
            }
            return state.cells[to];
        }
        0 // unreachable: the last round returns
    }

    fn make_pools(
        &self,
        state: &mut DealState,
        dealt: usize,
        mapping: Option<&Mixer>,
        pools: &[(MixedPool, Mixer)],
    ) {
        let mut kinds: Vec<u8> = (0..self.kinds).collect();
        if let Some(mapping) = mapping {
            self.shuffle(state, mapping, &mut kinds);
        }
        let mut made: Vec<Vec<u8>> = Vec::with_capacity(pools.len());
        for (pool, mixer) in pools {
            let cycle = || (0..pool.kinds).cycle();
            let start = pool
                .start
                .map(|start| (&made[usize::from(start.pool) - 1][..start.length.into()], start.replaced));
            let cells = match start {
                Some((start, false)) => {
                    let mut rest: Vec<u8> = cycle().take(usize::from(pool.size) - start.len()).collect();
                    self.shuffle(state, mixer, &mut rest);
                    [start, &rest].concat()
                }
                start => {
                    let mut cells: Vec<u8> = cycle().take(pool.size.into()).collect();
                    self.shuffle(state, mixer, &mut cells);
                    if let Some((start, _)) = start {
                        cells[..start.len()].copy_from_slice(start);
                    }
                    cells
                }
            };
            made.push(cells);
        }
        state.cells = made.swap_remove(dealt).into_iter().map(|digit| kinds[usize::from(digit)]).collect();
        state.at = 0;
    }
}

/// Puts the kind of the longest drought into a slot; among equals the first.
fn refill(state: &mut DealState, slot: usize, longest: &mut Longest, carried: bool) {
    if !carried {
        *longest = Longest::default();
    }
    for (kind, &drought) in (0..).zip(&state.drought) {
        if drought > longest.drought {
            *longest = Longest { drought, kind };
        }
    }
    state.cells[slot] = longest.kind;
}
