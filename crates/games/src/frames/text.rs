//! Measured durations as text, for tables.

use super::estimate::{Certainty, Estimate};
use super::moment::MissingField;
use super::part::Part;
use std::fmt;

impl Part {
    /// Its key in `[frames]` with its rows: "chain, 2 rows".
    pub fn label(self) -> String {
        match self.key() {
            (key, None) => key.to_owned(),
            (key, Some(1)) => format!("{key}, 1 row"),
            (key, Some(rows)) => format!("{key}, {rows} rows"),
        }
    }
}

impl fmt::Display for MissingField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Not measured: {}. The profile lacks {}", self.parts, self.fields)
    }
}

impl fmt::Display for Certainty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.write_str("exact"),
            Self::Few => f.write_str("few"),
            Self::WithinAFrame => f.write_str("within a frame"),
            Self::AtMost => f.write_str("at most"),
            Self::Between => f.write_str("between"),
            Self::Contradiction => f.write_str("contradiction"),
            Self::NotSeen => f.write_str("not seen"),
            Self::Needs(part) => write!(f, "needs {}", part.key().0),
        }
    }
}

impl Certainty {
    /// What it means, in a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Exact => "One number fits everything that was seen, at least three times",
            Self::Few => "One number fits, but was seen too rarely: it may be off by a frame",
            Self::WithinAFrame => {
                "Nearly all values are this number, the others differ by one: a sample may show the game in the middle of its work"
            }
            Self::AtMost => "So much was enough; less was not tried",
            Self::Between => "Several numbers fit, because frames were lost",
            Self::Contradiction => "No number fits everything that was seen",
            Self::NotSeen => "It has not happened yet",
            Self::Needs(_) => "It is the time in addition to another part, which is not known",
        }
    }
}

impl Estimate {
    /// The value, or all that are possible; "?" if there is none.
    pub fn frames_text(&self) -> String {
        let possible = || self.possible.map_or("?".to_owned(), |possible| possible.to_string());
        self.value().map_or_else(possible, |frames| frames.to_string())
    }

    /// How often it was seen; for several values, each with its count: "11: 3×; 12: 1×".
    pub fn seen_text(&self) -> String {
        let seen = self.seen.iter().map(|seen| match self.seen.as_slice() {
            [_] => format!("{}×", seen.count),
            _ => format!("{}: {}×", seen.frames, seen.count),
        });
        seen.collect::<Vec<_>>().join("; ")
    }

    /// The first frame at which each value was seen.
    pub fn first_seen_text(&self) -> String {
        let at = self.seen.iter().filter_map(|seen| seen.at.first()).map(u64::to_string);
        at.collect::<Vec<_>>().join("; ")
    }
}
