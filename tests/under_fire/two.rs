//! Two emulators with different games at once: asked which, switched between, never mixed up.

use super::emulators::{Config, Kind, NesConfig};
use super::support::{Random, Session, number};
use nextscope::live::{Connection, RowState, SamplerCommand, View};
use std::time::{Duration, Instant};

/// How often it is switched, unless `NEXTSCOPE_FIRE_SWITCHES` says so.
const SWITCHES: usize = 20;
const SWITCHED_WITHIN: Duration = Duration::from_secs(1);

/// What a live view shows must be of the game of its target, whole.
fn is_whole(view: &View) -> bool {
    let (Some(target), Some(data)) = (&view.target, &view.data) else { return false };
    let game = target.profile.game;
    let seen = match &data.observation {
        Ok(seen) if seen.get::<nextscope::live::puyo_tsu::Observation>().is_some() => {
            game == nextscope::game::puyo_tsu::ID
        }
        Ok(seen) if seen.get::<nextscope::live::tetris_nes::Observation>().is_some() => {
            game == nextscope::game::tetris_nes::ID
        }
        Ok(_) => false,
        Err(_) => true,
    };
    seen && data.snapshot.domain() == target.profile.console.domain()
}

#[test]
fn two_emulators_with_different_games_are_never_mixed_up() {
    let switches = number("NEXTSCOPE_FIRE_SWITCHES").unwrap_or(SWITCHES);
    if let Some(reason) = Kind::MednafenNes.missing() {
        return println!("left out: {} ({reason})", Kind::MednafenNes.name());
    }
    let mut random = Random::of_test();
    let tsu = Kind::Embedded.start(&Config::default().rom());
    let nes = Kind::MednafenNes.start(&NesConfig::default().rom());
    let mut session = Session::start();
    session.wait("both are known", |view| {
        view.emulators
            .iter()
            .filter(|row| matches!(row.state, RowState::Candidate | RowState::Attached))
            .count()
            == 2
    });
    // Whichever was found first may have been attached to already; asked anew, both are offered.
    session.sampler.order(SamplerCommand::Detach);
    session.wait("let go", |view| matches!(view.connection, Connection::Searching));
    session.sampler.order(SamplerCommand::Automatic);
    session.wait("asked which", |view| matches!(view.connection, Connection::Choosing));
    let games = [(tsu.pid(), nextscope::game::puyo_tsu::ID), (nes.pid(), nextscope::game::tetris_nes::ID)];
    let (mut looked, mut mixed, mut last) = (0u64, 0u64, 0);
    for nth in 0..switches {
        let (pid, game) = games[nth % 2];
        let now = Instant::now();
        session.sampler.order(SamplerCommand::Attach(pid));
        session.attached(pid, now, "switched");
        let end = Instant::now() + random.ms_below(600);
        while Instant::now() < end {
            let view = session.views.get();
            if matches!(view.connection, Connection::Live) && view.sequence != last {
                looked += 1;
                last = view.sequence;
                let right = view.target.as_ref().is_some_and(|t| t.pid == pid && t.profile.game == game);
                mixed += u64::from(!(right && is_whole(&view)));
            }
            std::thread::sleep(Duration::from_millis(1)); // the pace of the looks
        }
        session.no_mismatch();
    }
    // Off by itself: what is left is attached to without a question.
    drop(nes);
    session.sampler.order(SamplerCommand::Automatic);
    session.attached(tsu.pid(), Instant::now(), "the other one ended");
    println!(
        "\nswitched: {}; {looked} live views, {mixed} of them mixed up",
        session.attached["switched"].said(SWITCHED_WITHIN)
    );
    println!("{:?}", session.no_mismatch().totals);
    assert_eq!(mixed, 0);
}
