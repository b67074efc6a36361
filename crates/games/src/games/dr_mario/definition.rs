//! Dr. Mario (NES, Nintendo 1990).

use crate::games::dr_mario::bottle::EMPTY;
use crate::games::dr_mario::live::{CHECKS, Tracker};
use crate::games::dr_mario::pairs::RULES;
use crate::games::dr_mario::{COLORS, FIELDS, ID, MAX_LEVEL, NUMBERS};
use crate::games::{
    Anchors, CELLS_TEMPLATE, GameDefinition, LiveSupport, NO_ANCHORS, Unit, profiles, tracker,
};

/// The highest number of a screen: viruses appear.
const LAST_SCREEN: u8 = 8;

pub(crate) const GAME: GameDefinition = GameDefinition {
    id: ID,
    name: "Dr. Mario (NES)",
    unit: Unit::Capsules,
    live: Some(LiveSupport {
        profiles: profiles!["dr-mario"],
        fields: FIELDS,
        variants: &[],
        checks: CHECKS,
        predicts: true,
        anchors: Anchors {
            cells: Some(cells),
            beside_bytes: Some(beside_bytes),
            template: CELLS_TEMPLATE,
            ..NO_ANCHORS
        },
        pools: None,
        tracker: tracker::<Tracker>,
    }),
    pairs: Some(RULES),
    ..GameDefinition::DEFAULTS
};

/// From the first round or demo on. Before it, the reserve has what RAM had at power-on.
fn cells<'a>(bytes: &dyn Fn(&str) -> Option<&'a [u8]>) -> Option<bool> {
    let byte = |field: &str| bytes(field)?.first().copied();
    let reserve = bytes("reserve")?;
    Some(
        reserve.iter().all(|number| *number < NUMBERS)
            && reserve.iter().any(|number| *number != 0)
            && (1..=2).contains(&byte("players")?)
            && byte("victories_needed")? == 3
            && byte("screen")? <= LAST_SCREEN,
    )
}

/// From power-on on: the generator never is 0, the screen has a number, and a bottle has halves of capsules, viruses, and empty cells
/// (0 before the first round).
fn beside_bytes<'a>(bytes: &dyn Fn(&str) -> Option<&'a [u8]>) -> Option<bool> {
    let byte = |field: &str| bytes(field)?.first().copied();
    let bottle = bytes("p1_field")?;
    Some(
        bytes("rng_state")?.iter().any(|byte| *byte != 0)
            && byte("screen")? <= LAST_SCREEN
            && byte("p1_level")? <= MAX_LEVEL
            && bottle.iter().all(|cell| *cell == EMPTY || usize::from(cell & 0x0F) < COLORS.len()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::dr_mario::{BOOT_STATE, CELLS};

    #[test]
    fn ram_differs_from_other_memory_with_the_same_text() {
        let check = |state: [u8; 2], screen: u8, level: u8, bottle: [u8; CELLS]| {
            let bytes = |field: &str| -> Option<&[u8]> {
                match field {
                    "rng_state" => Some(&state),
                    "screen" => Some(std::slice::from_ref(&screen)),
                    "p1_level" => Some(std::slice::from_ref(&level)),
                    "p1_field" => Some(&bottle),
                    _ => None,
                }
            };
            beside_bytes(&bytes)
        };
        let boot = BOOT_STATE.0.to_be_bytes();
        assert_eq!(check(boot, 0, 0, [0; CELLS]), Some(true), "after power-on");
        let mut bottle = [EMPTY; CELLS];
        for (cell, byte) in bottle.iter_mut().zip([0xD0, 0xD2, 0x41, 0x62, 0x80, 0xB1, 0xF2]) {
            *cell = byte;
        }
        assert_eq!(check(boot, 4, MAX_LEVEL, bottle), Some(true), "in a round");
        assert_eq!(check([0; 2], 0, 0, [0; CELLS]), Some(false), "zeros around the text");
        assert_eq!(check(*b"ex", b't', b' ', [b'a'; CELLS]), Some(false), "source text");
        assert_eq!(check(boot, 0, 0, [0x10 | 3; CELLS]), Some(false), "other data");
        assert_eq!(beside_bytes(&|_| None), None);
    }
}
