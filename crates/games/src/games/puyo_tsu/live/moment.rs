//! What a sample shows of a player's board, falling pair and buttons, for measuring durations.

use super::board::{decode, rules};
use crate::frames::{Held, MissingField, Moment, MomentReader};
use crate::live::reader::Reader;
use crate::profile::Profile;
use nextscope_boards::Pair;
use nextscope_boards::puyo::{COLUMNS, FallingPair, ROWS};
use nextscope_memory::console::Snapshot;

pub const MOMENTS: MomentReader = MomentReader { read, missing };

/// The buttons as the game stores them (disassembly; the pad's order of the Mega Drive).
const BUTTONS: [(u8, Held); 6] = [
    (0x40, Held::TURN),
    (0x20, Held::OTHER_TURN),
    (0x10, Held::OTHER_TURN),
    (0x08, Held::RIGHT),
    (0x04, Held::LEFT),
    (0x02, Held::DOWN),
];
const START: u8 = 0x80;

/// The fields of the falling pair: objects, and the offsets in the first one.
const OBJECTS: [&str; 6] =
    ["objects", "object_0", "object_0_column", "object_0_row", "object_0_player", "object_0_rotation"];

/// Fields and what they are for.
type Need = (&'static [&'static str], &'static str, bool);

const NEEDS: [Need; 3] = [
    (&["board", "pairs_dealt", "queue"], "no part", true),
    (&["pad_held"], "press, release, fall, lock and split", false),
    (&OBJECTS, "press, release, fall, lock and split", false),
];

fn name(field: &str, player: usize) -> String {
    if field.starts_with("object") { field.to_owned() } else { format!("p{}_{field}", player + 1) }
}

fn missing(profile: &Profile, player: usize) -> Vec<MissingField> {
    let missing = |(fields, parts, all): Need| {
        let names = fields.iter().map(|field| name(field, player));
        let names: Vec<String> = names.filter(|name| profile.field(name).is_none()).collect();
        (!names.is_empty()).then(|| MissingField { fields: names.join(", "), parts, all })
    };
    NEEDS.into_iter().filter_map(missing).collect()
}

fn read(snapshot: &Snapshot, profile: &Profile, player: usize) -> Result<Moment, String> {
    let reader = Reader { snapshot, profile };
    let name = |field| name(field, player);
    let text = |error: crate::live::ObserveError| error.to_string();
    let [axis, child, ..] = reader.array::<6>(&name("queue")).map_err(text)?;
    let pads = [1, 2].map(|number| reader.known(&format!("p{number}_pad_held")));
    let [own, other] = [&pads[player.min(1)], &pads[1 - player.min(1)]];
    let held = own.clone().map_err(text)?.map(|[pad]: [u8; 1]| pad);
    let other: u8 = other.clone().ok().flatten().map_or(0, |[pad]: [u8; 1]| pad);
    let buttons = |pad: u8| {
        let held = BUTTONS.into_iter().filter(|(bit, _)| pad & bit != 0);
        held.fold(Held::NONE, |all, (_, button)| all | button)
    };
    Ok(Moment {
        field: decode(&reader.array(&name("board")).map_err(text)?).ok(),
        rules: rules(reader.byte("pop_count").map_err(text)?),
        dealt: u16::from_be_bytes(reader.array(&name("pairs_dealt")).map_err(text)?),
        next: Pair::from_bytes(axis, child),
        falling: falling(snapshot, profile, player),
        held: held.map(buttons),
        pausing: (held.unwrap_or(0) | other) & START != 0,
    })
}

/// The objects of a falling pair: axis and child, one after the other. None unless exactly two objects of the player are in use.
fn falling(snapshot: &Snapshot, profile: &Profile, player: usize) -> Option<FallingPair> {
    let [objects, first, column, row, owner, rotation] = OBJECTS.map(|name| profile.field(name));
    let (objects, first) = (objects?, first?);
    let bytes = objects.bytes(snapshot).ok()?;
    let offset = |field: Option<&crate::profile::Field>| {
        usize::try_from(field?.address.0.checked_sub(first.address.0)?).ok()
    };
    let (column, row, owner, rotation) = (offset(column)?, offset(row)?, offset(owner)?, offset(rotation)?);
    let word = |object: &[u8], at: usize| {
        let [high, low] = [*object.get(at)?, *object.get(at + 1)?];
        Some(usize::from(u16::from_be_bytes([high, low])))
    };
    let owned = |object: &&[u8]| {
        object.get(owner).is_some_and(|owner| usize::from(*owner) == player) && word(object, 0) != Some(0)
    };
    let mut used = bytes.chunks_exact(first.len().max(1)).filter(owned);
    let (axis, child) = (used.next()?, used.next()?);
    let column = word(axis, column).filter(|column| *column < COLUMNS)?;
    let row = (ROWS - 1).checked_sub(word(axis, row)?)?;
    let turns = usize::from(*child.get(rotation)?);
    (used.next().is_none() && turns < 4).then_some(FallingPair { column, row, turns })
}
