//! Dr. Mario (NES, Nintendo 1990).

use crate::games::dr_mario::live::{CHECKS, Tracker};
use crate::games::dr_mario::pairs::RULES;
use crate::games::dr_mario::{FIELDS, ID, NUMBERS};
use crate::games::{
    Anchors, CELLS_TEMPLATE, GameDefinition, LiveSupport, NO_ANCHORS, Unit, profiles, tracker,
};

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
        anchors: Anchors { cells: Some(cells), template: CELLS_TEMPLATE, ..NO_ANCHORS },
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
            && byte("screen")? <= 8,
    )
}
