//! Steps as they can be taken back.

use super::block::Block;
use super::condition::Condition;

/// One step as it can be taken back: the blocks that it changed, as they were.
#[derive(Debug, Clone)]
pub(super) struct Record {
    pub condition: Option<Condition>,
    pub blocks: Vec<(usize, Block)>,
    /// Bytes that only this record holds.
    pub memory: u64,
    pub values_kept: bool,
    pub joined: bool,
}

impl Record {
    /// One that holds nothing yet.
    pub fn new() -> Self {
        Self { condition: None, blocks: Vec::new(), memory: 0, values_kept: true, joined: false }
    }

    /// Adds a record that follows this one: what this one holds already is older and stays.
    pub fn join(&mut self, next: Self) {
        let had = self.blocks.len();
        for (nth, block) in next.blocks {
            if self.blocks[..had].binary_search_by_key(&nth, |(nth, _)| *nth).is_err() {
                self.memory += block.memory() as u64;
                self.blocks.push((nth, block));
            }
        }
        self.blocks.sort_unstable_by_key(|(nth, _)| *nth);
        self.values_kept &= next.values_kept;
    }

    /// Forgets the values that stood then, but not the candidates.
    pub fn give_up_values(&mut self) {
        let mut memory = 0;
        for (_, block) in &mut self.blocks {
            self.values_kept &= block.last.is_none() && block.first.is_none();
            (block.last, block.first) = (None, None);
            memory += block.bits.memory() as u64;
        }
        self.memory = memory;
    }
}
