//! Log targets of the events that a user interface reacts to. They start with the program's name, so that a log filter for
//! the program includes them.

/// A mismatch between emulator and model.
pub const MISMATCH: &str = "nextscope::mismatch";
/// Attached to an emulator, or lost the connection.
pub const CONNECTION: &str = "nextscope::connection";
/// A recording started, stopped or could not be written.
pub const RECORDING: &str = "nextscope::recording";
/// A file of a profile cannot be used.
pub const PROFILE: &str = "nextscope::profile";
