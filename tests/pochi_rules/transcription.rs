//! The rules of ignitions once more, as literally as the text describes them (seed document 003; reference 5.1): every wave carries
//! the list of the blocks it has visited. It shares nothing with `nextscope::pochi`, and is made to be read, not to be fast.

use std::collections::{BTreeMap, BTreeSet};

/// A block, as column and row; rows are counted downwards.
pub type At = (i32, i32);

/// The answers to what the text leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answers {
    /// Of two waves that cannot merge and reach a block from above and from below, the one from above has it.
    pub from_above: bool,
    /// Of two waves that cannot merge and reach a block from the left and from the right, the one from the left has it.
    pub from_left: bool,
    /// A block above the needle ignites.
    pub block_above: bool,
    /// Each of three or four starts is a structure of its own (MVS).
    pub each_its_own: bool,
    /// Several single blocks and nothing else count (PS2).
    pub singles_count: bool,
}

impl Answers {
    /// The defaults.
    pub const FIRST: Self = Self {
        from_above: true,
        from_left: true,
        block_above: true,
        each_its_own: true,
        singles_count: true,
    };

    /// All thirty-two.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..32).map(|bits: u32| Self {
            from_above: bits & 1 == 0,
            from_left: bits & 2 == 0,
            block_above: bits & 4 == 0,
            each_its_own: bits & 8 == 0,
            singles_count: bits & 16 == 0,
        })
    }
}

/// What an ignition comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignited {
    pub value: u64,
    pub base: u64,
    pub bonus: u64,
    /// Of each structure, the blocks at which waves ended and the blocks that these waves had visited.
    pub tails: Vec<Vec<(At, BTreeSet<At>)>>,
    /// At every step, the blocks that went.
    pub steps: Vec<BTreeSet<At>>,
}

impl Ignited {
    /// The values of each structure's tails, in ascending order.
    pub fn values(&self) -> Vec<Vec<u64>> {
        self.tails
            .iter()
            .map(|tails| {
                let mut values: Vec<u64> = tails.iter().map(|(_, visited)| visited.len() as u64).collect();
                values.sort_unstable();
                values
            })
            .collect()
    }
}

/// A wave on its way.
struct Wave {
    at: At,
    structure: usize,
    visited: BTreeSet<At>,
}

/// The way a wave moves.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Down,
    Up,
    Right,
    Left,
}

const WAYS: [(Way, At); 4] =
    [(Way::Down, (0, 1)), (Way::Up, (0, -1)), (Way::Right, (1, 0)), (Way::Left, (-1, 0))];

/// Which blocks a needle ignites: those of its colour beside it, in the order from above, left, right, below.
pub fn touched(blocks: &BTreeSet<At>, needle: At, answers: Answers) -> Vec<At> {
    let (x, y) = needle;
    let mut starts = Vec::new();
    for beside in [(x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1)] {
        let is_above = beside.1 < y;
        if blocks.contains(&beside) && (!is_above || answers.block_above) {
            starts.push(beside);
        }
    }
    starts
}

/// Ignites `starts` among `blocks`, all of one colour, the needle's cell not among them.
pub fn ignite(blocks: &BTreeSet<At>, starts: &[At], is_mvs: bool, answers: Answers) -> Ignited {
    let is_one = is_mvs && starts.len() > 2 && !answers.each_its_own;
    let count = if is_one { 1 } else { starts.len() };
    let mut ignited =
        Ignited { value: 0, base: 0, bonus: 0, tails: vec![Vec::new(); count], steps: Vec::new() };
    let mut gone: BTreeSet<At> = starts.iter().copied().collect();
    let mut waves: Vec<Wave> = starts
        .iter()
        .enumerate()
        .map(|(nth, at)| Wave {
            at: *at,
            structure: if is_one { 0 } else { nth },
            visited: BTreeSet::from([*at]),
        })
        .collect();
    while !waves.is_empty() {
        ignited.steps.push(waves.iter().map(|wave| wave.at).collect());
        // Who would go on to which block, and from where.
        let mut claimed: BTreeMap<At, Vec<(Way, usize)>> = BTreeMap::new();
        for (nth, wave) in waves.iter().enumerate() {
            for (way, (right, down)) in WAYS {
                let to = (wave.at.0 + right, wave.at.1 + down);
                if blocks.contains(&to) && !gone.contains(&to) {
                    claimed.entry(to).or_default().push((way, nth));
                }
            }
        }
        let mut goes_on: BTreeSet<usize> = BTreeSet::new();
        let mut next = Vec::new();
        for (to, claims) in claimed {
            let mut ways = [Way::Down, Way::Up, Way::Right, Way::Left];
            if !answers.from_above {
                ways.swap(0, 1);
            }
            if !answers.from_left {
                ways.swap(2, 3);
            }
            // Vertical before horizontal.
            let first = ways.iter().find_map(|way| claims.iter().find(|claim| claim.0 == *way));
            let (_, first) = *first.expect("somebody wants it");
            let mut visited = BTreeSet::from([to]);
            for (_, nth) in claims {
                let merges = is_mvs && waves[nth].structure == waves[first].structure;
                if nth == first || merges {
                    goes_on.insert(nth);
                    visited.extend(waves[nth].visited.iter().copied());
                }
            }
            next.push(Wave { at: to, structure: waves[first].structure, visited });
        }
        for (nth, wave) in waves.into_iter().enumerate() {
            if !goes_on.contains(&nth) {
                ignited.tails[wave.structure].push((wave.at, wave.visited));
            }
        }
        gone.extend(next.iter().map(|wave| wave.at));
        waves = next;
    }
    total(&mut ignited, is_mvs, answers);
    ignited
}

/// Adds up the tails.
fn total(ignited: &mut Ignited, is_mvs: bool, answers: Answers) {
    let all: Vec<u64> = ignited.values().concat();
    let sum: u64 = all.iter().sum();
    if is_mvs {
        // A structure whose only tail is 1 is worth nothing, but 1 where the bonus is worked out; the bonus counts the tails of one
        // structure.
        ignited.base = ignited.values().iter().filter(|values| **values != [1]).flatten().sum();
        let most = ignited.tails.iter().map(Vec::len).max().unwrap_or(0) as u64;
        ignited.bonus = sum * 4 * most / 100;
    } else {
        let is_single = all == [1];
        let are_singles = all.iter().all(|value| *value == 1);
        ignited.base = if is_single || (are_singles && !answers.singles_count) { 0 } else { sum };
    }
    ignited.value = ignited.base + ignited.bonus;
}
