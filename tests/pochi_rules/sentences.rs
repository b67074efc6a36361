//! Every sentence of seed document 003 that gives a number, on a board that fits into the game's field.

use crate::boards::{place, rules};
use crate::transcription::{Answers, ignite, touched};
use nextscope::pochi::{Board, GridCell, HEIGHT, Ignition, Ruleset, WIDTH, evaluate};

/// What the document says of a board: the needle is `n`. `None` where it says nothing of that version.
struct Sentence {
    says: &'static str,
    grid: &'static str,
    mvs: Option<u64>,
    ps2: Option<u64>,
    /// The tails of each structure, where they are the same in both versions or only one of them is spoken of.
    tails: &'static [&'static [u64]],
}

const SENTENCES: &[Sentence] = &[
    Sentence {
        says: "one block by itself: its value is reduced to 0",
        grid: "n\n#",
        mvs: Some(0),
        ps2: Some(0),
        tails: &[&[1]],
    },
    Sentence {
        says: "a 1-tail and at least one other block: on PS2 its value is not reduced to 0, on MVS it is",
        grid: "#n#\n..#",
        mvs: Some(2),
        ps2: Some(3),
        tails: &[&[1], &[2]],
    },
    Sentence {
        says: "the tutorial: 7 blocks that split into 3 are worth 14, on MVS with an extra 1",
        grid: "....#.\nn#####\n...#..",
        mvs: Some(15),
        ps2: Some(14),
        tails: &[&[4, 5, 5]],
    },
    Sentence {
        says: "the 2x7 rectangle has only 2 tails (PS2)",
        grid: "n.\n##\n##\n##\n##\n##\n##\n##",
        mvs: None,
        ps2: Some(15),
        tails: &[&[7, 8]],
    },
    Sentence {
        says: "the 7x2 rectangle has 7 tails (PS2)",
        grid: "n......\n#######\n#######",
        mvs: None,
        ps2: Some(35),
        tails: &[&[2, 3, 4, 5, 6, 7, 8]],
    },
    Sentence {
        says: "6 blocks with tails of 3, 4 and 4: 11, and 12 on MVS",
        grid: "...#.\nn####\n..#..",
        mvs: Some(12),
        ps2: Some(11),
        tails: &[&[3, 4, 4]],
    },
    Sentence {
        says: "shorter by 1 block, 2 + 3 + 3 = 8: the extra 1 is gone",
        grid: "..#.\nn###\n.#..",
        mvs: Some(8),
        ps2: Some(8),
        tails: &[&[2, 3, 3]],
    },
    Sentence {
        says: "another tail and another block, 3 + 4 + 5 + 5 = 17: 19 on MVS",
        grid: "...#..\nn#####\n..#.#.",
        mvs: Some(19),
        ps2: Some(17),
        tails: &[&[3, 4, 5, 5]],
    },
    Sentence {
        says: "a single line of 24 blocks is worth 24",
        grid: "n......\n#######\n......#\n#######\n#......\n#######\n......#",
        mvs: Some(24),
        ps2: None,
        tails: &[&[24]],
    },
    Sentence {
        says: "a single line of 25 blocks is worth 26",
        grid: "n......\n#######\n......#\n#######\n#......\n#######\n......#\n......#",
        mvs: Some(26),
        ps2: None,
        tails: &[&[25]],
    },
    Sentence {
        says: "figure 3, right, and figure 4, left: 7",
        grid: "#..\n##n\n###",
        mvs: Some(7),
        ps2: None,
        tails: &[&[3, 4], &[1]],
    },
    Sentence {
        says: "figure 3, left, the same turned by 90 degrees: 6",
        grid: "###\n##.\n#n.",
        mvs: Some(6),
        ps2: None,
        tails: &[&[3], &[3]],
    },
    Sentence {
        says: "figure 4, right, without the block that is a 1-tail: 7 as well",
        grid: "#..\n##n\n##.",
        mvs: Some(7),
        ps2: None,
        tails: &[&[3, 4]],
    },
    Sentence {
        says: "3 + 5 + 5 + 5 = 18, and 16 % of it: 20",
        grid: "....#.\nn#####\n..#.#.",
        mvs: Some(20),
        ps2: None,
        tails: &[&[3, 5, 5, 5]],
    },
    Sentence {
        says: "with a 1-tail: 18 and 16 % of 19, 21",
        grid: "....#.\nn#####\n#.#.#.",
        mvs: Some(21),
        ps2: None,
        tails: &[&[3, 5, 5, 5], &[1]],
    },
    Sentence {
        says: "one more 1-tail does not add a further 1",
        grid: "#...#.\nn#####\n#.#.#.",
        mvs: Some(21),
        ps2: None,
        tails: &[&[1], &[3, 5, 5, 5], &[1]],
    },
    Sentence {
        says: "5 tails, 26, and 2 tails, 4, at once: 30 + 20 % of 30 = 36",
        grid: "..#....\n.###...\n..#...#\n.####n#\n..#...#",
        mvs: Some(36),
        ps2: None,
        tails: &[&[4, 4, 6, 6, 6], &[2, 2]],
    },
];

#[test]
fn every_number_of_the_document_holds() {
    for sentence in SENTENCES {
        let says = sentence.says;
        let (blocks, needle, field) = crate::read(sentence.grid);
        let needle = needle.expect("a needle");
        let down = HEIGHT - field.height();
        let field = field.in_game_size().expect("it fits into the game's field");
        assert_eq!((field.width(), field.height()), (WIDTH, HEIGHT));
        let at = place(needle);
        let ignition = Ignition::Needle { at: GridCell { y: at.y + down, ..at }, color: None };
        let fast = Board::values(&field, &ignition, rules(Answers::FIRST)).expect("good").expect("it fits");
        for (ruleset, value) in [(Ruleset::Mvs, sentence.mvs), (Ruleset::Ps2, sentence.ps2)] {
            let Some(value) = value else { continue };
            let starts = touched(&blocks, needle, Answers::FIRST);
            let transcribed = ignite(&blocks, &starts, ruleset == Ruleset::Mvs, Answers::FIRST);
            assert_eq!(
                (transcribed.value, transcribed.values()),
                (value, sentence.tails.iter().map(|tails| tails.to_vec()).collect()),
                "{says}"
            );
            let one = evaluate(&field, &ignition, ruleset, rules(Answers::FIRST)).expect("good");
            assert_eq!(u64::from(one.value), value, "{says}");
            assert_eq!(u64::from(fast.under(ruleset)), value, "{says}");
            let tails: Vec<Vec<u64>> = one
                .structures
                .iter()
                .map(|one| one.tails.iter().map(|tail| tail.value.into()).collect())
                .collect();
            assert_eq!(tails, transcribed.values(), "{says}");
        }
    }
}
