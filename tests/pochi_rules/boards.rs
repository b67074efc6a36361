//! Boards of many kinds, and ignitions of them.

use crate::transcription::{Answers, At};
use nextscope::games::uniform::Uniform;
use nextscope::pochi::{Choice, Color, Field, GridCell, Ignition, RuleQuestion, Rules};
use std::collections::BTreeSet;

/// The answers as the library takes them.
pub fn rules(answers: Answers) -> Rules {
    let choices = [
        (RuleQuestion::VerticalTie, answers.from_above),
        (RuleQuestion::HorizontalTie, answers.from_left),
        (RuleQuestion::BlockAbove, answers.block_above),
        (RuleQuestion::ManyStarts, answers.each_its_own),
        (RuleQuestion::OnlySingles, answers.singles_count),
    ];
    choices.into_iter().fold(Rules::default(), |rules, (question, is_first)| {
        rules.with(question, if is_first { Choice::First } else { Choice::Second })
    })
}

pub fn place((x, y): At) -> GridCell {
    GridCell::new(u8::try_from(x).expect("inside"), u8::try_from(y).expect("inside"))
}

pub fn at(place: GridCell) -> At {
    (place.x.into(), place.y.into())
}

/// The blocks of one colour.
pub fn blocks(field: &Field, color: Color) -> BTreeSet<At> {
    field.places().filter(|place| field.get(*place) == Some(color)).map(at).collect()
}

/// What chance draws.
pub struct Draw(Uniform);

impl Draw {
    pub fn new(seed: u64) -> Self {
        Self(Uniform::SplitMix64(seed))
    }

    pub fn below(&mut self, limit: u32) -> u32 {
        self.0.below(limit)
    }

    fn one_in(&mut self, of: u32) -> bool {
        self.below(of) == 0
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> Option<T> {
        let count = u32::try_from(all.len()).expect("few");
        (count > 0).then(|| all[self.below(count) as usize])
    }

    fn cell(&mut self) -> At {
        let (x, y) = (self.below(7), self.below(12));
        (i32::try_from(x).expect("small"), i32::try_from(y).expect("small"))
    }

    pub fn answers(&mut self) -> Answers {
        // Half of the time the defaults.
        if self.one_in(2) {
            return Answers::FIRST;
        }
        Answers::all().nth(self.below(32) as usize).expect("thirty-two")
    }

    /// One of the kinds of boards below.
    pub fn board(&mut self) -> Field {
        match self.below(5) {
            0 => self.sprinkled(),
            1 => self.stacked(),
            2 => self.lumps(),
            3 => self.paths(),
            _ => self.combs(),
        }
    }

    /// Cells of one to four colours, from nearly empty to full.
    fn sprinkled(&mut self) -> Field {
        let (colors, holes) = (1 + self.below(4), self.below(9));
        let mut field = Field::default();
        for place in field.places() {
            if self.below(12) >= holes {
                field.set(place, Some(Color::ALL[self.below(colors) as usize]));
            }
        }
        field
    }

    /// Columns from the floor, as in play.
    fn stacked(&mut self) -> Field {
        let (colors, least) = (1 + self.below(4), self.below(12));
        let mut field = Field::default();
        for x in 0..7 {
            let height = least + self.below(13 - least);
            for up in 0..height {
                let color = Color::ALL[self.below(colors) as usize];
                field.set(place((x, 11 - i32::try_from(up).expect("small"))), Some(color));
            }
        }
        field
    }

    /// Lumps, each of one colour.
    fn lumps(&mut self) -> Field {
        let mut field = Field::default();
        for _ in 0..1 + self.below(4) {
            let color = Color::ALL[self.below(4) as usize];
            let mut lump = vec![self.cell()];
            for _ in 0..5 + self.below(50) {
                let from = self.of(&lump).expect("not empty");
                let to = self.of(&beside(from)).expect("four");
                if (0..7).contains(&to.0) && (0..12).contains(&to.1) {
                    lump.push(to);
                }
            }
            for cell in lump {
                field.set(place(cell), Some(color));
            }
        }
        field
    }

    /// Thin paths that branch, and here and there a loop.
    fn paths(&mut self) -> Field {
        let mut path = BTreeSet::from([self.cell()]);
        for _ in 0..100 + self.below(2_000) {
            let (x, y) = self.cell();
            let touching = beside((x, y)).iter().filter(|cell| path.contains(*cell)).count();
            if touching == 1 || (touching == 2 && self.one_in(40)) {
                path.insert((x, y));
            }
        }
        let mut field = Field::default();
        for cell in path {
            field.set(place(cell), Some(Color::Blue));
        }
        field
    }

    /// Lines with teeth on either side, horizontal or vertical.
    fn combs(&mut self) -> Field {
        let mut field = if self.one_in(2) { Field::default() } else { self.sprinkled() };
        for _ in 0..1 + self.below(3) {
            let (along, is_lying) = (self.cell(), self.one_in(2));
            let (gap, reach) = (1 + self.below(3), self.below(5));
            for place in field.places() {
                let (x, y) = at(place);
                let (step, away) = if is_lying { (x, (y - along.1).abs()) } else { (y, (x - along.0).abs()) };
                let is_tooth = step % i32::try_from(gap).expect("small") == 0
                    && away <= i32::try_from(reach).expect("small");
                if away == 0 || is_tooth {
                    field.set(place, Some(Color::Green));
                }
            }
        }
        field
    }

    /// A needle anywhere, or one to four blocks of one colour.
    pub fn ignition(&mut self, field: &Field) -> Option<(Color, Ignition)> {
        let taken: Vec<GridCell> = field.places().filter(|place| field.get(*place).is_some()).collect();
        let some = self.of(&taken)?;
        let color = field.get(some)?;
        if self.one_in(3) {
            let same: Vec<GridCell> =
                taken.into_iter().filter(|place| field.get(*place) == Some(color)).collect();
            let named: Vec<GridCell> = (0..1 + self.below(4)).filter_map(|_| self.of(&same)).collect();
            return Some((color, Ignition::Blocks(named)));
        }
        // Beside that block, most often, so that something is touched.
        let cell = if self.one_in(8) { self.cell() } else { self.of(&beside(at(some)))? };
        let needle = GridCell::new(u8::try_from(cell.0).ok()?, u8::try_from(cell.1).ok()?);
        field.has(needle).then_some((color, Ignition::Needle { at: needle, color: Some(color) }))
    }
}

/// The four cells beside one.
fn beside((x, y): At) -> [At; 4] {
    [(x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1)]
}
