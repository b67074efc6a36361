//! What the computer's hands and the boards that rounds begin with come to, against the plain chain.

use super::{
    Counts, PASSES, PLAY, PLAYERS, QUEUES, Random, STATE_ID, as_setting, board_of, byte, counts, land, pair,
    play, random_board, rules, start,
};
use nextscope::demo::console::Console;
use nextscope::puyo::{COLUMNS, Cell, Field, ROWS, Rules, field_from_rows, reference};
use serde_json::Value;

/// The cartridge's own cells of each player (`ram.inc`): where the computer's pair goes.
const OWN: [u32; 2] = [0xFF_1060, 0xFF_1070];
const ROUND: u32 = 0xFF_1014;

/// The pair of a computer's hand, and what its board and counts were when it appeared.
struct Dealt {
    round: u32,
    number: u16,
    colors: [u8; 2],
    column: usize,
    rotation: u8,
    before: Field,
    counts: Counts,
}

fn dealt(console: &Console, player: usize) -> Dealt {
    Dealt {
        round: console.long(ROUND),
        number: console.word(QUEUES[player] + 6),
        colors: pair(console, player),
        column: usize::from(console.word(OWN[player] + 2)),
        rotation: byte(console, OWN[player] + 5),
        before: board_of(console, player),
        counts: counts(console, player),
    }
}

/// What the board and the counts of a computer's hand must be when its next pair appears.
fn expected(dealt: &Dealt, rules: Rules) -> (Field, Counts) {
    let (mut field, mut counts) = (dealt.before, dealt.counts);
    land(&mut field, dealt.colors, dealt.column, dealt.rotation);
    counts.chain(&reference::fire(&mut field, rules));
    let lost = field.get(2, 11) != Cell::Empty;
    if lost || (0..COLUMNS).all(|column| field.height(column) > 10) {
        field = Field::default();
    }
    (field, counts)
}

#[test]
fn thousands_of_pairs_by_the_computers_hands_drop_pop_and_count_as_the_plain_chain() {
    let (mut pairs, mut chains, mut longest, mut emptied) = (0, 0, 0, 0);
    for (group, config) in [
        (2, "deal1=4,deal2=5,pairs=100"),
        (3, "deal1=4,deal2=5,pairs=100,fall=65535,chain=1"),
        (4, "deal1=4,deal2=7,pairs=150"),
        (4, "deal1=26,deal2=31,pairs=60,fall=65535,chain=3"),
        (4, "deal1=5,deal2=6,pairs=150,chain=0,schedule=story"),
        (5, "deal1=5,deal2=4,pairs=100,chain=0"),
        (6, "deal1=3,deal2=4,pairs=100"),
    ] {
        let mut console = start(&format!("group={group},menu=3,{config}"));
        let mut before: [Option<Dealt>; 2] = [None, None];
        let mut passes = 0;
        for _ in 0..5000 {
            console.run_frame();
            if byte(&console, STATE_ID) == PLAY {
                assert_eq!(console.long(PASSES), passes + 1, "a frame was missed");
            }
            passes = console.long(PASSES);
            for (player, before) in before.iter_mut().enumerate() {
                let (round, number) = (console.long(ROUND), console.word(QUEUES[player] + 6));
                if byte(&console, STATE_ID) != PLAY
                    || number == 0
                    || before.as_ref().is_some_and(|was| (was.round, was.number) == (round, number))
                {
                    continue;
                }
                let now = dealt(&console, player);
                if let Some(was) = before.take().filter(|was| was.round == round) {
                    assert_eq!(number, was.number + 1);
                    let (field, counts) = expected(&was, rules(&console));
                    assert_eq!(now.before, field, "{:?} {:?}", was.before, was.colors);
                    assert_eq!(now.counts, counts, "{:?}", was.before);
                    pairs += 1;
                    chains += u32::from(counts.chain > 0);
                    longest = longest.max(counts.chain);
                    emptied += u32::from(field.is_empty() && was.before.count() > 40);
                }
                *before = Some(now);
            }
        }
    }
    println!("{pairs} pairs, {chains} chains, the longest of {longest}, {emptied} boards emptied");
    assert!(pairs > 5000 && chains > 1000 && longest >= 4 && emptied > 20);
}

#[test]
fn boards_of_everything_pop_as_the_plain_chain_for_all_group_sizes() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let (mut popped, mut softened, mut bigger) = (0, 0, 0);
    for nth in 0..240 {
        let group = 2 + nth % 5;
        let field = random_board(&mut random, [0; COLUMNS], [14; COLUMNS]);
        let setting = as_setting(&field);
        let mut console = play(&format!("chain=0,deal1=60,deal2=60,menu=1,group={group},{setting}"));
        // A chain of many steps takes the processor more than a frame.
        (0..6).for_each(|_| console.run_frame());
        let rules = Rules { group, ..Rules::TSU };
        let mut after = field;
        let steps = reference::fire(&mut after, rules);
        let mut expected = Counts::default();
        expected.chain(&steps);
        for player in 0..2 {
            assert_eq!(board_of(&console, player), after, "{field:?}, groups of {group}");
            assert_eq!(counts(&console, player), expected, "{field:?}, groups of {group}");
        }
        popped += steps.len();
        let hard = |field: &Field| {
            let cells = (0..COLUMNS).flat_map(|column| (0..ROWS).map(move |row| (column, row)));
            cells.filter(|(column, row)| field.get(*column, *row) == Cell::Hard).count()
        };
        softened += hard(&field) - hard(&after);
        bigger += steps.iter().flat_map(|step| &step.groups).filter(|group| group.cells.len() > 6).count();
    }
    println!("{popped} steps, {softened} hard blocks, {bigger} groups of more than six");
    assert!(popped > 200 && softened > 200 && bigger > 20);
}

#[test]
fn the_nineteen_chain_takes_its_time_and_scores_step_by_step() {
    let vectors: Value =
        serde_json::from_str(include_str!("../../crates/boards/src/puyo/vectors.json")).unwrap();
    let rows: Vec<&str> =
        vectors["rows_top_to_bottom"].as_array().unwrap().iter().map(|row| row.as_str().unwrap()).collect();
    let field = field_from_rows(&rows).unwrap();
    let steps = reference::fire(&mut field.clone(), Rules::TSU);
    assert_eq!(steps.len(), 19);

    for chain in [2, 5] {
        let setting = as_setting(&field);
        let mut console = play(&format!(
            "hand1=controller,delay=7,chain={chain},deal2=60000,menu=1,schedule=versus,{setting}"
        ));
        let begin = console.long(PASSES);
        let mut score = 0;
        for (nth, step) in (1_u32..).zip(&steps) {
            assert_eq!(board_of(&console, 0), step.before, "before step {nth}");
            assert_eq!(counts(&console, 0).score, score);
            while console.long(PASSES) < begin + nth * chain - 2 {
                console.run_frame();
            }
            assert_eq!(byte(&console, PLAYERS[0] + 0x26), u8::try_from(step.groups.len()).unwrap(), "groups");
            assert_eq!(counts(&console, 0).score, score, "not yet");
            console.run_frame();
            score += step.points;
            let puyos: u32 = step.groups.iter().map(|group| u32::try_from(group.cells.len()).unwrap()).sum();
            assert_eq!(u32::from(console.word(PLAYERS[0] + 0x12)), 10 * puyos, "base score");
            assert_eq!(u32::from(console.word(PLAYERS[0] + 0x1E)) * 10 * puyos, step.points, "multiplier");
            assert_eq!(u32::from(counts(&console, 0).chain), nth);
        }
        assert_eq!(counts(&console, 0).score, 175_080);
        assert!(board_of(&console, 0).is_empty());
        for left in (0..7).rev() {
            assert_eq!(console.word(QUEUES[0] + 6), 0, "the next pair is {left} passes away");
            console.run_frame();
        }
        assert_eq!(console.word(QUEUES[0] + 6), 1);
    }
}
