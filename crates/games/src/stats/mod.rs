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
mod source;
mod tally;

pub use crate::games::piece::{ChanceBasis, Chances};
pub use entropy::{EntropyEstimate, bits, no_memory};
pub use error::Estimate;
pub use figures::{Drought, DroughtsOver, Figures, Flood, MAX_OVER, Predictability, Snakes, Window};
pub use limits::{Bounds, SweepRow, max_bits, sweep, sweep_total};
pub use measure::{Choices, MAX_PIECES, Measured, SampleSize, Subject, UnknownSubject, measure};
pub use pools::{PoolFigures, measure_pools, pool_definitions, pool_table};
pub use report::{DEFINITIONS, ReportLine, csv, json, lines, sweep_csv, sweep_table, table};
pub use source::{
    NotMeasured, PieceSource, PoolFacts, PoolSource, Rating, Source, SourceFacts, declared_name,
};
pub use tally::Tally;
