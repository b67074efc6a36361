//! Pochi & Nyaa live: the players' fields, where a profile says that they stand. Nothing is foretold and nothing checked: the game's
//! randomizer is not known.

use super::{
    GameObservation, GameTracker, NOTHING_FORETOLD, Never, ObservedBoard, SampleContext, Shown, Step, Totals,
    Verdict,
};
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

impl GameTracker for Tracker {
    type Observation = Observation;
    type Prediction = Never;

    fn reset(&mut self) {}

    fn update(&mut self, sample: &SampleContext<'_>, _: &mut Totals) -> Step<Observation, Never> {
        match observe(sample.snapshot, sample.profile) {
            Ok(observation) => {
                Step { observation: Ok(Arc::new(observation)), prediction: None, mismatches: Vec::new() }
            }
            Err(why) => Step::unreadable(&why),
        }
    }

    fn checkpoint(&self) -> Self {
        Self
    }

    fn verdict(&self) -> Verdict {
        Verdict::default() // there is nothing to check
    }
}

impl GameObservation for Observation {
    type Prediction = Never;

    fn view(&self, prediction: &Never) -> Shown {
        match *prediction {}
    }

    fn without_prediction(&self) -> String {
        NOTHING_FORETOLD.to_owned()
    }

    fn details(&self, _: Option<&Never>) -> serde_json::Value {
        #[derive(Serialize)]
        struct Details {
            fields: Vec<Board>,
        }
        #[derive(Serialize)]
        struct Board {
            address: String,
            /// Rows of R G B Y and dots, the top one first.
            rows: Option<Vec<String>>,
            reason: Option<String>,
        }
        let board = |board: ObservedBoard| Board {
            address: board.address.to_string(),
            reason: board.rows.as_ref().err().cloned(),
            rows: board.rows.ok(),
        };
        crate::json::value(&Details { fields: self.boards().into_iter().map(board).collect() })
    }

    fn same_pools(&self, _: &Self) -> bool {
        true
    }

    fn round_key(&self) -> Vec<u8> {
        format!("{:?}", self.players).into_bytes()
    }

    fn boards(&self) -> Vec<ObservedBoard> {
        let board = |(number, player): (usize, &PlayerField)| ObservedBoard {
            title: format!("Player {}", number + 1),
            address: player.address,
            rows: match &player.field {
                Ok(field) => Ok(field.to_text().lines().map(str::to_owned).collect()),
                Err(why) => Err(why.to_string()),
            },
        };
        self.players.iter().enumerate().map(board).collect()
    }
}
