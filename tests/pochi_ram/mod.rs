//! A game like Pochi & Nyaa in the work RAM of a Neo Geo, made by this program: nobody knows how the real one keeps its field, so it is laid
//! out in every way that a program of its time may have chosen, with other data around it that moves from frame to frame.
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "numbers made up for tests"
)]

use crate::process_target::{Target, command, next_command, send};
use nextscope::console::{ConsoleAddr, StorageOrder};
use nextscope::pochi::{Color, Field, GridCell, HEIGHT, WIDTH};
use std::time::Duration;

pub const RAM: usize = 0x1_0000;
pub const BASE: u32 = 0x10_0000;

/// How a program keeps its fields.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub name: &'static str,
    /// The addresses of the cells at the top left of the two players' fields, including which byte of a cell holds its content.
    pub players: [usize; 2],
    pub column_stride: isize,
    pub row_stride: isize,
    /// Codes of an empty cell and of the colours.
    pub codes: [u8; 5],
    /// The other half of a block's byte says which like neighbours it is joined with.
    pub joined: Joined,
    /// The field of the frame before, at this distance.
    pub stale: Option<isize>,
    /// The same field once more, at this distance.
    pub copy: Option<isize>,
    /// Bytes of a cell beside the one that tells: they hold what changes.
    pub beside: &'static [isize],
    /// How the emulator stores it.
    pub stored: StorageOrder,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Joined {
    No,
    Low,
    High,
}

const PLAIN: Layout = Layout {
    name: "bytes, rows of 8",
    players: [0x2340, 0x2440],
    column_stride: 1,
    row_stride: 8,
    codes: [0, 1, 2, 3, 4],
    joined: Joined::No,
    stale: None,
    copy: None,
    beside: &[],
    stored: StorageOrder::SwappedWords,
};

/// All of them.
pub const LAYOUTS: [Layout; 10] = [
    PLAIN,
    Layout { name: "bytes, rows of 7, as on the bus", row_stride: 7, stored: StorageOrder::AsOnBus, ..PLAIN },
    Layout { name: "bytes, rows of 7", row_stride: 7, codes: [0xFF, 0, 1, 2, 3], ..PLAIN },
    Layout {
        name: "words, code in the low byte",
        players: [0x3001, 0x3401],
        column_stride: 2,
        row_stride: 14,
        ..PLAIN
    },
    Layout {
        name: "words, code in the high byte, other things in the low one",
        players: [0x5000, 0x5800],
        column_stride: 2,
        row_stride: 16,
        codes: [0, 0x80, 0x90, 0xA0, 0xB0],
        beside: &[1],
        ..PLAIN
    },
    Layout {
        name: "columns one after another",
        players: [0x0801, 0x0A01],
        column_stride: 24,
        row_stride: 2,
        stored: StorageOrder::AsOnBus,
        ..PLAIN
    },
    Layout { name: "the lowest row first", players: [0x4100, 0x4300], row_stride: -8, ..PLAIN },
    Layout {
        name: "joined neighbours in the low half",
        codes: [0, 0x10, 0x20, 0x30, 0x40],
        joined: Joined::Low,
        column_stride: 2,
        row_stride: 16,
        ..PLAIN
    },
    Layout {
        name: "joined neighbours in the high half",
        players: [0x7001, 0x7401],
        joined: Joined::High,
        column_stride: 2,
        row_stride: 14,
        ..PLAIN
    },
    Layout {
        name: "longs, with the frame before in a second buffer",
        players: [0x9003, 0xA003],
        column_stride: 4,
        row_stride: 32,
        codes: [0, 5, 9, 0x11, 0x21],
        stale: Some(0x400),
        ..PLAIN
    },
];

/// One with a copy that is always the same.
pub const COPIED: Layout = Layout { name: "stored twice", copy: Some(0x1000), ..LAYOUTS[3] };

/// Marsaglia's xorshift.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit
    }
}

/// The game.
pub struct Machine {
    pub layout: Layout,
    pub dice: Dice,
    /// The RAM as the processor sees it.
    pub ram: Vec<u8>,
    pub fields: [Field; 2],
    frame: u32,
}

impl Machine {
    pub fn new(layout: Layout, seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        // Stretches of nothing, of noise, of small numbers and of one byte, as RAM has them.
        // A little longer than RAM, so that in a heap only what is held as an emulator holds it has RAM's length.
        let mut ram = Vec::with_capacity(RAM + 64);
        ram.resize(RAM, 0);
        for stretch in ram.chunks_mut(256) {
            let kind = dice.below(4);
            let same = dice.below(256) as u8;
            for byte in stretch {
                *byte = match kind {
                    0 => 0,
                    1 => dice.below(256) as u8,
                    2 => dice.below(5) as u8,
                    _ => same,
                };
            }
        }
        let mut machine = Self { layout, dice, ram, fields: [Field::default(), Field::default()], frame: 0 };
        machine.write();
        machine
    }

    /// The console's address of a player's cell at the top left.
    pub fn address(&self, player: usize) -> ConsoleAddr {
        ConsoleAddr(BASE + self.layout.players[player] as u32)
    }

    /// RAM as the emulator stores it.
    pub fn stored(&self) -> Vec<u8> {
        let mut stored = vec![0; RAM];
        self.store(&mut stored);
        stored
    }

    /// Writes it into the emulator's memory.
    pub fn store(&self, memory: &mut [u8]) {
        memory.copy_from_slice(&self.ram);
        self.layout.stored.reorder(memory);
    }

    /// A frame in which nothing comes down.
    pub fn frame(&mut self) {
        self.frame += 1;
        for at in (0x100..0x140).chain(0xF300..0xF400) {
            self.ram[at] = self.dice.below(256) as u8;
        }
        self.ram[0xF000..0xF004].copy_from_slice(&self.frame.to_be_bytes());
        self.write();
    }

    /// A pair comes down in each field, or a needle takes blocks away; a full field starts over.
    pub fn turn(&mut self) {
        for player in 0..2 {
            if self.fields[player].blocks() > 60 {
                self.fields[player] = Field::default();
            } else if self.fields[player].blocks() > 20 && self.dice.below(6) == 0 {
                self.needle(player);
            } else {
                self.pair(player);
            }
        }
        self.frame();
    }

    /// Turns until that field has so many blocks of every colour or more.
    pub fn until(&mut self, player: usize, of_each: usize) {
        for _ in 0..10_000 {
            let field = &self.fields[player];
            let blocks: Vec<_> = field.places().filter_map(|place| field.get(place)).collect();
            let count = |color| blocks.iter().filter(|block| **block == color).count();
            if Color::ALL.into_iter().all(|color| count(color) >= of_each) {
                return;
            }
            self.turn();
        }
        panic!("such a field never came");
    }

    fn pair(&mut self, player: usize) {
        for _ in 0..2 {
            let (x, color) = (self.dice.below(WIDTH.into()) as u8, Color::ALL[self.dice.below(4)]);
            let field = &mut self.fields[player];
            let rest = (0..HEIGHT).map(|y| GridCell::new(x, y)).find(|place| field.is_rest(*place));
            if let Some(place) = rest.filter(|place| place.y > 0) {
                field.set(place, Some(color));
            }
        }
    }

    /// Takes away what hangs together with some block, and lets fall what was above.
    fn needle(&mut self, player: usize) {
        let field = &mut self.fields[player];
        let blocks: Vec<GridCell> = field.places().filter(|place| field.get(*place).is_some()).collect();
        let first = blocks[self.dice.below(blocks.len())];
        let color = field.get(first);
        let mut reached = vec![first];
        while let Some(place) = reached.pop() {
            field.set(place, None);
            let next = [(0, -1), (-1, 0), (1, 0), (0, 1)];
            let next = next.into_iter().filter_map(|(right, down)| place.moved(right, down));
            reached.extend(next.filter(|next| field.get(*next) == color));
        }
        for x in 0..WIDTH {
            let column: Vec<_> = (0..HEIGHT).rev().filter_map(|y| field.get(GridCell::new(x, y))).collect();
            for y in 0..HEIGHT {
                field.set(GridCell::new(x, y), column.get(usize::from(HEIGHT - 1 - y)).copied());
            }
        }
    }

    fn at(&self, player: usize, x: u8, y: u8) -> usize {
        let offset = isize::from(x) * self.layout.column_stride + isize::from(y) * self.layout.row_stride;
        self.layout.players[player].checked_add_signed(offset).expect("inside")
    }

    fn write(&mut self) {
        for player in 0..2 {
            for place in self.fields[player].places().collect::<Vec<_>>() {
                let at = self.at(player, place.x, place.y);
                let block = self.fields[player].get(place);
                let mut byte = self.layout.codes[block.map_or(0, |color| color as usize + 1)];
                if block.is_some() && self.layout.joined != Joined::No {
                    let next = [(0, -1), (0, 1), (-1, 0), (1, 0)];
                    let like = |(right, down): (i8, i8)| {
                        place.moved(right, down).is_some_and(|next| self.fields[player].get(next) == block)
                    };
                    let bits =
                        next.into_iter().enumerate().map(|(bit, way)| u8::from(like(way)) << bit).sum::<u8>();
                    byte |= if self.layout.joined == Joined::Low { bits } else { bits << 4 };
                }
                if let Some(stale) = self.layout.stale {
                    self.ram[at.checked_add_signed(stale).expect("inside")] = self.ram[at];
                }
                if let Some(copy) = self.layout.copy {
                    self.ram[at.checked_add_signed(copy).expect("inside")] = byte;
                }
                for beside in self.layout.beside {
                    self.ram[at.checked_add_signed(*beside).expect("inside")] = self.dice.below(256) as u8;
                }
                self.ram[at] = byte;
            }
        }
    }
}

/// A process that plays the role "hold" with this seed, and is ready.
pub fn holder(seed: u64) -> Target {
    let mut program = command(&format!("hold {seed}"));
    program.env("MALLOC_ARENA_MAX", "1"); // blocks of threads too are in the heap, as an emulator's are
    let mut target = Target::run(program);
    target.receive();
    target
}

/// Gives it an order; its field afterwards.
pub fn ask(target: &mut Target, what: &str) -> Field {
    target.send_command(what);
    Field::from_text(&target.receive().replace('/', "\n")).expect("a field")
}

/// What a program that [`holder`] started does.
pub fn role(name: &str, seed: &str) {
    assert_eq!(name, "hold", "no such role");
    hold(seed.parse().expect("a seed"));
}

/// Holds a machine's RAM as an emulator does, and plays on request; prints the first player's field after each command.
fn hold(seed: u64) {
    let mut machine = Machine::new(LAYOUTS[3], seed);
    machine.until(0, 3);
    // The same block of memory from the first frame to the last, and another of that size, as consoles have.
    let mut ram = std::hint::black_box(machine.stored());
    let video = std::hint::black_box(vec![0x5Au8; RAM]);
    send("ready");
    loop {
        match next_command().as_deref() {
            Some("turn") => machine.turn(),
            Some("clear") => machine.fields[0] = Field::default(),
            Some("field") => {}
            _ => break,
        }
        for _ in 0..4 {
            machine.frame();
            machine.store(std::hint::black_box(&mut ram));
            std::thread::sleep(Duration::from_millis(2)); // the pace of the console
        }
        send(machine.fields[0].to_text().replace('\n', "/"));
    }
    drop(video);
}
