//! Fake processes for the tests of this module: regions, their bytes, and games that run in them.

use super::RamLocation;
use super::module_image::modules;
use super::scan::{AddressSpace, Budget};
use super::search::{Search, SearchContext, SearchOutcome};
use crate::process::{ByteArray, HostAddr, Memory, Pid, ReadError, Region};
use nextscope_games::games::puyo_tsu::{Setup, State, generate};
use nextscope_games::profile::{Anchor, Field, FieldKind, Liveness, Origin, Profile, Status};
use nextscope_memory::console::{ConsoleAddr, ConsoleId, StorageOrder};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Instant;

#[path = "../../../../tests/fake_emulator/block.rs"]
mod block;

pub const RAM: usize = 0x1_0000;
const TICK: u64 = 0x4022;

pub fn profile() -> Profile {
    let field = |name: &str, address, kind| {
        let field = Field {
            name: name.into(),
            address: ConsoleAddr(address),
            through: None,
            kind,
            confirmed: true,
            source: "test".into(),
            note: None,
        };
        (name.to_owned(), field)
    };
    let liveness =
        |field: &str, per_frame, modulo| Liveness { field: field.into(), per_frame, modulo, note: None };
    Profile {
        id: "puyo-tsu-genesis".into(),
        name: "Puyo Puyo Tsu".into(),
        game: nextscope_games::games::puyo_tsu::ID,
        console: ConsoleId::Genesis,
        status: Status::Confirmed,
        notes: String::new(),
        roms: Vec::new(),
        anchors: vec![
            Anchor::ChecksummedPair {
                first: ConsoleAddr(0xFF_4800),
                second: ConsoleAddr(0xFF_4B00),
                length: 768,
                magic: "COMPILE!".into(),
                magic_offset: 0x2F8,
            },
            Anchor::Pools,
        ],
        liveness: vec![liveness("frame_counter", 1, 256), liveness("tick_sum", 0x4022, 1_000_000)],
        fields: [
            field("frame_counter", 0xFF_A069, FieldKind::U8),
            field("tick_sum", 0xFF_A000, FieldKind::U32),
            field("color_set", 0xFF_A4E2, FieldKind::Bytes { length: 8 }),
            field("pool_3", 0xFF_AD00, FieldKind::Bytes { length: 256 }),
            field("pool_4", 0xFF_AE00, FieldKind::Bytes { length: 256 }),
            field("pool_5", 0xFF_AF00, FieldKind::Bytes { length: 256 }),
        ]
        .into(),
        variants: [].into(),
        board: None,
        frames: None,
        randomizer: None,
        piece_codes: None,
        origin: Origin::BuiltIn,
        digest: String::new(),
        text: "".into(),
    }
}

/// The game's work RAM in a versus round, in bus order.
pub fn game_ram() -> Vec<u8> {
    let mut ram = vec![0; RAM];
    let block = block::checksummed_block();
    ram[0x4800..0x4B00].copy_from_slice(&block);
    ram[0x4B00..0x4E00].copy_from_slice(&block);
    let round = generate(State(0x3587_9DE2), Setup::VERSUS);
    ram[0xA4E2..0xA4EA].copy_from_slice(&round.color_set);
    for (at, pool) in [0xAD00, 0xAE00, 0xAF00].into_iter().zip(round.pools) {
        ram[at..at + 256].copy_from_slice(&pool.unwrap());
    }
    ram
}

/// A running game.
#[derive(Clone, Copy)]
pub struct Live {
    pub base: HostAddr,
    pub order: StorageOrder,
    pub frame_ms: u64,
}

/// A fake process.
pub struct FakeProcess {
    pub regions: Vec<Region>,
    pub bytes: Vec<Mutex<Vec<u8>>>,
    pub live: Vec<Live>,
    /// 32-bit little-endian counters that are incremented every 4 ms.
    pub counters: Vec<HostAddr>,
    /// Regions that are listed but can no longer be read.
    pub vanished: Vec<HostAddr>,
    /// Reads of this length or more fail as if the process had ended.
    pub ends_at: Option<usize>,
    pub started: Instant,
    /// The total number of bytes read.
    pub read: Mutex<u64>,
    /// The time of a frame of its games.
    pub frame_ms: u64,
}

impl FakeProcess {
    pub fn new() -> Self {
        Self {
            regions: Vec::new(),
            bytes: Vec::new(),
            live: Vec::new(),
            counters: Vec::new(),
            vanished: Vec::new(),
            ends_at: None,
            started: Instant::now(),
            read: Mutex::new(0),
            frame_ms: 4,
        }
    }

    /// Adds a region of zeros. Regions must be added in address order.
    pub fn region(&mut self, start: u64, len: usize, path: Option<&str>) -> &mut Self {
        self.regions.push(Region::data(HostAddr(start), len as u64, path.map(PathBuf::from)));
        self.bytes.push(Mutex::new(vec![0; len]));
        self
    }

    pub fn put(&mut self, addr: u64, bytes: &[u8]) -> &mut Self {
        let index = self
            .regions
            .iter()
            .position(|region| region.contains(HostAddr(addr), bytes.len() as u64))
            .unwrap();
        let at = usize::try_from(addr - self.regions[index].start.0).unwrap();
        self.bytes[index].get_mut().unwrap()[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }

    /// Puts the game's RAM there, not running.
    pub fn stopped_game(&mut self, addr: u64, order: StorageOrder) -> &mut Self {
        let mut ram = game_ram();
        order.reorder(&mut ram);
        self.put(addr, &ram)
    }

    /// Puts the game's RAM there, running at 250 frames a second unless `frame_ms` was changed.
    pub fn game(&mut self, addr: u64, order: StorageOrder) -> &mut Self {
        self.stopped_game(addr, order);
        self.live.push(Live { base: HostAddr(addr), order, frame_ms: self.frame_ms });
        self
    }

    fn run_games(&self) {
        let elapsed = u64::try_from(self.started.elapsed().as_millis()).unwrap();
        for counter in &self.counters {
            let index = self.regions.iter().position(|region| region.contains(*counter, 4)).unwrap();
            let at = usize::try_from(counter.0 - self.regions[index].start.0).unwrap();
            let count = u32::try_from(elapsed / 4).unwrap().to_le_bytes();
            self.bytes[index].lock().unwrap()[at..at + 4].copy_from_slice(&count);
        }
        for live in &self.live {
            // A rewind buffer shows the frame of the time at which it was written, not a slower game.
            let frame = elapsed / live.frame_ms * live.frame_ms / self.frame_ms;
            let index =
                self.regions.iter().position(|region| region.contains(live.base, RAM as u64)).unwrap();
            let at = usize::try_from(live.base.0 - self.regions[index].start.0).unwrap();
            let mut bytes = self.bytes[index].lock().unwrap();
            let ram = &mut bytes[at..at + RAM];
            ram[live.order.host_offset(0xA069)] = frame.to_le_bytes()[0];
            let sum = u32::try_from(frame * TICK % 1_000_000).unwrap().to_be_bytes();
            for (offset, byte) in (0xA000..).zip(sum) {
                ram[live.order.host_offset(offset)] = byte;
            }
        }
    }

    pub fn context<'a>(self: &'a Arc<Self>, profiles: &'a [Arc<Profile>]) -> SearchContext<'a> {
        SearchContext {
            space: Arc::clone(self) as _,
            regions: &self.regions,
            modules: &[],
            executable: None,
            profiles,
            budget: Budget::KNOWN,
            remembered: Vec::new(),
            skip_content: None,
            without: &[],
        }
    }
}

impl Memory for FakeProcess {
    fn read_exact(&self, addr: HostAddr, buf: &mut [u8]) -> Result<(), ReadError> {
        let pid = Pid(1);
        if self.ends_at.is_some_and(|len| buf.len() >= len) {
            return Err(ReadError::Gone { pid });
        }
        self.run_games();
        *self.read.lock().unwrap() += buf.len() as u64;
        let found = self.regions.iter().position(|region| region.contains(addr, 1));
        let Some(index) = found.filter(|index| !self.vanished.contains(&self.regions[*index].start)) else {
            buf.fill(0);
            return Err(ReadError::NotMapped { pid, addr });
        };
        let bytes = self.bytes[index].lock().unwrap();
        let at = usize::try_from(addr.0 - self.regions[index].start.0).unwrap();
        if at >= bytes.len() {
            buf.fill(0);
            return Err(ReadError::NotMapped { pid, addr });
        }
        let Some(found) = bytes.get(at..at + buf.len()) else {
            buf.fill(0);
            return Err(ReadError::Short { pid, addr, requested: buf.len(), available: bytes.len() - at });
        };
        buf.copy_from_slice(found);
        Ok(())
    }
}

impl AddressSpace for FakeProcess {
    fn touched_ranges(&self, region: &Region) -> Vec<(HostAddr, u64)> {
        vec![(region.start, region.len)]
    }
}

/// The address of the fake module.
pub const MODULE: u64 = 0x7F00_0000_0000;

/// A PE module, 0x3000 bytes long, with these exports.
pub fn windows_module(exports: &[(&str, u32)]) -> ByteArray {
    let mut bytes = vec![0_u8; 0x3000];
    let mut put = |at: usize, data: &[u8]| bytes[at..at + data.len()].copy_from_slice(data);
    let word = |value: usize| u32::try_from(value).unwrap().to_le_bytes();
    put(0, b"MZ");
    put(0x3C, &word(0x80));
    put(0x80, b"PE\0\0");
    put(0x84, &0x8664_u16.to_le_bytes());
    put(0x98, &0x20B_u16.to_le_bytes()); // 64-bit optional header
    put(0x98 + 56, &word(0x3000)); // size of the image
    put(0x98 + 108, &word(16));
    put(0x98 + 112, &word(0x1000)); // export directory
    put(0x98 + 116, &word(0x800));
    put(0x1000 + 20, &word(exports.len()));
    put(0x1000 + 24, &word(exports.len()));
    put(0x1000 + 28, &word(0x1100)); // functions
    put(0x1000 + 32, &word(0x1200)); // names
    put(0x1000 + 36, &word(0x1300)); // ordinals
    for (index, (name, rva)) in exports.iter().enumerate() {
        // The functions are in another order than the names.
        let ordinal = exports.len() - 1 - index;
        put(0x1100 + 4 * ordinal, &rva.to_le_bytes());
        put(0x1200 + 4 * index, &word(0x1400 + 0x40 * index));
        put(0x1300 + 2 * index, &u16::try_from(ordinal).unwrap().to_le_bytes());
        put(0x1400 + 0x40 * index, name.as_bytes());
    }
    ByteArray { base: HostAddr(MODULE), bytes }
}

/// Searches a fake process; returns the outcome and the message of each method.
pub fn search(
    fake: FakeProcess,
    profiles: &[Arc<Profile>],
) -> (SearchOutcome, Vec<String>, Arc<FakeProcess>) {
    search_with(fake, profiles, Vec::new())
}

pub fn search_with(
    fake: FakeProcess,
    profiles: &[Arc<Profile>],
    remembered: Vec<RamLocation>,
) -> (SearchOutcome, Vec<String>, Arc<FakeProcess>) {
    search_changed(fake, profiles, |context| context.remembered = remembered)
}

/// As [`search`], with a context that the test changes.
pub fn search_changed(
    fake: FakeProcess,
    profiles: &[Arc<Profile>],
    change: impl FnOnce(&mut SearchContext),
) -> (SearchOutcome, Vec<String>, Arc<FakeProcess>) {
    let fake = Arc::new(fake);
    let modules = modules(&fake.regions);
    let mut context = SearchContext { modules: &modules, ..fake.context(profiles) };
    change(&mut context);
    let mut search = Search::new(context);
    let outcome = search.run();
    let messages =
        search.attempts.iter().map(|attempt| format!("{}: {}", attempt.method, attempt.message)).collect();
    drop(search);
    (outcome, messages, fake)
}
