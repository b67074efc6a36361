//! A shorter recording out of a longer one.

use super::{Cursor, Event, Header, Recording, RecordingError, Sample, Writer};
use std::io::Write;
use std::ops::Range;
use std::time::Duration;

/// Why nothing could be cut out.
#[derive(Debug, thiserror::Error)]
pub enum CutError {
    /// A sample cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// The new one cannot be written.
    #[error("the file cannot be written: {0}")]
    Write(#[from] std::io::Error),
}

/// Writes these samples, and what happened between them, as a recording of their own, whose time begins with the first of them. What
/// was said of the longer one (annotations) is left out.
///
/// # Errors
/// [`CutError`].
pub fn cut<W: Write>(recording: &Recording, samples: Range<u64>, to: W) -> Result<W, CutError> {
    let mut cursor = Cursor::default();
    let begins = match cursor.elapsed(recording, samples.start) {
        Ok(begins) => begins,
        Err(RecordingError::NoSample { .. }) => Duration::ZERO,
        Err(error) => return Err(error.into()),
    };
    let Range { start, end } = samples;
    let header = |section: usize| -> Header {
        let section = &recording.sections()[section];
        // Of a connection that goes on here only the time is another.
        let late = if section.first < start { begins.as_secs() } else { 0 };
        Header { started: section.header.started.saturating_add(late), ..section.header.clone() }
    };
    let mut section = recording.section_of(start);
    let mut writer = Writer::new(to, &header(section))?;
    let range = format!("samples {} to {} of {}", start, end, recording.name());
    writer.event(&Event::Note(format!("cut out: {range}")))?;
    let mut events = recording.events().iter().peekable();
    // The profile that was in use by then.
    let mut profile = None;
    let connected = recording.sections()[section].first;
    while let Some((at, event)) = events.next_if(|(at, _)| *at < start) {
        if *at >= connected
            && let Event::Profile(_) = event
        {
            profile = Some(event);
        }
    }
    if let Some(event) = profile {
        writer.event(event)?;
    }
    for index in start..end {
        while let Some((_, event)) = events.next_if(|(at, _)| *at <= index) {
            writer.event(event)?;
        }
        let now = recording.section_of(index);
        if now != section {
            section = now;
            writer.event(&Event::Attached(Box::new(header(section))))?;
        }
        let sample = cursor.sample(recording, index)?;
        writer.sample(&Sample { elapsed: sample.elapsed.saturating_sub(begins), ..sample })?;
    }
    Ok(writer.finish()?)
}
