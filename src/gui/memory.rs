//! The memory panel: the console's RAM as bytes, with fields, watches and recent changes highlighted.

mod grid;
mod layout;
mod marks;
mod menu;
mod select;
mod selection;
mod state;

pub use marks::{FieldSpans, Marks};
pub use state::MemoryPanel;

use super::theme::Tone;
use super::ui_context::UiContext;
use super::watches::WatchMark;
use super::widgets::{focus_and_select_all, stale_note};
use crate::console::{ConsoleAddr, Snapshot};
use eframe::egui::{ComboBox, Id, Key, RichText, TextEdit, Ui};
use layout::Group;
use state::HIGHLIGHT_TIME;
use std::sync::Arc;
use std::time::Instant;

impl MemoryPanel {
    /// Focuses the address field in the next frame.
    pub fn focus(&mut self) {
        self.focus_go_to = true;
    }

    /// Shows and selects an address.
    pub fn go_to(&mut self, snapshot: &Snapshot, address: ConsoleAddr) {
        self.select(snapshot, address, 1);
    }

    /// Shows and selects bytes.
    pub fn select(&mut self, snapshot: &Snapshot, address: ConsoleAddr, len: usize) {
        if let Some(offset) = snapshot.domain().offset_of(address) {
            let end = (offset + len.max(1)).min(snapshot.domain().len as usize);
            self.selection.set(offset..end);
            self.scroll_to = Some(offset);
            self.wrong = None;
        }
    }

    /// Draws the panel; `watched` are the cells of the watch list.
    pub fn show(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, watched: &Arc<[WatchMark]>) {
        let view = cx.view;
        let Some(data) = &view.data else {
            ui.weak("No memory: no emulator attached. The bytes of its RAM appear here, with the fields of the game in colour");
            self.previous = None;
            return;
        };
        let snapshot = &data.snapshot;
        let profile = view.target.as_ref().map(|target| &target.profile);
        if self.marks.update(profile, snapshot)
            && let Some(first) =
                profile.and_then(|profile| profile.field(profile.game.fields().first()?.name))
        {
            self.go_to(snapshot, first.address); // most of RAM is of no interest
        }
        self.marks.watch(watched, snapshot.domain());
        self.note_changes(snapshot, cx.now);
        self.tools(ui, cx, snapshot);
        stale_note(ui, cx);
        self.inspector(ui, snapshot);
        self.selection_tools(ui, cx, snapshot);
        if cx.status.tone() == Tone::Grey {
            ui.multiply_opacity(0.6);
        }
        self.rows(ui, cx, snapshot);
    }

    fn note_changes(&mut self, snapshot: &Snapshot, now: Instant) {
        self.changed.retain(|(_, at)| now.saturating_duration_since(*at) < HIGHLIGHT_TIME);
        if let Some(previous) = &self.previous {
            let mut fresh: Vec<(usize, Instant)> = Vec::new();
            for (offset, new) in snapshot.parts() {
                // Bytes that were not read before have not changed; ranges are read as a unit.
                let Some(old) = previous.at(offset..offset + new.len()) else { continue };
                if !std::ptr::eq(old, new) && old != new {
                    let differ = old.iter().zip(new).enumerate().filter(|(_, (old, new))| old != new);
                    fresh.extend(differ.map(|(at, _)| (offset + at, now)));
                }
            }
            if !fresh.is_empty() {
                self.changed.retain(|(at, _)| fresh.binary_search_by_key(at, |(at, _)| *at).is_err());
                self.changed.extend(fresh);
                self.changed.sort_unstable_by_key(|(at, _)| *at);
            }
        }
        self.previous = Some(snapshot.clone());
    }

    fn tools(&mut self, ui: &mut Ui, cx: &UiContext<'_>, snapshot: &Snapshot) {
        ui.horizontal_wrapped(|ui| {
            let field = TextEdit::singleline(&mut self.go_to)
                .id(Id::unique("go to address"))
                .hint_text("Address or field")
                .desired_width(170.0);
            let response = ui.add(field);
            if std::mem::take(&mut self.focus_go_to) {
                focus_and_select_all(&response, &self.go_to);
            }
            if response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter)) {
                self.find(snapshot);
            }
            ComboBox::from_id_salt("jump to field")
                .selected_text("Field")
                .width(64.0)
                .show_ui(ui, |ui| {
                    let fields = self.marks.profile.as_ref().map(|profile| profile.fields_by_address());
                    let mut chosen = None;
                    for field in fields.unwrap_or_default() {
                        if ui.selectable_label(false, format!("{}  {}", field.address, field.name)).clicked()
                        {
                            chosen = Some(field.address);
                        }
                    }
                    if let Some(address) = chosen {
                        self.go_to(snapshot, address);
                    }
                })
                .response
                .on_hover_text("Go to a field of the profile");
            for group in Group::ALL {
                if ui.selectable_label(self.group == group, group.name()).clicked() {
                    self.group = group;
                }
            }
            ui.weak(snapshot.domain().name);
            if cx.view.replay.is_some() && snapshot.all().is_empty() {
                ui.weak("(·· not recorded)");
            }
        });
        if let Some(wrong) = &self.wrong {
            ui.label(RichText::new(wrong).color(cx.look.tokens.caution));
        }
    }

    fn find(&mut self, snapshot: &Snapshot) {
        let text = self.go_to.trim();
        let field = self.marks.profile.as_ref().and_then(|profile| profile.field(text));
        let field = field.map(|field| field.address_in(snapshot).unwrap_or(field.address));
        let digits = text.trim_start_matches("0x").trim_start_matches("0X").trim_start_matches('$');
        let number = || {
            let number = u32::from_str_radix(digits, 16).ok()?;
            // A number with at most as many digits as an offset in the area is an offset, as in debuggers.
            let base = snapshot.domain().base;
            Some(if digits.len() <= snapshot.domain().offset_digits() {
                base.offset(number)
            } else {
                ConsoleAddr(number)
            })
        };
        match field.or_else(number) {
            Some(address) if snapshot.domain().offset_of(address).is_some() => self.go_to(snapshot, address),
            Some(address) => self.wrong = Some(format!("{address} is outside {}", snapshot.domain().name)),
            None => self.wrong = Some(format!("{text:?} is neither a hexadecimal address nor a field")),
        }
    }

    /// The byte under the cursor: field, watch and values.
    fn inspector(&self, ui: &mut Ui, snapshot: &Snapshot) {
        let text = self.describe(snapshot, self.selection.cursor());
        let response = ui.add(egui::Label::new(RichText::new(&text).small()).truncate());
        response.on_hover_text(
            self.field_text(snapshot, self.selection.cursor()).unwrap_or_else(|| "No field".into()),
        );
    }

    fn describe(&self, snapshot: &Snapshot, offset: usize) -> String {
        let address = snapshot.domain().address_at(offset);
        let mut text = address.to_string();
        if let Some(field) = self.marks.field_at(offset) {
            let start = field.address_in(snapshot).ok().and_then(|at| snapshot.domain().offset_of(at));
            let within = start.map_or(0, |start| offset.saturating_sub(start));
            text += &format!("  {}", field.name);
            if field.len() > 1 {
                text += &format!(" + {within}");
            }
        }
        if let Some(mark) = self.marks.watch_at(offset) {
            text += &format!("  watched: {}", mark.name);
        }
        match snapshot.u8(address) {
            Ok(byte) => text += &format!("  byte {byte:02X} = {byte}"),
            Err(_) => text += "  not read",
        }
        if let Ok(word) = snapshot.u16(address) {
            text += &format!("  word {word:04X} = {word}");
        }
        if let Ok(long) = snapshot.u32(address) {
            text += &format!("  long {long:08X} = {long}");
        }
        text
    }

    fn field_text(&self, snapshot: &Snapshot, offset: usize) -> Option<String> {
        let field = self.marks.field_at(offset)?;
        let value = field.read(snapshot).map_or_else(|error| error.to_string(), |value| value.to_string());
        let confirmed = if field.confirmed { "confirmed" } else { "unconfirmed" };
        let note = field.note.as_ref().map_or_else(String::new, |note| format!("\n{note}"));
        Some(format!(
            "{} at {}, {}, {confirmed}\n{value}\nSource: {}{note}",
            field.name, field.address, field.kind, field.source
        ))
    }
}
