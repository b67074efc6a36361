//! How a controller moves pairs, against the rules walked cell by cell here.

use super::{
    DOWN, LEFT, OBJECTS, PLAYERS, QUEUES, RIGHT, Random, UP, as_setting, board_of, byte, counts, land, pair,
    play, random_board, rules,
};
use nextscope::demo::Buttons;
use nextscope::demo::console::Console;
use nextscope::puyo::{COLUMNS, Cell, Field, Rules, reference};
use nextscope_boards::Color;

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
        if self.remembered {
            // Axis and child change places.
            let to_axis = self.child(self.rotation);
            if to_axis.1 > 12 {
                return;
            }
            (self.column, self.row) = to_axis;
            self.rotation = if self.rotation == UP { DOWN } else { UP };
            assert_eq!(self.child(self.rotation), old);
            self.remembered = false;
            seen.quick_turns += 1;
            return;
        }
        let to = (self.rotation + if clockwise { 1 } else { 3 }) % 4;
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
                    if self.row + 1 > 12 || !Self::free(field, (self.column, self.row + 1)) {
                        seen.ceilings += 1;
                        return;
                    }
                    seen.floor_kicks += 1;
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
        self.rotation = to;
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
            let again = self.held_for >= 16 && self.held_for.is_multiple_of(2);
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

/// Where a pair is: the axis, the child's rotation, 1/65536 rows, the child.
type Place = ((isize, isize), u8, u32, (isize, isize));

/// What the cartridge's objects say of the pair of player 1, when one is in the air.
fn in_the_air(console: &Console) -> Option<Place> {
    let at = OBJECTS[0];
    let cell = |at| {
        let [column, row] = [at + 0x1A, at + 0x1C].map(|at| isize::try_from(console.word(at)).unwrap());
        (column, 13 - row)
    };
    let falls = console.word(at) != 0;
    falls.then(|| (cell(at), byte(console, at + 0x2B), console.word(at + 0x20).into(), cell(at + 0x40)))
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
                ((walker.column, walker.row), walker.rotation, walker.sub_row, walker.child(walker.rotation));
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
        let steps = reference::fire(&mut field, rules);
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
        let settles = reference::fire(&mut field.clone(), Rules::TSU).len();
        for _ in 0..if chain == 0 { 6 } else { settles * chain as usize } {
            console.run_frame();
        }
        let (mut turning, mut moving, mut down) = (0, 0, false);
        let choose = |number: u32, _: &Walker| {
            // Buttons are tapped, held for a while, let go: left and right for longer with every other pair. Down less
            // often, that there be time for the others.
            turning = [0, 0, 0x40, 0x20, 0x10, 0x10, turning][random.below(7)];
            if random.below(if number.is_multiple_of(2) { 30 } else { 4 }) == 0 {
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
    let Seen { wall_kicks, floor_kicks, blocked, quick_turns, repeats, rested, fourteenth, lost, .. } = seen;
    for often in [wall_kicks, floor_kicks, blocked, quick_turns, repeats, rested, fourteenth, lost] {
        assert!(often >= 10, "{seen:?}");
    }
}

#[test]
fn at_the_ceiling_the_axis_goes_up_no_further_and_the_fourteenth_row_is_reached() {
    let mut field = Field::default();
    for (column, height) in [0, 11, 11, 12, 12, 0].into_iter().enumerate() {
        for row in 0..height {
            field.drop(column, Cell::Puyo(Color::PAIR_COLORS[(row / 2 + column) % 4]));
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
