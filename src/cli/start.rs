//! `start`: starts emulators, and manages saved commands.

use super::arguments::Global;
use super::exit::{Exit, Failure};
use super::launch::{self, commands_failure, saved_command, saved_commands};
use super::session::Source;
use super::window::{WindowSource, has_display};
use super::{output, watch, window};
use crate::json::Kind;
use crate::log::Log;
use crate::process::Launch;
use crate::start::{SavedCommand, join_words, suggestions};
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
    /// Start the command saved under this name
    #[arg(conflicts_with = "command", required_unless_present_any = ["command", "list", "forget", "suggest"])]
    name: Option<String>,
    /// Save the command under this name (replacing a command of that name) and start it
    #[arg(long, value_name = "NAME", requires = "command")]
    save: Option<String>,
    /// Start it in its own user namespace: readable even if `ptrace_scope` is 2, but sound or graphics may fail
    #[arg(long, conflicts_with_all = ["list", "forget", "suggest"])]
    in_namespace: bool,
    /// Start it in this folder; a saved command starts in the folder in which it was saved
    #[arg(long, value_name = "DIR", requires = "command")]
    folder: Option<PathBuf>,
    /// List the saved commands
    #[arg(long, conflicts_with_all = ["name", "command", "forget", "suggest"])]
    list: bool,
    /// Delete the command saved under this name
    #[arg(long, value_name = "NAME", conflicts_with_all = ["name", "command", "suggest"])]
    forget: Option<String>,
    /// List the installed emulators, and the command that starts each with the game
    #[arg(long, value_name = "GAME", num_args = 0..=1, default_missing_value = "", conflicts_with_all = ["name", "command"])]
    suggest: Option<String>,
    /// Print to the terminal even if there is a display
    #[arg(long)]
    terminal: bool,
    /// Stop watching after this many seconds; the emulator keeps running
    #[arg(long, value_name = "N")]
    seconds: Option<f64>,
    /// Program and arguments
    #[arg(last = true, value_name = "EMULATOR")]
    command: Vec<OsString>,
}

#[derive(Serialize)]
struct List<'a> {
    file: String,
    commands: Vec<Command<'a>>,
}

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

pub fn run(global: &Global, log: Log, arguments: &Arguments) -> anyhow::Result<Exit> {
    if arguments.list {
        return list(global);
    }
    if let Some(game) = &arguments.suggest {
        return suggest(global, game);
    }
    if let Some(name) = &arguments.forget {
        saved_commands()?.delete(name).map_err(commands_failure)?;
        if global.json {
            output::object(Kind::StartForget, Forgotten { name })?;
        }
        return Ok(Exit::Success);
    }
    let launch = match &arguments.name {
        Some(name) => saved_command(name, arguments.in_namespace)?,
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
        let command = command.into_iter().map(|part| {
            part.into_string().map_err(|part| {
                let part = part.to_string_lossy();
                Failure::BadInput(format!(
                    "cannot save the command: {part:?} is not UTF-8; start it without --save"
                ))
            })
        });
        let command = command.collect::<Result<_, _>>()?;
        let mut commands = saved_commands()?;
        commands
            .save(SavedCommand { name: name.clone(), command, folder, in_namespace })
            .map_err(commands_failure)?;
        output::note(format_args!("saved as {name:?} in {}", commands.path().display()));
    }
    if !arguments.terminal && !global.json && arguments.seconds.is_none() && has_display() {
        return window::open(global, log, WindowSource::Launched(launch::emulator(&launch)?));
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
    let saved = saved_commands()?;
    let commands = saved.commands();
    let exit = Exit::from_answer(!commands.is_empty());
    if global.json {
        let commands = commands.iter().map(Command::of).collect();
        output::object(Kind::StartList, List { file: saved.path().display().to_string(), commands })?;
    } else if commands.is_empty() {
        output::line("No saved commands. Save one with: nextscope start --save NAME -- EMULATOR GAME")?;
    } else {
        let row = |saved: &SavedCommand| {
            let folder = saved.folder.as_ref().map(|folder| folder.display().to_string());
            let namespace = if saved.in_namespace { "yes" } else { "" };
            vec![saved.name.clone(), namespace.into(), folder.unwrap_or_default(), join_words(&saved.command)]
        };
        output::table(&["name", "namespace", "folder", "command"], commands.iter().map(row))?;
    }
    Ok(exit)
}

fn suggest(global: &Global, game: &str) -> anyhow::Result<Exit> {
    let found: Vec<Installed> = suggestions()
        .into_iter()
        .filter(|suggestion| suggestion.plays(game))
        .map(|suggestion| Installed { emulator: suggestion.name, command: suggestion.command(game) })
        .collect();
    let exit = Exit::from_answer(!found.is_empty());
    if global.json {
        output::object(Kind::StartSuggest, Suggested { emulators: found })?;
    } else if found.is_empty() {
        output::line("No known emulator for this game is installed")?;
    } else {
        let row = |Installed { emulator, command }: &Installed| {
            vec![(*emulator).to_owned(), format!("nextscope start -- {}", join_words(command))]
        };
        output::table(&["emulator", "command"], found.iter().map(row))?;
    }
    Ok(exit)
}
