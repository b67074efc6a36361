//! The program: see [`nextscope::cli`].

// A double click opens no console: see `nextscope::cli`.
#![cfg_attr(windows, windows_subsystem = "windows")]

fn main() -> std::process::ExitCode {
    nextscope::cli::main()
}
