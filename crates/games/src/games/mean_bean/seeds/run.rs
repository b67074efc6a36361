//! A run of the search: where the states go, and when it ends.

use crate::games::mean_bean::rng::State;
use nextscope_task::Progress;
use std::sync::mpsc::Sender;

/// The most states in a result: observations that match more say too little.
pub const MAX_STATES: usize = 1 << 24;

/// Low words that end in A.
pub(super) const LOW_WORDS: u32 = 1 << 12;

/// Where the states go as they are found, and what is counted and asked meanwhile.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    pub progress: &'a Progress,
    pub sink: Option<&'a Sender<Vec<State>>>,
}

impl Run<'_> {
    pub fn ended(self) -> bool {
        self.progress.is_over() || self.progress.found() > MAX_STATES as u64
    }

    pub fn send(self, states: &[State]) {
        self.progress.add_found(states.len() as u64);
        if let (Some(sink), false) = (self.sink, states.is_empty()) {
            let _ = sink.send(states.to_vec()); // the receiver may be gone
        }
    }
}
