//! A player's live position as the start of a route.

use super::{RouteStart, View};

/// The position of a player (0 or 1); None for a game whose boards are unknown or whose group size is not modelled. The view
/// retains the last data while the connection is lost, so the caller must check the connection.
pub fn route_start(view: &View, player: usize) -> Option<RouteStart> {
    view.data.as_ref()?.prediction.as_ref()?.route_start(player)
}
