//! `replay`: inspects and trims recordings, and extracts the RAM of a frame.

use super::arguments::Global;
use super::exit::{Exit, Failure, bail_input};
use super::progress::ReplayProgress;
use super::{files, interrupt, output, ram_file};
use crate::file::Output;
use crate::json::Kind;
use crate::live::{Mismatch, Totals};
use crate::recording::{Damage, Event, Header, Recording, cut};
use crate::text::{counted, sanitize_line};
use clap::Args;
use serde::Serialize;
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

const MISMATCHES_LISTED: usize = 1000;

#[derive(Debug, Args)]
pub struct Arguments {
    /// The recording
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Write a recording of the frames from --from to --to
    #[arg(long, value_name = "OUT", group = "written")]
    cut: Option<PathBuf>,
    /// First frame for --cut [default: the first]
    #[arg(long, value_name = "FRAME", requires = "cut")]
    from: Option<u64>,
    /// Last frame for --cut [default: the last]
    #[arg(long, value_name = "FRAME", requires = "cut")]
    to: Option<u64>,
    /// Write the RAM of a frame, in the byte order of the bus
    #[arg(long, num_args = 2, value_names = ["FRAME", "OUT"], group = "written")]
    dump: Option<Vec<OsString>>,
    /// Overwrite an existing file
    #[arg(long, requires = "written")]
    force: bool,
}

#[derive(Serialize)]
struct Contents<'a> {
    #[serde(serialize_with = "crate::file::as_text")]
    file: &'a Path,
    format: u32,
    bytes: u64,
    ended: bool,
    samples: u64,
    length_seconds: f64,
    first_frame: Option<u64>,
    last_frame: Option<u64>,
    connections: Vec<Connection<'a>>,
    events: Vec<EventEntry<'a>>,
    damage: &'a [Damage],
    totals: Totals,
    mismatches: &'a [Found],
}

#[derive(Serialize)]
struct Cut<'a> {
    #[serde(serialize_with = "crate::file::as_text")]
    file: &'a Path,
    samples: u64,
    bytes: u64,
}

#[derive(Serialize)]
struct Dumped<'a> {
    #[serde(serialize_with = "crate::file::as_text")]
    file: &'a Path,
    frame: u64,
    ram: &'static str,
    bytes: u32,
    /// The number of bytes that were sampled; the others are 0.
    sampled: usize,
}

#[derive(Serialize)]
struct Connection<'a> {
    first_sample: u64,
    nextscope: &'a str,
    started_unix_seconds: u64,
    pid: u32,
    emulator: &'a crate::emulator::EmulatorInfo,
    method: String,
    ram: &'a str,
    console: &'static str,
    domain: &'static str,
    profile: &'a str,
    profile_digest: &'a str,
}

/// An event before a sample.
#[derive(Serialize)]
struct EventEntry<'a> {
    sample: u64,
    /// `lost`, `profile` or `note`.
    event: &'static str,
    /// The cause of the loss, or the note.
    text: Option<&'a str>,
    /// The profile used from here on.
    profile: Option<&'a str>,
    profile_digest: Option<&'a str>,
}

impl<'a> EventEntry<'a> {
    fn of(sample: u64, event: &'a Event) -> Option<Self> {
        let plain =
            |event, text| Self { sample, event, text: Some(text), profile: None, profile_digest: None };
        Some(match event {
            Event::Lost(why) => plain("lost", why),
            Event::Note(text) => plain("note", text),
            Event::Profile(profile) => Self {
                sample,
                event: "profile",
                text: None,
                profile: Some(&profile.id),
                profile_digest: Some(&profile.digest),
            },
            // Listed as connections.
            Event::Attached(_) => return None,
        })
    }
}

#[derive(Serialize)]
struct Found {
    sample: u64,
    #[serde(flatten)]
    mismatch: Mismatch,
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let path = &arguments.file;
    let recording = ram_file::recording(path)?;
    if let Some(out) = &arguments.cut {
        return write_cut(global, arguments, &recording, out);
    }
    if let Some([frame, out]) = arguments.dump.as_deref() {
        let number = frame
            .to_str()
            .and_then(|frame| frame.parse().ok())
            .ok_or_else(|| Failure::BadInput(format!("invalid frame number {frame:?} for --dump")))?;
        return write_ram(global, arguments, &recording, number, Path::new(out));
    }
    let stop = interrupt::flag();
    let mut verifier = ram_file::verifier(global, path, &recording)?;
    let progress = ReplayProgress::new(&verifier);
    let mut found = Vec::new();
    loop {
        match verifier.step() {
            Ok(None) => break,
            Ok(Some(sample)) => {
                let room = MISMATCHES_LISTED.saturating_sub(found.len());
                let listed = sample.mismatches.into_iter().take(room);
                found.extend(listed.map(|mismatch| Found { sample: sample.index, mismatch }));
            }
            Err(error) => output::warning(format_args!("{}: {error}", path.display())),
        }
        progress.update(&verifier);
        if stop.load(Ordering::Relaxed) {
            break;
        }
    }
    drop(progress);
    let verified = verifier.next_index();
    if verified < recording.len() {
        let of = counted(recording.len(), "sample");
        output::note(format_args!("interrupted after {verified} of {of}"));
    }
    print(global, path, &recording, verifier.totals(), &found)?;
    let exit = if recording.damage().is_empty() { Exit::Success } else { Exit::Negative };
    Ok(if verified < recording.len() { exit.unless_interrupted() } else { exit })
}

fn print(
    global: &Global,
    path: &Path,
    recording: &Recording,
    totals: Totals,
    found: &[Found],
) -> anyhow::Result<()> {
    let frame = |index: Option<u64>| index.and_then(|index| Some(recording.sample(index).ok()?.frame));
    let (first, last) = (frame(Some(0)), frame(recording.len().checked_sub(1)));
    if global.json {
        let connection = |section: &'_ crate::recording::Section| (section.first, section.header.clone());
        let sections: Vec<(u64, Header)> = recording.sections().iter().map(connection).collect();
        let contents = Contents {
            file: path,
            format: recording.version(),
            bytes: recording.bytes(),
            ended: recording.is_finished(),
            samples: recording.len(),
            length_seconds: recording.length().as_secs_f64(),
            first_frame: first,
            last_frame: last,
            connections: sections
                .iter()
                .map(|(first, header)| Connection {
                    first_sample: *first,
                    nextscope: &header.nextscope,
                    started_unix_seconds: header.started,
                    pid: header.pid.0,
                    emulator: &header.emulator,
                    method: header.found_by.to_string(),
                    ram: &header.ram,
                    console: header.console.id(),
                    domain: header.domain().name,
                    profile: &header.profile.id,
                    profile_digest: &header.profile.digest,
                })
                .collect(),
            events: recording
                .events()
                .iter()
                .filter_map(|(sample, event)| EventEntry::of(*sample, event))
                .collect(),
            damage: recording.damage(),
            totals,
            mismatches: found,
        };
        return output::object(Kind::Replay, contents);
    }
    for section in recording.sections() {
        let header = &section.header;
        let build = header.emulator.build_id.as_ref().map(|id| format!(", build {id}")).unwrap_or_default();
        output::line(format_args!(
            "From sample {}: {} ({}){build}, {} of the {}, {}, found by {}, recorded by nextscope {}",
            section.first,
            sanitize_line(&header.emulator.name),
            header.pid,
            header.domain().name,
            header.console.name(),
            header.profile.id,
            header.found_by,
            header.nextscope,
        ))?;
    }
    let frames = match (first, last) {
        (Some(first), Some(last)) => format!(", frames {first} to {last}"),
        _ => String::new(),
    };
    output::line(format_args!(
        "{}{frames}, {:.1} s, {}",
        counted(recording.len(), "sample"),
        recording.length().as_secs_f64(),
        counted(recording.bytes(), "byte")
    ))?;
    for (sample, event) in recording.events() {
        let what = match event {
            Event::Lost(why) => format!("connection lost: {why}"),
            Event::Profile(profile) => {
                format!("profile changed to {} ({})", profile.id, profile.digest)
            }
            Event::Note(text) => text.clone(),
            Event::Attached(_) => continue,
        };
        output::line(format_args!("Before sample {sample}: {what}"))?;
    }
    let Totals { rounds, rounds_verified, pairs_verified, frames_missed, mismatches, .. } = totals;
    output::line(format_args!(
        "{}, {rounds_verified} verified, {pairs_verified} drawn as predicted, {} missed, {}",
        counted(rounds, "round"),
        counted(frames_missed, "frame"),
        counted(mismatches, "mismatch")
    ))?;
    for Found { sample, mismatch } in found {
        output::line(format_args!("! sample {sample}: {mismatch}"))?;
    }
    match recording.damage() {
        [] => Ok(()),
        damage => {
            let places = counted(damage.len() as u64, "damaged place");
            output::line(format_args!("{places} (see above)"))
        }
    }
}

/// The samples from one frame to another, both included.
fn range(recording: &Recording, from: Option<u64>, to: Option<u64>) -> Option<Range<u64>> {
    let start = from.map_or(Some(0), |frame| recording.index_of_frame(frame))?;
    let Some(to) = to else { return Some(start..recording.len()) };
    let inside = |index: &u64| recording.sample(*index).is_ok_and(|sample| sample.frame <= to);
    let end = (start..recording.len()).take_while(inside).last()? + 1;
    Some(start..end)
}

fn write_cut(
    global: &Global,
    arguments: &Arguments,
    recording: &Recording,
    out: &Path,
) -> anyhow::Result<Exit> {
    let Some(samples) = range(recording, arguments.from, arguments.to).filter(|samples| !samples.is_empty())
    else {
        let what = format!("{}: no samples between these frames", arguments.file.display());
        return negative(global, &what);
    };
    let same = std::fs::canonicalize(out).ok().zip(std::fs::canonicalize(&arguments.file).ok());
    if same.is_some_and(|(out, file)| out == file) {
        bail_input!("--cut cannot overwrite the recording itself; choose another file");
    }
    let count = samples.end - samples.start;
    let file = Output::create(out, files::overwrite(arguments.force));
    let file = file.map_err(|error| files::write_failure(out, &error))?;
    let file = cut(recording, samples, file).map_err(|error| files::failure(out, error))?;
    let bytes = file.bytes()?;
    file.finish().map_err(|error| files::write_failure(out, &error))?;
    if global.json {
        return output::object(Kind::ReplayCut, Cut { file: out, samples: count, bytes })
            .map(|()| Exit::Success);
    }
    let (samples, bytes) = (counted(count, "sample"), counted(bytes, "byte"));
    output::line(format_args!("{}: {samples}, {bytes}", out.display()))?;
    Ok(Exit::Success)
}

/// Reports why nothing was written, on standard error and as JSON.
fn negative(global: &Global, what: &str) -> anyhow::Result<Exit> {
    output::note(what);
    if global.json { output::negative(true, what) } else { Ok(Exit::Negative) }
}

fn write_ram(
    global: &Global,
    arguments: &Arguments,
    recording: &Recording,
    frame: u64,
    out: &Path,
) -> anyhow::Result<Exit> {
    let index = recording.index_of_frame(frame);
    let sample = index.and_then(|index| recording.sample(index).ok()).filter(|sample| sample.frame == frame);
    let Some(sample) = sample else {
        let what = format!("{}: {}", arguments.file.display(), ram_file::no_such_frame(frame));
        return negative(global, &what);
    };
    files::write(out, &sample.snapshot.filled(), arguments.force)?;
    let domain = sample.snapshot.domain();
    let sampled: usize = sample.snapshot.parts().map(|(_, bytes)| bytes.len()).sum();
    if sampled < domain.len as usize {
        output::note(format_args!(
            "{}: only {sampled} of the {} bytes of {} were sampled; the rest of the file is 0",
            out.display(),
            domain.len,
            domain.name
        ));
    }
    if global.json {
        let dumped = Dumped { file: out, frame, ram: domain.name, bytes: domain.len, sampled };
        output::object(Kind::ReplayDump, dumped)?;
    }
    Ok(Exit::Success)
}
