//! What a line of the log is about, where somebody may want to act on it: the targets of such lines. They begin with this
//! program's name, so that filters by it let them through.

/// Emulator and model disagree.
pub const MISMATCH: &str = "nextscope::mismatch";
/// An emulator was attached to, or the connection to it broke.
pub const CONNECTION: &str = "nextscope::connection";
/// A recording began, ended, or could not be written.
pub const RECORDING: &str = "nextscope::recording";
/// A file of a profile cannot be used.
pub const PROFILE: &str = "nextscope::profile";
