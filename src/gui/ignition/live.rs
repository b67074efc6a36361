//! The field of a running game: followed, or located in RAM.

use super::state::State;
use crate::console::ConsoleId;
use crate::emulator::RamQuery;
use crate::gui::marks::{Mark, mark};
use crate::gui::repaint;
use crate::gui::ui_context::{UiAction, UiContext};
use crate::pochi::{Color, Field};
use crate::process::{HostAddr, Pid};
use crate::profile::Profile;
use crate::research::{
    Address, FieldLocation, FieldSearchError, MergeFieldError, chosen_by_hand, field_rams, merged_layout,
    next_locations, only_location,
};
use crate::task::Task;
use crate::text::counted;
use eframe::egui::{self, Button, ComboBox, RichText, TextEdit, Ui};
use std::sync::Arc;

/// The source of a located address, in the profile.
const SOURCE: &str = "found by the field painted in the ignition panel";
/// Maximum number of candidates offered for selection.
const MAX_OFFERED: usize = 8;

#[derive(Default)]
pub struct Live {
    /// The last field taken while following.
    follows: Option<Field>,
    /// Player 0 or 1.
    player: usize,
    /// Why following stopped.
    stopped: Option<&'static str>,
    process: Option<Pid>,
    /// The typed host address of the console RAM.
    base: String,
    run: Option<Task<Result<Vec<FieldLocation>, FieldSearchError>>>,
    /// The remaining candidates.
    candidates: Option<Vec<FieldLocation>>,
    /// Whether the last search had no match.
    no_match: bool,
    by_hand: bool,
    replace: bool,
    result: Option<Result<String, String>>,
}

impl Live {
    /// Takes the field of the running game while following. Painting stops following.
    pub fn follow(&mut self, cx: &UiContext<'_>, state: &mut State) {
        let Some(last) = &self.follows else { return };
        if state.now().field != *last {
            (self.follows, self.stopped) = (None, Some("Not following: the field was edited"));
            return;
        }
        if cx.status.is_current()
            && let Some(Ok(field)) = live_field(cx, self.player)
            && field != *last
        {
            state.follow_field(field.clone());
            self.follows = Some(field);
        }
    }

    /// Sets the result of saving the address to a profile.
    pub fn set_save_result(&mut self, result: Result<String, String>) {
        if result.is_ok() {
            (self.candidates, self.no_match, self.by_hand, self.replace) = (None, false, false, false);
        }
        self.result = Some(result);
    }

    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, state: &mut State) {
        self.take();
        ui.horizontal_wrapped(|ui| {
            ui.label("Field of");
            for (player, name) in ["Player 1", "Player 2"].into_iter().enumerate() {
                if ui.add(Button::selectable(self.player == player, name)).clicked() && self.player != player
                {
                    *self = Self { player, process: self.process, ..Self::default() };
                }
            }
        });
        self.game(ui, cx, state);
        ui.separator();
        self.search(ui, cx, state);
        match &self.result {
            Some(Ok(result)) => drop(ui.label(result)),
            Some(Err(why)) => drop(ui.colored_label(cx.look.tokens.bad, why)),
            None => {}
        }
    }

    /// The attached game.
    fn game(&mut self, ui: &mut Ui, cx: &UiContext<'_>, state: &mut State) {
        let target = cx.view.target.as_ref().filter(|target| target.profile.game.anchors().board);
        let Some(target) = target else {
            ui.weak("No Pochi & Nyaa attached. Once its field address is known, the game is recognized automatically");
            return;
        };
        ui.label(format!("{} ({}), {}", target.identity.name, target.pid, cx.status.word()));
        match live_field(cx, self.player) {
            Some(Ok(field)) => {
                ui.horizontal_wrapped(|ui| {
                    let follows = self.follows.is_some();
                    let name = if follows { "Stop following" } else { "Follow" };
                    let hint = "Copy the field whenever it changes in the game; painting stops following";
                    if ui.add(Button::selectable(follows, name)).on_hover_text(hint).clicked() {
                        self.stopped = None;
                        self.follows = (!follows).then(|| field.clone());
                        if !follows {
                            state.begin_following(field.clone());
                        }
                    }
                    let once = ui.add_enabled(!follows, Button::new("Copy once"));
                    if once.on_hover_text("Copy the current field; undo restores yours").clicked() {
                        state.replace_field(field);
                    }
                });
            }
            Some(Err(why)) => drop(ui.label(why)),
            None => drop(ui.weak("Field address of this player unknown")),
        }
        if let Some(stopped) = self.stopped {
            ui.weak(stopped);
        }
    }

    /// Locates the painted field in a process.
    fn search(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, state: &State) {
        let profile = profile(cx);
        ui.label(RichText::new("Locate the painted field in RAM").strong());
        ui.weak("Paint the field as on the screen, without the falling pair. Pause the game if possible");
        if cx.view.replay.is_some() {
            ui.weak("A recording is open. This searches running emulators; to search the recording, use Research, by board");
        }
        let process = self.process(ui, cx);
        let base = match self.base.trim() {
            "" => Ok(None),
            text => Address::from_hex(text).map(|at| Some(HostAddr(at.0))).ok_or("invalid address"),
        };
        if let Err(why) = base {
            ui.colored_label(cx.look.tokens.bad, why);
        }
        ui.horizontal_wrapped(|ui| {
            let again = self.candidates.is_some();
            let name = if again { "Search again" } else { "Search" };
            let ready = process.is_some() && base.is_ok() && profile.is_some() && self.run.is_none();
            if ui.add_enabled(ready, Button::new(name)).clicked()
                && let (Some(pid), Ok(base), Some(profile)) = (process, base, &profile)
            {
                self.start(ui.ctx(), pid, base, profile, state.now().field.clone());
            }
            if again && ui.button("Start over").on_hover_text("Discard all candidates").clicked() {
                (self.candidates, self.no_match, self.by_hand, self.run) = (None, false, false, None);
            }
            if self.run.is_some() {
                mark(ui, Mark::Play, cx.look.tokens.accent);
                ui.label("searching RAM");
            }
        });
        if let Some(profile) = profile {
            self.found(ui, cx, &profile);
        }
    }

    /// The process to search: the selected one, or the only emulator.
    fn process(&mut self, ui: &mut Ui, cx: &UiContext<'_>) -> Option<Pid> {
        let rows = &cx.view.emulators;
        let mut known = rows.iter().filter(|row| row.identity.known);
        let only = known.next().filter(|_| known.next().is_none()).map(|row| row.pid);
        let chosen = self.process.filter(|pid| rows.iter().any(|row| row.pid == *pid)).or(only);
        let name = |pid: Pid| {
            let row = rows.iter().find(|row| row.pid == pid);
            let program = |row: &crate::live::EmulatorRow| match row.identity.name.as_str() {
                "" => row.program.clone(),
                name => name.to_owned(),
            };
            row.map_or_else(String::new, |row| format!("{} ({pid})", program(row)))
        };
        ui.horizontal_wrapped(|ui| {
            let label = ui.label("Process");
            let shown = chosen.map_or_else(|| "select a process".to_owned(), name);
            let list = ComboBox::from_id_salt("process with the field").selected_text(shown).show_ui(ui, |ui| {
                for row in rows.iter() {
                    // Programs start and end while the list is open.
                    ui.push_id(row.pid.0, |ui| {
                        ui.selectable_value(&mut self.process, Some(row.pid), name(row.pid));
                    });
                }
            });
            list.response.labelled_by(label.id);
            let label = ui.label("RAM address");
            let field = TextEdit::singleline(&mut self.base).hint_text("automatic").desired_width(110.0);
            let hint = "Hexadecimal address of the console RAM in the process, if it cannot be located automatically";
            ui.add(field).labelled_by(label.id).on_hover_text(hint);
        });
        chosen
    }

    fn start(
        &mut self,
        ctx: &egui::Context,
        pid: Pid,
        base: Option<HostAddr>,
        profile: &Profile,
        field: Field,
    ) {
        let (earlier, player) = (self.candidates.clone(), self.player);
        let settings = RamQuery { console: ConsoleId::NeoGeo, base, order: None };
        let board = profile.board.clone();
        (self.result, self.no_match) = (None, false);
        self.run = Some(Task::start("field", repaint::waker(ctx), move |task| {
            let rams = field_rams(pid, settings)?;
            next_locations(board.as_ref(), earlier.as_deref(), &rams, &field, player, task.progress())
        }));
    }

    /// Reads the result of the search.
    fn take(&mut self) {
        let Some(ended) = self.run.as_ref().and_then(Task::poll) else { return };
        self.run = None;
        match ended {
            Ok(Ok(candidates)) if candidates.is_empty() => self.no_match = true,
            Ok(Ok(candidates)) => self.candidates = Some(candidates),
            Ok(Err(error)) => self.result = Some(Err(error.to_string())),
            Err(error) => self.result = Some(Err(format!("The search {error}. Try again"))),
        }
    }

    fn found(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, profile: &Arc<Profile>) {
        if self.no_match {
            let where_searched =
                if self.candidates.is_some() { "at any previous candidate" } else { "in RAM" };
            ui.label(format!("Field not found {where_searched}. Does the painted field match the screen?"));
        }
        let Some(candidates) = &self.candidates else { return };
        let Some(place) = only_location(candidates).cloned() else {
            let count = counted(candidates.len() as u64, "candidate");
            ui.label(format!(
                "{count} left. Play on, paint the new field with other blocks, and search again"
            ));
            let mut chosen = None;
            ui.horizontal_wrapped(|ui| {
                for place in candidates.iter().take(MAX_OFFERED) {
                    let name = format!("Use {}", place.address);
                    if ui.button(name).on_hover_text("Set by you").clicked() {
                        chosen = Some(place.clone());
                    }
                }
            });
            if let Some(chosen) = chosen {
                (self.candidates, self.by_hand) = (Some(vec![chosen]), true);
            }
            return;
        };
        ui.label(format!(
            "Located at {}: column stride {}, row stride {}, mask 0x{:02X}",
            place.address, place.column_stride, place.row_stride, place.mask
        ));
        let open: Vec<&str> = place.open().map(Color::name).collect();
        if !open.is_empty() {
            ui.label(format!(
                "It had no {} block, so that colour code is unknown. Fields with one cannot be read until you locate one",
                open.join(" or ")
            ));
        }
        let keep = merged_layout(profile.board.as_ref(), &place, self.player, self.replace, SOURCE);
        match keep {
            Ok(layout) if profile.board.as_ref() == Some(&layout) => {
                ui.label("Already in the profile");
            }
            Ok(layout) => {
                let hint = "Save the address to your copy of the profile";
                if ui.button("Save to profile").on_hover_text(hint).clicked() {
                    let layout = if self.by_hand { chosen_by_hand(layout) } else { layout };
                    cx.actions.push(UiAction::SaveLayout(Box::new((Arc::clone(profile), layout))));
                }
            }
            Err(MergeFieldError::Elsewhere(at)) => {
                ui.label(format!("The profile has another field address: {at}"));
                if ui.button("Replace address").clicked() {
                    self.replace = true;
                }
            }
            Err(error) => drop(ui.label(error.to_string())),
        }
    }
}

/// The profile of the searched game.
fn profile(cx: &UiContext<'_>) -> Option<Arc<Profile>> {
    let target = cx.view.target.as_ref().map(|target| target.profile.id.as_str());
    let of_game = || cx.profiles.iter().filter(|profile| profile.game.anchors().board);
    of_game().find(|profile| Some(profile.id.as_str()) == target).or_else(|| of_game().next()).cloned()
}

/// The field of a player, or why it is invalid; None if its address is unknown.
fn live_field(cx: &UiContext<'_>, player: usize) -> Option<Result<Field, String>> {
    match &cx.view.data.as_ref()?.observation {
        Ok(observation) => {
            let board = observation.boards().into_iter().nth(player)?;
            Some(board.field.map_err(|why| format!("Invalid field: {why}")))
        }
        Err(why) => Some(Err(why.clone())),
    }
}
