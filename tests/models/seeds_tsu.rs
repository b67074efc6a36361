//! States of Puyo Puyo Tsu from pools, pairs, dumps and the state afterwards.

use nextscope::console::StorageOrder;
use nextscope::demo::console::Console;
use nextscope::games::puyo_tsu::seeds::{
    Effort, Observations, ObservedPair, Query, RoundDifference, classes, find, search, walk_back,
};
use nextscope::games::puyo_tsu::seeds::{Impossible, Target};
use nextscope::games::puyo_tsu::{Dealer, Dealing, Level, PoolId, Round, Setup, State, generate};
use nextscope::task::Progress;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// States all over the 2^32, always the same ones (splitmix64).
fn states(count: u64) -> Vec<State> {
    let mix = |n: u64| {
        let z = (n.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (n >> 3)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        State(u32::try_from(((z ^ (z >> 31)).wrapping_mul(0x94D0_49BB_1331_11EB)) >> 32).unwrap())
    };
    (1..=count).map(mix).collect()
}

/// The colour set and all three pools of a round.
fn seen_whole(round: &Round) -> Observations {
    Observations {
        color_set: Some(round.color_set),
        pools: round.pools.map(|pool| Some(pool?.map(Some))),
        ..Observations::empty(Setup::VERSUS)
    }
}

/// The pairs dealt to a player from number `first` on.
fn seen_pairs(round: &Round, level: Level, first: u32, count: u32) -> Observations {
    let dealer = Dealer { mode: 1, level, dealing: Dealing::default() };
    let pools = round.pools.map(Option::unwrap);
    let pair = |deal_index| {
        let pair = dealer.pair(&pools, deal_index).unwrap();
        ObservedPair { deal_index, axis: Some(pair.axis), child: Some(pair.child) }
    };
    Observations {
        level,
        pairs: (first..first + count).map(pair).collect(),
        ..Observations::empty(Setup::VERSUS)
    }
}

#[test]
fn a_thousand_states_are_recovered_by_walking_back() {
    let states = states(1000);
    let check = |state: &State| {
        let round = generate(*state, Setup::VERSUS);
        let found = walk_back(round.after, &Query::new(&seen_whole(&round)).unwrap());
        assert!(found.contains(state), "{state} is not among {found:?}");
        for other in &found {
            let made = generate(*other, Setup::VERSUS);
            assert_eq!(
                (made.color_set, made.pools),
                (round.color_set, round.pools),
                "{other} beside {state}"
            );
        }
    };
    let halves = states.split_at(states.len() / 2);
    std::thread::scope(|scope| {
        scope.spawn(|| halves.0.iter().for_each(check));
        halves.1.iter().for_each(check);
    });
}

#[test]
fn five_states_are_found_among_all() {
    for (n, state) in states(5).into_iter().enumerate() {
        let round = generate(state, Setup::VERSUS);
        let observations = match n {
            0 | 1 => seen_whole(&round),
            2 => Observations { color_set: None, ..seen_whole(&round) },
            3 => seen_pairs(&round, Level(2), 0, 10),
            _ => seen_pairs(&round, Level(4), 0, 10),
        };
        let query = Query::new(&observations).unwrap();
        let progress = Progress::default();
        let found = find(&query, Effort::default(), &progress).unwrap();
        assert!(found.complete && found.states.contains(&state), "{n}: {state}");
        assert!(found.states.is_sorted() && found.states.len() < 200, "{n}: {}", found.states.len());
        for other in &found.states {
            assert!(query.fits(&generate(*other, Setup::VERSUS)), "{n}: {other} beside {state}");
        }
        assert!((progress.share() - 1.0).abs() < f64::EPSILON, "all states were tried");
        if n < 2 {
            let walked = walk_back(round.after, &query);
            assert!(walked.iter().all(|state| found.states.contains(state)), "{n}: both ways agree");
        }
    }
}

#[test]
fn the_states_of_the_reference_are_found_despite_their_fault() {
    // Reference 1.9: for the pools of 12345678 a search in C finds exactly these two.
    let round = generate(State(0x1234_5678), Setup::VERSUS);
    let mut target = Target {
        round: 1,
        color_set: round.color_set,
        pools: round.pools.map(Option::unwrap),
        setup: Setup::VERSUS,
    };
    let both = [State(0x1234_5678), State(0x6789_ABCD)];
    let found = |target: &Target| search(target, Effort::default(), &Progress::default()).unwrap();
    assert_eq!(found(&target), both);
    target.pools[1][40] ^= 1;
    assert_eq!(found(&target), both, "they are the nearest to pools with one wrong byte");
}

#[test]
fn states_that_diverge_are_distinguished() {
    let first = State(0x1234_5678);
    let dealer = Dealer { mode: 1, level: Level(2), dealing: Dealing::default() };
    let same = classes(&[first, State(0x6789_ABCD)], Setup::VERSUS, dealer);
    assert_eq!((same.classes.len(), same.differs_at), (1, None));
    let query = Query::new(&seen_pairs(&generate(first, Setup::VERSUS), dealer.level, 0, 4)).unwrap();
    let found = nextscope::games::puyo_tsu::seeds::find_in_range(
        &query,
        0x1234_0000,
        1 << 22,
        nextscope::games::puyo_tsu::seeds::Vectors::widest(),
        &Progress::default(),
    )
    .unwrap();
    let answer = classes(&found, Setup::VERSUS, dealer);
    assert!(answer.classes.len() > 1, "four pairs leave several games");
    assert_eq!(answer.classes.iter().map(|class| class.states.len()).sum::<usize>(), found.len());
    let Some(RoundDifference::Pair { deal_index }) = answer.differs_at else {
        panic!("{:?}", answer.differs_at)
    };
    let dealt = |class: &nextscope::games::puyo_tsu::seeds::Class, index| {
        dealer.pair(&class.round.pools.map(Option::unwrap), index).unwrap()
    };
    let all_agree =
        |index| answer.classes.iter().all(|class| dealt(class, index) == dealt(&answer.classes[0], index));
    assert!(deal_index >= 4 && (0..deal_index).all(all_agree) && !all_agree(deal_index));
}

#[test]
fn a_complete_pool_of_noise_is_no_game() {
    let round = generate(State(7), Setup::VERSUS);
    let mut observations = seen_whole(&round);
    let pool = observations.pools[2].as_mut().unwrap();
    pool.swap(100, 101);
    pool.rotate_left(7);
    let error = Query::new(&observations).expect_err("the copied start is gone");
    assert!(matches!(error, Impossible::Flaw(_)), "{error}");
}

fn nextscope(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_nextscope"))
        .arg("find")
        .arg("puyo-tsu")
        .args(arguments)
        .output()
        .unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn file(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

#[test]
fn the_command_finds_states_from_pools() {
    let folder = tempfile::tempdir().unwrap();
    let round = generate(State(0x1234_5678), Setup::VERSUS);
    let pools = round.pools.map(Option::unwrap);
    let raw = file(folder.path(), "pools.bin", &pools.concat());
    let output = nextscope(&["--pools", &raw, "--color-set", "0004010503060200", "--json"]);
    let answer = json(&output);
    assert_eq!(output.status.code(), Some(0), "{answer}");
    let states: Vec<&str> =
        answer["states"].as_array().unwrap().iter().map(|found| found["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["0x12345678", "0x6789ABCD"]);
    assert_eq!((&answer["games"], &answer["differ_at"]), (&1.into(), &Value::Null), "the same game");
    assert_eq!(answer["certain"][0], "PP", "{answer}"); // reference 1.7: the third pair of AD00 is dealt first
    // The 4-colour pool alone, as text with a gap.
    let mut text: String = pools[PoolId::Four.index()].iter().map(|byte| format!("{byte:02x}")).collect();
    text.replace_range(20..24, "????");
    let text = file(folder.path(), "pool.txt", text.as_bytes());
    let output = nextscope(&["--pools", &text, "--csv"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "state,game\n0x12345678,1\n0x6789ABCD,1\n");
}

#[test]
fn the_command_prints_states_as_it_finds_them() {
    let folder = tempfile::tempdir().unwrap();
    let pools = generate(State(0x1234_5678), Setup::VERSUS).pools.map(Option::unwrap);
    let raw = file(folder.path(), "pools.bin", &pools.concat());
    let output = nextscope(&["--pools", &raw, "--color-set", "0004010503", "--stream", "--json"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.pop().unwrap()["count"], 2, "{text}");
    let mut states: Vec<&str> = lines.iter().map(|line| line["state"].as_str().unwrap()).collect();
    states.sort_unstable();
    assert_eq!(states, ["0x12345678", "0x6789ABCD"]);

    // Reading only the first lines ends the search with them: one pair leaves a 25th of all states.
    let mut search = Command::new(env!("CARGO_BIN_EXE_nextscope"))
        .args(["find", "puyo-tsu", "--pieces", "RB", "--stream", "--csv"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(search.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.next().as_deref(), Some("state"));
    assert!(lines.next().unwrap().starts_with("0x"));
    drop(lines);
    assert_eq!(search.wait().unwrap().code(), Some(0));
}

#[test]
fn the_command_walks_back() {
    // Reference 1.7: this is the state after the round of 12345678.
    let output = nextscope(&["--after", "0xF02F4CA9", "--color-set", "0004010503", "--limit", "100000"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("0x12345678") && text.contains("walked back"), "{text}");
    let output = nextscope(&["--after", "0xF02F4CA9", "--pieces", "RR PP RR PP RR PP"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn the_command_reads_a_dump_and_searches_when_the_state_has_moved_on() {
    let mut rom = nextscope::demo::ROM.to_vec();
    rom[0x216..0x218].fill(0); // the cartridge's event rate
    let mut console = Console::with_order(rom, StorageOrder::AsOnBus).unwrap();
    while console.ram()[0xAF00..0xB000].iter().all(|&byte| byte == 0) {
        console.run_frame();
    }
    (0..20).for_each(|_| console.run_frame());
    let mut ram = console.ram().to_vec();
    let folder = tempfile::tempdir().unwrap();
    let answer = json(&nextscope(&["--dump", &file(folder.path(), "ram", &ram), "--json"]));
    assert_eq!(answer["search"]["method"], "walked-back", "{answer}");
    let walked = answer["states"].as_array().unwrap().clone();
    let swapped: Vec<u8> = ram.chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect();
    let again = json(&nextscope(&["--dump", &file(folder.path(), "swapped", &swapped), "--json"]));
    assert_eq!(again["states"], answer["states"]);
    ram[0xA137] ^= 0x55;
    let searched = json(&nextscope(&["--dump", &file(folder.path(), "moved", &ram), "--json"]));
    assert_eq!(searched["search"]["method"], "all-states", "{searched}");
    let searched = searched["states"].as_array().unwrap();
    assert!(!walked.is_empty() && walked.iter().all(|state| searched.contains(state)), "{searched:?}");
}

#[test]
fn impossible_pools_are_status_1_with_the_position() {
    let folder = tempfile::tempdir().unwrap();
    let noise: Vec<u8> = states(256).iter().map(|state| state.0.to_le_bytes()[0]).collect();
    let noise = file(folder.path(), "noise", &noise);
    for (arguments, words) in [
        (&["--pieces", "RG GY PB"][..], "pair 3"),
        (&["--pieces", "RG GY RR RB"], "pair 4"),
        (&["--pieces", "RG", "--color-set", "0001030504"], "colour set"),
        (&["--pools", &noise], "byte 0"),
    ] {
        let output = nextscope(arguments);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {text}");
        assert!(text.contains("no seed produces this") && text.contains(words), "{arguments:?}: {text}");
        let answer = json(&nextscope(&[arguments, &["--json"]].concat()));
        assert!(answer["impossible"].as_str().unwrap().contains(words), "{answer}");
        assert_eq!(answer["count"], 0);
    }
}

#[test]
fn usage_errors_are_status_2() {
    let folder = tempfile::tempdir().unwrap();
    let short = file(folder.path(), "short", &[0; 100]);
    for (arguments, words) in [
        (&[][..], "--pieces"),
        (&["--pieces", "RB XX"], "\"XX\""),
        (&["--pieces", "?? ??"], "nothing to search for"),
        (&["--pieces", "RBG"], "\"RBG\""),
        (&["--pools", "no-such-file"], "no-such-file"),
        (&["--pools", &short], "768"),
        (&["--pieces", "RB", "--color-set", "00010"], "colour set"),
        (&["--after", "red"], "0xFFFFFFFF"),
        (&["--pieces", "RB", "--level", "6"], "6"),
        (&["--at", "3"], "--pieces"),
    ] {
        let output = nextscope(arguments);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.contains(words), "{arguments:?}: {text}");
    }
}
