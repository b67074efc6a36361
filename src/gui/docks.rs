//! The docks: which panel is drawn where, and what its tab says.

use super::attach::AttachPanel;
use super::ignition::{IgnitionPanel, IgnitionSettings};
use super::lab::{LabPanel, LabSettings};
use super::layout::Pane;
use super::log::{Log, LogPanel};
use super::memory::MemoryPanel;
use super::predict::PredictPanel;
use super::raw::ValuesPanel;
use super::research::ResearchPanel;
use super::route::{RoutePanel, RouteSettings};
use super::scene::Scene;
use super::seeds::{History, SeedsPanel};
use super::theme::{self, Tokens};
use super::verify::VerifyPanel;
use super::watches::{Marked, WatchSettings, WatchesPanel};
use eframe::egui::{self, Color32, Frame, Margin, Ui, WidgetText};
use egui_tiles::{Behavior, SimplificationOptions, TabState, TileId, Tiles, UiResponse};

/// The panels, each with what it remembers.
#[derive(Default)]
pub struct Panels {
    pub attach: AttachPanel,
    pub predict: PredictPanel,
    pub memory: MemoryPanel,
    pub values: ValuesPanel,
    pub log: LogPanel,
    pub seeds: SeedsPanel,
    pub lab: LabPanel,
    pub research: ResearchPanel,
    pub watches: WatchesPanel,
    pub route: RoutePanel,
    pub ignition: IgnitionPanel,
    pub verify: VerifyPanel,
}

/// The docks: which panel is drawn where.
pub struct Docks<'a, 'b> {
    pub panels: &'a mut Panels,
    pub scene: &'a mut Scene<'b>,
    pub log: &'a Log,
    pub searches: &'a mut History,
    pub lab: &'a mut LabSettings,
    pub watches: &'a mut WatchSettings,
    pub route: &'a mut RouteSettings,
    pub ignition: &'a mut IgnitionSettings,
    pub in_front: &'a mut Vec<Pane>,
    pub marked: &'a Marked,
}

impl Docks<'_, '_> {
    fn tokens(&self) -> &'static Tokens {
        self.scene.look.tokens
    }
}

impl Behavior<Pane> for Docks<'_, '_> {
    fn pane_ui(&mut self, ui: &mut Ui, _: TileId, pane: &mut Pane) -> UiResponse {
        self.in_front.push(*pane);
        let (panels, scene) = (&mut *self.panels, &mut *self.scene);
        Frame::new().inner_margin(Margin::same(6)).show(ui, |ui| match pane {
            Pane::Emulators => panels.attach.show(ui, scene),
            Pane::Predict => panels.predict.show(ui, scene),
            Pane::Verify => panels.verify.show(ui, scene),
            Pane::Memory => panels.memory.show(ui, scene, &self.marked.marks),
            Pane::Values => panels.values.show(ui, scene),
            Pane::Log => panels.log.show(ui, scene, self.log),
            Pane::Seeds => panels.seeds.show(ui, scene, self.searches),
            Pane::Lab => panels.lab.show(ui, scene, self.lab),
            Pane::Research => panels.research.show(ui, scene),
            Pane::Watches => panels.watches.show(ui, scene, self.watches),
            Pane::Route => panels.route.show(ui, scene, self.route),
            Pane::Ignition => panels.ignition.show(ui, scene, self.ignition),
        });
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, pane: &Pane) -> WidgetText {
        match (pane, self.scene.view.totals.mismatches) {
            (Pane::Verify, count @ 1..) => format!("{} ({count})", pane.title()).into(),
            _ => pane.title().into(),
        }
    }

    fn simplification_options(&self) -> SimplificationOptions {
        SimplificationOptions { all_panes_must_have_tabs: true, ..SimplificationOptions::default() }
    }

    fn tab_bar_color(&self, _: &egui::Visuals) -> Color32 {
        theme::mix(self.tokens().panel, self.tokens().line, 0.35)
    }

    fn tab_bg_color(&self, visuals: &egui::Visuals, _: &Tiles<Pane>, _: TileId, state: &TabState) -> Color32 {
        if state.active { self.tokens().panel } else { self.tab_bar_color(visuals) }
    }

    fn tab_text_color(&self, _: &egui::Visuals, _: &Tiles<Pane>, _: TileId, state: &TabState) -> Color32 {
        if state.active { self.tokens().text } else { self.tokens().muted }
    }
}
