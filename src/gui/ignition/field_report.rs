//! The evaluation of a field, recomputed only when the input changes.

use super::state::Painted;
use crate::pochi::{
    Board, Color, Evaluation, GridCell, Ignition, IgnitionError, Needle, Rules, Ruleset, Tail, Values,
    evaluate, one_more, rank,
};

/// The evaluation of a cell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cell {
    /// Number of the wave that reaches its block, from 1.
    pub wave: Option<usize>,
    /// The blocks that it is reached from.
    pub from: Vec<GridCell>,
    /// Index of the tail that ends here.
    pub tail: Option<usize>,
    /// The best needle here under the shown ruleset.
    pub needle: Option<Needle>,
    /// The gain of one more block here.
    pub gain: Option<i64>,
}

#[derive(Debug)]
pub struct FieldReport {
    input: (Painted, Rules, Ruleset),
    /// Under both rulesets, MVS first; None without an ignition.
    pub values: Option<Result<[Evaluation; 2], IgnitionError>>,
    /// The tails under the shown ruleset, with the indices of their structures.
    pub tails: Vec<(usize, Tail)>,
    /// All needles, best under the shown ruleset first.
    pub needles: Vec<Needle>,
    /// Whether the field is small enough to evaluate all needles and one more block in every cell.
    pub is_small: bool,
    cells: Vec<Cell>,
    width: u8,
}

impl FieldReport {
    pub fn new(painted: &Painted, rules: Rules, ruleset: Ruleset) -> Self {
        let field = &painted.field;
        // Evaluating a large field thousands of times would block the window.
        let is_small = Board::new(field).is_some();
        let values = painted.ignition.as_ref().map(|ignition| {
            let under = |ruleset| evaluate(field, ignition, ruleset, rules);
            Ok([under(Ruleset::Mvs)?, under(Ruleset::Ps2)?])
        });
        let mut report = Self {
            input: (painted.clone(), rules, ruleset),
            values,
            tails: Vec::new(),
            needles: if is_small { rank(field, ruleset, rules) } else { Vec::new() },
            is_small,
            cells: vec![Cell::default(); usize::from(field.width()) * usize::from(field.height())],
            width: field.width(),
        };
        report.add_waves(ruleset);
        for needle in report.needles.clone().into_iter().rev() {
            report.update_cell(needle.at, |cell| cell.needle = Some(needle));
        }
        if is_small {
            report.add_gains(rules, ruleset);
        }
        report
    }

    /// Whether it is the evaluation of this input.
    pub fn is_for(&self, painted: &Painted, rules: Rules, ruleset: Ruleset) -> bool {
        (&self.input.0, self.input.1, self.input.2) == (painted, rules, ruleset)
    }

    /// The shown ruleset.
    pub fn ruleset(&self) -> Ruleset {
        self.input.2
    }

    pub fn cell(&self, at: GridCell) -> &Cell {
        static NOTHING: Cell = Cell { wave: None, from: Vec::new(), tail: None, needle: None, gain: None };
        self.cells.get(self.index(at)).unwrap_or(&NOTHING)
    }

    fn index(&self, at: GridCell) -> usize {
        usize::from(at.y) * usize::from(self.width) + usize::from(at.x)
    }

    fn update_cell(&mut self, at: GridCell, change: impl FnOnce(&mut Cell)) {
        let index = self.index(at);
        if let Some(cell) = self.cells.get_mut(index) {
            change(cell);
        }
    }

    /// The evaluation under the shown ruleset.
    pub fn shown(&self) -> Option<&Evaluation> {
        match &self.values {
            Some(Ok(both)) => both.iter().find(|one| one.ruleset == self.input.2),
            _ => None,
        }
    }

    /// The burning colour: that of the needle or of the ignited blocks.
    pub fn color(&self) -> Option<Color> {
        let first = self.shown().and_then(|one| one.structures.first()).and_then(|one| one.starts.first());
        match &self.input.0.ignition {
            Some(Ignition::Needle { color: Some(color), .. }) => Some(*color),
            _ => first.and_then(|at| self.input.0.field.get(*at)),
        }
    }

    /// The highest value of a needle, at least 1.
    pub fn best(&self) -> u32 {
        self.needles.first().map_or(0, |needle| needle.values.under(self.input.2)).max(1)
    }

    fn add_waves(&mut self, ruleset: Ruleset) {
        let Some(Ok(both)) = &self.values else { return };
        let Some(shown) = both.iter().find(|one| one.ruleset == ruleset).cloned() else { return };
        for (number, wave) in (1..).zip(shown.waves) {
            for block in wave {
                self.update_cell(block.at, |cell| (cell.wave, cell.from) = (Some(number), block.from));
            }
        }
        for (structure, one) in shown.structures.into_iter().enumerate() {
            for tail in one.tails {
                let number = self.tails.len();
                self.update_cell(tail.at, |cell| cell.tail = Some(number));
                self.tails.push((structure, tail));
            }
        }
    }

    fn add_gains(&mut self, rules: Rules, ruleset: Ruleset) {
        let Some(value) = self.shown().map(|shown| i64::from(shown.value)) else { return };
        let Painted { field, ignition: Some(ignition) } = &self.input.0 else { return };
        let gains: Vec<(GridCell, Values)> = one_more(field, ignition, rules).unwrap_or_default();
        for (at, values) in gains {
            self.update_cell(at, |cell| cell.gain = Some(i64::from(values.under(ruleset)) - value));
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
        let report = FieldReport::new(&painted, Rules::default(), Ruleset::Mvs);
        assert!(report.values.is_none() && report.tails.is_empty() && report.color().is_none());
        let best = report.needles[0];
        assert_eq!(report.cell(best.at).needle, Some(best));

        let needle = GridCell::new(0, 0);
        painted.ignition = Some(Ignition::Needle { at: needle, color: None });
        for (nth, ruleset) in Ruleset::ALL.into_iter().enumerate() {
            let report = FieldReport::new(&painted, Rules::default(), ruleset);
            assert!(report.is_for(&painted, Rules::default(), ruleset));
            assert!(!report.is_for(&Painted::default(), Rules::default(), ruleset));
            let Some(Ok(both)) = &report.values else { panic!("it ignites") };
            assert_eq!(report.shown(), Some(&both[nth]));
            assert_eq!(report.color(), Some(Color::Red));
            for (number, (structure, tail)) in report.tails.iter().enumerate() {
                assert_eq!(report.cell(tail.at).tail, Some(number));
                assert!(both[nth].structures[*structure].tails.contains(tail));
            }
            for (number, wave) in (1..).zip(&both[nth].waves) {
                assert!(wave.iter().all(|block| report.cell(block.at).wave == Some(number)));
            }
            for at in painted.field.places() {
                let Some(added) = report.cell(at).gain else { continue };
                let mut field = painted.field.clone();
                field.set(at, Some(Color::Red));
                let ignition = Ignition::Needle { at: needle, color: Some(Color::Red) };
                let more = evaluate(&field, &ignition, ruleset, Rules::default()).unwrap();
                assert_eq!(added, i64::from(more.value) - i64::from(both[nth].value), "{at}");
            }
            assert_eq!(report.cell(needle).gain, None, "the needle is there");
            assert_eq!(report.shown().map(|one| one.value), Some([12, 11][nth]));
        }
    }

    #[test]
    fn what_cannot_ignite_is_an_error_and_not_a_value() {
        let field = Field::from_text("R.B").unwrap();
        let ignition = Some(Ignition::Needle { at: GridCell::new(1, 0), color: None });
        let report = FieldReport::new(&Painted { field, ignition }, Rules::default(), Ruleset::Ps2);
        assert!(matches!(report.values, Some(Err(IgnitionError::Colors { .. }))));
        assert!(report.shown().is_none());
    }
}
