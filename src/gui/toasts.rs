//! Messages over the panels: warnings and errors from the log, each with a link to the related panel. They never take the
//! focus, and screen readers announce them.

use super::commands::Command;
use super::file_dialog::SavedFile;
use super::layout::Pane;
use super::log::{color, level_name, pane};
use super::marks::{Mark, mark};
use super::outside::{Outside, SHOW_IN_FOLDER};
use super::theme::Look;
use super::ui_context::UiAction;
use crate::log::{Line, Log, Topic};
use eframe::egui::accesskit::{Live, Role};
use eframe::egui::{
    self, Align2, Area, Context, Frame, Id, Key, Label, Margin, Modifiers, Order, Popup, RichText, Ui, pos2,
};
use std::path::PathBuf;
use std::time::Duration;
use tracing::Level;

/// Seconds that a message stays; errors stay longer.
const LIFETIME: [(Level, f64); 3] = [(Level::ERROR, 14.0), (Level::WARN, 9.0), (Level::INFO, 5.0)];
/// Seconds that a message about a saved file stays: it has buttons.
const SAVED_LIFETIME: f64 = 12.0;
/// Maximum number of visible messages.
const MAX_VISIBLE: usize = 4;
/// Maximum width of a message in points.
const WIDTH: f32 = 360.0;
/// Maximum length of the shown text; the tooltip and the log have all of it.
const MAX_CHARS: usize = 240;
/// Slide-in distance in points, and its duration in seconds.
const SLIDE: (f32, f64) = (36.0, 0.2);
/// Gap between messages and around them, in points.
const GAP: f32 = 6.0;

#[derive(Debug, Clone, PartialEq)]
struct Toast {
    id: u64,
    level: Level,
    topic: Topic,
    text: String,
    repeats: u32,
    /// Seconds left.
    left: f64,
    /// Creation time by egui's clock, in seconds.
    created: f64,
    /// Whether the timer is paused: the pointer is on it, or one of its buttons has focus.
    held: bool,
    /// The saved file that it is about.
    file: Option<PathBuf>,
}

#[derive(Debug, Default)]
pub struct Toasts {
    /// The number of the first unread line of the log.
    next: u64,
    shown: Vec<Toast>,
    /// The number of messages about saved files so far.
    files: u64,
    /// The number of hidden messages.
    hidden: usize,
    /// Whether the connection was lost, so that a new one is worth a message.
    lost: bool,
    drawn: f64,
    /// Whether a widget had focus in the last frame. When Escape is handled here, egui has already removed the focus.
    taken: bool,
}

fn lifetime(level: Level) -> f64 {
    LIFETIME.iter().find(|(of, _)| *of == level).map_or(0.0, |(_, seconds)| *seconds)
}

impl Toasts {
    /// Reads new lines of the log.
    fn read_log(&mut self, log: &Log, time: f64) {
        let next = self.next;
        for line in log.lines(|line| line.number >= next) {
            self.next = line.number + 1;
            if self.is_relevant(&line) {
                self.push(line, time);
            }
        }
    }

    /// Whether a line is worth a message: our own warnings, a restored connection, a finished recording.
    fn is_relevant(&mut self, line: &Line) -> bool {
        match (line.topic, line.level) {
            (Topic::Connection, Level::INFO) => std::mem::take(&mut self.lost),
            (Topic::Connection, Level::WARN) => {
                self.lost = true;
                true
            }
            (Topic::Recording, Level::INFO) => true,
            (_, level) => line.library.is_none() && level <= Level::WARN,
        }
    }

    /// Adds a message. Repeated texts are counted; mismatches share one message, and so does the connection.
    fn push(&mut self, line: Line, time: f64) {
        let one = |topic| matches!(topic, Topic::Mismatch | Topic::Connection);
        let left = lifetime(line.level);
        let same =
            |toast: &&mut Toast| toast.topic == line.topic && (one(line.topic) || toast.text == line.text);
        if let Some(toast) = self.shown.iter_mut().find(same) {
            toast.repeats = if toast.level == line.level { toast.repeats + 1 } else { 1 };
            (toast.level, toast.text, toast.left) = (line.level, line.text, left);
            return;
        }
        let Line { number: id, level, topic, text, .. } = line;
        self.shown.push(Toast {
            id,
            level,
            topic,
            text,
            repeats: 1,
            left,
            created: time,
            held: false,
            file: None,
        });
        self.limit();
    }

    fn limit(&mut self) {
        if self.shown.len() > MAX_VISIBLE {
            self.shown.remove(0);
            self.hidden += 1;
        }
    }

    /// Adds a message about a saved file, instead of an earlier one about the same file.
    pub fn saved(&mut self, SavedFile { path, message }: SavedFile, time: f64) {
        self.shown.retain(|toast| toast.file.as_ref() != Some(&path));
        self.files += 1;
        self.shown.push(Toast {
            id: u64::MAX - self.files,
            level: Level::INFO,
            topic: Topic::Other,
            text: message,
            repeats: 1,
            left: SAVED_LIFETIME,
            created: time,
            held: false,
            file: Some(path),
        });
        self.limit();
    }

    pub fn dismiss(&mut self) {
        self.shown.clear();
        self.hidden = 0;
    }

    /// Dismisses the newest message; returns its related panel.
    pub fn follow(&mut self) -> Option<Pane> {
        self.shown.pop().map(|toast| pane(toast.topic))
    }

    /// Dismisses the newest message on Escape if nothing else uses the key. Call it before anything is drawn.
    pub fn escape(&mut self, ctx: &Context) {
        let free = !self.taken && !Popup::is_any_open(ctx);
        let held = self.shown.iter().any(|toast| toast.held);
        if (free || held)
            && !self.shown.is_empty()
            && ctx.input_mut(|input| input.consume_key(Modifiers::NONE, Key::Escape))
        {
            self.shown.pop();
        }
    }

    /// Draws the messages above `corner`, the bottom right of the panels.
    pub fn show(&mut self, ui: &Ui, look: &Look, log: &Log, corner: egui::Pos2, actions: &mut Vec<UiAction>) {
        let time = ui.input(|input| input.time);
        self.taken = ui.memory(egui::Memory::focused).is_some();
        self.read_log(log, time);
        let passed = time - self.drawn;
        self.drawn = time;
        self.shown.retain_mut(|toast| {
            if !toast.held {
                toast.left -= passed.min(time - toast.created);
            }
            toast.left > 0.0
        });
        if self.shown.is_empty() {
            self.hidden = 0;
            return;
        }
        let mut bottom = corner.y - GAP;
        let mut away = None;
        for (index, toast) in self.shown.iter_mut().enumerate().rev() {
            let part = if look.motion { ((time - toast.created) / SLIDE.1).clamp(0.0, 1.0) } else { 1.0 };
            if part < 1.0 {
                ui.ctx().request_repaint();
            }
            #[expect(clippy::cast_possible_truncation, reason = "between 0 and 1")]
            let slid = SLIDE.0 * (1.0 - part as f32);
            let area = Area::new(Id::unique(("message", toast.id)))
                .order(Order::Foreground)
                .pivot(Align2::RIGHT_BOTTOM)
                .fixed_pos(pos2(corner.x - 2.0 * GAP + slid, bottom))
                .constrain(false);
            let hidden = if index == 0 { self.hidden } else { 0 };
            let drawn = area.show(ui, |ui| draw(ui, look, toast, hidden));
            bottom = drawn.response.rect.top() - GAP;
            toast.held = drawn.response.contains_pointer() || drawn.inner.focused;
            match drawn.inner.pressed {
                Some(Pressed::Show) => {
                    actions.push(UiAction::Run(Command::Show(pane(toast.topic))));
                    away = Some(index);
                }
                Some(Pressed::Folder(path)) => {
                    actions.push(UiAction::Outside(Outside::Folder(path)));
                    away = Some(index);
                }
                Some(Pressed::Copy(path)) => actions.push(UiAction::Copy(path, "path")),
                Some(Pressed::Dismiss) => away = Some(index),
                None => {}
            }
        }
        if let Some(index) = away {
            self.shown.remove(index);
            ui.ctx().request_repaint();
        }
        let soonest = self.shown.iter().filter(|toast| !toast.held).map(|toast| toast.left);
        let soonest = soonest.fold(f64::INFINITY, f64::min);
        if soonest.is_finite() {
            ui.request_repaint_after(Duration::from_secs_f64(soonest.max(0.0) + 0.02));
        }
    }
}

enum Pressed {
    Show,
    Folder(PathBuf),
    Copy(String),
    Dismiss,
}

struct Drawn {
    pressed: Option<Pressed>,
    focused: bool,
}

fn draw(ui: &mut Ui, look: &Look, toast: &Toast, hidden: usize) -> Drawn {
    let mut drawn = Drawn { pressed: None, focused: false };
    let color = color(toast.level, look.tokens);
    Frame::popup(ui.style()).inner_margin(Margin::same(8)).show(ui, |ui| {
        ui.set_max_width(WIDTH.min(ui.ctx().content_rect().width() - 8.0 * GAP));
        ui.horizontal_top(|ui| {
            let sign = match toast.level {
                Level::ERROR => Mark::Cross,
                Level::WARN => Mark::Warning,
                _ => Mark::Tick,
            };
            mark(ui, sign, color);
            let mut shown: String = toast.text.chars().take(MAX_CHARS).collect();
            if shown.len() < toast.text.len() {
                shown.push('…');
            }
            let label = ui.add(Label::new(RichText::new(shown).color(color)).wrap());
            // Screen readers announce it immediately, errors assertively.
            ui.ctx().accesskit_node_builder(label.id, |node| {
                let urgent = toast.level == Level::ERROR;
                node.set_live(if urgent { Live::Assertive } else { Live::Polite });
                node.set_role(if urgent { Role::Alert } else { Role::Status });
                node.set_label(match toast.file {
                    Some(_) => toast.text.clone(),
                    None => format!("{}: {}", level_name(toast.level), toast.text),
                });
            });
            label.on_hover_text(&toast.text);
        });
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 5.0;
            if let Some(path) = &toast.file {
                let show = ui.small_button(SHOW_IN_FOLDER).on_hover_text(path.display().to_string());
                let copy = ui.small_button("Copy path");
                drawn.focused = show.has_focus() || copy.has_focus();
                if show.clicked() {
                    drawn.pressed = Some(Pressed::Folder(path.clone()));
                } else if copy.clicked() {
                    drawn.pressed = Some(Pressed::Copy(path.display().to_string()));
                }
            } else {
                let details = pane(toast.topic);
                let show =
                    ui.small_button("Show").on_hover_text(format!("Show the {} panel", details.title()));
                drawn.focused = show.has_focus();
                if show.clicked() {
                    drawn.pressed = Some(Pressed::Show);
                }
            }
            let dismiss = ui.small_button("Dismiss").on_hover_text("Dismiss this message (Esc)");
            drawn.focused |= dismiss.has_focus();
            if dismiss.clicked() {
                drawn.pressed = Some(Pressed::Dismiss);
            }
            if toast.repeats > 1 {
                ui.label(RichText::new(format!("{} times", toast.repeats)).strong());
            }
            if hidden > 0 {
                ui.weak(format!("{hidden} more in the log"));
            }
        });
    });
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(toasts: &Toasts) -> Vec<(String, u32)> {
        toasts.shown.iter().map(|toast| (toast.text.clone(), toast.repeats)).collect()
    }

    #[test]
    fn what_is_said_again_is_counted_and_mismatches_are_one_message() {
        let (log, mut toasts) = (Log::default(), Toasts::default());
        for _ in 0..3 {
            log.push(Level::WARN, "the disk is full");
        }
        log.push_about(Topic::Mismatch, Level::WARN, "mismatch: one");
        log.push_about(Topic::Mismatch, Level::WARN, "mismatch: another");
        log.push(Level::INFO, "nobody need look");
        toasts.read_log(&log, 0.0);
        let expected = [("the disk is full".to_owned(), 3), ("mismatch: another".to_owned(), 2)];
        assert_eq!(texts(&toasts), expected);
        toasts.read_log(&log, 1.0);
        assert_eq!(texts(&toasts), expected, "a line is taken over once");
        assert_eq!(toasts.follow(), Some(Pane::Verify));
    }

    #[test]
    fn a_connection_is_news_only_after_one_was_lost() {
        let (log, mut toasts) = (Log::default(), Toasts::default());
        let tell = |level, text: &str| log.push_about(Topic::Connection, level, text);
        tell(Level::INFO, "attached to one");
        toasts.read_log(&log, 0.0);
        assert!(toasts.shown.is_empty());
        tell(Level::WARN, "it has ended");
        toasts.read_log(&log, 0.0);
        tell(Level::INFO, "attached to another");
        toasts.read_log(&log, 0.0);
        assert_eq!(texts(&toasts), [("attached to another".to_owned(), 1)]);
        assert_eq!(toasts.shown[0].level, Level::INFO);
    }

    #[test]
    fn only_a_few_are_shown_and_the_rest_is_counted() {
        let (log, mut toasts) = (Log::default(), Toasts::default());
        for number in 0..MAX_VISIBLE + 3 {
            log.push(Level::WARN, number.to_string());
        }
        toasts.read_log(&log, 0.0);
        assert_eq!((toasts.shown.len(), toasts.hidden), (MAX_VISIBLE, 3));
        assert_eq!(toasts.shown[0].text, "3");
    }
}
