//! Recognises RAM by the seed and the state of the pieces' generator.

use crate::games::bloxeed::states::{self, CHANCE_OF_MANY, GAME_LIMIT};
use crate::games::sega::State;
use crate::profile::Profile;
use nextscope_memory::console::Snapshot;

/// By the profile's addresses, or by the seed of the first game. A later game is recognised by probability only, which fails on much memory:
/// one 16 KiB ROM contains three such longs by chance.
pub(super) fn states_match(
    snapshot: &Snapshot,
    profile: &Profile,
    first: u32,
    later_games: bool,
    thorough: bool,
) -> bool {
    let (dealt, first) = (dealt_by_states(snapshot, profile), State(first));
    if !thorough {
        return dealt.map_or_else(|| states::looks_played(snapshot.all(), first), |dealt| dealt.is_some());
    }
    if let Some(dealt) = dealt {
        // Before the first piece seed and state are equal, which is so in any byte order and in much other memory.
        return dealt.is_some_and(|dealt| dealt > 0);
    }
    let found = states::locate(snapshot.all(), first, CHANCE_OF_MANY);
    found.is_some_and(|found| found.first || later_games)
}

/// The number of pieces between seed and state of the piece generator at the profile's addresses, if the state follows from the seed; None
/// if the profile lacks one of the addresses.
fn dealt_by_states(snapshot: &Snapshot, profile: &Profile) -> Option<Option<u32>> {
    let at = |field: &str| profile.field(field).map(|field| snapshot.u32(field.address).map(State));
    let (seed, state) = (at("piece_seed")?, at("piece_state")?);
    let (Ok(seed), Ok(state)) = (seed, state) else { return Some(None) };
    // A state of zeros follows from a seed of zeros: cleared memory.
    Some(states::dealt(seed, state, GAME_LIMIT).filter(|_| state.0 & 0xFFFF != 0))
}
