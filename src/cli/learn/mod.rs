//! `learn`: from an unknown game to its next piece.

mod printer;
mod typed;

use super::arguments::{Global, parse_time_limit};
use super::exit::{Exit, Failure, bail_input};
use super::games::console;
use super::progress::{ProgressLine, Work};
use super::{files, interrupt, output, ram_file, session};
use crate::console::ConsoleId;
use crate::process::Pid;
use crate::research::learn::{
    Hints, Lesson, LettersError, Sampling, Series, SeriesError, WrittenDeals, symbols,
};
use crate::research::{Address, MemorySource, RecordingWalk, SourceError};
use crate::task::Progress;
use crate::text::{counted, sanitize_line};
use clap::Args;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;
use typed::Typed;

#[derive(Debug, Args)]
#[command(after_long_help = HELP)]
pub struct Arguments {
    /// Learn from the game that runs in this emulator; type each piece as it comes
    #[arg(long, conflicts_with = "replay", required_unless_present = "replay", requires = "console")]
    pid: Option<u32>,
    /// Learn from a recording
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Console of the emulator (genesis, nds, nes ...)
    #[arg(long, value_name = "ID", conflicts_with = "replay")]
    console: Option<String>,
    /// Address of the console's RAM in the emulator, if Nextscope does not find it
    #[arg(long, value_name = "ADDRESS", requires = "pid")]
    ram_address: Option<String>,
    /// The bytes of each word are swapped, as in most emulators
    #[arg(long, requires = "pid")]
    swapped: bool,
    /// The bytes of the emulator's RAM are in the console's order
    #[arg(long, requires = "pid", conflicts_with = "swapped")]
    unswapped: bool,
    /// The pieces that came, in order, as letters: IJLOSTZ, or colours RGBYP in pairs
    #[arg(long, value_name = "LETTERS", conflicts_with = "deals")]
    pieces: Option<String>,
    /// The pieces that came, one per line: a frame of the recording in which it was in play, and its letter; - for standard input
    #[arg(long, value_name = "FILE", requires = "replay")]
    deals: Option<PathBuf>,
    /// Byte of RAM that has the pieces, if you know it
    #[arg(long, value_name = "ADDRESS", requires = "codes")]
    cell: Option<String>,
    /// Its values, in the order of --kinds, such as 0,1,2,3,4,5,6
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', requires = "cell")]
    codes: Vec<u8>,
    /// The kinds that the game has [default: IJLOSTZ, or the colours noted]
    #[arg(long, value_name = "LETTERS")]
    kinds: Option<String>,
    /// The first piece is the first of a game
    #[arg(long)]
    from_start: bool,
    /// First frame of the recording to learn from
    #[arg(long, value_name = "FRAME", requires = "replay")]
    from: Option<u64>,
    /// Last frame of the recording to learn from
    #[arg(long, value_name = "FRAME", requires = "replay")]
    to: Option<u64>,
    /// Stop sampling after this time
    #[arg(long, value_name = "SECONDS", requires = "pid")]
    seconds: Option<f64>,
    /// Write what was learned as a profile
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

const HELP: &str = "\
In a running game: start a new game, and type the letter of each piece and Enter while it falls.
Forty pieces are usually enough. An empty line, or Ctrl+D, ends the game and begins the search; Ctrl+C
ends the search with what is known until then.";

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    if let Some(path) = &arguments.output {
        files::check(path, arguments.force)?;
    }
    let typed = match (&arguments.pieces, &arguments.deals) {
        (Some(letters), _) => Some(WrittenDeals::from_letters(letters).map_err(|error| bad_letters(&error))?),
        (_, Some(path)) => {
            let deals = WrittenDeals::from_lines(&files::text(path)?);
            Some(deals.map_err(|error| files::failure(path, error.to_string()))?)
        }
        _ if arguments.pid.is_none() && arguments.cell.is_none() => {
            bail_input!("what came? give --pieces, --deals, or --cell with --codes");
        }
        _ => None,
    };
    let mut sampling = Sampling::new(memory(arguments)?);
    let Some(domain) = sampling.source().domain() else {
        return Err(Failure::BadInput(SeriesError::NotConsole.to_string()).into());
    };
    let console_id = ConsoleId::ALL.iter().copied().find(|id| id.domain() == domain);
    let (name, order) = (sampling.source().name(), domain.endian);
    if !global.json {
        output::line(format_args!("Learning from {}", sanitize_line(&name)))?;
    }
    let mut series = Series::new(Address(domain.base.0.into()));
    let typed = if sampling.is_live() {
        let lines = (typed.is_none() && arguments.cell.is_none()).then(Typed::read);
        let noted = live(arguments, &mut sampling, &mut series, lines.as_ref())?;
        typed.or(noted)
    } else {
        recorded(arguments, &mut sampling, &mut series)?;
        let first = first_frame(arguments)?;
        typed.map(|typed| typed.in_samples(|frame| series.sample_of(frame.checked_sub(first)?)))
    };
    let hints = hints(arguments)?;
    let progress = Progress::default();
    // Ctrl+C ends the search with what is known.
    let work =
        Work { progress: &progress, on_interrupt: Progress::stop, show_progress: true, label: "searching" };
    let (deals, is_live) = (typed.unwrap_or_default(), sampling.is_live());
    let lesson = work.run(|| Lesson::search(series, order, is_live, deals, &hints, &progress))?;
    let lesson = lesson.map_err(|error| Failure::BadInput(error.to_string()))?;
    printer::print(global.json, &lesson)?;
    if let Some(path) = &arguments.output {
        write_profile(path, arguments, &name, console_id, &lesson)?;
    }
    Ok(Exit::from_answer(lesson.is_answered()))
}

fn bad_letters(error: &LettersError) -> Failure {
    Failure::BadInput(error.to_string())
}

fn hints(arguments: &Arguments) -> Result<Hints, Failure> {
    let kinds = arguments.kinds.as_deref().map(symbols).transpose().map_err(|error| bad_letters(&error))?;
    let address = |text: &str| {
        Address::from_hex(text).ok_or_else(|| {
            let expected = "expected hexadecimal digits, such as 0xFF1000";
            Failure::BadInput(format!("invalid address {text:?}: {expected}"))
        })
    };
    let cell = arguments.cell.as_deref().map(address).transpose()?;
    let cell = cell.map(|address| (address, arguments.codes.clone()));
    Ok(Hints { kinds, cell, from_start: arguments.from_start })
}

fn memory(arguments: &Arguments) -> anyhow::Result<MemorySource> {
    let failure = |error: SourceError| match error {
        SourceError::Unreachable(_) | SourceError::NoFrames => Failure::Unreachable(error.to_string()),
        SourceError::Invalid(what) => Failure::BadInput(what),
    };
    if let (Some(pid), Some(id)) = (arguments.pid, &arguments.console) {
        let at = arguments.ram_address.as_deref();
        let query = session::ram_query(console(id)?, at, arguments.swapped, arguments.unswapped)?;
        return Ok(MemorySource::any_game(Pid(pid), query).map_err(failure)?);
    }
    let Some(path) = &arguments.replay else { bail_input!("give --pid PID or --replay FILE") };
    let recording = ram_file::recording(path)?;
    let index = arguments.from.map_or(Some(0), |frame| recording.index_of_frame(frame));
    let index = index
        .ok_or_else(|| files::failure(path, ram_file::no_such_frame(arguments.from.unwrap_or_default())))?;
    Ok(RecordingWalk::new(recording, index).and_then(MemorySource::recording).map_err(failure)?)
}

/// The frame of the first sample that is learned from.
fn first_frame(arguments: &Arguments) -> anyhow::Result<u64> {
    let Some(path) = &arguments.replay else { return Ok(0) };
    let recording = ram_file::recording(path)?;
    let (_, sample) = ram_file::sample(path, &recording, arguments.from)?;
    Ok(sample.frame)
}

fn recorded(arguments: &Arguments, sampling: &mut Sampling, series: &mut Series) -> anyhow::Result<()> {
    let progress = Progress::default();
    let frames = match arguments.to {
        Some(to) => to.checked_sub(first_frame(arguments)?),
        None => Some(u64::MAX),
    };
    let Some(frames) = frames else { bail_input!("--to is before the first frame of the recording") };
    let mut line = ProgressLine::new();
    let stop = interrupt::flag();
    let read = sampling.run(series, &progress, |series| {
        line.show(|| format!("reading the recording: {}", counted(series.len() as u64, "sample")));
        let is_enough = series.frame().is_some_and(|frame| frame >= frames);
        if is_enough || stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    if stop.load(Ordering::Relaxed) {
        return Err(Failure::Interrupted("interrupted while the recording was read".into()).into());
    }
    read.map_err(|error| series_failure(&error).into())
}

fn series_failure(error: &SeriesError) -> Failure {
    match error {
        SeriesError::Source(SourceError::Unreachable(_) | SourceError::NoFrames) => {
            Failure::Unreachable(error.to_string())
        }
        _ => Failure::BadInput(error.to_string()),
    }
}

/// Samples a running game until the player ends it.
fn live(
    arguments: &Arguments,
    sampling: &mut Sampling,
    series: &mut Series,
    typed: Option<&Typed>,
) -> anyhow::Result<Option<WrittenDeals>> {
    let until = arguments.seconds.map(parse_time_limit).transpose()?.map(|time| Instant::now() + time);
    if typed.is_some() {
        output::stderr_line(
            "type the letter of each piece and Enter while it falls; an empty line ends the game",
        );
    }
    let progress = Progress::default();
    let stop = interrupt::flag();
    let mut line = ProgressLine::new();
    let mut noted = WrittenDeals::default();
    let sampled = sampling.run(series, &progress, |series| {
        if stop.load(Ordering::Relaxed) || until.is_some_and(|until| Instant::now() >= until) {
            return ControlFlow::Break(());
        }
        if let Some(typed) = typed {
            let newest = series.len().saturating_sub(1);
            match typed.next(newest, &mut noted) {
                Ok(true) => {}
                Ok(false) => return ControlFlow::Break(()),
                Err(failure) => output::warning(failure),
            }
        }
        line.show(|| {
            let (samples, deals) =
                (counted(series.len() as u64, "sample"), counted(noted.len() as u64, "piece"));
            format!("{samples}, {deals}")
        });
        ControlFlow::Continue(())
    });
    if stop.load(Ordering::Relaxed) {
        return Err(Failure::Interrupted("interrupted before the search began".into()).into());
    }
    match sampled {
        Ok(()) => {}
        // What was sampled until the emulator ended is good.
        Err(error) if noted.is_empty() => return Err(series_failure(&error).into()),
        Err(error) => output::warning(format_args!("sampling ended: {error}")),
    }
    Ok((!noted.is_empty()).then_some(noted))
}

fn write_profile(
    path: &std::path::Path,
    arguments: &Arguments,
    from: &str,
    console: Option<ConsoleId>,
    lesson: &Lesson,
) -> anyhow::Result<()> {
    let Some(console) = console else { bail_input!("profiles have no such console") };
    let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let by = format!("nextscope {}", env!("CARGO_PKG_VERSION"));
    match lesson.profile(&name, console, &sanitize_line(from), &by) {
        Ok(profile) => {
            files::write(path, profile.toml.as_bytes(), arguments.force)?;
            let what = if profile.is_list { "reads the pieces to come from RAM" } else { "follows the rule" };
            output::note(format_args!(
                "wrote {}, which {what}; put it into your profiles folder, and `nextscope watch` follows the game",
                path.display()
            ));
        }
        Err(gap) => output::warning(format_args!("no profile was written: {gap}")),
    }
    Ok(())
}
