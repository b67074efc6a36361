//! Exit statuses, and the errors that have one of their own.

use super::interrupt;

/// How a command ended; decides the exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Verified or found: status 0.
    Success,
    /// Mismatch or nothing found: status 1.
    Negative,
    /// Interrupted; the results so far were printed: status 130.
    Interrupted,
}

impl Exit {
    /// [`Exit::Success`] for a positive answer, [`Exit::Negative`] otherwise.
    pub fn from_answer(positive: bool) -> Self {
        if positive { Self::Success } else { Self::Negative }
    }

    /// [`Exit::Interrupted`] after Ctrl+C. For work that has an end of its own: where Ctrl+C is the normal end, the answer counts.
    pub fn unless_interrupted(self) -> Self {
        if interrupt::is_requested() { Self::Interrupted } else { self }
    }

    pub fn status(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Negative => 1,
            Self::Interrupted => 130,
        }
    }
}

/// Returns [`Failure::BadInput`]; the arguments are those of `format!`.
macro_rules! bail_input {
    ($($what:tt)*) => {
        return Err($crate::cli::exit::Failure::BadInput(format!($($what)*)).into())
    };
}

pub(super) use bail_input;

/// An error with an exit status of its own. The first line of its text is the message, the lines after it are hints.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Wrong use or bad input: status 2.
    #[error("{0}")]
    BadInput(String),
    /// The emulator or its memory cannot be reached: status 3.
    #[error("{0}")]
    Unreachable(String),
    /// Interrupted before there was a result: status 130.
    #[error("{0}")]
    Interrupted(String),
}

impl Failure {
    pub fn status(&self) -> u8 {
        match self {
            Self::BadInput(_) => 2,
            Self::Unreachable(_) => 3,
            Self::Interrupted(_) => Exit::Interrupted.status(),
        }
    }

    #[must_use]
    pub fn with_hint(mut self, hint: &str) -> Self {
        let (Self::BadInput(text) | Self::Unreachable(text) | Self::Interrupted(text)) = &mut self;
        text.push('\n');
        text.push_str(hint);
        self
    }
}
