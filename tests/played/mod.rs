//! Games that are played frame by frame in RAM images, by their models and the published addresses; a session looks at each frame.
//! Games beside these: `board_game` (Puyo Puyo Tsu's boards), `pochi_ram`.

#![allow(dead_code, reason = "each test program uses its part")]

pub mod anniversary;
pub mod arcade;
pub mod bean;
pub mod bloxeed;
pub mod board;
pub mod mario;
pub mod nes;

use nextscope::console::Snapshot;

/// The samples of a game and the frames in which they were taken, for further checks; None if they are not recorded.
pub type Recorded = Option<Vec<(Snapshot, u64)>>;

/// Records a sample, if samples are recorded.
fn record(recorded: &mut Recorded, snapshot: &Snapshot, frame: u64) {
    if let Some(samples) = recorded {
        samples.push((snapshot.clone(), frame));
    }
}
