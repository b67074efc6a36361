//! The parts of a pair's time, and one measured duration of a part.

use nextscope_boards::puyo::ROWS;
use std::fmt;

/// What takes time. The numbers are rows, fewer than a board has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// A button is held until the pair has moved.
    Press,
    /// All buttons are released until the next one moves the pair.
    Release,
    /// The pair falls a row with Down held.
    Fall,
    /// The pair falls a row without Down.
    FallWithoutDown,
    /// From the last row until both puyos are part of the board, by the rows that one of them falls further.
    Lock(usize),
    /// A step of a chain that is not the first one, by the most rows that anything falls after it.
    Chain(usize),
    /// From a pair that is part of the board, by a chain of one step, until the next pair appears.
    OnlyChain(usize),
    /// From a pair that is part of the board, without a chain, until the next pair appears.
    Next,
    /// The same with a chain of one step that leaves nothing on the board.
    AllClear,
    /// As `Next` when garbage falls, by the most rows that a garbage puyo falls from above the visible rows.
    Garbage(usize),
}

impl Part {
    /// The parts that have no rows.
    pub const SINGLE: [Self; 6] =
        [Self::Press, Self::Release, Self::Fall, Self::FallWithoutDown, Self::Next, Self::AllClear];

    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        let by_rows = |part: fn(usize) -> Self| (0..ROWS).map(part);
        let rows = by_rows(Self::Lock).chain(by_rows(Self::Chain)).chain(by_rows(Self::Garbage));
        Self::SINGLE.into_iter().chain(rows)
    }
}

/// As in "a pair took longer: ... took 3 frames".
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = |rows: usize| if rows == 1 { "1 row".to_owned() } else { format!("{rows} rows") };
        match self {
            Self::Press => f.write_str("holding a button"),
            Self::Release => f.write_str("releasing the buttons"),
            Self::Fall => f.write_str("falling a row with Down"),
            Self::FallWithoutDown => f.write_str("falling a row without Down"),
            Self::Lock(0) => f.write_str("locking"),
            Self::Lock(n) => write!(f, "locking with one puyo falling {} alone", rows(*n)),
            Self::Chain(n) => write!(f, "a chain step with a fall of {}", rows(*n)),
            Self::OnlyChain(n) => {
                write!(f, "a chain of one step with a fall of {}, with the next pair", rows(*n))
            }
            Self::Next => f.write_str("the next pair"),
            Self::AllClear => f.write_str("an all clear with the next pair"),
            Self::Garbage(n) => write!(f, "the next pair with garbage falling {}", rows(*n)),
        }
    }
}

/// The possible durations that the samples allow, in frames: one if no frame was lost.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// The shortest.
    pub least: u32,
    /// The longest; [`u32::MAX`] if there is no limit.
    pub most: u32,
}

impl Span {
    /// A single duration.
    pub const fn exactly(frames: u32) -> Self {
        Self { least: frames, most: frames }
    }

    /// The duration if only one is possible.
    pub fn exact(self) -> Option<u32> {
        (self.least == self.most).then_some(self.least)
    }

    /// Whether a duration is possible.
    pub fn contains(self, frames: u32) -> bool {
        (self.least..=self.most).contains(&frames)
    }

    /// The durations that are possible if each of both events may have happened a frame before or after where it was sampled: a sample
    /// may show RAM in the middle of the game's work for its frame.
    #[must_use]
    pub fn widened(self) -> Self {
        Self { least: self.least.saturating_sub(1), most: self.most.saturating_add(1) }
    }

    /// The durations that both allow.
    pub fn and(self, other: Self) -> Option<Self> {
        let both = Self { least: self.least.max(other.least), most: self.most.min(other.most) };
        (both.least <= both.most).then_some(both)
    }

    /// What is left of it after a part that takes `other`; None if that takes longer.
    pub fn after(self, other: Self) -> Option<Self> {
        let most = if self.most == u32::MAX { self.most } else { self.most.checked_sub(other.least)? };
        Some(Self { least: self.least.saturating_sub(other.most), most })
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.least, self.most) {
            (least, u32::MAX) => write!(f, "{least} or more"),
            (least, most) if least == most => write!(f, "{least}"),
            (0 | 1, most) => write!(f, "{most} or less"),
            (least, most) => write!(f, "{least} to {most}"),
        }
    }
}

/// One measured duration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartTime {
    /// What took it.
    pub part: Part,
    /// How long.
    pub frames: Span,
    /// The frame at which it ended.
    pub at: u64,
    /// Frames for which a button was held that has an influence: Down after a pair's last row, or a button without effect. Otherwise 0.
    pub held: u32,
}
