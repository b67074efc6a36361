//! Every panel in every state of the connection: nothing that the keyboard reaches is without a name, nothing moves where
//! that is not wanted, and messages come, wait and go.
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod gui_support;

use eframe::egui::accesskit::{Live, Role};
use eframe::egui::{Key, Modifiers, Theme, Ui, Vec2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use gui_support::{Game, arcade, click, label, press, sees};
use nextscope::gui::log::{Log, Topic};
use nextscope::gui::{App, Pane, Settings};
use nextscope::live::{Connection, View};
use std::collections::BTreeSet;
use std::time::Duration;
use tracing::Level;

struct State {
    app: App,
    view: View,
    log: Log,
}

type Window = Harness<'static, State>;

const WIDE: Vec2 = vec2(1280.0, 800.0);
const SMALL: Vec2 = vec2(800.0, 500.0);

fn window_with(size: Vec2, view: View, settings: Settings) -> Window {
    let log = Log::default();
    let known = vec![Game::booted().profile.name.clone()];
    let demo = Box::new(|| anyhow::bail!("there is none here"));
    let state = State { app: App::new(settings, log.clone(), known, Some(demo)), view, log };
    let show = |ui: &mut Ui, state: &mut State| {
        if let (Connection::Live, Some(data)) = (&state.view.connection, &mut state.view.data) {
            data.taken = std::time::Instant::now();
        }
        state.app.show(ui, &state.view);
    };
    let mut harness = Harness::builder().with_size(size).with_theme(Theme::Dark).build_ui_state(show, state);
    harness.run_steps(3);
    harness
}

fn window(view: View) -> Window {
    window_with(WIDE, view, Settings::default())
}

fn live() -> View {
    Game::playing().live(Duration::from_millis(3))
}

/// The states in which every panel is looked at.
fn states() -> Vec<(&'static str, View)> {
    vec![
        ("nothing runs", gui_support::nothing_runs()),
        ("two candidates", gui_support::two_candidates()),
        ("refused", gui_support::refused()),
        ("booted", Game::booted().live(Duration::from_millis(3))),
        ("live", live()),
        ("paused", Game::playing().paused(Duration::from_millis(4_100))),
        ("lost", Game::playing().lost(Duration::from_millis(12_000))),
        ("mismatch", gui_support::mismatched()),
        ("pieces", arcade::tap(7, true, 30).0.view()),
    ]
}

/// What the keyboard or a screen reader can act on and has no name, by role and place.
fn nameless(window: &Window) -> BTreeSet<String> {
    let acts = |node: &egui_kittest::Node<'_>| {
        let node = node.accesskit_node();
        let data = node.data();
        let actions = [eframe::egui::accesskit::Action::Focus, eframe::egui::accesskit::Action::Click];
        actions.into_iter().any(|action| data.supports_action(action)) && !node.is_disabled()
    };
    let named = |node: &egui_kittest::Node<'_>| {
        let node = node.accesskit_node();
        // What a label says is its value; scroll bars are named by what they scroll.
        let said = (node.role() == Role::Label).then(|| node.value()).flatten();
        let label = node.label().or(said).or_else(|| node.placeholder().map(str::to_owned));
        let of_docks = node.role() == Role::Unknown; // the edges by which docks and columns are dragged
        node.role() == Role::ScrollBar || of_docks || label.is_some_and(|label| !label.trim().is_empty())
    };
    let nodes = window.root().children_recursive().filter(|node| acts(node) && !named(node));
    nodes
        .map(|node| {
            let inside: Vec<String> = node
                .children_recursive()
                .filter_map(|child| child.accesskit_node().label())
                .take(2)
                .collect();
            format!("{:?} {:?} {inside:?}", node.accesskit_node().role(), node.rect())
        })
        .collect()
}

#[test]
fn nothing_that_can_be_acted_on_is_without_a_name() {
    let mut wrong = Vec::new();
    for (state, view) in states() {
        let sizes: &[Vec2] = if ["live", "mismatch"].contains(&state) { &[WIDE, SMALL] } else { &[SMALL] };
        for &size in sizes {
            let mut window = window_with(size, view.clone(), Settings::default());
            for pane in Pane::ALL {
                press(&mut window, Modifiers::COMMAND, pane.key());
                for node in nameless(&window) {
                    wrong.push(format!("{state}, {}, {size:?}: {node}", pane.title()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} nodes without a name:\n{}", wrong.len(), wrong.join("\n"));
}
