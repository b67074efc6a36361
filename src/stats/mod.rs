//! Randomizer statistics: droughts, floods and predictability, measured for any randomizer.
//!
//! The definitions are those of raincomplex's `analysis.py` (reference 3.9), listed in [`DEFINITIONS`].

mod entropy;
mod error;
mod figures;
mod limits;
mod measure;
mod pools;
mod report;
mod tally;

pub use crate::game::piece::{Chances, Known};
pub use entropy::{Counted, bits, no_memory};
pub use error::Estimate;
pub use figures::{Drought, DroughtsOver, Figures, Flood, MOST_OVER, Predictability, Snakes, Window};
pub use limits::{Bounds, Trade, most_bits, sweep, sweep_total};
pub use measure::{
    Choices, MOST_PIECES, Measured, Progress, Rating, Sample, Subject, UnknownSubject, measure,
};
pub use pools::{POOL_DEFINITIONS, PoolFigures, PoolGame, measure_pools, pool_table};
pub use report::{DEFINITIONS, Line, csv, json, lines, sweep_csv, sweep_table, table};
pub use tally::Tally;
