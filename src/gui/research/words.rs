//! Conditions and counts as text: a condition reads like the step on the command line.

use crate::research::{Against, Change, Compare, Condition, NumberFormat, Previous, Value, ValueType};
use crate::seeds::text::grouped;

/// A condition as a step, with its values. Conditions without step syntax (a difference from anything but a previous value,
/// bytes) look similar but cannot be entered.
pub fn of_condition(condition: &Condition, ty: ValueType) -> String {
    let value = |value: &Value| ty.show(value, NumberFormat::Decimal);
    let against = |against: &Against| match against {
        Against::Value(of) => value(of),
        Against::Previous(previous) => previous_name(*previous).to_owned(),
        Against::Cell(place) => format!("@{place}"),
    };
    let since = |previous: &Previous| match previous {
        Previous::LastSearch => String::new(),
        other => format!(" since {}", previous_name(*other)),
    };
    match condition {
        Condition::Unknown => "unknown".into(),
        Condition::Compare(compare, to) => format!("{} {}", sign(*compare), against(to)),
        Condition::Between(one, other) => format!("between {} {}", value(one), value(other)),
        Condition::Changed(previous) => format!("changed{}", since(previous)),
        Condition::Unchanged(previous) => format!("unchanged{}", since(previous)),
        Condition::Differs { change, at_least, by, from } => {
            let least = if *at_least { "at-least " } else { "" };
            let way = match change {
                Change::Up => "+",
                Change::Down => "-",
                Change::Either => "",
            };
            let by = match by {
                Value::Integer(number) => number.to_string(),
                other => value(other),
            };
            let from = match from {
                Against::Previous(previous) => since(previous),
                other => format!(" from {}", against(other)),
            };
            format!("by {least}{way}{by}{from}")
        }
        Condition::Modulo { divisor, equals } => format!("modulo {divisor} = {}", against(equals)),
        Condition::Changes(compare, times) => format!("changes {} {times}", sign(*compare)),
        Condition::Matches { pattern, not } => {
            let bytes = if pattern.len() == 1 { "byte" } else { "bytes" };
            format!("{}{} {bytes} as typed", if *not { "not " } else { "" }, pattern.len())
        }
    }
}

fn sign(compare: Compare) -> &'static str {
    match compare {
        Compare::Equal => "=",
        Compare::NotEqual => "!=",
        Compare::Less => "<",
        Compare::LessOrEqual => "<=",
        Compare::Greater => ">",
        Compare::GreaterOrEqual => ">=",
    }
}

fn previous_name(previous: Previous) -> &'static str {
    match previous {
        Previous::LastSearch => "search",
        Previous::LastFrame => "frame",
        Previous::First => "first",
        Previous::LastChange => "change",
    }
}

/// "4,194,304".
pub fn count(number: u64) -> String {
    grouped(number)
}

/// "1 cell", "36 cells", "4,194,304 cells".
pub fn cells(count: u64) -> String {
    format!("{} {}", grouped(count), if count == 1 { "cell" } else { "cells" })
}

/// "1 frame", "3,600 frames".
pub fn frames(count: u64) -> String {
    format!("{} {}", grouped(count), if count == 1 { "frame" } else { "frames" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::Endian;
    use crate::research::{Kind, Step, parse_step};

    #[test]
    fn conditions_read_as_they_are_typed() {
        let ty = ValueType::new(Kind::I16, Endian::Big).unwrap();
        for text in [
            "unknown",
            "= 5",
            "!= -5",
            "< @0xFFA134",
            ">= first",
            "> frame",
            "between -3 9",
            "changed",
            "changed since change",
            "unchanged since first",
            "by +3",
            "by at-least -3 since first",
            "by 65535",
            "modulo 4 = 1",
            "modulo 4 = search",
            "changes >= 3",
        ] {
            let Ok(Step::Narrow(condition)) = parse_step(text, ty) else { panic!("{text} is no condition") };
            assert_eq!(of_condition(&condition, ty), text);
        }
    }

    #[test]
    fn counts_are_grouped() {
        assert_eq!([cells(0), cells(1), cells(4_194_304)], ["0 cells", "1 cell", "4,194,304 cells"]);
    }
}
