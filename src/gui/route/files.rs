//! Exports of the route: copies and files.

use super::request::RouteSettings;
use crate::gui::file_dialog::FileKind;
use crate::gui::save_field::{SaveField, SaveText};
use crate::gui::ui_context::UiContext;
use crate::profile::Profile;
use crate::puyo::Field;
use crate::route::export::{FILE_FORMS, FileOptions, Listing, chainsim_link, puyop_link, route_file};
use crate::route::{FrameTable, Route};
use eframe::egui::Ui;

const WORDS: SaveText = SaveText {
    id: "route file",
    kind: FileKind::Route,
    hint: "route.json, .csv, .png …",
    button: "Save route",
    formats: FILE_FORMS,
};

/// The result of the last save or copy.
#[derive(Debug, Default)]
pub struct Files(SaveField);

impl Files {
    /// Drops the result of the last save, because the route is another one.
    pub fn forget(&mut self) {
        self.0.forget();
    }

    /// Draws the buttons. The profile has the frame table and the addresses; `shown` is the displayed board.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        cx: &mut UiContext<'_>,
        settings: &mut RouteSettings,
        route: &Route,
        profile: Option<&Profile>,
        shown: Option<&Field>,
    ) {
        ui.horizontal_wrapped(|ui| {
            let link = || puyop_link(route).map_err(|why| why.to_string());
            self.copies(ui, cx, "Copy puyop link", "A link that plays the route on puyop.com", link);
            if let Some(shown) = shown {
                let link = || chainsim_link(shown).map_err(|why| why.to_string());
                let meaning = "The shown board in the chain simulator of Puyo Nexus";
                self.copies(ui, cx, "Copy board link", meaning, link);
            }
            let json = || {
                let table = profile.and_then(FrameTable::of);
                let listing = Listing::of(route, table.as_ref());
                listing.and_then(|listing| listing.json()).map_err(|why| why.to_string())
            };
            self.copies(ui, cx, "Copy JSON", "The steps as JSON", json);
            let moving = settings.moving;
            let player = settings.source.player().unwrap_or(0);
            self.0.show(ui, cx.files, WORDS, &mut settings.file, |path| {
                let options = FileOptions { profile, moving, player, ..FileOptions::default() };
                route_file(path, route, options).map_err(|why| why.to_string())
            });
            ui.checkbox(&mut settings.moving, "Animated")
                .on_hover_text("Export animated pictures of all boards");
            self.0.result(ui, cx.look.tokens);
        });
    }

    fn copies(
        &mut self,
        ui: &mut Ui,
        cx: &mut UiContext<'_>,
        name: &str,
        meaning: &str,
        text: impl FnOnce() -> Result<String, String>,
    ) {
        if ui.button(name).on_hover_text(meaning).clicked() {
            match text() {
                Ok(text) => cx.copy(text, "route"),
                Err(why) => self.0.fail(why),
            }
        }
    }
}
