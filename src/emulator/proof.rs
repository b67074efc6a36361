//! Content that proves a place: the profile's anchors, held against a snapshot.

use crate::console::nds_header;
use crate::console::{ConsoleAddr, Snapshot};
use crate::game::bloxeed_states::{self, CHANCE_OF_MANY, GAME_LIMIT};
use crate::game::sega;
use crate::game::sega_buffer::{identify, locate};
use crate::game::sega_cells::{self, Cells};
use crate::profile::{Anchor, Profile};
use memchr::memmem;
use std::sync::Arc;

/// The anchors of `profile` that stand in `snapshot`, in words, in the profile's order; empty when none does.
#[must_use]
pub fn anchors_stand(snapshot: &Snapshot, profile: &Profile) -> Vec<String> {
    let stands = |anchor: &&Anchor| stands(snapshot, profile, anchor, true);
    profile.anchors.iter().filter(stands).map(ToString::to_string).collect()
}

/// RAM as it was dumped, in the order of the bus, and the first profile of which an anchor stands in it; None when none does.
#[must_use]
pub fn recognised(bytes: &[u8], profiles: &[Arc<Profile>]) -> Option<(Snapshot, Arc<Profile>)> {
    for profile in profiles {
        let domain = profile.console.domain();
        if bytes.len() != domain.len as usize {
            continue;
        }
        for order in profile.orders() {
            let snapshot = Snapshot::from_stored(domain, order, bytes.to_vec()).ok()?;
            if !anchors_stand(&snapshot, profile).is_empty() {
                let profile = best_of_alike(&snapshot, profile, profiles);
                return Some((snapshot, profile));
            }
        }
    }
    None
}

/// Of this profile and those of other games that are recognised by the same kind of codes, the one whose first game stands in RAM;
/// this one when none does.
fn best_of_alike(snapshot: &Snapshot, profile: &Arc<Profile>, profiles: &[Arc<Profile>]) -> Arc<Profile> {
    let all = std::iter::once(profile).chain(profiles.iter().filter(|other| are_alike(profile, other)));
    Arc::clone(all.into_iter().find(|one| first_game_stands(snapshot, one)).unwrap_or(profile))
}

/// The profiles of other games that this RAM may as well be of: codes that any of these games can deal tell nothing about which
/// it is, except those of the first game after power-on.
#[must_use]
pub fn indistinguishable(
    snapshot: &Snapshot,
    profile: &Profile,
    profiles: &[Arc<Profile>],
) -> Vec<Arc<Profile>> {
    if first_game_stands(snapshot, profile) {
        return Vec::new();
    }
    let fits =
        |other: &&Arc<Profile>| are_alike(profile, other) && !anchors_stand(snapshot, other).is_empty();
    profiles.iter().filter(fits).cloned().collect()
}

/// Whether two profiles are of different games on one console that are both recognised by nothing but codes of pieces, wherever they
/// stand.
fn are_alike(one: &Profile, other: &Profile) -> bool {
    let by_codes = |profile: &Profile| {
        let codes = |anchor: &Anchor| matches!(anchor, Anchor::PieceBuffer { .. });
        let known = ["sequence", "sequence_words"].into_iter().any(|field| profile.field(field).is_some());
        !profile.anchors.is_empty() && profile.anchors.iter().all(codes) && !known
    };
    one.game != other.game && one.console == other.console && by_codes(one) && by_codes(other)
}

/// Whether the codes of the game after power-on stand in RAM, as the profile has them.
fn first_game_stands(snapshot: &Snapshot, profile: &Profile) -> bool {
    profile.anchors.iter().any(|anchor| match anchor {
        Anchor::PieceBuffer { pattern } => pattern_stands(snapshot.all(), pattern),
        _ => false,
    })
}

fn pattern_stands(ram: &[u8], pattern: &[u8]) -> bool {
    let words: Vec<u8> = pattern.iter().flat_map(|code| [0, *code]).collect();
    [pattern, &words].into_iter().any(|codes| memmem::find(ram, codes).is_some())
}

/// Whether any of them stands; the first that does ends the look, since every sample is asked. Content of which the place and the
/// order are known already need only look like it.
#[must_use]
pub fn any_anchor_stands(snapshot: &Snapshot, profile: &Profile) -> bool {
    profile.anchors.iter().any(|anchor| stands(snapshot, profile, anchor, false))
}

fn stands(snapshot: &Snapshot, profile: &Profile, anchor: &Anchor, thorough: bool) -> bool {
    match anchor {
        Anchor::ChecksummedPair { first, second, length, magic, magic_offset } => {
            let block = |at: &ConsoleAddr| snapshot.bytes(*at, *length as usize).ok();
            let (Some(one), Some(other)) = (block(first), block(second)) else { return false };
            let text = one.get(*magic_offset as usize..).and_then(|rest| rest.get(..magic.len()));
            one == other && text == Some(magic.as_bytes()) && sums_itself(one)
        }
        Anchor::NdsHeader { game_code } => nds_header::stands(snapshot, game_code),
        Anchor::PieceBuffer { pattern } => codes_stand(snapshot, profile, pattern, thorough),
        Anchor::RngPair { first, later_games } => {
            let first = sega::State(*first);
            if thorough {
                states_prove(snapshot, profile, first, *later_games)
            } else {
                states_stand(snapshot, profile, first)
            }
        }
        Anchor::Pools => pools_stand(snapshot, profile).unwrap_or(false),
        Anchor::PlausibleFields => {
            cells_stand(profile, |field| profile.field(field)?.bytes(snapshot).ok()).unwrap_or(false)
        }
        Anchor::PlayfieldLayout => profile
            .board
            .as_ref()
            .is_some_and(|board| if thorough { board.matches(snapshot) } else { board.may_match(snapshot) }),
        Anchor::Bytes { address, bytes } => {
            snapshot.bytes(*address, bytes.len()).is_ok_and(|found| found == bytes)
        }
    }
}

/// Whether the first 16-bit word is the sum of those that follow (big-endian, modulo 2^16).
fn sums_itself(block: &[u8]) -> bool {
    let mut words = block.chunks_exact(2).map(|word| u16::from_be_bytes([word[0], word[1]]));
    let stated = words.next();
    stated == Some(words.fold(0, u16::wrapping_add))
}

fn pools_stand(snapshot: &Snapshot, profile: &Profile) -> Option<bool> {
    profile.game.anchors().pools?(&|field| profile.field(field)?.bytes(snapshot).ok())
}

/// Whether its cells say so much that RAM can be told by them at whatever place: those of NES Tetris have a whole playfield, those
/// of others are but a few small numbers.
pub(super) fn cells_tell_the_place(profile: &Profile) -> bool {
    profile.game.anchors().cells_find_ram && profile.anchors.contains(&Anchor::PlausibleFields)
}

/// Whether they stand in RAM that is stored as on the bus.
pub(super) fn cells_stand_at(ram: &[u8], profile: &Profile) -> bool {
    let domain = profile.console.domain();
    let bytes = |field: &str| {
        let field = profile.field(field)?;
        ram.get(domain.span(field.address, field.len())?)
    };
    cells_stand(profile, bytes).unwrap_or(false)
}

fn cells_stand<'a>(profile: &Profile, bytes: impl Fn(&str) -> Option<&'a [u8]>) -> Option<bool> {
    profile.game.anchors().cells?(&bytes)
}

/// Where the profile says that the codes stand, or else anywhere. Codes in the wrong order of bytes look drawn as well: only
/// solving for their state tells.
fn codes_stand(snapshot: &Snapshot, profile: &Profile, pattern: &[u8], thorough: bool) -> bool {
    let places = [("sequence", Cells::Bytes), ("sequence_words", Cells::Words)];
    let known = places.into_iter().find_map(|(field, cells)| Some((profile.field(field)?, cells)));
    if let Some((field, cells)) = known {
        let Ok(bytes) = field.bytes(snapshot) else { return false };
        let solved = || cells.codes(bytes, 0).is_some_and(|codes| identify(&codes).is_some());
        return sega_cells::places(bytes, cells).next() == Some(0) && (!thorough || solved());
    }
    let ram = snapshot.all();
    pattern_stands(ram, pattern) || (sega_cells::looks_drawn(ram) && (!thorough || locate(ram).is_some()))
}

/// The pieces dealt by seed and state of Bloxeed's pieces at the profile's addresses, if the one follows from the other; None where the
/// profile does not have both.
fn dealt_by_states(snapshot: &Snapshot, profile: &Profile) -> Option<Option<u32>> {
    let at = |field: &str| profile.field(field).map(|field| snapshot.u32(field.address).map(sega::State));
    let (seed, state) = (at("piece_seed")?, at("piece_state")?);
    let (Ok(seed), Ok(state)) = (seed, state) else { return Some(None) };
    // Memory that was cleared follows from itself.
    Some(bloxeed_states::dealt(seed, state, GAME_LIMIT).filter(|_| state.0 & 0xFFFF != 0))
}

/// Whether they prove that this is the RAM: by the profile's addresses, or by the seed of the first game. Of a later game only chance
/// speaks, and there is more memory than chance can stand: a ROM of 16 KiB was met that has three longs like it.
fn states_prove(snapshot: &Snapshot, profile: &Profile, first: sega::State, later_games: bool) -> bool {
    if let Some(dealt) = dealt_by_states(snapshot, profile) {
        // Before the first piece the two are equal, in any order of bytes and in much other memory.
        return dealt.is_some_and(|dealt| dealt > 0);
    }
    let found = bloxeed_states::locate(snapshot.all(), first, CHANCE_OF_MANY);
    found.is_some_and(|found| found.first || later_games)
}

/// Whether they still look like it in RAM that was proven.
fn states_stand(snapshot: &Snapshot, profile: &Profile, first: sega::State) -> bool {
    let dealt = dealt_by_states(snapshot, profile);
    dealt.map_or_else(|| bloxeed_states::looks_played(snapshot.all(), first), |dealt| dealt.is_some())
}
