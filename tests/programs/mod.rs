//! Programs that tests use.

use std::process::Command;

/// Whether a program can be started. With `NEXTSCOPE_TEST_MUST=all` it is a failure if it cannot; without, its package is reported as left out.
pub fn is_installed(program: &str, package: &str) -> bool {
    if Command::new(program).arg("--version").output().is_ok() {
        return true;
    }
    let must = std::env::var("NEXTSCOPE_TEST_MUST").is_ok_and(|value| value == "all");
    assert!(!must, "{package} is not installed");
    println!("left out: {package} is not installed");
    false
}
