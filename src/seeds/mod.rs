//! Generator and searcher: states from pools, from what was seen.

pub mod pieces;
pub mod puyo_20th;
pub mod puyo_tsu;
pub mod text;

use std::sync::mpsc::{Receiver, TryRecvError};

/// The thread of a search ended without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the search crashed")]
pub struct Crashed;

/// What a search on another thread has found; None while it runs.
///
/// # Errors
/// [`Crashed`] when its thread has ended without an answer: there will never be one.
pub(crate) fn poll<T>(answers: &Receiver<T>) -> Result<Option<T>, Crashed> {
    match answers.try_recv() {
        Ok(answer) => Ok(Some(answer)),
        Err(TryRecvError::Empty) => Ok(None),
        Err(TryRecvError::Disconnected) => Err(Crashed),
    }
}
