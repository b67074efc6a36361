//! The rules of the language that explain every deal.
//!
//! A rule is tested deal by deal, on the numbers that the generator gave for each ([`Group`]). Most wrong ones fail within a few deals,
//! so that hundreds of thousands can be tried. What a drawn number means is not tried, it follows ([`Labels`]). The last third of the
//! deals is held back: a rule that explains the others is one proposal, and what it says about the held-back ones can go wrong.

mod bag;
mod direct;
mod draws;
mod drought;
mod first;
mod history;
mod labels;
mod reader;
mod shuffle;
mod start;
mod table;
#[cfg(test)]
mod tests;

use super::content::{DealCount, DealCounter};
use super::observed::Observations;
use super::trace::Trace;
use super::windows::{Alignment, Group};
pub(super) use bag::bags_in;
use draws::CostedDraw;
use labels::Labels;
use nextscope_games::games::declared::{
    Deal, First, Generator, PairForm, Queue, Randomizer, Seed, Symbol, check,
};
use nextscope_task::Progress;
use reader::Mismatch;
pub(super) use table::tables;

/// Rules that a search keeps, at least: more than are compared at the end.
const FITS_MOST: usize = 512;

/// A rule that explains every deal.
#[derive(Clone, PartialEq, Debug)]
pub struct Fit {
    /// The rule.
    pub randomizer: Randomizer,
    /// How the draws lie in the samples.
    pub alignment: Alignment,
    /// Which of the generators found it draws from.
    pub generator: usize,
    /// What counts the deals, if their number is added to draws.
    pub count: Option<DealCount>,
    /// Its length in bits, by the costs that [`cost_of_generator`] and the families document: the simplest rule comes first.
    pub cost: f64,
    /// Its family.
    pub family: Family,
    /// The improbability, in bits, that a wrong rule explains all deals.
    pub bits: f64,
    /// The same of the held-back deals alone.
    pub held_bits: f64,
    /// Whether the meaning of every drawn number was observed, and the whole course of the generator.
    pub is_complete: bool,
}

/// What was tried in a family of rules.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// Rules that were tried.
    pub tried: u64,
    /// Of those, the rules that explained the deals that were not held back, and failed at a held-back one.
    pub failed_held_back: u64,
}

/// A family of rules.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Family {
    /// Each draw is dealt.
    Direct,
    /// Each draw of a longer table is dealt.
    Table,
    /// Draws that were dealt lately are rejected.
    History,
    /// Bags.
    Bag,
    /// A pool that is refilled by drought.
    DroughtPool,
    /// All deals are made at the start: lists.
    List,
    /// All deals are made at the start: a shuffled pool.
    Pool,
}

/// The families, the simplest first.
pub const FAMILIES: [Family; 7] = [
    Family::Direct,
    Family::Table,
    Family::History,
    Family::Bag,
    Family::DroughtPool,
    Family::List,
    Family::Pool,
];

/// One generator, one alignment, and the deals.
pub(super) struct Task<'a> {
    trace: &'a Trace,
    nth_trace: usize,
    alignment: &'a Alignment,
    observed: &'a Observations,
    counters: &'a [DealCounter],
    /// The kinds dealt, each half of a pair on its own.
    units: Vec<u8>,
    /// The improbability of a kind by chance, in bits.
    kind_bits: f64,
    /// The first deal that is held back.
    held_from: usize,
    progress: &'a Progress,
}

/// Whether a rule explains the deals.
enum Tested {
    /// Not this one.
    Failed(usize),
    Passed {
        labels: Labels,
        held_bits: f64,
    },
}

/// What a search found.
#[derive(Default)]
pub(super) struct Found {
    pub fits: Vec<Fit>,
    pub tally: Tally,
}

impl Tally {
    /// Adds what another search tried.
    pub(super) fn add(&mut self, other: &Self) {
        self.tried += other.tried;
        self.failed_held_back += other.failed_held_back;
    }
}

impl Found {
    /// Keeps rules, of many the simplest: few deals are explained by very many.
    pub fn keep(&mut self, fits: impl IntoIterator<Item = Fit>) {
        self.fits.extend(fits);
        if self.fits.len() > 2 * FITS_MOST {
            self.fits.sort_by(|one, other| one.cost.total_cmp(&other.cost));
            self.fits.truncate(FITS_MOST);
        }
    }

    pub fn merge(&mut self, other: Self) {
        self.keep(other.fits);
        self.tally.add(&other.tally);
    }
}

/// Bits to say a generator: its width and form, and the constants that are not simple. Published constants cost no less than others.
pub fn cost_of_generator(generator: &Generator) -> f64 {
    let number = |value: u64| f64::from(64 - value.leading_zeros()) * 0.5;
    let signed = |shift: &i8| number(shift.unsigned_abs().into());
    4.0 + match generator {
        Generator::Linear { multiplier, increment, modulus, .. } => {
            number(*multiplier) + number(*increment) + modulus.map_or(0.0, number)
        }
        Generator::ShiftRegister { taps, shifts, .. } => {
            2.0 + 2.0 * f64::from(taps.count_ones()) + number((*shifts).into())
        }
        Generator::Xorshift { shifts, multiplier, .. } => {
            shifts.iter().map(signed).sum::<f64>() + multiplier.map_or(0.0, number)
        }
        Generator::AddRotate { addend, state_mask, rotate, increment, .. } => {
            number(*addend)
                + number(u64::from(*state_mask > 0))
                + number((*rotate).into())
                + number(*increment)
        }
        Generator::MultiplyAddHalves { multiplier, .. } | Generator::MultiplyWithCarry { multiplier, .. } => {
            number(*multiplier)
        }
        Generator::Lagged { long, short, .. } => number((*long).into()) + number((*short).into()),
        Generator::Table { .. } => 16.0,
        Generator::SplitMix64 {} => 0.0,
    }
}

impl<'a> Task<'a> {
    pub fn new(
        trace: &'a Trace,
        nth_trace: usize,
        alignment: &'a Alignment,
        observed: &'a Observations,
        counters: &'a [DealCounter],
        progress: &'a Progress,
    ) -> Self {
        let held_from = held_from(observed.dealt.len());
        let units = observed.units();
        let kind_bits = labels::kind_bits(&units, observed.count());
        Self { trace, nth_trace, alignment, observed, counters, units, kind_bits, held_from, progress }
    }

    /// The fits of a family.
    pub fn search(&self, family: Family) -> Found {
        let at_start = self.alignment.at_start;
        match family {
            Family::Direct if !at_start => direct::search(self),
            Family::Table if !at_start => direct::search_tables(self),
            Family::History if !at_start => history::search(self),
            Family::Bag if !at_start => bag::search(self),
            Family::DroughtPool if !at_start => drought::search(self),
            Family::List if at_start => start::search_lists(self),
            Family::Pool if at_start => start::search_pools(self),
            _ => Found::default(),
        }
    }

    fn numbers(&self) -> &[u64] {
        &self.trace.numbers
    }

    fn groups(&self) -> &[Group] {
        &self.alignment.groups
    }

    fn width(&self) -> u8 {
        self.trace.generator.width()
    }

    fn count(&self) -> usize {
        self.observed.count()
    }

    /// What may count the deals.
    fn counts(&self) -> Vec<DealCount> {
        let of = |count: &DealCounter| count.before(self.alignment.ahead);
        let mut all: Vec<DealCount> = self.counters.iter().map(of).collect();
        // Without a cell the count begins with the game.
        if self.observed.from_start && all.iter().all(|count| count.before > 0) {
            all.push(DealCount { address: None, before: 0 });
        }
        all
    }

    fn deals(&self) -> usize {
        self.observed.dealt.len()
    }

    /// The kinds of a deal.
    fn halves(&self, deal: usize) -> &[u8] {
        let group = self.observed.group();
        &self.units[deal * group..(deal + 1) * group]
    }

    /// Labels for numbers below a limit.
    fn labels(&self, numbers: usize) -> Labels {
        Labels::new(numbers, self.count(), self.kind_bits)
    }

    /// The draws of a deal, if it has its own.
    fn own_draws(&self, deal: usize) -> Option<&[u64]> {
        let at = self.groups().partition_point(|group| group.deals.end <= deal);
        let group = self.groups().get(at).filter(|group| group.deals == (deal..deal + 1))?;
        self.numbers().get(group.drawn.clone())
    }

    /// Tests a rule: `deal` tests one deal, and adds to the labels.
    fn test(
        &self,
        mut labels: Labels,
        mut deal: impl FnMut(usize, &mut Labels) -> Result<(), Mismatch>,
    ) -> Tested {
        let mut before = 0.0;
        for nth in 0..self.deals() {
            if nth == self.held_from {
                before = labels.bits;
            }
            if deal(nth, &mut labels).is_err() {
                return Tested::Failed(nth);
            }
        }
        let held_bits = labels.bits - before;
        Tested::Passed { labels, held_bits }
    }

    /// Counts a test, and keeps what passed.
    fn count_test(&self, found: &mut Found, tested: Tested, make: impl FnOnce(Labels, f64) -> Option<Fit>) {
        found.tally.tried += 1;
        match tested {
            Tested::Failed(deal) => found.tally.failed_held_back += u64::from(deal >= self.held_from),
            Tested::Passed { labels, held_bits } => found.keep(make(labels, held_bits)),
        }
    }

    /// A rule with this draw and these labels.
    fn fit(&self, costed: &CostedDraw, cost: f64, deal: Deal, labels: &Labels, held_bits: f64) -> Fit {
        let letters = |numbers: &[u8]| {
            numbers.iter().map(|kind| self.observed.kinds[usize::from(*kind)]).collect::<Vec<Symbol>>()
        };
        let complete = labels.complete();
        let is_table = complete.len() != self.count();
        let codes = |order: &[u8]| order.iter().map(|kind| self.observed.codes[usize::from(*kind)]).collect();
        let order: Vec<u8> = if is_table { (0..).take(self.count()).collect() } else { complete.clone() };
        // What the numbers mean is a part of the rule: an order of the kinds, or a kind for each number of a table.
        let kinds = f64::from(u8::try_from(self.count()).unwrap_or(16));
        let meaning =
            if is_table { f64::from(u8::try_from(complete.len()).unwrap_or(u8::MAX)) } else { kinds }
                * kinds.log2();
        let family = match &deal {
            Deal::Direct {} if self.alignment.at_start => Family::List,
            Deal::Direct {} if is_table => Family::Table,
            Deal::Direct {} => Family::Direct,
            Deal::History { .. } => Family::History,
            Deal::Bag { .. } => Family::Bag,
            Deal::DroughtPool { .. } => Family::DroughtPool,
            Deal::Pools { .. } => Family::Pool,
        };
        let randomizer = Randomizer {
            deals: self.observed.deals,
            kinds: letters(&order),
            codes: if self.observed.codes.is_empty() { Vec::new() } else { codes(&order) },
            table: if is_table { letters(&complete) } else { Vec::new() },
            weights: Vec::new(),
            pair: PairForm::AxisFirst,
            seed: Seed { bits: self.seed_bits(), steps: 0 },
            generator: self.trace.generator.clone(),
            zero: None,
            draw: costed.draw,
            clock: self.alignment.clock,
            other_calls: 0,
            deal,
            first: None,
            queue: None,
        };
        Fit {
            randomizer,
            alignment: self.alignment.clone(),
            generator: self.nth_trace,
            count: costed.count,
            cost: costed.cost
                + cost
                + meaning
                + self.alignment.cost
                + cost_of_generator(&self.trace.generator),
            family,
            bits: labels.bits,
            held_bits,
            is_complete: labels.is_complete() && self.trace.is_closed,
        }
    }

    fn seed_bits(&self) -> u8 {
        match &self.trace.generator {
            Generator::Table { width, .. } => *width,
            other => other.width(),
        }
    }

    /// Whether the engine takes a rule.
    fn is_allowed(fit: &Fit) -> bool {
        check(&fit.randomizer).is_empty()
    }

    /// The draws below a limit by these methods, the simplest first.
    fn draws(&self, methods: &[nextscope_games::games::declared::Method], largest: usize) -> Vec<CostedDraw> {
        draws::draws(self.width(), methods, largest)
    }

    /// The order in which the halves of a pair are drawn, and how much it costs.
    fn forms(&self) -> &'static [(PairForm, f64)] {
        if self.observed.group() == 1 {
            &[(PairForm::AxisFirst, 0.0)]
        } else {
            &[(PairForm::AxisFirst, 1.0), (PairForm::ChildFirst, 1.5)]
        }
    }

    /// Whether the first deal may follow a rule of its own, so that others are tested without it.
    fn may_be_first(&self, deal: usize) -> bool {
        deal == 0 && self.observed.from_start && self.alignment.ahead == 0 && self.observed.group() == 1
    }
}

/// The first deal that is held back: the last third is.
pub(super) const fn held_from(deals: usize) -> usize {
    deals - deals / 3
}

impl Fit {
    fn with_pair(mut self, pair: PairForm) -> Self {
        self.randomizer.pair = pair;
        self
    }

    fn with_first(mut self, first: Option<First>) -> Self {
        self.cost += if first.is_some() { 6.0 } else { 0.0 };
        self.randomizer.first = first;
        self
    }

    fn with_queue(mut self, queue: Queue) -> Self {
        self.randomizer.queue = Some(queue);
        self
    }
}
