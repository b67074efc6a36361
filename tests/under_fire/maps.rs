//! A process that maps and unmaps around the reader, and whose console RAM itself moves.

use super::emulators::Config;
use super::process_target::mapping::Mapping;
use super::process_target::{Target, next_command, page, send};
use super::support::{Random, Session, number};
use nextscope::console::StorageOrder;
use nextscope::demo::console::Console;
use nextscope::emulator::{DetectionOutcome, Detector};
use nextscope::live::Connection;
use nextscope::profile::Library;
use nix::sys::mman::MapFlags;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How many searches, and how many moves of the RAM, unless `NEXTSCOPE_FIRE_MAPS` is set.
const TIMES: usize = 40;
const MOVED_WITHIN: Duration = Duration::from_secs(1);
pub const RAM: usize = 0x1_0000;
/// The game's main loop count, on the 68000's bus.
pub const FRAME_COUNTER: usize = 0xA069;

/// RAM of a running game, as an emulator with this order stores it.
pub fn game_ram(order: StorageOrder) -> Vec<u8> {
    let mut console = Console::with_order(Config::default().rom(), order).expect("our cartridge");
    for _ in 0..300 {
        console.run_frame();
    }
    console.ram().to_vec()
}

/// The role: two threads that map, touch, forbid and unmap without pause, and a running game that counts
/// frames; each command moves its RAM to a new mapping.
pub fn be_moving() {
    let order = StorageOrder::SwappedWords;
    let mut game = game_ram(order);
    let with_game = |game: &[u8]| {
        let mut ram = Mapping::anonymous(RAM, MapFlags::MAP_SHARED);
        ram.put(0, game);
        ram
    };
    let place = Arc::new(Mutex::new(with_game(&game)));
    send(place.lock().unwrap().addr());
    let changes = Arc::new(AtomicU64::new(0));
    for seed in 0..2 {
        let changes = Arc::clone(&changes);
        std::thread::spawn(move || map_and_unmap(seed, &changes));
    }
    let counted = Arc::clone(&place);
    let counter = order.host_offset(FRAME_COUNTER);
    std::thread::spawn(move || {
        loop {
            let mut ram = counted.lock().unwrap();
            let count = ram.read(counter).wrapping_add(1);
            ram.write(counter, count);
            drop(ram);
            std::thread::sleep(Duration::from_millis(16)); // the pace of the console
        }
    });
    while let Some(words) = next_command() {
        match words.as_str() {
            "changes" => send(changes.load(Ordering::Relaxed)),
            _ => {
                let mut place = place.lock().unwrap();
                game[counter] = place.read(counter);
                let mut old = std::mem::replace(&mut *place, with_game(&game));
                old.unmap(0, RAM);
                send(place.addr());
            }
        }
    }
}

fn map_and_unmap(seed: u64, changes: &AtomicU64) {
    let mut random = Random(seed);
    let mut mappings: Vec<Mapping> = Vec::new();
    loop {
        let pages = usize::try_from(1 + random.below(64)).unwrap();
        let mut mapping = Mapping::anonymous(pages * page(), MapFlags::MAP_PRIVATE);
        for nth in 0..pages {
            mapping.write(nth * page(), 0x5A);
        }
        if pages > 2 && random.below(2) == 0 {
            mapping.forbid(page(), page());
        }
        mappings.push(mapping);
        changes.fetch_add(2, Ordering::Relaxed);
        if mappings.len() > 200 {
            let nth = usize::try_from(random.below(mappings.len() as u64)).unwrap();
            let mut gone = mappings.swap_remove(nth);
            gone.unmap(0, gone.len());
        }
    }
}

#[test]
fn a_process_that_maps_and_unmaps_around_the_reader_is_located_and_followed() {
    let times = number("NEXTSCOPE_FIRE_MAPS").unwrap_or(TIMES);
    let mut target = Target::start("moving");
    let mut place = target.receive_addr();
    let profiles = Library::built_in().profiles().to_vec();
    let mut slowest = Duration::ZERO;
    let (mut found, mut vain) = (0, 0);
    let began = Instant::now();
    // Each search without a cache of the others.
    for _ in 0..times {
        let report = Detector::default().detect(target.pid(), &profiles);
        slowest = slowest.max(report.elapsed);
        match &report.outcome {
            DetectionOutcome::Found(game) => {
                assert_eq!(game.ram.base, place, "a wrong address: {report:?}");
                found += 1;
            }
            DetectionOutcome::NotFound | DetectionOutcome::Paused(_) => vain += 1,
            other => panic!("{other:?}"),
        }
    }
    let searching = began.elapsed();
    target.send_command("changes");
    let changes: u64 = target.receive().parse().unwrap();
    println!(
        "\n{times} searches while {changes} mappings came and went ({:.0} a second): {found} found the place, {vain} found \
         nothing, none a wrong place; slowest {} ms",
        changes as f64 / searching.as_secs_f64(),
        slowest.as_millis()
    );
    assert!(found * 10 >= times * 9, "{found} of {times}");

    let mut session = Session::start();
    session.sampler.send(nextscope::live::SamplerCommand::Attach(target.pid()));
    session.attached(target.pid(), Instant::now(), "first");
    let mut wrong = 0;
    for _ in 0..times {
        std::thread::sleep(Duration::from_millis(100)); // a game runs on for a while before it moves
        let before = place;
        target.send_command("move");
        let now = Instant::now();
        place = target.receive_addr();
        if place == before {
            continue; // the kernel gave the same place again
        }
        let at = |view: &nextscope::live::View| {
            view.target.as_ref().is_some_and(|target| target.ram.contains(&format!("{place}")))
        };
        session.wait("moved", |view| matches!(view.connection, Connection::Live) && at(view));
        session.attached.entry("moved").or_default().add(now.elapsed());
        // From now on no bytes of the old place may appear.
        let view = session.views.get();
        wrong += usize::from(matches!(view.connection, Connection::Live) && !at(&view));
    }
    println!(
        "RAM moved: {}; {wrong} times a stale address was live",
        session.attached["moved"].said(MOVED_WITHIN)
    );
    println!("{:?}", session.no_mismatch().totals);
    assert_eq!(wrong, 0);
}
