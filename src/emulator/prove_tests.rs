use super::*;

fn moves(per_frame: i64, modulo: u64, from: i64, to: i64, ms: u64) -> bool {
    let liveness = Liveness { field: "x".into(), per_frame, modulo, note: None };
    plausible(&liveness, from, to, Duration::from_millis(ms))
}

#[test]
fn a_counter_may_move_by_whole_frames_and_wrap() {
    assert!(moves(1, 256, 255, 0, 17));
    assert!(moves(1, 256, 10, 12, 17));
    assert!(moves(-1, 60, 0, 59, 17));
    assert!(moves(0x4022, 1_000_000, 990_000, 990_000 + 0x4022 - 1_000_000, 17));
    assert!(moves(0x4022, 1_000_000, 5, 5 + 3 * 0x4022, 17));
}

#[test]
fn no_movement_half_a_frame_or_more_frames_than_fit_into_the_time_do_not_count() {
    assert!(!moves(0x4022, 1_000_000, 5, 6, 17));
    assert!(!moves(0x4022, 1_000_000, 5, 5 + 0x22, 17)); // half of a 32-bit store seen
    assert!(!moves(1, 1 << 32, 1000, 999, 17));
    assert!(!moves(1, 1 << 32, 0, 100_000, 17));
    assert!(moves(1, 1 << 32, 0, 150, 17)); // an emulator without brake
    assert!(!moves(1, 1_000_000, 5, 1_000_000, 17)); // no value of a cell that wraps there
    assert!(!moves(1, 0, 1, 2, 17) && !moves(1, u64::MAX, 1, 2, 17)); // nonsense in a profile
}
