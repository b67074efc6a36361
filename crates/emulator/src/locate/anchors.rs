//! Matches a profile's anchors against a snapshot.

use nextscope_games::profile::{Anchor, Profile};
use nextscope_memory::console::nds_header;
use nextscope_memory::console::{ConsoleAddr, Snapshot};
use std::sync::Arc;

/// The anchors of `profile` that match `snapshot`, in words, in the profile's order.
pub fn matching_anchors(snapshot: &Snapshot, profile: &Profile) -> Vec<String> {
    let matches = |anchor: &&Anchor| anchor_matches(snapshot, profile, anchor, true);
    profile.anchors.iter().filter(matches).map(ToString::to_string).collect()
}

/// Converts dumped RAM to bus order and returns it with the first profile that has a matching anchor.
pub fn identify_ram(bytes: &[u8], profiles: &[Arc<Profile>]) -> Option<(Snapshot, Arc<Profile>)> {
    for profile in profiles {
        let domain = profile.console.domain();
        if bytes.len() != domain.len as usize {
            continue;
        }
        for order in profile.orders() {
            let snapshot = Snapshot::from_stored(domain, order, bytes.to_vec()).ok()?;
            if !matching_anchors(&snapshot, profile).is_empty() {
                let profile = best_of_alike(&snapshot, profile, profiles);
                return Some((snapshot, profile));
            }
        }
    }
    None
}

/// Among this profile and those of other games recognised by the same kind of codes, the one whose power-on game is in RAM; otherwise
/// this profile.
fn best_of_alike(snapshot: &Snapshot, profile: &Arc<Profile>, profiles: &[Arc<Profile>]) -> Arc<Profile> {
    let all = std::iter::once(profile).chain(profiles.iter().filter(|other| are_alike(profile, other)));
    Arc::clone(all.into_iter().find(|one| has_first_game(snapshot, one)).unwrap_or(profile))
}

/// The profiles of other games that match this RAM equally well. Piece codes that any of these games can deal do not identify the game,
/// except those of the first game after power-on.
pub fn indistinguishable_profiles(
    snapshot: &Snapshot,
    profile: &Profile,
    profiles: &[Arc<Profile>],
) -> Vec<Arc<Profile>> {
    if has_first_game(snapshot, profile) {
        return Vec::new();
    }
    let fits =
        |other: &&Arc<Profile>| are_alike(profile, other) && !matching_anchors(snapshot, other).is_empty();
    profiles.iter().filter(fits).cloned().collect()
}

/// Whether two profiles are of different games on one console that are both recognised by piece codes alone, at any address.
fn are_alike(one: &Profile, other: &Profile) -> bool {
    let by_codes = |profile: &Profile| {
        let codes = |anchor: &Anchor| matches!(anchor, Anchor::PieceBuffer { .. });
        let known = ["sequence", "sequence_words"].into_iter().any(|field| profile.field(field).is_some());
        !profile.anchors.is_empty() && profile.anchors.iter().all(codes) && !known
    };
    one.game != other.game && one.console == other.console && by_codes(one) && by_codes(other)
}

/// Whether RAM contains the codes of the first game after power-on, as listed in the profile.
fn has_first_game(snapshot: &Snapshot, profile: &Profile) -> bool {
    let check = profile.game.anchors().codes;
    profile.anchors.iter().any(|anchor| match anchor {
        Anchor::PieceBuffer { pattern } => {
            check.is_some_and(|check| (check.contains)(snapshot.all(), pattern))
        }
        _ => false,
    })
}

/// Whether any anchor matches; stops at the first match, because every sample is checked. The location and byte order are known
/// already, so plausible content is enough.
pub fn any_anchor_matches(snapshot: &Snapshot, profile: &Profile) -> bool {
    profile.anchors.iter().any(|anchor| anchor_matches(snapshot, profile, anchor, false))
}

fn anchor_matches(snapshot: &Snapshot, profile: &Profile, anchor: &Anchor, thorough: bool) -> bool {
    match anchor {
        Anchor::ChecksummedPair { first, second, length, magic, magic_offset } => {
            let block = |at: &ConsoleAddr| snapshot.bytes(*at, *length as usize).ok();
            let (Some(one), Some(other)) = (block(first), block(second)) else { return false };
            let text = one.get(*magic_offset as usize..).and_then(|rest| rest.get(..magic.len()));
            one == other && text == Some(magic.as_bytes()) && has_own_checksum(one)
        }
        Anchor::NdsHeader { game_code } => nds_header::matches(snapshot, game_code),
        Anchor::PieceBuffer { pattern } => {
            let check = profile.game.anchors().codes;
            check.is_some_and(|check| (check.matches)(snapshot, profile, pattern, thorough))
        }
        Anchor::RngPair { first, later_games } => {
            let check = profile.game.anchors().states;
            check.is_some_and(|check| check(snapshot, profile, *first, *later_games, thorough))
        }
        Anchor::Pools => pools_match(snapshot, profile).unwrap_or(false),
        Anchor::PlausibleFields => {
            cells_match(profile, |field| profile.field(field)?.bytes(snapshot).ok()).unwrap_or(false)
        }
        Anchor::PlayfieldLayout => profile
            .board
            .as_ref()
            .is_some_and(|board| if thorough { board.matches(snapshot) } else { board.may_match(snapshot) }),
        Anchor::Bytes { address, bytes } => {
            snapshot.bytes(*address, bytes.len()).is_ok_and(|found| found == bytes)
                && (!thorough || beside_bytes_match(snapshot, profile))
        }
    }
}

/// Whether the first 16-bit word is the sum of the following words (big-endian, modulo 2^16).
fn has_own_checksum(block: &[u8]) -> bool {
    let mut words = block.chunks_exact(2).map(|word| u16::from_be_bytes([word[0], word[1]]));
    let stated = words.next();
    stated == Some(words.fold(0, u16::wrapping_add))
}

fn pools_match(snapshot: &Snapshot, profile: &Profile) -> Option<bool> {
    profile.game.anchors().pools?(&|field| profile.field(field)?.bytes(snapshot).ok())
}

fn beside_bytes_match(snapshot: &Snapshot, profile: &Profile) -> bool {
    let check = profile.game.anchors().beside_bytes;
    let bytes = |field: &str| profile.field(field)?.bytes(snapshot).ok();
    check.is_none_or(|check| check(&bytes).unwrap_or(false))
}

/// Whether the game's cells are enough to recognise RAM at any address: NES Tetris has a complete playfield, other games only a few
/// small numbers.
pub(super) fn cells_identify_location(profile: &Profile) -> bool {
    profile.game.anchors().cells_find_ram && profile.anchors.contains(&Anchor::PlausibleFields)
}

/// Whether the cells match RAM that is stored in bus order.
pub(super) fn cells_match_at(ram: &[u8], profile: &Profile) -> bool {
    let domain = profile.console.domain();
    let bytes = |field: &str| {
        let field = profile.field(field)?;
        ram.get(domain.span(field.address, field.len())?)
    };
    cells_match(profile, bytes).unwrap_or(false)
}

fn cells_match<'a>(profile: &Profile, bytes: impl Fn(&str) -> Option<&'a [u8]>) -> Option<bool> {
    profile.game.anchors().cells?(&bytes)
}
