//! A description, checked and compiled.

use super::check::{Problem, check};
use super::draw::NumberDraw;
use super::generator::{Stepper, low_bits};
use super::kinds::Kinds;
use super::language::{
    BagTime, Clock, Deal, Deals, End, Fill, First, MixedPool, Queue, Randomizer, Shuffle, ShuffleMethod,
    Symbol,
};

/// A randomizer that passed its checks, compiled. Dealers of any number of seeds share one.
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) description: Randomizer,
    pub(super) stepper: Stepper,
    pub(super) draw: NumberDraw,
    pub(super) rule: Rule,
    /// The kind of each drawn number.
    pub(super) table: Vec<u8>,
    /// The kinds and their codes.
    pub(super) coded: Kinds,
    /// The number of kinds.
    pub(super) kinds: u8,
    pub(super) first: Option<FirstRule>,
    pub(super) queue: Option<Queue>,
    /// Whether other steps of the generator can come between two deals.
    pub(super) has_gaps: bool,
}

impl PartialEq for Program {
    fn eq(&self, other: &Self) -> bool {
        self.description == other.description
    }
}

impl Eq for Program {}

/// The rule for the first piece. Sets of kinds have a bit for each.
#[derive(Clone, Debug)]
pub(super) enum FirstRule {
    Exclude(u16),
    Among(Vec<u8>),
}

#[derive(Clone, Debug)]
pub(super) struct HistoryRule {
    pub length: usize,
    pub initial: Vec<u8>,
    pub tries: u8,
    pub discarded: u8,
    pub again: NumberDraw,
}

#[derive(Clone, Debug)]
pub(super) enum Rule {
    Direct,
    History(HistoryRule),
    Bag { cells: Vec<u8>, continued: bool, shuffle: Mixer, as_dealt: bool, from_end: bool },
    Pools { dealt: usize, mapping: Option<Mixer>, pools: Vec<(MixedPool, Mixer)> },
    DroughtPool { history: HistoryRule, cells: Vec<u8>, drought: u32, carried: bool },
}

/// A compiled shuffle.
#[derive(Clone, Debug)]
pub(super) struct Mixer {
    pub method: ShuffleMethod,
    pub rows: Vec<u16>,
    pub count: u16,
    pub last_draw: bool,
    pub draw: NumberDraw,
}

impl Program {
    /// Checks and compiles a description.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn new(description: Randomizer) -> Result<Self, Vec<Problem>> {
        let problems = check(&description);
        if !problems.is_empty() {
            return Err(problems);
        }
        let compiler = Compiler { randomizer: &description };
        Ok(Self {
            stepper: Stepper::new(&description),
            draw: NumberDraw::new(&description.draw),
            rule: compiler.rule(),
            table: compiler.table(),
            coded: Kinds::new(description.deals, &description.kinds, &description.codes),
            kinds: compiler.count(),
            first: compiler.first(),
            queue: description.queue,
            has_gaps: description.clock != Clock::Deals || description.other_calls > 0,
            description,
        })
    }

    /// The description.
    pub const fn description(&self) -> &Randomizer {
        &self.description
    }

    /// What is dealt.
    pub const fn deals(&self) -> Deals {
        self.description.deals
    }

    /// Whether the generator can have this state.
    pub(super) fn is_possible(&self, word: u64) -> bool {
        self.stepper.is_possible(word)
    }

    /// The largest seed.
    pub const fn largest_seed(&self) -> u64 {
        low_bits(self.description.seed.bits)
    }

    /// How many of the kinds one game deals.
    pub(super) fn kinds_of_a_game(&self) -> u8 {
        match &self.rule {
            Rule::Pools { dealt, pools, .. } => pools.get(*dealt).map_or(self.kinds, |(pool, _)| pool.kinds),
            _ => self.kinds,
        }
    }
}

struct Compiler<'a> {
    randomizer: &'a Randomizer,
}

impl Compiler<'_> {
    /// The number of kinds, at most 16.
    fn count(&self) -> u8 {
        u8::try_from(self.randomizer.kinds.len()).unwrap_or(u8::MAX)
    }

    /// The number of a kind.
    fn number(&self, symbol: Symbol) -> u8 {
        (0..).zip(&self.randomizer.kinds).find(|(_, kind)| **kind == symbol).map_or(0, |(number, _)| number)
    }

    fn numbers(&self, symbols: &[Symbol]) -> Vec<u8> {
        symbols.iter().map(|symbol| self.number(*symbol)).collect()
    }

    fn table(&self) -> Vec<u8> {
        let Randomizer { table, weights, .. } = self.randomizer;
        if !weights.is_empty() {
            let kinds = (0..self.count()).zip(weights);
            return kinds
                .flat_map(|(kind, weight)| std::iter::repeat_n(kind, usize::from(*weight)))
                .collect();
        }
        if table.is_empty() { (0..self.count()).collect() } else { self.numbers(table) }
    }

    fn first(&self) -> Option<FirstRule> {
        Some(match self.randomizer.first.as_ref()? {
            First::Exclude { kinds } => {
                FirstRule::Exclude(self.numbers(kinds).iter().fold(0, |set, kind| set | 1 << kind))
            }
            First::Among { kinds } => FirstRule::Among(self.numbers(kinds)),
        })
    }

    fn mixer(&self, shuffle: &Shuffle) -> Mixer {
        let draw = NumberDraw::new(&shuffle.draw.unwrap_or(self.randomizer.draw));
        let Shuffle { method, count, last_draw, .. } = *shuffle;
        Mixer { method, rows: shuffle.rows.clone(), count, last_draw, draw }
    }

    fn filled(&self, fill: Fill, copies: u8) -> Vec<u8> {
        let (kinds, copies) = (usize::from(self.count()), usize::from(copies));
        match fill {
            Fill::Cycle => (0..self.count()).cycle().take(kinds * copies).collect(),
            Fill::Grouped => (0..self.count()).flat_map(|kind| std::iter::repeat_n(kind, copies)).collect(),
        }
    }

    fn rule(&self) -> Rule {
        let draw = self.randomizer.draw;
        match &self.randomizer.deal {
            Deal::Direct {} => Rule::Direct,
            Deal::History { length, initial, tries, discarded, again } => Rule::History(HistoryRule {
                length: usize::from(*length),
                initial: self.numbers(initial),
                tries: *tries,
                discarded: *discarded,
                again: NumberDraw::new(&again.unwrap_or(draw)),
            }),
            Deal::Bag { copies, fill, continued, shuffle, time, from } => Rule::Bag {
                cells: self.filled(*fill, *copies),
                continued: *continued,
                shuffle: self.mixer(shuffle),
                as_dealt: *time == BagTime::AsDealt,
                from_end: *from == End::End,
            },
            Deal::Pools { dealt, mapping, pools } => Rule::Pools {
                dealt: usize::from(*dealt) - 1,
                mapping: mapping.as_ref().map(|shuffle| self.mixer(shuffle)),
                pools: pools.iter().map(|pool| (pool.clone(), self.mixer(&pool.shuffle))).collect(),
            },
            Deal::DroughtPool { copies, fill, length, initial, tries, discarded, drought, carried } => {
                Rule::DroughtPool {
                    history: HistoryRule {
                        length: usize::from(*length),
                        initial: self.numbers(initial),
                        tries: *tries,
                        discarded: *discarded,
                        again: NumberDraw::new(&draw),
                    },
                    cells: self.filled(*fill, *copies),
                    drought: (*drought).into(),
                    carried: *carried,
                }
            }
        }
    }
}
