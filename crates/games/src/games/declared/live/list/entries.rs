//! The announced entries of a list, and how far another sample of it has moved on.

/// A place of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// Not known.
    Open,
    /// Announced.
    Is(u8),
    /// Reported as wrong: either value is right.
    Disputed,
}

impl Entry {
    pub fn of(deal: Option<u8>) -> Self {
        deal.map_or(Self::Open, Self::Is)
    }

    pub fn deal(self) -> Option<u8> {
        if let Self::Is(deal) = self { Some(deal) } else { None }
    }

    /// The entry after a sample that has `now` in its place; one that is new may still change.
    fn updated(self, now: Option<u8>, is_new: bool) -> Self {
        match (self, now) {
            (Self::Is(_), Some(_)) if is_new => Self::of(now),
            (Self::Open, now) => Self::of(now),
            (known, _) => known,
        }
    }
}

/// What two samples of a list have in common if it moved on by some entries.
pub(super) struct Overlap {
    /// Entries that are known in both.
    pub known: usize,
    /// The places in the newer one that differ.
    pub wrong: Vec<usize>,
}

/// The list of a game.
#[derive(Debug, Clone)]
pub(super) struct Announced {
    entries: Vec<Entry>,
    /// So many of the last ones are new: they came into the list, or were not known before.
    new: usize,
}

impl Announced {
    /// A list of which nothing was known before.
    pub fn new(list: &[Option<u8>]) -> Self {
        Self { entries: list.iter().map(|deal| Entry::of(*deal)).collect(), new: list.len() }
    }

    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn first(&self) -> Entry {
        self.get(0)
    }

    pub fn get(&self, place: usize) -> Entry {
        self.entries.get(place).copied().unwrap_or(Entry::Open)
    }

    /// The new entries are as announced as the others.
    pub const fn settle(&mut self) {
        self.new = 0;
    }

    pub fn is_new(&self, place: usize) -> bool {
        place + self.new >= self.entries.len()
    }

    pub fn dispute(&mut self, place: usize) {
        if let Some(entry) = self.entries.get_mut(place) {
            *entry = Entry::Disputed;
        }
    }

    /// What agrees if the list moved on by `shift`.
    pub fn overlap(&self, list: &[Option<u8>], shift: usize) -> Overlap {
        let mut overlap = Overlap { known: 0, wrong: Vec::new() };
        for (place, now) in list.iter().enumerate() {
            let (Entry::Is(announced), Some(now)) = (self.get(place + shift), now) else { continue };
            if self.is_new(place + shift) {
                continue;
            }
            overlap.known += 1;
            if announced != *now {
                overlap.wrong.push(place);
            }
        }
        overlap
    }

    /// The list moved on by `shift` entries.
    pub fn move_on(&mut self, list: &[Option<u8>], shift: usize) {
        let place = |place: usize| self.get(place + shift).updated(list[place], self.is_new(place + shift));
        let entries: Vec<Entry> = (0..list.len()).map(place).collect();
        let is_found = |place: &usize| self.get(place + shift) == Entry::Open && list[*place].is_some();
        let found = (0..list.len()).find(is_found).map_or(0, |first| list.len() - first);
        self.entries = entries;
        self.new = (self.new + shift).max(found).min(self.entries.len());
    }
}

/// The chance that a list that has nothing to do with this one agrees with it in all of so many entries but `wrong`, at most one.
pub(super) fn chance(kinds: usize, known: usize, wrong: usize) -> f64 {
    let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    let all = count(kinds.max(2)).powf(-count(known));
    if wrong == 0 { all } else { all * count(known) * (count(kinds.max(2)) - 1.0) }
}
