//! States that a search prints as it finds them.

use crate::json::{Envelope, Kind};
use crate::options::OptionValues;
use crate::pairs::Format;
use serde::Serialize;
use std::fmt::Display;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

#[derive(Serialize)]
struct Streamed {
    state: String,
}

/// The states found since the last call, as lines.
pub(crate) struct StateStream<S> {
    format: Format,
    /// For the search.
    pub sink: Sender<Vec<S>>,
    received: Mutex<Received<S>>,
}

struct Received<S> {
    /// Whether the first line is still to come.
    header: bool,
    states: Receiver<Vec<S>>,
}

impl<S: Display> StateStream<S> {
    /// With the option `stream` only.
    pub fn new(values: &OptionValues, format: Format) -> Option<Self> {
        let (sink, states) = channel();
        let received = Mutex::new(Received { header: format == Format::Csv, states });
        values.has("stream").then_some(Self { format, sink, received })
    }

    /// The lines, the header of comma-separated values first.
    pub fn lines(&self) -> Vec<String> {
        let mut received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
        let header = std::mem::take(&mut received.header).then(|| "state\n".to_owned());
        let line = |state: S| match self.format {
            Format::Json => {
                Envelope::new(Kind::FindState, Streamed { state: state.to_string() }).text() + "\n"
            }
            Format::Text | Format::Csv => format!("{state}\n"),
        };
        header.into_iter().chain(received.states.try_iter().flatten().map(line)).collect()
    }
}
