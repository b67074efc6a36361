//! The table of candidates. Only visible rows of millions are created. It scrolls by row numbers, because the height in
//! points would exceed the precision of a float.

use super::columns::{ColumnKind, NameOf, RowText, columns};
use super::engine::{Listed, MAX_SORTED, Values};
use super::row_action::{self, AT_ONCE, CopyOf, RowAction};
use super::words::cells;
use crate::gui::row_menu;
use crate::gui::sorting::{self, Sort};
use crate::gui::theme::Look;
use crate::research::{CellAddress, Value, ValueType};
use eframe::egui::{
    Align, Align2, Color32, CursorIcon, Event, EventFilter, FontId, Key, Layout, Modifiers, Painter, Rect,
    Response, Role, Sense, StrokeKind, Ui, UiBuilder, WidgetInfo, pos2, vec2,
};
use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

/// How long a changed value is highlighted.
const LIT: Duration = Duration::from_millis(700);
/// Width of the scroll bar, in points.
const BAR: f32 = 12.0;
/// Maximum number of selected rows that are restored after a step.
const FOUND_AGAIN: u64 = 64;

#[derive(Default)]
pub struct Table {
    /// The top row; the fraction is above the edge.
    top: f64,
    /// The selected rows.
    selection: Option<Selection>,
    /// The results drawn last.
    seen: Option<Listed>,
    /// The last values, and when they changed.
    lit: HashMap<CellAddress, (Value, Option<Instant>)>,
    /// The visible rows.
    pub visible: Range<u64>,
}

/// A range of rows; the second is the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Selection {
    anchor: u64,
    cursor: u64,
}

impl Selection {
    fn range(self) -> Range<u64> {
        self.anchor.min(self.cursor)..self.anchor.max(self.cursor) + 1
    }
}

/// What the table draws.
#[derive(Clone, Copy)]
pub struct Drawn<'a> {
    pub listed: &'a Listed,
    pub values: &'a Values,
    /// Names of known fields; None if no game is known.
    pub name_of: Option<NameOf<'a>>,
    /// Whether the cells are addresses of console RAM.
    pub by_address: bool,
    pub now: Instant,
}

impl Table {
    /// The selected cells, at most [`AT_ONCE`].
    pub fn selected(&self) -> Vec<CellAddress> {
        self.selected_rows().iter().map(|row| row.cell).collect()
    }

    fn selected_rows(&self) -> Vec<crate::research::Row> {
        let (Some(listed), Some(selection)) = (&self.seen, self.selection) else { return Vec::new() };
        let range = selection.range();
        listed.rows(range.start..range.end.min(range.start + AT_ONCE))
    }

    /// The selected cells as text: their addresses, or whole rows separated by tabs.
    pub fn copied(&self, what: CopyOf, name_of: Option<NameOf<'_>>) -> String {
        let Some(ty) = self.seen.as_ref().map(|listed| listed.search.settings().ty) else {
            return String::new();
        };
        let line = |row: &crate::research::Row| match what {
            CopyOf::Addresses => row.cell.to_string(),
            CopyOf::Rows => {
                let name = name_of.and_then(|name_of| name_of(row.cell));
                RowText::new(row, &Values::default(), ty, name).copied()
            }
        };
        self.selected_rows().iter().map(line).collect::<Vec<_>>().join("\n")
    }

    /// Number of selected cells.
    pub fn selected_count(&self) -> u64 {
        self.selection.map_or(0, |selection| selection.range().end - selection.range().start)
    }

    /// Selects every row.
    pub fn select_all(&mut self) {
        if let Some(last) = self.seen.as_ref().and_then(|listed| listed.len().checked_sub(1)) {
            self.selection = Some(Selection { anchor: 0, cursor: last });
        }
    }

    /// Draws the table in the remaining space.
    pub fn show(&mut self, ui: &mut Ui, look: &Look, drawn: Drawn<'_>) -> Option<RowAction> {
        let Drawn { listed, values, now, name_of, .. } = drawn;
        self.take(listed);
        self.note_changes(values, now);
        let (ty, font) = (listed.search.settings().ty, FontId::monospace(12.0));
        let (width, text_height) =
            ui.fonts_mut(|fonts| (fonts.glyph_width(&font, '0'), fonts.row_height(&font)));
        let height = text_height + 4.0;
        let columns = columns(listed, ty, values.counted, name_of.is_some());
        let space = ui.available_size().max(vec2(160.0, 8.0 * height));
        let (whole, _) = ui.allocate_exact_size(space, Sense::hover());
        let (head, mut body) = whole.split_top_bottom_at_y(whole.top() + height);
        let bar = body.split_left_right_at_x(body.right() - BAR).1;
        body.set_right(bar.left() - 2.0);
        let painter = ui.painter().with_clip_rect(whole);
        painter.rect_filled(whole, 3.0, look.tokens.card);

        let rows_in_sight = f64::from(body.height() / height);
        let focus = ui.scope_id().with("cells");
        let response = ui.interact(body, focus, Sense::click_and_drag());
        let mut action = self.keys(ui, &response, listed.len(), rows_in_sight);
        self.scroll(ui, bar, &response, listed.len(), rows_in_sight, height);

        let first = whole_rows(self.top);
        let last = whole_rows((self.top + rows_in_sight).ceil()).min(listed.len());
        self.visible = first..last;
        let rows = listed.rows(first..last);
        let left = body.left() + 4.0;
        let column = |nth: usize, top: f32| {
            let before: usize = columns[..nth].iter().map(|column| column.chars).sum();
            let at = pos2(left + points(before) * width, top);
            Rect::from_min_size(at, vec2(points(columns[nth].chars) * width, height))
        };
        let text = |painter: &Painter, nth: usize, top: f32, text: &str, color: Color32| {
            let rect = column(nth, top);
            let clip = rect.intersect(painter.clip_rect());
            painter.with_clip_rect(clip).text(
                rect.left_center(),
                Align2::LEFT_CENTER,
                text,
                font.clone(),
                color,
            );
        };
        let sort = listed.order.as_ref().map(|order| order.sort);
        for (nth, one) in columns.iter().enumerate() {
            let title = one.kind.title();
            let rect = column(nth, head.top()).intersect(head);
            let place = UiBuilder::new().max_rect(rect).id_salt(title);
            ui.scope_builder(place.layout(Layout::left_to_right(Align::Center)), |ui| {
                ui.set_clip_rect(rect.intersect(ui.clip_rect()));
                match one.kind.sort().filter(|_| listed.len() <= MAX_SORTED) {
                    Some(by) if sorting::title(ui, title, by, sort) => {
                        action = Some(RowAction::Sort(Sort::after_click(sort, by)));
                    }
                    Some(_) => {}
                    None => drop(ui.weak(title)),
                }
            });
        }
        painter.hline(whole.x_range(), head.bottom(), (1.0, look.tokens.line));
        let inside = painter.with_clip_rect(body);
        let chosen = self.selection.map(Selection::range).unwrap_or_default();
        let lit_column = columns.iter().position(|column| column.kind == ColumnKind::Now);
        let asked = response.has_focus() && row_menu::is_asked(ui);
        let (mut hit, mut menu, mut chosen_in_menu) = (None, None, None);
        for (number, row) in (first..).zip(&rows) {
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                reason = "a row in sight"
            )]
            let top = body.top() + ((number as f64 - self.top) * f64::from(height)) as f32;
            let rect = Rect::from_min_size(pos2(body.left(), top), vec2(body.width(), height));
            let is_chosen = chosen.contains(&number);
            if is_chosen {
                inside.rect_filled(rect, 0.0, ui.visuals().selection.bg_fill);
            } else if number % 2 == 1 {
                inside.rect_filled(rect, 0.0, ui.visuals().faint_bg_color);
            }
            if response.has_focus() && self.selection.is_some_and(|selection| selection.cursor == number) {
                inside.rect_stroke(rect, 0.0, (1.0, look.tokens.accent), StrokeKind::Inside);
            }
            let shown = RowText::new(row, values, ty, name_of.and_then(|name_of| name_of(row.cell)));
            let lit = self.lit.get(&row.cell).and_then(|(_, at)| *at);
            if look.motion
                && lit.is_some_and(|at| now.saturating_duration_since(at) < LIT)
                && let Some(nth) = lit_column
            {
                let now = column(nth, top).union(column(nth + 1, top));
                inside.rect_filled(now, 0.0, look.tokens.flash);
            }
            for (nth, one) in columns.iter().enumerate() {
                let color = if one.kind.is_strong() { look.tokens.text } else { look.tokens.muted };
                text(&inside, nth, top, shown.get(one.kind), color);
            }
            let seen = rect.intersect(body);
            let line = ui.interact(seen, focus.with(number), Sense::CLICK | Sense::HOVER);
            line.widget_info(|| WidgetInfo::selected(Role::Row, true, is_chosen, shown.label()));
            if line.clicked() || line.double_clicked() {
                hit = Some((number, line.double_clicked()));
            }
            if line.secondary_clicked() && !is_chosen {
                menu = Some(number);
            }
            let asked = asked && self.selection.is_some_and(|selection| selection.cursor == number);
            row_menu::show(&line, asked, |ui| {
                let count = if is_chosen { chosen.end - chosen.start } else { 1 };
                chosen_in_menu = row_action::menu(ui, count, drawn.by_address, row.cell);
            });
        }
        let label = self.label(listed, ty, drawn);
        response.widget_info(|| WidgetInfo::labeled(Role::Grid, true, &label));
        if self.lit.values().any(|(_, at)| at.is_some_and(|at| now.saturating_duration_since(at) < LIT)) {
            ui.ctx().request_repaint_after(LIT / 4);
        }
        if let Some(number) = menu {
            self.put_cursor(number, false);
        }
        action = chosen_in_menu.or(action);
        let Some((number, twice)) = hit else { return action };
        ui.memory_mut(|memory| memory.request_focus(focus));
        self.put_cursor(number, ui.input(|input| input.modifiers.shift));
        if twice { Some(RowAction::Watch) } else { action }
    }

    /// Updates the results; selected cells stay selected.
    fn take(&mut self, listed: &Listed) {
        let Some(old) = &self.seen else {
            self.seen = Some(listed.clone());
            return;
        };
        if old.is_same(listed) {
            return;
        }
        let range = self.selection.map(Selection::range).unwrap_or_default();
        let few =
            range.end - range.start <= FOUND_AGAIN && old.search.can_be_read_as(listed.search.settings().ty);
        let rows = if few { old.rows(range) } else { Vec::new() };
        let mut numbers: Vec<u64> = rows.iter().filter_map(|row| listed.position(row.cell)).collect();
        numbers.sort_unstable();
        self.selection = numbers.first().map(|anchor| {
            // After an undo or a sort, cells between them must not become selected.
            let last = numbers.last().filter(|last| **last - anchor < numbers.len() as u64);
            Selection { anchor: *anchor, cursor: *last.unwrap_or(anchor) }
        });
        self.seen = Some(listed.clone());
    }

    fn note_changes(&mut self, values: &Values, now: Instant) {
        let mut lit = HashMap::with_capacity(values.now.len());
        for (place, value) in &values.now {
            let Some(value) = value else { continue };
            let at = match self.lit.get(place) {
                Some((old, at)) if old == value => *at,
                Some(_) => Some(now),
                None => None,
            };
            lit.insert(*place, (value.clone(), at));
        }
        self.lit = lit;
    }

    fn put_cursor(&mut self, number: u64, extend: bool) {
        let anchor = self.selection.filter(|_| extend).map_or(number, |selection| selection.anchor);
        self.selection = Some(Selection { anchor, cursor: number });
    }

    fn keys(&mut self, ui: &Ui, response: &Response, len: u64, in_sight: f64) -> Option<RowAction> {
        if !response.has_focus() || len == 0 {
            return None;
        }
        let filter = EventFilter { vertical_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
        let page = whole_rows(in_sight).saturating_sub(1).max(1);
        let last = len - 1;
        let to = |key: Key, at: u64| match key {
            Key::ArrowUp => at.saturating_sub(1),
            Key::ArrowDown => (at + 1).min(last),
            Key::PageUp => at.saturating_sub(page),
            Key::PageDown => (at + page).min(last),
            Key::Home => 0,
            _ => last,
        };
        let keys = [Key::ArrowUp, Key::ArrowDown, Key::PageUp, Key::PageDown, Key::Home, Key::End];
        let at = self.selection.map(|selection| selection.cursor);
        let mut moved = None;
        let mut action = None;
        ui.input_mut(|input| {
            for key in keys {
                // The plain key would also match with Shift.
                let extend = input.consume_key(Modifiers::SHIFT, key);
                if extend || input.consume_key(Modifiers::NONE, key) {
                    let start = at.unwrap_or(whole_rows(self.top));
                    let first = at.is_none() && key == Key::ArrowDown;
                    moved = Some((if first { start } else { to(key, start) }, extend));
                }
            }
            if input.consume_key(Modifiers::COMMAND, Key::A) {
                action = Some(None);
            } else if input.events.contains(&Event::Copy) {
                action = Some(Some(RowAction::Copy(CopyOf::Rows)));
            } else if input.consume_key(Modifiers::NONE, Key::Delete) {
                action = Some(Some(RowAction::Drop));
            } else if input.consume_key(Modifiers::NONE, Key::W) {
                action = Some(Some(RowAction::Watch));
            } else if input.consume_key(Modifiers::NONE, Key::Enter) {
                let row = at.and_then(|at| self.seen.as_ref()?.row(at));
                action = row.map(|row| Some(RowAction::GoTo(row.cell)));
            }
        });
        if let Some((to, extend)) = moved {
            self.put_cursor(to, extend);
            #[expect(clippy::cast_precision_loss, reason = "row numbers are below 2^52")]
            let to = to as f64;
            self.top = self.top.min(to).max(to + 1.0 - in_sight);
        }
        match action {
            Some(None) => {
                self.select_all();
                None
            }
            other => other.flatten().filter(|_| self.selection.is_some()),
        }
    }

    /// Mouse wheel and scroll bar.
    fn scroll(&mut self, ui: &Ui, bar: Rect, body: &Response, len: u64, in_sight: f64, height: f32) {
        #[expect(clippy::cast_precision_loss, reason = "row numbers are below 2^52")]
        let len = len as f64;
        let most = (len - in_sight).max(0.0);
        if ui.rect_contains_pointer(body.rect.union(bar)) && most > 0.0 {
            let wheel = ui.input_mut(|input| std::mem::take(&mut input.smooth_scroll_delta.y));
            self.top -= f64::from(wheel / height);
        }
        if most > 0.0 {
            let length = (f64::from(bar.height()) * in_sight / len).max(24.0);
            let way = f64::from(bar.height()) - length;
            let response = ui.interact(bar, body.id.with("bar"), Sense::CLICK | Sense::DRAG);
            if let Some(at) = response.interact_pointer_pos() {
                let part = (f64::from(at.y - bar.top()) - length / 2.0) / way.max(1.0);
                self.top = part.clamp(0.0, 1.0) * most;
            }
            self.top = self.top.clamp(0.0, most);
            #[expect(clippy::cast_possible_truncation, reason = "points")]
            let (start, length) = ((self.top / most * way) as f32, length as f32);
            let handle =
                Rect::from_min_size(pos2(bar.left() + 2.0, bar.top() + start), vec2(BAR - 4.0, length));
            let visuals = ui.style().interact(&response);
            ui.painter().rect_filled(handle, 3.0, visuals.bg_fill);
            response.on_hover_cursor(CursorIcon::Default);
        }
        self.top = self.top.clamp(0.0, most);
    }

    /// The accessible label of the table.
    fn label(&self, listed: &Listed, ty: ValueType, drawn: Drawn<'_>) -> String {
        let mut label = format!("Results, {}", cells(listed.len()));
        let row = self.selection.and_then(|selection| listed.row(selection.cursor));
        if let Some(row) = row {
            let name = drawn.name_of.and_then(|name_of| name_of(row.cell));
            label += &format!(", {}", RowText::new(&row, drawn.values, ty, name).label());
        }
        label
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "row numbers, never negative")]
fn whole_rows(rows: f64) -> u64 {
    rows.max(0.0) as u64
}

#[expect(clippy::cast_precision_loss, reason = "columns of a row, below 1000")]
fn points(count: usize) -> f32 {
    count as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::ByteArray;
    use crate::process::HostAddr;
    use crate::research::{Address, Condition, Part, Search, Settings};
    use crate::task::Progress;
    use std::sync::Arc;

    fn source(bytes: &[u8]) -> ByteArray {
        ByteArray { base: HostAddr(0), bytes: bytes.to_vec() }
    }

    fn place(at: u64) -> CellAddress {
        CellAddress { address: Address(at), part: Part::Whole }
    }

    fn listed(search: &Search) -> Listed {
        Listed { search: Arc::new(search.without_history()), order: None }
    }

    #[test]
    fn what_was_selected_is_selected_after_a_step_where_it_is_left() {
        let (unknown, progress) = (Condition::Unknown, Progress::default());
        let settings = Settings::new(ValueType::default());
        let mut search = Search::start(&source(&[0; 100]), settings, &unknown, None, &progress).unwrap();
        let mut table = Table::default();
        table.take(&listed(&search));
        table.selection = Some(Selection { anchor: 12, cursor: 10 });
        assert_eq!(table.selected(), [place(10), place(11), place(12)]);
        search.exclude(&[place(3), place(11)]);
        table.take(&listed(&search));
        assert_eq!(table.selected(), [place(10), place(12)]);
        // After the undo the cell between them is not selected.
        search.undo();
        table.take(&listed(&search));
        assert_eq!(table.selected(), [place(10)]);
        search.exclude(&[place(10)]);
        table.take(&listed(&search));
        assert!(table.selected().is_empty());
    }
}
