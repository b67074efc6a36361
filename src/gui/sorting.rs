//! Tables that are sorted by a click on the title of a column.

use eframe::egui::{Button, Response, RichText, Role, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};

/// The column that a table is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sort<C> {
    pub by: C,
    pub descending: bool,
}

impl<C: PartialEq> Sort<C> {
    /// The order after a click on the title of `column`: ascending, then descending, then the original one.
    pub fn after_click(sort: Option<Self>, column: C) -> Option<Self> {
        match sort {
            Some(Self { by, descending }) if by == column => {
                (!descending).then_some(Self { by, descending: true })
            }
            _ => Some(Self { by: column, descending: false }),
        }
    }

    /// An ordering of two rows, reversed if descending.
    pub fn directed(&self, order: std::cmp::Ordering) -> std::cmp::Ordering {
        if self.descending { order.reverse() } else { order }
    }
}

/// Draws the title of a column by which the table can be sorted; true if it was clicked.
pub fn title<C: PartialEq + Copy>(ui: &mut Ui, name: &str, column: C, sort: Option<Sort<C>>) -> bool {
    let mine = sort.filter(|sort| sort.by == column);
    let response = ui.add(Button::new(RichText::new(name).weak()).frame(false));
    let state = match mine {
        Some(Sort { descending: false, .. }) => ", ascending",
        Some(Sort { descending: true, .. }) => ", descending",
        None => "",
    };
    let label = format!("Sort by {}{state}", name.to_lowercase());
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, mine.is_some(), &label));
    if let Some(Sort { descending, .. }) = mine {
        arrow(ui, &response, descending);
    }
    response.on_hover_text(label).clicked()
}

/// A small triangle after the title: fonts differ in their symbols.
fn arrow(ui: &Ui, title: &Response, descending: bool) {
    let center = pos2(title.rect.right() + 5.0, title.rect.center().y);
    let tip = if descending { 3.0 } else { -3.0 };
    let points = vec![
        center + vec2(0.0, tip),
        center + vec2(if descending { -3.5 } else { 3.5 }, -tip),
        center + vec2(if descending { 3.5 } else { -3.5 }, -tip),
    ];
    let color = ui.visuals().strong_text_color();
    ui.painter().add(Shape::convex_polygon(points, color, Stroke::NONE));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_click_restores_the_original_order() {
        let mut sort = None;
        let mut orders = Vec::new();
        for column in ['a', 'a', 'a', 'a', 'b'] {
            sort = Sort::after_click(sort, column);
            orders.push(sort.map(|sort| (sort.by, sort.descending)));
        }
        let expected = [Some(('a', false)), Some(('a', true)), None, Some(('a', false)), Some(('b', false))];
        assert_eq!(orders, expected);
    }
}
