//! JSON of what `scan` finds by structure.

use crate::console::StorageOrder;
use crate::json::ColorOrder;
use crate::research::{BoardHit, FoundPool, PoolState, ResultTable, SequenceHit, StepOutcome};
use serde::Serialize;

#[derive(Serialize)]
pub struct Found {
    /// `pools`, `sequences`, `boards` or `generators`.
    structure: &'static str,
    found: Vec<Hit>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Hit {
    Pools(Pools),
    Sequence { address: String, stride: i32, codes: Vec<SymbolCode> },
    Board { address: String, column_stride: i32, row_stride: i32, mask: String, codes: Vec<SymbolCode> },
    Generator { address: String, order: String, generator: String, advances: String },
}

#[derive(Serialize)]
struct Pools {
    address: String,
    game: &'static str,
    /// The number of colours of a single pool.
    colors: Option<usize>,
    /// The kind of round: `versus`.
    mode: Option<&'static str>,
    /// None if unknown.
    order: Option<StorageOrder>,
    seeds: Vec<String>,
    color_sets: Vec<ColorSet>,
    /// The states that generate the round; None if they were not searched.
    states: Option<Vec<RoundStates>>,
}

#[derive(Serialize)]
struct ColorSet {
    address: String,
    order: StorageOrder,
    color_order: ColorOrder,
}

#[derive(Serialize)]
struct RoundStates {
    state: String,
    state_after: String,
}

#[derive(Serialize)]
struct SymbolCode {
    symbol: char,
    code: String,
}

impl Found {
    /// The result of a step, whose text is `table`; None if the step does not search by structure.
    pub fn of(said: &StepOutcome, table: &ResultTable) -> Option<Self> {
        let (structure, found) = match said {
            StepOutcome::Pools(found) => {
                ("pools", found.iter().map(|pools| Hit::Pools(Pools::of(pools))).collect())
            }
            StepOutcome::Sequences(found) => ("sequences", found.iter().map(sequence).collect()),
            StepOutcome::Boards(found) => ("boards", found.iter().map(board).collect()),
            StepOutcome::Generators(_) => {
                let row = |[address, order, generator, advances]: &[String; 4]| Hit::Generator {
                    address: address.clone(),
                    order: order.clone(),
                    generator: generator.clone(),
                    advances: advances.clone(),
                };
                ("generators", table.rows.iter().map(row).collect())
            }
            _ => return None,
        };
        Some(Self { structure, found })
    }
}

impl Pools {
    fn of(found: &FoundPool) -> Self {
        let (address, game) = (found.address.to_string(), found.game.id());
        match &found.pools {
            PoolState::Seeded { pool, order, seeds } => Self {
                address,
                game,
                colors: Some(pool.colors()),
                mode: None,
                order: Some(*order),
                seeds: seeds.iter().map(|seed| found.state_text(*seed)).collect(),
                color_sets: Vec::new(),
                states: None,
            },
            PoolState::Round { kind, color_sets, before, .. } => Self {
                address,
                game,
                colors: None,
                mode: Some(kind.name),
                order: before
                    .as_ref()
                    .map(|before| before.order)
                    .or(color_sets.first().map(|near| near.order)),
                seeds: Vec::new(),
                color_sets: color_sets
                    .iter()
                    .map(|near| ColorSet {
                        address: near.address.to_string(),
                        order: near.order,
                        color_order: ColorOrder::of_set(&near.set),
                    })
                    .collect(),
                states: before.as_ref().map(|before| {
                    let states = before.states.iter();
                    states
                        .map(|(state, after)| RoundStates {
                            state: found.state_text(*state),
                            state_after: found.state_text(*after),
                        })
                        .collect()
                }),
            },
        }
    }
}

fn sequence(hit: &SequenceHit) -> Hit {
    Hit::Sequence { address: hit.address.to_string(), stride: hit.stride, codes: codes(&hit.codes) }
}

fn board(hit: &BoardHit) -> Hit {
    Hit::Board {
        address: hit.address.to_string(),
        column_stride: hit.column_stride,
        row_stride: hit.row_stride,
        mask: format!("0x{:02X}", hit.mask),
        codes: codes(&hit.codes),
    }
}

fn codes(codes: &[(u8, u8)]) -> Vec<SymbolCode> {
    let code =
        |(symbol, code): &(u8, u8)| SymbolCode { symbol: char::from(*symbol), code: format!("{code:02X}") };
    codes.iter().map(code).collect()
}
