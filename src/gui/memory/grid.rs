//! The rows of bytes: drawing, clicks and keys.

use super::layout::{ACROSS, INDENT};
use super::state::{HIGHLIGHT_TIME, MemoryPanel};
use crate::console::Snapshot;
use crate::gui::row_menu;
use crate::gui::ui_context::{UiAction, UiContext};
use eframe::egui::{
    self, Align, EventFilter, FontId, Id, Key, Pos2, Rect, Response, Role, ScrollArea, Sense, Ui, WidgetInfo,
    epaint::text::LayoutJob, pos2, text::TextFormat, vec2,
};

/// Bytes read around the visible ones, where RAM is read in part.
const READ_AHEAD: usize = 0x1000;

impl MemoryPanel {
    pub(super) fn rows(&mut self, ui: &mut Ui, cx: &mut UiContext<'_>, snapshot: &Snapshot) {
        let font = FontId::monospace(12.0);
        let (width, height) =
            ui.fonts_mut(|fonts| (fonts.glyph_width(&font, '0'), fonts.row_height(&font) + 2.0));
        let count = snapshot.domain().len as usize / ACROSS;
        ui.spacing_mut().item_spacing.y = 0.0;
        let mut area = ScrollArea::both().id_salt("hex").auto_shrink([false, false]);
        if let Some(offset) = self.scroll_to.take() {
            #[expect(clippy::cast_precision_loss, reason = "a row number below 2^18")]
            let row = (offset / ACROSS) as f32;
            let above = (ui.available_height() / 3.0 / height).floor(); // whole rows, so that none is cut at the top
            area = area.vertical_scroll_offset(((row - above) * height).max(0.0));
        }
        let focus = Id::unique("hex view");
        let size = vec2(width * chars(self.group.text_column() + ACROSS + 1), height);
        let (mut drag_start, mut moved, mut act) = (None, None, None);
        let mut visible = 0..0;
        let asked = ui.memory(|memory| memory.has_focus(focus)) && row_menu::is_asked(ui);
        area.show_rows(ui, height, count, |ui, rows| {
            visible = rows.start * ACROSS..rows.end.min(count) * ACROSS;
            for row in rows {
                let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
                self.row(ui, cx, snapshot, row, rect, (&font, width), &response);
                let hit = |at: Pos2| {
                    // During a drag the pointer may be rows away from where it was pressed.
                    let rows = ((at.y - rect.top()) / height).floor();
                    #[expect(clippy::cast_possible_truncation, reason = "rows on the screen")]
                    let row = row.checked_add_signed(rows as isize).filter(|row| *row < count)?;
                    self.hit(at.x - rect.left(), width).map(|index| row * ACROSS + index)
                };
                let shift = ui.input(|input| input.modifiers.shift);
                let pointer = response.interact_pointer_pos();
                if response.secondary_clicked() {
                    let hit = pointer.and_then(hit);
                    moved = hit.filter(|at| !self.selection.range().contains(at)).map(|at| (at, false));
                    ui.memory_mut(|memory| memory.request_focus(focus));
                }
                let attached = cx.view.target.is_some();
                let at = self.selection.cursor() / ACROSS;
                row_menu::show(&response, asked && at == row, |ui| act = self.menu(ui, attached).or(act));
                if response.clicked() {
                    moved = pointer.and_then(hit).map(|offset| (offset, shift));
                    ui.memory_mut(|memory| memory.request_focus(focus));
                } else if response.drag_started() {
                    let origin = ui.input(|input| input.pointer.press_origin());
                    drag_start = origin.and_then(hit).filter(|_| !shift);
                    ui.memory_mut(|memory| memory.request_focus(focus));
                }
                if response.dragged() {
                    moved = pointer.and_then(hit).map(|offset| (offset, true));
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
        if snapshot.at(visible.clone()).is_none() {
            // Read ahead for scrolling.
            let end = (visible.end + READ_AHEAD).min(snapshot.domain().len as usize);
            cx.actions.push(UiAction::ReadRam(visible.start.saturating_sub(READ_AHEAD)..end));
        }
        // The view is one stop of the Tab key; arrow keys move the cursor in it.
        let rect = ui.clip_rect();
        let view = ui.interact(
            Rect::from_min_size(rect.min, vec2(1.0, 1.0)),
            focus,
            Sense::focusable_noninteractive(),
        );
        let cursor = self.selection.cursor();
        let label = format!("Memory, {}", self.describe(snapshot, cursor));
        view.widget_info(|| WidgetInfo::labeled(Role::Grid, true, &label));
        if let Some(offset) = drag_start {
            self.selection.start_drag(offset);
        }
        if let Some((offset, extend)) = moved {
            self.selection.move_to(offset, extend);
        }
        if let Some(act) = act {
            self.act(cx, snapshot, act);
        }
        if view.has_focus() {
            self.keys(ui, focus, snapshot.domain().len as usize);
        }
        if !self.changed.is_empty() && cx.look.motion {
            ui.request_repaint_after(HIGHLIGHT_TIME);
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
                let at = i64::try_from(self.selection.cursor()).unwrap_or(0) + step;
                let at = usize::try_from(at.max(0)).unwrap_or(0).min(len.saturating_sub(1));
                self.selection.move_to(at, ui.input(|input| input.modifiers.shift));
                self.scroll_to = Some(at);
                ui.request_repaint();
            }
        }
    }

    /// The byte at `x` points from the left edge of a row.
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
        cx: &UiContext<'_>,
        snapshot: &Snapshot,
        row: usize,
        rect: Rect,
        (font, width): (&FontId, f32),
        response: &Response,
    ) {
        let tokens = cx.look.tokens;
        let first = row * ACROSS;
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
        let selected = self.selection.range();
        let several = selected.len() > 1;
        for index in 0..ACROSS {
            let offset = first + index;
            let field = self.marks.number_at(offset);
            let fill = if cx.look.motion && lit.contains(&index) {
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
            if several && selected.contains(&offset) {
                painter.rect_filled(cell(self.group.column(index), 2), 0.0, tokens.selected);
            }
            if self.marks.watch_at(offset).is_some() {
                let under = cell(self.group.column(index), 2);
                painter.hline(under.x_range(), under.bottom() - 1.0, (2.0, tokens.watch));
            }
            if offset == self.selection.cursor() {
                let around = cell(self.group.column(index), 2).expand(1.0);
                painter.rect_stroke(around, 2.0, (1.5, tokens.accent), egui::StrokeKind::Inside);
                let text = cell(self.group.text_column() + index, 1);
                painter.rect_stroke(text, 1.0, (1.0, tokens.accent), egui::StrokeKind::Inside);
            }
        }
        let text = self.text(snapshot, first);
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

    /// A row as text; dots are bytes that are not read or not recorded.
    fn text(&self, snapshot: &Snapshot, first: usize) -> String {
        let byte = |at: usize| snapshot.at(at..at + 1).and_then(|byte| byte.first().copied());
        let bytes: [Option<u8>; ACROSS] = std::array::from_fn(|index| byte(first + index));
        let address = snapshot.domain().address_at(first);
        let digits = address.to_string();
        let mut text = format!("{:>8}  ", digits.trim_start_matches("0x"));
        for (index, byte) in bytes.iter().enumerate() {
            if index > 0 && index % self.group.bytes() == 0 {
                text.push(' ');
            }
            text += &byte.map_or_else(|| "··".into(), |byte| format!("{byte:02X}"));
        }
        text.push_str("  ");
        let printable = |byte: u8| if (0x20..0x7F).contains(&byte) { char::from(byte) } else { '.' };
        text.extend(bytes.iter().map(|byte| byte.map_or(' ', printable)));
        text
    }
}

#[expect(clippy::cast_precision_loss, reason = "columns of a row, below 100")]
fn chars(count: usize) -> f32 {
    count as f32
}

#[cfg(test)]
mod tests {
    use super::super::layout::Group;
    use super::*;

    #[test]
    fn of_a_row_that_was_read_in_part_that_part_is_shown() {
        let domain = crate::console::ConsoleId::Nds.domain();
        let part: (usize, Box<[u8]>) = (0x4C, Box::new(*b"A\x01"));
        let snapshot = Snapshot::from_parts(domain, [part]).unwrap();
        let text = MemoryPanel::default().text(&snapshot, 0x40);
        assert!(text.contains(" ·· 41 01 ·· ··  ") && text.ends_with("            A.  "), "{text:?}");
    }

    #[test]
    fn columns_are_where_the_text_has_them() {
        let domain = crate::console::ConsoleId::Genesis.domain();
        let stored: Vec<u8> = (0..=255).cycle().take(domain.len as usize).collect();
        let snapshot = Snapshot::from_stored(domain, crate::console::StorageOrder::AsOnBus, stored).unwrap();
        for group in Group::ALL {
            let panel = MemoryPanel { group, ..MemoryPanel::default() };
            let bytes = &snapshot.all()[0x40..0x50];
            let text = panel.text(&snapshot, 0x40);
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
