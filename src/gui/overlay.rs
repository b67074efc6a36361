//! A small always-on-top window with both players' next pairs, for playing and for screen recorders.

use super::app_id::APP_ID;
use super::commands::Command;
use super::keys::Keys;
use super::marks::mark;
use super::piece;
use super::puyo;
use super::repaint::needs_repaint;
use super::settings::{OverlayBackground, OverlaySettings};
use super::theme::{CLEAR, KEY_BLACK, KEY_GREEN, Look, Tone, faded};
use super::ui_context::{ConnectionStatus, age, duration_text, until_repaint};
use crate::live::{Data, PiecePlayer, View};
use eframe::egui::{
    self, Color32, Frame, Margin, Pos2, RichText, Sense, Ui, ViewportBuilder, ViewportClass, ViewportCommand,
    ViewportId, X11WindowType, vec2,
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Diameter of a puyo in points.
const PUYO: f32 = 26.0;
/// Side of a piece with a probability in points, and their number: together as high as two puyos.
const CHANCE: f32 = 16.0;
const LIKELIEST: usize = 3;
/// How often it is drawn while nothing but the age of the data changes.
const REPAINT_INTERVAL: Duration = Duration::from_millis(250);

/// Limits of the overlay on this system, in a sentence.
pub fn limits() -> Option<&'static str> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    if std::env::var_os("WAYLAND_DISPLAY").is_none() {
        return Some("On X11 the Theme background is always opaque. Use Black or Chroma green to key it out");
    }
    Some(
        "On Wayland the desktop decides the position of a window and whether it stays on top: \
         use the window menu, or start Nextscope with WAYLAND_DISPLAY unset to use X11",
    )
}

fn size(settings: &OverlaySettings) -> egui::Vec2 {
    #[expect(clippy::cast_precision_loss, reason = "at most 9 pairs")]
    let pairs = (settings.pairs + 1) as f32;
    vec2(2.0 * (pairs * (PUYO + 6.0) + 52.0) + 20.0, 2.0 * PUYO + 38.0)
}

/// The first position: at the lower right of the main window, so that it covers no menu.
fn first_position(ui: &Ui, size: egui::Vec2) -> Option<Pos2> {
    let main = ui.input(|input| input.viewport().outer_rect)?;
    Some((main.right_bottom() - size - vec2(24.0, 48.0)).max(main.left_top()))
}

fn id() -> ViewportId {
    ViewportId::from_hash_of("overlay")
}

/// The overlay window. It repaints independently of the main window, because Wayland desktops may not draw a main window
/// that the game covers. Clones share the overlay.
#[derive(Clone, Default)]
pub struct Overlay(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    view: Arc<View>,
    /// The last state from the main window; None while the overlay is closed.
    drawn: Option<DrawState>,
    /// The last position that the main window has not read yet.
    moved: Option<Pos2>,
    /// Commands pressed in it that the main window has not run yet.
    pressed: Vec<Command>,
}

/// What its next frame is drawn from.
#[derive(Clone, PartialEq)]
struct DrawState {
    settings: OverlaySettings,
    look: Look,
    keys: Keys,
    allowed: Vec<Command>,
}

impl Overlay {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows this view from now on, even while the main window is not drawn.
    pub fn update(&self, ctx: &egui::Context, view: &Arc<View>) {
        let mut state = self.lock();
        let worth = state.drawn.is_some() && needs_repaint(&state.view, view);
        state.view = Arc::clone(view);
        drop(state);
        if worth {
            ctx.request_repaint_after_for(Duration::from_millis(1), id());
        }
    }

    /// Shows the overlay as part of the main window's frame, if it is open, and stores its position. Returns the `allowed`
    /// commands whose shortcuts were pressed in it.
    pub fn show(
        &self,
        ui: &Ui,
        settings: &mut OverlaySettings,
        (keys, allowed): (&Keys, impl Fn(Command) -> bool),
        look: &Look,
        view: &View,
    ) -> Vec<Command> {
        let mut state = self.lock();
        settings.position = state.moved.take().or(settings.position);
        let pressed = std::mem::take(&mut state.pressed);
        if !settings.shown {
            state.drawn = None;
            return pressed;
        }
        // Until the pressed commands have run, keep what the overlay drew itself.
        if pressed.is_empty() {
            let allowed = Command::all().filter(|command| allowed(*command)).collect();
            let drawn = DrawState { settings: settings.clone(), look: *look, keys: keys.clone(), allowed };
            let changed = state.drawn.as_ref() != Some(&drawn) || needs_repaint(&state.view, view);
            state.drawn = Some(drawn);
            state.view = Arc::new(view.clone());
            if changed {
                ui.ctx().request_repaint_of(id());
            }
        } else {
            ui.ctx().request_repaint();
        }
        drop(state);
        let this = self.clone();
        ui.ctx().show_viewport_deferred(id(), window(ui, settings), move |ui, class| this.draw(ui, class));
        pressed
    }

    fn draw(&self, ui: &mut Ui, class: ViewportClass) {
        let mut state = self.lock();
        let State { view, drawn: Some(drawn), moved, pressed } = &mut *state else { return };
        let now = Instant::now();
        if !drawn.settings.shown {
            return; // closed, but its viewport still exists
        }
        if class != ViewportClass::EmbeddedWindow {
            let (closed, place) = ui.input(|input| {
                let viewport = input.viewport();
                (viewport.close_requested(), viewport.outer_rect.map(|rect| rect.min))
            });
            *moved = place.or(*moved);
            let key = drawn.keys.pressed(ui.ctx(), |command| drawn.allowed.contains(&command));
            let command = if closed { Some(Command::ToggleOverlay) } else { key };
            match command {
                // The main window must close the viewport, but may be covered.
                Some(Command::ToggleOverlay) => {
                    drawn.settings.shown = false;
                    ui.ctx().send_viewport_cmd(ViewportCommand::MousePassthrough(true));
                    ui.ctx().send_viewport_cmd(ViewportCommand::Visible(false));
                }
                Some(Command::ToggleClickThrough) => {
                    let through = &mut drawn.settings.click_through;
                    *through = !*through;
                    ui.ctx().send_viewport_cmd(ViewportCommand::MousePassthrough(*through));
                }
                _ => {}
            }
            if let Some(command) = command {
                pressed.push(command);
                ui.ctx().request_repaint_of(ViewportId::ROOT);
            }
            if !drawn.settings.shown {
                return;
            }
        }
        contents(ui, &drawn.settings, &drawn.look, view, now, class);
        if let Some(wait) = until_repaint(view, now, REPAINT_INTERVAL) {
            ui.ctx().request_repaint_after(wait);
        }
    }
}

fn window(ui: &Ui, settings: &OverlaySettings) -> ViewportBuilder {
    let mut builder = ViewportBuilder::default()
        .with_title("Nextscope overlay")
        .with_app_id(APP_ID)
        .with_inner_size(size(settings))
        .with_resizable(false)
        .with_decorations(false)
        .with_transparent(true)
        .with_taskbar(false)
        // Tiling desktops must not tile it.
        .with_window_type(X11WindowType::Utility)
        .with_always_on_top()
        .with_mouse_passthrough(settings.click_through);
    if let Some(position) = settings.position.or_else(|| first_position(ui, size(settings))) {
        builder = builder.with_position(position);
    }
    builder
}

fn state(ui: &mut Ui, status: ConnectionStatus, old: &str, color: Color32) {
    ui.horizontal(|ui| {
        mark(ui, status.mark(), color);
        ui.label(RichText::new(format!("{}{old}", status.word())).small());
    });
}

/// The upcoming pieces of a player in a single-piece game.
fn pieces(
    ui: &mut Ui,
    settings: &OverlaySettings,
    look: &Look,
    coming: &PiecePlayer,
    number: usize,
    tone: Tone,
) {
    ui.label(RichText::new(number.to_string()).strong());
    if let (None, Some(name)) = (coming.dealt, coming.names.first()) {
        // These are the first pieces of a game, not the next ones.
        ui.label(RichText::new(format!("{name}:")).small());
    }
    let named = coming.current.map(|piece| ("now", piece)).into_iter();
    let ahead = coming.pieces.iter().take(settings.pairs).map(|piece| ("ahead", *piece));
    for (index, (name, piece)) in named.chain(ahead).enumerate() {
        let what = format!("overlay, player {number}, {name} {index}");
        piece::piece(ui, piece, PUYO / 2.0, &what, look, tone);
    }
    let Some(chances) = coming.chances.as_ref().filter(|_| coming.pieces.len() < settings.pairs) else {
        return;
    };
    ui.vertical(|ui| {
        // No line may be higher than a chip: the window is as high as its pieces.
        (ui.spacing_mut().item_spacing.y, ui.spacing_mut().interact_size.y) = (2.0, CHANCE);
        for (piece, chance) in chances.likeliest().into_iter().take(LIKELIEST) {
            ui.horizontal(|ui| {
                ui.spacing_mut().item_spacing.x = 4.0;
                let percent = format!("{:.0} %", 100.0 * chance);
                let what = format!("overlay, player {number}, then {piece}: {percent}");
                piece::chip(ui, piece, CHANCE, &what, look, tone);
                ui.label(RichText::new(percent).small());
            });
        }
    });
}

fn contents(
    ui: &mut Ui,
    settings: &OverlaySettings,
    look: &Look,
    view: &View,
    now: Instant,
    class: ViewportClass,
) {
    let fill = match settings.background {
        OverlayBackground::Panel => faded(look.tokens.panel, settings.opacity),
        OverlayBackground::Black => KEY_BLACK,
        OverlayBackground::Green => KEY_GREEN,
    };
    let fill = if class == ViewportClass::EmbeddedWindow { CLEAR } else { fill };
    let status = ConnectionStatus::of(view, now);
    // The edge makes it visible over a window of the same colour; a background to be keyed out has none.
    let has_edge = settings.background == OverlayBackground::Panel && class != ViewportClass::EmbeddedWindow;
    let edge = if has_edge { look.tokens.line } else { fill };
    let frame = Frame::new().fill(fill).stroke((1.0, edge)).inner_margin(Margin::symmetric(9, 5));
    let frame = frame.show(ui, |ui| {
        ui.set_min_size(ui.available_size());
        let Some(shown) = view.data.as_ref().and_then(Data::view) else {
            state(ui, status, "", look.tokens.text);
            return;
        };
        let background =
            if settings.background == OverlayBackground::Panel { look.tokens.panel } else { fill };
        ui.visuals_mut().override_text_color = Some(Look::ink_on(background));
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 6.0;
            for (player, coming) in shown.players.iter().enumerate() {
                let number = player + 1;
                // Lying pairs of two players are twice as wide as the window is made for.
                let diameter = if coming.lying && shown.players.len() > 1 { PUYO / 2.0 } else { PUYO };
                ui.label(RichText::new(number.to_string()).strong());
                let named = coming.current.map(|pair| ("now", pair)).into_iter();
                let ahead = coming.pairs.iter().take(settings.pairs).map(|pair| ("ahead", *pair));
                for (index, (name, pair)) in named.chain(ahead).enumerate() {
                    if index == 1 && coming.current.is_some() {
                        // `separator` would take all the available height.
                        let (line, _) = ui.allocate_exact_size(vec2(5.0, 2.0 * PUYO), Sense::hover());
                        ui.painter().vline(line.center().x, line.y_range(), (1.0, look.tokens.line));
                    }
                    let what = format!("overlay, player {number}, {name} {index}");
                    puyo::drawn_pair(coming.lying)(ui, pair, diameter, &what, look, status.tone());
                }
                ui.add_space(12.0);
            }
            for (player, coming) in shown.pieces.iter().enumerate() {
                pieces(ui, settings, look, coming, player + 1, status.tone());
                ui.add_space(12.0);
            }
        });
        let old = age(view, now).filter(|_| status != ConnectionStatus::Live);
        let old = old.map_or_else(String::new, |age| format!(", {} old", duration_text(age)));
        state(ui, status, &old, Look::ink_on(background));
    });
    let drag = ui.interact(frame.response.rect, ui.scope_id().with("drag"), Sense::drag());
    if drag.drag_started() {
        ui.ctx().send_viewport_cmd(ViewportCommand::StartDrag);
    }
}
