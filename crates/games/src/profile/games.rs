//! What the format asks of the registry: which anchors the profiles of a game can have.

use super::Field;
use crate::games::declared::{PieceCodes, Randomizer};
use crate::games::{DeclaredSupport, FieldSpec, GameId};

/// The fields that the structural checks of pools read: the pools, and the colours they are made of.
pub(super) fn pool_fields(game: GameId) -> Vec<&'static str> {
    const NAMES: [&str; 5] = ["pool_3", "pool_4", "pool_5", "color_set", "color_map"];
    let names = game.fields().iter().map(|spec| spec.name);
    names.filter(|name| NAMES.contains(name)).collect()
}

/// Whether the model of `game` has pools to check.
pub(super) fn has_pools(game: GameId) -> bool {
    game.anchors().pools.is_some()
}

/// Whether the fields of `game` are recognised by their values.
pub(super) fn has_plausible_fields(game: GameId) -> bool {
    game.anchors().cells.is_some()
}

/// Whether `game` draws its pieces into a buffer.
pub(super) fn has_piece_buffer(game: GameId) -> bool {
    game.anchors().codes.is_some()
}

/// Whether `game` has a seed for its pieces beside the main generator.
pub(super) fn has_rng_pair(game: GameId) -> bool {
    game.anchors().states.is_some()
}

/// Whether `[board]` describes the playfield of `game`.
pub(super) fn has_board(game: GameId) -> bool {
    game.anchors().board
}

/// The TOML of `[randomizer]` in a new profile; None for a game that is named instead.
pub(super) fn randomizer_template(game: GameId) -> Option<&'static str> {
    Some(declared(game)?.template)
}

/// What is wrong with a field that the model of a declared game reads, and what to do.
pub(super) fn field_problem(
    game: GameId,
    randomizer: Option<&Randomizer>,
    codes: Option<&PieceCodes>,
    field: &Field,
) -> Option<(String, String)> {
    let declared = declared(game)?;
    match (randomizer, codes) {
        (Some(randomizer), _) => (declared.field_problem)(randomizer, field),
        (None, codes) => (declared.list_problem)(codes?, field),
    }
}

/// Whether a profile with these `[piece_codes]` requires the field.
pub(super) fn is_required(game: GameId, codes: &PieceCodes, spec: &FieldSpec) -> bool {
    declared(game).is_some_and(|declared| (declared.list_fields)(codes).contains(&spec.name))
}

fn declared(game: GameId) -> Option<&'static DeclaredSupport> {
    game.definition().declared.as_ref()
}
