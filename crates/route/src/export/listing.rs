//! A route as JSON (via serde) and CSV.

use super::super::inputs::find_all_inputs;
use super::super::{FrameTable, Frames, Route, StepGarbage};
use super::{ExportError, puyop_link};
use nextscope_boards::puyo::{Field, Rotation, to_code, to_rows};
use nextscope_games::json::field_code;
use nextscope_games::profile::FrameStatus;
use nextscope_games::text::counted;
use serde::Serialize;

/// A board as text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ListedBoard {
    /// The rows as letters, the top one first, without the empty rows above the highest puyo.
    pub rows: Vec<String>,
    /// The field code; null if the board is empty, or has a hard block or a fourteenth row.
    pub code: Option<String>,
}

impl ListedBoard {
    fn of(field: &Field) -> Self {
        Self { rows: to_rows(field), code: field_code(to_code(field).ok()) }
    }
}

/// One pair of a route.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ListedPair {
    /// The number, from 1.
    pub number: usize,
    /// Axis and child, "RB".
    pub pair: String,
    /// The axis column, from 1.
    pub column: usize,
    /// The position of the child relative to the axis.
    pub rotation: Rotation,
    /// The taps to the placement, after which Down is held: L, R, A (anticlockwise), B (clockwise), D.
    pub inputs: String,
    /// The board with the pair, before groups pop.
    pub landed: ListedBoard,
    /// Steps of the chain.
    pub chain: u32,
    /// Points of the chain.
    pub score: u32,
    /// The garbage of this pair.
    pub garbage: StepGarbage,
    /// The board after the chain and the garbage.
    pub after: ListedBoard,
    /// Whether this pair's boards are the same for all columns that the game may draw for garbage; otherwise they are an example.
    pub boards_certain: bool,
    /// The same for the taps.
    pub inputs_certain: bool,
    /// Frames from when the first pair can be moved until this one can; null without a frame table.
    pub at_frame: Option<u32>,
    /// Frames of this pair; null without a frame table.
    pub frames: Option<Frames>,
}

/// A route as a list of its pairs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Listing {
    /// The board before the first pair.
    pub start: ListedBoard,
    /// The number of pairs placed.
    pub pairs_used: usize,
    /// Steps of the longest chain.
    pub chain: u32,
    /// Points of all chains.
    pub score: u32,
    /// Garbage for the opponent.
    pub garbage: u32,
    /// Total frames; null without a frame table.
    pub frames: Option<u32>,
    /// Whether a movie with the frame table was played in the running game; null without a table.
    pub frames_confirmed: Option<bool>,
    /// How far the frame table was checked; null without one.
    pub frames_status: Option<FrameStatus>,
    /// Whether the frames contain those of falling garbage; null without a frame table.
    pub frames_complete: Option<bool>,
    /// The link that plays the route on puyop.com; null if the first board has no field code, or garbage falls.
    pub puyop: Option<String>,
    /// The pairs.
    pub steps: Vec<ListedPair>,
}

const COLUMNS: [&str; 26] = [
    "number",
    "pair",
    "column",
    "rotation",
    "inputs",
    "chain",
    "score",
    "landed",
    "landed_code",
    "after",
    "after_code",
    "at_frame",
    "frames",
    "frames_move",
    "frames_fall",
    "frames_lock",
    "frames_chain",
    "frames_next",
    "garbage_arrived",
    "garbage_offset",
    "garbage_sent",
    "garbage_fell",
    "garbage_drawn",
    "garbage_waiting",
    "boards_certain",
    "inputs_certain",
];

impl Listing {
    /// Lists a route; with frames if there is a table for them.
    ///
    /// # Errors
    /// If no inputs bring a pair to its placement.
    pub fn of(route: &Route, table: Option<&FrameTable>) -> Result<Self, ExportError> {
        let carried = find_all_inputs(route)?;
        let mut passed = 0;
        let steps = route.steps.iter().zip(&carried).enumerate().map(|(nth, (step, way))| {
            let certain = route.certainty(nth);
            let frames = table.map(|table| table.cost(step, way, route.rules));
            let at_frame = frames.map(|_| passed);
            passed += frames.map_or(0, Frames::total);
            ListedPair {
                number: nth + 1,
                pair: step.pair.letters(),
                column: step.placement.column() + 1,
                rotation: step.placement.rotation(),
                inputs: way.letters(),
                landed: ListedBoard::of(&step.landed),
                chain: step.fired.chain,
                score: step.fired.score,
                garbage: step.garbage,
                after: ListedBoard::of(&step.after),
                boards_certain: certain.landed && certain.after,
                inputs_certain: certain.inputs,
                at_frame,
                frames,
            }
        });
        let steps: Vec<ListedPair> = steps.collect();
        Ok(Self {
            start: ListedBoard::of(&route.start),
            pairs_used: steps.len(),
            chain: route.chain,
            score: route.score,
            garbage: route.garbage(),
            frames: table.map(|_| passed),
            frames_confirmed: table.map(FrameTable::confirmed),
            frames_status: table.map(|table| table.status),
            frames_complete: table.map(|table| table.is_complete_for(route)),
            puyop: puyop_link(route).ok(),
            steps,
        })
    }

    /// The frames in words, such as "812 frames (times are estimates)"; None without a frame table.
    pub fn frames_text(&self) -> Option<String> {
        let falls = self.steps.iter().filter(|step| step.garbage.fell > 0).count() as u64;
        let missing = if self.frames_complete == Some(true) || falls == 0 {
            String::new()
        } else {
            format!(", without the time of {} of garbage", counted(falls, "fall"))
        };
        let caution = self.frames_status.and_then(FrameStatus::caution);
        let caution = caution.map_or_else(String::new, |caution| format!(" ({caution})"));
        self.frames.map(|frames| format!("{}{missing}{caution}", counted(frames.into(), "frame")))
    }

    /// The listing as pretty-printed JSON.
    ///
    /// # Errors
    /// If serialization fails.
    pub fn json(&self) -> Result<String, ExportError> {
        let packing =
            |error: serde_json::Error| ExportError::Packing { what: "JSON", why: error.to_string() };
        serde_json::to_string_pretty(self).map(|text| text + "\n").map_err(packing)
    }

    /// The pairs as CSV with a header line. Boards are rows joined by `/`; unknown values are empty.
    ///
    /// # Errors
    /// If the CSV writer fails.
    pub fn csv(&self) -> Result<String, ExportError> {
        let packing = |why: String| ExportError::Packing { what: "CSV", why };
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(COLUMNS).map_err(|error| packing(error.to_string()))?;
        for step in &self.steps {
            let number = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
            let part = |of: fn(Frames) -> u32| number(step.frames.map(of));
            let record = [
                step.number.to_string(),
                step.pair.clone(),
                step.column.to_string(),
                step.rotation.name().to_owned(),
                step.inputs.clone(),
                step.chain.to_string(),
                step.score.to_string(),
                step.landed.rows.join("/"),
                step.landed.code.clone().unwrap_or_default(),
                step.after.rows.join("/"),
                step.after.code.clone().unwrap_or_default(),
                number(step.at_frame),
                part(Frames::total),
                part(|frames| frames.moving),
                part(|frames| frames.fall),
                part(|frames| frames.lock),
                part(|frames| frames.chain),
                part(|frames| frames.next),
                step.garbage.arrived.to_string(),
                step.garbage.offset.to_string(),
                step.garbage.sent.to_string(),
                step.garbage.fell.to_string(),
                step.garbage.drawn.to_string(),
                step.garbage.waiting.to_string(),
                step.boards_certain.to_string(),
                step.inputs_certain.to_string(),
            ];
            writer.write_record(record).map_err(|error| packing(error.to_string()))?;
        }
        let bytes = writer.into_inner().map_err(|error| packing(error.to_string()))?;
        String::from_utf8(bytes).map_err(|error| packing(error.to_string()))
    }
}
