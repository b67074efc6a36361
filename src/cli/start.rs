//! `start`: an emulator as our child, and the commands that are remembered.

use super::demo::has_display;
use super::source::Source;
use super::{Begin, Exit, Failure, Global, output, watch};
use crate::gui::log::Log;
use crate::json::Kind;
use crate::process::{Launch, LaunchError};
use crate::start::{CommandsError, LaunchedEmulator, SavedCommand, SavedCommands, join_words, suggestions};
use clap::Args;
use serde::Serialize;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(
    override_usage = "nextscope start NAME\n       nextscope start [--save NAME] -- EMULATOR [ARGUMENTS] GAME\n       \
                            nextscope start --list | --forget NAME | --suggest [GAME]"
)]
pub struct Arguments {
    /// Start what is remembered under this name
    #[arg(conflicts_with = "command", required_unless_present_any = ["command", "list", "forget", "suggest"])]
    name: Option<String>,
    /// Remember the command under this name, in the place of another one of that name, and start it
    #[arg(long, value_name = "NAME", requires = "command")]
    save: Option<String>,
    /// Start it in a user namespace of its own: readable also where `ptrace_scope` is 2; sound or graphics may fail in it
    #[arg(long, conflicts_with_all = ["list", "forget", "suggest"])]
    in_namespace: bool,
    /// Start it in this folder; a remembered command starts in the folder in which it was saved
    #[arg(long, value_name = "DIR", requires = "command")]
    folder: Option<PathBuf>,
    /// Show what is remembered
    #[arg(long, conflicts_with_all = ["name", "command", "forget", "suggest"])]
    list: bool,
    /// Forget what is remembered under this name
    #[arg(long, value_name = "NAME", conflicts_with_all = ["name", "command", "suggest"])]
    forget: Option<String>,
    /// Show the emulators that are installed, and how each is started with the game
    #[arg(long, value_name = "GAME", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["name", "command"])]
    suggest: Option<String>,
    /// Stay on the terminal even where there is a display
    #[arg(long)]
    terminal: bool,
    /// Stop watching after this many seconds; the emulator goes on
    #[arg(long, value_name = "N")]
    seconds: Option<f64>,
    /// The program and its arguments
    #[arg(last = true, value_name = "EMULATOR")]
    command: Vec<OsString>,
}

#[derive(Serialize)]
struct List<'a> {
    file: String,
    commands: Vec<Command<'a>>,
}

/// A command that is remembered.
#[derive(Serialize)]
struct Command<'a> {
    name: &'a str,
    command: &'a [String],
    folder: Option<String>,
    in_namespace: bool,
}

impl<'a> Command<'a> {
    fn of(saved: &'a SavedCommand) -> Self {
        Self {
            name: &saved.name,
            command: &saved.command,
            folder: saved.folder.as_ref().map(|folder| folder.display().to_string()),
            in_namespace: saved.in_namespace,
        }
    }
}

#[derive(Serialize)]
struct Forgotten<'a> {
    name: &'a str,
}

#[derive(Serialize)]
struct Suggested {
    emulators: Vec<Installed>,
}

#[derive(Serialize)]
struct Installed {
    emulator: &'static str,
    command: Vec<String>,
}

/// Starts an emulator.
pub fn begin(launch: &Launch) -> Result<LaunchedEmulator, Failure> {
    LaunchedEmulator::start(launch).map_err(|error| match error {
        LaunchError::Namespace { .. } => Failure::Unreachable(error.to_string()),
        LaunchError::Nothing | LaunchError::Start { .. } => Failure::BadInput(error.to_string()),
    })
}

fn remembered() -> Result<SavedCommands, Failure> {
    SavedCommands::load().map_err(wrong)
}

/// What is remembered under this name; in a namespace of its own when it was saved so or that is asked now.
pub fn recall(name: &str, in_namespace: bool) -> Result<Launch, Failure> {
    let launch = remembered()?.get(name).map_err(wrong)?.launch();
    Ok(Launch { in_namespace: launch.in_namespace || in_namespace, ..launch })
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn wrong(error: CommandsError) -> Failure {
    Failure::BadInput(error.to_string())
}

pub fn run(global: &Global, log: Log, arguments: &Arguments) -> anyhow::Result<Exit> {
    if arguments.list {
        return list(global);
    }
    if let Some(game) = &arguments.suggest {
        return suggest(global, game);
    }
    if let Some(name) = &arguments.forget {
        remembered()?.delete(name).map_err(wrong)?;
        if global.json {
            output::object(Kind::StartForget, Forgotten { name })?;
        }
        return Ok(Exit::Yes);
    }
    let launch = match &arguments.name {
        Some(name) => recall(name, arguments.in_namespace)?,
        None => Launch {
            command: arguments.command.clone(),
            folder: arguments.folder.clone(),
            in_namespace: arguments.in_namespace,
        },
    };
    if let Some(name) = &arguments.save {
        let Launch { command, folder, in_namespace } = launch.clone();
        let here = || std::env::current_dir().ok();
        let folder = folder.and_then(|folder| folder.canonicalize().ok()).or_else(here);
        let command = command.into_iter().map(|part| part.into_string().map_err(|part| {
            let part = part.to_string_lossy();
            Failure::BadInput(format!("{part:?} is not UTF-8, so that the command cannot be saved; it can be started without --save"))
        }));
        let command = command.collect::<Result<_, _>>()?;
        let mut remembered = remembered()?;
        remembered.save(SavedCommand { name: name.clone(), command, folder, in_namespace }).map_err(wrong)?;
        output::note(format_args!("remembered as {name:?} in {}", remembered.path().display()));
    }
    if !arguments.terminal && !global.json && arguments.seconds.is_none() && has_display() {
        return super::window(global, log, Begin::Started(begin(&launch)?));
    }
    let Launch { command, folder, in_namespace } = launch;
    let source = Source {
        speed: 1.0,
        seconds: arguments.seconds,
        start: command,
        in_namespace,
        folder,
        ..Source::default()
    };
    watch::run(global, &watch::Arguments { source, pairs: 12 })
}

fn list(global: &Global) -> anyhow::Result<Exit> {
    let remembered = remembered()?;
    let commands = remembered.commands();
    let some = if commands.is_empty() { Exit::No } else { Exit::Yes };
    if global.json {
        output::object(
            Kind::StartList,
            List {
                file: remembered.path().display().to_string(),
                commands: commands.iter().map(Command::of).collect(),
            },
        )?;
    } else if commands.is_empty() {
        output::line("Nothing is remembered yet: nextscope start --save NAME -- EMULATOR GAME")?;
    } else {
        let row = |saved: &SavedCommand| {
            let folder = saved.folder.as_ref().map(|folder| folder.display().to_string());
            let namespace = if saved.in_namespace { "yes" } else { "" };
            vec![saved.name.clone(), namespace.into(), folder.unwrap_or_default(), join_words(&saved.command)]
        };
        let rows: Vec<Vec<String>> = commands.iter().map(row).collect();
        output::table(&["name", "namespace", "folder", "command"], &rows)?;
    }
    Ok(some)
}

fn suggest(global: &Global, game: &str) -> anyhow::Result<Exit> {
    let found: Vec<Installed> = suggestions()
        .into_iter()
        .filter(|suggestion| suggestion.plays(game))
        .map(|suggestion| Installed { emulator: suggestion.name, command: suggestion.command(game) })
        .collect();
    let some = if found.is_empty() { Exit::No } else { Exit::Yes };
    if global.json {
        output::object(Kind::StartSuggest, Suggested { emulators: found })?;
    } else if found.is_empty() {
        output::line("No emulator that Nextscope knows is installed for it")?;
    } else {
        let rows: Vec<Vec<String>> = found
            .iter()
            .map(|installed| {
                vec![
                    installed.emulator.to_owned(),
                    format!("nextscope start -- {}", join_words(&installed.command)),
                ]
            })
            .collect();
        output::table(&["emulator", "command"], &rows)?;
    }
    Ok(some)
}
