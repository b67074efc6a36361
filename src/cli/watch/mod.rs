//! `watch`: the coming pairs, the state and the verdicts, live.

mod describe;
mod palette;
mod printer;
mod replay;
mod screen;
mod terminal;

use super::arguments::Global;
use super::dump_verification::verify_ram_dump;
use super::exit::Exit;
use super::session::{Session, Source};
use super::{output, ram_file};
use crate::live::{Connection, PredictionView, Totals, View, line_of};
use clap::Args;
use printer::Printer;
use std::path::Path;
use std::time::{Duration, Instant};

/// How often keys are read while no view comes.
pub(super) const KEY_INTERVAL: Duration = Duration::from_millis(50);

#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    pub source: Source,
    /// Number of coming pairs to show for each player
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u8).range(1..=128))]
    pub pairs: u8,
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    if let Some(path) = &arguments.source.dump {
        return watch_dump(global, path, arguments);
    }
    if let Some(path) = &arguments.source.replay {
        return replay::watch(global, path, arguments.source.speed, arguments.pairs.into());
    }
    let mut session = Session::start(global, &arguments.source, None)?;
    session.watch_profiles(global);
    let mut views = session.sampler.view();
    let mut printer = Printer::new(global, arguments.pairs.into())?;
    let mut was_live = false;
    let mut watch = || -> anyhow::Result<()> {
        while !session.is_over() && !printer.poll()? {
            let Some(view) = views.next(KEY_INTERVAL) else { continue };
            session.check_timeout(&view)?;
            was_live |= matches!(view.connection, Connection::Live);
            printer.show(&view, &session.waiting_for(&view))?;
        }
        Ok(())
    };
    let ended = watch();
    drop(printer);
    match ended {
        // The reader of standard output is gone.
        Err(error) if output::is_broken_pipe(&error) => Ok(Exit::Success),
        ended => ended.map(|()| Exit::from_answer(was_live)),
    }
}

fn watch_dump(global: &Global, path: &Path, arguments: &Arguments) -> anyhow::Result<Exit> {
    let Some((snapshot, profile)) = ram_file::open(global, path, arguments.source.frame)? else {
        let what = format!("{}: {}", path.display(), ram_file::NO_KNOWN_GAME);
        return output::negative(global.json, what);
    };
    let mut totals = Totals::default();
    let data = verify_ram_dump(&snapshot, &profile, &mut totals)?.data;
    if global.json {
        let connection = Connection::Paused { since: Instant::now() };
        let view = View { connection, data: Some(data), totals, ..View::default() };
        output::json(&line_of(&view, Some(&profile), arguments.pairs.into(), None))?;
    } else {
        let name = ram_file::game_names(global, path, &snapshot, &profile)?;
        output::line(format!("{}: {name}", path.display()))?;
        let locate = PredictionView::locate(&profile.id, &format!("--dump {}", path.display()));
        describe::data(&data, arguments.pairs.into(), &locate).iter().try_for_each(output::line)?;
    }
    Ok(Exit::Success)
}
