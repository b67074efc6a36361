//! Reads the typed fields from a snapshot.

use crate::games::declared::{Deals, Program};
use crate::live::ObserveError;
use crate::profile::{FieldKind, Profile};
use nextscope_memory::console::{Endian, Snapshot};
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
    /// How many were dealt, and the bytes of that count.
    pub deals: Option<(u64, u32)>,
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
pub fn observe(
    program: &Arc<Program>,
    snapshot: &Snapshot,
    profile: &Profile,
) -> Result<Observation, ObserveError> {
    let bytes = |name: &str| {
        let Some(field) = profile.field(name) else { return Ok(None) };
        let bytes = field.bytes(snapshot);
        let bytes = bytes.map_err(|error| ObserveError::Outside { field: name.into(), error })?;
        Ok(Some((bytes, field.kind)))
    };
    let missing = |name: &str| ObserveError::NoField { profile: profile.id.clone(), field: name.into() };
    let number = |(bytes, kind): (&[u8], FieldKind)| {
        let is_list = matches!(kind, FieldKind::Bytes { .. });
        let high_first = is_list || profile.console.domain().endian == Endian::Big;
        let shift_in = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        if high_first { bytes.iter().fold(0, shift_in) } else { bytes.iter().rev().fold(0, shift_in) }
    };
    let state = bytes("rng_state")?.ok_or_else(|| missing("rng_state"))?;
    let (current, next) = (bytes("current")?, bytes("next")?);
    if current.is_none() && next.is_none() {
        return Err(missing("next"));
    }
    let list = |field: Option<(&[u8], FieldKind)>| -> Vec<Option<u8>> {
        let codes = field.map_or(&[][..], |(bytes, _)| bytes);
        match program.deals() {
            Deals::Pieces => codes.iter().map(|code| program.kind_of_code(*code)).collect(),
            Deals::Pairs => codes
                .chunks_exact(2)
                .map(|pair| Some(program.kind_of_code(pair[0])? << 4 | program.kind_of_code(pair[1])?))
                .collect(),
        }
    };
    let deals = bytes("deals")?;
    Ok(Observation {
        program: Arc::clone(program),
        state: number(state),
        digits: 2 * state.0.len(),
        window: [list(current), list(next)].concat(),
        has_current: current.is_some(),
        deals: deals.map(|(bytes, kind)| (number((bytes, kind)), kind.bytes())),
    })
}
