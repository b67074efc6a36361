//! `learn --pid` of our own cartridge in real emulators, as if nobody knew it, and its profile followed live.

use crate::emulators::session::{STARTED, built_in, live, present, sampler_of, wait};
use crate::emulators::{Kind, NesConfig};
use nextscope::live::View;
use nextscope::profile::parse;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// About 65 pieces.
const SECONDS: &str = "22";
/// The byte of the next piece, and its codes for I J L O S T Z: the orientations in which they come.
const CELL: [&str; 4] = ["--cell", "BF", "--codes", "18,7,14,10,11,2,8"];
/// Pieces that the learned profile must predict.
const PREDICTED: u64 = 25;

fn learned_and_followed(kind: Kind) {
    let config = NesConfig { frames_per_deal: 20, pieces_per_game: 1000, ..NesConfig::default() };
    let running = kind.start(&config.rom());
    let sampler = sampler_of(&running, built_in());
    let is_playing = |view: &View| live(view) && view.totals.pairs_verified > 0;
    wait(&sampler, STARTED, kind.name(), is_playing);
    drop(sampler);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.toml");
    let pid = running.pid().0.to_string();
    let mut command = Command::new(env!("CARGO_BIN_EXE_nextscope"));
    command.args(["learn", "--pid", &pid, "--console", "nes", "--seconds", SECONDS]).args(CELL);
    let output = command.arg("-o").arg(&path).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let name = kind.name();
    assert!(output.status.success() && text.contains("Rule: certain"), "{name}: {text} {output:?}");
    println!("{name}: {}", text.lines().find(|line| line.starts_with("Rule:")).unwrap_or_default());
    let profile = parse(&std::fs::read_to_string(&path).unwrap(), "own.toml").0.expect("a profile");
    let sampler = sampler_of(&running, vec![Arc::new(profile)]);
    let followed = |view: &View| view.totals.pairs_verified >= PREDICTED;
    let view = wait(&sampler, Duration::from_secs(60), name, followed);
    assert!(view.mismatches.is_empty(), "{name}: {:#?}", view.mismatches);
    println!("{name}: {:?}", view.totals);
}

#[test]
fn an_unknown_game_is_learned_in_real_emulators_and_followed_by_what_was_learned() {
    present(&[Kind::Fceux, Kind::MednafenNes]).into_iter().for_each(learned_and_followed);
}
