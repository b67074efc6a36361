//! The panel of the log, with a filter.

use super::layout::Pane;
use super::theme::Tokens;
use super::ui_context::UiContext;
use crate::log::{Line, Log, MAX_LINES, Topic};
use eframe::egui::{
    Color32, ComboBox, FontId, Label, RichText, ScrollArea, TextEdit, TextStyle, Ui, UiBuilder,
};
use std::collections::HashMap;
use tracing::Level;

/// The panel with the details of a topic.
pub fn pane(topic: Topic) -> Pane {
    match topic {
        Topic::Mismatch => Pane::Verify,
        Topic::Connection => Pane::Emulators,
        Topic::Recording | Topic::Profile | Topic::Other => Pane::Log,
    }
}

/// The log panel.
#[derive(Debug)]
pub struct LogPanel {
    min_level: Level,
    filter: String,
    heights: Heights,
}

impl Default for LogPanel {
    fn default() -> Self {
        Self { min_level: Level::INFO, filter: String::new(), heights: Heights::default() }
    }
}

/// The colour of a level.
pub fn color(level: Level, tokens: &Tokens) -> Color32 {
    match level {
        Level::ERROR => tokens.bad,
        Level::WARN => tokens.caution,
        Level::INFO => tokens.text,
        _ => tokens.muted,
    }
}

/// The name of a level.
pub fn level_name(level: Level) -> &'static str {
    match level {
        Level::ERROR => "error",
        Level::WARN => "warning",
        Level::INFO => "info",
        Level::DEBUG => "debug",
        _ => "trace",
    }
}

impl LogPanel {
    fn shown(&self, log: &Log) -> Vec<Line> {
        let filter = self.filter.to_lowercase();
        log.lines(|line| line.level <= self.min_level && line.text.to_lowercase().contains(&filter))
    }

    /// The shown lines as text.
    pub fn text(&self, log: &Log) -> String {
        log.text(&self.shown(log))
    }

    /// Draws the panel.
    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, log: &Log) {
        let mut copy = false;
        ui.horizontal_wrapped(|ui| {
            let levels = [Level::ERROR, Level::WARN, Level::INFO, Level::DEBUG];
            ComboBox::from_id_salt("level")
                .selected_text(level_name(self.min_level))
                .width(72.0)
                .show_ui(ui, |ui| {
                    for level in levels {
                        ui.selectable_value(&mut self.min_level, level, level_name(level));
                    }
                })
                .response
                .on_hover_text("Minimum level");
            ui.add(TextEdit::singleline(&mut self.filter).hint_text("Filter log").desired_width(90.0));
            copy = ui.button("Copy").on_hover_text("Copy the shown lines").clicked();
        });
        let lines = self.shown(log);
        if copy {
            cx.copy(log.text(&lines), "log");
        }
        if lines.is_empty() {
            ui.weak("No messages at this level");
            return;
        }
        self.draw(ui, cx, log, &lines);
    }

    /// Draws the lines with wrapping. Only visible ones are laid out.
    fn draw(&mut self, ui: &mut Ui, cx: &UiContext<'_>, log: &Log, lines: &[Line]) {
        let font = TextStyle::Small.resolve(ui.style());
        let spacing = 2.0;
        ScrollArea::vertical().auto_shrink([false, false]).stick_to_bottom(true).show_viewport(
            ui,
            |ui, viewport| {
                let width = ui.available_width();
                let text = |line: &Line| {
                    let (seconds, level) = (log.seconds(line), level_name(line.level));
                    format!("{seconds:.1} s  {level}: {}{}", line.origin(), line.text)
                };
                let mut bottom = 0.0;
                let bottoms: Vec<f32> = lines
                    .iter()
                    .map(|line| {
                        bottom += spacing + self.heights.of(ui, line.number, width, &font, || text(line));
                        bottom
                    })
                    .collect();
                ui.set_height(bottom);
                let first = bottoms.partition_point(|bottom| *bottom < viewport.top());
                let end = bottoms.partition_point(|bottom| *bottom < viewport.bottom()) + 1;
                let top = first.checked_sub(1).and_then(|before| bottoms.get(before)).copied().unwrap_or(0.0);
                let mut rect = ui.max_rect();
                rect.min.y += top;
                ui.scope_builder(UiBuilder::new().max_rect(rect), |ui| {
                    ui.spacing_mut().item_spacing.y = spacing;
                    ui.skip_ahead_auto_ids(first);
                    for line in lines.get(first..end.min(lines.len())).unwrap_or_default() {
                        let tokens = cx.look.tokens;
                        let ours = line.library.is_none();
                        let color = if ours { color(line.level, tokens) } else { tokens.muted };
                        ui.add(Label::new(RichText::new(text(line)).small().color(color)).wrap());
                    }
                });
            },
        );
    }
}

/// Cached heights of lines at one panel width.
#[derive(Debug, Default)]
struct Heights {
    width: f32,
    pixels_per_point: f32,
    known: HashMap<u64, f32>,
}

impl Heights {
    /// The height of a line in points; a change of `width` clears the cache.
    fn of(&mut self, ui: &Ui, number: u64, width: f32, font: &FontId, text: impl FnOnce() -> String) -> f32 {
        let pixels_per_point = ui.ctx().pixels_per_point();
        let same = self.width.to_bits() == width.to_bits()
            && self.pixels_per_point.to_bits() == pixels_per_point.to_bits();
        if !same || self.known.len() > 2 * MAX_LINES {
            *self = Self { width, pixels_per_point, known: HashMap::new() };
        }
        let lay_out = || ui.painter().layout(text(), font.clone(), Color32::PLACEHOLDER, width).size().y;
        *self.known.entry(number).or_insert_with(lay_out)
    }
}
