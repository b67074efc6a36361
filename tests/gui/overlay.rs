//! The overlay as a separate window, without a display: its frames run as the windowing library runs them.

use crate::gui_support::Game;
use eframe::egui::{
    Context, FullOutput, RawInput, Ui, ViewportCommand, ViewportEvent, ViewportId, ViewportInfo, accesskit,
};
use nextscope::gui::{App, OverlaySettings, Settings};
use nextscope::log::Log;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Runs a frame without painting.
fn run(ctx: &Context, input: RawInput, show: impl FnMut(&mut Ui)) -> FullOutput {
    let mut output = ctx.run_ui(input, show);
    output.textures_delta.clear();
    output
}

/// As on a desktop that does not draw the main window while a game covers it: only the overlay's own frames are run.
#[test]
fn the_overlay_follows_the_game_while_the_main_window_is_not_drawn() {
    let mut game = Game::playing();
    let overlay = OverlaySettings { shown: true, ..OverlaySettings::default() };
    let settings = Settings { overlay, ..Settings::default() };
    let mut app = App::new(settings, Log::default(), Vec::new(), None);
    let ctx = Context::default();
    ctx.set_embed_viewports(false);
    ctx.enable_accesskit();
    let view = game.live(Duration::ZERO);
    let mut frame = || run(&ctx, RawInput::default(), |ui| app.show(ui, &view));
    let _ = frame();
    let id = ViewportId::from_hash_of("overlay");
    let drawn = frame().viewport_output[&id].viewport_ui_cb.clone().expect("a window of its own");
    let asked = Arc::new(AtomicBool::new(false));
    let asking = Arc::clone(&asked);
    ctx.set_request_repaint_callback(move |info| {
        asking.fetch_or(info.viewport_id == id, Ordering::Relaxed);
    });
    let viewport = |events: Vec<ViewportEvent>| {
        let info = ViewportInfo { parent: Some(ViewportId::ROOT), events, ..ViewportInfo::default() };
        RawInput { viewport_id: id, viewports: [(id, info)].into_iter().collect(), ..RawInput::default() }
    };
    let seen = |input: RawInput| {
        let output = run(&ctx, input, |ui| drawn(ui));
        let labels = output.platform_output.accesskit_update.expect("labels").nodes;
        let label = |(_, node): &(_, accesskit::Node)| node.label().map(str::to_owned);
        let labels: Vec<String> =
            labels.iter().filter_map(label).filter(|label| label.starts_with("overlay, ")).collect();
        (labels, output.viewport_output[&id].commands.clone())
    };
    // A new window asks for some frames by itself.
    for _ in 0..5 {
        let _ = seen(viewport(Vec::new()));
    }
    // On a slow machine the first view is already stale.
    app.overlay().update(&ctx, &Arc::new(game.live(Duration::ZERO)));
    let (before, _) = seen(viewport(Vec::new()));
    assert!(before.iter().any(|label| label.starts_with("overlay, player 1, now")), "{before:?}");
    asked.store(false, Ordering::Relaxed);
    game.deal(0);
    game.frames(2);
    app.overlay().update(&ctx, &Arc::new(game.live(Duration::ZERO)));
    assert!(asked.load(Ordering::Relaxed), "a frame of the overlay is asked for");
    let (after, _) = seen(viewport(Vec::new()));
    let ahead = |labels: &[String], at: &str| {
        labels.iter().find_map(|label| label.split_once(at).map(|(_, pair)| pair.to_owned()))
    };
    assert_eq!(ahead(&after, "player 1, now 0"), ahead(&before, "player 1, ahead 1"), "{before:?} {after:?}");

    // After closing it shows nothing, and disappears when the main window is drawn.
    let (labels, commands) = seen(viewport(vec![ViewportEvent::Close]));
    assert!(
        labels.is_empty() && commands.contains(&ViewportCommand::Visible(false)),
        "{labels:?} {commands:?}"
    );
    assert!(seen(viewport(vec![ViewportEvent::Close])).0.is_empty());
    let _ = run(&ctx, RawInput::default(), |ui| app.show(ui, &view));
    assert!(!app.settings.overlay.shown);
    let output = run(&ctx, RawInput::default(), |ui| app.show(ui, &view));
    assert!(!output.viewport_output.contains_key(&id));
}
