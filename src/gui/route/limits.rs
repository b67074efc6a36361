//! The ranges of the planner's inputs.

/// The maximum number of pairs: a full pool.
pub const MAX_PAIRS: u32 = 128;
/// The maximum planning time in seconds.
pub const MAX_SECONDS: u32 = 3600;
/// The maximum points and garbage of a goal.
pub const MAX_POINTS: u32 = 9_999_999;
/// The longest chain of a goal: no board of 13 rows fits a longer one.
pub const MAX_CHAIN: u32 = 19;
/// The most routes to choose from.
pub const MAX_ROUTES: u32 = 50;
/// The most attacks of the opponent.
pub const MAX_ATTACKS: usize = 16;
