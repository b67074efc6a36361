//! Games of single pieces: the search of all states from the first pieces, compared with its limit and with
//! plain dealing.
//!
//! After criterion's own figures two tables are printed: wall times (median), processor time of all threads, and
//! the ratio to trying every state with the model itself on one core, measured in the same run. Of 2^32 seeds the model tries a part.

#![allow(clippy::expect_used, clippy::unwrap_used, missing_docs)]

use criterion::Criterion;
use nextscope::games::piece::{Dealer, Piece};
use nextscope::games::pieces::PieceOptions;
use nextscope::games::tgm::tgm2::Tgm2;
use nextscope::games::tgm::tgm3::Tgm3;
use nextscope::seeds::pieces::PieceGame;
use nextscope::seeds::pieces::{Answer, GamePosition, PieceQuery, parse_pieces};
use nextscope::task::Progress;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// All 2^25 states of TAP or Terror-Instinct, on two processors.
const ALL_STATES: Duration = Duration::from_millis(500);
/// Any question to all 2^32 seeds, on two processors.
const ALL_SEEDS: Duration = Duration::from_secs(30);
/// The part of 2^32 seeds that the models themselves try.
const SAMPLE: u32 = 1 << 22;

fn query(game: PieceGame, at: GamePosition, pieces: &str) -> PieceQuery {
    PieceQuery { at, pieces: parse_pieces(pieces).unwrap(), ..PieceQuery::new(game, "").unwrap() }
}

fn search(query: &PieceQuery) -> Answer {
    query.search(&Progress::default()).expect("it can be searched for").expect("not cancelled")
}

/// Every state below `end` with the model itself, one after another.
fn plainly<D: Dealer>(end: u32, pieces: &[Option<Piece>], make: impl Fn(u32) -> D) -> usize {
    let deals = |seed: &u32| {
        let mut dealer = make(*seed);
        pieces.iter().all(|piece| {
            let dealt = dealer.deal();
            piece.is_none_or(|piece| piece == dealt)
        })
    };
    (0..end).filter(deals).count()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Median wall time and processor time.
fn timed<T>(times: u32, mut act: impl FnMut() -> T) -> (Duration, Duration) {
    let before = processor_time();
    let once = |_| {
        let began = Instant::now();
        black_box(act());
        began.elapsed()
    };
    let wall = median((0..times).map(once).collect());
    (wall, (processor_time() - before) / times)
}

/// Processor time of this process's threads so far (Linux; zero elsewhere): more stable than wall time on a
/// shared machine.
fn processor_time() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let times = tasks.filter_map(|task| {
        let stat = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
        stat.split(' ').next()?.parse().ok().map(Duration::from_nanos)
    });
    times.sum()
}

fn main() {
    let tap = query(PieceGame::from_id("tgm2").unwrap(), GamePosition::Piece(1), "JTOLSJTZISOZLITJ");
    let ti = query(PieceGame::from_id("tgm3").unwrap(), GamePosition::Piece(1), "JLTIOJSLZIJTOLZSTIOJSTIZO");
    let middle = query(PieceGame::from_id("tgm2").unwrap(), GamePosition::Unknown, "OSTZIOOSLTIJOZTSZ");
    let sega = query(PieceGame::from_id("sega-tetris").unwrap(), GamePosition::Piece(1), "TITIIJILSJOZZ");
    let mut criterion = Criterion::default().sample_size(10).configure_from_args();
    let all = [("TAP", &tap), ("Terror-Instinct", &ti), ("TAP, middle", &middle), ("Sega Tetris", &sega)];
    for (name, query) in all {
        criterion.bench_function(name, |bench| bench.iter(|| search(black_box(query))));
    }
    criterion.final_summary();

    let plain_tap = timed(3, || plainly(1 << 25, &tap.pieces, Tgm2::new));
    let plain_ti = timed(3, || plainly(1 << 25, &ti.pieces, Tgm3::new));
    println!("\n{:18} {:>10} {:>10} {:>8} {:>14}", "search", "wall ms", "cpu ms", "limit", "plain/search");
    for (name, query) in all {
        let (wall, cpu) = timed(9, || search(query));
        let plain = match name {
            "TAP" => Some(plain_tap.1),
            "Terror-Instinct" => Some(plain_ti.1),
            _ => None,
        };
        let ratio =
            plain.map_or_else(String::new, |plain| format!("{:.1}", plain.as_secs_f64() / cpu.as_secs_f64()));
        let limit = wall.as_secs_f64() / ALL_STATES.as_secs_f64();
        println!("{name:18} {:>10.1} {:>10.1} {limit:>7.2}x {ratio:>14}", ms(wall), ms(cpu));
    }
    all_seeds();
}

/// The games with 2^32 seeds. Few known pieces are the longest questions; each is asked once.
fn all_seeds() {
    println!(
        "\n{:32} {:>10} {:>10} {:>8} {:>14}",
        "all 2^32 seeds", "wall s", "cpu s", "limit", "plain/search"
    );
    for (game, variant, pieces) in [
        ("bounded", "balanced", "JJ?JJ"),
        ("bounded", "balanced", "JTOLSJTZISOZL"),
        ("bounded", "strict", "??J?Z?I"),
        ("tetris-1985", "splitmix64", "IIIIII"),
        ("tetris-1985", "xorshift32", "?I?II"),
        ("tetris-worlds", "splitmix64", "?J?Z?I"),
        ("tetris-worlds", "xorshift32", "JTOLSIZ"),
        ("tetris-worlds", "tgm-ace", "?Z?I?L"),
        ("tetris-worlds", "bag-14", "?J?Z?I"),
    ] {
        let game = PieceGame::from_id(game).unwrap();
        let query =
            PieceQuery { pieces: parse_pieces(pieces).unwrap(), ..PieceQuery::new(game, variant).unwrap() };
        let (wall, cpu) = timed(1, || search(&query));
        let model = |seed| game.dealer(variant, seed, PieceOptions::default()).unwrap();
        let plain = timed(1, || plainly(SAMPLE, &query.pieces, model)).1 * (u32::MAX / SAMPLE + 1);
        println!(
            "{:32} {:>10.1} {:>10.1} {:>7.2}x {:>14.1}",
            format!("{game} {variant}, {pieces}"),
            wall.as_secs_f64(),
            cpu.as_secs_f64(),
            wall.as_secs_f64() / ALL_SEEDS.as_secs_f64(),
            plain.as_secs_f64() / cpu.as_secs_f64()
        );
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
