//! What a chain yields.

/// The result of a chain.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fired {
    /// Steps; 0 if nothing popped.
    pub chain: u32,
    /// Points.
    pub score: u32,
}
