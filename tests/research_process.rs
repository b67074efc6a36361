//! The search on another process: what it finds there, what it skips, and what happens when the process ends.

#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod process_target;
mod waiting;

use nextscope::console::Endian;
use nextscope::games::puyo_20th;
use nextscope::process::ReadError;
use nextscope::research::{
    Address, Against, CellAddress, Change, Compare, Condition, Kind, Part, PoolState, Previous,
    ProcessSource, Retention, Search, SearchError, Settings, Source, Value, ValueType, find_pools,
};
use nextscope::task::Progress;
use process_target::{Target, next_command, page, run_role, send};
use std::sync::Arc;

const PAGES: usize = 3000;
/// Far apart, at an odd address and across two pages.
const CELLS: [usize; 3] = [0x1001, 0x30_0000, 0x50_0FFE];

#[test]
fn target() {
    run_role(|role, _| match role {
        "counters" => counters(),
        other => panic!("no such role: {other}"),
    });
}

/// Contains three counters in memory that is mostly never touched; each command counts or unmaps.
fn counters() {
    use nix::sys::mman::MapFlags;
    let mut memory = process_target::mapping::Mapping::anonymous(PAGES * page(), MapFlags::MAP_PRIVATE);
    send(memory.addr());
    let mut value = 0x1234_5678u32;
    let pool = *puyo_20th::generate(0x6119).pool(nextscope_boards::PoolId::Four);
    for (at, byte) in pool.iter().enumerate() {
        memory.write(0x70_0123 + at, *byte);
    }
    let mut cells = CELLS.to_vec();
    loop {
        for cell in &cells {
            for (nth, byte) in value.to_be_bytes().into_iter().enumerate() {
                memory.write(cell + nth, byte);
            }
        }
        send("done");
        match next_command().as_deref() {
            Some("count") => value += 3,
            Some("unmap") => memory.unmap(cells.remove(1), page()),
            _ => return,
        }
    }
}

fn places(search: &Search) -> Vec<u64> {
    search.rows(0..search.len()).iter().map(|row| row.cell.address.0).collect()
}

/// The target, the start of its memory, and that region of it.
fn started() -> (Target, u64, ProcessSource) {
    let mut target = Target::start("counters");
    let base = target.receive_addr().0;
    assert_eq!(target.receive(), "done");
    let process = Arc::new(target.open());
    let regions = process.regions().expect("it is running");
    let region = regions.into_iter().find(|region| region.start.0 <= base && base < region.end().0);
    let source = ProcessSource::regions(process, vec![region.expect("its memory is mapped")]);
    (target, base, source)
}

fn settings() -> Settings {
    Settings {
        retention: Retention { first_values: Some(true), history_bytes: None },
        ..Settings::new(ValueType::new(Kind::U32, Endian::Big).expect("a type"))
    }
}

#[test]
fn a_counter_is_found_from_its_value_and_from_an_unknown_value() {
    let (mut target, base, source) = started();
    let expected = CELLS.map(|cell| base + cell as u64);
    let spans = source.spans().expect("it is running");
    let bytes: u64 = spans.iter().map(|span| span.len).sum();
    assert!(bytes < 64 * page() as u64, "pages never touched are left out: {bytes}");

    let equal = Condition::Compare(Compare::Equal, Against::Value(Value::Integer(0x1234_5678)));
    let exact =
        Search::start(&source, settings(), &equal, None, &Progress::default()).expect("it is running");
    assert_eq!(places(&exact), expected);

    let mut unknown = Search::start(&source, settings(), &Condition::Unknown, None, &Progress::default())
        .expect("it is running");
    for _ in 0..2 {
        target.send_command("count");
        assert_eq!(target.receive(), "done");
        let by_three = Condition::Differs {
            change: Change::Up,
            at_least: false,
            by: Value::Integer(3),
            from: Against::Previous(Previous::LastSearch),
        };
        unknown.step(&source, &by_three, None, &Progress::default()).expect("it is running");
    }
    assert_eq!(places(&unknown), expected);
    let row = &unknown.rows(0..1)[0];
    assert_eq!(
        (&row.first, &row.last),
        (&Some(Value::Integer(0x1234_5678)), &Some(Value::Integer(0x1234_567E)))
    );

    target.kill();
    let error = unknown.step(&source, &Condition::Unknown, None, &Progress::default()).expect_err("it ended");
    assert!(matches!(error, SearchError::Read(ReadError::Gone { .. })), "{error}");
    assert_eq!(places(&unknown), expected, "the results stay");
}

#[test]
fn unmapped_memory_takes_its_candidates_with_it() {
    let (mut target, base, source) = started();
    let equal = Condition::Compare(Compare::Greater, Against::Value(Value::Integer(0x1234_0000)));
    let mut search =
        Search::start(&source, settings(), &equal, None, &Progress::default()).expect("it is running");
    let cell = |nth: usize| CellAddress { address: Address(base + CELLS[nth] as u64), part: Part::Whole };
    assert!((0..3).all(|nth| search.contains(cell(nth))));
    target.send_command("unmap");
    assert_eq!(target.receive(), "done");
    let outcome = search.step(&source, &equal, None, &Progress::default()).expect("it is running");
    assert!(outcome.unreadable > 0);
    assert!(search.contains(cell(0)) && !search.contains(cell(1)) && search.contains(cell(2)));
    search.undo().expect("a step");
    assert!(search.contains(cell(1)), "after undo it is a candidate again");
}

#[test]
fn a_pool_in_another_process_is_found_with_its_seed() {
    let (_target, base, source) = started();
    let found = find_pools(&source, &Progress::default()).expect("it is running");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].address, Address(base + 0x70_0123));
    assert!(matches!(&found[0].pools, PoolState::Seeded { seeds, .. } if seeds[..] == [0x6119]));
}
