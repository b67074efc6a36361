//! Evidence: from a mismatch to a file, and from the file to the same mismatch, in a process with no other
//! information.

#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "../cli_support/mod.rs"]
mod cli_support;
#[path = "../played/mod.rs"]
mod played;
#[path = "../process_target/mod.rs"]
mod process_target;
#[path = "../waiting/mod.rs"]
mod waiting;

mod attached;
mod cases;
mod games;
mod many;
mod support;

use cli_support::{answer, errors, nextscope, status, text};
use nextscope::console::{ConsoleId, Snapshot, StorageOrder};
use nextscope::demo::console::Console;
use nextscope::demo::{CartridgeConfig, DemoOptions, ROM, spawn_program};
use nextscope::live::{CheckId, Evidence, Mismatch, Options, Sampler, View};
use nextscope::profile::{Library, Profile};
use nextscope::recording::Recording;
use nextscope::report::{Format, Report};
use std::path::Path;
use std::sync::Arc;
use support::Session;

/// The role of this program when one of the tests has started it as a target process.
#[test]
fn target() {
    process_target::run_role(attached::role);
}

fn profile() -> Arc<Profile> {
    Arc::clone(Library::built_in().by_id("puyo-tsu-genesis").unwrap())
}

/// Our cartridge for this many passes of its main loop, with faults written into its RAM by `spoil`; returns
/// the results.
fn run_role(config: &str, passes: usize, root: &Path, spoil: impl Fn(usize, &mut [u8])) -> Vec<Mismatch> {
    let mut rom = ROM.to_vec();
    config.parse::<CartridgeConfig>().unwrap().apply(&mut rom).unwrap();
    let mut console = Console::with_order(rom, StorageOrder::AsOnBus).unwrap();
    let mut session = Session::new(&profile(), root);
    let (mut frame, mut before, mut left) = (0, 0, 90);
    for pass in 0..passes {
        let counter = loop {
            console.run_frame();
            let counter = console.ram()[0xA069];
            if counter != before {
                break counter;
            }
        };
        frame += u64::from(counter.wrapping_sub(std::mem::replace(&mut before, counter)));
        let mut ram = console.ram().to_vec();
        spoil(pass, &mut ram);
        let domain = ConsoleId::Genesis.domain();
        let complete = Snapshot::from_stored(domain, StorageOrder::AsOnBus, ram).unwrap();
        session.sample(&complete, frame);
        // The samples shortly after belong to the evidence.
        left -= usize::from(!session.found.is_empty());
        if left == 0 {
            break;
        }
    }
    session.end().0
}

fn same(file: &serde_json::Value, mismatch: &Mismatch) {
    let json = serde_json::to_value(mismatch).unwrap();
    for name in ["check", "what", "expected", "actual", "field", "index", "frame", "round"] {
        assert_eq!(file["mismatch"][name], json[name], "{name} of {mismatch}");
    }
}

#[test]
fn evidence_of_every_kind_of_fault_reproduces_the_same_mismatch() {
    const BOARD: usize = 0x8000;
    let none = |_: usize, _: &mut [u8]| {};
    let floor = |pass: usize, ram: &mut [u8]| {
        let at = BOARD + 12 * 13;
        if pass >= 900 && ram[at] != 0 {
            ram[at] = if ram[at] == 0xD0 { 0x90 } else { 0xD0 };
        }
    };
    let mut checks = Vec::new();
    let (pools, dealt) = (
        "deal1=33,deal2=41,menu=5,pairs=60,faults=pool",
        "deal1=33,deal2=41,menu=5,pairs=60,faults=dealt,fault-every=9",
    );
    let boards = "deal1=90,deal2=90,menu=5,events=0,schedule=versus";
    type Spoil<'a> = &'a dyn Fn(usize, &mut [u8]);
    for (config, spoil) in [(pools, &none as Spoil<'_>), (dealt, &none), (boards, &floor)] {
        let root = tempfile::tempdir().unwrap();
        let found = run_role(config, 6000, root.path(), spoil);
        assert!(!found.is_empty(), "{config}");
        if config == boards {
            assert_eq!(found[0].check, CheckId::BOARD_P1);
        }
        for mismatch in found.iter().take(1) {
            let path = mismatch.evidence.as_ref().expect("evidence").to_str().unwrap();
            let file = answer(&["evidence", path], 0);
            same(&file, mismatch);
            assert_eq!(file["reproduced_when_written"], true, "{file}");
            assert_eq!(file["from_round_before"], true, "nothing was omitted");
            assert!(file["samples"].as_u64() > file["sample"].as_u64(), "{file}");
            let changed = file["differences"].as_array().unwrap();
            let field = changed.iter().find(|one| one["field"] == mismatch.field.as_str());
            assert!(field.is_some(), "the field of {mismatch} is among what changed: {changed:?}");
            checks.push(mismatch.check);
            let verified = answer(&["verify", "--replay", path], 1);
            let again =
                verified["mismatches"].as_array().unwrap().iter().find(|again| again["evidence"] == path);
            let again = again.unwrap_or_else(|| panic!("{mismatch} is not reproduced: {verified}"));
            for name in ["check", "what", "expected", "actual", "field", "index", "frame"] {
                assert_eq!(again[name], file["mismatch"][name], "{name} of {mismatch}");
            }
        }
        let root_of = found[0].evidence.as_ref().unwrap().parent().unwrap();
        let parts = std::fs::read_dir(root_of)
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().path().extension().is_none_or(|end| end != "nsrec"));
        assert_eq!(parts.count(), 0, "no half-written file is left");
    }
    for check in [CheckId::GENERATION, CheckId::QUEUE_P1, CheckId::BOARD_P1] {
        assert!(checks.contains(&check), "{check:?} among {checks:?}");
    }
}

#[test]
fn reports_show_pools_and_ram_and_escape_everything_that_is_not_text() {
    let root = tempfile::tempdir().unwrap();
    let found = run_role("deal1=33,deal2=41,menu=5,pairs=60,faults=pool", 6000, root.path(), |_, _| {});
    let of_pool = found.iter().find(|mismatch| mismatch.field.starts_with("pool_")).expect("a wrong pool");
    let path = of_pool.evidence.as_ref().unwrap();
    let (page, listing) = (root.path().join("out.html"), root.path().join("out.md"));
    let output = nextscope(&[
        "evidence",
        path.to_str().unwrap(),
        "--html",
        page.to_str().unwrap(),
        "--markdown",
        listing.to_str().unwrap(),
    ]);
    assert_eq!(status(&output), 0, "{}", errors(&output));
    assert!(text(&output).contains("Mismatch reproduced"), "{}", text(&output));
    #[cfg(unix)]
    for option in ["--html", "--markdown"] {
        cli_support::follows_overwrite_rule(".out", &|file| {
            ["evidence", path.to_str().unwrap(), option, file].map(str::to_owned).to_vec()
        });
    }
    let page = std::fs::read_to_string(page).unwrap();
    assert_eq!(page.matches("8 rows of 16 pairs").count(), 3, "three pools are drawn");
    assert_eq!(page.matches("<title>pair ").count(), 3 * 128);
    assert!(page.matches("class=\"mark\"").count() >= 1, "differences are marked");
    assert!(page.contains("&lt;b&gt;Emulator&lt;/b&gt;") && !page.contains("<b>"), "text stays text");
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("<script"));
    let picture = &page[page.find("<svg role").unwrap()..];
    let picture = &picture[..picture.find("</svg>").unwrap() + 6];
    roxmltree::Document::parse(picture).expect("the picture is well-formed");
    let listing = std::fs::read_to_string(listing).unwrap();
    assert!(listing.contains("\\<b\\>Emulator\\</b\\> \\| 1") && listing.contains("** not "), "{listing}");
    let index = of_pool.index.unwrap() / 2;
    assert!(
        page.contains(&format!("✗ Pair {index}: the emulator has")),
        "the pair of byte {:?}",
        of_pool.index
    );
    for part in ["puyo-tsu-genesis", "00ff", "nextscope evidence", &of_pool.field] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn files_that_are_no_evidence_or_truncated_are_reported_as_such() {
    let root = tempfile::tempdir().unwrap();
    let none = root.path().join("none.nsrec");
    std::fs::write(&none, "nothing of that kind").unwrap();
    let output = nextscope(&["evidence", none.to_str().unwrap()]);
    assert_eq!(status(&output), 2);
    assert!(errors(&output).contains("not a recording"), "{}", errors(&output));
    let found = run_role("deal1=33,deal2=41,menu=5,pairs=60,faults=pool", 6000, root.path(), |_, _| {});
    let bytes = std::fs::read(found[0].evidence.as_ref().unwrap()).unwrap();
    // The description is at the end: without it, the file is a recording and no evidence.
    let cut = root.path().join("cut.nsrec");
    std::fs::write(&cut, &bytes[..bytes.len() - 200]).unwrap();
    let output = nextscope(&["evidence", cut.to_str().unwrap()]);
    assert_eq!(status(&output), 2);
    assert!(errors(&output).contains("without evidence"), "{}", errors(&output));
}

#[test]
fn evidence_of_a_running_console_is_written_by_the_sampler_and_summarized_in_a_report() {
    let root = tempfile::tempdir().unwrap();
    let options = ["--speed", "4", "--config", "deal1=20,deal2=20,menu=5,faults=both,fault-every=5"];
    let options = DemoOptions::parse(&options.map(str::to_owned)).unwrap();
    let demo = spawn_program(env!("CARGO_BIN_EXE_nextscope").as_ref(), &options).unwrap();
    let sampler = Sampler::start(Options {
        pid: Some(demo.pid()),
        profiles: Library::built_in().profiles().to_vec(),
        evidence: Some(root.path().to_owned()),
        ..Options::default()
    })
    .unwrap();
    let mut views = sampler.view();
    let view: Arc<View> = waiting::eventually_some("two mismatches", || {
        Some(views.get()).filter(|view| view.mismatches.len() >= 2)
    });
    drop(sampler);
    for mismatch in view.mismatches.iter().take(2) {
        let path = mismatch.evidence.as_ref().expect("evidence");
        let evidence = Evidence::of(&Recording::open(path).unwrap()).expect("evidence");
        assert!(evidence.is_of(mismatch) && evidence.reproduced, "{mismatch}");
        same(&answer(&["evidence", path.to_str().unwrap()], 0), mismatch);
    }
    let report = Report::of_view(&view);
    assert_eq!(report.passed, Some(false));
    let page = report.write(Format::Html);
    assert!(page.contains("Mismatch 2") && page.contains("8 rows of 16 pairs"), "its evidence is shown");
}

#[test]
fn a_verification_writes_a_report() {
    let root = tempfile::tempdir().unwrap();
    for name in ["report.html", "report.md"] {
        let path = root.path().join(name);
        let output = nextscope(&[
            "verify",
            "--demo",
            "--speed",
            "8",
            "--pairs",
            "5",
            "--seconds",
            "60",
            "--report",
            path.to_str().unwrap(),
        ]);
        assert_eq!(status(&output), 0, "{}{}", text(&output), errors(&output));
        let report = std::fs::read_to_string(path).unwrap();
        assert!(
            report.contains("Emulator and model agree") && report.contains("puyo-tsu-genesis"),
            "{report}"
        );
    }
    let output = nextscope(&["verify", "--demo", "--report", "report.txt"]);
    assert_eq!(status(&output), 2);
    assert!(errors(&output).contains(".html or .md"), "{}", errors(&output));
}
