//! The state of the route panel.

use super::choices::Choices;
use super::engine::{Effort, PlanResult, Run};
use super::files::Files;
use super::follow::RouteFollower;
use super::request::{PlanRequest, RouteSettings};
use super::source::PairSource;
use super::timeline::Timeline;
use crate::games::GameId;
use crate::pairs::PairGame;
use crate::route::Route;
use crate::route::export::Listing;
use std::sync::Arc;

/// A route that is planned or being planned.
pub struct Plan {
    pub(super) request: PlanRequest,
    pub(super) effort: Effort,
    /// The best route so far.
    pub(super) route: Option<Arc<Route>>,
    /// Its frames in words, if the goal depends on them.
    pub(super) frames: Option<String>,
    /// Whether it is a replan for a player who left the previous route.
    pub(super) again: bool,
    /// The result; None during planning.
    pub(super) result: Option<PlanResult>,
    /// The routes to choose from; none during planning.
    pub(super) choices: Choices,
}

impl Plan {
    pub(super) fn set_route(&mut self, route: Arc<Route>) {
        let table = self.request.timing.as_ref().map(|timing| &timing.table);
        let listing = table.and_then(|table| Listing::of(&route, Some(table)).ok());
        self.frames = listing.and_then(|listing| listing.frames_text());
        self.route = Some(route);
    }
}

#[derive(Default)]
pub struct RoutePanel {
    pub(super) run: Option<Run>,
    pub(super) plan: Option<Plan>,
    pub(super) player: Timeline,
    pub(super) follow: RouteFollower,
    pub(super) files: Files,
    pub(super) trouble: Option<String>,
    /// Height of the space between the buttons and the boards, in points.
    pub(super) head: f32,
    pub(super) focus: bool,
    /// Pending commands: plan, and follow.
    pub(super) asks: (bool, bool),
    /// The game that was attached when the panel last followed it.
    pub(super) followed: Option<GameId>,
}

impl RoutePanel {
    /// Takes the pairs of player 1 of the game that was attached since the last call, unless a route was planned or something else
    /// was entered.
    pub(super) fn follow_game(&mut self, attached: Option<GameId>, settings: &mut RouteSettings) {
        let newly = attached.filter(|_| attached != self.followed);
        self.followed = attached.or(self.followed);
        let has_boards = |game| PairGame::with_boards().any(|(pair, _)| pair.game() == game);
        let untouched = matches!(settings.source, PairSource::Seed(_)) && settings.seeds.is_empty();
        if newly.is_some_and(has_boards) && untouched && self.plan.is_none() {
            settings.source = PairSource::Player1;
        }
    }
}
