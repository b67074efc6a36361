//! What comes next in a game of single pieces: what is certain, and what depends on the frame in which it is picked.

use super::piece;
use super::scene::Scene;
use super::theme::Tone;
use super::widgets::card;
use crate::game::piece::Piece;
use crate::live::{PiecePlayer, Waits};
use eframe::egui::{Label, RichText, Ui};

/// The side of a square, of the large pieces and of the chips, in points.
const SQUARE: f32 = 15.0;
const CHIP: f32 = 20.0;

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
        ui.horizontal_wrapped(|ui| {
            let current = coming.current.map(|piece| ("now", piece));
            let names = coming.names.iter().copied().chain(std::iter::repeat("then"));
            for (name, piece) in current.into_iter().chain(names.zip(coming.pieces.iter().copied())) {
                ui.vertical(|ui| {
                    ui.set_width(piece::piece_size(SQUARE).x);
                    ui.add(Label::new(RichText::new(name).weak()).extend());
                    piece::piece(ui, piece, SQUARE, &format!("{who}, {name}"), &look, tone);
                });
            }
        });
        ui.weak(&coming.position);
        if let Some(waits) = &coming.waits {
            ui.add_space(4.0);
            self::waits(ui, scene, waits, &who, tone);
        }
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
