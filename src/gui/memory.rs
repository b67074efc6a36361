//! The console's RAM, byte by byte: the profile's fields coloured, what changed lit up, any address at a keystroke.

use super::scene::{Ask, Scene};
use super::theme::Tone;
use super::widgets::stale_note;
use crate::console::{ConsoleAddr, Snapshot};
use crate::profile::{Field, Profile};
use eframe::egui::{
    Align, ComboBox, EventFilter, FontId, Id, Key, Rect, Response, RichText, Role, ScrollArea, Sense,
    TextEdit, Ui, WidgetInfo, epaint::text::LayoutJob, pos2, text::TextFormat, vec2,
};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Bytes in a row.
const ACROSS: usize = 16;
/// How long a changed byte stays lit up.
const LIT: Duration = Duration::from_millis(700);
/// Characters before the first byte: eight for the address, two of space.
const INDENT: usize = 10;
/// Bytes read beside those in sight, where RAM is not read whole.
const LOOK_AROUND: usize = 0x1000;

/// How many bytes stand together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Group {
    #[default]
    Byte,
    Word,
    Long,
}

impl Group {
    const ALL: [Self; 3] = [Self::Byte, Self::Word, Self::Long];

    fn bytes(self) -> usize {
        match self {
            Self::Byte => 1,
            Self::Word => 2,
            Self::Long => 4,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Byte => "Bytes",
            Self::Word => "Words",
            Self::Long => "Longs",
        }
    }

    /// The column, in characters, at which byte `index` of a row stands.
    fn column(self, index: usize) -> usize {
        INDENT + 2 * index + index / self.bytes()
    }

    /// The column at which the text of a row begins.
    fn text_column(self) -> usize {
        self.column(ACROSS - 1) + 4
    }
}

/// What the panel remembers.
#[derive(Debug, Default)]
pub struct MemoryPanel {
    go_to: String,
    wrong: Option<String>,
    focus_go_to: bool,
    group: Group,
    cursor: usize,
    scroll_to: Option<usize>,
    seen: Option<Snapshot>,
    changed: Vec<(usize, Instant)>,
    marks: Marks,
}

/// Which field each byte belongs to.
#[derive(Debug, Default)]
struct Marks {
    profile: Option<Arc<Profile>>,
    /// The fields as offsets and names, a longer one before the shorter ones that lie in it.
    fields: Vec<(Range<usize>, String)>,
    domain: &'static str,
}

impl Marks {
    /// Takes over a profile; true when it is another one than before.
    fn update(&mut self, profile: Option<&Arc<Profile>>, snapshot: &Snapshot) -> bool {
        let same = match (&self.profile, profile) {
            (Some(old), Some(new)) => Arc::ptr_eq(old, new),
            (None, None) => true,
            _ => false,
        };
        let domain = snapshot.domain();
        let fields = profile.map(|profile| profile.fields_by_address()).unwrap_or_default();
        let place = |field: &&Field| {
            let at = field.place(snapshot).ok()?;
            Some((domain.span(at, field.len())?, field.name.clone()))
        };
        if same && self.domain == domain.name && !fields.iter().any(|field| field.through.is_some()) {
            return false;
        }
        // Behind a pointer, fields may stand elsewhere than a moment ago.
        let mut fields: Vec<_> = fields.iter().filter_map(place).collect();
        fields.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
        *self = Self { profile: profile.cloned(), fields, domain: domain.name };
        !same
    }

    /// The field that a byte belongs to, as a number; the shortest of several.
    fn number_at(&self, offset: usize) -> Option<usize> {
        let end = self.fields.partition_point(|(span, _)| span.start <= offset);
        self.fields[..end].iter().rposition(|(span, _)| span.contains(&offset))
    }

    fn field_at(&self, offset: usize) -> Option<&Field> {
        let (_, name) = self.fields.get(self.number_at(offset)?)?;
        self.profile.as_ref()?.field(name)
    }
}

impl MemoryPanel {
    /// Puts the cursor into the address field when the panel is drawn next.
    pub fn focus(&mut self) {
        self.focus_go_to = true;
    }

    /// Shows and marks an address.
    pub fn go_to(&mut self, snapshot: &Snapshot, address: ConsoleAddr) {
        if let Some(offset) = snapshot.domain().offset_of(address) {
            self.cursor = offset;
            self.scroll_to = Some(offset);
            self.wrong = None;
        }
    }

    /// Draws the panel.
    pub fn show(&mut self, ui: &mut Ui, scene: &mut Scene<'_>) {
        let view = scene.view;
        let Some(data) = &view.data else {
            ui.weak("No memory to show: no emulator is attached");
            self.seen = None;
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
        self.note_changes(snapshot, scene.now);
        self.tools(ui, scene, snapshot);
        stale_note(ui, scene);
        self.inspector(ui, snapshot);
        if scene.standing.tone() == Tone::Grey {
            ui.multiply_opacity(0.6);
        }
        self.rows(ui, scene, snapshot);
    }

    fn note_changes(&mut self, snapshot: &Snapshot, now: Instant) {
        self.changed.retain(|(_, at)| now.saturating_duration_since(*at) < LIT);
        if let Some(seen) = &self.seen {
            let mut fresh: Vec<(usize, Instant)> = Vec::new();
            for (offset, new) in snapshot.parts() {
                // What was not read before has not changed; parts grow and shrink as a whole.
                let Some(old) = seen.at(offset..offset + new.len()) else { continue };
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
        self.seen = Some(snapshot.clone());
    }

    fn tools(&mut self, ui: &mut Ui, scene: &Scene<'_>, snapshot: &Snapshot) {
        ui.horizontal_wrapped(|ui| {
            let field = TextEdit::singleline(&mut self.go_to)
                .id(Id::unique("go to address"))
                .hint_text("Go to address or field")
                .desired_width(170.0);
            let response = ui.add(field);
            if std::mem::take(&mut self.focus_go_to) {
                response.request_focus();
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
                .on_hover_text("Jump to a field of the profile");
            for group in Group::ALL {
                if ui.selectable_label(self.group == group, group.name()).clicked() {
                    self.group = group;
                }
            }
            ui.weak(snapshot.domain().name);
        });
        if let Some(wrong) = &self.wrong {
            ui.label(RichText::new(wrong).color(scene.look.tokens.caution));
        }
    }

    fn find(&mut self, snapshot: &Snapshot) {
        let text = self.go_to.trim();
        let field = self.marks.profile.as_ref().and_then(|profile| profile.field(text));
        let field = field.map(|field| field.place(snapshot).unwrap_or(field.address));
        let digits = text.trim_start_matches("0x").trim_start_matches("0X").trim_start_matches('$');
        let number = || {
            let number = u32::from_str_radix(digits, 16).ok()?;
            // As few digits as an offset in the area has are one, as a debugger writes it.
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
            None => self.wrong = Some(format!("{text:?} is neither an address in hexadecimal nor a field")),
        }
    }

    /// The byte under the cursor in words and in every width.
    fn inspector(&self, ui: &mut Ui, snapshot: &Snapshot) {
        let text = self.describe(snapshot, self.cursor);
        let response = ui.add(egui::Label::new(RichText::new(&text).small()).truncate());
        response.on_hover_text(
            self.field_text(snapshot, self.cursor).unwrap_or_else(|| "No field of the profile".into()),
        );
    }

    fn describe(&self, snapshot: &Snapshot, offset: usize) -> String {
        let address = snapshot.domain().address_at(offset);
        let mut text = address.to_string();
        if let Some(field) = self.marks.field_at(offset) {
            let start = field.place(snapshot).ok().and_then(|at| snapshot.domain().offset_of(at));
            let within = start.map_or(0, |start| offset.saturating_sub(start));
            text += &format!("  {}", field.name);
            if field.len() > 1 {
                text += &format!(" + {within}");
            }
        }
        if let Ok(byte) = snapshot.u8(address) {
            text += &format!("  byte {byte:02X} = {byte}");
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
        let confirmed = if field.confirmed { "confirmed" } else { "not confirmed" };
        let note = field.note.as_ref().map_or_else(String::new, |note| format!("\n{note}"));
        Some(format!(
            "{} at {}, {}, {confirmed}\n{value}\nSource: {}{note}",
            field.name, field.address, field.kind, field.source
        ))
    }

    fn rows(&mut self, ui: &mut Ui, scene: &mut Scene<'_>, snapshot: &Snapshot) {
        let font = FontId::monospace(12.0);
        let (width, height) =
            ui.fonts_mut(|fonts| (fonts.glyph_width(&font, '0'), fonts.row_height(&font) + 2.0));
        let count = snapshot.domain().len as usize / ACROSS;
        ui.spacing_mut().item_spacing.y = 0.0;
        let mut area = ScrollArea::both().id_salt("hex").auto_shrink([false, false]);
        if let Some(offset) = self.scroll_to.take() {
            #[expect(clippy::cast_precision_loss, reason = "a row number below 2^18")]
            let row = (offset / ACROSS) as f32;
            area = area.vertical_scroll_offset((row * height - ui.available_height() / 3.0).max(0.0));
        }
        let focus = Id::unique("hex view");
        let size = vec2(width * chars(self.group.text_column() + ACROSS + 1), height);
        let mut moved = None;
        let mut seen = 0..0;
        area.show_rows(ui, height, count, |ui, rows| {
            seen = rows.start * ACROSS..rows.end.min(count) * ACROSS;
            for row in rows {
                let (rect, response) = ui.allocate_exact_size(size, Sense::CLICK | Sense::HOVER);
                self.row(ui, scene, snapshot, row, rect, (&font, width), &response);
                let hit =
                    |at: egui::Pos2| self.hit(at.x - rect.left(), width).map(|index| row * ACROSS + index);
                if response.clicked() {
                    moved = response.interact_pointer_pos().and_then(hit);
                    ui.memory_mut(|memory| memory.request_focus(focus));
                }
                if let Some(offset) = response.hover_pos().and_then(hit) {
                    let what = self.field_text(snapshot, offset);
                    response.on_hover_ui_at_pointer(|ui| {
                        ui.label(self.describe(snapshot, offset));
                        if let Some(what) = what {
                            ui.label(what);
                        }
                    });
                }
            }
        });
        if snapshot.at(seen.clone()).is_none() {
            // A little more, so that scrolling on finds it read already.
            let end = (seen.end + LOOK_AROUND).min(snapshot.domain().len as usize);
            scene.asked.push(Ask::LookAt(seen.start.saturating_sub(LOOK_AROUND)..end));
        }
        // One place in the order of Tab stands for the whole view; the arrows move the cursor in it.
        let rect = ui.clip_rect();
        let whole = ui.interact(
            Rect::from_min_size(rect.min, vec2(1.0, 1.0)),
            focus,
            Sense::focusable_noninteractive(),
        );
        let label = format!("Memory, {}", self.describe(snapshot, self.cursor));
        whole.widget_info(|| WidgetInfo::labeled(Role::Grid, true, &label));
        if let Some(offset) = moved {
            self.cursor = offset;
        }
        if whole.has_focus() {
            self.keys(ui, focus, snapshot.domain().len as usize);
        }
        if !self.changed.is_empty() && scene.look.motion {
            ui.request_repaint_after(LIT);
        }
    }

    fn keys(&mut self, ui: &Ui, focus: Id, len: usize) {
        let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(focus, filter));
        let steps: [(Key, i64); 8] = [
            (Key::ArrowLeft, -1),
            (Key::ArrowRight, 1),
            (Key::ArrowUp, -16),
            (Key::ArrowDown, 16),
            (Key::PageUp, -256),
            (Key::PageDown, 256),
            (Key::Home, i64::MIN / 2),
            (Key::End, i64::MAX / 2),
        ];
        for (key, step) in steps {
            if ui.input(|input| input.key_pressed(key)) {
                let at = i64::try_from(self.cursor).unwrap_or(0) + step;
                self.cursor = usize::try_from(at.max(0)).unwrap_or(0).min(len.saturating_sub(1));
                self.scroll_to = Some(self.cursor);
                ui.request_repaint();
            }
        }
    }

    /// The byte of a row that stands `x` points from its left edge.
    fn hit(&self, x: f32, char_width: f32) -> Option<usize> {
        (0..ACROSS).find(|&index| {
            let left = char_width * chars(self.group.column(index));
            let text = char_width * chars(self.group.text_column() + index);
            (left..left + 2.0 * char_width).contains(&x) || (text..text + char_width).contains(&x)
        })
    }

    #[expect(clippy::too_many_arguments, reason = "one row, one call")]
    fn row(
        &self,
        ui: &Ui,
        scene: &Scene<'_>,
        snapshot: &Snapshot,
        row: usize,
        rect: Rect,
        (font, width): (&FontId, f32),
        response: &Response,
    ) {
        let tokens = scene.look.tokens;
        let first = row * ACROSS;
        let bytes = snapshot.at(first..first + ACROSS);
        let painter = ui.painter();
        let cell = |column: usize, columns: usize| {
            let left = rect.left() + width * chars(column);
            Rect::from_min_size(pos2(left, rect.top()), vec2(width * chars(columns), rect.height()))
        };
        let from = self.changed.partition_point(|(at, _)| *at < first);
        let lit: Vec<usize> = self.changed[from..]
            .iter()
            .take_while(|(at, _)| *at < first + ACROSS)
            .map(|(at, _)| at - first)
            .collect();
        for index in 0..ACROSS {
            let offset = first + index;
            let field = self.marks.number_at(offset);
            let fill = if scene.look.motion && lit.contains(&index) {
                Some(tokens.flash)
            } else {
                field.map(|number| tokens.fields[number % tokens.fields.len()])
            };
            let next_same =
                field.is_some() && index + 1 < ACROSS && self.marks.number_at(offset + 1) == field;
            let next_adjacent = self.group.column(index + 1) == self.group.column(index) + 2;
            let columns = if next_same || next_adjacent {
                self.group.column(index + 1) - self.group.column(index)
            } else {
                2
            };
            if let Some(fill) = fill {
                painter.rect_filled(cell(self.group.column(index), columns), 0.0, fill);
            }
            if offset == self.cursor {
                let around = cell(self.group.column(index), 2).expand(1.0);
                painter.rect_stroke(around, 2.0, (1.5, tokens.accent), egui::StrokeKind::Inside);
                let text = cell(self.group.text_column() + index, 1);
                painter.rect_stroke(text, 1.0, (1.0, tokens.accent), egui::StrokeKind::Inside);
            }
        }
        let text = self.text(snapshot, first, bytes);
        response.widget_info(|| WidgetInfo::labeled(Role::Row, true, &text));
        let mut job = LayoutJob::default();
        let format = |color| TextFormat {
            font_id: font.clone(),
            color,
            valign: Align::Center,
            ..TextFormat::default()
        };
        let (address, rest) = text.split_at(INDENT.min(text.len()));
        job.append(address, 0.0, format(tokens.muted));
        job.append(rest, 0.0, format(tokens.text));
        let galley = ui.fonts_mut(|fonts| fonts.layout_job(job));
        painter.galley(pos2(rect.left(), rect.top() + 1.0), galley, tokens.text);
    }

    /// A row as text; dots stand for bytes that were not read yet.
    fn text(&self, snapshot: &Snapshot, first: usize, bytes: Option<&[u8]>) -> String {
        let address = snapshot.domain().address_at(first);
        let digits = address.to_string();
        let mut text = format!("{:>8}  ", digits.trim_start_matches("0x"));
        for index in 0..ACROSS {
            if index > 0 && index % self.group.bytes() == 0 {
                text.push(' ');
            }
            text += &bytes.map_or_else(|| "··".into(), |bytes| format!("{:02X}", bytes[index]));
        }
        text.push_str("  ");
        let printable = |byte: &u8| if (0x20..0x7F).contains(byte) { char::from(*byte) } else { '.' };
        text.extend(bytes.unwrap_or_default().iter().map(printable));
        text
    }
}

#[expect(clippy::cast_precision_loss, reason = "columns of a row, below 100")]
fn chars(count: usize) -> f32 {
    count as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_where_the_text_has_them() {
        let domain = crate::console::ConsoleId::Genesis.domain();
        let stored: Vec<u8> = (0..=255).cycle().take(domain.len as usize).collect();
        let snapshot = Snapshot::from_stored(domain, crate::console::StorageOrder::AsOnBus, stored).unwrap();
        for group in Group::ALL {
            let panel = MemoryPanel { group, ..MemoryPanel::default() };
            let bytes = &snapshot.all()[0x40..0x50];
            let text = panel.text(&snapshot, 0x40, Some(bytes));
            for (index, byte) in bytes.iter().enumerate() {
                let column = group.column(index);
                assert_eq!(text[column..column + 2], format!("{byte:02X}"), "{group:?} {index}");
                let column = group.text_column() + index;
                assert_eq!(text[column..=column], char::from(*byte).to_string(), "{group:?} {index}");
                assert_eq!(panel.hit(chars(group.column(index)) * 7.0 + 1.0, 7.0), Some(index));
            }
        }
    }
}
