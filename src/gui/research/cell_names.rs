//! The names of cells by the fields of a profile, for the worker thread.

use crate::console::Domain;
use crate::gui::memory::FieldSpans;
use crate::gui::watches::span;
use crate::research::CellAddress;

#[derive(Debug, Clone)]
pub struct CellNames {
    pub domain: &'static Domain,
    pub fields: FieldSpans,
}

impl CellNames {
    /// The field that contains a cell, and the cell's distance from its start.
    pub fn name_of(&self, cell: CellAddress) -> Option<(&str, usize)> {
        self.fields.name_at(span(self.domain, cell.address, 1)?.start)
    }
}
