//! Exports of the route: copies and files.

use super::request::RouteSettings;
use crate::gui::file_dialog::FileKind;
use crate::gui::save_field::{SaveField, SaveText};
use crate::gui::ui_context::UiContext;
use crate::profile::Profile;
use crate::puyo::{Field, Rules};
use crate::route::export::{FILE_FORMS, FileOptions, Listing, chainsim_link, puyop_link, route_file};
use crate::route::{FrameTable, Route};
use eframe::egui::Ui;
use std::sync::Arc;

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

    /// Draws the buttons. `shown` is the displayed board.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        cx: &mut UiContext<'_>,
        settings: &mut RouteSettings,
        route: &Route,
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
            let profile = profile_of(cx, route);
            let json = || {
                let table = profile.as_deref().and_then(FrameTable::of);
                let listing = Listing::of(route, table.as_ref());
                listing.and_then(|listing| listing.json()).map_err(|why| why.to_string())
            };
            self.copies(ui, cx, "Copy JSON", "The steps as JSON", json);
            let moving = settings.moving;
            let player = settings.source.player().unwrap_or(0);
            self.0.show(ui, cx.files, WORDS, &mut settings.file, |path| {
                let options =
                    FileOptions { profile: profile.as_deref(), moving, player, ..FileOptions::default() };
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

/// The profile with the frame table and the addresses: that of the running game if its rules are those of the route, or the first one with
/// these rules. The size of a group is an option of the game.
pub(super) fn profile_of(cx: &UiContext<'_>, route: &Route) -> Option<Arc<Profile>> {
    let running = cx.view.target.iter().map(|target| &target.profile);
    running
        .chain(cx.profiles)
        .find(|profile| {
            let rules = profile.game.boards();
            rules.is_some_and(|rules| Rules { group: route.rules.group, ..rules } == route.rules)
        })
        .cloned()
}
