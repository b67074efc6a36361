//! Seed searches: from observed pieces, pairs or pools to the generator states that produce them.

pub mod pieces;
pub mod puyo_20th;
pub mod puyo_tsu;
pub mod text;

use std::sync::mpsc::{Receiver, TryRecvError};

/// The search thread ended without a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the search crashed")]
pub struct Crashed;

/// The result of a search on another thread; None while it runs.
///
/// # Errors
/// [`Crashed`] if the thread ended without a result.
pub fn poll<T>(answers: &Receiver<T>) -> Result<Option<T>, Crashed> {
    match answers.try_recv() {
        Ok(answer) => Ok(Some(answer)),
        Err(TryRecvError::Empty) => Ok(None),
        Err(TryRecvError::Disconnected) => Err(Crashed),
    }
}
