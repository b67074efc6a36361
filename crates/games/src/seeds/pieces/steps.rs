//! Generator steps between two picks: a known number, or a range.

use crate::games::shift_register::PERIOD;
use std::fmt;
use std::str::FromStr;

/// Steps of the generator of NES Tetris before a pick: a number from `least` to `most`, inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Steps {
    least: u32,
    most: u32,
}

impl Steps {
    /// Unknown: after [`PERIOD`] steps the generator repeats.
    pub const ANY: Self = Self { least: 0, most: PERIOD as u32 - 1 };

    /// A known number.
    pub const fn exactly(steps: u32) -> Self {
        Self { least: steps, most: steps }
    }

    /// From `least` to `most`, inclusive; None if `most` is lower.
    pub const fn between(least: u32, most: u32) -> Option<Self> {
        if least <= most { Some(Self { least, most }) } else { None }
    }

    /// The lowest number.
    pub const fn least(self) -> u32 {
        self.least
    }

    /// The number, if there is only one.
    pub const fn known(self) -> Option<u32> {
        if self.least == self.most { Some(self.least) } else { None }
    }

    /// The number of different generator positions this can lead to, 1 to [`PERIOD`].
    pub fn width(self) -> usize {
        let width = (self.most - self.least).saturating_add(1).min(PERIOD.into());
        usize::try_from(width).unwrap_or(usize::from(PERIOD))
    }
}

impl fmt::Display for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.known() {
            _ if *self == Self::ANY => f.write_str("?"),
            Some(steps) => write!(f, "{steps}"),
            None => write!(f, "{}..{}", self.least, self.most),
        }
    }
}

/// Text that is not a number of steps.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid number of steps {text:?}: expected a number such as 44, a range such as 40..60 with the lower end first, or ? for any"
)]
pub struct StepsError {
    text: String,
}

impl FromStr for Steps {
    type Err = StepsError;

    /// "44", "40..60" with both ends, or "?" for any.
    fn from_str(text: &str) -> Result<Self, StepsError> {
        let number = |text: &str| text.trim().parse().ok();
        let steps = match text.split_once("..") {
            None if text.trim() == "?" => Some(Self::ANY),
            None => number(text).map(Self::exactly),
            Some((least, most)) => {
                let most = number(most.strip_prefix('=').unwrap_or(most));
                number(least).zip(most).and_then(|(least, most)| Self::between(least, most))
            }
        };
        steps.ok_or_else(|| StepsError { text: text.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_round_trip_through_text() {
        for (text, least, width) in [("44", 44, 1), ("40..60", 40, 21), ("0..0", 0, 1), ("?", 0, 32767)] {
            let steps: Steps = text.parse().unwrap();
            assert_eq!((steps.least(), steps.width()), (least, width));
            assert_eq!(steps.to_string().parse(), Ok(steps));
        }
        assert_eq!("1..=3".parse(), Ok(Steps { least: 1, most: 3 }));
        assert_eq!("0..4294967295".parse::<Steps>().map(Steps::width), Ok(32767));
        for text in ["", "x", "60..40", "1..", "..3", "-1", "1..2..3", "4294967296"] {
            assert!(text.parse::<Steps>().is_err(), "{text}");
        }
    }
}
