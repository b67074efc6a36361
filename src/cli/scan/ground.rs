//! What `scan` searches: the RAM of a console in a running emulator, all memory of a process, or dumps one after another.

use super::language::Pause;
use crate::cli::{Failure, Global, source};
use crate::console::{ByteArray, ConsoleId, Endian, Plan, Snapshot, StorageOrder};
use crate::emulator::{Found, Outcome, find};
use crate::process::{HostAddr, Pid, Process};
use crate::profile::FrameCounter;
use crate::research::{ProcessSource, Source};
use anyhow::Context;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A frame where no cell counts them: 60 a second, as all these consoles have about.
const FRAME: Duration = Duration::from_nanos(16_666_667);
/// How often a frame counter is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// A game whose counter stands for so long is paused: waiting for frames would take forever.
const PAUSED_AFTER: Duration = Duration::from_secs(2);

/// A game may begin so long after its emulator.
const BEGINS_WITHIN: Duration = Duration::from_secs(2);

/// What is searched.
pub enum Ground {
    /// A console's RAM in an emulator.
    Console(Box<Found>),
    /// A whole process.
    Process(Arc<Process>),
    /// Dumps; the second is the one that is looked at.
    Dumps(Vec<Dump>, usize),
}

/// A dump.
pub enum Dump {
    /// Of a console's RAM, by its addresses.
    Console(Snapshot),
    /// Of anything, by its offsets.
    Bytes(ByteArray),
}

/// One look at it.
pub enum Look {
    Console(Snapshot),
    Process(ProcessSource),
    Bytes(ByteArray),
}

impl Look {
    pub fn source(&self) -> &dyn Source {
        match self {
            Self::Console(snapshot) => snapshot,
            Self::Process(process) => process,
            Self::Bytes(bytes) => bytes,
        }
    }
}

/// What the command line says of it.
pub struct Asked<'a> {
    pub pid: Option<u32>,
    pub whole: bool,
    pub dumps: &'a [PathBuf],
    pub console: Option<&'a str>,
    pub swapped: bool,
}

impl Ground {
    pub fn open(global: &Global, asked: &Asked<'_>) -> anyhow::Result<Self> {
        if let Some(pid) = asked.pid {
            return if asked.whole { whole(Pid(pid)) } else { console(global, Pid(pid)) };
        }
        let mut dumps = Vec::new();
        for path in asked.dumps {
            let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
            dumps.push(dump(global, bytes, path, asked)?);
        }
        if dumps.is_empty() {
            let what = "say what to search: --pid PID, --pid PID --whole or --dump FILE";
            return Err(Failure::BadInput(what.into()).into());
        }
        Ok(Self::Dumps(dumps, 0))
    }

    /// The byte order of numbers in it.
    pub fn order(&self) -> Endian {
        match self {
            Self::Console(found) => found.ram.domain.endian,
            Self::Process(_) => Endian::Little,
            Self::Dumps(dumps, at) => match &dumps[*at] {
                Dump::Console(snapshot) => snapshot.domain().endian,
                Dump::Bytes(_) => Endian::Little,
            },
        }
    }

    /// In words.
    pub fn name(&self) -> String {
        match self {
            Self::Console(found) => {
                format!("{} in {} ({})", found.ram.domain.name, found.identity.name, found.process.pid())
            }
            Self::Process(process) => format!("all memory of process {}", process.pid()),
            Self::Dumps(dumps, at) if dumps.len() > 1 => format!("dump {} of {}", at + 1, dumps.len()),
            Self::Dumps(..) => "the dump".into(),
        }
    }

    /// What it holds now.
    pub fn look(&self) -> anyhow::Result<Look> {
        Ok(match self {
            Self::Console(found) => {
                let plan = Plan::whole(found.ram.domain);
                let sample = found.ram.sample(&plan);
                Look::Console(sample.map_err(|error| Failure::Unreachable(error.to_string()))?)
            }
            Self::Process(process) => Look::Process(ProcessSource::whole(Arc::clone(process))),
            Self::Dumps(dumps, at) => match &dumps[*at] {
                Dump::Console(snapshot) => Look::Console(snapshot.clone()),
                Dump::Bytes(bytes) => Look::Bytes(bytes.clone()),
            },
        })
    }

    /// Lets time pass; `each` is called at every new frame. False when the user asked to stop.
    pub fn wait(
        &mut self,
        pause: Pause,
        stop: &AtomicBool,
        mut each: impl FnMut(&Self) -> anyhow::Result<()>,
    ) -> anyhow::Result<bool> {
        if let Self::Dumps(dumps, at) = self {
            if *at + 1 >= dumps.len() {
                let what = format!("there is no dump after number {}: give --dump once for each", *at + 1);
                return Err(Failure::BadInput(what).into());
            }
            *at += 1;
            each(self)?;
            return Ok(true);
        }
        let (frames, until) = match pause {
            Pause::Frames(frames) => (Some(frames), None),
            Pause::Next => (Some(1), None),
            Pause::Seconds(seconds) => (None, Some(Instant::now() + Duration::from_secs_f64(seconds))),
        };
        let mut passed = 0;
        let cell = match self {
            Self::Console(found) => FrameCounter::of(&found.profile),
            _ => None,
        };
        let mut counted = self.counted(cell)?;
        let mut moved = Instant::now();
        while frames.is_none_or(|frames| passed < frames) && until.is_none_or(|until| Instant::now() < until)
        {
            if stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            std::thread::sleep(LOOK_EVERY);
            let now = self.counted(cell)?;
            let new = match (cell, now, counted) {
                // A jump (a reset, a loaded state) is one frame as well.
                (Some(cell), Some(now), Some(before)) => {
                    u32::try_from(cell.passed(before, now)).ok().filter(|frames| *frames <= 600).unwrap_or(1)
                }
                _ => u32::from(moved.elapsed() >= FRAME),
            };
            if new > 0 {
                (counted, moved) = (now, Instant::now());
                passed += new;
                each(self)?;
            } else if frames.is_some() && moved.elapsed() > PAUSED_AFTER {
                let what = "the game stands still: is it paused? `wait 1s` waits for time instead of frames";
                return Err(Failure::Unreachable(what.into()).into());
            }
        }
        Ok(true)
    }

    /// What the game's own count of frames says, where there is one.
    fn counted(&self, counter: Option<FrameCounter>) -> anyhow::Result<Option<u32>> {
        let (Self::Console(found), Some(counter)) = (self, counter) else { return Ok(None) };
        counter.now(&found.ram).map(Some).map_err(|error| Failure::Unreachable(error.to_string()).into())
    }
}

fn open(pid: Pid) -> anyhow::Result<Process> {
    if crate::process::process_info(pid).is_none() {
        return Err(source::no_process(pid.0).into());
    }
    Process::open(pid).map_err(|error| Failure::Unreachable(error.to_string()).into())
}

fn whole(pid: Pid) -> anyhow::Result<Ground> {
    Ok(Ground::Process(Arc::new(open(pid)?)))
}

fn console(global: &Global, pid: Pid) -> anyhow::Result<Ground> {
    open(pid)?;
    let profiles = source::profiles(global)?;
    // An emulator that was started just now has no game yet.
    let until = Instant::now() + BEGINS_WITHIN;
    loop {
        match find(pid, &profiles).outcome {
            Outcome::Found(found) | Outcome::Paused(found) => return Ok(Ground::Console(found)),
            Outcome::Unreadable(error) => return Err(Failure::Unreachable(error.to_string()).into()),
            _ if Instant::now() < until => std::thread::sleep(Duration::from_millis(100)),
            _ => {
                let what =
                    "no console's RAM with a known game was found in it; `--whole` searches all its memory";
                return Err(Failure::Unreachable(what.into()).into());
            }
        }
    }
}

fn dump(global: &Global, bytes: Vec<u8>, path: &std::path::Path, asked: &Asked<'_>) -> anyhow::Result<Dump> {
    if let Some(id) = asked.console {
        let console = ConsoleId::ALL.iter().find(|console| console.id() == id).ok_or_else(|| {
            let known: Vec<&str> = ConsoleId::ALL.iter().map(|console| console.id()).collect();
            Failure::BadInput(format!("there is no console {id:?}; one of {}", known.join(", ")))
        })?;
        let domain = console.domain();
        let order = if asked.swapped {
            let swapped = domain.orders.iter().find(|order| **order != StorageOrder::AsOnBus);
            *swapped.ok_or_else(|| {
                Failure::BadInput(format!("no emulator swaps the bytes of the {}", console.name()))
            })?
        } else {
            StorageOrder::AsOnBus
        };
        let len = bytes.len();
        let snapshot = Snapshot::from_stored(domain, order, bytes).map_err(|_| {
            Failure::BadInput(format!(
                "{} has {len} bytes; a dump of {} has {}",
                path.display(),
                domain.name,
                domain.len
            ))
        })?;
        return Ok(Dump::Console(snapshot));
    }
    let known = source::recognised(&bytes, &source::profiles(global)?)?;
    Ok(match known {
        Some((snapshot, _)) => Dump::Console(snapshot),
        None => Dump::Bytes(ByteArray { base: HostAddr(0), bytes }),
    })
}
