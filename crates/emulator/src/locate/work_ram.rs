//! Which of several blocks of memory behaves as the work RAM of a running console, for a game that no profile knows.
//!
//! A game counts its frames: a byte of its work RAM goes on in one direction with every frame. Tables, pictures and sounds, for which
//! emulators have blocks of the same size, have no such byte; a copy of the RAM that is written now and then has one that rarely changes.

use crate::process::{HostAddr, Memory, ReadError};
use nextscope_memory::console::{Domain, Endian, Ram, StorageOrder};
use std::time::{Duration, Instant};

/// How long blocks are watched: 50 or 60 frames.
pub(super) const WATCH_TIME: Duration = Duration::from_secs(1);
/// How long a counter is watched until it wraps around: 300 frames.
pub(super) const CARRY_TIME: Duration = Duration::from_secs(5);
/// Between two looks: several in a frame, so that few frames are missed.
const INTERVAL: Duration = Duration::from_millis(4);
/// How often a counter must have changed: a game may count every second frame, and a busy machine miss some.
const ENOUGH_CHANGES: u32 = 20;
/// The largest change from one look to the next: some games count in steps of two or four, an emulator without a speed limit runs
/// several frames between looks. A random byte changes by no more in 1 of 32 cases.
const LARGEST_STEP: i8 = 8;
/// Words that must say the same about the byte order, more than those that say the opposite, as a factor and at least.
const ORDER_FACTOR: usize = 2;
const ORDER_WORDS: usize = 16;

/// A block in which a byte counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CountingBlock {
    pub base: HostAddr,
    /// The offset of the byte that changed most often, as the block is stored.
    pub offset: usize,
    /// How often it changed.
    pub changes: u32,
}

/// What a byte did until now.
#[derive(Clone, Copy)]
enum Course {
    Still,
    /// It always went on in one direction, so often.
    Counts {
        up: bool,
        changes: u32,
    },
    /// It did something else.
    Other,
}

impl Course {
    fn after(self, before: u8, now: u8) -> Self {
        let step = now.wrapping_sub(before).cast_signed();
        let is_small = step.unsigned_abs() <= LARGEST_STEP.unsigned_abs();
        match self {
            Self::Still if is_small => Self::Counts { up: step > 0, changes: 1 },
            Self::Counts { up, changes } if is_small && up == (step > 0) => {
                Self::Counts { up, changes: changes + 1 }
            }
            _ => Self::Other,
        }
    }
}

/// A block that is watched.
struct Watched {
    base: HostAddr,
    last: Vec<u8>,
    courses: Vec<Course>,
}

impl Watched {
    fn new(memory: &dyn Memory, base: HostAddr, len: usize) -> Option<Self> {
        let mut last = vec![0; len];
        memory.read_exact(base, &mut last).ok()?;
        Some(Self { base, last, courses: vec![Course::Still; len] })
    }

    fn look(&mut self, now: &[u8]) {
        const WORD: usize = 64;
        let words = self.last.chunks_mut(WORD).zip(now.chunks(WORD)).zip(self.courses.chunks_mut(WORD));
        for ((last, now), courses) in words.filter(|((last, now), _)| last != now) {
            for ((last, now), course) in last.iter_mut().zip(now).zip(courses) {
                if *last != *now {
                    *course = course.after(*last, *now);
                    *last = *now;
                }
            }
        }
    }

    fn counting(&self) -> Option<CountingBlock> {
        let counters = self.courses.iter().enumerate().filter_map(|(offset, course)| match course {
            Course::Counts { changes, .. } if *changes >= ENOUGH_CHANGES => Some((*changes, offset)),
            _ => None,
        });
        let (changes, offset) =
            counters.max_by_key(|(changes, offset)| (*changes, std::cmp::Reverse(*offset)))?;
        Some(CountingBlock { base: self.base, offset, changes })
    }
}

/// The blocks of `len` bytes in which a byte counts frames, of those that are written as often as the liveliest.
///
/// # Errors
/// If the process ends or may not be read.
pub(super) fn counting_blocks(
    memory: &dyn Memory,
    blocks: &[HostAddr],
    len: u32,
    time: Duration,
) -> Result<Vec<CountingBlock>, ReadError> {
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    let mut watched: Vec<Watched> =
        blocks.iter().filter_map(|base| Watched::new(memory, *base, len)).collect();
    let mut now = vec![0; len];
    let until = Instant::now() + time;
    while !watched.is_empty() && Instant::now() < until {
        std::thread::sleep(INTERVAL);
        for block in &mut watched {
            match memory.read_exact(block.base, &mut now) {
                Ok(()) => block.look(&now),
                Err(error) if error.concerns_all_addresses() => return Err(error),
                Err(_) => {} // a block that was freed counts no further
            }
        }
    }
    let counting: Vec<CountingBlock> = watched.iter().filter_map(Watched::counting).collect();
    let most = counting.iter().map(|block| block.changes).max().unwrap_or(0);
    Ok(counting.into_iter().filter(|block| block.changes >= most / 2).collect())
}

/// The byte order of a block that counts, on a console with several: by its numbers, or by a carry of its counter. None if neither shows
/// it.
///
/// # Errors
/// If the process ends or may not be read.
pub(super) fn order_of(
    ram: &Ram,
    block: CountingBlock,
    time: Duration,
) -> Result<Option<StorageOrder>, ReadError> {
    match order_of_numbers(ram)? {
        None => order_of_carry(ram, block, time),
        known => Ok(known),
    }
}

/// The order in which the numbers in RAM are small, as most of a program's are: the most significant byte of a number is then 0 more often
/// than the least significant one. None if neither order stands out.
fn order_of_numbers(ram: &Ram) -> Result<Option<StorageOrder>, ReadError> {
    let domain: &Domain = ram.domain;
    let mut counts = Vec::new();
    for order in domain.orders {
        let snapshot = Ram { order: *order, ..ram.clone() }.snapshot()?;
        counts.push((small_numbers(snapshot.all(), domain.endian), *order));
    }
    counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    Ok(match counts[..] {
        [(most, order), (next, _), ..] if most >= (ORDER_FACTOR * next).max(ORDER_WORDS) => Some(order),
        _ => None,
    })
}

/// The order in which the counter is the least significant byte of a number: when it wraps around, the byte before it goes on. Only
/// big-endian consoles have more than one order.
fn order_of_carry(
    ram: &Ram,
    block: CountingBlock,
    time: Duration,
) -> Result<Option<StorageOrder>, ReadError> {
    let at = block.base.offset(block.offset as u64 & !1);
    let (low, high) = (block.offset & 1, 1 - (block.offset & 1));
    let mut before = [0; 2];
    ram.memory.read_exact(at, &mut before)?;
    let until = Instant::now() + time;
    while Instant::now() < until {
        std::thread::sleep(INTERVAL);
        let mut now = [0; 2];
        ram.memory.read_exact(at, &mut now)?;
        let step = now[low].wrapping_sub(before[low]).cast_signed();
        if (step > 0) != (now[low] > before[low]) && step != 0 {
            // On the bus the byte with the odd address is the least significant one of its word.
            let is_carry = now[high] == before[high].wrapping_add_signed(step.signum());
            let is_of_bus = |order: &&StorageOrder| (**order == StorageOrder::AsOnBus) == (low == 1);
            return Ok(ram.domain.orders.iter().find(is_of_bus).filter(|_| is_carry).copied());
        }
        before = now;
    }
    Ok(None)
}

/// Words with a 0 as their most significant byte and another least significant one.
fn small_numbers(bytes: &[u8], endian: Endian) -> usize {
    let (high, low) = if endian == Endian::Big { (0, 1) } else { (1, 0) };
    bytes.chunks_exact(2).filter(|word| word[high] == 0 && word[low] != 0).count()
}

#[cfg(test)]
#[path = "work_ram_tests.rs"]
mod tests;
