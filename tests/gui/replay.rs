//! Recordings played by the sampler: verified, searched and watched like a live game.

use crate::gui_support::{
    Game, Window, click, draws_until, draws_until_some, press, replayed, sees, types_into, waits_for,
    window_on,
};
use eframe::egui::accesskit::Role;
use eframe::egui::{Context, Key, Modifiers, Theme, Ui, Vec2, pos2, vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use nextscope::demo::spawn_program;
use nextscope::gui::{App, DataSource, Listeners, Settings, ViewSources};
use nextscope::live::{
    Options, ReplayCommand, ReplayState, Sampler, SamplerCommand, Subscriber, View, latest,
};
use nextscope::log::Log;
use nextscope::profile::Library;

const WIDE: Vec2 = vec2(1280.0, 800.0);
const SCRUBBER: &str = "Position in the recording, in samples";

struct Playing {
    app: App,
    views: Subscriber<View>,
    view: std::sync::Arc<View>,
    sampler: Sampler,
}

/// A window on a recording that the sampler plays.
fn playing(mismatch: bool, settings: Settings) -> Harness<'static, Playing> {
    let recording = crate::gui_support::recording(mismatch);
    let options = Options { replay: Some(std::sync::Arc::clone(&recording)), ..Options::default() };
    let sampler = Sampler::start(options).unwrap();
    let mut app = App::new(settings, Log::default(), Vec::new(), None);
    app.set_recording(recording);
    let mut views = sampler.view();
    let view = views.get();
    let state = Playing { app, views, view, sampler };
    let show = |ui: &mut Ui, state: &mut Playing| {
        state.view = state.views.get();
        state.app.show(ui, &state.view);
        for order in state.app.take_orders() {
            state.sampler.send(order);
        }
    };
    let mut window = Harness::builder().with_size(WIDE).with_theme(Theme::Dark).build_ui_state(show, state);
    // The verification may be complete before the first sample is shown, which moves everything on screen.
    draws_until(&mut window, "the first sample, verified", |window| {
        let view = &window.state().view;
        view.target.is_some() && view.replay.as_ref().is_some_and(|replay| replay.complete)
    });
    window.run_steps(2);
    window
}

/// Draws until the replay state matches.
fn until(window: &mut Harness<'_, Playing>, what: &str, holds: impl Fn(&ReplayState) -> bool) {
    draws_until(window, what, |window| window.state().view.replay.as_ref().is_some_and(&holds));
    window.run_steps(2);
}

#[test]
fn the_sample_recording_opens_in_the_prediction_panel() {
    let app = App::new(Settings::default(), Log::default(), Vec::new(), None);
    let show = |ui: &mut Ui, app: &mut App| app.show(ui, &crate::gui_support::nothing_runs());
    let mut window = Harness::builder().with_size(WIDE).with_theme(Theme::Dark).build_ui_state(show, app);
    window.run_steps(2);
    window.get_by_label("Open the sample recording").click();
    let opened = draws_until_some(&mut window, "the sample", |window| window.state_mut().take_source());
    let DataSource::Recording(recording) = opened else { panic!("no recording") };
    assert_eq!(recording.name(), "sample.nsrec");
    assert!(recording.len() > 1000 && recording.damage().is_empty());
}

#[test]
fn a_recording_is_verified_searched_and_watched_like_a_live_game() {
    let profile = Game::booted().profile.clone();
    let cell = profile.field("p1_pairs_dealt").unwrap().address;
    let mut settings = Settings::default();
    settings.watches.list = format!("label,address,type,display,notes\npairs,{cell},u16be,decimal,\n");
    let mut window = playing(true, settings);
    let dealt = |window: &Harness<'_, Playing>| {
        window.state().view.data.as_ref().unwrap().snapshot.u16(cell).unwrap()
    };

    // The mismatch is listed from the sample where it was detected on.
    let mismatches = window.state().view.replay.as_ref().unwrap().mismatches.clone();
    assert_eq!(mismatches.len(), 1, "{mismatches:?}");
    assert!(sees(&window, "No mismatches"), "at the first sample there was none yet");
    press(&mut window, Modifiers::NONE, Key::F8);
    until(&mut window, "the mismatch", |replay| replay.index == mismatches[0]);
    assert!(sees(&window, "Queue, player 1: Mismatch") && sees(&window, "recorded, player 1, now"));
    assert!(window.query_by_label("Live").is_none());
    press(&mut window, Modifiers::NONE, Key::Comma);
    until(&mut window, "the sample before", |replay| replay.index == mismatches[0] - 1);
    assert!(sees(&window, "No mismatches"));

    // A watch shows the value at the sample.
    press(&mut window, Modifiers::COMMAND, Key::T);
    let mut values = Vec::new();
    for index in [47, 112, 71] {
        let order = ReplayCommand::Seek(index);
        window.state().sampler.send(SamplerCommand::Replay(order));
        until(&mut window, "the sample", |replay| replay.index == index);
        let value = dealt(&window);
        waits_for(&mut window, &format!("pairs: {value}"));
        values.push(value);
    }
    assert!(values[0] < values[2] && values[2] < values[1], "back as well as on: {values:?}");

    // A search finds the cell by its values at several samples.
    press(&mut window, Modifiers::COMMAND, Key::Num9);
    waits_for(&mut window, "68K RAM in round.nsrec");
    let line = "command-line step";
    types_into(&mut window, Role::TextInput, line, "type u16be");
    for (step, index) in [(1, 59), (2, 124), (3, 83)] {
        let order = ReplayCommand::Seek(index);
        window.state().sampler.send(SamplerCommand::Replay(order));
        until(&mut window, "the sample", |replay| replay.index == index);
        let value = dealt(&window);
        types_into(&mut window, Role::TextInput, line, &format!("= {value}"));
        waits_for(&mut window, &format!("Step {step}: = {value}"));
    }
    assert!(sees(&window, &format!("{cell}: ")), "{:?}", crate::gui_support::labels(&window, "0xFF"));
}

/// A window on a paused recording.
fn still(view: View) -> Window {
    window_on(view, Settings::default(), WIDE)
}

#[test]
fn rounds_are_shown_and_reached_by_buttons_and_keys() {
    let mut window = still(replayed(false));
    let orders = |window: &mut Window| {
        let orders = window.state_mut().0.take_orders();
        orders.iter().map(|order| format!("{order:?}")).collect::<Vec<_>>()
    };
    let description = |window: &Window| {
        window.get_by_label(SCRUBBER).accesskit_node().data().description().map(str::to_owned)
    };
    assert!(window.query_by_label("Round 1").is_some());
    assert_eq!(description(&window).as_deref(), Some("round 1, started at sample 11"));
    orders(&mut window);
    for (label, expected) in [("Next round", "NextRound"), ("Previous round", "PreviousRound")] {
        click(&mut window, label);
        assert_eq!(orders(&mut window), [format!("Replay({expected})")]);
    }
    for (modifiers, expected) in [(Modifiers::NONE, "NextRound"), (Modifiers::SHIFT, "PreviousRound")] {
        press(&mut window, modifiers, Key::F7);
        assert_eq!(orders(&mut window), [format!("Replay({expected})")]);
    }
    // The mark of round 2 is at sample 71 of 131.
    let line = window.get_by_label(SCRUBBER).rect().shrink2(vec2(8.0, 0.0));
    let mark = pos2(line.left() + line.width() * 70.0 / 130.0, line.center().y);
    window.hover_at(mark);
    window.run_steps(60);
    assert!(sees(&window, "Sample 71 of 131; round 2 starts at sample 71"));
    window.hover_at(mark + vec2(0.1 * line.width(), 0.0));
    window.run_steps(60);
    assert!(sees(&window, "Sample 84 of 131, round 2"));

    // The buttons are disabled at the ends, and hidden without rounds.
    for (index, words, description_now) in
        [(3, "No round", "no round yet"), (130, "Round 2", "round 2, started at sample 71")]
    {
        if let Some(replay) = &mut window.state_mut().1.replay {
            replay.index = index;
        }
        window.run_steps(2);
        assert!(window.query_by_label(words).is_some(), "{words}");
        assert_eq!(description(&window).as_deref(), Some(description_now));
        let dead = if index == 3 { "Previous round" } else { "Next round" };
        assert!(window.get_by_label(dead).accesskit_node().is_disabled(), "{dead}");
    }
    if let Some(replay) = &mut window.state_mut().1.replay {
        replay.rounds = std::sync::Arc::default();
    }
    window.run_steps(2);
    assert!(window.query_by_label("Next round").is_none());
}

#[test]
fn a_mismatch_links_to_its_sample_and_its_bytes() {
    let mut window = playing(true, Settings::default());
    let replay = window.state().view.replay.clone().unwrap();
    let (mismatch, round) = (replay.mismatches[0], replay.rounds[0]);
    assert_eq!((replay.rounds.len(), round.number), (1, 1));
    assert!(sees(&window, "More mismatches later, at 1 sample"));
    click(&mut window, "Go to next mismatch");
    until(&mut window, "the mismatch", |replay| replay.index == mismatch);
    assert!(!sees(&window, "More mismatches later"));
    let there = format!("Go to sample {}", mismatch + 1);
    assert!(window.get_by_label(&there).accesskit_node().is_disabled(), "one is there");

    press(&mut window, Modifiers::SHIFT, Key::F7);
    until(&mut window, "the round", |replay| replay.index == round.sample);
    assert!(window.query_by_label("Round 1").is_some());
    press(&mut window, Modifiers::SHIFT, Key::F7);
    window.run_steps(5);
    assert_eq!(window.state().view.replay.as_ref().unwrap().index, round.sample, "there is none before");

    window.state().sampler.send(SamplerCommand::Replay(ReplayCommand::Seek(120)));
    until(&mut window, "what comes later", |replay| replay.index == 120);
    window.run_steps(2); // drawn with that sample, so that the button can be pressed
    // By the keyboard alone.
    window.get_by_label(&there).focus();
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Space);
    until(&mut window, "the mismatch", |replay| replay.index == mismatch);

    let at = Game::booted().profile.field("p1_queue").unwrap().address;
    click(&mut window, &format!("Show in memory panel: p1_queue at {at}"));
    window.run_steps(3);
    assert!(sees(&window, &format!("{at}  p1_queue + 0")), "the memory panel shows it");
}

/// The live session continues in the background and is shown again in its current state.
#[test]
fn the_live_session_continues_while_a_recording_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_nextscope"));
    let demo = spawn_program(program, &nextscope::demo::DemoOptions::default()).unwrap();
    let app = App::new(Settings::default(), Log::default(), Vec::new(), None);
    let (served, mut serves) = latest(View::default());
    let served = std::sync::Arc::new(served);
    let listeners = Listeners { played: app.played(), overlay: app.overlay(), served, pacer: app.pacer() };
    let options = Options {
        pid: Some(demo.pid()),
        profiles: Library::built_in().profiles().to_vec(),
        record: Some(folder.path().join("live.nsrec")),
        ..Options::default()
    };
    let context = Context::default();
    let mut feeds = ViewSources::start(&context, options, false, listeners).unwrap();
    let shows = |feeds: &mut ViewSources, what: &str, holds: &dyn Fn(&View) -> bool| {
        crate::waiting::eventually_ok(|| {
            let view = feeds.view();
            if holds(&view) { Ok(view) } else { Err(format!("{what}: {:?}", view.connection)) }
        })
    };
    let recorded = |view: &View| view.recording.as_ref().map_or(0, |recording| recording.samples);
    let before = shows(&mut feeds, "a live session", &|view| view.totals.samples > 20 && recorded(view) > 0);
    assert!(before.replay.is_none());

    let recording = crate::gui_support::recording(false);
    feeds.show(DataSource::Recording(recording)).unwrap();
    let replay = shows(&mut feeds, "the recording", &|view| view.replay.is_some() && view.data.is_some());
    assert!(replay.recording.as_ref().is_some_and(|recording| !recording.ended), "recording goes on");
    feeds.send(SamplerCommand::Replay(ReplayCommand::Seek(40)));
    shows(&mut feeds, "sample 40", &|view| view.replay.as_ref().is_some_and(|replay| replay.index == 40));
    // The file lags behind the samples, never the reverse.
    let enough = before.totals.samples + 30;
    shows(&mut feeds, "samples recorded meanwhile", &|view| recorded(view) >= enough);
    assert!(serves.get().replay.is_some(), "what is shown is served");

    feeds.show(DataSource::Emulators).unwrap();
    assert!(serves.get().replay.is_none(), "and is so at once");
    let after = feeds.view();
    assert!(after.replay.is_none());
    assert_eq!(after.target.as_ref().map(|target| target.pid), Some(demo.pid()));
    assert_eq!((after.totals.attachments, after.earlier.len()), (1, 0));
    assert!(after.totals.samples >= enough, "{} samples of {enough}", after.totals.samples);
}
