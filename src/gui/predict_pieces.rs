//! What comes next in a game of single pieces: what is certain, how likely the rest is, and what depends on the frame in which it is
//! picked.

use super::piece;
use super::scene::Scene;
use super::theme::Tone;
use super::widgets::{card, copyable};
use crate::game::piece::{Piece, letters};
use crate::live::{Later, PieceChances, PiecePlayer, Shown, Waits};
use eframe::egui::{
    Align2, CollapsingHeader, FontId, Label, Rect, RichText, Role, Sense, Ui, Vec2, WidgetInfo, pos2, vec2,
};

/// The side of a square, of the large pieces and of those with a chance, and of the chips, in points.
const SQUARE: f32 = 15.0;
const SMALL: f32 = 9.0;
const CHIP: f32 = 20.0;
/// Between two chips of a strip.
const GAP: f32 = 2.0;
/// The space of the number before a row of a strip.
const MARGIN: f32 = 34.0;
/// Rows of a strip that are always there; the rest can be opened.
const ROWS: usize = 3;
/// Large pieces at most: what comes later is looked up in the strip.
const LARGE: usize = 9;

/// Pieces that are counted from the first of a game.
const OF_GAME: &str = "of the game";

/// What a player gets, in a box.
pub fn player_card(ui: &mut Ui, scene: &Scene<'_>, coming: &PiecePlayer, number: usize, tone: Tone) {
    let look = scene.look;
    let who = coming.title.to_lowercase();
    card(ui, look.tokens, |ui| {
        ui.horizontal_wrapped(|ui| {
            let color = look.tokens.players[number % look.tokens.players.len()];
            ui.label(RichText::new(&coming.title).strong().size(15.0).color(color));
            for caption in &coming.captions {
                ui.weak(caption);
            }
        });
        let shown = large(ui, scene, coming, &who, tone);
        ui.weak(&coming.position);
        if let Some(rest) = coming.pieces.get(shown..).filter(|rest| !rest.is_empty()) {
            ui.add_space(4.0);
            // Without a place in the game these are its first pieces.
            let from = if coming.dealt.is_some() { "ahead" } else { OF_GAME };
            strip(ui, scene, rest, shown, &Strip { who: &who, from }, tone);
        }
        if let Some(chances) = &coming.chances {
            ui.add_space(4.0);
            self::chances(ui, scene, chances, &who, tone);
        }
        if let Some(waits) = &coming.waits {
            ui.add_space(4.0);
            self::waits(ui, scene, waits, &who, tone);
        }
        for later in &coming.later {
            ui.add_space(4.0);
            self::later(ui, scene, later, tone);
        }
    });
}

/// The piece in play and the first ones to come, as many as fit into a row. Returns how many of those to come are drawn.
fn large(ui: &mut Ui, scene: &Scene<'_>, coming: &PiecePlayer, who: &str, tone: Tone) -> usize {
    let width = piece::piece_size(SQUARE).x;
    let gap = ui.spacing().item_spacing.x;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number")]
    let fit = (((ui.available_width() + gap) / (width + gap)) as usize).clamp(2, LARGE);
    let current = coming.current.map(|piece| ("now", piece));
    let count = coming.pieces.len().min(fit - usize::from(current.is_some()));
    let names = coming.names.iter().copied().chain(std::iter::repeat("then"));
    let first = names.zip(coming.pieces.iter().copied()).take(count);
    ui.horizontal_top(|ui| {
        for (name, piece) in current.into_iter().chain(first) {
            ui.vertical(|ui| {
                ui.set_width(width);
                ui.add(Label::new(RichText::new(name).weak()).extend());
                piece::piece(ui, piece, SQUARE, &format!("{who}, {name}"), &scene.look, tone);
            });
        }
    });
    count
}

/// What a strip says of its pieces: whose they are, and from where they are counted.
struct Strip<'a> {
    who: &'a str,
    from: &'static str,
}

/// Pieces that are certain, in rows; `before` came before them. What does not fit into some rows can be opened.
fn strip(ui: &mut Ui, scene: &Scene<'_>, pieces: &[Piece], before: usize, strip: &Strip<'_>, tone: Tone) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number")]
    let fit = ((ui.available_width() - MARGIN) / (CHIP + GAP)) as usize;
    let columns = (fit / 5 * 5).clamp(5, 25);
    let all: Vec<(usize, &[Piece])> = (before + 1..).step_by(columns).zip(pieces.chunks(columns)).collect();
    let (first, rest) = all.split_at(all.len().min(ROWS));
    rows(ui, scene, first, strip, tone);
    if let Some((next, _)) = rest.first() {
        let last = before + pieces.len();
        CollapsingHeader::new(format!("Certain too: pieces {next} to {last} {}", strip.from))
            .id_salt(("certain pieces", strip.who))
            .show(ui, |ui| rows(ui, scene, rest, strip, tone));
    }
}

fn rows(ui: &mut Ui, scene: &Scene<'_>, rows: &[(usize, &[Piece])], strip: &Strip<'_>, tone: Tone) {
    let spacing = ui.spacing().item_spacing;
    ui.spacing_mut().item_spacing.y = GAP;
    for (first, pieces) in rows {
        row(ui, scene, *first, pieces, strip, tone);
    }
    ui.spacing_mut().item_spacing = spacing;
}

/// A row of chips, with the number of its first piece before it.
fn row(ui: &mut Ui, scene: &Scene<'_>, first: usize, pieces: &[Piece], strip: &Strip<'_>, tone: Tone) {
    let Strip { who, from } = strip;
    #[expect(clippy::cast_precision_loss, reason = "a column number")]
    let left = |column: usize| MARGIN + column as f32 * (CHIP + GAP);
    let (rect, response) = ui.allocate_exact_size(vec2(left(pieces.len()), CHIP), Sense::hover());
    let last = first + pieces.len() - 1;
    response.widget_info(|| {
        let label = format!("{who}, pieces {first} to {last} {from}: {}", letters(pieces));
        WidgetInfo::labeled(Role::Image, true, &label)
    });
    let chip =
        |column: usize| Rect::from_min_size(pos2(rect.left() + left(column), rect.top()), Vec2::splat(CHIP));
    if ui.is_rect_visible(rect) {
        let at = pos2(rect.left() + MARGIN - 8.0, rect.center().y);
        let color = scene.look.tokens.muted;
        ui.painter().text(at, Align2::RIGHT_CENTER, first, FontId::proportional(11.0), color);
        for (column, coming) in pieces.iter().enumerate() {
            piece::paint_chip(ui.painter(), chip(column), *coming, &scene.look, tone);
        }
    }
    if let Some(pointer) = response.hover_pos()
        && let Some((column, coming)) =
            pieces.iter().enumerate().find(|(column, _)| chip(*column).contains(pointer))
    {
        response.on_hover_text_at_pointer(format!("{coming}, piece {} {from}", first + column));
    }
}

fn chances(ui: &mut Ui, scene: &Scene<'_>, chances: &PieceChances, who: &str, tone: Tone) {
    ui.label(RichText::new(&chances.caption).strong());
    let what = |_: Piece, percent: &str| format!("{who}, {percent} after the next");
    piece::chances(ui, chances.each, SMALL, what, &scene.look, tone);
}

fn later(ui: &mut Ui, scene: &Scene<'_>, later: &Later, tone: Tone) {
    ui.label(RichText::new(&later.caption).strong());
    let strip = Strip { who: &later.caption.to_lowercase(), from: OF_GAME };
    rows(ui, scene, &[(1, &later.pieces)], &strip, tone);
}

/// What was found by content, and the command that keeps it.
pub fn found(ui: &mut Ui, scene: &mut Scene<'_>, found: &str) {
    let Some(target) = scene.view.target.clone() else { return };
    ui.add_space(4.0);
    card(ui, scene.look.tokens, |ui| {
        ui.label(found);
        ui.weak("This writes it into a profile, which is then found sooner and need not be watched for:");
        let command = Shown::locate(&target.profile.id, &format!("--pid {}", target.pid));
        copyable(ui, scene, &command, "command");
    });
}

fn waits(ui: &mut Ui, scene: &Scene<'_>, waits: &Waits, who: &str, tone: Tone) {
    let look = scene.look;
    ui.label(RichText::new("Frames to wait for").strong());
    ui.horizontal_wrapped(|ui| {
        for (piece, frames) in Piece::ALL.into_iter().zip(&waits.shortest) {
            let told = frames.map_or_else(|| "-".to_owned(), |frames| frames.to_string());
            let label = match frames {
                Some(frames) => format!("{who}, frames to wait for {piece}: {frames}"),
                None => format!("{who}, {piece} is not picked within {} frames", waits.frames.len()),
            };
            piece::chip(ui, piece, CHIP, &label, &look, tone);
            ui.label(told);
            ui.add_space(6.0);
        }
    });
    ui.weak(&waits.caption);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        for (frames, piece) in (1..).zip(&waits.frames) {
            let label = format!("{who}, picked in {frames} frames: {piece}");
            piece::chip(ui, *piece, CHIP, &label, &look, tone);
        }
    });
}
