//! `profile`: checks, lists and creates profiles, and adds fields to them.

use super::arguments::Global;
use super::exit::{Exit, Failure};
use super::{files, games, library, locate, output, profile_add, suggest};
use crate::games::GameId;
use crate::json::Kind;
use crate::profile::{Diagnostic, FileDiagnostics, Origin, Profile, Severity, check_file, schema, template};
use crate::text::counted;
use clap::Subcommand;
use serde::Serialize;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

#[derive(Debug, Subcommand)]
pub enum Action {
    /// Check profiles, and show errors with their line (exit 1 if there are any)
    Check {
        /// Profiles to check
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
    },
    /// List the profiles, built-in and your own
    List,
    /// Print the JSON Schema of the file format, for editors
    Schema,
    /// Find undocumented addresses by content, and write them to a profile (exit 1 if not found)
    Locate(locate::Arguments),
    /// Add a field to your own copy of a profile, and show the changes
    Add(profile_add::Arguments),
    /// Create a profile from a commented template
    New {
        /// Id of the profile: lower-case letters, digits, hyphens
        id: String,
        /// Model that predicts the game
        #[arg(long, default_value = GameId::ALL[0].id())]
        game: String,
        /// Console of the game
        #[arg(long, default_value = "genesis")]
        console: String,
        /// Write to this file instead of standard output; missing folders are created
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Overwrite an existing file
        #[arg(long, requires = "output")]
        force: bool,
    },
}

#[derive(Serialize)]
struct Checked {
    files: Vec<CheckedFile>,
}

#[derive(Serialize)]
struct CheckedFile {
    file: String,
    ok: bool,
    diagnostics: Vec<DiagnosticJson>,
}

#[derive(Serialize)]
struct DiagnosticJson {
    severity: &'static str,
    code: &'static str,
    message: String,
    line: usize,
    column: usize,
    help: Option<String>,
}

#[derive(Serialize)]
struct Listed<'a> {
    folder: Option<String>,
    profiles: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    id: &'a str,
    name: &'a str,
    game: &'static str,
    console: &'static str,
    status: String,
    origin: String,
    fields: usize,
    digest: &'a str,
}

#[derive(Serialize)]
struct New<'a> {
    id: &'a str,
    file: Option<String>,
    text: &'a str,
}

pub fn run(global: &Global, action: &Action) -> anyhow::Result<Exit> {
    match action {
        Action::Check { files } => check(global, files),
        Action::List => list(global),
        Action::Schema => {
            output::line(schema().trim_end())?;
            Ok(Exit::Success)
        }
        Action::Locate(arguments) => locate::run(global, arguments),
        Action::Add(arguments) => profile_add::run(global, arguments),
        Action::New { id, game, console, output, force } => {
            new(global, id, game, console, output.as_deref(), *force)
        }
    }
}

fn check(global: &Global, files: &[PathBuf]) -> anyhow::Result<Exit> {
    for file in files {
        std::fs::metadata(file)
            .map_err(|error| Failure::BadInput(format!("cannot read {}: {error}", file.display())))?;
    }
    let checked: Vec<(Option<Profile>, FileDiagnostics)> =
        files.iter().map(|file| check_file(file)).collect();
    let all_valid = checked.iter().all(|(profile, _)| profile.is_some());
    if global.json {
        let files = checked.iter().map(|(profile, file)| CheckedFile {
            file: file.path.display().to_string(),
            ok: profile.is_some(),
            diagnostics: file.diagnostics.iter().map(|one| diagnostic_json(one, &file.source)).collect(),
        });
        output::object(Kind::ProfileCheck, Checked { files: files.collect() })?;
    } else {
        let colored = std::io::stdout().is_terminal();
        for (profile, file) in &checked {
            if !file.diagnostics.is_empty() {
                output::styled(&format!("{}\n", file.render(colored)))?;
            }
            let path = file.path.display();
            match profile {
                Some(profile) => {
                    output::line(format!(
                        "{path}: OK, {} ({})",
                        profile.name,
                        counted(profile.fields.len() as u64, "field")
                    ))?;
                }
                None => output::line(format!("{path}: invalid"))?,
            }
        }
    }
    Ok(Exit::from_answer(all_valid))
}

fn diagnostic_json(diagnostic: &Diagnostic, source: &str) -> DiagnosticJson {
    let position = diagnostic.position(source);
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    DiagnosticJson {
        severity,
        code: diagnostic.code.id(),
        message: diagnostic.message.clone(),
        line: position.line,
        column: position.column,
        help: diagnostic.help.clone(),
    }
}

fn list(global: &Global) -> anyhow::Result<Exit> {
    let library = library::load(global)?;
    if global.json {
        let profiles = library.profiles().iter().map(|profile| Entry {
            id: &profile.id,
            name: &profile.name,
            game: profile.game.id(),
            console: profile.console.id(),
            status: profile.status.to_string(),
            origin: match &profile.origin {
                Origin::BuiltIn => "built-in".into(),
                Origin::File(path) => path.display().to_string(),
            },
            fields: profile.fields.len(),
            digest: &profile.digest,
        });
        let folder = library.folder().map(|folder| folder.display().to_string());
        output::object(Kind::ProfileList, Listed { folder, profiles: profiles.collect() })?;
    } else {
        let rows = library.profiles().iter().map(|profile| {
            vec![
                profile.id.clone(),
                profile.name.clone(),
                profile.console.name().to_owned(),
                profile.status.to_string(),
                profile.origin.to_string(),
            ]
        });
        output::table(&["id", "game", "console", "status", "from"], rows)?;
        if let Some(folder) = library.folder() {
            output::line(format!("\nYour own profiles: {}", folder.display()))?;
        }
    }
    Ok(Exit::Success)
}

fn new(
    global: &Global,
    id: &str,
    game: &str,
    console: &str,
    file: Option<&Path>,
    force: bool,
) -> anyhow::Result<Exit> {
    let game = GameId::from_id(game).ok_or_else(|| {
        let known: Vec<&str> = GameId::ALL.iter().map(|game| game.id()).collect();
        suggest::unknown(format!("unknown game {game:?}"), "game", game, &known)
    })?;
    let console = games::console(console)?;
    let text = template(game, console, id);
    let Some(path) = file else {
        if global.json {
            output::object(Kind::ProfileNew, New { id, file: None, text: &text })?;
        } else {
            output::line(text.trim_end())?;
        }
        return Ok(Exit::Success);
    };
    // The user's folder of profiles does not exist before the first profile.
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let made = std::fs::create_dir_all(folder);
        made.map_err(|error| Failure::BadInput(format!("cannot create {}: {error}", folder.display())))?;
    }
    files::write(path, text.as_bytes(), force)?;
    if global.json {
        let file = Some(path.display().to_string());
        output::object(Kind::ProfileNew, New { id, file, text: &text })?;
    } else {
        output::line(format!("Wrote {}. Fill it in, then run: nextscope profile check {0}", path.display()))?;
    }
    Ok(Exit::Success)
}
