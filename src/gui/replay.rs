//! The replay bar, below the panels while a recording is open, so that its data are not mistaken for live.

use super::commands::Command;
use super::marks::{Mark, mark};
use super::ui_context::{ConnectionStatus, UiAction, UiContext, tenths_text};
use super::widgets::{self, Step};
use crate::live::{Connection, ReplayCommand, ReplayState, RoundMark, View};
use crate::text::counted;
use eframe::egui::accesskit::Action;
use eframe::egui::{
    Button, ComboBox, DragValue, EventFilter, Key, Modifiers, Rect, Response, RichText, Role, Sense, Ui,
    WidgetInfo, pos2, vec2,
};

/// Playback speeds; 1 is the original speed, 0 as fast as possible.
const SPEEDS: [f64; 8] = [0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 16.0, 0.0];
/// Height of the scrubber, and the margins beside its first and last sample, in points.
const HEIGHT: f32 = 20.0;
const MARGIN: f32 = 8.0;
/// Samples per page: a second at 60 Hz.
const PAGE: u64 = 60;

/// Draws the bar if a recording is open. `breaks` are the samples where a new connection starts.
pub fn bar(ui: &mut Ui, cx: &mut UiContext<'_>, breaks: &[u64]) {
    let Some(replay) = &cx.view.replay else { return };
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        let playing = cx.status == ConnectionStatus::Replaying;
        let ways = (replay.index > 0, replay.index + 1 < replay.samples);
        let keys = cx.keys.text(ui.ctx(), Command::PlayRecording);
        if let Some(step) = widgets::steps(ui, ways, playing, ("the recording", keys.as_deref())) {
            cx.actions.push(match step {
                Step::First => UiAction::Replay(ReplayCommand::Seek(0)),
                Step::Back => UiAction::Replay(ReplayCommand::Step(-1)),
                Step::TogglePlay => UiAction::Run(Command::PlayRecording),
                Step::Forward => UiAction::Replay(ReplayCommand::Step(1)),
                Step::Last => UiAction::Replay(ReplayCommand::Seek(replay.samples.saturating_sub(1))),
            });
        }
        speed(ui, cx, replay);
        let label = ui.label("Frame").id;
        let mut frame = replay.frame;
        let field = DragValue::new(&mut frame).update_while_editing(false).speed(1.0);
        let field = ui.add(field).labelled_by(label);
        if field.on_hover_text("Enter a frame number, or drag").changed() {
            cx.actions.push(UiAction::SeekFrame(frame));
        }
        mismatches(ui, cx, replay);
        rounds(ui, cx, replay);
        let time = format!("{} of {}", tenths_text(replay.elapsed), tenths_text(replay.length));
        let sample = format!("Sample {} of {}", replay.index + 1, replay.samples);
        ui.label(time).on_hover_text(sample);
        if let Some(damage) = &replay.damage {
            ui.spacing_mut().item_spacing.x = 3.0;
            mark(ui, Mark::Warning, cx.look.tokens.caution).on_hover_text(damage);
            let label = RichText::new("Damaged: partly unreadable").color(cx.look.tokens.caution);
            ui.label(label).on_hover_text(damage);
        }
        let command = Command::BackToLive;
        if ui.button(command.text()).on_hover_text(command.tooltip()).clicked() {
            cx.run(command);
        }
    });
    if let Some(index) = scrubber(ui, cx, replay, breaks) {
        cx.actions.push(UiAction::Replay(ReplayCommand::Seek(index)));
    }
}

pub fn toggle(view: &View) -> ReplayCommand {
    match view.connection {
        Connection::Replaying { playing: true } => ReplayCommand::Pause,
        _ => ReplayCommand::Play,
    }
}

fn speed(ui: &mut Ui, cx: &mut UiContext<'_>, replay: &ReplayState) {
    let name = |speed: f64| if speed > 0.0 { format!("{speed} x") } else { "Fastest".to_owned() };
    let list =
        ComboBox::from_id_salt("speed").selected_text(name(replay.speed)).width(58.0).show_ui(ui, |ui| {
            for speed in SPEEDS {
                let chosen = (replay.speed - speed).abs() < 1e-9;
                if ui.selectable_label(chosen, name(speed)).clicked() {
                    cx.actions.push(UiAction::Replay(ReplayCommand::Speed(speed)));
                }
            }
        });
    let response = list.response;
    response.widget_info(|| {
        let text = format!("Speed, {}", name(replay.speed));
        WidgetInfo::labeled(Role::ComboBox, true, text)
    });
    response.on_hover_text("Playback speed; 1 x is the recorded speed");
}

fn mismatches(ui: &mut Ui, cx: &mut UiContext<'_>, replay: &ReplayState) {
    let here = replay.index;
    let before = replay.mismatches.first().is_some_and(|first| *first < here);
    let after = replay.mismatches.last().is_some_and(|last| *last > here);
    let tokens = cx.look.tokens;
    let count = replay.mismatches.len();
    let words = match count {
        0 => RichText::new("No mismatches").color(tokens.muted),
        _ => RichText::new(counted(count as u64, "mismatch")).color(tokens.bad),
    };
    around(ui, cx, (Command::PreviousMismatch, before), words, (Command::NextMismatch, after));
    if !replay.complete {
        #[expect(clippy::cast_precision_loss, reason = "a part for people")]
        let part = 100.0 * replay.verified as f64 / replay.samples.max(1) as f64;
        let mut progress = format!("{part:.0} % checked");
        if let Some(share) = replay.searching {
            progress += &format!("; searching the state of this round, {:.0} %", 100.0 * share);
        }
        ui.weak(progress).on_hover_text(
            "If the start of a round was not recorded, its state is searched before the check continues",
        );
    }
}

/// The current round, with buttons to the previous and next one.
fn rounds(ui: &mut Ui, cx: &mut UiContext<'_>, replay: &ReplayState) {
    let (Some(first), Some(last)) = (replay.rounds.first(), replay.rounds.last()) else { return };
    let here = replay.index;
    let words =
        round_at(replay, here).map_or_else(|| "No round".into(), |round| format!("Round {}", round.number));
    let words = RichText::new(words).color(cx.look.tokens.muted);
    let (before, after) = (first.sample < here, last.sample > here);
    around(ui, cx, (Command::PreviousRound, before), words, (Command::NextRound, after));
}

/// The round of a sample; None before the first.
fn round_at(replay: &ReplayState, index: u64) -> Option<RoundMark> {
    let after = replay.rounds.partition_point(|round| round.sample <= index);
    replay.rounds.get(after.checked_sub(1)?).copied()
}

/// Text between two commands, each with whether it is available.
fn around(ui: &mut Ui, cx: &mut UiContext<'_>, back: (Command, bool), words: RichText, on: (Command, bool)) {
    let button = |ui: &mut Ui, sign: &str, (command, enabled): (Command, bool)| {
        let response = ui.add_enabled(enabled, Button::new(sign).min_size(vec2(24.0, 0.0)));
        response.widget_info(|| WidgetInfo::labeled(Role::Button, enabled, command.text()));
        let hint = cx.keys.hint(ui.ctx(), command, command.text());
        response.on_hover_text(hint).clicked().then_some(command)
    };
    let back = button(ui, "<", back);
    ui.label(words);
    let on = button(ui, ">", on);
    if let Some(command) = back.or(on) {
        cx.run(command);
    }
}

/// The scrubber; returns the target of the pointer or keyboard.
fn scrubber(ui: &mut Ui, cx: &UiContext<'_>, replay: &ReplayState, breaks: &[u64]) -> Option<u64> {
    let last = replay.samples.saturating_sub(1);
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::click_and_drag());
    #[expect(clippy::cast_precision_loss, reason = "a position for people")]
    let (here, end) = (replay.index as f64, last as f64);
    response.widget_info(|| WidgetInfo::slider(true, here, "Position in the recording, in samples"));
    ui.ctx().accesskit_node_builder(response.id, |node| {
        node.set_min_numeric_value(0.0);
        node.set_max_numeric_value(end);
        node.set_numeric_value_step(1.0);
        node.set_description(round_at(replay, replay.index).map_or_else(
            || "no round yet".to_owned(),
            |round| format!("round {}, started at sample {}", round.number, round.sample + 1),
        ));
        for action in [Action::Increment, Action::Decrement] {
            node.add_action(action);
        }
    });
    let line = Rect::from_min_max(
        pos2(rect.left() + MARGIN, rect.center().y - 2.0),
        pos2(rect.right() - MARGIN, rect.center().y + 2.0),
    );
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "a position on the screen"
    )]
    let x = |index: u64| line.left() + line.width() * (index as f64 / last.max(1) as f64) as f32;
    if ui.is_rect_visible(rect) {
        let tokens = cx.look.tokens;
        let painter = ui.painter();
        painter.rect_filled(line, 2.0, tokens.line);
        let verified = if replay.complete { last } else { replay.verified.min(last) };
        painter.rect_filled(line.with_max_x(x(verified)), 2.0, tokens.muted);
        for first in breaks {
            painter.vline(x(*first), rect.y_range(), (1.0, tokens.text));
        }
        let mut drawn = f32::NEG_INFINITY;
        for at in replay.rounds.iter().map(|round| x(round.sample)) {
            // Hundreds of ticks would merge into a line.
            if at - drawn >= 4.0 {
                painter.vline(at, line.bottom() + 2.0..=rect.bottom() - 2.0, (1.5, tokens.muted));
                drawn = at;
            }
        }
        let handle = pos2(x(replay.index), rect.center().y);
        painter.circle_filled(handle, 6.5, tokens.accent);
        if response.has_focus() {
            painter.circle_stroke(handle, 9.0, (1.5, tokens.text));
        }
        let mut drawn = f32::NEG_INFINITY;
        for at in replay.mismatches.iter().map(|index| x(*index)) {
            // Merge ticks at the same pixel.
            if at - drawn >= 1.0 {
                painter.vline(at, rect.y_range().shrink(2.0), (2.0, tokens.bad));
                drawn = at;
            }
        }
    }
    let pointed = |response: &Response| {
        let at = response.interact_pointer_pos().or_else(|| response.hover_pos())?;
        let part = f64::from((at.x - line.left()) / line.width().max(1.0)).clamp(0.0, 1.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and the last")]
        let index = (part * end).round() as u64;
        Some(index.min(last))
    };
    let held = response.is_pointer_button_down_on() || response.clicked();
    let dragged = held.then(|| pointed(&response)).flatten();
    if held {
        response.request_focus();
    }
    let typed = keys(ui, &response, replay, last);
    if let Some(index) = pointed(&response) {
        let near = |at: u64| (x(at) - x(index)).abs() < 3.0;
        let mut text = format!("Sample {} of {}", index + 1, replay.samples);
        if let Some(round) = replay.rounds.iter().find(|round| near(round.sample)) {
            text += &format!("; round {} starts at sample {}", round.number, round.sample + 1);
        } else if let Some(round) = round_at(replay, index) {
            text += &format!(", round {}", round.number);
        }
        if let Some(at) = replay.mismatches.iter().find(|at| near(**at)) {
            text += &format!("; mismatch at sample {}", at + 1);
        }
        response.on_hover_text_at_pointer(text);
    }
    dragged.or(typed).filter(|index| *index != replay.index)
}

/// The target of key presses while the scrubber has focus, and of requests by assistive technology.
fn keys(ui: &Ui, response: &Response, replay: &ReplayState, last: u64) -> Option<u64> {
    let here = replay.index;
    let (more, less) = ui.input(|input| {
        let count = |action| input.num_accesskit_action_requests(response.id, action) as u64;
        (count(Action::Increment), count(Action::Decrement))
    });
    if more + less > 0 {
        return Some((here + more).saturating_sub(less).min(last));
    }
    if !response.has_focus() {
        return None;
    }
    let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    ui.input_mut(|input| {
        let mut pressed = |key| input.consume_key(Modifiers::NONE, key);
        let moves = [
            (Key::ArrowLeft, here.saturating_sub(1)),
            (Key::ArrowRight, here + 1),
            (Key::PageUp, here.saturating_sub(PAGE)),
            (Key::PageDown, here + PAGE),
            (Key::Home, 0),
            (Key::End, last),
        ];
        moves.into_iter().find_map(|(key, to)| pressed(key).then_some(to.min(last)))
    })
}
