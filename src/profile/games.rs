//! What the profile format knows of single games: which anchors each can have.

use crate::game::GameId;
use std::fmt::Write;

/// The fields that the structural checks of pools read: the pools, and the colours they are made of.
pub(super) fn pool_fields(game: GameId) -> Vec<&'static str> {
    const NAMES: [&str; 5] = ["pool_3", "pool_4", "pool_5", "color_set", "color_map"];
    let names = game.fields().iter().map(|spec| spec.name);
    names.filter(|name| NAMES.contains(name)).collect()
}

/// Whether the model of `game` has pools to check.
pub(super) fn has_pools(game: GameId) -> bool {
    pool_fields(game).len() == 4
}

/// Whether the fields of `game` are recognised by their values.
pub(super) fn has_plausible_fields(game: GameId) -> bool {
    matches!(game, GameId::TetrisNes | GameId::Tgm1 | GameId::Tgm2)
}

/// Whether `game` draws its pieces into a buffer.
pub(super) fn has_piece_buffer(game: GameId) -> bool {
    matches!(game, GameId::SegaTetris | GameId::FlashPoint)
}

/// Whether `game` has a seed for its pieces beside the main generator.
pub(super) fn has_rng_pair(game: GameId) -> bool {
    game == GameId::Bloxeed
}

/// Whether `[board]` describes the playfield of `game`.
pub(super) fn has_board(game: GameId) -> bool {
    game == GameId::PochiNyaa
}

/// The anchor that the template has for `game`, beside pools.
pub(super) fn write_anchor(t: &mut String, game: GameId) -> std::fmt::Result {
    match game {
        GameId::SegaTetris | GameId::FlashPoint => {
            writeln!(t, "[[anchors]]\nkind = \"codes\" # the codes of drawn pieces, anywhere in RAM")?;
            writeln!(t, "hex = \"04 00 04 00 00 06 00 05\" # after the battery RAM was cleared")?;
            writeln!(t)?;
        }
        GameId::Bloxeed => {
            writeln!(t, "[[anchors]]\nkind = \"states\" # the seed of the pieces and what follows from it")?;
            writeln!(
                t,
                "hex = \"2A 6D 80 10\" # the seed of the first game after the battery RAM was cleared"
            )?;
            writeln!(t)?;
        }
        _ if has_board(game) => {
            writeln!(
                t,
                "[[anchors]]\nkind = \"board\" # the playfield of [board] contains blocks as the game places them"
            )?;
            writeln!(t)?;
        }
        _ if has_plausible_fields(game) => {
            writeln!(
                t,
                "[[anchors]]\nkind = \"cells\" # the required fields have values that the game can produce"
            )?;
            writeln!(t)?;
        }
        _ => {}
    }
    Ok(())
}
