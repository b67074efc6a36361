//! Pochi & Nyaa live: the players' fields, at the addresses of the profile. The game's randomizer is unknown, so nothing is predicted
//! or checked.

use crate::live::{
    GameObservation, GameTracker, NO_PREDICTOR, Never, ObservedBoard, PredictionView, SampleContext, Step,
    Totals, Verdict,
};
use crate::profile::{BoardCell, BoardLayout, Profile};
use nextscope_boards::pochi::{Color, Field};
use nextscope_memory::console::{ConsoleAddr, Snapshot};
use serde::Serialize;
use std::fmt;
use std::sync::Arc;

/// Invalid codes listed in an error.
const MAX_CODES: usize = 4;

/// A player's field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerField {
    /// The address of its top left cell.
    pub address: ConsoleAddr,
    /// The field, or why its cells are not a field.
    pub field: Result<Field, NotAField>,
}

/// The players' fields at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// The players' fields in order; only one when the address of the second player's field is unknown.
    pub players: Vec<PlayerField>,
}

/// Unknown codes in a field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NotAField {
    /// Cells with such codes.
    pub cells: usize,
    /// All cells of the field.
    pub of: usize,
    /// The first of them: column, row, code.
    pub first: Vec<(usize, usize, u8)>,
    /// Colours without a code in the profile.
    pub open: Vec<&'static str>,
}

impl fmt::Display for NotAField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let codes: Vec<String> =
            self.first.iter().map(|(x, y, code)| format!("{code:02X} at {x},{y}")).collect();
        let more = if self.cells > self.first.len() { " ..." } else { "" };
        write!(
            f,
            "not a field: {} of {} cells contain unknown codes ({}{more})",
            self.cells,
            self.of,
            codes.join(", ")
        )?;
        if !self.open.is_empty() {
            write!(f, "; the profile has no code for {}", self.open.join(" and "))?;
        }
        Ok(())
    }
}

/// The field whose top left cell is at `address`; None when it is not in the snapshot.
pub fn read_field(
    snapshot: &Snapshot,
    layout: &BoardLayout,
    address: ConsoleAddr,
) -> Option<Result<Field, NotAField>> {
    let cells = layout.cells(snapshot, address)?;
    let columns = usize::from(layout.columns);
    let mut field = Field::empty(columns, usize::from(layout.rows)).ok()?;
    let mut unknown = Vec::new();
    let positions: Vec<_> = field.places().collect();
    for ((at, cell), position) in cells.iter().enumerate().zip(positions) {
        match cell {
            BoardCell::Empty => {}
            BoardCell::Block(color) => field.set(position, Color::ALL.get(*color).copied()),
            BoardCell::Unknown(code) => unknown.push((at % columns, at / columns, *code)),
        }
    }
    if unknown.is_empty() {
        return Some(Ok(field));
    }
    let (count, open) = (unknown.len(), layout.unknown_colors().collect());
    unknown.truncate(MAX_CODES);
    Some(Err(NotAField { cells: count, of: cells.len(), first: unknown, open }))
}

/// Reads the players' fields.
///
/// # Errors
/// When the profile lacks their addresses; the message names the command that finds them.
pub fn observe(snapshot: &Snapshot, profile: &Profile) -> Result<Observation, String> {
    let layout = profile.board.as_ref().ok_or_else(|| {
        format!(
            "the address of the field is unknown; find it with `nextscope profile locate --profile {} --board FILE --remember`",
            profile.id
        )
    })?;
    let player = |address| {
        let field = read_field(snapshot, layout, address)
            .ok_or_else(|| format!("the field at {address} is outside of the snapshot"))?;
        Ok(PlayerField { address, field })
    };
    Ok(Observation { players: layout.players().map(player).collect::<Result<_, String>>()? })
}

/// Reads the fields of each sample.
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

    fn view(&self, prediction: &Never) -> PredictionView {
        match *prediction {}
    }

    fn without_prediction(&self) -> String {
        NO_PREDICTOR.to_owned()
    }

    fn details(&self, _: Option<&Never>) -> serde_json::Value {
        #[derive(Serialize)]
        struct Details {
            fields: Vec<Board>,
        }
        #[derive(Serialize)]
        struct Board {
            address: String,
            /// Rows of R G B Y and dots, top row first.
            rows: Option<Vec<String>>,
            reason: Option<String>,
        }
        let board = |board: ObservedBoard| Board {
            address: board.address.to_string(),
            reason: board.rows().err(),
            rows: board.rows().ok(),
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
        let board = |(index, player): (usize, &PlayerField)| ObservedBoard {
            title: format!("Player {}", index + 1),
            address: player.address,
            field: player.field.clone().map_err(|why| why.to_string()),
        };
        self.players.iter().enumerate().map(board).collect()
    }
}
