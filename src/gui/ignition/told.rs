//! What is to be said of a field: worked out anew when something changed, not for every frame.

use super::state::Painted;
use crate::pochi::{
    Board, Color, Evaluation, Ignition, IgnitionError, Needle, Place, Rules, Ruleset, Tail, Values, evaluate,
    one_more, rank,
};

/// What belongs to a cell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cell {
    /// The number of the wave that reaches its block, from 1.
    pub wave: Option<usize>,
    /// The blocks that it is reached from.
    pub from: Vec<Place>,
    /// The number of the tail that ends there, from 0.
    pub tail: Option<usize>,
    /// The best needle there, and its value under the rules that are shown.
    pub needle: Option<Needle>,
    /// What one block more adds there.
    pub more: Option<i64>,
}

/// Everything.
#[derive(Debug)]
pub struct Told {
    asked: (Painted, Rules, Ruleset),
    /// Under both rules, MVS first; None when nothing is said to ignite.
    pub values: Option<Result<[Evaluation; 2], IgnitionError>>,
    /// The tails under the rules that are shown, with the numbers of their structures.
    pub tails: Vec<(usize, Tail)>,
    /// All needles, the best under the rules that are shown first.
    pub needles: Vec<Needle>,
    /// Whether the field is small enough to go through all needles, and one block more in every cell.
    pub is_small: bool,
    cells: Vec<Cell>,
    width: u8,
}

impl Told {
    /// Works it out.
    #[must_use]
    pub fn new(painted: &Painted, rules: Rules, ruleset: Ruleset) -> Self {
        let field = &painted.field;
        // Thousands of evaluations of a large field would take longer than the window can wait.
        let is_small = Board::new(field).is_some();
        let values = painted.ignition.as_ref().map(|ignition| {
            let under = |ruleset| evaluate(field, ignition, ruleset, rules);
            Ok([under(Ruleset::Mvs)?, under(Ruleset::Ps2)?])
        });
        let mut told = Self {
            asked: (painted.clone(), rules, ruleset),
            values,
            tails: Vec::new(),
            needles: if is_small { rank(field, ruleset, rules) } else { Vec::new() },
            is_small,
            cells: vec![Cell::default(); usize::from(field.width()) * usize::from(field.height())],
            width: field.width(),
        };
        told.waves(ruleset);
        for needle in told.needles.clone().into_iter().rev() {
            told.with(needle.at, |cell| cell.needle = Some(needle));
        }
        if is_small {
            told.more(rules, ruleset);
        }
        told
    }

    /// Whether it was worked out for this.
    #[must_use]
    pub fn is_of(&self, painted: &Painted, rules: Rules, ruleset: Ruleset) -> bool {
        (&self.asked.0, self.asked.1, self.asked.2) == (painted, rules, ruleset)
    }

    /// Whose waves and values are shown.
    #[must_use]
    pub fn ruleset(&self) -> Ruleset {
        self.asked.2
    }

    /// What belongs to a cell.
    #[must_use]
    pub fn cell(&self, at: Place) -> &Cell {
        static NOTHING: Cell = Cell { wave: None, from: Vec::new(), tail: None, needle: None, more: None };
        self.cells.get(self.index(at)).unwrap_or(&NOTHING)
    }

    fn index(&self, at: Place) -> usize {
        usize::from(at.y) * usize::from(self.width) + usize::from(at.x)
    }

    fn with(&mut self, at: Place, change: impl FnOnce(&mut Cell)) {
        let index = self.index(at);
        if let Some(cell) = self.cells.get_mut(index) {
            change(cell);
        }
    }

    /// The ignition under the rules that are shown, if there is one.
    #[must_use]
    pub fn shown(&self) -> Option<&Evaluation> {
        match &self.values {
            Some(Ok(both)) => both.iter().find(|one| one.ruleset == self.asked.2),
            _ => None,
        }
    }

    /// The colour that burns: the needle's, or that of the blocks that ignite.
    #[must_use]
    pub fn color(&self) -> Option<Color> {
        let first = self.shown().and_then(|one| one.structures.first()).and_then(|one| one.starts.first());
        match &self.asked.0.ignition {
            Some(Ignition::Needle { color: Some(color), .. }) => Some(*color),
            _ => first.and_then(|at| self.asked.0.field.get(*at)),
        }
    }

    /// The most that any needle is worth, at least 1.
    #[must_use]
    pub fn best(&self) -> u32 {
        self.needles.first().map_or(0, |needle| needle.values.under(self.asked.2)).max(1)
    }

    fn waves(&mut self, ruleset: Ruleset) {
        let Some(Ok(both)) = &self.values else { return };
        let Some(shown) = both.iter().find(|one| one.ruleset == ruleset).cloned() else { return };
        for (number, wave) in (1..).zip(shown.waves) {
            for block in wave {
                self.with(block.at, |cell| (cell.wave, cell.from) = (Some(number), block.from));
            }
        }
        for (structure, one) in shown.structures.into_iter().enumerate() {
            for tail in one.tails {
                let number = self.tails.len();
                self.with(tail.at, |cell| cell.tail = Some(number));
                self.tails.push((structure, tail));
            }
        }
    }

    fn more(&mut self, rules: Rules, ruleset: Ruleset) {
        let Some(value) = self.shown().map(|shown| i64::from(shown.value)) else { return };
        let Painted { field, ignition: Some(ignition) } = &self.asked.0 else { return };
        let more: Vec<(Place, Values)> = one_more(field, ignition, rules).unwrap_or_default();
        for (at, values) in more {
            self.with(at, |cell| cell.more = Some(i64::from(values.under(ruleset)) - value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pochi::Field;

    /// The structure of seed document 003 with tails of 3, 4 and 4, worth 12 on MVS and 11 on PS2.
    fn painted() -> Painted {
        let field = Field::from_text("..R.\nRRRR\n.R..\n").unwrap();
        Painted { field, ignition: None }
    }

    #[test]
    fn cells_say_what_the_evaluation_says() {
        let mut painted = painted();
        let told = Told::new(&painted, Rules::default(), Ruleset::Mvs);
        assert!(told.values.is_none() && told.tails.is_empty() && told.color().is_none());
        let best = told.needles[0];
        assert_eq!(told.cell(best.at).needle, Some(best));

        let needle = Place::new(0, 0);
        painted.ignition = Some(Ignition::Needle { at: needle, color: None });
        for (nth, ruleset) in Ruleset::ALL.into_iter().enumerate() {
            let told = Told::new(&painted, Rules::default(), ruleset);
            assert!(told.is_of(&painted, Rules::default(), ruleset));
            assert!(!told.is_of(&Painted::default(), Rules::default(), ruleset));
            let Some(Ok(both)) = &told.values else { panic!("it ignites") };
            assert_eq!(told.shown(), Some(&both[nth]));
            assert_eq!(told.color(), Some(Color::Red));
            for (number, (structure, tail)) in told.tails.iter().enumerate() {
                assert_eq!(told.cell(tail.at).tail, Some(number));
                assert!(both[nth].structures[*structure].tails.contains(tail));
            }
            for (number, wave) in (1..).zip(&both[nth].waves) {
                assert!(wave.iter().all(|block| told.cell(block.at).wave == Some(number)));
            }
            for at in painted.field.places() {
                let Some(added) = told.cell(at).more else { continue };
                let mut field = painted.field.clone();
                field.set(at, Some(Color::Red));
                let ignition = Ignition::Needle { at: needle, color: Some(Color::Red) };
                let more = evaluate(&field, &ignition, ruleset, Rules::default()).unwrap();
                assert_eq!(added, i64::from(more.value) - i64::from(both[nth].value), "{at}");
            }
            assert_eq!(told.cell(needle).more, None, "the needle is there");
            assert_eq!(told.shown().map(|one| one.value), Some([12, 11][nth]));
        }
    }

    #[test]
    fn what_cannot_ignite_is_an_error_and_not_a_value() {
        let field = Field::from_text("R.B").unwrap();
        let ignition = Some(Ignition::Needle { at: Place::new(1, 0), color: None });
        let told = Told::new(&Painted { field, ignition }, Rules::default(), Ruleset::Ps2);
        assert!(matches!(told.values, Some(Err(IgnitionError::Colors { .. }))));
        assert!(told.shown().is_none());
    }
}
