//! Copies a part of a recording into a new one.

use super::{Cursor, Event, Header, Recording, RecordingError, Sample, Writer};
use std::io::Write;
use std::ops::Range;
use std::time::Duration;

/// Why a part could not be copied.
#[derive(Debug, thiserror::Error)]
pub enum CutError {
    /// A sample cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// The new one cannot be written.
    #[error("the file cannot be written: {0}")]
    Write(#[from] std::io::Error),
}

/// Writes these samples and the events between them as a new recording, whose time begins with the first sample. Annotations are not
/// copied.
pub fn cut<W: Write>(recording: &Recording, samples: Range<u64>, to: W) -> Result<W, CutError> {
    let mut cursor = Cursor::default();
    let start_time = match recording.elapsed_at(&mut cursor, samples.start) {
        Ok(start_time) => start_time,
        Err(RecordingError::NoSample { .. }) => Duration::ZERO,
        Err(error) => return Err(error.into()),
    };
    let Range { start, end } = samples;
    let header = |section: usize| -> Header {
        let section = &recording.sections()[section];
        // A connection that began before the first sample starts later here.
        let late = if section.first < start { start_time.as_secs() } else { 0 };
        Header { started: section.header.started.saturating_add(late), ..section.header.clone() }
    };
    let mut section = recording.section_of(start);
    let mut writer = Writer::new(to, &header(section))?;
    let range = format!("samples {} to {} of {}", start, end, recording.name());
    writer.event(&Event::Note(format!("cut out: {range}")))?;
    let mut events = recording.events().iter().peekable();
    // The profile in use at the first sample.
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
        let sample = recording.sample_at(&mut cursor, index)?;
        writer.sample(&Sample { elapsed: sample.elapsed.saturating_sub(start_time), ..sample })?;
    }
    Ok(writer.finish()?)
}
