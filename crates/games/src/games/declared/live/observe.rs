//! Reads the typed fields from a snapshot.

use super::ram::{Count, Fields, deals_in};
use crate::games::declared::Program;
use crate::live::ObserveError;
use crate::profile::FieldKind;
use std::sync::Arc;

/// The fields at one moment.
#[derive(Debug, Clone)]
pub struct Observation {
    /// The randomizer.
    pub program: Arc<Program>,
    /// The generator's state.
    pub state: u64,
    /// The digits of a state.
    pub digits: usize,
    /// The deals in RAM in the order in which they come: the one in play if the profile has it, and those after it. None for a code that
    /// means nothing.
    pub window: Vec<Option<u8>>,
    /// Whether the first of them is in play.
    pub has_current: bool,
    /// How many were dealt.
    pub deals: Option<Count>,
}

impl PartialEq for Observation {
    fn eq(&self, other: &Self) -> bool {
        (self.state, &self.window, self.deals) == (other.state, &other.window, other.deals)
    }
}

impl Observation {
    /// The state as text.
    pub fn state_text(&self) -> String {
        format!("0x{:0digits$X}", self.state, digits = self.digits)
    }

    /// The piece or pair in play.
    pub fn current(&self) -> Option<u8> {
        if self.has_current { self.window.first().copied().flatten() } else { None }
    }

    /// The coming ones in RAM.
    pub fn coming(&self) -> &[Option<u8>] {
        &self.window[usize::from(self.has_current).min(self.window.len())..]
    }
}

/// Reads the fields of a profile.
///
/// # Errors
/// [`ObserveError`] when the profile has no state or none of the deals, or its addresses are outside of the RAM.
pub(super) fn observe(program: &Arc<Program>, fields: Fields<'_>) -> Result<Observation, ObserveError> {
    let state = fields.bytes("rng_state")?.ok_or_else(|| fields.missing("rng_state"))?;
    let (current, next) = (fields.bytes("current")?, fields.bytes("next")?);
    if current.is_none() && next.is_none() {
        return Err(fields.missing("next"));
    }
    let unit = program.deals().bytes() as usize;
    let list = |field: Option<(&[u8], FieldKind)>| {
        deals_in(field.map_or(&[][..], |(bytes, _)| bytes), &program.coded, unit)
    };
    Ok(Observation {
        program: Arc::clone(program),
        state: fields.number(state),
        digits: 2 * state.0.len(),
        window: [list(current), list(next)].concat(),
        has_current: current.is_some(),
        deals: fields.deals()?,
    })
}
