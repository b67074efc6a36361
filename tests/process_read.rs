//! Reading memory of a real process: complete reads, short reads, unmapped memory, ended and replaced processes.
#![cfg(target_os = "linux")]
#![allow(clippy::expect_used, reason = "a test may panic")]

mod process_target;
mod waiting;

use nextscope::process::{HostAddr, Memory, Pid, Process, ReadError};
use nix::sys::mman::MapFlags;
use process_target::mapping::Mapping;
use process_target::{
    Target, command_through, exe, is_gone, next_command, page, run_role, send, wait_for_exit,
};
use std::os::unix::process::CommandExt;
use std::process::Command;
use waiting::eventually;

#[test]
fn target() {
    run_role(|role, _| match role {
        "pages" => pages(),
        "reuse" => a_number_is_used_again(),
        other => panic!("no role {other}"),
    });
}

/// The target's byte at `offset` of its mapping; 251 is prime, so that no two pages are alike.
fn byte_at(offset: usize) -> u8 {
    u8::try_from(offset % 251).expect("less than 251")
}

/// Six pages: 0 and 1 readable, 2 forbidden, 3 readable, 4 unmapped, 5 readable.
fn pages() {
    let page = page();
    let mut memory = Mapping::anonymous(6 * page, MapFlags::MAP_PRIVATE);
    (0..6 * page).for_each(|offset| memory.write(offset, byte_at(offset)));
    memory.forbid(2 * page, page);
    memory.unmap(4 * page, page);
    send(memory.addr());
    match next_command().as_deref() {
        Some("exec") => panic!("{}", Command::new("sleep").arg("60").exec()),
        Some("exit") => std::process::exit(0),
        other => assert_eq!(other, None),
    }
}

fn start() -> (Target, Process, HostAddr) {
    let mut target = Target::start("pages");
    let base = target.receive_addr();
    let process = target.open();
    (target, process, base)
}

const STALE: u8 = 0xEE;

fn read(process: &Process, addr: HostAddr, len: usize) -> (Result<(), ReadError>, Vec<u8>) {
    let mut buf = vec![STALE; len];
    let result = process.read_exact(addr, &mut buf);
    (result, buf)
}

#[test]
fn a_read_inside_readable_memory_returns_every_byte() {
    let (_target, process, base) = start();
    let page = page();
    for (from, len) in
        [(0, 1), (0, 2 * page), (page - 1, 2), (page - 3, page + 3), (3 * page, page), (5 * page + 7, 9)]
    {
        let (result, buf) = read(&process, base.offset(from as u64), len);
        result.unwrap_or_else(|error| panic!("{from}+{len}: {error}"));
        let expected: Vec<u8> = (from..from + len).map(byte_at).collect();
        assert_eq!(buf, expected, "{from}+{len}");
    }
    let (nothing, _) = read(&process, HostAddr(0), 0);
    nothing.expect("some page is unreadable");
}

#[test]
fn a_series_of_reads_is_one_call_and_single_reads_say_why_it_failed() {
    let (_target, process, base) = start();
    let page = page();
    let spans = [(page - 1, 2), (3, 5), (3 * page, page), (0, 0)];
    let series = |spans: &[(usize, usize)]| {
        let mut bytes: Vec<Vec<u8>> = spans.iter().map(|(_, len)| vec![STALE; *len]).collect();
        let addresses = spans.iter().map(|(from, _)| base.offset(*from as u64));
        let mut parts: Vec<_> = addresses.zip(bytes.iter_mut().map(Vec::as_mut_slice)).collect();
        let (filled, each) = (process.read_series(&mut parts), process.read_each(&mut parts));
        (filled, each, bytes)
    };
    let (filled, each, bytes) = series(&spans);
    each.expect("all of it is readable");
    assert!(filled);
    for ((from, len), bytes) in spans.iter().zip(bytes) {
        assert_eq!(bytes, (*from..from + len).map(byte_at).collect::<Vec<u8>>());
    }
    let (filled, each, _) = series(&[(0, 8), (2 * page - 3, 7), (page, 8)]);
    assert!(!filled);
    assert!(matches!(each, Err(ReadError::Short { available: 3, .. })), "{each:?}");
    let (filled, each, _) = series(&[(0, 8), (4 * page, 1)]);
    assert!(!filled);
    assert!(matches!(each, Err(ReadError::NotMapped { .. })), "{each:?}");
}

#[test]
fn a_read_that_leaves_readable_memory_is_short_by_the_exact_count_and_leaves_no_byte() {
    let (_target, process, base) = start();
    let page = page();
    // Pages 0 and 1 end at a forbidden page, page 3 at an unmapped one.
    for (first_page, pages) in [(0, 2), (3, 1)] {
        let end = (first_page + pages) * page;
        for readable in [1, 2, 7, 100, page - 1, page, pages * page] {
            for missing in [1, 3, page, page + 1] {
                let len = readable + missing;
                let addr = base.offset((end - readable) as u64);
                let (result, buf) = read(&process, addr, len);
                let Err(ReadError::Short { available, requested, addr: at, pid }) = result else {
                    panic!("{readable} readable and {missing} more: {result:?}");
                };
                assert_eq!((available, requested, at, pid), (readable, len, addr, process.pid()));
                assert!(buf.iter().all(|byte| *byte == 0), "a byte beyond the readable part was read");
            }
        }
    }
}

#[test]
fn a_read_that_begins_in_unreadable_memory_is_not_mapped() {
    let (_target, process, base) = start();
    let page = page() as u64;
    let kernel = HostAddr(0xFFFF_8000_0000_0000);
    for addr in [
        base.offset(2 * page),
        base.offset(3 * page - 1),
        base.offset(4 * page),
        HostAddr(0),
        HostAddr(1),
        kernel,
        HostAddr(u64::MAX),
        HostAddr(u64::MAX - 3),
    ] {
        let (result, buf) = read(&process, addr, 16);
        let Err(ReadError::NotMapped { addr: at, .. }) = result else { panic!("{addr}: {result:?}") };
        assert_eq!(at, addr);
        assert!(buf.iter().all(|byte| *byte == 0), "{addr}: a stale byte remains");
    }
}

/// This is why Linux is not read through the crate: it only compares the result of the system call with -1.
#[test]
fn the_crate_process_memory_reports_the_same_short_read_as_success_and_leaves_stale_bytes() {
    use process_memory::{CopyAddress, TryIntoProcessHandle};
    let (target, process, base) = start();
    let page = page();
    let addr = base.offset(page as u64);
    let mut buf = vec![STALE; 2 * page];
    let pid = process_memory::Pid::try_from(target.pid().0).expect("a process number");
    let handle = pid.try_into_process_handle().expect("on Linux a handle is the number");
    let base = usize::try_from(addr.0).expect("an address of this machine");
    handle.copy_address(base, &mut buf).expect("the crate calls it a success; if it no longer does, use it");
    assert!(buf[page..].iter().all(|byte| *byte == STALE), "the second page cannot have been read");

    let (ours, buf) = read(&process, addr, 2 * page);
    assert!(matches!(ours, Err(ReadError::Short { available, .. }) if available == page));
    assert!(buf.iter().all(|byte| *byte == 0));
}

#[test]
fn a_process_that_ended_is_gone_before_and_after_it_is_reaped() {
    let (mut target, process, base) = start();
    target.kill();
    for state in ["zombie", "reaped"] {
        assert!(is_gone(&read(&process, base, 16).0), "{state}");
        assert_eq!(read(&process, base, 16).1, [0; 16], "{state}");
        assert!(is_gone(&process.regions()), "{state}");
        assert!(is_gone(&process.check_running()), "{state}");
        assert!(is_gone(&Process::open(target.pid())), "{state}");
        target.reap();
    }
}

#[test]
fn an_unused_process_number_is_gone() {
    // Above the highest number that the kernel gives (4194304, PID_MAX_LIMIT), and above an i32.
    for number in [4_194_305, u32::MAX] {
        assert!(is_gone(&Process::open(Pid(number))));
    }
}

#[test]
fn reads_of_a_dying_process_end_in_gone_and_never_in_a_partial_block() {
    for round in 0..30 {
        let (mut target, process, base) = start();
        let len = 2 * page();
        let expected: Vec<u8> = (0..len).map(byte_at).collect();
        let mut complete = 0;
        loop {
            let mut buf = vec![STALE; len];
            match process.read_exact(base, &mut buf) {
                Ok(()) => assert_eq!(buf, expected),
                Err(error) => {
                    assert!(matches!(error, ReadError::Gone { .. }), "round {round}: {error}");
                    break;
                }
            }
            if round % 2 == 1 {
                match process.regions() {
                    // Not through the terabytes that a sanitizer reserves.
                    Ok(regions) => regions
                        .iter()
                        .filter(|region| region.len < 1 << 32)
                        .for_each(|region| drop(process.touched_ranges(region))),
                    Err(error) => assert!(matches!(error, ReadError::Gone { .. }), "round {round}: {error}"),
                }
            }
            complete += 1;
            if complete == 1 + round {
                target.send_command("exit");
            }
        }
        assert!(is_gone(&process.check_running()));
    }
}

#[test]
fn after_exec_it_is_the_same_process_with_other_memory() {
    let (mut target, process, base) = start();
    let region_at =
        |addr| process.regions().expect("it runs").into_iter().find(|region| region.contains(addr, 1));
    assert!(region_at(base).is_some());
    target.send_command("exec");
    let ours = exe();
    eventually("the new program is mapped", || {
        process.regions().is_ok_and(|regions| {
            let of =
                |path: &std::path::Path| regions.iter().any(|region| region.path.as_deref() == Some(path));
            !regions.is_empty() && !of(&ours)
        })
    });
    process.check_running().expect("exec preserves number and start time");
    // The new program's addresses are random: that the same page is mapped again is very unlikely, and then
    // it would not contain the old bytes.
    let expected: Vec<u8> = (0..page()).map(byte_at).collect();
    let (result, buf) = read(&process, base, page());
    match result {
        Err(ReadError::NotMapped { .. }) => assert!(region_at(base).is_none_or(|region| !region.readable)),
        Ok(()) => assert_ne!(buf, expected),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_reused_process_number_is_detected() {
    let own_numbers = ["--pid", "--fork", "--kill-child", "--mount-proc"];
    let possible = Command::new("unshare").args(own_numbers).arg("true").output();
    if !possible.is_ok_and(|output| output.status.success()) {
        eprintln!("not run: giving a number again needs root and a process namespace of its own");
        return;
    }
    let mut target = Target::run(command_through("unshare", &own_numbers, &exe(), "reuse"));
    assert_eq!(target.receive(), "noticed");
}

/// Runs alone in a process namespace, where no other program takes the number.
fn a_number_is_used_again() {
    let sleep = || Command::new("sleep").arg("60").spawn().expect("sleep starts");
    let mut first = sleep();
    let number = first.id();
    let process = Process::open(Pid(number)).expect("it is running");
    process.check_running().expect("it is running");
    let start_time = |pid: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("it is running");
        stat.rsplit_once(") ")
            .and_then(|(_, rest)| rest.split(' ').nth(19)?.parse::<u64>().ok())
            .expect("a time")
    };
    let first_start = start_time(number);
    first.kill().expect("it is ours to end");
    first.wait().expect("it is ours to reap");
    let mut second = None;
    eventually("the number is reused, in another clock tick", || {
        std::fs::write("/proc/sys/kernel/ns_last_pid", (number - 1).to_string()).expect("we are root here");
        let mut child = sleep();
        if child.id() == number && start_time(number) != first_start {
            second = Some(child);
            return true;
        }
        child.kill().expect("it is ours to end");
        child.wait().expect("it is ours to reap");
        false
    });
    let again = Process::open(Pid(number)).expect("another process has the number");
    again.check_running().expect("it is running");
    assert!(is_gone(&process.check_running()), "the old handle must not accept the new process");
    let mut second = second.expect("it was started");
    second.kill().expect("it is ours to end");
    second.wait().expect("it is ours to reap");
    send("noticed");
    wait_for_exit();
}
