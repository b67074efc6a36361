//! A recording of a Nintendo DS game: Puyo Puyo!! 20th Anniversary's cells in 4 MiB of RAM, of which only the parts are recorded that the
//! profile names. The generator steps and the count of frames rises with each frame; the block moves on request.

use nextscope::console::{ConsoleAddr, ConsoleId, Snapshot, StorageOrder};
use nextscope::emulator::{DetectionEvidence, DetectionMethod, EmulatorInfo};
use nextscope::games::puyo_20th::{Round, generate};
use nextscope::process::{ByteArray, HostAddr, Pid};
use nextscope::profile::{Library, Profile};
use nextscope::recording::{Header, ProfileText, Sample, Writer};
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// The initial address of the block.
pub const BASE: u32 = 0x0216_FAD8;
/// The pointer to it, and the count of frames.
pub const POINTER: u32 = 0x0211_A6DC;
pub const FRAMES: u32 = 0x023F_FC3C;
/// Within the block: the state, the colour map, the pools; and what of the block is recorded.
pub const STATE: u32 = 0x28;
const MAP: u32 = 0x1C4;
pub const POOLS: [u32; 3] = [0x1D8, 0x2D8, 0x3D8];
pub const BLOCK: Range<u32> = 0x28..0x4D8;
/// The seed of the round that is under way.
pub const SEED: u16 = 0x4321;

pub fn profile() -> Arc<Profile> {
    Arc::clone(Library::built_in().by_id("puyo-20th-nds").expect("it is built in"))
}

pub fn round() -> Round {
    generate(SEED)
}

/// `frames` frames from 1 on; each of `moves` is a frame, and the address of the block from it on.
pub fn recorded(frames: u64, moves: &[(u64, u32)]) -> Vec<u8> {
    let profile = profile();
    let header = Header {
        nextscope: "0.1.0".into(),
        started: 1_700_000_000,
        emulator: EmulatorInfo { name: "DeSmuME".into(), known: true, ..EmulatorInfo::default() },
        pid: Pid(4711),
        found_by: DetectionMethod::NamedMapping,
        evidence: DetectionEvidence {
            anchors: vec!["game code TP4J".into()],
            liveness: "frame_counter".into(),
        },
        ram: "Main RAM at 0x1000".into(),
        console: profile.console,
        order: StorageOrder::AsOnBus,
        profile: ProfileText::of(&profile),
    };
    let domain = ConsoleId::Nds.domain();
    let mut memory = ByteArray { base: HostAddr(0x1000), bytes: vec![0; domain.len as usize] };
    let put = |memory: &mut ByteArray, addr: u32, bytes: &[u8]| {
        let at = domain.offset_of(ConsoleAddr(addr)).expect("in Main RAM");
        memory.bytes[at..at + bytes.len()].copy_from_slice(bytes);
    };
    put(&mut memory, 0x023F_FE0C, b"TP4J");
    let round = round();
    let map: Vec<u8> = round.color_map.cells().iter().flat_map(|cell| cell.to_le_bytes()).collect();
    let mut state = round.after;
    let mut writer = Writer::new(Vec::new(), &header).expect("memory can be written");
    for frame in 1..=frames {
        let base = moves.iter().rev().find(|(from, _)| *from <= frame).map_or(BASE, |(_, base)| *base);
        put(&mut memory, POINTER, &base.to_le_bytes());
        put(&mut memory, base + MAP, &map);
        for (at, pool) in POOLS.into_iter().zip(&round.pools) {
            put(&mut memory, base + at, pool);
        }
        state = state.next();
        put(&mut memory, base + STATE, &state.0.to_le_bytes());
        let counter = u32::try_from(frame).expect("few");
        put(&mut memory, FRAMES, &counter.to_le_bytes());
        let plan = profile.plan();
        let snapshot = Snapshot::read_parts(&memory, domain, memory.base, StorageOrder::AsOnBus, &plan);
        let snapshot = snapshot.expect("it is at hand");
        let elapsed = Duration::from_micros(frame * 16_716);
        writer.sample(&Sample { snapshot, frame, counter, elapsed }).expect("memory can be written");
    }
    writer.finish().expect("memory can be written")
}
