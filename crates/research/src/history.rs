//! The undo history.

use super::block::Block;
use super::condition::Condition;

/// One undo step: the blocks that it changed, as they were.
#[derive(Debug, Clone)]
pub(super) struct Record {
    pub condition: Option<Condition>,
    pub blocks: Vec<(usize, Block)>,
    /// Bytes that no other part of the search shares.
    pub memory: u64,
    pub values_known: bool,
    pub joined: bool,
}

impl Record {
    pub fn new() -> Self {
        Self { condition: None, blocks: Vec::new(), memory: 0, values_known: true, joined: false }
    }

    /// Adds the record of the next step; blocks that are in this one are older and stay.
    pub fn join(&mut self, next: Self) {
        let had = self.blocks.len();
        for (nth, block) in next.blocks {
            if self.blocks[..had].binary_search_by_key(&nth, |(nth, _)| *nth).is_err() {
                self.memory += block.memory() as u64;
                self.blocks.push((nth, block));
            }
        }
        self.blocks.sort_unstable_by_key(|(nth, _)| *nth);
        self.values_known &= next.values_known;
    }

    /// Drops the values but not the candidates.
    pub fn drop_values(&mut self) {
        let mut memory = 0;
        for (_, block) in &mut self.blocks {
            self.values_known &= block.last.is_none() && block.first.is_none();
            (block.last, block.first) = (None, None);
            memory += block.bits.memory() as u64;
        }
        self.memory = memory;
    }
}
