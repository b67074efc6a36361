//! The profile whose frame table and addresses a route uses.

use crate::games::GameId;
use crate::gui::ui_context::UiContext;
use crate::profile::Profile;
use crate::puyo::Rules;
use std::sync::Arc;

/// The profile of the running game if it plays by these rules, or the first one that does; of `game` if the pairs are not those of the
/// running game. The size of a group is an option of the game.
pub fn used_profile(cx: &UiContext<'_>, rules: Rules, game: Option<GameId>) -> Option<Arc<Profile>> {
    let running = cx.view.target.iter().map(|target| &target.profile);
    running
        .chain(cx.profiles)
        .filter(|profile| game.is_none_or(|game| profile.game == game))
        .find(|profile| {
            let boards = profile.game.boards();
            boards.is_some_and(|boards| Rules { group: rules.group, ..boards } == rules)
        })
        .cloned()
}
