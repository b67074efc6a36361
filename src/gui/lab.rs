//! The lab panel: randomizers side by side, with drought plots and a table of statistics.

mod figures;
mod plots;
mod settings;

pub use settings::{LabSettings, Plots};

use super::repaint;
use super::ui_context::UiContext;
use super::widgets::{banner, progress_row};
use crate::games::declared::Deals;
use crate::profile::Profile;
use crate::seeds::pieces::PieceGame;
use crate::seeds::text::parse_number;
use crate::stats::{
    Choices, DEFINITIONS, Measured, NotMeasured, PieceSource, SampleSize, Source, Subject, declared_name,
    measure,
};
use crate::task::Task;
use eframe::egui::{Button, CollapsingHeader, DragValue, RichText, ScrollArea, TextEdit, Ui};
use settings::{MAX_PIECES, MAX_SEEDS};
use std::sync::Arc;
use std::time::Duration;

/// Maximum total number of pieces, so that a typo does not keep the machine busy for hours.
const MAX_TOTAL_PIECES: u64 = 10_000_000_000;
/// A selectable randomizer.
struct Choice {
    subject: Subject,
    meaning: &'static str,
    /// Whether it is the game's own variant.
    usual: bool,
}

impl Choice {
    /// The name beside its check box.
    fn name(&self) -> String {
        if self.usual { self.subject.game.name().to_owned() } else { self.subject.label() }
    }
}

pub struct LabPanel {
    choices: Vec<Choice>,
    run: Option<Task<Result<Vec<Measured>, NotMeasured>>>,
    measured: Vec<Measured>,
    trouble: Option<String>,
    focus: bool,
}

impl Default for LabPanel {
    fn default() -> Self {
        let choices = PieceGame::ALL.iter().flat_map(|&game| {
            game.variants().iter().enumerate().map(move |(number, &(variant, meaning))| Choice {
                subject: Subject { game, variant, choices: Choices::default() },
                meaning,
                usual: number == 0,
            })
        });
        Self { choices: choices.collect(), run: None, measured: Vec::new(), trouble: None, focus: false }
    }
}

impl LabPanel {
    /// Focuses the Measure button.
    pub fn focus(&mut self) {
        self.focus = true;
    }

    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, chosen: &mut LabSettings) {
        self.take();
        ScrollArea::vertical().auto_shrink([false, false]).show(ui, |ui| {
            self.randomizers(ui, chosen);
            declared(ui, cx.profiles, chosen);
            bounded(ui, chosen);
            self.sample(ui, cx, chosen);
            ui.add_space(4.0);
            if self.measured.is_empty() {
                ui.weak(
                    "No measurements yet. Choose randomizers and press Measure. \
                     The plots of droughts appear here, with a table of all numbers beside them",
                );
            } else {
                let names: Vec<String> = self.measured.iter().map(|one| self.name_of(one)).collect();
                figures::show(ui, cx, &self.measured, &names, chosen.plots);
            }
            CollapsingHeader::new("Meaning of the columns").show(ui, |ui| {
                ScrollArea::horizontal().id_salt("meanings").show(ui, |ui| {
                    ui.label(RichText::new(DEFINITIONS).monospace().size(11.5));
                });
            });
        });
    }

    /// The name of a randomizer as beside its check box.
    fn name_of(&self, measured: &Measured) -> String {
        let choice = self.choices.iter().find(|choice| choice.subject.label() == measured.label);
        choice.map_or_else(|| measured.label.clone(), Choice::name)
    }

    fn take(&mut self) {
        let Some(ended) = self.run.as_ref().and_then(Task::poll) else { return };
        self.run = None;
        match ended {
            Ok(Ok(measured)) => (self.measured, self.trouble) = (measured, None),
            Ok(Err(NotMeasured::Cancelled)) => {}
            Ok(Err(why)) => self.trouble = Some(why.to_string()),
            Err(error) => self.trouble = Some(format!("The measurement {error}. Press Measure to retry")),
        }
    }

    fn randomizers(&self, ui: &mut Ui, chosen: &mut LabSettings) {
        let mut boxes = |ui: &mut Ui, usual: bool| {
            ui.horizontal_wrapped(|ui| {
                for choice in self.choices.iter().filter(|one| one.usual == usual) {
                    let Choice { subject, meaning, .. } = choice;
                    let name = choice.name();
                    let mut on = chosen.has(&subject.label());
                    if ui.checkbox(&mut on, name).on_hover_text(*meaning).changed() {
                        chosen.set(subject.label(), on);
                    }
                }
            });
        };
        boxes(ui, true);
        CollapsingHeader::new("Variants (sources disagree)").show(ui, |ui| boxes(ui, false));
    }

    /// Sample size, and the buttons.
    fn sample(&mut self, ui: &mut Ui, cx: &UiContext<'_>, chosen: &mut LabSettings) {
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("Pieces per seed");
            ui.add(DragValue::new(&mut chosen.pieces).range(1..=MAX_PIECES).speed(1000.0))
                .labelled_by(label.id);
            let label = ui.label("Seeds");
            ui.add(DragValue::new(&mut chosen.seeds).range(1..=MAX_SEEDS)).labelled_by(label.id);
            let label = ui.label("First seed");
            ui.add(TextEdit::singleline(&mut chosen.first_seed).desired_width(90.0)).labelled_by(label.id);
            let question = self.question(cx.profiles, chosen);
            let button = ui.add_enabled(self.run.is_none() && question.is_ok(), Button::new("Measure"));
            if std::mem::take(&mut self.focus) {
                button.request_focus();
            }
            match question {
                Ok(question) if button.clicked() => match question.sources() {
                    Ok(sources) => {
                        let run = Task::start("lab", repaint::waker(ui.ctx()), move |task| {
                            measure(&sources, &question.sample, task.progress())
                        });
                        (self.run, self.trouble) = (Some(run), None);
                    }
                    Err(why) => self.trouble = Some(why),
                },
                Ok(_) => {}
                Err(why) => {
                    ui.colored_label(cx.look.tokens.caution, why);
                }
            }
        });
        ui.horizontal_wrapped(|ui| {
            ui.label("Plots");
            for (plots, name) in Plots::ALL {
                ui.selectable_value(&mut chosen.plots, plots, name);
            }
        });
        if let Some(run) = &self.run {
            let share = run.progress().share();
            let left = run.time_left().map_or_else(String::new, |left| {
                format!(", {} left", super::ui_context::duration_text(left))
            });
            let text = format!("{:.0} %{left}", share * 100.0);
            let cancel = progress_row(ui, share, text, "Cancel").clicked();
            ui.ctx().request_repaint_after(Duration::from_millis(200));
            if cancel {
                self.run = None;
            }
        }
        if let Some(why) = &self.trouble {
            let tokens = cx.look.tokens;
            banner(ui, tokens.bad_fill, tokens.bad, super::marks::Mark::Cross, why);
        }
    }

    /// The current question, or what is wrong with it.
    fn question(&self, profiles: &[Arc<Profile>], chosen: &LabSettings) -> Result<Question, String> {
        let subjects =
            self.choices.iter().map(|choice| choice.subject).filter(|one| chosen.has(&one.label()));
        let limited = |subject: Subject| {
            let limits = is_own(&subject).then(|| chosen.limits());
            Subject { choices: Choices { limits, ..Choices::default() }, ..subject }
        };
        let subjects: Vec<Subject> = subjects.map(limited).collect();
        let declared =
            declaring(profiles).filter(|profile| chosen.has(&declared_name(profile.game.id(), &profile.id)));
        let declared: Vec<Arc<Profile>> = declared.map(Arc::clone).collect();
        let count = (subjects.len() + declared.len()) as u64;
        if count == 0 {
            return Err("Choose at least one randomizer".into());
        }
        chosen.limits().checked().map_err(|why| why.to_string())?;
        let first = parse_number(chosen.first_seed.trim())
            .ok_or("Invalid seed: expected 0x0 to 0xFFFFFFFF, or 0 to 4294967295")?;
        let last = first.checked_add(chosen.seeds - 1).ok_or("The last seed exceeds 0xFFFFFFFF")?;
        let sample = SampleSize { seeds: first..=last, pieces: chosen.pieces };
        if sample.total().saturating_mul(count) > MAX_TOTAL_PIECES {
            return Err("More than 10,000,000,000 pieces in total. Reduce pieces or seeds".into());
        }
        Ok(Question { subjects, declared, sample })
    }
}

/// What is to be measured.
struct Question {
    subjects: Vec<Subject>,
    declared: Vec<Arc<Profile>>,
    sample: SampleSize,
}

impl Question {
    fn sources(&self) -> Result<Vec<Box<dyn PieceSource>>, String> {
        let mut sources: Vec<Box<dyn PieceSource>> = Vec::new();
        for subject in &self.subjects {
            sources.push(Box::new(*subject));
        }
        for profile in &self.declared {
            let Some(support) = &profile.game.definition().declared else { continue };
            if let Source::Pieces(source) = (support.source)(Some(profile), None)? {
                sources.push(source);
            }
        }
        Ok(sources)
    }
}

/// The profiles that declare a randomizer of single pieces.
fn declaring(profiles: &[Arc<Profile>]) -> impl Iterator<Item = &Arc<Profile>> {
    let deals = |profile: &Profile| profile.randomizer.as_ref().map(|randomizer| randomizer.deals);
    profiles.iter().filter(move |profile| deals(profile) == Some(Deals::Pieces))
}

/// The randomizers that profiles declare.
fn declared(ui: &mut Ui, profiles: &[Arc<Profile>], chosen: &mut LabSettings) {
    if declaring(profiles).next().is_none() {
        return;
    }
    CollapsingHeader::new("Declared in profiles").show(ui, |ui| {
        ui.horizontal_wrapped(|ui| {
            for profile in declaring(profiles) {
                let name = declared_name(profile.game.id(), &profile.id);
                let mut on = chosen.has(&name);
                if ui.checkbox(&mut on, &profile.id).on_hover_text(&profile.name).changed() {
                    chosen.set(name, on);
                }
            }
        });
    });
}

/// Whether it is the bounded randomizer with the panel's limits.
fn is_own(subject: &Subject) -> bool {
    subject.game.has_option("limits") && subject.label() == subject.game.id()
}

/// The limits of the bounded randomizer.
fn bounded(ui: &mut Ui, chosen: &mut LabSettings) {
    let limited = |name: &String| PieceGame::from_id(name).is_some_and(|game| game.has_option("limits"));
    if !chosen.randomizers.iter().any(limited) {
        return;
    }
    ui.horizontal_wrapped(|ui| {
        let mut limit = |name: &str, value: &mut u8, range, meaning: &str| {
            let label = ui.label(name);
            ui.add(DragValue::new(value).range(range)).labelled_by(label.id).on_hover_text(meaning);
        };
        let drought = "Maximum drought of a piece";
        limit("Bounded: max drought", &mut chosen.drought, 6..=200, drought);
        limit("max flood", &mut chosen.flood, 1..=200, "Maximum repeats of a piece in a row");
        if !chosen.any_snakes {
            limit("max snakes", &mut chosen.snakes, 2..=200, "Maximum run of S and Z");
        }
        limit("memory", &mut chosen.memory, 0..=3, "How strongly recent pieces are avoided; 0 is off");
        ui.checkbox(&mut chosen.any_snakes, "Unlimited snakes");
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measurement_that_crashes_is_reported() {
        let run = Some(Task::start("test", || (), |_| panic!("a fault")));
        let mut panel = LabPanel { run, ..LabPanel::default() };
        while panel.run.is_some() {
            panel.take();
        }
        let trouble = "The measurement crashed: a fault. Press Measure to retry";
        assert_eq!(panel.trouble.as_deref(), Some(trouble));
    }
}
