//! The prediction of single-piece games: certain pieces, probabilities of the rest, and pieces that depend on the frame.

use super::piece;
use super::theme::Tone;
use super::ui_context::UiContext;
use super::widgets::{card, copyable};
use crate::games::piece::{Piece, letters};
use crate::live::{FollowUpGame, FrameOdds, PieceChances, PiecePlayer, PredictionView};
use crate::text::counted;
use eframe::egui::{
    Align2, CollapsingHeader, FontId, Label, Rect, RichText, Role, Sense, TextStyle, Ui, Vec2, WidgetInfo,
    pos2, vec2,
};

/// The width of a card in which large pieces have their usual size, and the most by which they grow.
const USUAL_WIDTH: f32 = 680.0;
const MAX_SCALE: f32 = 1.8;
/// Side of a square in large pieces, in pieces with a probability, and of chips, in points.
const SQUARE: f32 = 15.0;
const SMALL: f32 = 9.0;
const CHIP: f32 = 20.0;
/// Gap between chips.
const GAP: f32 = 2.0;
/// Width of the number before a row.
const MARGIN: f32 = 34.0;
/// Rows that are always visible; the rest can be expanded.
const ROWS: usize = 3;
/// Maximum number of large pieces; later ones are chips.
const LARGE: usize = 9;

/// For pieces counted from the start of a game.
const OF_GAME: &str = "of the game";

pub fn player_card(ui: &mut Ui, cx: &UiContext<'_>, coming: &PiecePlayer, number: usize, tone: Tone) {
    let look = cx.look;
    let who = coming.title.to_lowercase();
    card(ui, look.tokens, |ui| {
        ui.horizontal_wrapped(|ui| {
            let color = look.tokens.players[number % look.tokens.players.len()];
            ui.label(RichText::new(&coming.title).strong().size(15.0).color(color));
            for caption in &coming.captions {
                ui.weak(caption);
            }
        });
        let shown = large(ui, cx, coming, &who, tone);
        ui.weak(&coming.position);
        if let Some(rest) = coming.pieces.get(shown..).filter(|rest| !rest.is_empty()) {
            ui.add_space(4.0);
            // Without a position in the game these are its first pieces.
            let from = if coming.dealt.is_some() { "ahead" } else { OF_GAME };
            strip(ui, cx, rest, shown, &Strip { who: &who, from }, tone);
        }
        if let Some(chances) = &coming.chances {
            ui.add_space(4.0);
            self::chances(ui, cx, chances, &who, tone);
        }
        if let Some(waits) = &coming.waits {
            ui.add_space(4.0);
            self::waits(ui, cx, waits, &who, tone);
        }
        for follow_up in &coming.later {
            ui.add_space(4.0);
            self::follow_up(ui, cx, follow_up, tone);
        }
    });
}

/// The current and next pieces, as many as fit in a row. Returns how many of the next ones are drawn.
fn large(ui: &mut Ui, cx: &UiContext<'_>, coming: &PiecePlayer, who: &str, tone: Tone) -> usize {
    let square = SQUARE * (ui.available_width() / USUAL_WIDTH).clamp(1.0, MAX_SCALE);
    let width = piece::piece_size(square).x;
    let gap = ui.spacing().item_spacing.x;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number")]
    let fit = (((ui.available_width() + gap) / (width + gap)) as usize).clamp(2, LARGE);
    let current = coming.current.map(|piece| ("now", piece));
    let count = coming.pieces.len().min(fit - usize::from(current.is_some()));
    let names = coming.names.iter().copied().chain(std::iter::repeat("then"));
    let first = names.zip(coming.pieces.iter().copied()).take(count);
    ui.horizontal_top(|ui| {
        let mut above = "";
        for (name, piece) in current.into_iter().chain(first) {
            ui.vertical(|ui| {
                ui.set_width(width);
                let repeated = std::mem::replace(&mut above, name) == name;
                if repeated {
                    ui.add_space(ui.text_style_height(&TextStyle::Body) + ui.spacing().item_spacing.y);
                } else {
                    ui.add(Label::new(RichText::new(name).weak()).extend());
                }
                piece::piece(ui, piece, square, &format!("{who}, {name}"), &cx.look, tone);
            });
        }
    });
    count
}

/// For labels: whose pieces they are, and what they are counted from.
struct Strip<'a> {
    who: &'a str,
    from: &'static str,
}

/// Certain pieces as rows of chips; `before` pieces precede them. Rows beyond the limit can be expanded.
fn strip(ui: &mut Ui, cx: &UiContext<'_>, pieces: &[Piece], before: usize, strip: &Strip<'_>, tone: Tone) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small positive number")]
    let fit = ((ui.available_width() - MARGIN) / (CHIP + GAP)) as usize;
    let columns = (fit / 5 * 5).clamp(5, 25);
    let all: Vec<(usize, &[Piece])> = (before + 1..).step_by(columns).zip(pieces.chunks(columns)).collect();
    let (first, rest) = all.split_at(all.len().min(ROWS));
    rows(ui, cx, first, strip, tone);
    if let Some((next, _)) = rest.first() {
        let last = before + pieces.len();
        CollapsingHeader::new(format!("Also certain: pieces {next} to {last} {}", strip.from))
            .id_salt(("certain pieces", strip.who))
            .show(ui, |ui| rows(ui, cx, rest, strip, tone));
    }
}

fn rows(ui: &mut Ui, cx: &UiContext<'_>, rows: &[(usize, &[Piece])], strip: &Strip<'_>, tone: Tone) {
    let spacing = ui.spacing().item_spacing;
    ui.spacing_mut().item_spacing.y = GAP;
    for (first, pieces) in rows {
        row(ui, cx, *first, pieces, strip, tone);
    }
    ui.spacing_mut().item_spacing = spacing;
}

fn row(ui: &mut Ui, cx: &UiContext<'_>, first: usize, pieces: &[Piece], strip: &Strip<'_>, tone: Tone) {
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
        let color = cx.look.tokens.muted;
        ui.painter().text(at, Align2::RIGHT_CENTER, first, FontId::proportional(11.0), color);
        for (column, coming) in pieces.iter().enumerate() {
            piece::paint_chip(ui.painter(), chip(column), *coming, &cx.look, tone);
        }
    }
    if let Some(pointer) = response.hover_pos()
        && let Some((column, coming)) =
            pieces.iter().enumerate().find(|(column, _)| chip(*column).contains(pointer))
    {
        response.on_hover_text_at_pointer(format!("{coming}, piece {} {from}", first + column));
    }
}

fn chances(ui: &mut Ui, cx: &UiContext<'_>, chances: &PieceChances, who: &str, tone: Tone) {
    ui.label(RichText::new(&chances.caption).strong());
    let what = |_: Piece, percent: &str| format!("{who}, {percent} after the next");
    piece::chances(ui, chances.each, SMALL, what, &cx.look, tone);
}

fn follow_up(ui: &mut Ui, cx: &UiContext<'_>, follow_up: &FollowUpGame, tone: Tone) {
    ui.label(RichText::new(&follow_up.caption).strong());
    let strip = Strip { who: &follow_up.caption.to_lowercase(), from: OF_GAME };
    rows(ui, cx, &[(1, &follow_up.pieces)], &strip, tone);
}

/// The address located by content, and the command that saves it.
pub fn located(ui: &mut Ui, cx: &mut UiContext<'_>, located: &str) {
    let Some(target) = cx.view.target.clone() else { return };
    ui.add_space(4.0);
    card(ui, cx.look.tokens, |ui| {
        ui.label(located);
        ui.weak("Save the address to a profile with this command, to skip the search next time:");
        let command = PredictionView::locate(&target.profile.id, &format!("--pid {}", target.pid));
        copyable(ui, cx, &command, "command");
    });
}

fn waits(ui: &mut Ui, cx: &UiContext<'_>, waits: &FrameOdds, who: &str, tone: Tone) {
    let look = cx.look;
    ui.label(RichText::new("Frames to wait").strong());
    ui.horizontal_wrapped(|ui| {
        for (piece, frames) in Piece::ALL.into_iter().zip(&waits.shortest) {
            let text = frames.map_or_else(|| "-".to_owned(), |frames| frames.to_string());
            let label = match frames {
                Some(frames) => format!("{who}, frames to wait for {piece}: {frames}"),
                None => format!("{who}, {piece} is not dealt within {} frames", waits.frames.len()),
            };
            piece::chip(ui, piece, CHIP, &label, &look, tone);
            ui.label(text);
            ui.add_space(6.0);
        }
    });
    ui.weak(&waits.caption);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        for (frames, piece) in (1..).zip(&waits.frames) {
            let label = format!("{who}, after {}: {piece}", counted(frames, "frame"));
            piece::chip(ui, *piece, CHIP, &label, &look, tone);
        }
    });
}
