//! What a player types while the game runs.

use crate::cli::exit::Failure;
use crate::research::learn::WrittenDeals;
use std::io::BufRead;
use std::sync::mpsc::{Receiver, TryRecvError, channel};

/// Standard input, a line at a time.
pub struct Typed(Receiver<String>);

impl Typed {
    /// Begins to read standard input.
    pub fn read() -> Self {
        let (send, receive) = channel();
        std::thread::spawn(move || {
            for line in std::io::stdin().lock().lines() {
                let Ok(line) = line else { break };
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        Self(receive)
    }

    /// Takes what was typed until now; false at the end.
    pub fn next(&self, newest: usize, written: &mut WrittenDeals) -> Result<bool, Failure> {
        loop {
            match self.0.try_recv() {
                Ok(line) if line.trim().is_empty() => return Ok(false),
                Ok(line) => {
                    written.write(&line, newest).map_err(|error| Failure::BadInput(error.to_string()))?;
                }
                Err(TryRecvError::Empty) => return Ok(true),
                Err(TryRecvError::Disconnected) => return Ok(false),
            }
        }
    }
}
