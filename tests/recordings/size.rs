//! How large recordings are.

use super::support::{Game, header, profile, read};
use nextscope::recording::Writer;
use std::time::{Duration, Instant};

/// An hour may have 30 MB.
const MOST_BYTES_AN_HOUR: u64 = 30_000_000;
const FRAMES_AN_HOUR: u64 = 215_712;

/// Plays so many frames into a recording in memory and tells the bytes and the time that writing took.
fn play(config: &str, frames: u64) -> (Vec<u8>, Duration) {
    let mut game = Game::new(config);
    let mut writer = Writer::new(Vec::new(), &header(&profile("puyo-tsu-genesis"))).unwrap();
    let mut spent = Duration::ZERO;
    for _ in 0..frames {
        let sample = game.sample();
        let begun = Instant::now();
        writer.sample(&sample).unwrap();
        spent += begun.elapsed();
    }
    (writer.finish().unwrap(), spent)
}

/// All of it with NEXTSCOPE_HOUR=1, else a minute of it.
#[test]
fn an_hour_of_play_is_small() {
    let whole = std::env::var_os("NEXTSCOPE_HOUR").is_some();
    let frames = if whole { FRAMES_AN_HOUR } else { FRAMES_AN_HOUR / 60 };
    let config = "deal1=40,deal2=55,pairs=60,menu=120";
    let (bytes, spent) = play(config, frames);
    println!(
        "{frames} frames of 64 KiB: {} bytes, {:.1} a frame; writing took {:.2} s, {:.1} us a frame",
        bytes.len(),
        bytes.len() as f64 / frames as f64,
        spent.as_secs_f64(),
        spent.as_secs_f64() * 1e6 / frames as f64
    );
    assert!((bytes.len() as u64) < MOST_BYTES_AN_HOUR * frames / FRAMES_AN_HOUR + 20_000);
    if whole {
        let begun = Instant::now();
        let recording = read(bytes);
        println!("opened in {:?}", begun.elapsed());
        let mut slowest = Duration::ZERO;
        for number in 0..500 {
            let begun = Instant::now();
            recording.sample(number * 7_919_777 % recording.len()).unwrap();
            slowest = slowest.max(begun.elapsed());
        }
        println!("the slowest of 500 samples at random took {slowest:?}");
        let begun = Instant::now();
        (0..recording.len()).for_each(|index| drop(recording.sample(index).unwrap()));
        println!("all one after another took {:?}", begun.elapsed());
    }
}
