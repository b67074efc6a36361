//! The arrangement of panels: movable docks, one layout for wide windows and one for small ones.

use eframe::egui::{self, Id, Key};
use egui_tiles::{Container, Linear, LinearDir, Tile, TileId, Tiles, Tree};
use serde::{Deserialize, Serialize};

/// A panel. The names of the variants are saved in layouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Pane {
    /// Running emulators and the connection.
    Emulators,
    /// Upcoming pieces.
    Predict,
    /// Checks of the model against the emulator.
    Verify,
    /// The console's RAM as bytes.
    Memory,
    /// The profile and the values of its fields.
    Values,
    /// Log messages.
    Log,
    /// Seed search from observed pieces.
    Seeds,
    /// Comparison of randomizers.
    Lab,
    /// RAM search.
    Research,
    /// Watched addresses.
    Watches,
    /// Route planner.
    Route,
    /// Ignition calculator for Pochi & Nyaa.
    Ignition,
    /// How an unknown game deals.
    Learn,
}

impl Pane {
    /// All panels in the order of their shortcuts.
    pub const ALL: [Self; 13] = [
        Self::Emulators,
        Self::Predict,
        Self::Verify,
        Self::Memory,
        Self::Values,
        Self::Log,
        Self::Seeds,
        Self::Lab,
        Self::Research,
        Self::Watches,
        Self::Route,
        Self::Ignition,
        Self::Learn,
    ];

    /// The title of its tab.
    pub fn title(self) -> &'static str {
        match self {
            Self::Emulators => "Emulators",
            Self::Predict => "Predict",
            Self::Verify => "Verify",
            Self::Memory => "Memory",
            Self::Values => "Values",
            Self::Log => "Log",
            Self::Seeds => "Seeds",
            Self::Lab => "Lab",
            Self::Research => "Research",
            Self::Watches => "Watches",
            Self::Route => "Route",
            Self::Ignition => "Ignition",
            Self::Learn => "Learn",
        }
    }

    /// The key that shows it together with Ctrl: digits first (Ctrl+0 resets the zoom), then letters.
    pub fn key(self) -> Key {
        match self {
            Self::Emulators => Key::Num1,
            Self::Predict => Key::Num2,
            Self::Verify => Key::Num3,
            Self::Memory => Key::Num4,
            Self::Values => Key::Num5,
            Self::Log => Key::Num6,
            Self::Seeds => Key::Num7,
            Self::Lab => Key::Num8,
            Self::Research => Key::Num9,
            Self::Watches => Key::T,
            Self::Route => Key::E,
            Self::Ignition => Key::I,
            Self::Learn => Key::J,
        }
    }
}

/// Below this width or height, in points, all panels share tabs: side by side they would be too small.
const WIDE_FROM: egui::Vec2 = egui::vec2(1000.0, 520.0);

/// The layouts.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default)]
pub struct Layouts {
    wide: Tree<Pane>,
    compact: Tree<Pane>,
}

impl Default for Layouts {
    fn default() -> Self {
        Self { wide: wide(), compact: compact() }
    }
}

impl Layouts {
    /// The layout for a window of this size, in points.
    pub fn for_size(&mut self, size: egui::Vec2) -> &mut Tree<Pane> {
        if size.x >= WIDE_FROM.x && size.y >= WIDE_FROM.y { &mut self.wide } else { &mut self.compact }
    }

    /// Brings a panel to the front.
    pub fn show(&mut self, pane: Pane) {
        for tree in [&mut self.wide, &mut self.compact] {
            tree.make_active(|_, tile| matches!(tile, Tile::Pane(found) if *found == pane));
        }
    }

    /// Resets a layout that lacks a panel or has one twice, as one saved by another version may.
    pub fn repair(&mut self) {
        if !complete(&self.wide) {
            self.wide = wide();
        }
        if !complete(&self.compact) {
            self.compact = compact();
        }
    }
}

fn complete(tree: &Tree<Pane>) -> bool {
    let count = |pane| {
        tree.tiles.iter().filter(|(_, tile)| matches!(tile, Tile::Pane(found) if *found == pane)).count()
    };
    tree.root().is_some() && Pane::ALL.into_iter().all(|pane| count(pane) == 1)
}

fn wide() -> Tree<Pane> {
    let mut tiles = Tiles::default();
    let mut tab = |pane| {
        let pane = tiles.insert_pane(pane);
        tiles.insert_tab_tile(vec![pane])
    };
    let (emulators, verify, log) = (tab(Pane::Emulators), tab(Pane::Verify), tab(Pane::Log));
    let mut tabs = |panes: &[Pane]| {
        let panes = panes.iter().map(|pane| tiles.insert_pane(*pane)).collect();
        tiles.insert_tab_tile(panes)
    };
    let predict = tabs(&[
        Pane::Predict,
        Pane::Seeds,
        Pane::Route,
        Pane::Lab,
        Pane::Research,
        Pane::Watches,
        Pane::Learn,
        Pane::Ignition,
    ]);
    let raw = tabs(&[Pane::Memory, Pane::Values]);
    let split = |tiles: &mut Tiles<Pane>, dir, parts: &[(TileId, f32)]| {
        let mut linear = Linear::new(dir, parts.iter().map(|(tile, _)| *tile).collect());
        for (tile, share) in parts {
            linear.shares.set_share(*tile, *share);
        }
        tiles.insert_container(Container::Linear(linear))
    };
    let middle = split(&mut tiles, LinearDir::Vertical, &[(predict, 0.71), (raw, 0.29)]);
    let right = split(&mut tiles, LinearDir::Vertical, &[(verify, 0.785), (log, 0.215)]);
    let root = split(&mut tiles, LinearDir::Horizontal, &[(emulators, 0.19), (middle, 0.55), (right, 0.26)]);
    Tree::new(Id::unique("wide layout"), root, tiles)
}

fn compact() -> Tree<Pane> {
    let order = [
        Pane::Predict,
        Pane::Emulators,
        Pane::Verify,
        Pane::Seeds,
        Pane::Route,
        Pane::Lab,
        Pane::Research,
        Pane::Watches,
        Pane::Learn,
        Pane::Ignition,
        Pane::Memory,
        Pane::Values,
        Pane::Log,
    ];
    Tree::new_tabs(Id::unique("compact layout"), order.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_arrangement_holds_every_panel_once() {
        assert!(complete(&wide()));
        assert!(complete(&compact()));
    }

    #[test]
    fn an_arrangement_that_lacks_a_panel_is_replaced() {
        let mut layouts =
            Layouts { wide: Tree::new_tabs(Id::unique("wide"), vec![Pane::Log]), ..Layouts::default() };
        layouts.repair();
        assert!(complete(&layouts.wide));
    }

    #[test]
    fn an_arrangement_survives_being_saved() {
        let text = serde_json::to_string(&Layouts::default()).unwrap();
        let back: Layouts = serde_json::from_str(&text).unwrap();
        assert!(complete(&back.wide) && complete(&back.compact));
    }
}
