//! The cost of searches of another process's memory, compared with one pass of reading it and with scanmem in
//! the same run.
//!
//! A process of our own contains random bytes (512 MiB; another size in MiB in `NEXTSCOPE_BENCH_MIB`).
//! scanmem (package `scanmem`) is left out when it is not installed. Its comparison after a snapshot takes
//! minutes at the full size.

#![allow(clippy::expect_used, clippy::unwrap_used, missing_docs)]

#[path = "../tests/gui_support/mod.rs"]
mod gui_support;
#[path = "../tests/waiting/mod.rs"]
mod waiting;

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers};
use egui_kittest::kittest::Queryable;
use gui_support::{click, nothing_runs, press, types_into, waits_for, window_on};
use nextscope::console::{ConsoleId, Endian, Snapshot, StorageOrder};
use nextscope::process::{ByteArray, HostAddr, Pid, Process};
use nextscope::research::{
    Against, Change, Compare, Condition, Kind, Previous, ProcessSource, Search, Settings, Source, Tracker,
    Value, ValueType, find_pools,
};
use nextscope::task::Progress;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

const ROLE: &str = "NEXTSCOPE_BENCH_HOLDS_MIB";
const MIB: u64 = 1 << 20;
/// The searched value: it is planted a few times, also at odd offsets.
const WANTED: u32 = 305_419_896;

/// A process with this many MiB of random bytes.
struct Holder(Child);

impl Holder {
    fn start(mib: u64) -> Self {
        let mut child = Command::new(std::env::current_exe().expect("our path"))
            .env(ROLE, mib.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("we can be started again");
        let mut line = String::new();
        let out = child.stdout.take().expect("it is piped");
        BufReader::new(out).read_line(&mut line).expect("the process reports when it is ready");
        Self(child)
    }

    fn source(&self) -> ProcessSource {
        ProcessSource::all_memory(Arc::new(Process::open(Pid(self.0.id())).expect("it is running")))
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn hold(mib: u64) {
    let mut bytes = vec![0u8; usize::try_from(mib * MIB).expect("it fits")];
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    for eight in bytes.as_chunks_mut::<8>().0 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        *eight = state.to_le_bytes();
    }
    for at in [4096, 1_000_001, 900_003] {
        bytes[at..at + 4].copy_from_slice(&WANTED.to_le_bytes());
    }
    println!("ready");
    std::io::stdout().flush().expect("the receiver exists");
    let _ = std::io::stdin().read_line(&mut String::new());
    black_box(&bytes);
}

fn timed<T>(mut act: impl FnMut() -> T) -> (Duration, T) {
    let began = Instant::now();
    let done = act();
    (began.elapsed(), done)
}

fn median(times: usize, mut act: impl FnMut()) -> Duration {
    let mut taken: Vec<Duration> = (0..times).map(|_| timed(&mut act).0).collect();
    taken.sort_unstable();
    taken[times / 2]
}

#[expect(clippy::cast_precision_loss, reason = "figures for people")]
fn ratio(bytes: u64, of: u64) -> f64 {
    bytes as f64 / of as f64
}

/// One thread reads everything once.
fn read_once(source: &ProcessSource) -> u64 {
    let mut buffer = vec![0; 1 << 20];
    let mut read = 0;
    for span in source.spans().expect("it is running") {
        let mut at = 0;
        while at < span.len {
            let len = usize::try_from((span.len - at).min(1 << 20)).expect("small");
            source.read(span.start.offset(at), &mut buffer[..len]).expect("it is mapped");
            at += len as u64;
        }
        read += span.len;
    }
    read
}

/// Seconds that scanmem takes for a command line after its start; None when it is not installed.
fn scanmem(pid: u32, commands: &str) -> Option<Duration> {
    let mut command = Command::new("scanmem");
    command.args(["-p", &pid.to_string(), "-c", commands]).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let (took, status) = timed(|| command.status());
    status.ok()?;
    Some(took)
}

fn exact() -> Condition {
    Condition::Compare(Compare::Equal, Against::Value(Value::Integer(WANTED.into())))
}

fn start(source: &dyn Source, ty: ValueType, condition: &Condition) -> Search {
    Search::start(source, Settings::new(ty), condition, None, &Progress::default()).expect("it can be read")
}

/// A frame of the window with four million search results while the cursor moves in them.
fn draw_a_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("large.bin");
    let bytes: Vec<u8> = (0..4u32 << 20).map(|at| at.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    std::fs::write(&path, bytes).expect("room for 4 MiB");
    let size = egui::vec2(1600.0, 1100.0);
    let mut window = window_on(nothing_runs(), nextscope::gui::Settings::default(), size);
    press(&mut window, Modifiers::COMMAND, Key::Num9);
    click(&mut window, "Dumps");
    types_into(&mut window, Role::TextInput, "file to search", path.to_str().expect("a path"));
    waits_for(&mut window, "large.bin, 1 of 1");
    window.get_by_role_and_label(Role::Button, "Search").click();
    waits_for(&mut window, "4,194,304 cells left");
    window.get_by_label_contains("Results, ").focus();
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::End);
    let mut frame = 0;
    let took = median(121, || {
        frame += 1;
        window.key_press(if frame % 2 == 0 { Key::PageUp } else { Key::ArrowUp });
        window.step();
    });
    let limit = Duration::from_millis(16);
    println!(
        "a frame of the window with 4,194,304 results: {took:.1?}, {:.2} of the limit of {limit:?}",
        took.as_secs_f64() / limit.as_secs_f64()
    );
}

fn main() {
    if let Ok(mib) = std::env::var(ROLE) {
        return hold(mib.parse().expect("a number"));
    }
    draw_a_table();
    let mib: u64 =
        std::env::var("NEXTSCOPE_BENCH_MIB").map_or(512, |mib| mib.parse().expect("a number of MiB"));
    let holder = Holder::start(mib);
    let pid = holder.0.id();
    let source = holder.source();
    let long = ValueType::new(Kind::U32, Endian::Little).expect("a type");

    let bytes = read_once(&source);
    let pass = median(3, || {
        black_box(read_once(&source));
    });
    println!("{} MiB in another process; one pass of reading on one core: {pass:.1?}", bytes / MIB);

    let search = start(&source, long, &exact());
    assert!(search.len() >= 3, "the planted value is found");
    let took = median(5, || {
        black_box(start(&source, long, &exact()));
    });
    let per_gib = took.mul_f64(ratio(1 << 30, bytes));
    println!(
        "exact 32 bits at every byte: {took:.1?}, {:.2} of one pass; 1 GiB: {per_gib:.1?} (limit 120 ms)",
        took.as_secs_f64() / pass.as_secs_f64()
    );
    let base = "option scan_data_type int32;option region_scan_level 3;";
    let peer = scanmem(pid, &format!("{base}{WANTED};exit"));
    let idle = scanmem(pid, "exit");
    let versus = |what: &str, peer: Option<Duration>, took: Duration, target: f64| match peer {
        Some(peer) => println!(
            "  scanmem {what}: {peer:.1?}, {:.1} times as long (target: {target})",
            peer.as_secs_f64() / took.as_secs_f64()
        ),
        None => println!("  scanmem is not installed: left out"),
    };
    let less = |peer: Option<Duration>, by: Option<Duration>| {
        peer.map(|peer| peer.saturating_sub(by.unwrap_or_default()))
    };
    versus("exact", less(peer, idle), took, 8.0);

    let (first, mut search) = timed(|| start(&source, long, &Condition::Unknown));
    println!(
        "unknown: {first:.1?}, memory {:.2} times the bytes searched (limit 1.3)",
        ratio(search.memory(), bytes)
    );
    let increased = Condition::Compare(Compare::Greater, Against::Previous(Previous::LastSearch));
    let (next, outcome) = timed(|| search.step(&source, &increased, None, &Progress::default()));
    let outcome = outcome.expect("it is running");
    println!("increased: {next:.1?}, {} left, memory {:.2}", outcome.left, ratio(search.memory(), bytes));
    let mut search = start(&source, long, &Condition::Unknown);
    let unchanged = Condition::Unchanged(Previous::LastSearch);
    let (same, outcome) = timed(|| search.step(&source, &unchanged, None, &Progress::default()));
    let outcome = outcome.expect("it is running");
    println!("unchanged: {same:.1?}, {} left, memory {:.2}", outcome.left, ratio(search.memory(), bytes));
    drop(search);
    let snapshot = less(scanmem(pid, &format!("{base}snapshot;exit")), idle);
    versus("snapshot", snapshot, first, 20.0);
    let both = snapshot.and_then(|_| less(scanmem(pid, &format!("{base}snapshot;>;exit")), idle));
    versus("> after it", less(both, snapshot), next, 50.0);

    let (took, found) = timed(|| find_pools(&source, &Progress::default()).expect("it can be read"));
    assert!(found.is_empty(), "there are no pools in it");
    println!("pools: {took:.1?}; 1 GiB: {:.1?} (limit 1.5 s)", took.mul_f64(ratio(1 << 30, bytes)));
    drop(holder);

    domains();
}

/// Steps on the RAM of consoles.
fn domains() {
    let mut numbers = vec![0u8; 0x40_0000];
    let mut state = 1u32;
    for byte in &mut numbers {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *byte = if state >> 30 == 0 { state.to_le_bytes()[2] } else { 0 };
    }
    let domain = ConsoleId::Genesis.domain();
    let ram = |step: u8| {
        let mut bytes = numbers[..0x1_0000].to_vec();
        bytes.iter_mut().step_by(97).for_each(|byte| *byte = byte.wrapping_add(step));
        Snapshot::from_stored(domain, StorageOrder::AsOnBus, bytes).expect("all of it")
    };
    let frames = [ram(0), ram(1), ram(2)];
    let previous = |previous| Against::Previous(previous);
    let last = previous(Previous::LastSearch);
    let by = |number: i128| Value::Integer(number);
    let differs =
        |at_least| Condition::Differs { change: Change::Either, at_least, by: by(1), from: last.clone() };
    println!("\n64 KiB domain, one step from all candidates (limit 200 µs):");
    for kind in [Kind::U8, Kind::U16, Kind::I32, Kind::F32, Kind::Bcd { bytes: 3 }, Kind::Nibble, Kind::U64] {
        let ty = ValueType::new(kind, Endian::Big).expect("a type");
        let mut tracker = Tracker::of_source(&frames[0], ty).expect("small");
        frames[..2].iter().for_each(|frame| tracker.frame(frame).expect("at hand"));
        let one = if kind.is_float() { Value::Float(1.0) } else { by(1) };
        let mut steps = vec![
            ("unchanged", Condition::Unchanged(Previous::LastSearch)),
            ("greater", Condition::Compare(Compare::Greater, last.clone())),
            ("equal 1", Condition::Compare(Compare::Equal, Against::Value(one))),
            ("last frame", Condition::Compare(Compare::LessOrEqual, previous(Previous::LastFrame))),
            ("last change", Condition::Unchanged(Previous::LastChange)),
            ("changes", Condition::Changes(Compare::Less, 2)),
        ];
        if !kind.is_float() {
            steps.push(("differs", differs(true)));
            let modulo = Condition::Modulo { divisor: 3, equals: Against::Value(by(0)) };
            steps.push(("modulo", modulo));
        }
        let search = start(&frames[0], ty, &Condition::Unknown);
        let mut line = format!("  {:28}", kind.to_string());
        for (name, condition) in steps {
            let mut taken: Vec<Duration> = (0..51)
                .map(|_| {
                    let mut copy = search.clone();
                    timed(|| copy.step(&frames[2], &condition, Some(&tracker), &Progress::default())).0
                })
                .collect();
            taken.sort_unstable();
            line += &format!(" {name} {:.0?},", taken[25]);
        }
        println!("{}", line.trim_end_matches(','));
    }
    let ty = ValueType::new(Kind::U32, Endian::Little).expect("a type");
    let bytes = |step: u8| {
        let mut bytes = numbers.clone();
        bytes.iter_mut().step_by(997).for_each(|byte| *byte = byte.wrapping_add(step));
        ByteArray { base: HostAddr(0x0200_0000), bytes }
    };
    let frames = [bytes(0), bytes(1)];
    let mut search = start(&frames[0], ty, &Condition::Unknown);
    let mut tracker = Tracker::of_source(&frames[0], ty).expect("small");
    let changed = Condition::Unchanged(Previous::LastSearch);
    let mut nth = 0;
    let took = median(31, || {
        nth += 1;
        search.auto_step(&frames[0], &changed, None, &Progress::default()).expect("at hand");
    });
    let counting = median(31, || {
        nth += 1;
        tracker.frame(&frames[nth % 2]).expect("at hand");
    });
    println!(
        "4 MiB, a step each frame: {took:.1?}, counting changes: {counting:.1?}; at 60 Hz {:.1} % of a core (limit 10)",
        (took + counting).as_secs_f64() * 6000.0
    );
}
