//! Scripts that place pairs, in this process and in a console's own.

use super::{LEFT, PLAYERS, Random, board, board_of, land, rules, start};
use crate::waiting::{eventually, eventually_some};
use nextscope::demo::{DemoOptions, Playback, Script, spawn_program};
use nextscope::process::{HostAddr, Process, Region};
use nextscope::puyo::{COLUMNS, Cell, Field, Rules, reference};
use std::path::Path;

const PAUSED: u32 = 0xFF_1002;
const SEED_AFTER: u32 = 0xFF_1024;
const RNG_STATE: u32 = 0xFF_A134;

/// A controller's hand that plays a script of random placements: turned, moved, dropped.
fn scripted(random: &mut Random, pairs: usize) -> (String, Vec<(usize, u8)>) {
    let mut text = String::from("# turns, moves, then down\n");
    let mut placed = Vec::new();
    for _ in 0..pairs {
        let rotation = u8::try_from(random.below(4)).unwrap();
        let columns = if rotation % 2 == 0 { 6 } else { 5 };
        let column = random.below(columns) + usize::from(rotation == LEFT);
        let turns = ["", "1 B\n1 -\n", "1 C\n1 -\n1 B\n1 -\n", "1 A\n1 -\n"][usize::from(rotation)];
        let (times, way) = if column < 2 { (2 - column, "L") } else { (column - 2, "R") };
        text += turns;
        text += &format!("1 {way}\n1 -\n").repeat(times);
        text += "99 D\npair\n";
        placed.push((column, rotation));
    }
    (text, placed)
}

/// The board after each of these placements of the pairs that `colors` gives.
fn placed(start: Field, rules: Rules, colors: &[[u8; 2]], placed: &[(usize, u8)]) -> Vec<(Field, u32)> {
    let (mut field, mut score) = (start, 0);
    let each = colors.iter().zip(placed).map(|(colors, (column, rotation))| {
        land(&mut field, *colors, *column, *rotation);
        score += reference::fire(&mut field, rules).iter().map(|step| step.points).sum::<u32>();
        (field, score)
    });
    each.collect()
}

/// The pairs of player 1 of the round that is being played, in the order in which they are dealt.
fn pairs_of_the_round(word: impl Fn(u32) -> u16, level: u8) -> Vec<[u8; 2]> {
    let pool = |page: u32, pair: u32| word(0xFF_AD00 + 0x100 * page + 2 * pair).to_be_bytes();
    let page = [0, 0, 1, 2, 2][usize::from(level)];
    [2, 1, 0].into_iter().map(|pair| pool(0, pair)).chain((3..128).map(|pair| pool(page, pair))).collect()
}

#[test]
fn scripted_placements_end_where_they_are_meant_for_every_pair() {
    let mut random = Random(0x0DDB_1A5E_5BAD_5EED);
    let mut pairs = 0;
    for (group, seed) in [(2, 1), (2, 12), (3, 22), (3, 33), (4, 333), (4, 4444), (4, 55), (5, 5), (6, 6)] {
        let (text, meant) = scripted(&mut random, 70);
        let script: Script = text.parse().unwrap();
        let mut playback = Playback::new(&script);
        let mut console = start(&format!(
            "hand1=controller,events=0,fall=512,chain=2,delay=3,menu=1,schedule=versus,level1=4,group={group},seed={seed}"
        ));
        let mut boards = Vec::new();
        let mut appeared = 0;
        for _ in 0..6000 {
            playback.frame(&mut console);
            if playback.appeared() > appeared {
                appeared = playback.appeared();
                boards.push((board_of(&console, 0), console.long(PLAYERS[0] + 0x0E)));
            }
            if playback.is_done() {
                break;
            }
            console.run_frame();
        }
        assert_eq!(boards.len(), meant.len() + 1);
        assert_eq!(console.long(RNG_STATE), console.long(SEED_AFTER), "nothing of it draws");
        let colors = pairs_of_the_round(|address| console.word(address), 4);
        let mut field = (Field::default(), 0);
        for (nth, there) in boards.iter().enumerate() {
            let lost = field.0.get(2, 11) != Cell::Empty;
            if lost {
                field.0 = Field::default();
            }
            assert_eq!(*there, field, "pair {nth} appears");
            let Some(meant) = meant.get(nth) else { break };
            // Higher columns may be in the way: what happens then is for the walks above.
            if (0..COLUMNS).any(|column| field.0.height(column) > 10) {
                field = boards[nth + 1];
                continue;
            }
            let after = placed(field.0, rules(&console), &colors[nth..=nth], &[*meant]);
            field = (after[0].0, field.1 + after[0].1);
            pairs += 1;
        }
    }
    println!("{pairs} pairs");
    assert!(pairs >= 300);
}

#[test]
fn a_console_of_its_own_plays_a_script_from_a_file_and_leaves_the_board_that_it_leads_to() {
    let (text, meant) = scripted(&mut Random(77), 10);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("input.txt");
    // Start pauses the cartridge afterwards.
    std::fs::write(&file, text + "1 S\n").unwrap();
    let arguments = format!(
        "--speed 0 --input {} --config hand1=controller,chain=0,delay=1,schedule=versus,level1=2,seed=99",
        file.display()
    );
    let arguments: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
    let options = DemoOptions::parse(&arguments).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_nextscope"));
    let demo = spawn_program(program, &options).expect("it starts");
    let process = Process::open(demo.pid()).unwrap();
    let ram = found(&process);
    let word = |address: u32| {
        let mut bytes = [0; 2];
        process.read_exact(ram.offset(u64::from(address & 0xFFFF)), &mut bytes).unwrap();
        u16::from_le_bytes(bytes)
    };
    eventually("it pauses", || word(PAUSED) >> 8 != 0);
    let after = placed(Field::default(), Rules::TSU, &pairs_of_the_round(word, 2), &meant);
    assert_eq!(after.len(), 10);
    assert_eq!(board(word, 0), after[9].0);

    std::fs::write(&file, "1 L\n2 Q\n").unwrap();
    let error = spawn_program(program, &options).expect_err("no button Q").to_string();
    assert!(error.contains("input.txt") && error.contains("line 2: `Q` is not a button"), "{error}");
    std::fs::remove_file(&file).unwrap();
    assert!(spawn_program(program, &options).is_err(), "no file");
}

/// Where the console's RAM begins in its process: it contains both options blocks, with their words swapped.
fn found(process: &Process) -> HostAddr {
    let magic = b"OCPMLI!E";
    eventually_some("the console's RAM", || {
        let regions = process.regions().unwrap();
        let small = |region: &Region| region.readable && region.writable && region.len < 1 << 26;
        regions.iter().filter(|region| small(region)).find_map(|region| {
            let mut bytes = vec![0; usize::try_from(region.len).unwrap()];
            process.read_exact(region.start, &mut bytes).ok()?;
            let has_both =
                |at: &usize| bytes[*at..].starts_with(magic) && bytes[at + 0x300..].starts_with(magic);
            let at = (0x4AF8..bytes.len().saturating_sub(0x308)).find(has_both)?;
            Some(region.start.offset(at as u64 - 0x4AF8))
        })
    })
}
