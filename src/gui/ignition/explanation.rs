//! The values of the ignition under both rulesets, and their explanation.

use super::field_report::FieldReport;
use super::settings::IgnitionSettings;
use super::state::State;
use super::text;
use crate::gui::marks::{Mark, mark};
use crate::gui::ui_context::UiContext;
use crate::gui::widgets::banner;
use crate::pochi::{Choice, Color, Evaluation, GridCell, Ignition, OpenQuestion, RuleQuestion, Ruleset};
use crate::text::counted;
use eframe::egui::{Button, RichText, Role, Ui, WidgetInfo};

/// Draws both values, which also select the shown ruleset.
pub fn values(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    report: &FieldReport,
    state: &mut State,
    settings: &mut IgnitionSettings,
) {
    let both = match &report.values {
        Some(Ok(both)) => Some(both),
        _ => None,
    };
    ui.horizontal(|ui| {
        for (nth, ruleset) in Ruleset::ALL.into_iter().enumerate() {
            let value = both.map(|both| &both[nth]);
            ui.vertical(|ui| {
                ui.set_width(104.0);
                ui.spacing_mut().item_spacing.y = 1.0;
                let chosen = settings.ruleset() == ruleset;
                let number = value.map_or_else(|| "none yet".into(), |value| value.value.to_string());
                let text = match value {
                    Some(_) => RichText::new(&number).size(30.0).strong(),
                    None => RichText::new("no value yet").size(16.0),
                };
                let text = if chosen && value.is_some() { text } else { text.color(cx.look.tokens.muted) };
                let label = ui.label(text);
                let spoken = format!("{ruleset} value {number}");
                label.widget_info(|| WidgetInfo::labeled(Role::Label, true, &spoken));
                let button = ui.add(Button::selectable(chosen, format!("{ruleset} rules")));
                if button.on_hover_text(format!("Show the waves of the {ruleset} rules")).clicked() {
                    settings.ps2 = ruleset == Ruleset::Ps2;
                }
                if let Some(value) = value.filter(|value| value.lowest < value.highest) {
                    let range = format!("{} to {}", value.lowest, value.highest);
                    ui.weak(range).on_hover_text("Range over all answers to the open questions");
                }
            });
        }
    });
    needle(ui, state);
    let missing = match &report.values {
        None if state.now().field.blocks() == 0 => Some(
            "Paint blocks, then place a needle beside them (N). Its value under both rules appears above"
                .to_owned(),
        ),
        None => Some("Place the needle beside a block (N) to see its value".to_owned()),
        Some(Err(error)) => {
            let tokens = cx.look.tokens;
            banner(ui, tokens.caution_fill, tokens.caution, Mark::Warning, &text::error_text(error));
            None
        }
        Some(Ok(_)) => None,
    };
    if let Some(missing) = missing {
        ui.weak(missing);
    }
}

/// The needle's position and colour.
fn needle(ui: &mut Ui, state: &mut State) {
    let Some((at, color)) = state.needle() else {
        if let Some(Ignition::Blocks(blocks)) = &state.now().ignition {
            ui.label(format!("{} selected to ignite", counted(blocks.len() as u64, "block")));
        }
        return;
    };
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        ui.label(format!("Needle at {} ", text::place(at)));
        let colors = [None].into_iter().chain(Color::ALL.map(Some));
        for other in colors {
            let letter = other.map_or_else(|| "Auto".to_owned(), |color| color.letter().to_string());
            let name = other.map_or("automatic", Color::name);
            let button = ui.add(Button::selectable(color == other, letter));
            let label = format!("Needle colour {name}");
            button.widget_info(|| WidgetInfo::selected(Role::Button, true, color == other, &label));
            let hint = match other {
                None => "Use the colour of the touched blocks".to_owned(),
                Some(color) => format!("Use a {color} needle"),
            };
            if button.on_hover_text(hint).clicked() {
                state.ignite(Ignition::Needle { at, color: other });
            }
        }
    });
}

/// Draws the explanation. Returns the blocks to highlight: those of the hovered tail's wave.
pub fn show(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    report: &FieldReport,
    settings: &mut IgnitionSettings,
) -> Option<Vec<GridCell>> {
    let mut highlighted = None;
    if let Some(Ok(both)) = &report.values {
        for one in both {
            ui.label(format!("{}: {}", one.ruleset, text::formula(one)));
        }
        if let Some(shown) = report.shown() {
            ui.add_space(4.0);
            highlighted = tails(ui, report, shown);
        }
        let met: Vec<RuleQuestion> = RuleQuestion::ALL
            .into_iter()
            .filter(|question| both.iter().any(|one| opening(one, *question).is_some()))
            .collect();
        for question in met {
            ui.add_space(4.0);
            open_question(ui, cx, both, question, settings);
        }
    }
    otherwise(ui, settings);
    highlighted
}

/// The tails under the shown ruleset.
fn tails(ui: &mut Ui, report: &FieldReport, shown: &Evaluation) -> Option<Vec<GridCell>> {
    let mut highlighted = None;
    for (nth, structure) in shown.structures.iter().enumerate() {
        let starts: Vec<String> = structure.starts.iter().map(|at| text::place(*at)).collect();
        let from = starts.join(" and ");
        ui.label(format!(
            "{} from {from}: {}, {}",
            if shown.structures.len() > 1 { format!("Structure {}", nth + 1) } else { "Structure".into() },
            counted(structure.blocks.into(), "block"),
            counted(structure.tails.len() as u64, "tail")
        ));
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = [4.0, 3.0].into();
            for (number, (_, tail)) in
                report.tails.iter().enumerate().filter(|(_, (structure, _))| *structure == nth)
            {
                let button = ui.add(Button::new(format!("T{}: {}", number + 1, tail.value)));
                let label =
                    format!("Tail {} worth {}, ends at {}", number + 1, tail.value, text::place(tail.at));
                button.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
                if button.hovered() || button.has_focus() {
                    highlighted = Some(tail.visited.clone());
                }
                button.on_hover_text(format!("{label}; the blocks of its wave are highlighted"));
            }
        });
    }
    highlighted
}

fn opening(evaluation: &Evaluation, question: RuleQuestion) -> Option<&OpenQuestion> {
    evaluation.open_questions.iter().find(|opening| opening.question == question)
}

/// An open question that affects the value: the effect of the other answer, and both answers to select.
fn open_question(
    ui: &mut Ui,
    cx: &UiContext<'_>,
    both: &[Evaluation; 2],
    question: RuleQuestion,
    settings: &mut IgnitionSettings,
) {
    let mut effects = Vec::new();
    for (one, opening) in both.iter().filter_map(|one| Some((one, opening(one, question)?))) {
        effects.push(match (opening.mattered, opening.other_value == one.value) {
            (true, false) => format!("{} would be {}", one.ruleset, opening.other_value),
            (true, true) => format!("{}: same value, other tails", one.ruleset),
            (false, _) => format!("{}: no difference", one.ruleset),
        });
    }
    ui.horizontal_wrapped(|ui| {
        mark(ui, Mark::Question, cx.look.tokens.caution);
        let who = if question.is_open() { "Open question" } else { "Settled by the document (first answer)" };
        ui.label(format!("{who}: {}", question.text()));
    });
    ui.horizontal_wrapped(|ui| {
        let taken = settings.rules().choice(question);
        for (choice, answer) in [Choice::First, Choice::Second].into_iter().zip(question.answers()) {
            let button = ui.add(Button::selectable(taken == choice, answer.replace('-', " ")));
            if button.clicked() {
                settings.answer(question, choice);
            }
        }
        ui.weak(format!("Other answer: {}", effects.join(", ")));
    });
}

/// Questions with a non-default answer.
fn otherwise(ui: &mut Ui, settings: &mut IgnitionSettings) {
    ui.checkbox(&mut settings.one_block, "Needle ignites one block").on_hover_text(
        "The block below or beside it, as in Nyoki-Nyoki Tabidachi-hen. In Pochi & Nyaa it ignites all touched blocks",
    );
    if settings.otherwise.is_empty() {
        return;
    }
    ui.add_space(4.0);
    let rules = settings.rules();
    let questions =
        RuleQuestion::ALL.into_iter().filter(|question| rules.choice(*question) == Choice::Second);
    let answers: Vec<String> = questions
        .map(|question| {
            format!("{}: {}", question.id().replace('-', " "), rules.answer(question).replace('-', " "))
        })
        .collect();
    ui.horizontal_wrapped(|ui| {
        ui.weak(format!("Non-default answers: {}", answers.join(", ")));
        if ui
            .button("Reset answers")
            .on_hover_text("Reset all open questions to the default answers")
            .clicked()
        {
            settings.otherwise.clear();
        }
    });
}
