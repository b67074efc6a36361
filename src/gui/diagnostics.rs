//! Details for a bug report, as text.

use super::status;
use crate::live::View;

pub fn diagnostics(view: &View) -> String {
    let mut lines = vec![
        format!("Nextscope {}", env!("CARGO_PKG_VERSION")),
        format!("system: {} {}", std::env::consts::OS, std::env::consts::ARCH),
        format!("connection: {:?}", view.connection),
        format!("totals: {:?}", view.totals),
    ];
    if let Some(target) = &view.target {
        lines.push(format!("emulator: {:?}", target.identity));
        lines.push(format!(
            "located by: {} in {} ms, {}",
            target.method,
            target.elapsed.as_millis(),
            target.ram
        ));
        lines.push(format!("anchors: {}", target.proof.anchors.join("; ")));
        lines.push(format!("liveness: {}", target.proof.liveness));
        lines.push(format!(
            "profile: {} {}, {}",
            target.profile.id, target.profile.digest, target.profile.origin
        ));
    }
    for row in view.emulators.iter().filter(|row| row.identity.known) {
        lines.push(format!("process {}: {}, {:?}", row.pid, status::emulator(&row.identity), row.state));
        for attempt in row.report.iter().flat_map(|report| &report.attempts) {
            lines.push(format!("  {}: {}", attempt.method, attempt.message));
        }
    }
    if let Some(data) = &view.data {
        for check in &data.verdict.checks {
            lines.push(format!("{}: {:?}, {}", check.id.name(), check.status, check.detail));
        }
    }
    lines.join("\n") + "\n"
}
