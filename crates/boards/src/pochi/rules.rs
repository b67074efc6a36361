//! The two rulesets, and the open questions about them.

use std::fmt;

/// The ruleset of a version of the game.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ruleset {
    /// The arcade game for the Neo Geo MVS, 2003: waves of one start merge, and tails give a bonus.
    Mvs,
    /// The PlayStation 2 port, 2004: waves never merge, and there is no bonus.
    Ps2,
}

impl Ruleset {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Mvs, Self::Ps2];

    /// The display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mvs => "MVS",
            Self::Ps2 => "PS2",
        }
    }
}

impl fmt::Display for Ruleset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A question that no source answers (reference 5.2, "\[U\]"); but see [`RuleQuestion::is_open`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RuleQuestion {
    /// Two waves that cannot merge reach a block at the same time from above and below: which one gets it?
    VerticalTie,
    /// Two waves that cannot merge reach a block at the same time from the left and right: which one gets it?
    HorizontalTie,
    /// Does a block above the needle ignite?
    BlockAbove,
    /// MVS: are three or four blocks that ignite together separate structures, as two are?
    ManyStarts,
    /// PS2: do several single blocks that ignite together, without others, have a value?
    OnlySingles,
}

impl RuleQuestion {
    /// All questions.
    pub const ALL: [Self; 5] =
        [Self::VerticalTie, Self::HorizontalTie, Self::BlockAbove, Self::ManyStarts, Self::OnlySingles];

    /// The id in JSON and on the command line.
    pub fn id(self) -> &'static str {
        match self {
            Self::VerticalTie => "vertical-tie",
            Self::HorizontalTie => "horizontal-tie",
            Self::BlockAbove => "block-above",
            Self::ManyStarts => "many-starts",
            Self::OnlySingles => "only-singles",
        }
    }

    /// Whether no source answers it. The document does answer whether single blocks count together on PS2: "simultaneous ignition of a
    /// 1-tail and at least one other block ... prevents the 1-tail's value from being reduced to 0", and another single block is such
    /// a block. The other answer can still be selected for comparison.
    pub const fn is_open(self) -> bool {
        !matches!(self, Self::OnlySingles)
    }

    /// The question as text.
    pub fn text(self) -> &'static str {
        match self {
            Self::VerticalTie => {
                "two waves that cannot merge reach a block from above and from below: which one gets it?"
            }
            Self::HorizontalTie => {
                "two waves that cannot merge reach a block from the left and from the right: which one gets it?"
            }
            Self::BlockAbove => "does a block above the needle ignite?",
            Self::ManyStarts => "MVS: are three or four starts separate structures, as two are?",
            Self::OnlySingles => {
                "PS2: do several single blocks that ignite together, without others, have a value?"
            }
        }
    }

    /// Its two answers; the first is the default.
    pub fn answers(self) -> [&'static str; 2] {
        match self {
            Self::VerticalTie => ["from-above", "from-below"],
            Self::HorizontalTie => ["from-left", "from-right"],
            Self::BlockAbove => ["ignites", "stays"],
            Self::ManyStarts => ["each-its-own", "one"],
            Self::OnlySingles => ["count", "nothing"],
        }
    }

    /// The question with this id.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|question| question.id() == id)
    }
}

/// One of a question's two answers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Choice {
    /// The default: the answer suggested by the wording of the sources, if any.
    #[default]
    First,
    /// The other one.
    Second,
}

impl Choice {
    /// The other answer.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// How many blocks a needle ignites.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum NeedleRule {
    /// All blocks of its colour that it touches, as in Pochi & Nyaa.
    #[default]
    All,
    /// One: the block below, or else the one to the left, to the right, or above. Nyoki-Nyoki Tabidachi-hen (2016) prefers the block
    /// below to those beside it; no source gives the order of those.
    One,
}

impl NeedleRule {
    /// The name on the command line.
    pub const fn id(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::One => "one",
        }
    }
}

/// The selected answers to the open questions, and the needle rule.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Rules {
    choices: [Choice; RuleQuestion::ALL.len()],
    needle: NeedleRule,
}

impl Rules {
    /// How many blocks a needle ignites.
    pub fn needle(self) -> NeedleRule {
        self.needle
    }

    /// The rules with another needle rule.
    #[must_use]
    pub fn with_needle(mut self, needle: NeedleRule) -> Self {
        self.needle = needle;
        self
    }

    /// The selected answer to a question.
    pub fn choice(self, question: RuleQuestion) -> Choice {
        self.choices[question as usize]
    }

    /// The rules with another answer to one question.
    #[must_use]
    pub fn with(mut self, question: RuleQuestion, choice: Choice) -> Self {
        self.choices[question as usize] = choice;
        self
    }

    /// The id of the selected answer.
    pub fn answer(self, question: RuleQuestion) -> &'static str {
        question.answers()[self.choice(question) as usize]
    }

    /// Whether the default answer is selected.
    pub(super) fn is_first(self, question: RuleQuestion) -> bool {
        self.choice(question) == Choice::First
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_changed_independently() {
        let rules = Rules::default();
        for (nth, question) in RuleQuestion::ALL.into_iter().enumerate() {
            assert_eq!(question as usize, nth);
            assert_eq!(RuleQuestion::from_id(question.id()), Some(question));
            let other = rules.with(question, Choice::Second);
            for asked in RuleQuestion::ALL {
                assert_eq!(other.is_first(asked), asked != question);
            }
            assert_eq!(other.answer(question), question.answers()[1]);
            assert_eq!(other.with(question, rules.choice(question)), rules);
        }
    }
}
