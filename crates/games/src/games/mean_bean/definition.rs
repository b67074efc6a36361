//! The definitions of both games.

use crate::games::mean_bean::live::Tracker;
use crate::games::mean_bean::pairs::{MEAN_BEAN_RULES, PUYO_PUYO_RULES};
use crate::games::mean_bean::{
    FIELDS, MEAN_BEAN, OPTIONS_LEN, PUYO_PUYO, State, has_own_checksum, is_blank, looks_like_pools,
    options_match,
};
use crate::games::{
    Anchors, CELLS_TEMPLATE, FieldCheck, GameDefinition, LiveSupport, NO_ANCHORS, PoolNotation, TwinBlocks,
    Unit, profiles, tracker,
};
use nextscope_boards::puyo::Rules;
use nextscope_boards::{Color, POOL_LEN, Pool};

pub(crate) const MEAN_BEAN_MACHINE: GameDefinition = GameDefinition {
    id: MEAN_BEAN,
    name: "Dr. Robotnik's Mean Bean Machine",
    unit: Unit::Pairs,
    boards: Some(Rules::FIRST),
    live: Some(live(profiles!["mean-bean-genesis"], |bytes| cells(bytes, false))),
    pairs: Some(MEAN_BEAN_RULES),
    ..GameDefinition::DEFAULTS
};

pub(crate) const PUYO_PUYO_1: GameDefinition = GameDefinition {
    id: PUYO_PUYO,
    name: "Puyo Puyo",
    unit: Unit::Pairs,
    boards: Some(Rules::FIRST),
    live: Some(live(profiles!["puyo-puyo-1-genesis"], |bytes| cells(bytes, true))),
    pairs: Some(PUYO_PUYO_RULES),
    ..GameDefinition::DEFAULTS
};

const fn live(profiles: &'static [(&'static str, &'static str)], cells: FieldCheck) -> LiveSupport {
    LiveSupport {
        profiles,
        fields: FIELDS,
        variants: &[],
        checks: super::live::CHECKS,
        predicts: true,
        anchors: Anchors {
            cells: Some(cells),
            cells_find_ram: true,
            twins: Some(TwinBlocks { fields: ["options", "options_copy"], is_valid: is_options_block }),
            template: CELLS_TEMPLATE,
            ..NO_ANCHORS
        },
        pools: Some(PoolNotation { digits: 2, color: Some(Color) }),
        tracker: tracker::<Tracker>,
    }
}

fn is_options_block(block: &[u8]) -> bool {
    block.try_into().is_ok_and(has_own_checksum)
}

/// The checksum of Puyo Puyo's ROM, which the game stores at boot (reference A.7 and A.10).
const PUYO_PUYO_CHECKSUM: [u8; 2] = [0xBC, 0xE7];

/// The options and the generator are at the same addresses in both games. The pools are not, and before the first round the checksum of the
/// ROM distinguishes them. After a reset the options are valid at once, and the checksum is 0 until the ROM is summed: no game is recognised
/// in that time.
fn cells<'a>(bytes: &dyn Fn(&str) -> Option<&'a [u8]>, puyo_puyo: bool) -> Option<bool> {
    let options: &[u8; OPTIONS_LEN] = bytes("options")?.try_into().ok()?;
    let copy: &[u8; OPTIONS_LEN] = bytes("options_copy")?.try_into().ok()?;
    let state = State(u32::from_be_bytes(bytes("rng_state")?.try_into().ok()?));
    let pool = |field| -> Option<Pool> { bytes(field)?.get(..POOL_LEN)?.try_into().ok() };
    let pools = [pool("pool_4")?, pool("pool_5")?];
    let this_game = if is_blank(&pools) {
        let checksum = bytes("rom_checksum")?;
        checksum != [0; 2] && (checksum == PUYO_PUYO_CHECKSUM) == puyo_puyo
    } else {
        looks_like_pools(&pools)
    };
    Some(options_match(options, copy, state) && this_game)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::mean_bean::options_checksum;

    /// Both games have valid options after a reset, and the checksum of the ROM tells them apart once it is summed.
    #[test]
    fn before_the_first_round_the_checksum_of_the_rom_selects_the_game() {
        let mut options = [7; OPTIONS_LEN];
        let sum = options_checksum(&options[2..]).to_be_bytes();
        options[..2].copy_from_slice(&sum);
        for (rom_checksum, expected) in [
            ([0; 2], [Some(false), Some(false)]),
            (PUYO_PUYO_CHECKSUM, [Some(false), Some(true)]),
            ([0x12, 0x34], [Some(true), Some(false)]),
        ] {
            let fields: [(&str, &[u8]); 6] = [
                ("options", &options),
                ("options_copy", &options),
                ("rng_state", &[0; 4]),
                ("rom_checksum", &rom_checksum),
                ("pool_4", &[0; POOL_LEN]),
                ("pool_5", &[0; POOL_LEN]),
            ];
            let bytes = |field: &str| fields.iter().find(|(name, _)| *name == field).map(|(_, bytes)| *bytes);
            assert_eq!(
                [false, true].map(|puyo_puyo| cells(&bytes, puyo_puyo)),
                expected,
                "{rom_checksum:X?}"
            );
        }
    }
}
