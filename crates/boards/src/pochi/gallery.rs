//! The ignitions described in seed document 003, as fields that are possible in the game.

use super::field::{Field, GridCell};
use super::ignition::Ignition;
use super::rules::Ruleset;

/// An ignition from the document.
///
/// The document's drawings were not available: every field is a reconstruction from the text. Blue ignites; red and yellow support it
/// so that nothing floats and the needle comes to rest in its cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
pub struct Example {
    /// A short name.
    pub name: &'static str,
    /// The field, for [`Field::from_text`].
    #[serde(skip)]
    pub grid: &'static str,
    /// The cell of the needle, which is blue.
    pub needle: GridCell,
    /// The blocks that it ignites.
    pub ignited: &'static [GridCell],
    /// The value under the rules of the arcade game.
    pub mvs: u32,
    /// The value under the rules of the PlayStation 2 port.
    pub ps2: u32,
    /// The rulesets whose value the document states; the other value follows from its rules.
    pub stated: &'static [Ruleset],
    /// The document's statement.
    pub note: &'static str,
}

impl Example {
    /// The field.
    pub fn field(&self) -> Field {
        // A test parses all of them.
        Field::from_text(self.grid).unwrap_or_default()
    }

    /// The ignition by the needle; its colour is that of the first ignited block.
    pub fn ignition(&self) -> Ignition {
        let color = self.ignited.first().and_then(|block| self.field().get(*block));
        Ignition::Needle { at: self.needle, color }
    }
}

/// All examples in document order, except that the last is from its figure 2. The picture of its figure 1, a structure of "7
/// tails... or 8", is lost, and no text describes its blocks.
pub fn gallery() -> &'static [Example] {
    &GALLERY
}

const BOTH: &[Ruleset] = &Ruleset::ALL;
const MVS: &[Ruleset] = &[Ruleset::Mvs];
const NEITHER: &[Ruleset] = &[];

static GALLERY: [Example; 18] = [
    Example {
        name: "the tutorial's structure",
        grid: "....B.\n.BBBBB\nYRYBYR",
        needle: GridCell::new(0, 1),
        ignited: &[GridCell::new(1, 1)],
        mvs: 15,
        ps2: 14,
        stated: BOTH,
        note: "Seven blocks and three tails, 4 + 5 + 5. The game's own tutorial says 14; the arcade game itself gives 15, for 12 % of 14 is \
               1.68. How the seven blocks lie is a reconstruction.",
    },
    Example {
        name: "one block",
        grid: ".\nB",
        needle: GridCell::new(0, 0),
        ignited: &[GridCell::new(0, 1)],
        mvs: 0,
        ps2: 0,
        stated: BOTH,
        note: "The smallest clear, a 1-tail: it should be worth 1, and is worth 0 as a special case.",
    },
    Example {
        name: "2 x 7 from the top",
        grid: "..\nBB\nBB\nBB\nBB\nBB\nBB\nBB",
        needle: GridCell::new(0, 0),
        ignited: &[GridCell::new(0, 1)],
        mvs: 14,
        ps2: 15,
        stated: NEITHER,
        note: "The document says that it has only 2 tails on PS2, where waves that move up or down go before the others. It states no \
               value; 15 (7 + 8) and MVS 14 (one tail, all waves merged) follow from its rules.",
    },
    Example {
        name: "7 x 2 from its end",
        grid: ".......\nBBBBBBB\nBBBBBBB",
        needle: GridCell::new(0, 0),
        ignited: &[GridCell::new(0, 1)],
        mvs: 14,
        ps2: 35,
        stated: NEITHER,
        note: "The document says that it has 7 tails on PS2. It states no value; 35 (2 + 3 + ... + 8) and MVS 14 (one tail, all waves \
               merged) follow from its rules.",
    },
    Example {
        name: "3 + 4 + 4",
        grid: "...B.\n.BBBB\nYRBRY",
        needle: GridCell::new(0, 1),
        ignited: &[GridCell::new(1, 1)],
        mvs: 12,
        ps2: 11,
        stated: BOTH,
        note: "Six blocks and three tails: 11, and the bonus of the arcade game is 4 % for each tail: 12 % of 11 is 1.32, rounded down to 1.",
    },
    Example {
        name: "2 + 3 + 3",
        grid: "..B.\n.BBB\nYBRY",
        needle: GridCell::new(0, 1),
        ignited: &[GridCell::new(1, 1)],
        mvs: 8,
        ps2: 8,
        stated: BOTH,
        note: "One block less, as many tails: 12 % of 8 is 0.96, and the bonus is gone.",
    },
    Example {
        name: "3 + 4 + 5 + 5",
        grid: "...B..\n.BBBBB\nYRBRBY",
        needle: GridCell::new(0, 1),
        ignited: &[GridCell::new(1, 1)],
        mvs: 19,
        ps2: 17,
        stated: BOTH,
        note: "A tail more: 16 % of 17 is 2.72.",
    },
    Example {
        name: "a line of 24",
        grid: ".....\nB.BBB\nB.BRB\nB.BYB\nB.BRB\nB.BYB\nB.BRB\nB.BYR\nBBBRY",
        needle: GridCell::new(0, 0),
        ignited: &[GridCell::new(0, 1)],
        mvs: 24,
        ps2: 24,
        stated: MVS,
        note: "A line is one tail: 4 % of 24 is 0.96. The document speaks of a straight line, which no field has room for; this one is folded.",
    },
    Example {
        name: "a line of 25",
        grid: ".....\nB.BBB\nB.BRB\nB.BYB\nB.BRB\nB.BYB\nB.BRB\nB.BYB\nBBBRY",
        needle: GridCell::new(0, 0),
        ignited: &[GridCell::new(0, 1)],
        mvs: 26,
        ps2: 25,
        stated: MVS,
        note: "A block more, and 4 % of 25 is 1: the bonus applies to lines as well. Folded, as the line of 24.",
    },
    Example {
        name: "figure 3, left",
        grid: "..B\n.BB\nBBB",
        needle: GridCell::new(1, 0),
        ignited: &[GridCell::new(2, 0), GridCell::new(1, 1)],
        mvs: 6,
        ps2: 6,
        stated: MVS,
        note: "The needle ignites two blocks, whose waves cannot merge: 3 + 3. The document contradicts itself: the figure's caption says 11, \
               its text 6, and the text is what the rules give. Reconstructed as the right one turned to the left, so that nothing floats; \
               turned to the right it is worth 6 as well.",
    },
    Example {
        name: "figure 3, right",
        grid: "B..\nBB.\nBBB",
        needle: GridCell::new(2, 1),
        ignited: &[GridCell::new(1, 1), GridCell::new(2, 2)],
        mvs: 7,
        ps2: 9,
        stated: MVS,
        note: "The same shape turned: here the bottom step gets nothing, for the wave from above goes first, and is a 1-tail. 3 + 4 = 7, and 8 % of \
               8 is 0.64. The document contradicts itself: the figure's caption says 14, its text 7, and the text is what the rules give.",
    },
    Example {
        name: "figure 4, with the bottom step",
        grid: "B..\nBB.\nBBB",
        needle: GridCell::new(2, 1),
        ignited: &[GridCell::new(1, 1), GridCell::new(2, 2)],
        mvs: 7,
        ps2: 9,
        stated: MVS,
        note: "The ignition on the right of figure 3 once more, beside the one without its bottom step: both are worth 7 in the arcade game, so \
               the bottom step is a 1-tail, worth 0.",
    },
    Example {
        name: "figure 4, without it",
        grid: "B..\nBB.\nBBY",
        needle: GridCell::new(2, 1),
        ignited: &[GridCell::new(1, 1)],
        mvs: 7,
        ps2: 8,
        stated: MVS,
        note: "3 + 4, and 8 % of 7 is 0.56: as much as with the bottom step.",
    },
    Example {
        name: "problem 4: 3 + 5 + 5 + 5",
        grid: ".....B.\n..BBBBB\n.YRBRBR",
        needle: GridCell::new(1, 1),
        ignited: &[GridCell::new(2, 1)],
        mvs: 20,
        ps2: 18,
        stated: MVS,
        note: "16 % of 18 is 2.88. The footage was not available; this is a reconstruction from the tails.",
    },
    Example {
        name: "problem 4: and a 1-tail",
        grid: ".....B.\n..BBBBB\n.BRBRBR",
        needle: GridCell::new(1, 1),
        ignited: &[GridCell::new(2, 1), GridCell::new(1, 2)],
        mvs: 21,
        ps2: 19,
        stated: MVS,
        note: "The 1-tail is worth nothing by itself, but the bonus is a part of the sum of all tails: 16 % of 19 is 3.04.",
    },
    Example {
        name: "problem 4: and two 1-tails",
        grid: ".....B.\nB.BBBBB\nYBRBRBR",
        needle: GridCell::new(1, 1),
        ignited: &[GridCell::new(0, 1), GridCell::new(2, 1), GridCell::new(1, 2)],
        mvs: 21,
        ps2: 20,
        stated: MVS,
        note: "One 1-tail more does not add a further 1: 16 % of 20 is 3.2. Three blocks ignite here, so the document's 21 says that three starts are \
               structures of their own (the question many-starts): as one structure they would be worth 24.",
    },
    Example {
        name: "5 tails and 2 tails",
        grid: "..B....\n.BB....\n.YRB...\n.RYB...\n.YBBB..\n.RYBR..\n.YBBB..\n.RYBY..",
        needle: GridCell::new(3, 1),
        ignited: &[GridCell::new(2, 1), GridCell::new(3, 2)],
        mvs: 36,
        ps2: 30,
        stated: MVS,
        note: "Structures worth 26 and 4 together: the most tails of one structure count, so the bonus is 20 % of 30, not 28 %. The document calls the one \
               with 5 tails the blue one; here both are, for a needle ignites one colour.",
    },
    Example {
        name: "figure 2: a rectangle of 3 tails",
        grid: "...\nBBB\nBBB\nBBB",
        needle: GridCell::new(0, 0),
        ignited: &[GridCell::new(0, 1)],
        mvs: 9,
        ps2: 12,
        stated: NEITHER,
        note: "The caption of figure 2 says that a rectangle has 3 tails on PS2, two of them because waves cannot merge; the picture is lost. A \
               square of 3 x 3 ignited at its corner has them: 3, 4 and 5. It states no value; 12 and MVS 9 (one tail, all waves merged) follow \
               from its rules.",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pochi::{Choice, NeedleRule, RuleQuestion, Rules, evaluate};

    #[test]
    fn every_example_has_the_stated_value_by_needle_and_by_blocks() {
        for example in gallery() {
            let field = Field::from_text(example.grid).expect(example.name);
            let blocks = Ignition::Blocks(example.ignited.to_vec());
            for (ruleset, value) in [(Ruleset::Mvs, example.mvs), (Ruleset::Ps2, example.ps2)] {
                for ignition in [&blocks, &example.ignition()] {
                    let evaluation =
                        evaluate(&field, ignition, ruleset, Rules::default()).expect(example.name);
                    assert_eq!(evaluation.value, value, "{}, {ruleset}, {ignition:?}", example.name);
                    let starts: Vec<GridCell> = evaluation.waves[0].iter().map(|block| block.at).collect();
                    assert_eq!(starts, example.ignited, "{}", example.name);
                }
            }
        }
    }

    #[test]
    fn every_example_is_possible_in_the_game() {
        for example in gallery() {
            let field = example.field().in_game_size().expect(example.name);
            let down = field.height() - example.field().height();
            for place in field.places().filter(|place| field.get(*place).is_some()) {
                let below = GridCell::new(place.x, place.y + 1);
                assert!(!field.has(below) || field.get(below).is_some(), "{}: {place} floats", example.name);
            }
            let needle = GridCell::new(example.needle.x, example.needle.y + down);
            assert!(field.is_rest(needle), "{}", example.name);
        }
    }

    #[test]
    fn the_tails_match_the_document() {
        let tails = |name: &str, ruleset| {
            let example = gallery().iter().find(|example| example.name == name).expect(name);
            let evaluation = evaluate(&example.field(), &example.ignition(), ruleset, Rules::default());
            let structures = evaluation.expect(name).structures;
            let values = |tails: &[crate::pochi::Tail]| tails.iter().map(|tail| tail.value).collect();
            structures.iter().map(|one| values(&one.tails)).collect::<Vec<Vec<u32>>>()
        };
        for ruleset in Ruleset::ALL {
            assert_eq!(tails("the tutorial's structure", ruleset), [[4, 5, 5]]);
            assert_eq!(tails("3 + 4 + 4", ruleset), [[3, 4, 4]]);
            assert_eq!(tails("2 + 3 + 3", ruleset), [[2, 3, 3]]);
            assert_eq!(tails("3 + 4 + 5 + 5", ruleset), [[3, 4, 5, 5]]);
            assert_eq!(tails("problem 4: 3 + 5 + 5 + 5", ruleset), [[3, 5, 5, 5]]);
            let two = tails("5 tails and 2 tails", ruleset);
            assert_eq!(two.iter().map(Vec::len).collect::<Vec<_>>(), [2, 5]);
            assert_eq!(two.iter().map(|tails| tails.iter().sum()).collect::<Vec<u32>>(), [4, 26]);
        }
        assert_eq!(tails("2 x 7 from the top", Ruleset::Ps2)[0].len(), 2);
        assert_eq!(tails("7 x 2 from its end", Ruleset::Ps2)[0].len(), 7);
        assert_eq!(tails("figure 2: a rectangle of 3 tails", Ruleset::Ps2), [[3, 4, 5]]);
        assert_eq!(tails("figure 2: a rectangle of 3 tails", Ruleset::Mvs), [[9]]);
        assert_eq!(tails("figure 3, left", Ruleset::Mvs), [[3], [3]]);
        assert_eq!(tails("figure 3, right", Ruleset::Mvs), [vec![3, 4], vec![1]]);
        assert_eq!(tails("figure 4, without it", Ruleset::Mvs), [[3, 4]]);
    }

    #[test]
    fn a_needle_of_nyoki_nyoki_ignites_one_block_the_one_below_first() {
        let one = Rules::default().with_needle(NeedleRule::One);
        let starts = |grid: &str, rules: Rules| {
            let field = Field::from_text(grid).expect("a field");
            let needle = Ignition::Needle { at: GridCell::new(1, 1), color: Some(crate::pochi::Color::Blue) };
            let evaluation = evaluate(&field, &needle, Ruleset::Ps2, rules).expect("a value");
            evaluation
                .waves
                .first()
                .map_or(Vec::new(), |wave| wave.iter().map(|block| (block.at.x, block.at.y)).collect())
        };
        assert_eq!(starts("...\nB.B\n.B.", Rules::default()), [(0, 1), (2, 1), (1, 2)]);
        assert_eq!(starts("...\nB.B\n.B.", one), [(1, 2)]);
        assert_eq!(starts("...\nB.B\n.R.", one), [(0, 1)]);
        assert_eq!(starts("...\nR.B\n.R.", one), [(2, 1)]);
        assert_eq!(starts(".B.\nR.B\n.R.", one), [(2, 1)]);
        assert_eq!(starts(".B.\nR.R\n.R.", one), [(1, 0)]);
        let stays = one.with(RuleQuestion::BlockAbove, Choice::Second);
        assert!(starts(".B.\nR.R\n.R.", stays).is_empty());
    }

    /// Statements of the notes beyond the numbers.
    #[test]
    fn the_notes_are_correct() {
        let named = |name: &str| gallery().iter().find(|example| example.name == name).expect(name);
        let value = |grid: &str, blocks: &[GridCell], rules| {
            let field = Field::from_text(grid).expect("a field");
            evaluate(&field, &Ignition::Blocks(blocks.to_vec()), Ruleset::Mvs, rules).expect("a value").value
        };
        let three = named("problem 4: and two 1-tails");
        let one = Rules::default().with(RuleQuestion::ManyStarts, Choice::Second);
        assert_eq!(value(three.grid, three.ignited, one), 24);
        let turned_right = [GridCell::new(1, 1), GridCell::new(0, 2)];
        assert_eq!(value("BBB\nBB.\nB..", &turned_right, Rules::default()), 6);
    }
}
