//! The size of recordings.

use super::support::{Game, header, profile, read};
use nextscope::console::{Snapshot, StorageOrder};
use nextscope::live::{Options, ReplayCommand, ReplayVerifier, Sampler, SamplerCommand};
use nextscope::recording::{Recording, Writer};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The limit for an hour is 30 MB.
const MOST_BYTES_AN_HOUR: u64 = 30_000_000;
const FRAMES_AN_HOUR: u64 = 215_712;

/// Plays this many frames into a recording in memory and returns the bytes and the time that writing took.
fn play(config: &str, frames: u64) -> (Vec<u8>, Duration) {
    let mut game = Game::new(config);
    let mut writer = Writer::new(Vec::new(), &header(&profile("puyo-tsu-genesis"))).unwrap();
    let mut spent = Duration::ZERO;
    for _ in 0..frames {
        let sample = game.sample();
        let start = Instant::now();
        writer.sample(&sample).unwrap();
        spent += start.elapsed();
    }
    (writer.finish().unwrap(), spent)
}

/// All of it with NEXTSCOPE_HOUR=1, otherwise a minute of it.
#[test]
fn an_hour_of_play_is_small() {
    let full_hour = std::env::var_os("NEXTSCOPE_HOUR").is_some();
    let frames = if full_hour { FRAMES_AN_HOUR } else { FRAMES_AN_HOUR / 60 };
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
    if full_hour {
        let start = Instant::now();
        let recording = read(bytes);
        println!("opened in {:?}", start.elapsed());
        let mut slowest = Duration::ZERO;
        for number in 0..500 {
            let start = Instant::now();
            recording.sample(number * 7_919_777 % recording.len()).unwrap();
            slowest = slowest.max(start.elapsed());
        }
        println!("the slowest of 500 samples at random took {slowest:?}");
        let start = Instant::now();
        (0..recording.len()).for_each(|index| drop(recording.sample(index).unwrap()));
        println!("reading all in order took {:?}", start.elapsed());
        seek(Arc::new(recording));
    }
}

/// Judges all of it, then jumps back and forth in it.
fn seek(recording: Arc<Recording>) {
    let start = Instant::now();
    let mut verifier = ReplayVerifier::new(Arc::clone(&recording), Vec::new()).unwrap();
    while verifier.step().unwrap().is_some() {}
    println!("judging all took {:?}: {:?}", start.elapsed(), verifier.totals());
    let samples = recording.len();
    let sampler = Sampler::start(Options { replay: Some(recording), ..Options::default() }).unwrap();
    let mut views = sampler.view();
    while !views.get().replay.as_ref().is_some_and(|replay| replay.complete) {
        views.next(Duration::from_millis(100));
    }
    let mut times: Vec<Duration> = (0..200)
        .map(|number| {
            let to = number * 7_919_777 % samples;
            let start = Instant::now();
            sampler.send(SamplerCommand::Replay(ReplayCommand::Seek(to)));
            while views.get().replay.as_ref().is_none_or(|replay| replay.index != to) {
                views.next(Duration::from_millis(100));
            }
            start.elapsed()
        })
        .collect();
    times.sort();
    println!("200 seeks: half within {:?}, the slowest {:?}", times[100], times[199]);
}

/// Incompressible data does not grow either.
#[test]
fn ram_of_pure_noise_does_not_grow() {
    let mut game = Game::new("menu=5");
    let mut writer = Writer::new(Vec::new(), &header(&profile("puyo-tsu-genesis"))).unwrap();
    let mut state = 1_u64;
    let start = Instant::now();
    for _ in 0..120 {
        let mut sample = game.sample();
        let noise: Vec<u8> = (0..0x1_0000)
            .map(|_| {
                // xorshift64 (Marsaglia, "Xorshift RNGs", 2003).
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state.to_le_bytes()[4]
            })
            .collect();
        let domain = sample.snapshot.domain();
        sample.snapshot = Snapshot::from_stored(domain, StorageOrder::AsOnBus, noise).unwrap();
        writer.sample(&sample).unwrap();
    }
    let bytes = writer.finish().unwrap().len();
    println!("120 frames of noise: {bytes} bytes, {:?} including the generation", start.elapsed());
    assert!(bytes < 120 * 0x1_0000 * 101 / 100 + 10_000, "{bytes}");
}
