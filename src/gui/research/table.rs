//! The table of candidates. Only visible rows of millions are created. It scrolls by row numbers, because the height in
//! points would exceed the precision of a float.

use super::engine::Values;
use super::words::cells;
use crate::gui::theme::Look;
use crate::research::{CellAddress, NumberFormat, Row, Search, Value, ValueType};
use eframe::egui::{
    Align2, Color32, CursorIcon, EventFilter, FontId, Key, Modifiers, Painter, Rect, Response, Role, Sense,
    StrokeKind, Ui, WidgetInfo, pos2, vec2,
};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a changed value is highlighted.
const LIT: Duration = Duration::from_millis(700);
/// Width of the scroll bar, in points.
const BAR: f32 = 12.0;
/// Maximum number of rows for an action on the selection.
pub const AT_ONCE: u64 = 10_000;
/// Maximum number of selected rows that are restored after a step.
const FOUND_AGAIN: u64 = 64;

#[derive(Default)]
pub struct Table {
    /// The top row; the fraction is above the edge.
    top: f64,
    /// The selected rows.
    selection: Option<Selection>,
    /// The last drawn search.
    seen: Option<Arc<Search>>,
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

/// The request of a key or click.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowAction {
    /// Show the cell in the Memory panel.
    GoTo(CellAddress),
    /// Watch the selected cells.
    Watch,
    /// Remove the selected cells.
    Drop,
}

struct Column {
    title: &'static str,
    chars: usize,
}

impl Table {
    /// The selected cells, at most [`AT_ONCE`].
    pub fn selected(&self) -> Vec<CellAddress> {
        let (Some(search), Some(selection)) = (&self.seen, self.selection) else { return Vec::new() };
        let range = selection.range();
        let rows = search.rows(range.start..range.end.min(range.start + AT_ONCE));
        rows.iter().map(|row| row.cell).collect()
    }

    /// Number of selected cells.
    pub fn selected_count(&self) -> u64 {
        self.selection.map_or(0, |selection| selection.range().end - selection.range().start)
    }

    /// Selects every row.
    pub fn select_all(&mut self) {
        if let Some(last) = self.seen.as_ref().and_then(|search| search.len().checked_sub(1)) {
            self.selection = Some(Selection { anchor: 0, cursor: last });
        }
    }

    /// Draws the table in the remaining space.
    pub fn show(
        &mut self,
        ui: &mut Ui,
        look: &Look,
        search: &Arc<Search>,
        values: &Values,
        now: Instant,
    ) -> Option<RowAction> {
        self.take(search);
        self.note_changes(values, now);
        let (ty, font) = (search.settings().ty, FontId::monospace(12.0));
        let (width, text_height) =
            ui.fonts_mut(|fonts| (fonts.glyph_width(&font, '0'), fonts.row_height(&font)));
        let height = text_height + 4.0;
        let columns = columns(search, ty, values.counted);
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
        let action = self.keys(ui, &response, search.len(), rows_in_sight);
        self.scroll(ui, bar, &response, search.len(), rows_in_sight, height);

        let first = whole_rows(self.top);
        let last = whole_rows((self.top + rows_in_sight).ceil()).min(search.len());
        self.visible = first..last;
        let rows = search.rows(first..last);
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
        for (nth, column) in columns.iter().enumerate() {
            text(&painter, nth, head.top(), column.title, look.tokens.muted);
        }
        painter.hline(whole.x_range(), head.bottom(), (1.0, look.tokens.line));
        let inside = painter.with_clip_rect(body);
        let chosen = self.selection.map(Selection::range).unwrap_or_default();
        let mut hit = None;
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
            let shown = row_text(row, values, ty);
            let lit = self.lit.get(&row.cell).and_then(|(_, at)| *at);
            if look.motion && lit.is_some_and(|at| now.saturating_duration_since(at) < LIT) {
                let now = column(1, top).union(column(2, top));
                inside.rect_filled(now, 0.0, look.tokens.flash);
            }
            for (nth, cell) in shown.cells.iter().take(columns.len()).enumerate() {
                let color = if nth == 0 || nth > 2 { look.tokens.muted } else { look.tokens.text };
                text(&inside, nth, top, cell, color);
            }
            let seen = rect.intersect(body);
            let line = ui.interact(seen, focus.with(number), Sense::CLICK | Sense::HOVER);
            line.widget_info(|| WidgetInfo::selected(Role::Row, true, is_chosen, shown.label()));
            if line.clicked() || line.double_clicked() {
                hit = Some((number, line.double_clicked()));
            }
        }
        let label = self.label(search, ty, values);
        response.widget_info(|| WidgetInfo::labeled(Role::Grid, true, &label));
        if self.lit.values().any(|(_, at)| at.is_some_and(|at| now.saturating_duration_since(at) < LIT)) {
            ui.ctx().request_repaint_after(LIT / 4);
        }
        let Some((number, twice)) = hit else { return action };
        ui.memory_mut(|memory| memory.request_focus(focus));
        self.put_cursor(number, ui.input(|input| input.modifiers.shift));
        if twice { Some(RowAction::Watch) } else { action }
    }

    /// Updates the search; selected cells stay selected.
    fn take(&mut self, search: &Arc<Search>) {
        let Some(old) = &self.seen else {
            self.seen = Some(Arc::clone(search));
            return;
        };
        if Arc::ptr_eq(old, search) {
            return;
        }
        let range = self.selection.map(Selection::range).unwrap_or_default();
        let few = range.end - range.start <= FOUND_AGAIN && old.settings().ty == search.settings().ty;
        let rows = if few { old.rows(range) } else { Vec::new() };
        let numbers: Vec<u64> = rows.iter().filter_map(|row| number_of(search, row.cell)).collect();
        self.selection = numbers.first().map(|anchor| {
            // After an undo, cells between them must not become selected.
            let last = numbers.last().filter(|last| **last - anchor < numbers.len() as u64);
            Selection { anchor: *anchor, cursor: *last.unwrap_or(anchor) }
        });
        self.seen = Some(Arc::clone(search));
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
            } else if input.consume_key(Modifiers::NONE, Key::Delete) {
                action = Some(Some(RowAction::Drop));
            } else if input.consume_key(Modifiers::NONE, Key::W) {
                action = Some(Some(RowAction::Watch));
            } else if input.consume_key(Modifiers::NONE, Key::Enter) {
                let row = at.and_then(|at| self.seen.as_ref()?.rows(at..at + 1).pop());
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
    fn label(&self, search: &Search, ty: ValueType, values: &Values) -> String {
        let mut label = format!("Results, {}", cells(search.len()));
        let row =
            self.selection.and_then(|selection| search.rows(selection.cursor..selection.cursor + 1).pop());
        if let Some(row) = row {
            label += &format!(", {}", row_text(&row, values, ty).label());
        }
        label
    }
}

/// A row as text.
struct RowText {
    cells: [String; 6],
}

impl RowText {
    /// One line for screen readers.
    fn label(&self) -> String {
        let [cell, now, hex, last, first, changes] = &self.cells;
        let mut text = format!("{cell}: {now}");
        for (name, part) in [("", hex), ("last search ", last), ("first ", first)] {
            if !part.is_empty() {
                text += &format!(", {name}{part}");
            }
        }
        if !changes.is_empty() {
            text += &format!(", {changes} {}", if changes == "1" { "change" } else { "changes" });
        }
        text
    }
}

fn row_text(row: &Row, values: &Values, ty: ValueType) -> RowText {
    let show = |value: Option<&Value>, shown| value.map_or_else(String::new, |value| ty.show(value, shown));
    let now = values.now.get(&row.cell);
    let text = match now {
        Some(Some(value)) => ty.show(value, NumberFormat::Decimal),
        Some(None) => "?".into(),
        None => "…".into(),
    };
    let hex = show(now.and_then(Option::as_ref), NumberFormat::Hexadecimal);
    let last = show(row.last.as_ref(), NumberFormat::Decimal);
    let first = show(row.first.as_ref(), NumberFormat::Decimal);
    let changes = values.changes.get(&row.cell).map_or_else(String::new, ToString::to_string);
    RowText { cells: [row.cell.to_string(), text, hex, last, first, changes] }
}

/// The columns with widths for their content.
fn columns(search: &Search, ty: ValueType, counted: bool) -> Vec<Column> {
    let last = search.len().checked_sub(1).and_then(|last| search.rows(last..last + 1).pop());
    let place = last.map_or(8, |row| row.cell.to_string().chars().count());
    let decimal = match ty.kind().range() {
        Some((least, most)) => least.to_string().len().max(most.to_string().len()),
        None if ty.kind().is_float() => 16,
        None => 24,
    };
    let hex = if ty.kind().is_integer() { 2 + 2 * ty.width() } else { 18 };
    let wide = |title: &'static str, chars: usize| Column { title, chars: chars.max(title.len()) + 2 };
    let mut columns = vec![
        wide("cell", place),
        wide("now", decimal.max(5)),
        wide("hex", hex),
        wide("last search", decimal),
        wide("first", decimal),
    ];
    if counted {
        columns.push(wide("changes", 7));
    }
    columns
}

/// The row of a cell.
fn number_of(search: &Search, place: CellAddress) -> Option<u64> {
    if !search.contains(place) {
        return None;
    }
    let (mut low, mut high) = (0, search.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let found = search.rows(middle..middle + 1).pop()?.cell;
        if found < place { low = middle + 1 } else { high = middle }
    }
    Some(low)
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
    use crate::research::{Address, Condition, Part, Settings};
    use crate::task::Progress;

    fn source(bytes: &[u8]) -> ByteArray {
        ByteArray { base: HostAddr(0), bytes: bytes.to_vec() }
    }

    fn place(at: u64) -> CellAddress {
        CellAddress { address: Address(at), part: Part::Whole }
    }

    #[test]
    fn what_was_selected_is_selected_after_a_step_where_it_is_left() {
        let (unknown, progress) = (Condition::Unknown, Progress::default());
        let settings = Settings::new(ValueType::default());
        let mut search = Search::start(&source(&[0; 100]), settings, &unknown, None, &progress).unwrap();
        let mut table = Table::default();
        table.take(&Arc::new(search.without_history()));
        table.selection = Some(Selection { anchor: 12, cursor: 10 });
        assert_eq!(table.selected(), [place(10), place(11), place(12)]);
        search.exclude(&[place(3), place(11)]);
        table.take(&Arc::new(search.without_history()));
        assert_eq!(table.selected(), [place(10), place(12)]);
        // After the undo the cell between them is not selected.
        search.undo();
        table.take(&Arc::new(search.without_history()));
        assert_eq!(table.selected(), [place(10)]);
        search.exclude(&[place(10)]);
        table.take(&Arc::new(search.without_history()));
        assert!(table.selected().is_empty());
    }

    #[test]
    fn rows_are_found_by_their_places() {
        let (unknown, progress) = (Condition::Unknown, Progress::default());
        let settings = Settings { alignment: 4, ..Settings::new(ValueType::default()) };
        let search = Search::start(&source(&[0; 10_000]), settings, &unknown, None, &progress).unwrap();
        for number in [0, 1, 1000, 2499] {
            assert_eq!(number_of(&search, place(4 * number)), Some(number));
        }
        assert_eq!(number_of(&search, place(2)), None);
    }
}
