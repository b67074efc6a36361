//! The field of a game that runs: followed, and found in RAM when nobody knows yet where it stands.

use super::state::State;
use super::words;
use crate::console::ConsoleId;
use crate::emulator::RamAsked;
use crate::game::GameId;
use crate::gui::marks::{Mark, mark};
use crate::gui::scene::{Ask, Scene};
use crate::live::Observation;
use crate::pochi::{Color, Field};
use crate::process::{HostAddr, Pid};
use crate::profile::Profile;
use crate::research::{
    Address, FieldLocation, FieldSearchError, MergeFieldError, Progress, chosen_by_hand, field_rams,
    merged_layout, next_locations, only_location,
};
use eframe::egui::{self, Button, ComboBox, RichText, TextEdit, Ui};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// Where a place comes from, in the profile.
const FOUND: &str = "found by the field painted in the ignition panel";
/// Places that are offered to be chosen by hand.
const OFFERED: usize = 8;

/// What the panel knows of the game that runs.
#[derive(Default)]
pub struct Live {
    /// The field that was taken last, while it is followed.
    follows: Option<Field>,
    /// Whose field it is: 0 or 1.
    player: usize,
    /// Why it is no longer followed.
    held: Option<&'static str>,
    process: Option<Pid>,
    /// Where RAM begins in the process, when the user says so.
    base: String,
    run: Option<Run>,
    /// The places that are left.
    places: Option<Vec<FieldLocation>>,
    /// The field that was shown last stands at none of them.
    nowhere: bool,
    by_hand: bool,
    replace: bool,
    told: Option<Result<String, String>>,
}

/// A search on a thread of its own. Dropping it ends it.
struct Run {
    progress: Arc<Progress>,
    result: Receiver<Result<Vec<FieldLocation>, FieldSearchError>>,
}

impl Drop for Run {
    fn drop(&mut self) {
        self.progress.cancel.store(true, Ordering::Relaxed);
    }
}

impl Live {
    /// Takes the field of the game that runs, when it is followed. Who paints over it holds it.
    pub fn follow(&mut self, scene: &Scene<'_>, state: &mut State) {
        let Some(last) = &self.follows else { return };
        if state.now().field != *last {
            (self.follows, self.held) = (None, Some("Held: the field was painted over"));
            return;
        }
        if scene.standing.is_current()
            && let Some(Ok(field)) = seen(scene, self.player)
            && field != last
        {
            state.follow(field.clone());
            self.follows = Some(field.clone());
        }
    }

    /// Tells what came of writing a place into a profile.
    pub fn kept(&mut self, result: Result<String, String>) {
        if result.is_ok() {
            (self.places, self.nowhere, self.by_hand, self.replace) = (None, false, false, false);
        }
        self.told = Some(result);
    }

    /// Draws it.
    pub fn show(&mut self, ui: &mut Ui, scene: &mut Scene<'_>, state: &mut State) {
        self.take();
        ui.horizontal_wrapped(|ui| {
            ui.label("Field of");
            for (player, name) in ["player 1", "player 2"].into_iter().enumerate() {
                if ui.add(Button::selectable(self.player == player, name)).clicked() && self.player != player
                {
                    *self = Self { player, process: self.process, ..Self::default() };
                }
            }
        });
        self.game(ui, scene, state);
        ui.separator();
        self.search(ui, scene, state);
        match &self.told {
            Some(Ok(told)) => drop(ui.label(told)),
            Some(Err(why)) => drop(ui.colored_label(scene.look.tokens.bad, why)),
            None => {}
        }
    }

    /// The game that is attached to.
    fn game(&mut self, ui: &mut Ui, scene: &Scene<'_>, state: &mut State) {
        let target = scene.view.target.as_ref().filter(|target| target.profile.game == GameId::PochiNyaa);
        let Some(target) = target else {
            ui.weak("No game of Pochi & Nyaa is attached or replayed. Once it is known where its field stands, it is found by itself");
            return;
        };
        ui.label(format!("{} ({}), {}", target.identity.name, target.pid, scene.standing.word()));
        match seen(scene, self.player) {
            Some(Ok(field)) => {
                let field = field.clone();
                ui.horizontal_wrapped(|ui| {
                    let follows = self.follows.is_some();
                    let name = if follows { "Hold" } else { "Follow" };
                    let hint = "The field is taken whenever it changes in the game; painting in it holds it";
                    if ui.add(Button::selectable(follows, name)).on_hover_text(hint).clicked() {
                        self.held = None;
                        self.follows = (!follows).then(|| field.clone());
                        if !follows {
                            state.take(field.clone());
                        }
                    }
                    let once = ui.add_enabled(!follows, Button::new("Take once"));
                    if once
                        .on_hover_text("Takes the field as it stands now; Undo brings yours back")
                        .clicked()
                    {
                        state.take(field);
                    }
                });
            }
            Some(Err(why)) => drop(ui.label(why)),
            None => drop(ui.weak("Where this player's field stands is not known yet")),
        }
        if let Some(held) = self.held {
            ui.weak(held);
        }
    }

    /// Where the painted field stands in a process.
    fn search(&mut self, ui: &mut Ui, scene: &mut Scene<'_>, state: &State) {
        let profile = profile(scene);
        ui.label(RichText::new("Find the painted field in RAM").strong());
        ui.weak("Paint the field as it stands on the screen, without the falling pair; best while the game is paused");
        if scene.view.replay.is_some() {
            ui.weak("A recording is shown: the field is looked for in emulators that run, and in a recording under Research, by a board");
        }
        let process = self.process(ui, scene);
        let base = match self.base.trim() {
            "" => Ok(None),
            text => Address::from_hex(text).map(|at| Some(HostAddr(at.0))).ok_or("this is no address"),
        };
        if let Err(why) = base {
            ui.colored_label(scene.look.tokens.bad, why);
        }
        ui.horizontal_wrapped(|ui| {
            let again = self.places.is_some();
            let name = if again { "Find it again" } else { "Find it" };
            let ready = process.is_some() && base.is_ok() && profile.is_some() && self.run.is_none();
            if ui.add_enabled(ready, Button::new(name)).clicked()
                && let (Some(pid), Ok(base), Some(profile)) = (process, base, &profile)
            {
                self.start(ui.ctx().clone(), pid, base, profile, state.now().field.clone());
            }
            if again && ui.button("Begin anew").on_hover_text("Forgets the places").clicked() {
                (self.places, self.nowhere, self.by_hand, self.run) = (None, false, false, None);
            }
            if self.run.is_some() {
                mark(ui, Mark::Play, scene.look.tokens.accent);
                ui.label("looking through RAM");
            }
        });
        if let Some(profile) = profile {
            self.found(ui, scene, &profile);
        }
    }

    /// The process that is looked into: the one that is chosen, or the only emulator.
    fn process(&mut self, ui: &mut Ui, scene: &Scene<'_>) -> Option<Pid> {
        let rows = &scene.view.emulators;
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
            let label = ui.label("In");
            let shown = chosen.map_or_else(|| "choose a process".to_owned(), name);
            let list = ComboBox::from_id_salt("process with the field").selected_text(shown).show_ui(ui, |ui| {
                for row in rows.iter() {
                    // Programs come and go while the list is open.
                    ui.push_id(row.pid.0, |ui| {
                        ui.selectable_value(&mut self.process, Some(row.pid), name(row.pid));
                    });
                }
            });
            list.response.labelled_by(label.id);
            let label = ui.label("RAM at");
            let field = TextEdit::singleline(&mut self.base).hint_text("found by itself").desired_width(110.0);
            let hint = "Where the console's RAM begins in the memory of the process, in hexadecimal, when that is known and not found";
            ui.add(field).labelled_by(label.id).on_hover_text(hint);
        });
        chosen
    }

    fn start(
        &mut self,
        ctx: egui::Context,
        pid: Pid,
        base: Option<HostAddr>,
        profile: &Profile,
        field: Field,
    ) {
        let (send, result) = channel();
        let progress = Arc::new(Progress::default());
        let (seen, earlier, player) = (Arc::clone(&progress), self.places.clone(), self.player);
        let asked = RamAsked { console: ConsoleId::NeoGeo, base, order: None };
        let board = profile.board.clone();
        let search = move || {
            let found = field_rams(pid, asked).and_then(|rams| {
                next_locations(board.as_ref(), earlier.as_deref(), &rams, &field, player, &seen)
            });
            let _ = send.send(found); // nobody waits any more
            drop(send);
            ctx.request_repaint();
        };
        (self.told, self.nowhere) = (None, false);
        match std::thread::Builder::new().name("field".into()).spawn(search) {
            Ok(_) => self.run = Some(Run { progress, result }),
            Err(error) => self.told = Some(Err(format!("The system gives no thread to search: {error}"))),
        }
    }

    /// Takes over what was found.
    fn take(&mut self) {
        let Some(run) = &self.run else { return };
        match run.result.try_recv() {
            Ok(Ok(places)) if places.is_empty() => self.nowhere = true,
            Ok(Ok(places)) => self.places = Some(places),
            Ok(Err(error)) => self.told = Some(Err(error.to_string())),
            Err(TryRecvError::Empty) => return,
            Err(TryRecvError::Disconnected) => {
                self.told = Some(Err("The search ended by a fault; try again".to_owned()));
            }
        }
        self.run = None;
    }

    fn found(&mut self, ui: &mut Ui, scene: &mut Scene<'_>, profile: &Arc<Profile>) {
        if self.nowhere {
            let kept = if self.places.is_some() {
                "at none of the places where the last one stood"
            } else {
                "nowhere in RAM"
            };
            ui.label(format!("This field stands {kept}: is it painted as it stands on the screen?"));
        }
        let Some(places) = &self.places else { return };
        let Some(place) = only_location(places).cloned() else {
            let count = words::counted(super::count(places.len()), "place");
            ui.label(format!(
                "{count}: which one is it? Play on, paint what stands there then, with other blocks in it, and find it again"
            ));
            let mut chosen = None;
            ui.horizontal_wrapped(|ui| {
                for place in places.iter().take(OFFERED) {
                    let name = format!("It is at {}", place.address);
                    if ui.button(name).on_hover_text("Nothing but you says so").clicked() {
                        chosen = Some(place.clone());
                    }
                }
            });
            if let Some(chosen) = chosen {
                (self.places, self.by_hand) = (Some(vec![chosen]), true);
            }
            return;
        };
        ui.label(format!(
            "Found at {}: {} bytes to the right, {} down, mask 0x{:02X}",
            place.address, place.column_stride, place.row_stride, place.mask
        ));
        let open: Vec<&str> = place.open().map(Color::name).collect();
        if !open.is_empty() {
            ui.label(format!(
                "No block of {} was in it: its code is open, and a field with one is not read until it was shown",
                open.join(" or ")
            ));
        }
        let keep = merged_layout(profile.board.as_ref(), &place, self.player, self.replace, FOUND);
        match keep {
            Ok(layout) if profile.board.as_ref() == Some(&layout) => {
                ui.label("The profile says so already");
            }
            Ok(layout) => {
                let hint =
                    "Writes the place into your copy of the profile, by which the field is read from now on";
                if ui.button("Remember").on_hover_text(hint).clicked() {
                    let layout = if self.by_hand { chosen_by_hand(layout) } else { layout };
                    scene.asked.push(Ask::KeepBoard(Box::new((Arc::clone(profile), layout))));
                }
            }
            Err(MergeFieldError::Elsewhere(at)) => {
                ui.label(format!("The profile has the field at {at}, where this one does not stand"));
                if ui.button("Replace that place").clicked() {
                    self.replace = true;
                }
            }
            Err(error) => drop(ui.label(error.to_string())),
        }
    }
}

/// The profile by which the field is read, or will be.
fn profile(scene: &Scene<'_>) -> Option<Arc<Profile>> {
    let target = scene.view.target.as_ref().map(|target| target.profile.id.as_str());
    let of_game = || scene.profiles.iter().filter(|profile| profile.game == GameId::PochiNyaa);
    of_game().find(|profile| Some(profile.id.as_str()) == target).or_else(|| of_game().next()).cloned()
}

/// The field of that player in the game that is attached to, or why it is none; None where it is not known where it stands.
fn seen<'a>(scene: &Scene<'a>, player: usize) -> Option<Result<&'a Field, String>> {
    match &scene.view.data.as_ref()?.observation {
        Ok(Observation::PochiNyaa(seen)) => Some(
            seen.players.get(player)?.field.as_ref().map_err(|why| format!("At the moment this is {why}")),
        ),
        Ok(_) => None,
        Err(why) => Some(Err(why.clone())),
    }
}
