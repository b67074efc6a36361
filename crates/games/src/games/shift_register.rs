//! The random number generator of several NES games: 15 bits that shift to the right, stored in two bytes.
//!
//! Sources: routine `generateNextPseudorandomNumber` of Tetris (reference 3.2) and `randomNumberGenerator` of Dr. Mario, read in
//! the disassemblies. The exclusive or of bit 1 of both bytes enters at the top and the lowest bit drops out. That bit was bit 1
//! before, so the two bytes carry 15 bits and not 16: half of the values of two bytes never occur.

use crate::games::hex::written_in_hex;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// State of the generator: the byte at 17 above the byte at 18 (hexadecimal).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct State(pub u16);

/// The state after every reset, cold or warm.
pub const BOOT_STATE: State = State(0x8988);

/// Steps after which a state repeats.
pub const PERIOD: u16 = 32767;

written_in_hex!(State, 4);

/// Every state by its position, in steps from [`BOOT_STATE`], and every position by its state.
struct Tables {
    states: Vec<State>,
    places: Vec<u16>,
}

/// The position entry of states that do not occur.
const NOWHERE: u16 = u16::MAX;

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| {
        let mut places = vec![NOWHERE; 1 << 16];
        let mut states = Vec::with_capacity(PERIOD.into());
        let mut state = BOOT_STATE;
        for place in 0..PERIOD {
            places[usize::from(state.0)] = place;
            states.push(state);
            state = state.step();
        }
        Tables { states, places }
    })
}

impl State {
    /// The byte at 17.
    pub const fn high(self) -> u8 {
        self.0.to_be_bytes()[0]
    }

    /// The byte at 18.
    #[must_use]
    pub const fn low(self) -> u8 {
        self.0.to_be_bytes()[1]
    }

    /// One step.
    #[must_use]
    pub const fn step(self) -> Self {
        let into = (self.0 >> 9 ^ self.0 >> 1) & 1;
        Self(self.0 >> 1 | into << 15)
    }

    /// Whether the generator can be in this state: bit 15 is the bit that entered, and bits 8 and 0 are those it was computed from; 0 is
    /// excluded, since it only leads to itself.
    pub const fn is_reachable(self) -> bool {
        self.0 != 0 && self.0 >> 15 == (self.0 >> 8 ^ self.0) & 1
    }

    /// The previous state; None for a state that does not occur.
    pub const fn back(self) -> Option<Self> {
        if !self.is_reachable() {
            return None;
        }
        // The dropped bit follows from the bit that entered one step earlier, now bit 14, and bit 7: see `occurs`.
        let fell_out = (self.0 >> 14 ^ self.0 >> 7) & 1;
        Some(Self(self.0 << 1 | fell_out))
    }

    /// Steps from [`BOOT_STATE`], 0 to 32766; None for a state that does not occur.
    pub fn steps_from_boot(self) -> Option<u16> {
        tables().places.get(usize::from(self.0)).copied().filter(|place| *place != NOWHERE)
    }

    /// The state `place` steps after [`BOOT_STATE`].
    pub fn after_boot(place: u64) -> Self {
        let within = usize::try_from(place % u64::from(PERIOD)).unwrap_or(0);
        tables().states[within]
    }

    /// The state after `steps` steps, by table. A state that does not occur is on the cycle after its first step, or stays 0.
    #[must_use]
    pub fn jump(self, steps: u64) -> Self {
        match self.steps_from_boot() {
            Some(place) => Self::after_boot(u64::from(place) + steps % u64::from(PERIOD)),
            None if steps == 0 || self.0 == 0 => self,
            None => self.step().jump(steps - 1),
        }
    }

    /// Steps from this state to `later`, 0 to 32766; None if one of them does not occur.
    pub fn distance(self, later: Self) -> Option<u16> {
        let (from, to) = (self.steps_from_boot()?, later.steps_from_boot()?);
        Some(if to >= from { to - from } else { PERIOD - from + to })
    }

    /// All states in order, starting with this one.
    pub fn orbit(self) -> impl Iterator<Item = Self> {
        std::iter::successors(Some(self), |state| Some(state.step())).take(PERIOD.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn occurring_states_form_one_cycle_and_step_back_correctly() {
        let occur = (0..=u16::MAX).map(State).filter(|state| state.is_reachable());
        assert_eq!(occur.count(), usize::from(PERIOD));
        for (place, state) in BOOT_STATE.orbit().enumerate() {
            assert!(state.is_reachable());
            assert_eq!(state.steps_from_boot().map(usize::from), Some(place));
            assert_eq!(state.step().back(), Some(state));
            assert_eq!(State::after_boot(place as u64), state);
        }
        assert_eq!(BOOT_STATE.jump(PERIOD.into()), BOOT_STATE);
    }

    #[test]
    fn every_other_state_joins_the_cycle_at_its_first_step_or_stays_zero() {
        for state in (0..=u16::MAX).map(State).filter(|state| !state.is_reachable()) {
            assert_eq!(
                (state.back(), state.steps_from_boot(), state.distance(BOOT_STATE)),
                (None, None, None)
            );
            let next = state.step();
            assert!(next.is_reachable() || next == State(0), "{state}");
            assert_eq!(state.jump(3), next.step().step());
        }
    }

    #[test]
    fn jumps_and_distances_match_steps() {
        let mut state = State(0x1131);
        for steps in 0..1000 {
            assert_eq!(State(0x1131).jump(steps), state);
            assert_eq!(State(0x1131).distance(state).map(u64::from), Some(steps));
            state = state.step();
        }
        assert_eq!(State(0x44C4).distance(BOOT_STATE), Some(PERIOD - 1));
    }
}
