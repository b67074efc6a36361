use super::*;

#[test]
fn the_start_time_is_found_with_any_program_name() {
    let rest = "S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 8192 20";
    for name in ["sh", "a b", "x) Z 1 (", ") S 9 9", "\u{FFFD}"] {
        assert_eq!(start_in(&format!("42 ({name}) {rest}")), Some(4711), "{name}");
    }
    assert_eq!(start_in(&format!("42 (sh) {}", rest.replacen('S', "Z", 1))), None);
    assert_eq!(start_in(&format!("42 (sh) {}", rest.replace("8192", "0"))), None, "it is ending");
    assert_eq!(start_in("42 (sh) S 1"), None);
    assert_eq!(start_in(""), None);
}

#[test]
fn a_process_that_started_at_another_time_is_not_the_same() {
    let process = Process::open(Pid(std::process::id())).expect("we are running");
    process.check_running().expect("we are still running");
    let earlier = Process { started: process.started - 1, ..process };
    assert!(matches!(earlier.check_running(), Err(ReadError::Gone { .. })));
}
