//! Names of consoles, games and variants on the command line, and the errors for unknown ones.

use super::exit::Failure;
use super::suggest;
use crate::console::ConsoleId;
use crate::games::GameId;
use crate::seeds::pieces::PieceGame;

pub fn console(id: &str) -> Result<ConsoleId, Failure> {
    ConsoleId::ALL.iter().find(|console| console.id() == id).copied().ok_or_else(|| {
        let known: Vec<&str> = ConsoleId::ALL.iter().map(|console| console.id()).collect();
        suggest::unknown(format!("unknown console {id:?}"), "console", id, &known)
    })
}

/// The failure of an unknown game, given as a subcommand.
pub fn unknown_game(words: &[String]) -> Failure {
    let modelled = GameId::ALL.iter().filter(|game| game.has_predictor());
    let mut known: Vec<&str> = modelled.map(|game| game.id()).collect();
    for game in PieceGame::ALL {
        if !known.contains(&game.id()) {
            known.push(game.id());
        }
    }
    let name = words.first().map_or("", String::as_str);
    suggest::unknown(format!("unknown game {name:?}"), "game", name, &known)
}

/// Refuses the name of declared randomizers for a command that needs a built-in game; `why` says what it needs of one.
pub fn only_built_in(command: &str, name: &str, why: &str) -> Result<(), Failure> {
    let declared = GameId::of_declared_randomizers().filter(|game| game.id() == name);
    let Some(declared) = declared else { return Ok(()) };
    let failure = Failure::BadInput(format!("`{command}` has built-in games only: {why}"));
    Err(failure.with_hint(&format!(
        "to deal the pieces or pairs of a profile's [randomizer]: nextscope generate {declared} --profile PROFILE --seed SEED"
    )))
}

/// The failure of a name that is not a game of single pieces.
pub fn unknown_piece_game(name: &str) -> Failure {
    let known: Vec<&str> = PieceGame::ALL.iter().map(|game| game.id()).collect();
    suggest::unknown(format!("unknown game {name:?}"), "game", name, &known)
}

/// The variant of that name, the default for an empty one.
pub fn variant(game: PieceGame, name: &str) -> Result<&'static str, Failure> {
    game.variant(name).ok_or_else(|| unknown_variant(game, name))
}

/// The failure of an unknown variant; lists the variants with their meaning.
pub fn unknown_variant(game: PieceGame, name: &str) -> Failure {
    let names: Vec<&str> = game.variants().iter().map(|(name, _)| *name).collect();
    let tip =
        suggest::closest(name, &names).map(|meant| format!("tip: a similar variant exists: '{meant}'\n"));
    let all: Vec<String> =
        game.variants().iter().map(|(name, meaning)| format!("\n  {name}: {meaning}")).collect();
    Failure::BadInput(format!("unknown variant {name:?} of {}", game.id())).with_hint(&format!(
        "{}available variants:{}",
        tip.unwrap_or_default(),
        all.concat()
    ))
}
