//! Two emulators with different games at once: the user is asked which, switches between them, and they are
//! never mixed up.

use super::emulators::{Config, Kind, NesConfig};
use super::support::{Random, Session, number};
use nextscope::live::{Connection, RowState, SamplerCommand, View};
use std::time::{Duration, Instant};

/// Number of switches, unless `NEXTSCOPE_FIRE_SWITCHES` is set.
const SWITCHES: usize = 20;
const SWITCHED_WITHIN: Duration = Duration::from_secs(1);

/// The data of a live view must all be of the game of its target.
fn is_whole(view: &View) -> bool {
    let (Some(target), Some(data)) = (&view.target, &view.data) else { return false };
    let game = target.profile.game;
    let matches_game = match &data.observation {
        Ok(observation) if observation.get::<nextscope::games::puyo_tsu::live::Observation>().is_some() => {
            game == nextscope::games::puyo_tsu::ID
        }
        Ok(observation) if observation.get::<nextscope::games::tetris_nes::live::Observation>().is_some() => {
            game == nextscope::games::tetris_nes::ID
        }
        Ok(_) => false,
        Err(_) => true,
    };
    matches_game && data.snapshot.domain() == target.profile.console.domain()
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
    // Whichever was found first may have been attached to already; on a new request, both are offered.
    session.sampler.send(SamplerCommand::Detach);
    session.wait("let go", |view| matches!(view.connection, Connection::Searching));
    session.sampler.send(SamplerCommand::Automatic);
    session.wait("asked which", |view| matches!(view.connection, Connection::Choosing));
    let games = [(tsu.pid(), nextscope::games::puyo_tsu::ID), (nes.pid(), nextscope::games::tetris_nes::ID)];
    let (mut checked, mut mixed, mut last) = (0u64, 0u64, 0);
    for nth in 0..switches {
        let (pid, game) = games[nth % 2];
        let now = Instant::now();
        session.sampler.send(SamplerCommand::Attach(pid));
        session.attached(pid, now, "switched");
        let end = Instant::now() + random.ms_below(600);
        while Instant::now() < end {
            let view = session.views.get();
            if matches!(view.connection, Connection::Live) && view.sequence != last {
                checked += 1;
                last = view.sequence;
                let right = view.target.as_ref().is_some_and(|t| t.pid == pid && t.profile.game == game);
                mixed += u64::from(!(right && is_whole(&view)));
            }
            std::thread::sleep(Duration::from_millis(1)); // the pace of the checks
        }
        session.no_mismatch();
    }
    // It switches itself off: the remaining emulator is attached to without a question.
    drop(nes);
    session.sampler.send(SamplerCommand::Automatic);
    session.attached(tsu.pid(), Instant::now(), "the other one ended");
    println!(
        "\nswitched: {}; {checked} live views, {mixed} of them mixed up",
        session.attached["switched"].said(SWITCHED_WITHIN)
    );
    println!("{:?}", session.no_mismatch().totals);
    assert_eq!(mixed, 0);
}
