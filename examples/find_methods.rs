//! Every method of finding RAM, each separately, on a running emulator: `find_methods PID [RUNS [PROFILES
//! [CONSOLE]]]`. Prints the result of each method, and the median and the maximum time over the runs.

use nextscope::emulator::{DetectionMethod, DetectionOutcome, DetectionReport, Detector};
use nextscope::process::Pid;
use nextscope::profile::Library;
use std::path::PathBuf;
use std::time::Duration;

const METHODS: [DetectionMethod; 6] = [
    DetectionMethod::LibretroExport,
    DetectionMethod::NamedMapping,
    DetectionMethod::ExportedSymbol,
    DetectionMethod::KnownBuild,
    DetectionMethod::MallocChunk,
    DetectionMethod::ContentAnchor,
];

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(pid) = arguments.next().and_then(|pid| pid.parse().ok()).map(Pid) else {
        eprintln!("usage: find_methods PID [RUNS [PROFILES [CONSOLE]]]");
        return;
    };
    let runs: usize = arguments.next().and_then(|runs| runs.parse().ok()).unwrap_or(20).max(1);
    let library = Library::load(arguments.next().map(PathBuf::from).as_deref());
    let mut profiles = library.profiles().to_vec();
    if let Some(console) = arguments.next() {
        profiles.retain(|profile| profile.console.id() == console);
    }
    let profiles = &profiles[..];
    print("all methods", runs, || Detector::default().detect(pid, profiles));
    for method in METHODS {
        let others =
            METHODS.into_iter().chain([DetectionMethod::Remembered]).filter(|other| *other != method);
        let others: Vec<DetectionMethod> = others.collect();
        print(&method.to_string(), runs, || Detector::without(others.clone()).detect(pid, profiles));
    }
    let mut detector = Detector::without([
        DetectionMethod::LibretroExport,
        DetectionMethod::NamedMapping,
        DetectionMethod::ExportedSymbol,
        DetectionMethod::KnownBuild,
    ]);
    detector.detect(pid, profiles);
    print("earlier search", runs, || detector.detect(pid, profiles));
    print("RetroArch network commands", runs.min(5), || Detector::default().detect_by_network(pid, profiles));
}

fn print(name: &str, runs: usize, find: impl FnMut() -> DetectionReport) {
    let reports: Vec<DetectionReport> = std::iter::repeat_with(find).take(runs).collect();
    let mut times: Vec<Duration> = reports.iter().map(|report| report.elapsed).collect();
    times.sort_unstable();
    let (Some(median), Some(longest), Some(last)) = (times.get(runs / 2), times.last(), reports.last())
    else {
        return;
    };
    let outcome = match &last.outcome {
        DetectionOutcome::Found(found) => {
            format!("found by {}: {} {}", found.method, found.profile.id, found.ram.base)
        }
        DetectionOutcome::Paused(found) => format!("paused, by {}", found.method),
        DetectionOutcome::Ambiguous(places) => format!("ambiguous: {} places", places.len()),
        DetectionOutcome::NoGame | DetectionOutcome::NotFound => "not found".into(),
        DetectionOutcome::Unreadable(error) => error.to_string(),
    };
    println!("{name}: {outcome}; {median:.1?} (longest {longest:.1?})");
    if let Some(attempt) = last.attempts.last() {
        println!("    {}", attempt.message);
    }
}
