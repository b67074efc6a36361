//! Controls for a search condition.

use crate::gui::widgets::hinted;
use crate::research::{
    Against, CellAddress, Change, Compare, Condition, Kind, Pattern, Previous, TextCode, Value, ValueType,
};
use eframe::egui::{Button, DragValue, Ui};

/// The kind of condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Question {
    /// Any value.
    #[default]
    Unknown,
    /// A comparison.
    Compares(Compare),
    /// Between two values.
    Between,
    /// Different from the previous value.
    Changed,
    /// Equal to the previous value.
    Unchanged,
    /// A difference.
    Differs,
    /// A remainder.
    Modulo,
    /// A number of changes.
    Changes,
    /// A byte pattern.
    Bytes,
    /// A text.
    Text,
}

impl Question {
    const ALL: [Self; 15] = [
        Self::Unknown,
        Self::Compares(Compare::Equal),
        Self::Compares(Compare::NotEqual),
        Self::Compares(Compare::Less),
        Self::Compares(Compare::LessOrEqual),
        Self::Compares(Compare::Greater),
        Self::Compares(Compare::GreaterOrEqual),
        Self::Between,
        Self::Changed,
        Self::Unchanged,
        Self::Differs,
        Self::Modulo,
        Self::Changes,
        Self::Bytes,
        Self::Text,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Compares(Compare::Equal) => "equal =",
            Self::Compares(Compare::NotEqual) => "not equal !=",
            Self::Compares(Compare::Less) => "less <",
            Self::Compares(Compare::LessOrEqual) => "at most <=",
            Self::Compares(Compare::Greater) => "greater >",
            Self::Compares(Compare::GreaterOrEqual) => "at least >=",
            Self::Between => "between",
            Self::Changed => "changed",
            Self::Unchanged => "unchanged",
            Self::Differs => "differs by",
            Self::Modulo => "modulo",
            Self::Changes => "change count",
            Self::Bytes => "bytes",
            Self::Text => "text",
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Self::Unknown => {
                "Any value: the first step if you do not know it; later it only updates the previous values"
            }
            Self::Compares(_) => "Compare with a value, the previous value, or another cell",
            Self::Between => "Inclusive",
            Self::Changed | Self::Unchanged => "Compare with the previous value, bit by bit",
            Self::Differs => "Compare the difference: exact or minimum, up or down",
            Self::Modulo => "Compare the remainder of a division",
            Self::Changes => "Number of changes between frames; needs Count changes",
            Self::Bytes => "Bytes in hexadecimal; ? is any digit",
            Self::Text => "Text in ASCII, UTF-8 or UTF-16",
        }
    }

    /// Whether it applies to a kind of value; bytes and texts set the kind themselves in the first step.
    fn fits(self, kind: Kind, started: bool) -> bool {
        match self {
            Self::Unknown | Self::Changed | Self::Unchanged | Self::Changes => true,
            Self::Bytes | Self::Text => !started || matches!(kind, Kind::Bytes { .. }),
            Self::Modulo => kind.is_integer(),
            _ => !matches!(kind, Kind::Bytes { .. }),
        }
    }
}

/// What a value is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Held {
    /// An entered value.
    #[default]
    Value,
    /// The previous value of the cell.
    Before,
    /// The value of another cell.
    Cell,
}

/// The state of the controls.
#[derive(Debug, Clone)]
pub struct Form {
    pub question: Question,
    held: Held,
    since: Previous,
    value: String,
    other: String,
    cell: String,
    by: String,
    change: Change,
    at_least: bool,
    divisor: u64,
    often: Compare,
    times: u32,
    bytes: String,
    not: bool,
    text: String,
    code: TextCode,
    any_case: bool,
}

impl Default for Form {
    fn default() -> Self {
        Self {
            question: Question::default(),
            held: Held::default(),
            since: Previous::LastSearch,
            value: "0".into(),
            other: "9".into(),
            cell: String::new(),
            by: "1".into(),
            change: Change::Up,
            at_least: false,
            divisor: 2,
            often: Compare::GreaterOrEqual,
            times: 1,
            bytes: String::new(),
            not: false,
            text: String::new(),
            code: TextCode::default(),
            any_case: false,
        }
    }
}

const SINCE: [(Previous, &str, &str); 4] = [
    (Previous::LastSearch, "last search", "The value at the last search"),
    (Previous::LastFrame, "last frame", "The value one frame ago; needs Count changes"),
    (Previous::First, "first search", "The value at the first search"),
    (Previous::LastChange, "last change", "The value before the last change; needs Count changes"),
];

impl Form {
    /// After the first step: selects a comparison with the previous value.
    pub fn started(&mut self) {
        if self.question == Question::Unknown {
            (self.question, self.held) = (Question::Changed, Held::Before);
        }
    }

    /// After a restart: deselects comparisons with previous values.
    pub fn restart(&mut self) {
        if matches!(self.question, Question::Changed | Question::Unchanged | Question::Differs)
            || self.held == Held::Before
        {
            (self.question, self.held) = (Question::Unknown, Held::Value);
        }
    }

    /// The condition, or what is wrong with the input.
    pub fn condition(&self, ty: ValueType) -> Result<Condition, String> {
        let condition = match self.question {
            Question::Unknown => Condition::Unknown,
            Question::Compares(compare) => Condition::Compare(compare, self.against(ty)?),
            Question::Between => Condition::Between(value(ty, &self.value)?, value(ty, &self.other)?),
            Question::Changed => Condition::Changed(self.since),
            Question::Unchanged => Condition::Unchanged(self.since),
            Question::Differs => Condition::Differs {
                change: self.change,
                at_least: self.at_least,
                by: value(difference(ty)?, &self.by)?,
                from: self.against(ty)?,
            },
            Question::Modulo => Condition::Modulo { divisor: self.divisor, equals: self.against(ty)? },
            Question::Changes => Condition::Changes(self.often, self.times),
            Question::Bytes | Question::Text => {
                Condition::Matches { pattern: self.pattern(ty)?, not: self.not }
            }
        };
        Ok(condition)
    }

    /// The pattern as entered.
    pub fn pattern_in_words(&self) -> String {
        let not = if self.not { "not " } else { "" };
        match self.question {
            Question::Text => format!("{not}text \"{}\"", self.text),
            _ => format!("{not}bytes {}", self.bytes.trim()),
        }
    }

    fn pattern(&self, ty: ValueType) -> Result<Pattern, String> {
        let pattern = match self.question {
            Question::Text => Pattern::text(&self.text, self.code, ty.order(), self.any_case),
            _ => Pattern::bytes(&self.bytes),
        };
        pattern.map_err(|error| error.to_string())
    }

    fn against(&self, ty: ValueType) -> Result<Against, String> {
        Ok(match self.held {
            Held::Value => Against::Value(value(ty, &self.value)?),
            Held::Before => Against::Previous(self.since),
            Held::Cell => {
                let text = self.cell.trim().trim_start_matches('@');
                if text.is_empty() {
                    return Err("enter the address of the other cell".into());
                }
                Against::Cell(text.parse::<CellAddress>().map_err(|error| error.to_string())?)
            }
        })
    }

    /// Draws the controls; true if Enter was pressed in a field.
    pub fn show(&mut self, ui: &mut Ui, ty: ValueType, started: bool) -> bool {
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing.x = 3.0;
            for question in Question::ALL {
                let earlier = matches!(question, Question::Changed | Question::Unchanged);
                let possible = question.fits(ty.kind(), started) && (started || !earlier);
                let button = Button::selectable(self.question == question, question.name());
                let response = ui.add_enabled(possible, button).on_hover_text(question.meaning());
                let why =
                    if started { "Not available for this type" } else { "Available after the first search" };
                if response.on_disabled_hover_text(why).clicked() {
                    self.question = question;
                }
            }
        });
        ui.horizontal_wrapped(|ui| self.operands(ui, started)).inner
    }

    fn operands(&mut self, ui: &mut Ui, started: bool) -> bool {
        match self.question {
            Question::Unknown => {
                ui.weak("Any value. Then continue the game and narrow by what changes");
                false
            }
            Question::Compares(_) => self.operand(ui, started, "value"),
            Question::Between => {
                let one = field(ui, &mut self.value, "from", 90.0);
                ui.label("and");
                one | field(ui, &mut self.other, "to", 90.0)
            }
            Question::Changed | Question::Unchanged => {
                ui.label("since");
                self.since(ui);
                false
            }
            Question::Differs => {
                let ways = [(Change::Up, "up"), (Change::Down, "down"), (Change::Either, "up or down")];
                for (change, name) in ways {
                    ui.selectable_value(&mut self.change, change, name);
                }
                ui.separator();
                ui.selectable_value(&mut self.at_least, false, "exactly");
                ui.selectable_value(&mut self.at_least, true, "by at least");
                let enter = field(ui, &mut self.by, "difference", 80.0);
                ui.label("from");
                enter | self.operand(ui, started, "base value")
            }
            Question::Modulo => {
                ui.add(DragValue::new(&mut self.divisor).range(1..=u64::MAX)).accessible_name("divisor");
                ui.label("leaves");
                self.operand(ui, started, "remainder")
            }
            Question::Changes => {
                let compares = [
                    (Compare::Equal, "exactly"),
                    (Compare::Less, "fewer than"),
                    (Compare::LessOrEqual, "no more than"),
                    (Compare::Greater, "more than"),
                    (Compare::GreaterOrEqual, "no fewer than"),
                    (Compare::NotEqual, "not exactly"),
                ];
                for (compare, name) in compares {
                    ui.selectable_value(&mut self.often, compare, name);
                }
                ui.add(DragValue::new(&mut self.times)).accessible_name("number of changes");
                ui.label("times");
                false
            }
            Question::Bytes => {
                let enter = hinted(ui, &mut self.bytes, "bytes to find", "4E 65 ?? 7?", 220.0);
                ui.checkbox(&mut self.not, "does not match");
                enter
            }
            Question::Text => {
                let enter = hinted(ui, &mut self.text, "text to find", "NEXT", 160.0);
                let codes =
                    [(TextCode::Ascii, "ASCII"), (TextCode::Utf8, "UTF-8"), (TextCode::Utf16, "UTF-16")];
                for (code, name) in codes {
                    ui.selectable_value(&mut self.code, code, name);
                }
                ui.checkbox(&mut self.any_case, "any case");
                ui.checkbox(&mut self.not, "does not match");
                enter
            }
        }
    }

    /// The operand: a value, the previous value, or another cell.
    fn operand(&mut self, ui: &mut Ui, started: bool, name: &str) -> bool {
        ui.selectable_value(&mut self.held, Held::Value, "a value");
        let before = Button::selectable(self.held == Held::Before, "previous value");
        let why = "Available after the first search";
        if ui.add_enabled(started, before).on_disabled_hover_text(why).clicked() {
            self.held = Held::Before;
        }
        ui.selectable_value(&mut self.held, Held::Cell, "another cell");
        match self.held {
            Held::Value => hinted(ui, &mut self.value, name, "5, 0x4D2, -1", 110.0),
            Held::Before => {
                ui.label("at the");
                self.since(ui);
                false
            }
            Held::Cell => hinted(ui, &mut self.cell, "address of the other cell", "FFA134", 110.0),
        }
    }

    fn since(&mut self, ui: &mut Ui) {
        for (previous, name, meaning) in SINCE {
            ui.selectable_value(&mut self.since, previous, name).on_hover_text(meaning);
        }
    }
}

/// A short field; true if Enter was pressed in it.
pub fn field(ui: &mut Ui, text: &mut String, name: &str, width: f32) -> bool {
    hinted(ui, text, name, "", width)
}

fn value(ty: ValueType, text: &str) -> Result<Value, String> {
    ty.parse(text).map_err(|error| error.to_string())
}

/// The type of a difference, which may exceed the range of a signed type.
fn difference(ty: ValueType) -> Result<ValueType, String> {
    match ty.kind() {
        Kind::F32 | Kind::F64 => Ok(ty),
        _ => ValueType::new(Kind::U64, ty.order()).map_err(|error| error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::Endian;
    use crate::research::{Address, Part};

    fn of(kind: Kind) -> ValueType {
        ValueType::new(kind, Endian::Big).unwrap()
    }

    #[test]
    fn every_question_becomes_its_condition() {
        let form =
            Form { value: "5".into(), cell: "@FFA134".into(), bytes: "4E ??".into(), ..Form::default() };
        let ty = of(Kind::U16);
        let ask = |form: &Form| form.condition(ty).unwrap();
        let five = Against::Value(Value::Integer(5));
        for question in Question::ALL {
            let form = Form { question, ..form.clone() };
            let expected = match question {
                Question::Unknown => Condition::Unknown,
                Question::Compares(compare) => Condition::Compare(compare, five.clone()),
                Question::Between => Condition::Between(Value::Integer(5), Value::Integer(9)),
                Question::Changed => Condition::Changed(Previous::LastSearch),
                Question::Unchanged => Condition::Unchanged(Previous::LastSearch),
                Question::Differs => Condition::Differs {
                    change: Change::Up,
                    at_least: false,
                    by: Value::Integer(1),
                    from: five.clone(),
                },
                Question::Modulo => Condition::Modulo { divisor: 2, equals: five.clone() },
                Question::Changes => Condition::Changes(Compare::GreaterOrEqual, 1),
                Question::Bytes => {
                    Condition::Matches { pattern: Pattern::bytes("4E ??").unwrap(), not: false }
                }
                Question::Text => continue,
            };
            assert_eq!(ask(&form), expected, "{question:?}");
        }
        let place = CellAddress { address: Address(0xFF_A134), part: Part::Whole };
        let compare = Question::Compares(Compare::Less);
        let cell = Form { question: compare, held: Held::Cell, ..form.clone() };
        assert_eq!(ask(&cell), Condition::Compare(Compare::Less, Against::Cell(place)));
        let before = Form { question: compare, held: Held::Before, since: Previous::First, ..form.clone() };
        assert_eq!(ask(&before), Condition::Compare(Compare::Less, Against::Previous(Previous::First)));
        let text = Form { question: Question::Text, text: "Next".into(), any_case: true, ..form };
        let pattern = Pattern::text("Next", TextCode::Ascii, Endian::Big, true).unwrap();
        assert_eq!(ask(&text), Condition::Matches { pattern, not: false });
    }

    #[test]
    fn what_cannot_be_is_answered() {
        let wrong = |form: Form, kind| form.condition(of(kind)).expect_err("it cannot be");
        let equal = Question::Compares(Compare::Equal);
        let form = Form { question: equal, ..Form::default() };
        assert!(wrong(Form { value: "300".into(), ..form.clone() }, Kind::U8).contains("is out of range"));
        assert!(wrong(Form { value: "five".into(), ..form.clone() }, Kind::U8).contains("invalid number"));
        assert!(wrong(Form { held: Held::Cell, ..form.clone() }, Kind::U8).contains("address"));
        assert!(wrong(Form { question: Question::Bytes, ..form }, Kind::U8).contains("the pattern is empty"));
    }

    #[test]
    fn a_difference_may_exceed_the_type() {
        let form =
            Form { question: Question::Differs, by: "255".into(), held: Held::Before, ..Form::default() };
        assert!(form.condition(of(Kind::I8)).is_ok());
    }

    #[test]
    fn earlier_values_are_offered_when_there_are_some() {
        let mut form = Form::default();
        form.started();
        assert_eq!(form.condition(of(Kind::U8)), Ok(Condition::Changed(Previous::LastSearch)));
        form.restart();
        assert_eq!(form.condition(of(Kind::U8)), Ok(Condition::Unknown));
    }
}
