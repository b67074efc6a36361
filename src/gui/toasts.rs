//! Messages over the panels: what the log says of warnings and errors, for a while, each with the panel that tells more.
//! They never take the keyboard, and a screen reader speaks them.

use super::commands::Command;
use super::layout::Pane;
use super::log::{Line, Log, Topic, color, word};
use super::marks::{Mark, mark};
use super::scene::Ask;
use super::theme::Look;
use eframe::egui::accesskit::{Live, Role};
use eframe::egui::{
    self, Align2, Area, Context, Frame, Id, Key, Label, Margin, Modifiers, Order, Popup, RichText, Ui, pos2,
};
use std::time::Duration;
use tracing::Level;

/// How long a message stays in sight, in seconds: an error longer than good news.
const IN_SIGHT: [(Level, f64); 3] = [(Level::ERROR, 14.0), (Level::WARN, 9.0), (Level::INFO, 5.0)];
/// Messages in sight at once.
const AT_ONCE: usize = 4;
/// Width of a message, at most, in points.
const WIDTH: f32 = 360.0;
/// Letters of a message that are shown; the whole is in its tooltip and in the log.
const LETTERS: usize = 240;
/// How far a message slides in, in points, and for how long, in seconds.
const SLIDE: (f32, f64) = (36.0, 0.2);
/// Between messages, and between them and the edges, in points.
const GAP: f32 = 6.0;

#[derive(Debug, Clone, PartialEq)]
struct Toast {
    id: u64,
    level: Level,
    topic: Topic,
    text: String,
    /// How often it was said.
    times: u32,
    /// Seconds that it has still to be seen.
    left: f64,
    /// When it came, by egui's clock, in seconds.
    came: f64,
    /// Whether it waits: the pointer is on it, or one of its buttons has the keyboard.
    held: bool,
}

/// The messages in sight.
#[derive(Debug, Default)]
pub struct Toasts {
    /// The number of the first line of the log that was not looked at.
    next: u64,
    shown: Vec<Toast>,
    /// More messages than can be shown.
    beyond: usize,
    /// Whether the connection broke, so that it is news when there is one again.
    lost: bool,
    /// When they were drawn last.
    drawn: f64,
    /// Whether something had the keyboard then. By the time Escape is seen here, egui has taken it away already.
    taken: bool,
}

fn in_sight(level: Level) -> f64 {
    IN_SIGHT.iter().find(|(of, _)| *of == level).map_or(0.0, |(_, seconds)| *seconds)
}

impl Toasts {
    /// Takes over what is new in the log.
    fn take(&mut self, log: &Log, time: f64) {
        let next = self.next;
        for line in log.lines(|line| line.number >= next) {
            self.next = line.number + 1;
            if self.is_news(&line) {
                self.push(line, time);
            }
        }
    }

    /// Whether a line is worth a message: warnings of our own, and that a lost connection is there again, or what became of
    /// a recording.
    fn is_news(&mut self, line: &Line) -> bool {
        match (line.topic, line.level) {
            (Topic::Connection, Level::INFO) => std::mem::take(&mut self.lost),
            (Topic::Connection, Level::WARN) => {
                self.lost = true;
                true
            }
            (Topic::Recording, Level::INFO) => true,
            (_, level) => line.ours && level <= Level::WARN,
        }
    }

    /// One more message. What was said before is counted; mismatches are one message, the newest of them, and so is the connection.
    fn push(&mut self, line: Line, time: f64) {
        let one = |topic| matches!(topic, Topic::Mismatch | Topic::Connection);
        let left = in_sight(line.level);
        let same =
            |toast: &&mut Toast| toast.topic == line.topic && (one(line.topic) || toast.text == line.text);
        if let Some(toast) = self.shown.iter_mut().find(same) {
            toast.times = if toast.level == line.level { toast.times + 1 } else { 1 };
            (toast.level, toast.text, toast.left) = (line.level, line.text, left);
            return;
        }
        let Line { number: id, level, topic, text, .. } = line;
        self.shown.push(Toast { id, level, topic, text, times: 1, left, came: time, held: false });
        if self.shown.len() > AT_ONCE {
            self.shown.remove(0);
            self.beyond += 1;
        }
    }

    /// Takes all away.
    pub fn dismiss(&mut self) {
        self.shown.clear();
        self.beyond = 0;
    }

    /// Takes the newest one away; the panel that tells more of it.
    pub fn follow(&mut self) -> Option<Pane> {
        self.shown.pop().map(|toast| toast.topic.pane())
    }

    /// Takes the newest away when Escape is pressed and nothing else would use it; to be called before anything is drawn.
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

    /// Draws them above `corner`, the bottom right of the panels.
    pub fn show(&mut self, ui: &Ui, look: &Look, log: &Log, corner: egui::Pos2, asked: &mut Vec<Ask>) {
        let time = ui.input(|input| input.time);
        self.taken = ui.memory(egui::Memory::focused).is_some();
        self.take(log, time);
        let passed = time - self.drawn;
        self.drawn = time;
        self.shown.retain_mut(|toast| {
            if !toast.held {
                toast.left -= passed.min(time - toast.came);
            }
            toast.left > 0.0
        });
        if self.shown.is_empty() {
            self.beyond = 0;
            return;
        }
        let mut bottom = corner.y - GAP;
        let mut away = None;
        for (index, toast) in self.shown.iter_mut().enumerate().rev() {
            let part = if look.motion { ((time - toast.came) / SLIDE.1).clamp(0.0, 1.0) } else { 1.0 };
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
            let beyond = if index == 0 { self.beyond } else { 0 };
            let drawn = area.show(ui, |ui| draw(ui, look, toast, beyond));
            bottom = drawn.response.rect.top() - GAP;
            toast.held = drawn.response.contains_pointer() || drawn.inner.focused;
            match drawn.inner.pressed {
                Some(Pressed::Show) => {
                    asked.push(Ask::Run(Command::Show(toast.topic.pane())));
                    away = Some(index);
                }
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
    Dismiss,
}

struct Drawn {
    pressed: Option<Pressed>,
    focused: bool,
}

fn draw(ui: &mut Ui, look: &Look, toast: &Toast, beyond: usize) -> Drawn {
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
            let mut shown: String = toast.text.chars().take(LETTERS).collect();
            if shown.len() < toast.text.len() {
                shown.push('…');
            }
            let said = ui.add(Label::new(RichText::new(shown).color(color)).wrap());
            // Spoken by a screen reader as soon as it is there, errors at once.
            ui.ctx().accesskit_node_builder(said.id, |node| {
                let urgent = toast.level == Level::ERROR;
                node.set_live(if urgent { Live::Assertive } else { Live::Polite });
                node.set_role(if urgent { Role::Alert } else { Role::Status });
                node.set_label(format!("{}: {}", word(toast.level), toast.text));
            });
            said.on_hover_text(&toast.text);
        });
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = 5.0;
            let pane = toast.topic.pane();
            let show = ui.small_button("Show").on_hover_text(format!("Go to the {} panel", pane.title()));
            let dismiss = ui.small_button("Dismiss").on_hover_text("Take this message away (Esc)");
            drawn.focused = show.has_focus() || dismiss.has_focus();
            if show.clicked() {
                drawn.pressed = Some(Pressed::Show);
            } else if dismiss.clicked() {
                drawn.pressed = Some(Pressed::Dismiss);
            }
            if toast.times > 1 {
                ui.label(RichText::new(format!("{} times", toast.times)).strong());
            }
            if beyond > 0 {
                ui.weak(format!("{beyond} more in the log"));
            }
        });
    });
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(toasts: &Toasts) -> Vec<(String, u32)> {
        toasts.shown.iter().map(|toast| (toast.text.clone(), toast.times)).collect()
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
        toasts.take(&log, 0.0);
        let expected = [("the disk is full".to_owned(), 3), ("mismatch: another".to_owned(), 2)];
        assert_eq!(texts(&toasts), expected);
        toasts.take(&log, 1.0);
        assert_eq!(texts(&toasts), expected, "a line is taken over once");
        assert_eq!(toasts.follow(), Some(Pane::Verify));
    }

    #[test]
    fn a_connection_is_news_only_after_one_was_lost() {
        let (log, mut toasts) = (Log::default(), Toasts::default());
        let tell = |level, text: &str| log.push_about(Topic::Connection, level, text);
        tell(Level::INFO, "attached to one");
        toasts.take(&log, 0.0);
        assert!(toasts.shown.is_empty());
        tell(Level::WARN, "it has ended");
        toasts.take(&log, 0.0);
        tell(Level::INFO, "attached to another");
        toasts.take(&log, 0.0);
        assert_eq!(texts(&toasts), [("attached to another".to_owned(), 1)]);
        assert_eq!(toasts.shown[0].level, Level::INFO);
    }

    #[test]
    fn no_more_than_a_few_are_in_sight_and_the_rest_is_told() {
        let (log, mut toasts) = (Log::default(), Toasts::default());
        for number in 0..AT_ONCE + 3 {
            log.push(Level::WARN, number.to_string());
        }
        toasts.take(&log, 0.0);
        assert_eq!((toasts.shown.len(), toasts.beyond), (AT_ONCE, 3));
        assert_eq!(toasts.shown[0].text, "3");
    }
}
