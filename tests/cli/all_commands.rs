//! The command line as scripts see it: output, exit status, error messages.

use crate::cli_support::{errors, joined, nextscope, status, text};
use nextscope::console::{ConsoleId, StorageOrder};
use nextscope::demo::console::Console;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn json(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text} {}", errors(output)))
}

#[test]
fn help_lists_the_dump_sizes_of_all_consoles() {
    let output = nextscope(&["watch", "--help"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let sizes_text =
        text.split_once("full RAM (").and_then(|(_, rest)| rest.split_once(')')).expect("sizes").0;
    // "2, 16 or 64 KiB, 1 or 4 MiB"
    let mut sizes = Vec::new();
    let mut numbers = Vec::new();
    for word in sizes_text.split([' ', ',']).filter(|word| !word.is_empty() && *word != "or") {
        match word {
            "KiB" => sizes.extend(numbers.drain(..).map(|number: u32| number << 10)),
            "MiB" => sizes.extend(numbers.drain(..).map(|number: u32| number << 20)),
            number => numbers.push(number.parse().expect("a number")),
        }
    }
    let mut known: Vec<u32> = ConsoleId::ALL.iter().map(|console| console.domain().len).collect();
    known.sort_unstable();
    known.dedup();
    assert_eq!(sizes, known);
}

#[test]
fn help_says_what_the_levels_of_each_game_deal() {
    let help = text(&nextscope(&["route", "--help"]));
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for meaning in [
        "puyo-tsu: level of the player in versus, 1 to 5 as on the screen of the game: 1 and 2 deal three colours, 3 four, 4 and 5 five",
        "mean-bean: level of the player in versus, 1 to 5: 1 selects the first pool and 2 to 5 the second",
    ] {
        assert!(help.contains(meaning), "{help}");
    }
}

#[test]
fn generate_prints_the_vectors() {
    let vectors: Value =
        serde_json::from_str(include_str!("../../crates/games/src/games/puyo_tsu/vectors.json")).unwrap();
    for row in vectors["generator"].as_array().unwrap() {
        let (rank, pop_count) = (row["rank"].to_string(), row["pop_count"].to_string());
        let (seed, mode) = (row["seed"].as_str().unwrap(), row["mode"].as_str().unwrap());
        let output = nextscope(&[
            "generate",
            "puyo-tsu",
            "--seed",
            seed,
            "--mode",
            mode,
            "--rank",
            &rank,
            "--pop-count",
            &pop_count,
            "--json",
        ]);
        assert_eq!(status(&output), 0, "{}", errors(&output));
        let answer = json(&output);
        for key in ["seed", "state_after"] {
            assert_eq!(answer[key], row[key], "{key} of {row}");
        }
        assert_eq!(answer["options"]["mode"], row["mode"]);
        assert_eq!(answer["color_order"]["codes"], row["color_set"]);
        for (field, colors) in [("AD00", 3), ("AE00", 4), ("AF00", 5)] {
            let pools = answer["pools"].as_array().unwrap();
            let pool = pools.iter().find(|pool| pool["colors"] == colors);
            let Some(first) = row["pools"][field]["first32"].as_str() else {
                assert!(pool.is_none(), "{answer}");
                continue;
            };
            // Two bytes a pair, one digit of each.
            let codes = joined(&pool.unwrap()["codes"]);
            let bytes: String = codes.chars().take(32).map(|digit| format!("0{digit}")).collect();
            assert_eq!((codes.len(), bytes.as_str()), (256, first), "{row}");
        }
    }
}

#[test]
fn generate_deals_the_vectors() {
    let vectors: Value =
        serde_json::from_str(include_str!("../../crates/games/src/games/puyo_tsu/vectors.json")).unwrap();
    for (level, key) in [("1", "level1"), ("3", "level3"), ("5", "level5")] {
        let arguments =
            ["generate", "puyo-tsu", "--seed", "0x35879DE2", "--level", level, "--count", "16", "--json"];
        let answer = json(&nextscope(&arguments));
        let codes: Vec<&str> =
            answer["codes"].as_array().unwrap().iter().map(|p| p.as_str().unwrap()).collect();
        assert_eq!(codes.join(" "), vectors["dealt_versus_35879DE2"][key].as_str().unwrap());
    }
}

#[test]
fn bad_arguments_exit_2_with_a_remedy() {
    for (arguments, words) in [
        (&["generate", "puyo-tsu", "--seed", "0x123456789"][..], "0xFFFFFFFF"),
        (&["generate", "puyo-tsu", "--seed", "red"], "0xFFFFFFFF"),
        (&["generate", "tetris-2000", "--seed", "1"], "puyo-tsu"),
        (&["generate", "puyo-tsu", "--seed", "1", "--level", "6"], "1..=5"),
        (&["generate", "puyo-tsu"], "--seed"),
        (&["frobnicate"], "frobnicate"),
        (&["watch", "--dump", "no-such-file"], "no-such-file"),
        (&["verify", "--demo", "--rate", "0"], "--rate"),
        (&["verify", "--demo", "--seconds=-1"], "--seconds"),
        (&["list", "--profiles", "no-such-folder"], "no-such-folder"),
        (&["profile", "new", "mine", "--console", "toaster"], "genesis"),
    ] {
        let output = nextscope(arguments);
        assert_eq!(status(&output), 2, "{arguments:?}: {}", errors(&output));
        assert!(errors(&output).contains(words), "{arguments:?}: {}", errors(&output));
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_missing_process_exits_3() {
    for command in ["watch", "verify", "list"] {
        let output = nextscope(&[command, "--pid", "4194305"]);
        assert_eq!(status(&output), 3, "{command}: {}", errors(&output));
        assert!(errors(&output).contains("4194305"), "{}", errors(&output));
    }
}

#[test]
fn a_process_without_a_game_exits_3_after_the_timeout() {
    let mut other = Command::new("sleep").arg("60").spawn().unwrap();
    let output = nextscope(&["verify", "--pid", &other.id().to_string(), "--wait", "0.5", "--json"]);
    other.kill().unwrap();
    other.wait().unwrap();
    assert_eq!(status(&output), 3, "{}", errors(&output));
}

#[test]
fn an_emulator_with_an_unknown_game_is_reported_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let rom = folder.path().join("other.md");
    let mut bytes = vec![0x4E; 0x4000]; // NOP and illegal words: it crashes into its vectors at once
    bytes[0x100..0x110].copy_from_slice(b"SEGA MEGA DRIVE ");
    std::fs::write(&rom, bytes).unwrap();
    let options = nextscope::demo::DemoOptions { rom: Some(rom), ..nextscope::demo::DemoOptions::default() };
    let program = Path::new(env!("CARGO_BIN_EXE_nextscope"));
    let console = nextscope::demo::spawn_program(program, &options).unwrap();
    let pid = console.pid().to_string();
    let output = nextscope(&["list", "--pid", &pid, "--json"]);
    assert_eq!(status(&output), 1, "{}", errors(&output));
    assert_eq!(json(&output)["emulators"][0]["outcome"], "no-game");
    let output = nextscope(&["verify", "--pid", &pid, "--wait", "1"]);
    assert_eq!(status(&output), 3, "{}", errors(&output));
    assert!(errors(&output).contains("known game"), "{}", errors(&output));
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_of_another_user_is_refused_with_the_rule_and_a_remedy() {
    use std::os::unix::process::CommandExt;
    if !nix::unistd::Uid::effective().is_root() {
        println!("not run: only root can become another user");
        return;
    }
    // A copy that the other user may execute, wherever the build is.
    let folder = tempfile::Builder::new().prefix("nextscope").tempdir_in("/tmp").unwrap();
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open).unwrap();
    let program = folder.path().join("nextscope-copy");
    std::fs::copy(env!("CARGO_BIN_EXE_nextscope"), &program).unwrap();
    let console = nextscope::demo::spawn_program(
        Path::new(env!("CARGO_BIN_EXE_nextscope")),
        &nextscope::demo::DemoOptions::default(),
    )
    .unwrap();
    let output = Command::new(&program)
        .args(["verify", "--wait", "1", "--pid", &console.pid().to_string()])
        .env("HOME", folder.path())
        .uid(65_534)
        .gid(65_534)
        .output()
        .unwrap();
    assert_eq!(status(&output), 3, "{}", errors(&output));
    let said = errors(&output);
    assert!(said.contains("user") && said.contains("root (0)"), "{said}");
    assert!(said.lines().count() > 1, "a remedy is named: {said}");
}

fn dump(folder: &Path, bytes: &[u8]) -> String {
    let path = folder.join("ram.bin");
    std::fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

#[test]
fn zeros_and_noise_are_no_game_and_a_truncated_dump_is_bad_input() {
    let folder = tempfile::tempdir().unwrap();
    let noise: Vec<u8> =
        (0..65_536u64).map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56).to_le_bytes()[0]).collect();
    for (bytes, expected) in [
        (vec![0; 65_536], 1),
        (noise, 1),
        (vec![0; 65_535], 2),
        (Vec::new(), 2),
        (vec![0; 1 << 20], 1),
        (vec![0; 1 << 21], 2),
    ] {
        let path = dump(folder.path(), &bytes);
        for command in ["watch", "verify"] {
            let output = nextscope(&[command, "--dump", &path]);
            assert_eq!(status(&output), expected, "{command}, {} bytes: {}", bytes.len(), errors(&output));
        }
    }
}

/// RAM as the 68000 sees it, some frames after the first round was generated; without events the generator's state
/// remains as it was afterwards.
fn ram_after_generation() -> Vec<u8> {
    let mut rom = nextscope::demo::ROM.to_vec();
    rom[0x216..0x218].fill(0); // the cartridge's event rate
    let mut console = Console::with_order(rom, StorageOrder::AsOnBus).unwrap();
    while console.ram()[0xAF00..0xB000].iter().all(|&byte| byte == 0) {
        console.run_frame();
    }
    for _ in 0..20 {
        console.run_frame();
    }
    console.ram().to_vec()
}

#[test]
fn a_dump_is_verified_in_both_byte_orders() {
    let folder = tempfile::tempdir().unwrap();
    let on_bus = ram_after_generation();
    let mut swapped = on_bus.clone();
    swapped.chunks_exact_mut(2).for_each(|word| word.swap(0, 1));
    let mut seen = Vec::new();
    for bytes in [&on_bus, &swapped] {
        let path = dump(folder.path(), bytes);
        let output = nextscope(&["watch", "--dump", &path, "--json"]);
        assert_eq!(status(&output), 0, "{}", errors(&output));
        let line = json(&output);
        assert_eq!(line["players"].as_array().unwrap().len(), 2, "{line}");
        seen.push(line["players"].clone());
        let output = nextscope(&["verify", "--dump", &path, "--json"]);
        assert_eq!(status(&output), 0, "{} {}", json(&output), errors(&output));
        assert_eq!(json(&output)["result"], "verified");
    }
    assert_eq!(seen[0], seen[1]);
}

#[test]
fn the_boards_of_a_dump_are_printed_with_their_chains() {
    let folder = tempfile::tempdir().unwrap();
    let mut ram = ram_after_generation();
    for (row, cells) in (12..).zip([[0x90, 0, 0xE0, 0, 0, 0], [0x90, 0x93, 0x9C, 0xB0, 0xB0, 0xF0]]) {
        for (column, cell) in cells.into_iter().enumerate() {
            ram[0x8000 + 12 * row + 2 * column] = cell;
        }
    }
    ram[0xD08A..0xD08E].copy_from_slice(&123_456_u32.to_be_bytes());
    ram[0x8800 + 12] = 0x55; // no cell
    let path = dump(folder.path(), &ram);
    let line = json(&nextscope(&["watch", "--dump", &path, "--json"]));
    let [one, two] = [0, 1].map(|number| &line["players"][number]);
    assert_eq!((&one["score"], &two["score"]), (&Value::from(123_456), &Value::from(0)));
    assert_eq!(one["board"]["rows"], serde_json::json!(["Y.O...", "YYYGGH"]));
    assert_eq!(one["board"]["code"], Value::Null, "a field code has no hard blocks");
    assert_eq!(one["board"]["chain"], serde_json::json!({"steps": 1, "done": 0, "points": 40}));
    assert_eq!(two["board"], Value::Null);
    let output = nextscope(&["watch", "--dump", &path]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("Player 1   board Y.O.../YYYGGH   1-chain for 40 points"), "{text}");
    assert!(text.contains("Player 2   row 2, column 1 of the board is 55, which is not a cell"), "{text}");
    ram[0x8000 + 12 * 13 + 10] = 0xD0;
    ram[0x8800 + 12] = 0;
    let path = dump(folder.path(), &ram);
    let line = json(&nextscope(&["watch", "--dump", &path, "--json"]));
    assert_eq!(line["players"][0]["board"]["code"], "wM0Ayj", "{line}");
    assert_eq!(
        line["players"][1]["board"],
        serde_json::json!({"rows": ["......"], "code": null, "chain": null})
    );
}

#[test]
fn a_wrong_byte_in_a_dump_is_reported_with_its_index() {
    let folder = tempfile::tempdir().unwrap();
    for index in [0, 3, 64, 255] {
        let mut wrong = ram_after_generation();
        let at = 0xAE00 + index;
        wrong[at] = if wrong[at] == wrong[0xA4E2] { wrong[0xA4E3] } else { wrong[0xA4E2] };
        let output = nextscope(&["verify", "--dump", &dump(folder.path(), &wrong), "--json"]);
        assert_eq!(status(&output), 1);
        let report = json(&output);
        assert_eq!(report["result"], "mismatch");
        assert_eq!(report["mismatches"][0]["index"], index, "{report}");
        assert_eq!(report["mismatches"][0]["field"], "pool_4");
    }
}

#[test]
fn profile_check_shows_line_and_caret_and_exits_1() {
    let folder = tempfile::tempdir().unwrap();
    let good = format!("{}/profiles/puyo-tsu-genesis.toml", env!("CARGO_MANIFEST_DIR"));
    assert_eq!(status(&nextscope(&["profile", "check", &good])), 0);
    let text = std::fs::read_to_string(&good).unwrap().replace("address = 0xFFA134", "adress = 0xFFA134");
    let bad = folder.path().join("bad.toml");
    std::fs::write(&bad, text).unwrap();
    let output = nextscope(&["profile", "check", &bad.display().to_string()]);
    assert_eq!(status(&output), 1);
    let output_text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output_text.contains("^") && output_text.contains("address") && output_text.contains("bad.toml"),
        "{output_text}"
    );
    let output = nextscope(&["profile", "check", &bad.display().to_string(), "--json"]);
    let first = json(&output)["files"][0]["diagnostics"][0].clone();
    assert!(first["line"].as_u64().unwrap() > 1, "{first}");
}

#[test]
fn profile_schema_list_and_new_work() {
    assert!(json(&nextscope(&["profile", "schema"]))["properties"].is_object());
    let listed = json(&nextscope(&["profile", "list", "--json"]));
    let ids: Vec<&str> =
        listed["profiles"].as_array().unwrap().iter().map(|p| p["id"].as_str().unwrap()).collect();
    assert!(ids.contains(&"puyo-tsu-genesis") && ids.contains(&"puyo-tsu-arcade"), "{ids:?}");
    let output = nextscope(&["profile", "new", "my-hack"]);
    assert_eq!(status(&output), 0);
    assert!(String::from_utf8_lossy(&output.stdout).contains("my-hack"));
}

#[test]
fn the_demo_is_attached_to_and_verified() {
    let output =
        nextscope(&["verify", "--demo", "--speed", "20", "--pairs", "300", "--seconds", "60", "--json"]);
    assert_eq!(status(&output), 0, "{} {}", String::from_utf8_lossy(&output.stdout), errors(&output));
    let report = json(&output);
    assert_eq!(report["result"], "verified");
    assert!(report["totals"]["verified"].as_u64().unwrap() >= 300, "{report}");
}

#[test]
fn a_started_emulator_is_attached_and_keeps_running() {
    let program = env!("CARGO_BIN_EXE_nextscope");
    let output =
        nextscope(&["verify", "--pairs", "20", "--seconds", "20", "--json", "--", "no-such-emulator"]);
    assert_eq!(status(&output), 2, "{}", errors(&output));
    assert!(errors(&output).contains("no-such-emulator"));
    // `sleep` keeps the console's standard input open; bash becomes the console.
    let verify = ["verify", "--pairs", "20", "--seconds", "20", "--json", "--", "bash", "-c"];
    let script = format!("exec {program} demo-console --speed 20 --config pairs=30,menu=5 < <(sleep 30)");
    let output = nextscope(&[&verify[..], &[&script]].concat());
    assert_eq!(status(&output), 0, "{}", errors(&output));
    let pid = json(&output)["pid"].as_u64().unwrap();
    assert!(Path::new(&format!("/proc/{pid}")).exists(), "it goes on when the session has ended");
    Command::new("kill").arg(pid.to_string()).status().unwrap();
}

#[test]
fn watch_prints_one_json_object_per_line() {
    let output = nextscope(&["watch", "--demo", "--seconds", "4", "--json"]);
    assert_eq!(status(&output), 0, "{}", errors(&output));
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a JSON object")).collect();
    let live: Vec<&Value> = lines.iter().filter(|line| line["connection"] == "live").collect();
    assert!(live.len() > 2, "{text}");
    assert!(live.iter().any(|line| line["players"].as_array().is_some_and(|players| players.len() == 2)));
}

#[test]
fn the_help_of_the_embedded_console_lists_its_options() {
    let help = text(&nextscope(&["demo-console", "--help"]));
    for (name, ..) in nextscope::demo::OPTIONS {
        assert!(help.contains(name), "{name} in {help}");
    }
}
