//! The docks: draws each panel in its place, with the title of its tab.

use super::attach::AttachPanel;
use super::ignition::{IgnitionPanel, IgnitionSettings};
use super::lab::{LabPanel, LabSettings};
use super::layout::Pane;
use super::learn::LearnPanel;
use super::log::LogPanel;
use super::memory::MemoryPanel;
use super::predict::PredictPanel;
use super::research::ResearchPanel;
use super::route::{RoutePanel, RouteSettings};
use super::seeds::{History, SeedsPanel};
use super::theme::{self, Tokens};
use super::ui_context::UiContext;
use super::values_panel::ValuesPanel;
use super::verify::VerifyPanel;
use super::watches::{Marked, WatchSettings, WatchesPanel};
use crate::log::Log;
use eframe::egui::{self, Color32, Frame, Margin, Response, Ui, WidgetText};
use egui_tiles::{Behavior, SimplificationOptions, TabState, TileId, Tiles, UiResponse};

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
    pub learn: LearnPanel,
    pub verify: VerifyPanel,
}

/// The panels that are in front of their tabs.
#[derive(Debug, Default)]
pub struct FrontPanes {
    now: Vec<Pane>,
    /// In the last frame, and in the one before it.
    last: Vec<Pane>,
    earlier: Vec<Pane>,
}

impl FrontPanes {
    pub fn contains(&self, pane: Pane) -> bool {
        self.now.contains(&pane)
    }

    pub fn begin_frame(&mut self) {
        self.earlier = std::mem::take(&mut self.last);
        self.last = std::mem::take(&mut self.now);
    }

    /// Draws once more for tabs that must be scrolled to.
    pub fn end_frame(&self, ctx: &egui::Context) {
        if self.now.iter().any(|pane| !self.last.contains(pane)) {
            ctx.request_repaint();
        }
    }

    /// Whether the panel came to the front in the last frame, which was not the first.
    fn is_new(&self, pane: Pane) -> bool {
        self.last.contains(&pane) && !self.earlier.contains(&pane) && !self.earlier.is_empty()
    }
}

pub struct Docks<'a, 'b> {
    pub panels: &'a mut Panels,
    pub cx: &'a mut UiContext<'b>,
    pub log: &'a Log,
    pub searches: &'a mut History,
    pub lab: &'a mut LabSettings,
    pub watches: &'a mut WatchSettings,
    pub route: &'a mut RouteSettings,
    pub ignition: &'a mut IgnitionSettings,
    pub front_panes: &'a mut FrontPanes,
    pub marked: &'a Marked,
}

impl Docks<'_, '_> {
    fn tokens(&self) -> &'static Tokens {
        self.cx.look.tokens
    }
}

impl Behavior<Pane> for Docks<'_, '_> {
    fn pane_ui(&mut self, ui: &mut Ui, _: TileId, pane: &mut Pane) -> UiResponse {
        self.front_panes.now.push(*pane);
        let (panels, cx) = (&mut *self.panels, &mut *self.cx);
        Frame::new().inner_margin(Margin::same(6)).show(ui, |ui| match pane {
            Pane::Emulators => panels.attach.show(ui, cx),
            Pane::Predict => panels.predict.show(ui, cx),
            Pane::Verify => panels.verify.show(ui, cx),
            Pane::Memory => panels.memory.show(ui, cx, &self.marked.marks),
            Pane::Values => panels.values.show(ui, cx),
            Pane::Log => panels.log.show(ui, cx, self.log),
            Pane::Seeds => panels.seeds.show(ui, cx, self.searches),
            Pane::Lab => panels.lab.show(ui, cx, self.lab),
            Pane::Research => panels.research.show(ui, cx),
            Pane::Watches => panels.watches.show(ui, cx, self.watches),
            Pane::Route => panels.route.show(ui, cx, self.route),
            Pane::Ignition => panels.ignition.show(ui, cx, self.ignition),
            Pane::Learn => panels.learn.show(ui, cx),
        });
        UiResponse::None
    }

    fn tab_title_for_pane(&mut self, pane: &Pane) -> WidgetText {
        match (pane, self.cx.view.totals.mismatches) {
            (Pane::Verify, count @ 1..) => format!("{} ({count})", pane.title()).into(),
            _ => pane.title().into(),
        }
    }

    fn on_tab_button(&mut self, tiles: &mut Tiles<Pane>, tile: TileId, tab: Response) -> Response {
        theme::focus_frame(&tab);
        let is_new = tiles.get_pane(&tile).is_some_and(|pane| self.front_panes.is_new(*pane));
        // Scrolling to what is in sight already would draw more frames.
        if is_new && tab.interact_rect.width() + 1.0 < tab.rect.width() {
            tab.scroll_to_me_animation(None, egui::style::ScrollAnimation::none());
        }
        tab
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
