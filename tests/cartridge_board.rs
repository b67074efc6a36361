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
                if number == 0 || before.as_ref().is_some_and(|was| (was.round, was.number) == (round, number)) {
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

/// Everything that can stand on a board, everything settled, more of it where `most` is higher.
fn random_board(random: &mut Random, most: [usize; COLUMNS]) -> Field {
    let mut field = Field::default();
    for (column, most) in most.into_iter().enumerate() {
        for _ in 0..random.below(most + 1) {
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
        let field = random_board(&mut random, [14; COLUMNS]);
        let setting = as_setting(&field);
        let console = play(&format!("chain=0,deal1=60,deal2=60,menu=1,group={group},{setting}"));
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
    assert!(popped > 300 && softened > 300 && bigger > 20);
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
        let mut console =
            play(&format!("hand1=controller,delay=7,chain={chain},deal2=60000,menu=1,schedule=versus,{setting}"));
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
    lost_puyos: u32,
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
    const NEW: Self = Self {
        column: 2,
        row: 11,
        rotation: UP,
        sub_row: 0,
        remembered: false,
        held_for: 0,
        rested_for: 0,
    };

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
        let [column, row] = [console.word(at + 0x1A), console.word(at + 0x1C)].map(|word| isize::try_from(word).unwrap());
        (column, 13 - row)
    };
    let ((column, row), child) = (place(at), place(at + 0x40));
    (console.word(at) != 0).then(|| (column, row, byte(console, at + 0x2B), console.word(at + 0x20).into(), child))
}

/// Plays one round of player 1 pass by pass, with the buttons that `choose` gives for the pass, and walks beside it.
fn walk(console: &mut Console, pairs: u32, timing: [u32; 3], mut choose: impl FnMut(u32, &Walker) -> u8, seen: &mut Seen) {
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
            let there = (walker.column, walker.row, walker.rotation, walker.sub_row, walker.child(walker.rotation));
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
        seen.lost_puyos += land(&mut field, colors, usize::try_from(walker.column).unwrap(), walker.rotation);
        seen.fourteenth += u32::try_from((0..COLUMNS).filter(|column| field.height(*column) == 14).count()).unwrap();
        if chain > 0 {
            assert_eq!(board_of(console, 0), field, "as it landed");
        }
        let steps = plain::fire(&mut field, rules);
        expected.chain(&steps);
        let wait = u32::try_from(steps.len()).unwrap() * chain;
        console.press(Buttons::NONE);
        for left in (0..wait + delay).rev() {
            if left + 1 == delay {
                assert_eq!((board_of(console, 0), counts(console, 0)), (field, expected), "the chain is over");
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
        let narrow = [[9, 9, 6, 9, 9, 9], [14, 14, 8, 14, 14, 14], [13, 11, 11, 12, 14, 14]][nth as usize % 3];
        let timing = [[0x8000, 24, 8], [0x1000, 2, 1], [0x0800, 0, 3], [0xFFFF, 1, 5]][nth as usize % 4];
        let field = random_board(&mut random, narrow);
        let [fall, chain, delay] = timing;
        let mut console = play(&format!(
            "hand1=controller,fall={fall},chain={chain},delay={delay},deal2=60000,menu=1,schedule=versus,seed={},{}",
            random.below(1 << 30),
            as_setting(&field)
        ));
        // What the round begins with pops first.
        let settles = plain::fire(&mut field.clone(), Rules::TSU).len();
        for _ in 0..settles * chain as usize {
            console.run_frame();
        }
        let (mut held, mut down) = (0, false);
        let choose = |_, _: &Walker| {
            // Buttons are tapped, held for a while, let go; Down less often, that there be time for the others.
            if random.below(3) == 0 {
                held = 0;
            }
            if random.below(4) > 0 {
                held |= [0x40, 0x20, 0x10, 0x10][random.below(4)];
            }
            if random.below(12) == 0 {
                held = [0x04, 0x08, 0x04, 0x08, 0][random.below(5)];
            }
            if random.below(40) == 0 {
                down = !down;
            }
            held | if down && random.below(3) == 0 { 0x02 } else { 0 }
        };
        walk(&mut console, 12, timing, choose, &mut seen);
        pairs += 12;
    }
    println!("{pairs} pairs: {seen:?}");
    assert!(pairs >= 300);
    let Seen { wall_kicks, floor_kicks, ceilings, blocked, quick_turns, quick_kicks, rested, .. } = seen;
    for often in [wall_kicks, floor_kicks, ceilings, blocked, quick_turns, quick_kicks, rested] {
        assert!(often >= 10, "{seen:?}");
    }
    assert!(seen.fourteenth > 0 && seen.lost_puyos > 0 && seen.lost > 0, "{seen:?}");
}
