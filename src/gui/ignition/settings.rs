//! The ignition panel's settings, saved with all others.

use crate::pochi::{Choice, MAX_BLOCKS, NeedleRule, RuleQuestion, Rules, Ruleset};
use serde::{Deserialize, Serialize};

/// What cells show besides blocks and waves. The names of the variants are saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum FieldOverlay {
    /// Nothing.
    #[default]
    Nothing,
    /// The value of a needle, as a heat map.
    Needles,
    /// The gain of one more block.
    OneMore,
}

impl FieldOverlay {
    /// All variants in display order.
    pub const ALL: [Self; 3] = [Self::Nothing, Self::Needles, Self::OneMore];

    /// The label.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "Waves only",
            Self::Needles => "Needle values",
            Self::OneMore => "One more block",
        }
    }

    /// The tooltip.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Nothing => "Show wave numbers and tails",
            Self::Needles => {
                "Show the value of the best needle in each cell; underlined where it comes to rest"
            }
            Self::OneMore => {
                "Show the gain of one more block of the needle's colour in each empty cell; underlined where it comes to rest"
            }
        }
    }
}

/// A part of the right side. The names of the variants are saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Part {
    /// The explanation of the value.
    #[default]
    Value,
    /// Other needle positions.
    Needles,
    /// Examples.
    Examples,
    /// The structure builder.
    Builder,
    /// The field as text, link and picture.
    Files,
    /// The field of a running game.
    Live,
}

impl Part {
    /// All variants in display order.
    pub const ALL: [Self; 6] =
        [Self::Value, Self::Needles, Self::Examples, Self::Builder, Self::Files, Self::Live];

    /// The label.
    pub fn name(self) -> &'static str {
        match self {
            Self::Value => "Explanation",
            Self::Needles => "Needles",
            Self::Examples => "Examples",
            Self::Builder => "Builder",
            Self::Files => "Text and files",
            Self::Live => "Live",
        }
    }
}

/// Settings of the ignition panel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct IgnitionSettings {
    /// Whether the field shows the waves of the PS2 rules instead of the MVS rules.
    pub ps2: bool,
    /// Whether the needle ignites only one block.
    pub one_block: bool,
    /// Open questions with a non-default answer, by id.
    pub otherwise: Vec<String>,
    /// What the cells show.
    pub overlay: FieldOverlay,
    /// Whether to list only needles that come to rest.
    pub resting: bool,
    /// The selected part.
    pub part: Part,
    /// Path of exported files.
    pub file: String,
    /// The field as a code.
    #[serde(rename = "kept")]
    pub saved_field: String,
    /// Blocks for the builder.
    pub blocks: u32,
    /// Whether built structures must be stable.
    pub freestanding: bool,
    /// Whether the needle must be able to fall to its cell.
    pub open: bool,
    /// Effort of the builder, 1 to 5.
    pub effort: u32,
}

impl Default for IgnitionSettings {
    fn default() -> Self {
        Self {
            ps2: false,
            one_block: false,
            otherwise: Vec::new(),
            overlay: FieldOverlay::default(),
            resting: false,
            part: Part::default(),
            file: String::new(),
            saved_field: String::new(),
            blocks: 12,
            freestanding: false,
            open: false,
            effort: 3,
        }
    }
}

impl IgnitionSettings {
    /// Clamps saved values to their valid ranges.
    #[must_use]
    pub fn repaired(mut self) -> Self {
        self.otherwise.retain(|id| RuleQuestion::from_id(id).is_some());
        self.otherwise.sort_unstable();
        self.otherwise.dedup();
        self.blocks = self.blocks.clamp(1, MAX_BLOCKS);
        self.effort = self.effort.clamp(1, 5);
        self
    }

    /// The answers to the open questions.
    pub fn rules(&self) -> Rules {
        let questions = self.otherwise.iter().filter_map(|id| RuleQuestion::from_id(id));
        let needle = if self.one_block { NeedleRule::One } else { NeedleRule::All };
        let rules = Rules::default().with_needle(needle);
        questions.fold(rules, |rules, question| rules.with(question, Choice::Second))
    }

    /// Answers an open question.
    pub fn answer(&mut self, question: RuleQuestion, choice: Choice) {
        self.otherwise.retain(|id| id != question.id());
        if choice == Choice::Second {
            self.otherwise.push(question.id().into());
        }
    }

    /// The ruleset whose waves are shown.
    pub fn ruleset(&self) -> Ruleset {
        if self.ps2 { Ruleset::Ps2 } else { Ruleset::Mvs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_saved_by_id_and_unknown_ones_dropped() {
        let mut settings = IgnitionSettings::default();
        settings.answer(RuleQuestion::BlockAbove, Choice::Second);
        settings.answer(RuleQuestion::BlockAbove, Choice::Second);
        assert_eq!(settings.rules(), Rules::default().with(RuleQuestion::BlockAbove, Choice::Second));
        settings.otherwise.push("another-version".into());
        let stored = serde_json::to_string(&settings).unwrap();
        let mut back = serde_json::from_str::<IgnitionSettings>(&stored).unwrap().repaired();
        assert_eq!(back.otherwise, ["block-above"]);
        back.answer(RuleQuestion::BlockAbove, Choice::First);
        assert_eq!(back.rules(), Rules::default());
    }
}
