//! The results of a search by structure as a table.

use super::board::BoardHit;
use super::pools::{FoundPool, PoolState};
use super::rng::{Advance, Recurrence, RngHit};
use super::sequence::SequenceHit;
use super::session::StepOutcome;
use nextscope_memory::console::Endian;

/// Results as a table, one row per address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultTable {
    /// The columns; an empty name is no column.
    pub columns: [&'static str; 4],
    /// The rows; the first cell is the address.
    pub rows: Vec<[String; 4]>,
    /// The message when there are no rows.
    pub empty: &'static str,
}

impl StepOutcome {
    /// The results of a search by structure; None for other steps.
    pub fn table(&self) -> Option<ResultTable> {
        let table = |columns, rows, empty| Some(ResultTable { columns, rows, empty });
        match self {
            Self::Pools(found) => {
                let rows = found.iter().map(pool).collect();
                table(["address", "pool", "order", "state"], rows, "No pool was found")
            }
            Self::Sequences(found) => {
                let rows = found.iter().map(sequence).collect();
                table(["address", "stride", "codes", ""], rows, "The sequence was not found")
            }
            Self::Boards(found) => {
                let rows = found.iter().map(board).collect();
                table(["address", "strides", "codes", "mask"], rows, "The board was not found")
            }
            Self::Generators(found) => {
                let rows = found.iter().map(generator).collect();
                table(["address", "order", "generator", "advances"], rows, "No cell follows a generator")
            }
            _ => None,
        }
    }
}

fn pool(pool: &FoundPool) -> [String; 4] {
    let (what, order, state) = match &pool.pools {
        PoolState::Seeded { pool: id, order, seeds } => {
            let seeds: Vec<String> = seeds.iter().map(u32::to_string).collect();
            (id.to_string(), format!("{order:?}"), seeds.join(" "))
        }
        PoolState::Round { kind, color_sets, before, .. } => {
            let set = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>();
            let sets: Vec<String> =
                color_sets.iter().map(|near| format!("{} at {}", set(&near.set), near.address)).collect();
            let order = color_sets.first().map_or_else(String::new, |near| format!("{:?}", near.order));
            let (order, state) = match before {
                None => (order, String::new()),
                Some(before) if before.states.is_empty() => (order, "; no state produces this round".into()),
                Some(before) => {
                    let state = |(before, after): &(u32, u32)| {
                        format!("; state {before:08X} before the round, {after:08X} after it")
                    };
                    (format!("{:?}", before.order), before.states.iter().map(state).collect())
                }
            };
            (kind.name.to_owned(), order, sets.join(", ") + &state)
        }
    };
    [pool.address.to_string(), format!("{} {what}", pool.game), order, state]
}

fn sequence(hit: &SequenceHit) -> [String; 4] {
    [hit.address.to_string(), hit.stride.to_string(), codes(&hit.codes), String::new()]
}

fn board(hit: &BoardHit) -> [String; 4] {
    let strides = format!("{} right, {} down", hit.column_stride, hit.row_stride);
    [hit.address.to_string(), strides, codes(&hit.codes), format!("0x{:02X}", hit.mask)]
}

fn generator(hit: &RngHit) -> [String; 4] {
    let order = if hit.order == Endian::Big { "big-endian" } else { "little-endian" };
    let what = match &hit.recurrence {
        Recurrence::Known { name, multiplier, increment } => {
            format!("{name}: state * 0x{multiplier:X} + 0x{increment:X}")
        }
        Recurrence::Linear { bits, multiplier, certain_bits, increment, frames } => format!(
            "state * 0x{multiplier:X} + 0x{increment:X} modulo 2^{bits} every {frames} frames ({certain_bits} bits certain)"
        ),
        Recurrence::Counted { name, .. } => (*name).to_owned(),
        Recurrence::Calls { name, explained, unexplained } => {
            let calls: String = explained.iter().map(|(what, count)| format!("{count} {what}, ")).collect();
            format!("{name}; {calls}{unexplained} intervals unexplained")
        }
    };
    let mut advance = match &hit.advance {
        Advance::EveryFrame(steps) => format!("{steps} a frame"),
        Advance::Each(steps) => spread(steps),
        Advance::SameInEach => "the same in each interval".into(),
        Advance::Unknown => "when the game draws".into(),
    };
    if hit.jumps > 0 {
        advance += &format!("; reseeded {} times", hit.jumps);
    }
    [hit.address.to_string(), order.to_owned(), what, advance]
}

fn codes(codes: &[(u8, u8)]) -> String {
    let table: Vec<String> =
        codes.iter().map(|(symbol, code)| format!("{} = {code:02X}", char::from(*symbol))).collect();
    table.join(", ")
}

/// Summarizes the steps of many intervals.
fn spread(steps: &[u32]) -> String {
    let sum: u64 = steps.iter().map(|steps| u64::from(*steps)).sum();
    let least = steps.iter().min().copied().unwrap_or(0);
    let most = steps.iter().max().copied().unwrap_or(0);
    #[expect(clippy::cast_precision_loss, reason = "for people")]
    let mean = sum as f64 / steps.len().max(1) as f64;
    format!("{least} to {most} from sample to sample, {mean:.2} on average")
}
