use super::*;

fn can_change(per_frame: i64, modulo: u64, from: i64, to: i64, ms: u64) -> bool {
    let liveness = Liveness { field: "x".into(), per_frame, modulo, note: None };
    is_plausible_step(&liveness, from, to, Duration::from_millis(ms))
}

#[test]
fn a_counter_may_change_by_several_frames_and_wrap() {
    assert!(can_change(1, 256, 255, 0, 17));
    assert!(can_change(1, 256, 10, 12, 17));
    assert!(can_change(-1, 60, 0, 59, 17));
    assert!(can_change(0x4022, 1_000_000, 990_000, 990_000 + 0x4022 - 1_000_000, 17));
    assert!(can_change(0x4022, 1_000_000, 5, 5 + 3 * 0x4022, 17));
}

#[test]
fn no_change_a_partial_write_and_too_many_frames_are_implausible() {
    assert!(!can_change(0x4022, 1_000_000, 5, 6, 17));
    assert!(!can_change(0x4022, 1_000_000, 5, 5 + 0x22, 17)); // half of a 32-bit store
    assert!(!can_change(1, 1 << 32, 1000, 999, 17));
    assert!(!can_change(1, 1 << 32, 0, 100_000, 17));
    assert!(can_change(1, 1 << 32, 0, 150, 17)); // an emulator without a speed limit
    assert!(!can_change(1, 1_000_000, 5, 1_000_000, 17)); // a value that the field cannot have
    assert!(!can_change(1, 0, 1, 2, 17) && !can_change(1, u64::MAX, 1, 2, 17)); // an invalid profile
}
