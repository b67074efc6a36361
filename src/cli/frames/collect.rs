//! Measures a recording.

use crate::cli::arguments::Global;
use crate::cli::exit::Failure;
use crate::cli::progress::ProgressLine;
use crate::cli::{files, interrupt, library, output, ram_file};
use crate::live::{MeasureError, MeasuredDurations, NotMeasurable, measure_recording};
use std::path::Path;
use std::sync::atomic::Ordering;

/// Measures the pairs of a player (0 or 1), until the end of the recording or Ctrl+C.
pub fn collect(global: &Global, path: &Path, player: usize) -> anyhow::Result<MeasuredDurations> {
    let recording = ram_file::recording(path)?;
    let given = library::replacements(global)?;
    let (stop, mut line) = (interrupt::flag(), ProgressLine::new());
    let measured = measure_recording(&recording, &given, player, |index, unread| {
        if let Some(error) = unread {
            output::warning(format_args!("{}: {error}", path.display()));
        }
        if index % 256 == 0 {
            #[expect(clippy::cast_precision_loss, reason = "a displayed share")]
            line.show_share("Measuring", index as f64 / recording.len() as f64);
        }
        !stop.load(Ordering::Relaxed)
    });
    line.clear();
    let measured = measured.map_err(|error| match error {
        MeasureError::Profile(error) => files::failure(path, error),
        MeasureError::NotMeasurable(why @ NotMeasurable::Game(_)) => {
            Failure::BadInput(format!("{}: {why}", path.display()))
        }
        MeasureError::NotMeasurable(why @ NotMeasurable::Fields { .. }) => Failure::BadInput(why.to_string())
            .with_hint(
                "find their addresses with `nextscope scan`, and add them with `nextscope profile add`",
            ),
    })?;
    if let (Some(why), false) = (&measured.unreadable, measured.is_measured()) {
        output::warning(format_args!("{}: {why}", path.display()));
    }
    Ok(measured)
}
