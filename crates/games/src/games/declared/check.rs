//! What the parts of a randomizer must be to each other: a description without problems can be compiled, and deals without end.

mod deal;
mod generator;
mod kinds;

use super::generator::low_bits;
use super::language::{
    Addend, Clock, Deal, Deals, Draw, First, Method, PairForm, PieceCodes, QueueEnd, Randomizer, Symbol,
};
use kinds::MAX_KINDS;

/// Drawn numbers that a table or weights can give meanings to, at most.
const MAX_TABLE: usize = 4096;
/// Problems that are listed, at most.
const MAX_PROBLEMS: usize = 100;

/// Something in a randomizer that is impossible.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Where: keys and indices from 0, joined by dots, such as `deal.pools.1.shuffle`.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
}

/// Everything that is wrong with a randomizer.
pub fn check(randomizer: &Randomizer) -> Vec<Problem> {
    let mut checker = Checker { randomizer, problems: Problems::default() };
    checker.kinds();
    checker.generator();
    checker.seed();
    checker.draw("draw", &randomizer.draw);
    checker.deal();
    checker.addends();
    checker.first();
    checker.queue();
    checker.problems.0
}

/// Everything that is wrong with the codes of a list.
pub fn check_codes(codes: &PieceCodes) -> Vec<Problem> {
    let mut problems = Problems::default();
    problems.kinds(codes.deals, &codes.kinds, &codes.codes, "list each kind once");
    if codes.deals == Deals::Pairs && codes.stride == 1 {
        problems.add("stride", "a pair has two bytes, and `stride` is 1", "write 2 or more, or remove it");
    }
    problems.0
}

/// The problems found so far.
#[derive(Default)]
struct Problems(Vec<Problem>);

impl Problems {
    fn add(&mut self, path: impl Into<String>, message: impl Into<String>, help: impl Into<String>) {
        let problem = Problem { path: path.into(), message: message.into(), help: help.into() };
        // Two rules may use one draw. Lists in a file may have any length, and nobody reads more problems.
        if self.0.len() < MAX_PROBLEMS && !self.0.contains(&problem) {
            self.0.push(problem);
        }
    }

    fn range(&mut self, path: impl Into<String>, what: &str, value: u64, low: u64, high: u64) -> bool {
        let good = (low..=high).contains(&value);
        if !good {
            self.add(path, format!("{what} is {value}"), format!("it may be {low} to {high}"));
        }
        good
    }
}

struct Checker<'a> {
    randomizer: &'a Randomizer,
    problems: Problems,
}

impl Checker<'_> {
    fn problem(&mut self, path: impl Into<String>, message: impl Into<String>, help: impl Into<String>) {
        self.problems.add(path, message, help);
    }

    fn range(&mut self, path: impl Into<String>, what: &str, value: u64, low: u64, high: u64) -> bool {
        self.problems.range(path, what, value, low, high)
    }

    /// A constant of the generator.
    fn fits(&mut self, path: &str, value: u64) {
        let width = self.randomizer.generator.width();
        if (1..64).contains(&width) && value > low_bits(width) {
            let help = format!("the largest number of {width} bits is {:#X}", low_bits(width));
            self.problem(path, format!("{value:#X} has more bits than the generator"), help);
        }
    }

    fn symbols(&mut self, path: &str, symbols: &[Symbol]) {
        for (index, symbol) in symbols.iter().enumerate() {
            if !self.randomizer.kinds.contains(symbol) {
                let help = "use only letters of `kinds`";
                self.problem(format!("{path}.{index}"), format!("{symbol:?} is not one of the kinds"), help);
            }
        }
    }

    fn kinds(&mut self) {
        let Randomizer { kinds, codes, table, weights, deals, .. } = self.randomizer;
        let is_pieces = *deals == Deals::Pieces;
        let once = "list each kind once; `table` or `weights` make some more likely";
        self.problems.kinds(*deals, kinds, codes, once);
        if !table.is_empty() {
            self.range("table", "the length of the table", table.len() as u64, 2, MAX_TABLE as u64);
            self.symbols("table", table);
        }
        if !weights.is_empty() {
            if !table.is_empty() {
                self.problem("weights", "there are both a table and weights", "remove one of them");
            }
            if weights.len() != kinds.len() {
                let message = format!("there are {} weights for {} kinds", weights.len(), kinds.len());
                self.problem("weights", message, "give one weight for each kind, in the same order");
            }
            let sum = weights.iter().map(|weight| u64::from(*weight)).sum();
            self.range("weights", "the sum of the weights", sum, 2, MAX_TABLE as u64);
        }
        if is_pieces && self.randomizer.pair != PairForm::AxisFirst {
            self.problem("pair", "single pieces have no halves", "remove `pair`, or write deals = \"pairs\"");
        }
        let draws_kinds = matches!(self.randomizer.deal, Deal::Direct {} | Deal::History { .. })
            && self.randomizer.pair != PairForm::OneNumber;
        for (path, is_given) in [("table", !table.is_empty()), ("weights", !weights.is_empty())] {
            if is_given && !draws_kinds {
                let help =
                    format!("remove `{path}`, or deal by \"direct\" or \"history\", a draw for each kind");
                self.problem(path, "no draw gives a kind, so that nothing has a meaning to look up", help);
            }
        }
    }

    fn seed(&mut self) {
        let width = self.randomizer.generator.width();
        self.range(
            "seed.bits",
            "the number of bits of a seed",
            self.randomizer.seed.bits.into(),
            1,
            width.into(),
        );
        if let Some(zero) = self.randomizer.zero {
            let mask = zero.mask.unwrap_or_else(|| low_bits(width.clamp(1, 64)));
            self.fits("zero.mask", mask);
            self.fits("zero.replacement", zero.replacement);
            if zero.replacement & mask == 0 {
                let help = "the replacement has one of the tested bits";
                self.problem("zero.replacement", "the replacement counts as zero itself", help);
            }
        }
    }

    /// How many numbers a draw of a kind is below.
    fn meanings(&self) -> u64 {
        let Randomizer { kinds, table, weights, pair, .. } = self.randomizer;
        let kinds = kinds.len() as u64;
        match (*pair, table.len() as u64, weights.is_empty()) {
            (PairForm::OneNumber, ..) => kinds * kinds,
            (_, 0, true) => kinds,
            (_, 0, false) => weights.iter().map(|weight| u64::from(*weight)).sum(),
            (_, length, _) => length,
        }
    }

    fn draw(&mut self, path: &str, draw: &Draw) {
        let width = self.randomizer.generator.width();
        let used = u64::from(draw.shift) + u64::from(draw.bits);
        if used > width.into() {
            let message =
                format!("bits {} to {} are used, of a number of {width} bits", draw.shift, used - 1);
            self.problem(format!("{path}.bits"), message, format!("`shift` + `bits` is at most {width}"));
        }
        self.range(format!("{path}.bits"), "the number of bits", draw.bits.into(), 1, 64);
        if let Some(bits) = draw.sum_bits {
            self.range(format!("{path}.sum_bits"), "the number of bits of the sum", bits.into(), 1, 63);
            if draw.add.is_none() {
                let help = "remove `sum_bits`, or say in `add` what is added";
                self.problem(format!("{path}.sum_bits"), "nothing is added, so that there is no sum", help);
            }
        }
        if draw.add.is_some() && draw.method == Method::MultiplyHigh {
            let message = "a sum times the limit can give numbers that are not below the limit";
            self.problem(format!("{path}.add"), message, "use modulo, mask or rejection with `add`");
        }
    }

    /// A draw of a number below `limit`. `gives_none` is whether a number that `mask` does not exclude counts as rejected.
    fn drawn_below(&mut self, path: &str, draw: &Draw, limit: u64, gives_none: bool) {
        if draw.method == Method::Mask && !gives_none && !limit.is_power_of_two() {
            let message = format!("`mask` also gives numbers that are not below {limit}");
            let help = "use rejection, modulo or multiply-high; only a history rejects such a number";
            self.problem(format!("{path}.method"), message, help);
        }
        if draw.add.is_none() && draw.bits < 63 && 1 << draw.bits < limit {
            let message = format!("{} bits never give some of the numbers below {limit}", draw.bits);
            self.problem(format!("{path}.bits"), message, "use more bits");
        }
    }

    fn addends(&mut self) {
        let Randomizer { deal, draw, .. } = self.randomizer;
        let draws_places = matches!(deal, Deal::Bag { .. } | Deal::Pools { .. } | Deal::DroughtPool { .. });
        if draws_places && draw.add.is_some() {
            let help = "remove `add`: it is for deals of the kinds \"direct\" and \"history\"";
            self.problem("draw.add", "nothing is added to a draw of a place", help);
        }
        if draw.add == Some(Addend::Deals)
            && self.randomizer.queue.is_some_and(|queue| queue.then == QueueEnd::Repeat)
        {
            let help = "remove `add`, or let the queue continue";
            self.problem("draw.add", "deals of a queue that repeats have no numbers of their own", help);
        }
        if self.randomizer.other_calls > 0 && self.randomizer.clock != Clock::Deals {
            let help = "remove `other_calls`: frames already step the generator any number of times";
            self.problem("other_calls", "other calls cannot be told from frames", help);
        }
    }

    fn first(&mut self) {
        let Some(first) = &self.randomizer.first else { return };
        let (First::Exclude { kinds } | First::Among { kinds }) = first;
        self.symbols("first.kinds", kinds);
        self.range("first.kinds", "the number of kinds", kinds.len() as u64, 1, MAX_KINDS as u64);
        if matches!(first, First::Exclude { .. })
            && self.randomizer.kinds.iter().all(|kind| kinds.contains(kind))
        {
            self.problem("first.kinds", "every kind is excluded from the first deal", "leave at least one");
        }
        match (&self.randomizer.deal, first) {
            (Deal::Pools { .. }, _) => {
                self.problem(
                    "first",
                    "pools are made without regard to the first deal",
                    "remove [randomizer.first]",
                );
            }
            (Deal::Bag { .. }, First::Among { .. }) => {
                let help = "use rule = \"exclude\"";
                self.problem("first", "the first piece of a bag comes from the bag, not from a list", help);
            }
            _ if self.randomizer.pair == PairForm::OneNumber => {
                let message = "a pair by one number has no rule for its first half";
                self.problem("first", message, "remove [randomizer.first]");
            }
            (_, First::Among { kinds }) => {
                let draw = self.randomizer.draw;
                self.drawn_below("draw", &draw, kinds.len() as u64, true);
            }
            _ => {}
        }
    }

    fn queue(&mut self) {
        let Some(queue) = self.randomizer.queue else { return };
        if !self.range("queue.length", "the length of the queue", queue.length.into(), 1, 4096) {
            return;
        }
        if queue.first >= queue.length {
            let message = format!("a queue of {} has no place {}", queue.length, queue.first);
            self.problem("queue.first", message, "places are counted from 0");
        }
        if queue.first > 0 && queue.then == QueueEnd::Continue {
            let message = "the deals before the first place would never be dealt";
            self.problem("queue.first", message, "write then = \"repeat\", or remove `first`");
        }
    }
}
