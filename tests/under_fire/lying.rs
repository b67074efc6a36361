//! A libretro core whose export returns a wrong RAM address, or is made to stall the reader.

use super::hostile::{Expected, KNOWN_WITHIN, search};
use super::maps::{FRAME_COUNTER, RAM, game_ram};
use super::process_target::mapping::Mapping;
use super::process_target::{Target, command_through, copy_exe, page, send, wait_for_exit};
use nextscope::console::StorageOrder;
use nextscope::emulator::{DetectionMethod, DetectionOutcome};
use nix::sys::mman::MapFlags;
use std::time::Duration;

const ORDER: StorageOrder = StorageOrder::SwappedWords;

/// Code of an export that returns this address: mov rax, imm64; ret.
fn returns(address: u64) -> Vec<u8> {
    [&[0x48, 0xB8], address.to_le_bytes().as_slice(), &[0xC3]].concat()
}

/// A module with this code behind `retro_get_memory_data`, by the ELF-64 object file specification. `chained`
/// makes its symbol chain a cycle.
fn module(code: &[u8], chained: bool) -> Vec<u8> {
    const CODE: u64 = 0x400;
    let (dynamic, symbols, strings, hash) = (0x100_u64, 0x200_u64, 0x280_u64, 0x300_u64);
    let mut file = vec![0; 0x1000];
    let mut put = |at: u64, bytes: &[u8]| {
        let at = usize::try_from(at).unwrap();
        file[at..at + bytes.len()].copy_from_slice(bytes);
    };
    // Identification; a shared object for x86-64; two program headers behind the file header.
    put(0, b"\x7fELF\x02\x01\x01");
    put(0x10, &[3, 0, 62, 0, 1, 0, 0, 0]);
    put(0x20, &64_u64.to_le_bytes());
    put(0x34, &[64, 0, 56, 0, 2, 0]);
    for (nth, (kind, flags, start, len)) in
        [(1_u32, 5_u32, 0, 0x1000_u64), (2, 6, dynamic, 0x60)].into_iter().enumerate()
    {
        let at = 64 + 56 * nth as u64;
        put(at, &kind.to_le_bytes());
        put(at + 4, &flags.to_le_bytes());
        for (field, value) in [(8, start), (16, start), (24, start), (32, len), (40, len), (48, 0x1000)] {
            put(at + field, &u64::to_le_bytes(value));
        }
    }
    // The hash table, the strings, the symbols, and the end.
    for (nth, (tag, value)) in [(4_u64, hash), (5, strings), (6, symbols), (0, 0)].into_iter().enumerate() {
        put(dynamic + 16 * nth as u64, &tag.to_le_bytes());
        put(dynamic + 16 * nth as u64 + 8, &value.to_le_bytes());
    }
    let name = if chained { "retro_get_memory_dote" } else { "retro_get_memory_data" };
    put(strings + 1, name.as_bytes());
    // Symbol 1: its name, global function, section 1, its value.
    put(symbols + 24, &[1, 0, 0, 0, 0x12, 0, 1, 0]);
    put(symbols + 32, &CODE.to_le_bytes());
    // One bucket, two symbols; the bucket begins with symbol 1, whose chain ends or comes back to it.
    for (nth, value) in [1_u32, 2, 1, 0, u32::from(chained)].into_iter().enumerate() {
        put(hash + 4 * nth as u64, &value.to_le_bytes());
    }
    put(CODE, code);
    file
}

/// The role: a module in a file with a core's name, mapped.
pub fn lie(how: &str) {
    let mut ram = Mapping::anonymous(RAM, MapFlags::MAP_PRIVATE);
    let mut noise = Mapping::anonymous(RAM, MapFlags::MAP_PRIVATE);
    for at in 0..RAM {
        noise.write(at, at.wrapping_mul(0x9E37_79B1).to_be_bytes()[4]);
    }
    if how != "export-noise" && how != "export-nowhere" {
        ram.put(0, &game_ram(ORDER));
    }
    let (code, count) = match how {
        "export-nowhere" => (returns(0x10), 1),
        "export-noise" => (returns(noise.addr()), 1),
        "export-still" | "export-moving" => (returns(ram.addr()), 1),
        // Jumps to itself.
        "export-loop" => (vec![0xEB, 0xFE], 1),
        "export-chain" => (returns(noise.addr()), 400),
        other => panic!("no sort {other}"),
    };
    let bytes = module(&code, how == "export-chain");
    let folder = tempfile::tempdir().expect("a folder");
    for nth in 0..count {
        let path = folder.path().join(format!("lying{nth}_libretro.so"));
        std::fs::write(&path, &bytes).expect("it is ours");
        let file = std::fs::OpenOptions::new().read(true).write(true).open(&path).expect("it is there");
        let _stays = Mapping::of_file(&file, page());
    }
    send("ready");
    if how == "export-moving" || how == "export-nowhere" {
        std::thread::spawn(move || {
            let at = ORDER.host_offset(FRAME_COUNTER);
            loop {
                ram.write(at, ram.read(at).wrapping_add(1));
                std::thread::sleep(Duration::from_millis(5)); // the pace of the count
            }
        });
    }
    wait_for_exit();
}

#[test]
fn a_lying_export_is_trusted_only_where_the_game_is_in_that_memory() {
    println!("\nLying exports of a libretro core, in a program called retroarch");
    let folder = tempfile::tempdir().unwrap();
    let lying_name = folder.path().join("retroarch");
    copy_exe(&lying_name);
    for (how, expected, what) in [
        ("export-nowhere", Expected::NoLock, "it names an address where nothing is"),
        ("export-noise", Expected::NoLock, "it names noise"),
        ("export-loop", Expected::Anything, "its code never ends"),
        ("export-chain", Expected::Anything, "400 modules whose chain of names goes round and round"),
        (
            "export-still",
            Expected::NoLock,
            "it returns a copy of a game that does not advance: shown as a paused game",
        ),
        ("export-moving", Expected::Lock, "it names a game under way: that is all an emulator could say"),
    ] {
        println!("{how}: {what}");
        let mut target = Target::run(command_through("env", &[], &lying_name, &format!("hostile {how}")));
        assert_eq!(target.receive(), "ready");
        let report = search(&target, "  called retroarch", KNOWN_WITHIN, expected);
        let said = report.attempts.iter().find(|attempt| attempt.method == DetectionMethod::LibretroExport);
        println!(
            "  {}",
            said.map_or("", |attempt| attempt.message.as_str()).chars().take(160).collect::<String>()
        );
        match (&report.outcome, how) {
            (DetectionOutcome::Paused(found), "export-still")
            | (DetectionOutcome::Found(found), "export-moving") => {
                assert!(
                    matches!(found.method, DetectionMethod::LibretroExport | DetectionMethod::Remembered),
                    "{report:?}"
                );
            }
            (_, "export-still" | "export-moving") => panic!("{report:?}"),
            _ => {}
        }
    }
}
