//! The watch lists and pointer paths of `scan`, as a user has them: on dumps of our own cartridge, on the
//! embedded console, and on a process that runs twice.

#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, clippy::unwrap_used, dead_code)]

mod cli_support;
mod process_target;
mod waiting;

use cli_support::{errors, nextscope, status, text};
use nextscope::console::StorageOrder;
use nextscope::demo::console::Console;
use process_target::{Target, next_command, run_role, send};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::atomic::{AtomicUsize, Ordering};

fn lines(output: &Output) -> Vec<Value> {
    assert!(matches!(status(output), 0 | 1), "{}", errors(output));
    text(output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// RAM of our own cartridge on the 68000's bus, at two moments a second apart.
fn rams(count: usize) -> Vec<Vec<u8>> {
    let mut console = Console::with_order(nextscope::demo::ROM.to_vec(), StorageOrder::AsOnBus).unwrap();
    (0..400).for_each(|_| console.run_frame());
    let mut rams = Vec::new();
    for _ in 0..count {
        (0..60).for_each(|_| console.run_frame());
        rams.push(console.ram().to_vec());
    }
    rams
}

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

fn word(ram: &[u8], at: usize) -> u64 {
    u64::from(u16::from_be_bytes([ram[at], ram[at + 1]]))
}

#[test]
fn watches_are_followed_from_dump_to_dump_and_saved_in_files() {
    let folder = tempfile::tempdir().unwrap();
    let rams = rams(4);
    let dumps: Vec<String> =
        rams.iter().enumerate().map(|(n, ram)| write(folder.path(), &format!("{n}.bin"), ram)).collect();
    let saved = folder.path().join("mine.wch");
    let csv = folder.path().join("mine.csv");
    let mut arguments: Vec<String> = vec!["scan".into(), "--json".into()];
    for dump in &dumps {
        arguments.extend(["--dump".to_owned(), dump.clone()]);
    }
    arguments.extend(["--type".to_owned(), "u16be".to_owned()]);
    for step in [
        "watch @FF85A6 \"pairs dealt\"",
        "watch @FFA069 u8 main loop",
        "wait",
        "wait",
        "wait",
        "watches",
        "unknown",
        "exclude-watched",
    ] {
        arguments.push(step.to_owned());
    }
    arguments
        .extend([format!("save-watches {}", saved.display()), format!("save-watches {}", csv.display())]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = nextscope(&arguments);
    let results = lines(&output);
    assert_eq!(results[0]["watches"].as_array().unwrap().len(), 1, "shown at once");
    assert_eq!(results[0]["watches"][0]["value"], word(&rams[0], 0x85A6).to_string());
    let list = results[2]["watches"].as_array().unwrap();
    let values: Vec<u64> = rams.iter().map(|ram| word(ram, 0x85A6)).collect();
    let changes = values.windows(2).filter(|two| two[0] != two[1]).count();
    let previous = values.iter().rev().find(|value| **value != values[3]).unwrap();
    assert!(changes > 0, "pairs are dealt: {values:?}");
    assert_eq!(
        list[0],
        json!({ "label": "pairs dealt", "address": "0xFF85A6", "type": "u16be", "value": values[3].to_string(),
                "previous": previous.to_string(), "changes": changes, "notes": null, "separator": null })
    );
    assert_eq!((list[1]["label"].as_str(), list[1]["type"].as_str()), (Some("main loop"), Some("u8")));
    assert_eq!((results[3]["left"].as_u64(), results[4]["left"].as_u64()), (Some(0xFFFF), Some(0xFFFD)));
    assert_eq!(
        std::fs::read_to_string(&saved).unwrap(),
        "SystemID GEN\n85A6\tw\tu\t1\t68K RAM\tpairs dealt\nA069\tb\tu\t1\t68K RAM\tmain loop\n"
    );
    // Both files are read back, one of them unchanged.
    for file in [&saved, &csv] {
        let before = std::fs::read(file).unwrap();
        let steps = [format!("watches {}", file.display()), format!("save-watches {}", file.display())];
        let output = nextscope(&["scan", "--json", "--force", "--dump", &dumps[0], &steps[0], &steps[1]]);
        let results = lines(&output);
        assert_eq!(results[0]["watches"][0]["label"], "pairs dealt", "{results:?}");
        assert_eq!(results[0]["watches"][0]["value"], values[0].to_string());
        assert_eq!(results[1]["lines"], 2);
        assert_eq!(std::fs::read(file).unwrap(), before, "{}", file.display());
    }
    // Without `--json` the output is a table.
    let output = nextscope(&["scan", "--dump", &dumps[0], &format!("watches {}", saved.display())]);
    assert!(text(&output).contains("pairs dealt  0xFF85A6  u16be"), "{}", text(&output));
    assert_eq!(status(&output), 0);
}

#[test]
fn lists_of_other_tools_are_read_and_their_errors_reported_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let ram = rams(1).remove(0);
    let dump = write(folder.path(), "ram.bin", &ram);
    let table = r#"<?xml version="1.0"?><CheatTable><CheatEntries>
        <CheatEntry><Description>"dealt"</Description><VariableType>Custom</VariableType>
          <CustomType>2 Byte Big Endian</CustomType><Address>FF85A6</Address></CheatEntry>
        <CheatEntry><Description>"god"</Description><VariableType>Auto Assembler Script</VariableType></CheatEntry>
        </CheatEntries></CheatTable>"#;
    let table = write(folder.path(), "t.CT", table);
    let results = lines(&nextscope(&["scan", "--json", "--dump", &dump, &format!("watches {table}")]));
    assert_eq!(results[0]["watches"][0]["value"], word(&ram, 0x85A6).to_string());
    assert_eq!(results[0]["left_out"], json!([{ "what": "god", "reason": "it is a script" }]));
    for (name, bytes, message) in [
        (
            "bad.wch",
            "SystemID GEN\nA134\td\th\t1\t68K RAM\tok\nA134\tq\th\t1\t68K RAM\tbad\nA1\tw\n",
            "bad.wch: line 3, column 6: unknown size `q`",
        ),
        ("bad.wch", "SystemID GEN\nA1\tw\n", "line 2: 2 tab-separated columns"),
        ("bad.csv", "label,address,type\na,0x10,u8\nb,0x20,u9\n", "bad.csv: line 3: unknown type `u9`"),
        ("bad.CT", "<CheatTable>\n<CheatEntries>\n</CheatTable>", "bad.CT: line 3, column "),
        ("bad.txt", "", "bad.txt: unknown watch list format"),
    ] {
        let file = write(folder.path(), name, bytes);
        let output = nextscope(&["scan", "--dump", &dump, &format!("watches {file}")]);
        assert_eq!(status(&output), 2, "{name}");
        assert!(errors(&output).contains(message), "{name}: {}", errors(&output));
    }
    let unknown = write(folder.path(), "unknown.bin", [0; 1000]);
    for (arguments, message) in [
        (vec!["watches nowhere.wch"], "cannot read nowhere.wch"),
        (vec!["unknown", "exclude-watched"], "the watch list is empty"),
        (vec!["watch @10", "save-watches /nowhere/a.csv"], "/nowhere/a.csv: it cannot be written"),
        (vec!["watch @10", "save-watches a.wch"], "a.wch: such a file has a console's addresses"),
        (vec!["pointers @10"], "pointers need a console's RAM or a process"),
        (vec!["recheck"], "there are no pointer paths yet"),
        (vec!["paths"], "there are no pointer paths yet"),
    ] {
        let arguments = [vec!["scan", "--dump", &unknown], arguments].concat();
        let output = nextscope(&arguments);
        assert_eq!(status(&output), 2, "{arguments:?}: {}", text(&output));
        assert!(errors(&output).contains(message), "{arguments:?}: {}", errors(&output));
    }
}

#[test]
fn a_live_cell_is_followed_at_every_frame() {
    let program = Path::new(env!("CARGO_BIN_EXE_nextscope"));
    let console = nextscope::demo::spawn_program(program, &nextscope::demo::DemoOptions::default()).unwrap();
    let pid = console.pid().0.to_string();
    let steps = ["wait 0.5s", "watch @FFA000 u32be ticks", "watch @FF8000 u16be", "wait 60", "watches"];
    let output = nextscope(&[&["scan", "--json", "--pid", &pid][..], &steps].concat());
    let results = lines(&output);
    let list = results.last().unwrap()["watches"].as_array().unwrap();
    // Every vertical interrupt changes it; a frame that the search missed is not a separate change.
    assert!((30..=61).contains(&list[0]["changes"].as_u64().unwrap()), "{list:?}");
    let number = |value: &Value| value.as_str().unwrap().parse::<i64>().unwrap();
    let step = (number(&list[0]["value"]) - number(&list[0]["previous"])).rem_euclid(1_000_000);
    assert!(step % 0x4022 == 0 && step > 0, "{list:?}");
}

/// RAM in which 0xFF0100 leads via a moving block to a cell in another, and 0xFF0900 leads there by chance
/// this time.
fn with_pointers(ram: &[u8], block: u32, inner: u32, chance: u32) -> Vec<u8> {
    let mut ram = ram.to_vec();
    let mut put = |at: u32, value: u32| {
        let at = usize::try_from(at & 0xFFFF).unwrap();
        ram[at..at + 4].copy_from_slice(&value.to_be_bytes());
    };
    put(0xFF_0100, block);
    put(block + 0x20, inner | 0xFF00_0000); // the 68000 ignores the upper byte
    put(0xFF_0900, chance);
    ram
}

#[test]
fn paths_in_a_consoles_ram_are_found_checked_again_and_read_in_another_run() {
    let folder = tempfile::tempdir().unwrap();
    let ram = rams(1).remove(0);
    let first = write(folder.path(), "1.bin", with_pointers(&ram, 0xFF_1000, 0xFF_2010, 0xFF_2050));
    let second = write(folder.path(), "2.bin", with_pointers(&ram, 0xFF_1400, 0xFF_2600, 0xFF_3000));
    let file = folder.path().join("paths.txt");
    let save = format!("save-paths {}", file.display());
    let find = "pointers @FF2054 depth 2 offset 0x80";
    let output = nextscope(&[
        "scan",
        "--json",
        "--dump",
        &first,
        "--dump",
        &second,
        find,
        &save,
        "wait",
        "recheck @FF2644",
    ]);
    let results = lines(&output);
    let paths = |line: &Value| -> Vec<String> {
        let paths = line["paths"].as_array().unwrap();
        paths.iter().map(|path| path["path"].as_str().unwrap().to_owned()).collect()
    };
    let right = "[[0xFF0100] + 0x20] + 0x44".to_owned();
    let found = paths(&results[0]);
    assert!(found.contains(&right) && found.contains(&"[0xFF0900] + 0x4".to_owned()), "{found:?}");
    assert!(results[0]["paths"].as_array().unwrap().iter().all(|path| path["leads_to"] == "0xFF2054"));
    assert_eq!(results[1]["file"], file.display().to_string());
    assert_eq!(paths(&results[2]), std::slice::from_ref(&right), "{}", results[2]);
    assert_eq!(
        (results[2]["target"].as_str(), results[2]["gone"].as_u64()),
        (Some("0xFF2644"), Some(found.len() as u64 - 1))
    );
    assert_eq!(status(&output), 0);
    // In another run of the program, from the file.
    let read = format!("paths {}", file.display());
    let output = nextscope(&["scan", "--json", "--dump", &second, &read, "recheck @FF2644"]);
    let results = lines(&output);
    assert_eq!((paths(&results[0]).len(), paths(&results[1])), (found.len(), vec![right]));
    let output = nextscope(&["scan", "--dump", &second, &read, "recheck @FF7000"]);
    assert_eq!((status(&output), text(&output).contains("No paths")), (1, true), "{}", text(&output));
    let bad = write(folder.path(), "bad.txt", "pointers 4 be mask 0xFFFFFF align 2\n0xFF0100\n");
    let output = nextscope(&["scan", "--dump", &second, &format!("paths {bad}")]);
    assert!(
        errors(&output).contains("bad.txt: line 2: a path needs at least one offset"),
        "{}",
        errors(&output)
    );
}

/// The start of the target's list: a variable of the program, so that it is in its module.
static LIST: AtomicUsize = AtomicUsize::new(0);

#[test]
fn target() {
    run_role(|role, _| match role {
        "list" => list(),
        other => panic!("no such role: {other}"),
    });
}

/// Stores a number behind two pointers that begin in a variable of the program, at another address each time.
fn list() {
    let ballast: Vec<Vec<u8>> = (0..std::process::id() % 64).map(|_| vec![1; 5000]).collect();
    // Another process reads this memory, which the compiler cannot know.
    let inner = std::hint::black_box(Box::leak(Box::new([0x7777_usize, 0, 0x0123_4567_89AB_CDEF])));
    let address = std::ptr::from_ref(inner).expose_provenance();
    let outer = std::hint::black_box(Box::leak(Box::new([5_usize, 6, 7, address, 8])));
    std::hint::black_box(&LIST).store(std::ptr::from_ref(outer).expose_provenance(), Ordering::SeqCst);
    send(address + 16);
    while next_command().is_some() {}
    drop(ballast);
}

#[test]
fn paths_of_a_process_are_followed_in_its_next_run() {
    let folder = tempfile::tempdir().unwrap();
    let file: PathBuf = folder.path().join("paths.txt");
    let run = |target: &Target, steps: &[&str]| {
        let pid = target.pid().0.to_string();
        let output = nextscope(&[&["scan", "--json", "--pid", &pid, "--all-memory"], steps].concat());
        lines(&output)
    };
    let mut first = Target::start("list");
    let cell = first.receive_addr().0;
    let find = format!("pointers @{cell:X} depth 2 offset 0x40");
    let results = run(&first, &[&find, &format!("save-paths {}", file.display())]);
    let found = results[0]["paths"].as_array().unwrap();
    let over = |paths: &[Value]| paths.iter().any(|path| path["offsets"] == json!(["0x18", "0x10"]));
    assert!(over(found), "{found:?}");
    let exe = process_target::exe();
    let module = format!("\"{}\"+0x", exe.file_name().unwrap().to_string_lossy());
    assert!(found.iter().any(|path| path["base"].as_str().unwrap().starts_with(&module)), "{found:?}");
    drop(first);

    let mut second = Target::start("list");
    let cell = second.receive_addr().0;
    let results = run(&second, &[&format!("paths {}", file.display()), &format!("recheck @{cell:X}")]);
    let left = results[1]["paths"].as_array().unwrap();
    assert!(over(left), "{left:?}");
    assert!(left.len() <= found.len());
    assert!(left.iter().all(|path| path["leads_to"] == format!("0x{cell:X}")));
}
