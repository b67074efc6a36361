//! The boards of our own Genesis cartridge, on the embedded console: what its 68000 program drops, moves, pops and counts
//! against the plain chain, and against the rules of its README walked cell by cell here.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use nextscope::demo::console::Console;
use nextscope::demo::{Buttons, CartridgeConfig, Options, Playback, ROM, Script, spawn_program};
use nextscope::game::puyo::Color;
use nextscope::puyo::{COLUMNS, Cell, Field, ROWS, Rules, field_from_rows, plain, to_rows};
use serde_json::Value;
use std::path::Path;

const BOARDS: [u32; 2] = [0xFF_8000, 0xFF_8800];
const QUEUES: [u32; 2] = [0xFF_85A0, 0xFF_8DA0];
const PLAYERS: [u32; 2] = [0xFF_D080, 0xFF_D0C0];
const OBJECTS: [u32; 2] = [0xFF_D100, 0xFF_D180];
/// The cartridge's own cells of each player (`ram.inc`): where the computer's pair goes.
const OWN: [u32; 2] = [0xFF_1060, 0xFF_1070];
const PASSES: u32 = 0xFF_1018;
const ROUND: u32 = 0xFF_1014;
const STATE_ID: u32 = 0xFF_1004;
const PAUSED: u32 = 0xFF_1002;
const SEED_AFTER: u32 = 0xFF_1024;
const RNG_STATE: u32 = 0xFF_A134;
const PLAY: u8 = 4;

const UP: u8 = 0;
const RIGHT: u8 = 1;
const DOWN: u8 = 2;
const LEFT: u8 = 3;

fn byte(console: &Console, address: u32) -> u8 {
    console.word(address).to_be_bytes()[(address & 1) as usize]
}

/// A board in RAM, of which both bytes of each cell say the same.
fn board(word: impl Fn(u32) -> u16, player: usize) -> Field {
    let mut field = Field::default();
    for nth in 0..ROWS * COLUMNS {
        let [cell, drawn] = word(BOARDS[player] + 2 * u32::try_from(nth).unwrap()).to_be_bytes();
        assert_eq!(drawn, if cell == 0 { 0xFF } else { cell });
        let cell = match cell {
            0 => Cell::Empty,
            0x80 | 0x90 | 0xB0 | 0xC0 | 0xD0 => Cell::Puyo(Color(cell >> 4 & 7)),
            0xE0 => Cell::Ojama,
            0xF0 => Cell::Hard,
            _ => panic!("0x{cell:02X} is no cell"),
        };
        field.set(nth % COLUMNS, ROWS - 1 - nth / COLUMNS, cell);
    }
    field
}

fn board_of(console: &Console, player: usize) -> Field {
    board(|address| console.word(address), player)
}

/// What a player's struct counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Counts {
    score: u32,
    since_garbage: u32,
    chain: u8,
    erased: u16,
}

fn counts(console: &Console, player: usize) -> Counts {
    let at = PLAYERS[player];
    Counts {
        score: console.long(at + 0x0A),
        since_garbage: console.long(at + 0x0E),
        chain: byte(console, at + 0x09),
        erased: console.word(at + 0x16),
    }
}

impl Counts {
    /// Counts a whole chain.
    fn chain(&mut self, steps: &[plain::Step]) {
        let points: u32 = steps.iter().map(|step| step.points).sum();
        let puyos: usize = steps.iter().flat_map(|step| &step.groups).map(|group| group.cells.len()).sum();
        self.score += points;
        self.since_garbage += points;
        self.chain = u8::try_from(steps.len()).unwrap();
        self.erased += u16::try_from(puyos).unwrap();
    }
}

fn rules(console: &Console) -> Rules {
    Rules { group: u32::from(byte(console, 0xFF_480E)), ..Rules::TSU }
}

fn start(config: &str) -> Console {
    let mut rom = ROM.to_vec();
    config.parse::<CartridgeConfig>().expect(config).apply(&mut rom).expect("our cartridge");
    Console::new(rom).expect("it is a ROM")
}

/// Runs to the first pass of play.
fn play(config: &str) -> Console {
    let mut console = start(config);
    for _ in 0..300 {
        console.run_frame();
        if byte(&console, STATE_ID) == PLAY {
            return console;
        }
    }
    panic!("it does not begin to play");
}

/// A pair put down, axis and child in a column each.
fn land(field: &mut Field, colors: [u8; 2], column: usize, rotation: u8) -> u32 {
    let [axis, child] = colors.map(|color| Cell::Puyo(Color(color)));
    let beside = match rotation {
        RIGHT => column + 1,
        LEFT => column - 1,
        _ => column,
    };
    let mut both = [(column, axis), (beside, child)];
    if rotation == DOWN {
        both.reverse();
    }
    both.into_iter().map(|(column, cell)| u32::from(!field.drop(column, cell))).sum()
}

fn pair(console: &Console, player: usize) -> [u8; 2] {
    [0x08, 0x48].map(|at| byte(console, OBJECTS[player] + at))
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % n
    }
}

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
    counts.chain(&plain::fire(&mut field, rules));
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

/// Everything that can stand on a board, everything settled, in columns of `least` to `most` cells.
fn random_board(random: &mut Random, least: [usize; COLUMNS], most: [usize; COLUMNS]) -> Field {
    let mut field = Field::default();
    for (column, (least, most)) in least.into_iter().zip(most).enumerate() {
        for _ in 0..least + random.below(most - least + 1) {
            let cell = match random.below(12) {
                0 => Cell::Ojama,
                1 => Cell::Hard,
                other => Cell::Puyo(Color::PLAYED[other % 4]),
            };
            field.drop(column, cell);
        }
    }
    field
}

fn as_setting(field: &Field) -> String {
    format!("board={}", to_rows(field).join("/"))
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
        let steps = plain::fire(&mut after, rules);
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
    let vectors: Value = serde_json::from_str(include_str!("vectors/puyo_chain.json")).unwrap();
    let rows: Vec<&str> =
        vectors["rows_top_to_bottom"].as_array().unwrap().iter().map(|row| row.as_str().unwrap()).collect();
    let field = field_from_rows(&rows).unwrap();
    let steps = plain::fire(&mut field.clone(), Rules::TSU);
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

/// Buttons as the cartridge keeps them.
const PAD: [(u8, Buttons); 6] = [
    (0x40, Buttons::A),
    (0x20, Buttons::C),
    (0x10, Buttons::B),
    (0x08, Buttons::RIGHT),
    (0x04, Buttons::LEFT),
    (0x02, Buttons::DOWN),
];

fn buttons(held: u8) -> Buttons {
    PAD.into_iter().filter(|(bit, _)| held & bit != 0).fold(Buttons::NONE, |all, (_, one)| all | one)
}

/// How often each rule came to bear.
#[derive(Default, Debug)]
struct Seen {
    wall_kicks: u32,
    floor_kicks: u32,
    ceilings: u32,
    blocked: u32,
    quick_turns: u32,
    quick_kicks: u32,
    repeats: u32,
    rested: u32,
    fourteenth: u32,
    lost: u32,
}

/// A pair in the air, as the README tells how it moves. Rows from the floor.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Walker {
    column: isize,
    row: isize,
    rotation: u8,
    sub_row: u32,
    remembered: bool,
    held_for: u32,
    rested_for: u32,
}

impl Walker {
    const NEW: Self =
        Self { column: 2, row: 11, rotation: UP, sub_row: 0, remembered: false, held_for: 0, rested_for: 0 };

    fn child(&self, rotation: u8) -> (isize, isize) {
        match rotation {
            UP => (self.column, self.row + 1),
            RIGHT => (self.column + 1, self.row),
            DOWN => (self.column, self.row - 1),
            _ => (self.column - 1, self.row),
        }
    }

    fn free(field: &Field, (column, row): (isize, isize)) -> bool {
        (0..6).contains(&column)
            && (0..14).contains(&row)
            && field.get(usize::try_from(column).unwrap(), usize::try_from(row).unwrap()) == Cell::Empty
    }

    fn turn(&mut self, field: &Field, clockwise: bool, seen: &mut Seen) {
        let old = (self.column, self.row);
        let half = self.remembered;
        let to = match (half, clockwise) {
            (true, _) => (self.rotation + 2) % 4,
            (_, true) => (self.rotation + 1) % 4,
            (_, false) => (self.rotation + 3) % 4,
        };
        if !Self::free(field, self.child(to)) {
            match to {
                RIGHT | LEFT => {
                    let away = (self.column + if to == RIGHT { -1 } else { 1 }, self.row);
                    if !Self::free(field, away) {
                        seen.blocked += 1;
                        self.remembered = true;
                        return;
                    }
                    seen.wall_kicks += 1;
                    self.column = away.0;
                }
                DOWN => {
                    // In the half turn from above, that is where the child was.
                    if self.row + 1 > 12 || !Self::free(field, (self.column, self.row + 1)) {
                        seen.ceilings += 1;
                        return;
                    }
                    *(if half { &mut seen.quick_kicks } else { &mut seen.floor_kicks }) += 1;
                    self.row += 1;
                    self.sub_row = 0;
                }
                _ => {
                    seen.ceilings += 1;
                    return;
                }
            }
            assert_eq!(self.child(to), old, "the child takes the axis's old cell");
        }
        seen.quick_turns += u32::from(half);
        self.rotation = to;
        self.remembered = false;
    }

    fn shift(&mut self, field: &Field, by: isize) {
        let (column, row) = self.child(self.rotation);
        if Self::free(field, (self.column + by, self.row)) && Self::free(field, (column + by, row)) {
            self.column += by;
            self.remembered = false;
        }
    }

    /// One pass; the points of it, or None when the pair locks.
    fn pass(&mut self, field: &Field, held: u8, pressed: u8, fall: u32, seen: &mut Seen) -> Option<u32> {
        if pressed & 0x70 != 0 {
            self.turn(field, pressed & 0x40 == 0, seen);
        }
        if held & 0x0C == 0 {
            self.held_for = 0;
        } else {
            let fresh = pressed & 0x0C != 0;
            self.held_for = if fresh { 0 } else { self.held_for + 1 };
            let again = self.held_for >= 16 && self.held_for % 2 == 0;
            seen.repeats += u32::from(again);
            if fresh || again {
                self.shift(field, if held & 0x04 != 0 { -1 } else { 1 });
            }
        }
        let (column, row) = self.child(self.rotation);
        let below = [(self.column, self.row - 1), (column, row - 1)];
        // A cell of the pair itself is no obstacle: the board knows nothing of it.
        if below.into_iter().all(|cell| Self::free(field, cell)) {
            if held & 0x02 != 0 {
                self.row -= 1;
                self.sub_row = 0;
                return Some(1);
            }
            self.sub_row += fall;
            self.row -= isize::from(self.sub_row > 0xFFFF);
            self.sub_row &= 0xFFFF;
            return Some(0);
        }
        self.sub_row = 0;
        self.rested_for += 1;
        seen.rested += u32::from(held & 0x02 == 0 && self.rested_for == 16);
        (held & 0x02 == 0 && self.rested_for < 16).then_some(0)
    }
}

/// What the cartridge's objects say of the pair of player 1.
fn in_the_air(console: &Console) -> Option<(isize, isize, u8, u32, (isize, isize))> {
    let at = OBJECTS[0];
    let place = |at| {
        let [column, row] =
            [console.word(at + 0x1A), console.word(at + 0x1C)].map(|word| isize::try_from(word).unwrap());
        (column, 13 - row)
    };
    let ((column, row), child) = (place(at), place(at + 0x40));
    (console.word(at) != 0)
        .then(|| (column, row, byte(console, at + 0x2B), console.word(at + 0x20).into(), child))
}

/// Plays one round of player 1 pass by pass, with the buttons that `choose` gives for the pass, and walks beside it.
fn walk(
    console: &mut Console,
    pairs: u32,
    timing: [u32; 3],
    mut choose: impl FnMut(u32, &Walker) -> u8,
    seen: &mut Seen,
) {
    let [fall, chain, delay] = timing;
    let rules = rules(console);
    let (mut field, mut expected) = (board_of(console, 0), counts(console, 0));
    for _ in 0..=delay {
        if console.word(QUEUES[0] + 6) == 0 {
            console.run_frame();
        }
    }
    let mut before = 0;
    for number in 1..=pairs {
        assert_eq!(u32::from(console.word(QUEUES[0] + 6)), number, "the pair appears in this pass");
        if field.get(2, 11) != Cell::Empty {
            field = Field::default();
            seen.lost += 1;
        }
        assert_eq!(board_of(console, 0), field);
        let mut walker = Walker::NEW;
        let colors = pair(console, 0);
        loop {
            let there =
                (walker.column, walker.row, walker.rotation, walker.sub_row, walker.child(walker.rotation));
            assert_eq!(in_the_air(console), Some(there), "{walker:?} over {field:?}");
            let held = choose(number, &walker);
            console.press(buttons(held));
            console.run_frame();
            let points = walker.pass(&field, held, held & !before, fall, seen);
            before = held;
            let Some(points) = points else { break };
            expected.score += points;
            expected.chain = byte(console, PLAYERS[0] + 0x09); // of the last chain, until the next pair lands
            assert_eq!(counts(console, 0), expected);
        }
        assert_eq!(in_the_air(console), None, "{walker:?} locks over {field:?}");
        let gone = land(&mut field, colors, usize::try_from(walker.column).unwrap(), walker.rotation);
        assert_eq!(gone, 0, "an axis in row 12 at most leaves room for both");
        seen.fourteenth +=
            u32::try_from((0..COLUMNS).filter(|column| field.height(*column) == 14).count()).unwrap();
        if chain > 0 {
            assert_eq!(board_of(console, 0), field, "as it landed");
        }
        let steps = plain::fire(&mut field, rules);
        expected.chain(&steps);
        let wait = u32::try_from(steps.len()).unwrap() * chain;
        console.press(Buttons::NONE);
        for left in (0..wait + delay).rev() {
            if left + 1 == delay {
                assert_eq!(
                    (board_of(console, 0), counts(console, 0)),
                    (field, expected),
                    "the chain is over"
                );
            }
            assert_eq!(u32::from(console.word(QUEUES[0] + 6)), number, "{left} passes too early");
            console.run_frame();
            before = 0;
        }
    }
}

#[test]
fn noise_on_the_controller_moves_pairs_as_the_rules_say_pass_by_pass() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut seen = Seen::default();
    let mut pairs = 0;
    for nth in 0..60_u32 {
        let [least, most] = [
            [[0; COLUMNS], [9, 9, 6, 9, 9, 9]],
            [[0; COLUMNS], [14, 14, 8, 14, 14, 14]],
            [[10, 11, 10, 11, 10, 0], [12, 12, 11, 12, 14, 14]],
        ][nth as usize % 3];
        let timing = [[0x8000, 24, 8], [0x1000, 2, 1], [0x0800, 0, 9], [0xFFFF, 1, 5]][nth as usize % 4];
        let field = random_board(&mut random, least, most);
        let [fall, chain, delay] = timing;
        let mut console = play(&format!(
            "hand1=controller,fall={fall},chain={chain},delay={delay},deal2=60000,menu=1,schedule=versus,seed={},{}",
            random.below(1 << 30),
            as_setting(&field)
        ));
        // What the round begins with pops first.
        let settles = plain::fire(&mut field.clone(), Rules::TSU).len();
        for _ in 0..if chain == 0 { 6 } else { settles * chain as usize } {
            console.run_frame();
        }
        let (mut turning, mut moving, mut down) = (0, 0, false);
        let choose = |number: u32, _: &Walker| {
            // Buttons are tapped, held for a while, let go: left and right for longer with every other pair. Down less
            // often, that there be time for the others.
            turning = [0, 0, 0x40, 0x20, 0x10, 0x10, turning][random.below(7)];
            if random.below(if number % 2 == 0 { 30 } else { 4 }) == 0 {
                moving = [0x04, 0x08, 0x04, 0x08, 0][random.below(5)];
            }
            if random.below(40) == 0 {
                down = !down;
            }
            turning | moving | if down && random.below(3) == 0 { 0x02 } else { 0 }
        };
        walk(&mut console, 12, timing, choose, &mut seen);
        pairs += 12;
    }
    println!("{pairs} pairs: {seen:?}");
    assert!(pairs >= 300);
    let Seen {
        wall_kicks,
        floor_kicks,
        blocked,
        quick_turns,
        quick_kicks,
        repeats,
        rested,
        fourteenth,
        lost,
        ..
    } = seen;
    for often in
        [wall_kicks, floor_kicks, blocked, quick_turns, quick_kicks, repeats, rested, fourteenth, lost]
    {
        assert!(often >= 10, "{seen:?}");
    }
}

#[test]
fn at_the_ceiling_the_axis_goes_up_no_further_and_the_fourteenth_row_is_reached() {
    let mut field = Field::default();
    for (column, height) in [0, 11, 11, 12, 12, 0].into_iter().enumerate() {
        for row in 0..height {
            field.drop(column, Cell::Puyo(Color::PLAYED[(row / 2 + column) % 4]));
        }
    }
    let config = "hand1=controller,fall=16,chain=4,delay=5,deal2=60000,menu=1,schedule=versus";
    let mut console = play(&format!("{config},{}", as_setting(&field)));
    let mut seen = Seen::default();
    // Left, then down with the axis going up to row 12, then right; over to the fourth column, and down, which the ceiling
    // does not let it; up, and there it stays: the child is in row 13.
    let presses = [0x40, 0, 0x40, 0, 0x40, 0, 0x08, 0, 0x10, 0, 0x40, 0, 0x02];
    let mut passes = 0;
    let choose = |_, walker: &Walker| {
        let held = presses[passes.min(presses.len() - 1)];
        passes += 1;
        if passes == 8 {
            assert_eq!((walker.column, walker.row, walker.rotation), (3, 12, RIGHT));
        }
        held
    };
    walk(&mut console, 1, [16, 4, 5], choose, &mut seen);
    assert_eq!((seen.floor_kicks, seen.ceilings, seen.fourteenth), (1, 1, 1), "{seen:?}");
    assert_eq!(board_of(&console, 0).height(3), 14);
}

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
        score += plain::fire(&mut field, rules).iter().map(|step| step.points).sum::<u32>();
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
            if playback.is_over() {
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
    // Start lets the cartridge stand still afterwards.
    std::fs::write(&file, text + "1 S\n").unwrap();
    let arguments = format!(
        "--speed 0 --input {} --config hand1=controller,chain=0,delay=1,schedule=versus,level1=2,seed=99",
        file.display()
    );
    let arguments: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
    let options = Options::parse(&arguments).unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_nextscope"));
    let demo = spawn_program(program, &options).expect("it starts");
    let process = nextscope::process::Process::open(demo.pid()).unwrap();
    let ram = found(&process);
    let word = |address: u32| {
        let mut bytes = [0; 2];
        process.read_exact(ram.offset(u64::from(address & 0xFFFF)), &mut bytes).unwrap();
        u16::from_le_bytes(bytes)
    };
    let began = std::time::Instant::now();
    while word(PAUSED) >> 8 == 0 {
        assert!(began.elapsed() < std::time::Duration::from_secs(60), "it never pauses");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let after = placed(Field::default(), Rules::TSU, &pairs_of_the_round(word, 2), &meant);
    assert_eq!(after.len(), 10);
    assert_eq!(board(word, 0), after[9].0);

    std::fs::write(&file, "1 L\n2 Q\n").unwrap();
    let error = spawn_program(program, &options).expect_err("no button Q").to_string();
    assert!(error.contains("input.txt") && error.contains("line 2: `Q` is no button"), "{error}");
    std::fs::remove_file(&file).unwrap();
    assert!(spawn_program(program, &options).is_err(), "no file");
}

/// Where the console's RAM begins in its process: both options blocks stand in it, with their words swapped.
fn found(process: &nextscope::process::Process) -> nextscope::process::HostAddr {
    let magic = b"OCPMLI!E";
    for _ in 0..2000 {
        for region in process.regions().unwrap() {
            if !region.readable || !region.writable || region.len >= 1 << 26 {
                continue;
            }
            let mut bytes = vec![0; usize::try_from(region.len).unwrap()];
            if process.read_exact(region.start, &mut bytes).is_err() {
                continue;
            }
            let stands =
                |at: &usize| bytes[*at..].starts_with(magic) && bytes[at + 0x300..].starts_with(magic);
            if let Some(at) = (0x4AF8..bytes.len().saturating_sub(0x308)).find(stands) {
                return region.start.offset(at as u64 - 0x4AF8);
            }
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("the console's RAM is not found");
}
