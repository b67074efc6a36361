//! Verdicts and mismatches as text.

use super::output;
use crate::live::{Check, Mismatch, Status, Verdict};

pub fn describe(verdict: &Verdict) -> Vec<String> {
    let mark = |status| match status {
        Status::Verified => "verified",
        Status::Mismatch => "MISMATCH",
        Status::NotVerified => "not checked",
        Status::Nothing => "-",
    };
    let line = |check: &Check| format!("  {:18} {:13} {}", check.id.name(), mark(check.status), check.detail);
    verdict.checks.iter().map(line).collect()
}

pub fn print_mismatches(mismatches: &[Mismatch]) -> anyhow::Result<()> {
    for mismatch in mismatches {
        output::line(format!("! {mismatch}"))?;
        output::line(format!("    expected {}", mismatch.expected))?;
        output::line(format!("    actual   {}", mismatch.actual))?;
        if let Some(path) = &mismatch.evidence {
            let lost = if path.exists() { "" } else { " (could not be written)" };
            output::line(format!("    evidence {}{lost}", path.display()))?;
        }
    }
    Ok(())
}
