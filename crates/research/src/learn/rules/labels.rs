//! Which kind a drawn number means, from the deals: nobody has to try all orders of the kinds.

/// No kind yet.
const NONE: u8 = u8::MAX;

/// Kinds of drawn numbers, as far as they are known, and how much of that was tested.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Labels {
    kind_of: Vec<u8>,
    /// Whether each kind has one number only.
    is_one_to_one: bool,
    taken: u16,
    kinds: usize,
    /// The improbability of a kind that is dealt by chance, in bits.
    kind_bits: f64,
    /// The improbability of all agreements by chance, in bits.
    pub bits: f64,
}

/// The improbability, in bits, that two deals by chance are alike: a game that deals one kind most of the time proves little with it.
pub(crate) fn kind_bits(units: &[u8], kinds: usize) -> f64 {
    let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    let shares = (0..kinds).map(|kind| {
        let dealt = units.iter().filter(|unit| usize::from(**unit) == kind).count();
        count(dealt) / count(units.len().max(1))
    });
    -shares.map(|share| share * share).sum::<f64>().max(f64::MIN_POSITIVE).log2()
}

impl Labels {
    /// For numbers below `numbers`. `kind_bits` is the improbability of the next kind, [`kind_bits`].
    pub fn new(numbers: usize, kinds: usize, kind_bits: f64) -> Self {
        let kind_of = vec![NONE; numbers];
        Self { kind_of, is_one_to_one: numbers == kinds, taken: 0, kinds, kind_bits, bits: 0.0 }
    }

    /// Whether a number can mean a kind; then it does. By chance it would once in `choices`.
    #[expect(clippy::cast_precision_loss, reason = "counts of kinds")]
    pub fn agree(&mut self, number: usize, kind: u8, choices: usize) -> bool {
        let Some(label) = self.kind_of.get_mut(number) else { return false };
        if *label != NONE {
            self.bits += (choices as f64).log2().min(self.kind_bits);
            return *label == kind;
        }
        if self.is_one_to_one {
            if self.taken >> kind & 1 == 1 {
                return false;
            }
            // A kind that no other number has: by chance once in a while.
            let taken = self.taken.count_ones() as usize;
            let free = self.kinds.saturating_sub(taken).max(1);
            self.bits +=
                (self.kinds as f64 / free as f64).log2().min((choices as f64).log2()).min(self.kind_bits);
        }
        *label = kind;
        self.taken |= 1 << kind;
        true
    }

    /// How many numbers have a meaning.
    pub const fn len(&self) -> usize {
        self.kind_of.len()
    }

    /// The kind of a number, if it is known.
    pub fn kind(&self, number: usize) -> Option<u8> {
        self.kind_of.get(number).copied().filter(|kind| *kind != NONE)
    }

    /// The kinds of all numbers; those never observed get what is left, or the first kind.
    pub fn complete(&self) -> Vec<u8> {
        let all = 0..u8::try_from(self.kinds).unwrap_or(u8::MAX);
        let mut left = all.filter(|kind| self.taken >> kind & 1 == 0);
        self.kind_of.iter().map(|kind| if *kind == NONE { left.next().unwrap_or(0) } else { *kind }).collect()
    }

    /// Whether each number was observed.
    pub fn is_complete(&self) -> bool {
        // Of numbers that each mean another kind, the last follows from the others.
        let unknown = self.kind_of.iter().filter(|kind| **kind == NONE).count();
        unknown <= usize::from(self.is_one_to_one)
    }
}
