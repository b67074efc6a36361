//! The route in other forms: copied, or written to a path that is typed.

use super::asked::RouteSettings;
use crate::gui::saving::{SaveLine, SaveWords};
use crate::gui::scene::Scene;
use crate::profile::Profile;
use crate::puyo::Field;
use crate::route::export::{FILE_FORMS, FileOptions, Listing, chainsim_link, puyop_link, route_file};
use crate::route::{FrameTable, Route};
use eframe::egui::Ui;
use std::sync::Arc;

const WORDS: SaveWords = SaveWords {
    id: "route file",
    hint: "path of a .json .csv .png …",
    button: "Save route",
    forms: FILE_FORMS,
};

/// What came of the last file or copy.
#[derive(Debug, Default)]
pub struct Files(SaveLine);

impl Files {
    /// Draws the buttons. `shown` is the board that is looked at.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        scene: &mut Scene<'_>,
        asked: &mut RouteSettings,
        route: &Route,
        shown: Option<&Field>,
    ) {
        ui.horizontal_wrapped(|ui| {
            let link = || puyop_link(route).map_err(|why| why.to_string());
            self.copies(ui, scene, "Copy puyop link", "Plays the route on puyop.com", link);
            if let Some(shown) = shown {
                let link = || chainsim_link(shown).map_err(|why| why.to_string());
                let meaning = "The board that is shown, in the chain simulator of Puyo Nexus";
                self.copies(ui, scene, "Copy board link", meaning, link);
            }
            let profile = profile_of(scene, route);
            let json = || {
                let table = profile.as_deref().and_then(FrameTable::of);
                let listing = Listing::of(route, table.as_ref());
                listing.and_then(|listing| listing.json()).map_err(|why| why.to_string())
            };
            self.copies(ui, scene, "Copy JSON", "The steps, as a program reads them", json);
            let moving = asked.moving;
            self.0.show(ui, WORDS, &mut asked.file, |path| {
                let options = FileOptions { profile: profile.as_deref(), moving, lead_in: 0 };
                route_file(path, route, options).map_err(|why| why.to_string())
            });
            ui.checkbox(&mut asked.moving, "Moving").on_hover_text("Pictures show one board after the other");
            self.0.told(ui, scene.look.tokens);
        });
    }

    fn copies(
        &mut self,
        ui: &mut Ui,
        scene: &mut Scene<'_>,
        name: &str,
        meaning: &str,
        text: impl FnOnce() -> Result<String, String>,
    ) {
        if ui.button(name).on_hover_text(meaning).clicked() {
            match text() {
                Ok(text) => scene.copy(text, "the route"),
                Err(why) => self.0.fail(why),
            }
        }
    }
}

/// The profile by whose frame table a route is timed: that of the game that runs, or the first of its game.
fn profile_of(scene: &Scene<'_>, route: &Route) -> Option<Arc<Profile>> {
    let running = scene.view.target.iter().map(|target| &target.profile);
    running
        .chain(scene.profiles)
        .find(|profile| profile.game.boards().is_some_and(|rules| rules.rows == route.rules.rows))
        .cloned()
}
