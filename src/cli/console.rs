//! Windows: the console in which the program was started.
//!
//! `nextscope.exe` is a window program, so that a double click opens no console. Started in a terminal, it attaches to that terminal's
//! console, as far as its streams do not go to a file or pipe already. The terminal does not wait for a window program; packages have
//! `nextscope.com` for that, which is the same file marked as a console program.

#![allow(unsafe_code, reason = "the system's functions take handles")]

use std::fs::OpenOptions;
use std::os::windows::io::IntoRawHandle;
use windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE;
use windows_sys::Win32::System::Console::{
    ATTACH_PARENT_PROCESS, AttachConsole, ENABLE_VIRTUAL_TERMINAL_PROCESSING, GetConsoleMode, GetStdHandle,
    STD_ERROR_HANDLE, STD_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, SetConsoleMode, SetStdHandle,
};

/// Attaches to the console of the terminal, and lets escape sequences act in it.
pub fn attach() {
    // SAFETY: takes a constant.
    if unsafe { AttachConsole(ATTACH_PARENT_PROCESS) } != 0 {
        for (stream, name) in
            [(STD_INPUT_HANDLE, "CONIN$"), (STD_OUTPUT_HANDLE, "CONOUT$"), (STD_ERROR_HANDLE, "CONOUT$")]
        {
            if !is_given(stream) {
                open(stream, name);
            }
        }
    }
    for stream in [STD_OUTPUT_HANDLE, STD_ERROR_HANDLE] {
        let mut mode = 0;
        // SAFETY: `mode` is writable. The calls fail for what is no console, and nothing changes then.
        unsafe {
            let handle = GetStdHandle(stream);
            if GetConsoleMode(handle, &raw mut mode) != 0 {
                SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
            }
        }
    }
}

fn is_given(stream: STD_HANDLE) -> bool {
    // SAFETY: takes a constant.
    let handle = unsafe { GetStdHandle(stream) };
    !handle.is_null() && handle != INVALID_HANDLE_VALUE
}

/// The stream stays open as long as the program runs.
fn open(stream: STD_HANDLE, name: &str) {
    if let Ok(file) = OpenOptions::new().read(true).write(true).open(name) {
        // SAFETY: an open handle, which is given away.
        unsafe { SetStdHandle(stream, file.into_raw_handle()) };
    }
}
