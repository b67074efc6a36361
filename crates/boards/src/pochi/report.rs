//! The derivation of an ignition's value as text.

use super::evaluate::{Evaluation, PERCENT_A_TAIL, Structure};
use super::rules::Ruleset;

impl Evaluation {
    /// The tails that count, by structure, and their sum: `3 + 4 + 4 = 11`.
    pub fn describe_sum(&self) -> String {
        let counts = |structure: &&Structure| match self.ruleset {
            Ruleset::Mvs => !structure.is_single(),
            Ruleset::Ps2 => self.base > 0,
        };
        let counted: Vec<&Structure> = self.structures.iter().filter(counts).collect();
        let singles = self.structures.len() - counted.len();
        let values: Vec<Vec<String>> = counted
            .iter()
            .map(|structure| structure.tails.iter().map(|tail| tail.value.to_string()).collect())
            .collect();
        let brackets = values.len() > 1;
        let sums: Vec<String> = values
            .iter()
            .map(|tails| {
                if brackets && tails.len() > 1 {
                    format!("({})", tails.join(" + "))
                } else {
                    tails.join(" + ")
                }
            })
            .collect();
        let mut text = sums.join(" + ");
        if values.iter().map(Vec::len).sum::<usize>() > 1 {
            text += &format!(" = {}", self.base);
        }
        if singles > 0 {
            let what = if singles == 1 { "a single block counts 0" } else { "single blocks count 0" };
            text = if text.is_empty() { what.to_owned() } else { format!("{text}, {what}") };
        }
        text
    }

    /// The bonus: `4 % x 3 tails of 11 = 1.32, rounded down to 1`; None under rules without a bonus.
    pub fn describe_bonus(&self) -> Option<String> {
        if self.ruleset != Ruleset::Mvs || self.structures.is_empty() {
            return None;
        }
        let hundredths = u64::from(PERCENT_A_TAIL) * u64::from(self.max_tails) * u64::from(self.counted);
        let (units, part) = (hundredths / 100, hundredths % 100);
        let exact = match part {
            0 => units.to_string(),
            part if part % 10 == 0 => format!("{units}.{}, rounded down to {units}", part / 10),
            part => format!("{units}.{part:02}, rounded down to {units}"),
        };
        let tails =
            if self.max_tails == 1 { "1 tail".to_owned() } else { format!("{} tails", self.max_tails) };
        let most = if self.structures.len() > 1 { " (of the structure with the most)" } else { "" };
        let ones = if self.counted > self.base { ", with single blocks counted as 1" } else { "" };
        Some(format!("{PERCENT_A_TAIL} % x {tails}{most} of {}{ones} = {exact}", self.counted))
    }
}

#[cfg(test)]
mod tests {
    use crate::pochi::{Color, Field, GridCell, Ignition, Rules, Ruleset, evaluate, gallery};

    fn texts(name: &str, ruleset: Ruleset) -> (String, Option<String>) {
        let example = gallery().iter().find(|example| example.name == name).expect(name);
        let evaluation =
            evaluate(&example.field(), &example.ignition(), ruleset, Rules::default()).expect(name);
        (evaluation.describe_sum(), evaluation.describe_bonus())
    }

    #[test]
    fn the_derivation_matches_the_document() {
        let bonus = |sum: &str, bonus: &str| (sum.to_owned(), Some(bonus.to_owned()));
        let three = bonus("3 + 4 + 4 = 11", "4 % x 3 tails of 11 = 1.32, rounded down to 1");
        assert_eq!(texts("3 + 4 + 4", Ruleset::Mvs), three);
        assert_eq!(texts("3 + 4 + 4", Ruleset::Ps2), ("3 + 4 + 4 = 11".into(), None));
        assert_eq!(texts("a line of 25", Ruleset::Mvs), bonus("25", "4 % x 1 tail of 25 = 1"));
        let single = bonus(
            "3 + 5 + 5 + 5 = 18, a single block counts 0",
            "4 % x 4 tails (of the structure with the most) of 19, with single blocks counted as 1 = 3.04, rounded down to 3",
        );
        assert_eq!(texts("problem 4: and a 1-tail", Ruleset::Mvs), single);
        assert_eq!(texts("problem 4: and a 1-tail", Ruleset::Ps2).0, "(3 + 5 + 5 + 5) + 1 = 19");
        let two = bonus(
            "(2 + 2) + (4 + 4 + 6 + 6 + 6) = 30",
            "4 % x 5 tails (of the structure with the most) of 30 = 6",
        );
        assert_eq!(texts("5 tails and 2 tails", Ruleset::Mvs), two);
        let one = bonus(
            "a single block counts 0",
            "4 % x 1 tail of 1, with single blocks counted as 1 = 0.04, rounded down to 0",
        );
        assert_eq!(texts("one block", Ruleset::Mvs), one);
        assert_eq!(texts("one block", Ruleset::Ps2).0, "a single block counts 0");
    }

    /// A path that winds through the largest field with a tail at almost every block: its bonus needs more than 32 bits.
    #[test]
    fn the_largest_bonus_is_correct() {
        let mut field = Field::empty(64, 64).expect("a field");
        for y in (1..64).step_by(3) {
            for x in 0..64 {
                field.set(GridCell::new(x, y), Some(Color::Blue));
                let stub = if x % 2 == 0 { y - 1 } else { y + 1 };
                if (2..62).contains(&x) {
                    field.set(GridCell::new(x, stub), Some(Color::Blue));
                }
            }
            let turn = if y % 2 == 1 { 63 } else { 0 };
            for below in [y + 1, y + 2] {
                field.set(GridCell::new(turn, below), (y < 61).then_some(Color::Blue));
            }
        }
        let start = Ignition::Blocks(vec![GridCell::new(0, 1)]);
        let evaluation = evaluate(&field, &start, Ruleset::Mvs, Rules::default()).expect("a value");
        let product = 4 * u64::from(evaluation.max_tails) * u64::from(evaluation.counted);
        assert!(product > u64::from(u32::MAX), "{product}");
        assert_eq!(u64::from(evaluation.bonus), product / 100);
        assert_eq!(evaluation.value, evaluation.base + evaluation.bonus);
        let bonus = evaluation.describe_bonus().expect("a bonus");
        let exact = bonus.rsplit(" = ").next().and_then(|exact| exact.split(',').next()).expect("a number");
        let (units, part) = exact.split_once('.').unwrap_or((exact, ""));
        assert_eq!(format!("{units}{part:0<2}"), product.to_string());
    }
}
