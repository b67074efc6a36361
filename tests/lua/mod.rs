//! The Lua interpreter of the tests (Debian package lua5.4).
//!
//! With `NEXTSCOPE_TEST_MUST=all` a missing interpreter is a failure; without, it is reported as skipped.

use std::process::Command;

pub const LUA: &str = "lua5.4";

pub fn is_installed() -> bool {
    if Command::new(LUA).arg("-v").output().is_ok() {
        return true;
    }
    let must = std::env::var("NEXTSCOPE_TEST_MUST").is_ok_and(|value| value == "all");
    assert!(!must, "{LUA} is not installed");
    println!("left out: {LUA} is not installed");
    false
}
