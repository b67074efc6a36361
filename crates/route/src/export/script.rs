//! A route as a Lua script for BizHawk that plays by the game's RAM instead of counting frames.

use super::super::Route;
use super::super::inputs::{Input, find_all_inputs, positions};
use super::{ExportError, refuse_garbage};
use nextscope_boards::Color;
use nextscope_boards::puyo::{COLUMNS, ROWS, to_rows};
use nextscope_games::profile::Profile;
use nextscope_memory::console::ConsoleId;
use std::fmt::Write as _;

/// The part of the script that is the same for every route.
const PLAYER: &str = include_str!("route.lua");
/// BizHawk's name of the Mega Drive's work RAM in its core Genplus-gx; addresses count from 0xFF0000.
const DOMAIN: &str = "68K RAM";
/// Bytes of a board: two per cell.
const BOARD_BYTES: usize = 2 * ROWS * COLUMNS;
/// Bytes of a queue: three pairs.
const QUEUE_BYTES: usize = 6;
/// Colour codes of a cell.
const COLOR_CODES: u8 = 8;

const HEAD: &str = "\
-- Plays a route of Nextscope in BizHawk by watching the game's RAM. It counts no frames, so lag, the emulator's speed and the moment
-- at which it is started do not matter. Load the game, open this file in the Lua console, then start the round.
--
-- WAIT   until board, pair in play and queue are those of the route's start; there is no time limit
-- TAP    a button until the game has read it and let go until the game has read that; then column and turn of the pair must be as
--        planned. Without an effect the pair could not be moved yet: the tap is repeated
-- DROP   hold Down until the board changes or the next pair is dealt
-- SETTLE no button until the next pair is dealt, which the game does when nothing moves
-- CHECK  board, pair and queue against the route; then TAP again, or the end
--
-- It stops and pauses the emulator where the game differs, and says which pair, what was expected and what is there.
-- A turns anticlockwise and B clockwise: set the game's options accordingly.
";

/// The addresses that a script watches, as offsets in the console's RAM.
struct Addresses {
    board: usize,
    queue: usize,
    dealt: usize,
    held: usize,
    objects: usize,
    object_size: usize,
    object_count: usize,
    /// Offsets in an object: colour, column, row, player, turn of the child.
    parts: Vec<(&'static str, usize)>,
}

/// Fields of the first object and their sizes.
const PARTS: [(&str, usize); 5] = [("color", 1), ("column", 2), ("row", 2), ("player", 1), ("rotation", 1)];

impl Addresses {
    /// The addresses for a player (0 or 1).
    fn of(profile: &Profile, player: usize) -> Result<Self, ExportError> {
        let mut missing = Vec::new();
        // Offset and length of a field.
        let mut find = |name: String, least: usize| {
            let field = profile.field(&name).filter(|field| field.through.is_none() && field.len() >= least);
            let found = field
                .and_then(|field| Some((profile.console.domain().offset_of(field.address)?, field.len())));
            if found.is_none() {
                missing.push(name);
            }
            found.unwrap_or((0, 1))
        };
        let number = player + 1;
        let (board, _) = find(format!("p{number}_board"), BOARD_BYTES);
        let (queue, _) = find(format!("p{number}_queue"), QUEUE_BYTES);
        let (dealt, _) = find(format!("p{number}_pairs_dealt"), 2);
        let (held, _) = find(format!("p{number}_pad_held"), 1);
        let (objects, objects_len) = find("objects".into(), 1);
        let (first, object_size) = find("object_0".into(), 1);
        let parts = PARTS.map(|(name, len)| (name, find(format!("object_0_{name}"), len).0));
        if !missing.is_empty() {
            return Err(ExportError::NoAddresses {
                profile: profile.id.clone(),
                missing: missing.join(", "),
            });
        }
        let part = |(name, at): (&'static str, usize)| Some((name, at.checked_sub(first)?));
        let parts: Option<Vec<_>> = parts.into_iter().map(part).collect();
        let parts =
            parts.ok_or(ExportError::Unsuited("the fields of object_0 in the profile begin before it"))?;
        let object_count = objects_len / object_size;
        Ok(Self { board, queue, dealt, held, objects, object_size, object_count, parts })
    }
}

/// The script that plays a route as a player (0 or 1).
///
/// # Errors
/// For any console other than the Mega Drive, if the profile lacks an address that the script watches, if garbage falls, and if no inputs
/// bring a pair to its placement.
pub(super) fn route_lua(route: &Route, profile: &Profile, player: usize) -> Result<String, ExportError> {
    if profile.console != ConsoleId::Genesis {
        return Err(ExportError::Unsuited("scripts for BizHawk are for the Mega Drive only"));
    }
    refuse_garbage(route, "a script for BizHawk")?;
    let addresses = Addresses::of(profile, player)?;
    let mut text = format!("{HEAD}\n{}\n", ram_table(profile, player, &addresses));
    let colors =
        (0..COLOR_CODES).map(|code| format!("[{code}] = {}", lua_string(&Color(code).letter().to_string())));
    let _ = writeln!(text, "local COLORS = {{ {} }}", colors.collect::<Vec<_>>().join(", ")); // writing to a String cannot fail
    let _ = writeln!(text, "local START = {}", lua_string(&to_rows(&route.start).join("/")));
    text += "-- Taps: the button, and the column (from 0) and turn of the child after it.\nlocal ROUTE = {\n";
    let boards = std::iter::once(&route.start).chain(route.steps.iter().map(|step| &step.after));
    for ((step, before), inputs) in route.steps.iter().zip(boards).zip(find_all_inputs(route)?) {
        let taps = inputs.taps.iter().zip(positions(before, &inputs.taps)).map(tap).collect::<Vec<_>>();
        let _ = writeln!(
            text,
            "  {{ pair = {}, column = {}, child = {}, taps = {{ {} }}, after = {} }},",
            lua_string(&step.pair.letters()),
            step.placement.column(),
            step.placement.rotation() as usize,
            taps.join(", "),
            lua_string(&to_rows(&step.after).join("/")),
        );
    }
    Ok(text + "}\n\n" + PLAYER)
}

fn tap((input, (column, turns)): (&Input, (usize, usize))) -> String {
    format!("{{ \"{}\", {column}, {turns} }}", input.letter())
}

fn ram_table(profile: &Profile, player: usize, addresses: &Addresses) -> String {
    let Addresses { board, queue, dealt, held, objects, object_size, object_count, parts } = addresses;
    let parts: String = parts.iter().map(|(name, offset)| format!(", {name} = 0x{offset:02X}")).collect();
    format!(
        "local RAM = {{\n  game = {}, domain = {}, player = {}, rows = {ROWS}, columns = {COLUMNS}, queued = {},\n  \
         board = 0x{board:04X}, queue = 0x{queue:04X}, dealt = 0x{dealt:04X}, held = 0x{held:04X},\n  \
         objects = 0x{objects:04X}, object = {{ size = {object_size}, count = {object_count}{parts} }},\n}}",
        lua_string(&profile.name),
        lua_string(DOMAIN),
        player + 1,
        QUEUE_BYTES / 2,
    )
}

/// A Lua string literal that contains exactly these bytes, in printable ASCII.
pub fn lua_string(text: &str) -> String {
    let mut literal = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => literal.extend(['\\', char::from(byte)]),
            b' '..=b'~' => literal.push(char::from(byte)),
            _ => literal += &format!("\\{byte:03}"),
        }
    }
    literal + "\""
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Start;
    use nextscope_boards::Pair;
    use nextscope_boards::puyo::{Placement, Rotation, Rules};
    use nextscope_games::profile::built_in_profiles;

    fn profile(id: &str) -> Profile {
        let found = built_in_profiles().iter().find(|profile| profile.id == id).cloned();
        Profile::clone(&found.expect("built in"))
    }

    fn route() -> Route {
        let pair = Pair { axis: Color::RED, child: Color::BLUE };
        let placement = Placement::new(0, Rotation::Right).expect("inside");
        Route::replay(&Start::empty(vec![pair], Rules::TSU), &[placement]).expect("a route")
    }

    #[test]
    fn a_script_contains_the_addresses_and_the_positions() {
        let text = route_lua(&route(), &profile("puyo-tsu-genesis"), 1).expect("a script");
        for expected in [
            "player = 2, rows = 14, columns = 6, queued = 3",
            "board = 0x8800, queue = 0x8DA0, dealt = 0x8DA6, held = 0xF076",
            "objects = 0xD100, object = { size = 64, count = 60, color = 0x08, column = 0x1A, row = 0x1C, player = 0x2A, rotation = 0x2B }",
            "local START = \"......\"",
            "{ pair = \"RB\", column = 0, child = 1, taps = { { \"L\", 1, 0 }, { \"L\", 0, 0 }, { \"B\", 0, 1 } }, after = \"RB....\" },",
        ] {
            assert!(text.contains(expected), "{expected} in {text}");
        }
    }

    #[test]
    fn a_profile_without_the_addresses_is_refused_by_name() {
        let refused = |id| route_lua(&route(), &profile(id), 0).expect_err(id).to_string();
        let bean = refused("mean-bean-genesis");
        assert!(bean.contains("mean-bean-genesis") && bean.contains("p1_queue, p1_pairs_dealt"), "{bean}");
        assert!(!bean.contains("p1_board"), "{bean}");
        assert!(refused("puyo-20th-nds").contains("Mega Drive"));
    }

    #[test]
    fn strings_of_a_profile_cannot_leave_their_literal() {
        assert_eq!(lua_string("a\"]]\\\n--\u{e9}\0"), "\"a\\\"]]\\\\\\010--\\195\\169\\000\"");
        let mut hostile = profile("puyo-tsu-genesis");
        hostile.name = "\"}\nos.exit() --".into();
        let text = route_lua(&route(), &hostile, 0).expect("a script");
        assert!(text.contains("game = \"\\\"}\\010os.exit() --\","), "{text}");
    }
}
