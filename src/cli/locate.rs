//! `profile locate`: finds undocumented addresses by content, and writes them to a profile.

mod arguments;
mod board;
mod fields;
mod ram;

pub use arguments::Arguments;

use crate::cli::arguments::Global;
use crate::cli::exit::{Exit, bail_input};
use crate::cli::games::only_built_in;
use crate::cli::{library, output};
use crate::console::Snapshot;
use crate::games::{LocateReport, LocateRules};
use crate::json::Kind;
use crate::live::{SampleContext, Totals, Tracker};
use crate::profile::Profile;
use fields::{print_fields, print_written, with_fields, write};
use ram::{in_dump, in_motion};
use serde::{Serialize, Serializer};
use serde_json::Value;

#[derive(Serialize)]
struct Located<'a> {
    profile: &'a str,
    game: &'static str,
    found: bool,
    #[serde(flatten, serialize_with = "in_order")]
    of_game: &'a [(&'static str, Value)],
    written: Option<String>,
}

/// JSON values have no order of their own.
fn in_order<S: Serializer>(keys: &[(&'static str, Value)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(keys.iter().map(|(key, value)| (key, value)))
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    let library = library::load(global)?;
    let profile =
        library.by_id(&arguments.profile).ok_or_else(|| library::unknown_profile(&arguments.profile))?;
    if profile.game.anchors().board {
        return board::run(global, arguments, &library, profile);
    }
    if arguments.board.is_some() {
        bail_input!("--board is not for profile {}", profile.id);
    }
    let Some(rules) = &profile.game.definition().locate else {
        let why = format!(
            "profile {} declares its randomizer, whose fields cannot be found by their content",
            profile.id
        );
        only_built_in("profile locate", profile.game.id(), &why)?;
        bail_input!("profile {} has nothing to locate: all its addresses are known", profile.id);
    };
    let report = |tracker: &mut Tracker, snapshot: &Snapshot, frame| {
        let sample = SampleContext { snapshot, profile, frame };
        let update = tracker.update(&sample, &mut Totals::default());
        (rules.report)(update.observation.as_ref().ok().zip(update.prediction.as_ref()))
    };
    let mut located = (rules.report)(None);
    if let Some(path) = arguments.static_dump() {
        let mut search = |snapshot: &Snapshot| {
            let mut tracker = Tracker::new(profile.game);
            // Trackers expect content to be stable for three frames.
            let reports = (0..3).map(|frame| report(&mut tracker, snapshot, frame));
            reports.last().filter(|report| report.found)
        };
        located = in_dump(arguments, path, profile, &mut search)?.unwrap_or(located);
    } else {
        let mut tracker = Tracker::new(profile.game);
        in_motion(arguments, profile, |snapshot, frame| {
            located = report(&mut tracker, snapshot, frame);
            located.complete
        })?;
    }
    if let (Some(path), true) = (&arguments.write, located.found) {
        write(path, &with_fields(profile, &located.fields)?, arguments.force)?;
    }
    let found = located.found;
    print(global, arguments, profile, rules, located)?;
    Ok(if found { Exit::Success } else { Exit::Negative.unless_interrupted() })
}

fn print(
    global: &Global,
    arguments: &Arguments,
    profile: &Profile,
    rules: &LocateRules,
    report: LocateReport,
) -> anyhow::Result<()> {
    let written = arguments.write.as_ref().filter(|_| report.found).map(|path| path.display().to_string());
    if global.json {
        let located = Located {
            profile: &profile.id,
            game: profile.game.id(),
            found: report.found,
            of_game: &report.json,
            written,
        };
        return output::object(Kind::ProfileLocate, &located);
    }
    if !report.found {
        return output::line(rules.nothing_found);
    }
    print_fields(report.rows)?;
    report.lines.iter().try_for_each(output::line)?;
    written.map_or(Ok(()), |path| print_written(&path))
}
