//! The route in other forms: copied, or written to a path that is typed.

use super::asked::RouteSettings;
use crate::game::GameId;
use crate::gui::scene::Scene;
use crate::gui::widgets::typed_path;
use crate::profile::{Profile, write_whole};
use crate::puyo::{Field, ROWS};
use crate::route::export::{
    Listing, Movie, chainsim_link, puyop_link, route_apng, route_png, route_svg, route_svg_animated,
};
use crate::route::{FrameTable, Route};
use eframe::egui::{Id, Key, TextEdit, Ui};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What may stand at the end of a file's name.
const FORMS: &str = ".json, .csv, .svg, .png, .bk2, .gmv, .dsm, or .txt for the embedded console";

/// What came of the last one, and a file that is there already.
#[derive(Debug, Default)]
pub struct Files {
    told: Option<Result<String, String>>,
    /// It is replaced when that is asked for again.
    replace: Option<PathBuf>,
}

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
            let json = || as_json(&listing(profile.as_deref(), route)?);
            self.copies(ui, scene, "Copy JSON", "The steps, as a program reads them", json);
            let label = ui.label("File");
            let field = TextEdit::singleline(&mut asked.file)
                .id(Id::unique("route file"))
                .hint_text("path of a .json .csv .png …")
                .desired_width(150.0);
            let field = ui.add(field).labelled_by(label.id);
            let entered = field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            let save = ui.button("Save route").on_hover_text(format!("By the end of its name: {FORMS}"));
            ui.checkbox(&mut asked.moving, "Moving").on_hover_text("Pictures show one board after the other");
            if save.clicked() || entered {
                let told = self.save(&typed_path(&asked.file), route, profile.as_deref(), asked.moving);
                self.told = Some(told);
            }
            let tokens = scene.look.tokens;
            match &self.told {
                Some(Ok(told)) => ui.label(told),
                Some(Err(why)) => ui.colored_label(tokens.bad, why),
                None => return,
            };
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
                Err(why) => self.told = Some(Err(why)),
            }
        }
    }

    fn save(
        &mut self,
        path: &Path,
        route: &Route,
        profile: Option<&Profile>,
        moving: bool,
    ) -> Result<String, String> {
        let bytes = written(path, route, profile, moving)?;
        if path.exists() && self.replace.as_deref() != Some(path) {
            self.replace = Some(path.to_owned());
            return Err("there is such a file already; save once more to replace it".into());
        }
        write_whole(path, &bytes).map_err(|error| format!("{} was not written: {error}", path.display()))?;
        self.replace = None;
        Ok(format!("{} bytes written to {}", bytes.len(), path.display()))
    }
}

/// The profile by whose frame table a route is timed: that of the game that runs, or the first of its game.
fn profile_of(scene: &Scene<'_>, route: &Route) -> Option<Arc<Profile>> {
    let game = if route.rules.rows == ROWS { GameId::PuyoTsu } else { GameId::Puyo20th };
    let running = scene.view.target.iter().map(|target| &target.profile);
    running.chain(scene.profiles).find(|profile| profile.game == game).cloned()
}

fn listing(profile: Option<&Profile>, route: &Route) -> Result<Listing, String> {
    Listing::of(route, profile.and_then(FrameTable::of).as_ref()).map_err(|why| why.to_string())
}

fn as_json(listing: &Listing) -> Result<String, String> {
    serde_json::to_string_pretty(listing).map(|text| text + "\n").map_err(|why| why.to_string())
}

/// A route in the form that a file's name ends in.
fn written(path: &Path, route: &Route, profile: Option<&Profile>, moving: bool) -> Result<Vec<u8>, String> {
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let told = |why: crate::route::export::ExportError| why.to_string();
    let movie = || {
        let profile = profile.ok_or("no profile of this game tells how long things take")?;
        let table = FrameTable::of(profile);
        let table = table.ok_or_else(|| format!("the profile {} has no table of frames", profile.id))?;
        Movie::of(route, &table, 0).map(|movie| (movie, profile)).map_err(|why| why.to_string())
    };
    match ending.as_deref() {
        Some("json") => as_json(&listing(profile, route)?).map(String::into_bytes),
        Some("csv") => listing(profile, route)?.csv().map(String::into_bytes).map_err(told),
        Some("svg") if moving => Ok(route_svg_animated(route).into_bytes()),
        Some("svg") => Ok(route_svg(route).into_bytes()),
        Some("png") if moving => route_apng(route).map_err(told),
        Some("png") => route_png(route).map_err(told),
        Some("bk2") => movie().and_then(|(movie, profile)| movie.bk2(profile).map_err(told)),
        Some("gmv") => movie().and_then(|(movie, profile)| movie.gmv(profile).map_err(told)),
        Some("dsm") => {
            movie().and_then(|(movie, profile)| movie.dsm(profile).map(String::into_bytes).map_err(told))
        }
        Some("txt") => movie().map(|(movie, _)| movie.console_script().into_bytes()),
        _ => Err(format!("type the path of a file; its name must end in {FORMS}")),
    }
}
