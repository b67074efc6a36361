//! What the ignition is worth under both rules, and why.

use super::asked::IgnitionSettings;
use super::state::State;
use super::told::Told;
use super::words;
use crate::gui::marks::{Mark, mark};
use crate::gui::scene::Scene;
use crate::gui::widgets::banner;
use crate::pochi::{Choice, Color, Evaluation, Ignition, Opening, Place, Question, Ruleset};
use eframe::egui::{Button, RichText, Role, Ui, WidgetInfo};

/// Draws both values, and whose waves the field shows.
pub fn values(ui: &mut Ui, scene: &Scene<'_>, told: &Told, state: &mut State, asked: &mut IgnitionSettings) {
    let both = match &told.values {
        Some(Ok(both)) => Some(both),
        _ => None,
    };
    ui.horizontal(|ui| {
        for (nth, ruleset) in Ruleset::ALL.into_iter().enumerate() {
            let value = both.map(|both| &both[nth]);
            ui.vertical(|ui| {
                ui.set_width(104.0);
                ui.spacing_mut().item_spacing.y = 1.0;
                let chosen = asked.ruleset() == ruleset;
                let number = value.map_or_else(|| "–".into(), |value| value.value.to_string());
                let text = RichText::new(&number).size(30.0).strong();
                let text = if chosen { text } else { text.color(scene.look.tokens.muted) };
                let label = ui.label(text);
                let spoken = format!("{ruleset} value {number}");
                label.widget_info(|| WidgetInfo::labeled(Role::Label, true, &spoken));
                let button = ui.add(Button::selectable(chosen, format!("{ruleset} rules")));
                if button.on_hover_text(format!("The field shows the waves of the {ruleset} rules")).clicked()
                {
                    asked.ps2 = ruleset == Ruleset::Ps2;
                }
                if let Some(value) = value.filter(|value| value.lowest < value.highest) {
                    let span = format!("{} to {}", value.lowest, value.highest);
                    ui.weak(span).on_hover_text("By all answers to the open questions");
                }
            });
        }
    });
    needle(ui, state);
    let missing = match &told.values {
        None if state.now().field.blocks() == 0 => {
            Some("Paint blocks, then put a needle beside them (N)".to_owned())
        }
        None => Some("Put the needle beside a block (N) to see what that is worth".to_owned()),
        Some(Err(error)) => {
            let tokens = scene.look.tokens;
            banner(ui, tokens.caution_fill, tokens.caution, Mark::Warning, &words::trouble(error));
            None
        }
        Some(Ok(_)) => None,
    };
    if let Some(missing) = missing {
        ui.weak(missing);
    }
}

/// Where the needle is, and its colour.
fn needle(ui: &mut Ui, state: &mut State) {
    let Some((at, color)) = state.needle() else {
        if let Some(Ignition::Blocks(blocks)) = &state.now().ignition {
            let blocks = u32::try_from(blocks.len()).unwrap_or(u32::MAX);
            ui.label(format!("{} named to ignite", words::counted(blocks, "block")));
        }
        return;
    };
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        ui.label(format!("Needle at {} ", words::place(at)));
        let colors = [None].into_iter().chain(Color::ALL.map(Some));
        for other in colors {
            let letter = other.map_or_else(|| "Auto".to_owned(), |color| color.letter().to_string());
            let name = other.map_or("automatic", Color::name);
            let button = ui.add(Button::selectable(color == other, letter));
            let label = format!("Needle colour {name}");
            button.widget_info(|| WidgetInfo::selected(Role::Button, true, color == other, &label));
            let hint = match other {
                None => "The colour of the blocks that it touches".to_owned(),
                Some(color) => format!("A {color} needle"),
            };
            if button.on_hover_text(hint).clicked() {
                state.ignite(Ignition::Needle { at, color: other });
            }
        }
    });
}

/// Draws how the values come about. Gives the blocks to light up: those that the wave visited whose tail is looked at.
pub fn show(ui: &mut Ui, scene: &Scene<'_>, told: &Told, asked: &mut IgnitionSettings) -> Option<Vec<Place>> {
    let mut lit = None;
    if let Some(Ok(both)) = &told.values {
        for one in both {
            ui.label(format!("{}: {}", one.ruleset, words::formula(one)));
        }
        if let Some(shown) = told.shown() {
            ui.add_space(4.0);
            lit = tails(ui, told, shown);
        }
        let met: Vec<Question> = Question::ALL
            .into_iter()
            .filter(|question| both.iter().any(|one| opening(one, *question).is_some()))
            .collect();
        for question in met {
            ui.add_space(4.0);
            open_question(ui, scene, both, question, asked);
        }
    }
    otherwise(ui, asked);
    lit
}

/// The tails under the rules that are shown.
fn tails(ui: &mut Ui, told: &Told, shown: &Evaluation) -> Option<Vec<Place>> {
    let mut lit = None;
    for (nth, structure) in shown.structures.iter().enumerate() {
        let starts: Vec<String> = structure.starts.iter().map(|at| words::place(*at)).collect();
        let tails = u32::try_from(structure.tails.len()).unwrap_or(u32::MAX);
        let from = starts.join(" and ");
        ui.label(format!(
            "{} from {from}: {}, {}",
            if shown.structures.len() > 1 { format!("Structure {}", nth + 1) } else { "Structure".into() },
            words::counted(structure.blocks, "block"),
            words::counted(tails, "tail")
        ));
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().item_spacing = [4.0, 3.0].into();
            for (number, (_, tail)) in
                told.tails.iter().enumerate().filter(|(_, (structure, _))| *structure == nth)
            {
                let button = ui.add(Button::new(format!("T{}: {}", number + 1, tail.value)));
                let label =
                    format!("Tail {} worth {}, ends at {}", number + 1, tail.value, words::place(tail.at));
                button.widget_info(|| WidgetInfo::labeled(Role::Button, true, &label));
                if button.hovered() || button.has_focus() {
                    lit = Some(tail.visited.clone());
                }
                button.on_hover_text(format!("{label}; the blocks that its wave visited are framed"));
            }
        });
    }
    lit
}

fn opening(evaluation: &Evaluation, question: Question) -> Option<&Opening> {
    evaluation.openings.iter().find(|opening| opening.question == question)
}

/// An open question that came up, what its other answer would make of it, and both answers to choose from.
fn open_question(
    ui: &mut Ui,
    scene: &Scene<'_>,
    both: &[Evaluation; 2],
    question: Question,
    asked: &mut IgnitionSettings,
) {
    let mut effects = Vec::new();
    for (one, opening) in both.iter().filter_map(|one| Some((one, opening(one, question)?))) {
        effects.push(match (opening.mattered, opening.other_value == one.value) {
            (true, false) => format!("{} would be {}", one.ruleset, opening.other_value),
            (true, true) => format!("{} the same value with other tails", one.ruleset),
            (false, _) => format!("{} no difference", one.ruleset),
        });
    }
    ui.horizontal_wrapped(|ui| {
        mark(ui, Mark::Question, scene.look.tokens.caution);
        let who =
            if question.is_open() { "No source says" } else { "The document settles, the first answer" };
        ui.label(format!("{who}: {}", question.text()));
    });
    ui.horizontal_wrapped(|ui| {
        let taken = asked.rules().choice(question);
        for (choice, answer) in [Choice::First, Choice::Second].into_iter().zip(question.answers()) {
            let button = ui.add(Button::selectable(taken == choice, answer.replace('-', " ")));
            if button.clicked() {
                asked.answer(question, choice);
            }
        }
        ui.weak(format!("with the other answer: {}", effects.join(", ")));
    });
}

/// Which questions are answered otherwise than by default.
fn otherwise(ui: &mut Ui, asked: &mut IgnitionSettings) {
    ui.checkbox(&mut asked.one_block, "The needle ignites one block").on_hover_text(
        "The block below, or else one beside it, as in Nyoki-Nyoki Tabidachi-hen; in Pochi & Nyaa it ignites all that it touches",
    );
    if asked.otherwise.is_empty() {
        return;
    }
    ui.add_space(4.0);
    let rules = asked.rules();
    let questions = Question::ALL.into_iter().filter(|question| rules.choice(*question) == Choice::Second);
    let answers: Vec<String> = questions
        .map(|question| {
            format!("{}: {}", question.id().replace('-', " "), rules.answer(question).replace('-', " "))
        })
        .collect();
    ui.horizontal_wrapped(|ui| {
        ui.weak(format!("Not the usual answers: {}", answers.join(", ")));
        if ui.button("Usual answers").on_hover_text("All open questions as by default").clicked() {
            asked.otherwise.clear();
        }
    });
}
