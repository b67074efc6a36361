//! RAM in every place of a program for Windows, of 64 and of 32 bits.

use crate::emulators::session::{STARTED, built_in, live, ram_of, sampler_of, wait};
use crate::emulators::windows::{Bits, FRAME_COUNTER, Host, Place};
use crate::emulators::{Config, Kind, Pace, windows};
use nextscope::console::{ConsoleId, StorageOrder};
use nextscope::emulator::{DetectionMethod, LocateRamError, RamQuery, locate_ram};
use std::time::Instant;

#[test]
fn ram_in_every_place_of_a_windows_program_is_found() {
    let hosts = windows::memory_hosts();
    if hosts.is_empty() {
        println!("left out: programs for Windows (tests/windows/run)");
        return;
    }
    let image = {
        let running = Kind::Embedded.start(&Config::default().rom());
        let sampler = sampler_of(&running, built_in());
        let view = wait(&sampler, STARTED, "embedded console", live);
        ram_of(&view).all().to_vec()
    };
    for kind in hosts {
        let running = kind.start(&image);
        let sampler = sampler_of(&running, built_in());
        let view = wait(&sampler, STARTED, kind.name(), live);
        let changed = ram_of(&view).all().iter().zip(&image).filter(|(now, then)| now != then).count();
        assert!(changed <= 1, "{}: {changed} bytes differ", kind.name());
        let target = view.target.as_ref().expect("a target");
        println!("{}: {}, {} ms", kind.name(), target.method, target.elapsed.as_millis());
        let Kind::Windows(Host::Memory(place, _), _) = kind else { panic!("{kind:?} holds no memory") };
        let expected = match place {
            Place::Heap => DetectionMethod::MallocChunk,
            Place::Core => DetectionMethod::LibretroExport,
            Place::Bss | Place::VirtualAlloc => DetectionMethod::ContentAnchor,
        };
        assert_eq!(target.method, expected, "{}", kind.name());
    }
}

/// Short blocks are among others, long ones have pages of their own.
#[test]
fn the_heap_block_of_a_game_that_no_profile_knows_is_found_in_a_windows_program() {
    if windows::memory_hosts().is_empty() {
        println!("left out: programs for Windows (tests/windows/run)");
        return;
    }
    for bits in [Bits::Of64, Bits::Of32] {
        for console in [ConsoleId::Genesis, ConsoleId::Nds] {
            let kind = Kind::Windows(Host::Memory(Place::Heap, bits), Pace::Console);
            let name = format!("{}, {}", kind.name(), console.name());
            let mut image = vec![0xA5; console.domain().len as usize];
            let counter = FRAME_COUNTER as usize;
            image[counter] = 0;
            let running = kind.start(&image);
            let query = RamQuery { console, base: None, order: Some(StorageOrder::AsOnBus) };
            let until = Instant::now() + STARTED;
            let located = loop {
                match locate_ram(running.pid(), query) {
                    Ok(located) => break located,
                    // It is only starting.
                    Err(LocateRamError::Nowhere { .. } | LocateRamError::Read(_))
                        if Instant::now() < until => {}
                    Err(error) => panic!("{name}: {error}"),
                }
            };
            println!("{name}: {}, {}", located.ram.base, located.behaviour.unwrap_or_default());
            assert_eq!(located.method, Some(DetectionMethod::MallocChunk), "{name}");
            let ram = located.ram.snapshot().expect("it runs");
            image[counter] = ram.all()[counter];
            assert!(ram.all() == image, "{name}: another block");
        }
    }
}
