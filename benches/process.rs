//! The cost of listing processes, of scanning the memory of one, and of finding a console in a large one;
//! each compared with the minimum: reading the kernel's data about it.

#![allow(clippy::expect_used, clippy::unwrap_used, missing_docs)]

#[cfg(target_os = "linux")]
#[path = "../tests/fake_emulator/mod.rs"]
mod fake_emulator;
#[cfg(target_os = "linux")]
#[path = "../tests/process_target/mod.rs"]
mod process_target;
#[path = "../tests/waiting/mod.rs"]
mod waiting;

#[cfg(target_os = "linux")]
fn main() {
    use fake_emulator::Emulator;
    use nextscope::emulator::DetectionOutcome;
    use nextscope::process::list;
    use process_target::regions::{self, HUGE};
    use process_target::{Crowd, Target, page, run_role};

    // This program also plays the processes that it examines.
    fake_emulator::run();
    let mut played = false;
    run_role(|role, argument| {
        played = true;
        match role {
            "huge" => regions::huge(argument),
            "many" => regions::many(),
            other => panic!("no role {other}"),
        }
    });
    if played {
        return;
    }

    println!("{:54} {:>10} {:>10} {:>8}", "median of 21", "takes", "limit", "ratio");
    let last = HUGE / page() - 1;
    for (what, role) in [
        ("regions and touched pages, 600 MB mapped", format!("huge 0 5 6 100000 {last}")),
        ("regions and touched pages, 4,000 regions", "many".into()),
    ] {
        let mut target = Target::start(&role);
        target.receive_addr();
        let process = target.open();
        let maps = format!("/proc/{}/maps", target.pid());
        row(
            what,
            || {
                let regions = process.regions().expect("it runs");
                regions.iter().flat_map(|region| process.touched_ranges(region)).count()
            },
            || std::fs::read(&maps).expect("it runs").len(),
        );
    }

    let folder = tempfile::tempdir().expect("a folder");
    let crowd = Crowd::start(300, &folder.path().join("crowd"));
    row(
        "list of processes, 300 and more",
        || list().len(),
        || {
            let folders = std::fs::read_dir("/proc").expect("listing processes succeeds").flatten();
            let files = folders.flat_map(|folder| ["stat", "cmdline"].map(|file| folder.path().join(file)));
            files.filter_map(|file| std::fs::read(file).ok()).map(|bytes| bytes.len()).sum()
        },
    );
    drop(crowd);

    let (small, large) = (Emulator::start("heap"), Emulator::start("large"));
    let find = |emulator: &Emulator| {
        let found = matches!(emulator.detect().outcome, DetectionOutcome::Found(_));
        assert!(found, "its RAM is there");
        1
    };
    row("console found beside 1 GB never touched (limit: without it)", || find(&large), || find(&small));
}

/// A line of the table: our time, the limit, their ratio.
#[cfg(target_os = "linux")]
fn row(what: &str, ours: impl FnMut() -> usize, limit: impl FnMut() -> usize) {
    let (ours, limit) = (median(ours), median(limit));
    let ratio = ours.as_secs_f64() / limit.as_secs_f64();
    println!("{what:54} {ours:>10.1?} {limit:>10.1?} {ratio:>8.2}");
}

#[cfg(target_os = "linux")]
fn median(mut act: impl FnMut() -> usize) -> std::time::Duration {
    let once = |_| {
        let began = std::time::Instant::now();
        std::hint::black_box(act());
        began.elapsed()
    };
    let mut times: Vec<_> = (0..21).map(once).collect();
    times.sort_unstable();
    times[times.len() / 2]
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("measured on Linux only");
}
