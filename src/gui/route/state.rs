//! The state of the route panel.

use super::engine::{Effort, PlanResult, Run};
use super::files::Files;
use super::follow::RouteFollower;
use super::request::PlanRequest;
use super::timeline::Timeline;
use crate::route::Route;
use std::sync::Arc;

/// A route that is planned or being planned.
pub struct Plan {
    pub(super) request: PlanRequest,
    pub(super) effort: Effort,
    /// The best route so far.
    pub(super) route: Option<Arc<Route>>,
    /// Whether it is a replan for a player who left the previous route.
    pub(super) again: bool,
    /// The result; None during planning.
    pub(super) result: Option<PlanResult>,
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
}
