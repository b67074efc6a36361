//! From observed pairs to the games that match them.

#![expect(clippy::cast_possible_truncation, reason = "seeds are 16 bits, places in a pool 8, digits less")]

use crate::games::puyo_20th::seeds::GAMES;
use crate::games::puyo_20th::seeds::bits::{Bits, Set, members, none};
use crate::games::puyo_20th::seeds::forecast::{COLORS, Chance, added, chances, counted, index, pool_of};
use crate::games::puyo_20th::seeds::patterns::{PAIRS, Range};
use crate::games::puyo_20th::seeds::query::{Impossible, Query};
use crate::games::puyo_20th::seeds::table::{Column, Table, test};
use crate::games::puyo_20th::{Color, ColorMap, POOL_PAIRS, Pool, PoolId, Seed, seed_before};
use crate::pairs::PartialPair;
use rayon::prelude::*;

/// The result of a search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Answer {
    /// The seeds of the matching games, ascending.
    pub seeds: Vec<Seed>,
    /// The pair after the last observed one, from 0: the one that `next` refers to.
    pub next_pair: u32,
    /// The next pairs of the matching games, the most frequent first; the counts add up to the number of seeds.
    pub next: Vec<Chance>,
    /// The first failure, if no game matches.
    pub first_failure: Option<FirstFailure>,
}

/// The first element of a query that no game matches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirstFailure {
    /// No generation ends in the given state.
    State,
    /// Some games match everything before this pair, and none matches this pair too.
    Pair {
        /// The pair, from 0.
        pair: u32,
        /// The number of games that match everything before it.
        games_before: u32,
    },
}

/// The colours of a relabelled query in a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Labels {
    /// For each of red, green, blue, yellow, purple in the query: the digit of the pool.
    digits: [Option<u8>; 5],
}

impl Labels {
    /// The digit of this colour of the query; None if the query does not use it.
    pub fn digit(self, label: Color) -> Option<u8> {
        *self.digits.get(index(label))?
    }

    /// The colour of the query for this digit.
    pub fn label(self, digit: u8) -> Option<Color> {
        let at = self.digits.iter().position(|&own| own == Some(digit))?;
        COLORS.get(at).copied()
    }

    /// The labels of a game with known colours.
    fn real(map: ColorMap, pool: PoolId) -> Self {
        let digit = |color| map.digit(color).filter(|&digit| usize::from(digit) < pool.colors());
        Self { digits: COLORS.map(digit) }
    }
}

/// With at most this many games left, generating them (about 3 us each) is cheaper than looking up the next pairs for all.
const FEW: usize = 1024;

/// At most this many games with a matching pattern are compared one by one with the remaining pairs.
const FEW_SIMILAR: usize = 256;

/// Pairs looked up at a time while more games are left: the first two, which all pools share, leave some hundreds.
const CHUNK: usize = 2;

/// The games that match the query.
///
/// # Errors
///
/// [`Impossible`] if a contradiction excludes all games without a search.
pub fn search(table: &Table, query: &Query) -> Result<Answer, Impossible> {
    query.check()?;
    let mut answer = Answer { next_pair: query.next_pair(), ..Answer::default() };
    let pairs = informative_pairs(query);
    if let Some(state) = query.state {
        let Some(seed) = seed_before(state) else {
            answer.first_failure = Some(FirstFailure::State);
            return Ok(answer);
        };
        let game = Game::made(seed, query.pool);
        let failing = (1..=pairs.len()).find(|&count| game.labels(query, &pairs[..count]).is_empty());
        answer.first_failure =
            failing.map(|count| FirstFailure::Pair { pair: pairs[count - 1].0, games_before: 1 });
        answer.seeds.extend(failing.is_none().then_some(seed));
    } else {
        answer.seeds = matching(table, query, &pairs);
        if answer.seeds.is_empty() {
            answer.first_failure = first_failure(table, query, &pairs);
        }
    }
    answer.next = next(table, query, &pairs, &answer);
    Ok(answer)
}

/// The pairs with at least one known puyo, in deal order.
fn informative_pairs(query: &Query) -> Vec<(u32, PartialPair)> {
    let mut pairs = query.in_order();
    pairs.retain(|(_, observed)| observed.known().next().is_some());
    pairs
}

/// The games that match the pattern of the first pairs, and the number of pairs compared. None if the games
/// are not sorted by these pairs, or some puyos of them are unknown.
fn similar_games<'a>(
    table: &'a Table,
    query: &Query,
    pairs: &[(u32, PartialPair)],
) -> Option<(Range<'a>, usize)> {
    let first = pairs.first()?.0 as usize % POOL_PAIRS;
    let patterns = table.patterns(query.pool, first, query.unordered)?;
    let digits = |(n, &(number, observed)): (usize, &(u32, PartialPair))| {
        let follows = number as usize % POOL_PAIRS == (first + n) % POOL_PAIRS;
        Some([observed.axis.filter(|_| follows)?, observed.child?].map(|color| index(color) as u8))
    };
    let known = || pairs.iter().take(PAIRS).enumerate().map_while(digits);
    let count = known().count();
    (count > 0).then(|| (patterns.matching(known()), count))
}

/// The seeds whose games match these pairs.
fn matching(table: &Table, query: &Query, pairs: &[(u32, PartialPair)]) -> Vec<Seed> {
    if let Some((games, count)) = similar_games(table, query, pairs) {
        // With real colours the sets shrink as fast.
        let few = if query.relabel { FEW_SIMILAR } else { FEW_SIMILAR / 8 };
        let mut looked_up = pairs.iter().map(|pair| pair.0 as usize % POOL_PAIRS);
        if query.relabel && count == pairs.len() {
            return games.seeds();
        }
        if games.len() <= few && looked_up.all(|place| table.column(query.pool, place).is_some()) {
            let mut seeds = games.seeds();
            seeds.retain(|&seed| !Game::Table(table, query.pool, seed).labels(query, pairs).is_empty());
            return seeds;
        }
    }
    let place = |&(number, _): &(u32, PartialPair)| number as usize % POOL_PAIRS;
    let made = |pair: &(u32, PartialPair)| table.column(query.pool, place(pair)).is_some();
    let mut looked_up = pairs.iter().take_while(|pair| made(pair)).count();
    loop {
        let seeds = if looked_up == 0 && !pairs.is_empty() {
            None
        } else {
            Some(narrowed(table, query, &pairs[..looked_up]))
        };
        match seeds {
            Some(seeds) if looked_up == pairs.len() => return seeds,
            Some(seeds) if seeds.len() <= FEW => {
                let shows = |seed: &Seed| !Game::made(*seed, query.pool).labels(query, pairs).is_empty();
                return seeds.into_par_iter().with_min_len(16).filter(shows).collect();
            }
            _ => {}
        }
        let next = pairs.len().min(looked_up + CHUNK);
        let numbers: Vec<usize> = pairs[..next].iter().map(place).collect();
        table.make(query.pool, &numbers);
        looked_up = next;
    }
}

/// The seeds whose games match these pairs, all of which are in the table.
fn narrowed(table: &Table, query: &Query, pairs: &[(u32, PartialPair)]) -> Vec<Seed> {
    let columns: Vec<(&Column, PartialPair)> = pairs
        .iter()
        .filter_map(|&(number, observed)| {
            Some((table.column(query.pool, number as usize % POOL_PAIRS)?, observed))
        })
        .collect();
    if !query.relabel {
        let mut set = Set::All;
        for (column, observed) in columns {
            let planes = table.color_planes(query.pool, column);
            let [axis, child] = [observed.axis, observed.child].map(|color| color.map(index));
            if let Some(test) = test(planes, axis, child, query.unordered) {
                set = set.narrowed(test);
            }
            if set.is_empty() {
                break;
            }
        }
        return set.seeds();
    }
    let mut found = None;
    relabelled(query, &columns, &Set::All, Labels::default(), &mut found);
    found.map_or_else(Vec::new, |found: Found| found.seeds())
}

/// Seeds found under several renamings.
enum Found {
    One(Set),
    Many(Box<Bits>),
}

impl Found {
    fn seeds(&self) -> Vec<Seed> {
        match self {
            Self::One(set) => set.seeds(),
            Self::Many(bits) => members((0u16..).zip(bits.iter().copied())),
        }
    }
}

/// Assigns digits to labels as they appear in the pairs, and filters the seeds at every step.
fn relabelled(
    query: &Query,
    columns: &[(&Column, PartialPair)],
    set: &Set,
    labels: Labels,
    found: &mut Option<Found>,
) {
    let Some(&(column, observed)) = columns.first() else {
        *found = Some(match found.take() {
            None => Found::One(set.clone()),
            Some(before) => {
                let mut bits = match before {
                    Found::Many(bits) => bits,
                    Found::One(before) => {
                        let mut bits = none();
                        before.add_to(&mut bits);
                        bits
                    }
                };
                set.add_to(&mut bits);
                Found::Many(bits)
            }
        });
        return;
    };
    // A label without a digit may get any free one; the pair is tested once both labels have one.
    let open = observed.known().map(index).find(|&label| labels.digits[label].is_none());
    if let Some(label) = open {
        for digit in (0..query.pool.colors() as u8).filter(|&digit| !labels.digits.contains(&Some(digit))) {
            let mut labels = labels;
            labels.digits[label] = Some(digit);
            relabelled(query, columns, set, labels, found);
        }
        return;
    }
    let [axis, child] =
        [observed.axis, observed.child].map(|color| color.and_then(|c| labels.digit(c)).map(usize::from));
    let Some(test) = test(column.digit_planes(), axis, child, query.unordered) else { return };
    let set = set.narrowed(test);
    if !set.is_empty() {
        relabelled(query, &columns[1..], &set, labels, found);
    }
}

/// The first pair that no game matches after everything before it.
fn first_failure(table: &Table, query: &Query, pairs: &[(u32, PartialPair)]) -> Option<FirstFailure> {
    let mut games_before = GAMES as u32;
    for count in 1..=pairs.len() {
        let games = matching(table, query, &pairs[..count]).len() as u32;
        if games == 0 {
            return Some(FirstFailure::Pair { pair: pairs[count - 1].0, games_before });
        }
        games_before = games;
    }
    None
}

/// A game whose pairs are read one by one.
enum Game<'a> {
    /// From the table, which must contain all pairs that are read.
    Table(&'a Table, PoolId, Seed),
    Made(ColorMap, Box<Pool>),
}

impl Game<'_> {
    fn made(seed: Seed, pool: PoolId) -> Self {
        let (map, pool) = pool_of(seed, pool);
        Self::Made(map, Box::new(pool))
    }

    /// The digits of a pair, axis first.
    fn digits(&self, number: u32) -> Option<[u8; 2]> {
        let place = number as usize % POOL_PAIRS;
        match self {
            Self::Table(table, pool, seed) => Some(table.column(*pool, place)?.digits(*seed)),
            Self::Made(_, pool) => Some([pool[2 * place], pool[2 * place + 1]]),
        }
    }

    fn map(&self) -> ColorMap {
        match self {
            Self::Table(table, _, seed) => table.map(*seed),
            Self::Made(map, _) => *map,
        }
    }

    /// Every assignment of the query's colours under which the game matches these pairs; with real colours
    /// there is at most one.
    fn labels(&self, query: &Query, pairs: &[(u32, PartialPair)]) -> Vec<Labels> {
        let mut found = Vec::new();
        let labels = if query.relabel { Labels::default() } else { Labels::real(self.map(), query.pool) };
        self.collect_labels(query, pairs, labels, &mut found);
        found
    }

    fn collect_labels(
        &self,
        query: &Query,
        pairs: &[(u32, PartialPair)],
        labels: Labels,
        found: &mut Vec<Labels>,
    ) {
        let Some((&(number, observed), rest)) = pairs.split_first() else {
            if !found.contains(&labels) {
                found.push(labels);
            }
            return;
        };
        let Some([axis, child]) = self.digits(number) else { return };
        let straight = extended_labels(query, labels, observed, [axis, child]);
        let turned =
            query.unordered.then(|| extended_labels(query, labels, observed, [child, axis])).flatten();
        if let Some(labels) = straight {
            self.collect_labels(query, rest, labels, found);
        }
        if let Some(labels) = turned
            && turned != straight
        {
            self.collect_labels(query, rest, labels, found);
        }
    }
}

/// The labels extended so that `observed` is this pair, in all possible ways.
fn extended_labels(
    query: &Query,
    mut labels: Labels,
    observed: PartialPair,
    digits: [u8; 2],
) -> Option<Labels> {
    for (color, digit) in [observed.axis, observed.child].into_iter().zip(digits) {
        let Some(color) = color else { continue };
        match labels.digit(color) {
            Some(own) if own == digit => {}
            None if query.relabel && labels.label(digit).is_none() => {
                *labels.digits.get_mut(index(color))? = Some(digit);
            }
            _ => return None,
        }
    }
    Some(labels)
}

/// The colours of a query in the game of a seed: every assignment under which the game matches the pairs, none
/// if it does not. There are several if the orientation of pairs or some puyos are unknown.
pub fn labels(query: &Query, seed: Seed) -> Vec<Labels> {
    Game::made(seed, query.pool).labels(query, &informative_pairs(query))
}

fn next(table: &Table, query: &Query, pairs: &[(u32, PartialPair)], answer: &Answer) -> Vec<Chance> {
    let place = answer.next_pair as usize % POOL_PAIRS;
    let asked = || pairs.iter().map(|pair| pair.0 as usize % POOL_PAIRS).chain([place]);
    let few = answer.seeds.len() <= FEW;
    if !few {
        // The table already contains all pairs with known puyos; only the next may be missing.
        table.make(query.pool, &asked().collect::<Vec<_>>());
    }
    if let (true, false, Some((games, count))) =
        (query.relabel, query.unordered, similar_games(table, query, pairs))
        && count == pairs.len()
        && pairs.first().is_some_and(|first| (first.0 as usize + count) % POOL_PAIRS == place)
        && let Some(pairs) = games.next()
    {
        return added(pairs.into_iter().map(|(digits, count)| {
            let [axis, child] = digits.map(|digit| COLORS.get(usize::from(digit?)).copied());
            (PartialPair { axis, child }, count)
        }));
    }
    let made = asked().all(|place| table.column(query.pool, place).is_some());
    let column = table.column(query.pool, place);
    if let (false, Some(column)) = (query.relabel, column) {
        let colors = table.colors(column);
        let mut counts = [0u32; 25];
        for &seed in &answer.seeds {
            counts[usize::from(colors[usize::from(seed)])] += 1;
        }
        return counted((0..25).zip(counts).map(|(code, count)| {
            let color = |at: usize| COLORS.get(at).copied();
            (PartialPair { axis: color(code / 5), child: color(code % 5) }, count)
        }));
    }
    chances(answer.seeds.iter().filter_map(|&seed| {
        let game = if made { Game::Table(table, query.pool, seed) } else { Game::made(seed, query.pool) };
        let digits = game.digits(answer.next_pair)?;
        let [axis, child] = if query.relabel {
            let readings = game.labels(query, pairs);
            digits.map(|digit| {
                let first = readings.first()?.label(digit);
                first.filter(|_| readings.iter().all(|labels| labels.label(digit) == first))
            })
        } else {
            digits.map(|digit| game.map().color(digit))
        };
        Some(PartialPair { axis, child })
    }))
}

/// A query that is edited pair by pair, with its answer always up to date.
///
/// The pairs of the first turns are computed on creation, so that no later step waits for them.
#[derive(Debug, Clone)]
pub struct Narrowing<'a> {
    table: &'a Table,
    query: Query,
    answer: Result<Answer, Impossible>,
}

/// Pairs that are computed in advance: after them a single game is left, or nearly.
const AHEAD: u32 = 16;

impl<'a> Narrowing<'a> {
    /// Starts with an initial query.
    pub fn new(table: &'a Table, query: Query) -> Self {
        let first = query.pairs.iter().map(|pair| pair.0).min().unwrap_or(0);
        table.warm(query.pool, (0..AHEAD).map(|n| first.wrapping_add(n)));
        let answer = search(table, &query);
        Self { table, query, answer }
    }

    /// The current query.
    pub fn query(&self) -> &Query {
        &self.query
    }

    /// The answer to the current query.
    ///
    /// # Errors
    ///
    /// [`Impossible`] if no game can match it.
    pub fn answer(&self) -> Result<&Answer, &Impossible> {
        self.answer.as_ref()
    }

    /// Adds the next pair.
    pub fn push(&mut self, observed: PartialPair) {
        self.change(|query| {
            let next = query.next_pair();
            query.pairs.push((next, observed));
        });
    }

    /// Removes the pair that was added last.
    pub fn pop(&mut self) -> Option<(u32, PartialPair)> {
        let mut taken = None;
        self.change(|query| taken = query.pairs.pop());
        taken
    }

    /// Changes the query in any way.
    pub fn change(&mut self, change: impl FnOnce(&mut Query)) {
        change(&mut self.query);
        self.answer = search(self.table, &self.query);
    }
}
