//! How an ignition's value comes about, in words.

use super::evaluate::{Evaluation, Opening, PERCENT_A_TAIL, Structure};
use super::rules::Ruleset;

impl Evaluation {
    /// The tails that count, structure by structure, and their sum: `3 + 4 + 4 = 11`.
    #[must_use]
    pub fn sum_told(&self) -> String {
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
            let what =
                if singles == 1 { "one block by itself counts 0" } else { "blocks by themselves count 0" };
            text = if text.is_empty() { what.to_owned() } else { format!("{text}, {what}") };
        }
        text
    }

    /// What the tails add to the sum: `4 % x 3 tails of 11 = 1.32, rounded down 1`; nothing under rules that know no bonus.
    #[must_use]
    pub fn bonus_told(&self) -> Option<String> {
        if self.ruleset != Ruleset::Mvs || self.structures.is_empty() {
            return None;
        }
        let hundredths = PERCENT_A_TAIL * self.max_tails * self.counted;
        let (whole, part) = (hundredths / 100, hundredths % 100);
        let exact = match part {
            0 => whole.to_string(),
            part if part % 10 == 0 => format!("{whole}.{}, rounded down {whole}", part / 10),
            part => format!("{whole}.{part:02}, rounded down {whole}"),
        };
        let tails =
            if self.max_tails == 1 { "1 tail".to_owned() } else { format!("{} tails", self.max_tails) };
        let most = if self.structures.len() > 1 { " (the most of one structure)" } else { "" };
        let ones = if self.counted > self.base { ", blocks by themselves counted as 1" } else { "" };
        Some(format!("{PERCENT_A_TAIL} % x {tails}{most} of {}{ones} = {exact}", self.counted))
    }
}

impl Opening {
    /// The question, the answer taken, and what the other one would make of it.
    #[must_use]
    pub fn told(&self) -> String {
        let [first, second] = self.question.answers();
        let other = if self.taken as usize == 0 { second } else { first };
        let taken = if self.taken as usize == 0 { first } else { second };
        format!("{} {taken} is taken; {other} makes it {}", self.question.text(), self.other_value)
    }
}

#[cfg(test)]
mod tests {
    use crate::pochi::{Choice, Field, Ignition, Place, Question, Rules, Ruleset, evaluate, gallery};

    fn told(name: &str, ruleset: Ruleset) -> (String, Option<String>) {
        let example = gallery().iter().find(|example| example.name == name).expect(name);
        let told = evaluate(&example.field(), &example.ignition(), ruleset, Rules::default()).expect(name);
        (told.sum_told(), told.bonus_told())
    }

    #[test]
    fn the_reckoning_is_the_documents() {
        let bonus = |sum: &str, bonus: &str| (sum.to_owned(), Some(bonus.to_owned()));
        let three = bonus("3 + 4 + 4 = 11", "4 % x 3 tails of 11 = 1.32, rounded down 1");
        assert_eq!(told("3 + 4 + 4", Ruleset::Mvs), three);
        assert_eq!(told("3 + 4 + 4", Ruleset::Ps2), ("3 + 4 + 4 = 11".into(), None));
        assert_eq!(told("a line of 25", Ruleset::Mvs), bonus("25", "4 % x 1 tail of 25 = 1"));
        let single = bonus(
            "3 + 5 + 5 + 5 = 18, one block by itself counts 0",
            "4 % x 4 tails (the most of one structure) of 19, blocks by themselves counted as 1 = 3.04, rounded down 3",
        );
        assert_eq!(told("problem 4: and a 1-tail", Ruleset::Mvs), single);
        assert_eq!(told("problem 4: and a 1-tail", Ruleset::Ps2).0, "(3 + 5 + 5 + 5) + 1 = 19");
        let two = bonus(
            "(2 + 2) + (4 + 4 + 6 + 6 + 6) = 30",
            "4 % x 5 tails (the most of one structure) of 30 = 6",
        );
        assert_eq!(told("5 tails and 2 tails", Ruleset::Mvs), two);
        let one = bonus(
            "one block by itself counts 0",
            "4 % x 1 tail of 1, blocks by themselves counted as 1 = 0.04, rounded down 0",
        );
        assert_eq!(told("one block", Ruleset::Mvs), one);
        assert_eq!(told("one block", Ruleset::Ps2).0, "one block by itself counts 0");
    }

    #[test]
    fn an_open_question_is_told_with_both_answers() {
        let field = Field::from_text("B.B\nB.B\nBBB").expect("a field");
        let needle = Ignition::Blocks(vec![Place::new(0, 0), Place::new(2, 0)]);
        let rules = Rules::default();
        let told = evaluate(&field, &needle, Ruleset::Ps2, rules).expect("a value");
        let opening = told.openings.first().expect("a tie");
        assert_eq!(opening.question, Question::HorizontalTie);
        let text = opening.told();
        assert!(text.ends_with("whose is it? from-left is taken; from-right makes it 7"), "{text}");
        let other = rules.with(Question::HorizontalTie, Choice::Second);
        let told = evaluate(&field, &needle, Ruleset::Ps2, other).expect("a value");
        assert!(told.openings[0].told().contains("from-right is taken; from-left makes it 7"));
    }
}
