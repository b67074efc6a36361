//! Names of the attached game's fields at the cells of a search.

use super::cell_names::CellNames;
use super::engine::Shown;
use crate::gui::memory::Marks;
use crate::gui::ui_context::UiContext;
use crate::live::View;
use crate::research::CellAddress;

/// The fields of the attached game.
#[derive(Debug, Default)]
pub struct Names(Marks);

impl Names {
    /// Takes the fields of the attached game; returns whether the search is in its RAM, so that they name its cells.
    pub fn update(&mut self, cx: &UiContext<'_>, shown: &Shown) -> bool {
        let Some((data, target)) = cx.view.data.as_ref().zip(cx.view.target.as_ref()) else {
            return false;
        };
        let domain = shown.memory.as_ref().and_then(|memory| memory.domain);
        if domain.is_none_or(|domain| !std::ptr::eq(domain, data.snapshot.domain())) {
            return false;
        }
        self.0.update(Some(&target.profile), &data.snapshot);
        true
    }

    /// The field at a cell: "p1_pairs_dealt + 1".
    pub fn name_of(&self, view: &View, cell: CellAddress) -> Option<String> {
        let domain = view.data.as_ref()?.snapshot.domain();
        self.0.name_at(crate::gui::watches::span(domain, cell.address, 1)?.start)
    }

    /// The names of all cells, for sorting.
    pub fn all(&self, view: &View) -> Option<CellNames> {
        let domain = view.data.as_ref()?.snapshot.domain();
        Some(CellNames { domain, fields: self.0.spans().clone() })
    }
}
