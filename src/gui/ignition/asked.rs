//! What is chosen in the panel, kept from one start to the next.

use crate::pochi::{BLOCKS_MOST, Choice, NeedleRule, Question, Rules, Ruleset};
use serde::{Deserialize, Serialize};

/// What the cells show beside blocks and waves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Overlay {
    /// Nothing.
    #[default]
    Nothing,
    /// What a needle there is worth, as a heat map.
    Needles,
    /// What one block more there adds.
    OneMore,
}

impl Overlay {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 3] = [Self::Nothing, Self::Needles, Self::OneMore];

    /// The name on its button.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Nothing => "Waves only",
            Self::Needles => "Needle values",
            Self::OneMore => "One block more",
        }
    }

    /// One sentence more.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Nothing => "Blocks with the numbers of their waves, and the tails",
            Self::Needles => {
                "What a needle in each cell is worth, in its best colour; underlined where it comes to rest"
            }
            Self::OneMore => {
                "What one block more of the needle's colour adds in each empty cell; underlined where it comes to rest"
            }
        }
    }
}

/// A part of the panel's right side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Part {
    /// How the value comes about.
    #[default]
    Value,
    /// Where else a needle could go.
    Needles,
    /// The document's examples.
    Examples,
    /// Structures that are built by the program.
    Builder,
    /// The field as text, link and picture.
    Files,
    /// The field of a game that runs.
    Live,
}

impl Part {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 6] =
        [Self::Value, Self::Needles, Self::Examples, Self::Builder, Self::Files, Self::Live];

    /// The name on its button.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Value => "Why",
            Self::Needles => "Needles",
            Self::Examples => "Examples",
            Self::Builder => "Builder",
            Self::Files => "Text, files",
            Self::Live => "Live",
        }
    }
}

/// Everything that is chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct IgnitionSettings {
    /// Whether the field shows the waves of the PS2 rules, and not of the MVS.
    pub ps2: bool,
    /// Whether the needle ignites one block only.
    pub one_block: bool,
    /// The open questions that are answered otherwise than by default, by their names.
    pub otherwise: Vec<String>,
    /// What the cells show.
    pub overlay: Overlay,
    /// Whether only needles are listed that would come to rest.
    pub resting: bool,
    /// The part that is open.
    pub part: Part,
    /// Where pictures are written.
    pub file: String,
    /// What is painted, as a code.
    pub kept: String,
    /// Blocks that the builder may use.
    pub blocks: u32,
    /// Whether what it builds must stand by itself.
    pub standing: bool,
    /// Whether its needle must be able to fall into its cell.
    pub open: bool,
    /// How much it may try, 1 to 5.
    pub effort: u32,
}

impl Default for IgnitionSettings {
    fn default() -> Self {
        Self {
            ps2: false,
            one_block: false,
            otherwise: Vec::new(),
            overlay: Overlay::default(),
            resting: false,
            part: Part::default(),
            file: String::new(),
            kept: String::new(),
            blocks: 12,
            standing: false,
            open: false,
            effort: 3,
        }
    }
}

impl IgnitionSettings {
    /// Settings that were read from disk, with what cannot be put right.
    #[must_use]
    pub fn repaired(mut self) -> Self {
        self.otherwise.retain(|id| Question::from_id(id).is_some());
        self.otherwise.sort_unstable();
        self.otherwise.dedup();
        self.blocks = self.blocks.clamp(1, BLOCKS_MOST);
        self.effort = self.effort.clamp(1, 5);
        self
    }

    /// The answers to the open questions.
    #[must_use]
    pub fn rules(&self) -> Rules {
        let questions = self.otherwise.iter().filter_map(|id| Question::from_id(id));
        let needle = if self.one_block { NeedleRule::One } else { NeedleRule::All };
        let rules = Rules::default().with_needle(needle);
        questions.fold(rules, |rules, question| rules.with(question, Choice::Second))
    }

    /// Answers an open question.
    pub fn answer(&mut self, question: Question, choice: Choice) {
        self.otherwise.retain(|id| id != question.id());
        if choice == Choice::Second {
            self.otherwise.push(question.id().into());
        }
    }

    /// Whose waves the field shows.
    #[must_use]
    pub fn ruleset(&self) -> Ruleset {
        if self.ps2 { Ruleset::Ps2 } else { Ruleset::Mvs }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_kept_by_name_and_unknown_ones_dropped() {
        let mut asked = IgnitionSettings::default();
        asked.answer(Question::BlockAbove, Choice::Second);
        asked.answer(Question::BlockAbove, Choice::Second);
        assert_eq!(asked.rules(), Rules::default().with(Question::BlockAbove, Choice::Second));
        asked.otherwise.push("another-version".into());
        let stored = serde_json::to_string(&asked).unwrap();
        let mut back = serde_json::from_str::<IgnitionSettings>(&stored).unwrap().repaired();
        assert_eq!(back.otherwise, ["block-above"]);
        back.answer(Question::BlockAbove, Choice::First);
        assert_eq!(back.rules(), Rules::default());
    }
}
