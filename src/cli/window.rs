//! Opens the window.

use super::arguments::Global;
use super::exit::{Exit, Failure};
use super::{library, ram_file};
use crate::demo::{DemoOptions, DemoProcess, spawn};
use crate::gui::NoWindow;
use crate::log::Log;
use crate::start::LaunchedEmulator;
use std::path::PathBuf;

pub enum WindowSource {
    /// Whichever emulator is running.
    Automatic,
    Demo(DemoOptions),
    Recording(PathBuf),
    Launched(LaunchedEmulator),
}

pub fn has_display() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || set("DISPLAY") || set("WAYLAND_DISPLAY")
}

pub fn open(global: &Global, log: Log, source: WindowSource) -> anyhow::Result<Exit> {
    let no_window = |why: NoWindow| Failure::Unreachable(why.to_string());
    if !has_display() {
        return Err(no_window(NoWindow::NotSet).into());
    }
    let library = library::load(global)?;
    let (mut demo, mut started, mut replay) = (None, None, None);
    match source {
        WindowSource::Automatic => {}
        WindowSource::Demo(options) => demo = Some(options),
        WindowSource::Recording(path) => replay = Some(ram_file::recording(&path)?),
        WindowSource::Launched(emulator) => started = Some(emulator),
    }
    let mut console = demo.map(|options| spawn(&options)).transpose()?;
    let launched = started.as_ref().map(LaunchedEmulator::pid);
    let sampler = crate::live::Options {
        pid: console.as_ref().map(DemoProcess::pid).or(launched),
        evidence: data_folder("evidence"),
        replay,
        ..crate::live::Options::default()
    };
    let start_demo = move || {
        if let Some(running) = &mut console
            && running.is_running()
        {
            return Ok(running.pid());
        }
        Ok(console.insert(spawn(&DemoOptions::default())?).pid())
    };
    let start_demo: Option<crate::gui::StartDemo> = Some(Box::new(start_demo));
    crate::gui::run(crate::gui::Options {
        sampler,
        library: Some(library),
        log,
        start_demo,
        started,
        recordings: data_folder("recordings"),
        judge_by_library: global.profiles.is_some(),
    })
    .map_err(|error| error.downcast().map_or_else(|error| error, |why| no_window(why).into()))?;
    Ok(Exit::Success)
}

/// A folder in the user's data folder, for files that the window saves.
fn data_folder(name: &str) -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", crate::gui::APP_ID)?;
    Some(folders.data_dir().join(name))
}
