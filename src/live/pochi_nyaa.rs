//! Pochi & Nyaa live: the players' fields, where a profile says that they stand. Nothing is foretold and nothing checked: the game's
//! randomizer is not known.

use super::{Look, Verdict};
use crate::console::{ConsoleAddr, Snapshot};
use crate::pochi::{Color, Field};
use crate::profile::{BoardCell, BoardLayout, Profile};
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// Codes that are told of a field that is none.
const TOLD: usize = 4;

/// A player's field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerField {
    /// Where its cell at the top left stands.
    pub address: ConsoleAddr,
    /// The field, or what is in its place.
    pub field: Result<Field, NotAField>,
}

/// The fields at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// The players' fields, the first player's first; one where it is not known where the second player's stands.
    pub players: Vec<PlayerField>,
}

/// Codes in a field that stand for nothing known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotAField {
    /// Cells with such codes.
    pub cells: usize,
    /// Cells of the field.
    pub of: usize,
    /// The first of them: column, row, code.
    pub first: Vec<(usize, usize, u8)>,
    /// Colours of which the profile does not know the code.
    pub open: Vec<&'static str>,
}

impl fmt::Display for NotAField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let codes: Vec<String> =
            self.first.iter().map(|(x, y, code)| format!("{code:02X} at {x},{y}")).collect();
        let more = if self.cells > self.first.len() { " ..." } else { "" };
        write!(
            f,
            "not a field: {} of {} cells hold codes that are not known ({}{more})",
            self.cells,
            self.of,
            codes.join(", ")
        )?;
        if !self.open.is_empty() {
            write!(f, "; the code of {} is still open", self.open.join(" and "))?;
        }
        Ok(())
    }
}

/// The field whose cell at the top left is at `address`; None when it is not in the snapshot.
#[must_use]
pub fn read_field(
    snapshot: &Snapshot,
    layout: &BoardLayout,
    address: ConsoleAddr,
) -> Option<Result<Field, NotAField>> {
    let cells = layout.cells(snapshot, address)?;
    let columns = usize::from(layout.columns);
    let mut field = Field::empty(columns, usize::from(layout.rows)).ok()?;
    let mut wrong = Vec::new();
    let places: Vec<_> = field.places().collect();
    for ((at, cell), place) in cells.iter().enumerate().zip(places) {
        match cell {
            BoardCell::Empty => {}
            BoardCell::Block(color) => field.set(place, Color::ALL.get(*color).copied()),
            BoardCell::Unknown(code) => wrong.push((at % columns, at / columns, *code)),
        }
    }
    if wrong.is_empty() {
        return Some(Ok(field));
    }
    let (number, open) = (wrong.len(), layout.unknown_colors().collect());
    wrong.truncate(TOLD);
    Some(Err(NotAField { cells: number, of: cells.len(), first: wrong, open }))
}

/// The players' fields.
///
/// # Errors
/// Says that the profile does not know where they stand, and what to do.
pub fn observe(snapshot: &Snapshot, profile: &Profile) -> Result<Observation, String> {
    let layout = profile.board.as_ref().ok_or_else(|| {
        format!(
            "where the field stands is not known: `nextscope profile locate --profile {} --board FILE --remember` finds it",
            profile.id
        )
    })?;
    let player = |address| {
        let field = read_field(snapshot, layout, address)
            .ok_or_else(|| format!("the field at {address} is not in the RAM that was read"))?;
        Ok(PlayerField { address, field })
    };
    Ok(Observation { players: layout.players().map(player).collect::<Result<_, String>>()? })
}

/// Reads the fields from sample to sample.
#[derive(Debug, Clone, Default)]
pub struct Tracker;

impl Tracker {
    /// Takes the next sample.
    ///
    /// # Errors
    /// See [`observe`].
    pub fn look(&mut self, look: &Look<'_>) -> Result<Arc<Observation>, String> {
        observe(look.snapshot, look.profile).map(Arc::new)
    }

    /// There is nothing that could be checked.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        Verdict::default()
    }
}
