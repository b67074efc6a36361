//! Movie files are read strictly, and replayed from power on in the embedded console, frame by frame: every board, and the frame in which every
//! pair appears, are as planned. With any duration of the frame table wrong by one frame they are not.

use super::console::{board, random_route};
use crate::movies::genesis::{SEED, SETTINGS, beyond_the_chain, console, movie_of, planned_beyond_the_chain};
use crate::movies::readers::{
    PadFrame, read_bk2, read_bk2_entries, read_bk2_log, read_gmv, read_inp, read_mcm, unzip,
};
use crate::movies::{Appearance, PlannedMovie, profile, wrong_times};
use nextscope::demo::Buttons;
use nextscope::demo::console::Console;
use nextscope::profile::Profile;
use nextscope::puyo::{Field, Placement};
use nextscope::route::export::ExportError;

const DEALT: u32 = 0xFF_85A6;

/// More frames than the last pair of a movie needs to land and chain.
const AFTER_THE_MOVIE: usize = 600;

fn genesis() -> Profile {
    profile("puyo-tsu-genesis")
}

/// The frames from power on until the first pair can be moved, without input.
pub fn lead_in(seed: u32) -> u32 {
    let mut console = console(seed, SETTINGS);
    (1..1000)
        .find(|_| {
            console.run_frame();
            console.word(DEALT) == 1
        })
        .expect("a first pair")
}

/// Plays frames from power on. Each pair of player 1 that appears meanwhile or soon after, until a board is lost.
pub fn replay(mut console: Console, frames: &[PadFrame]) -> Vec<Appearance> {
    let idle = PadFrame { pads: [Buttons::NONE; 2] };
    let mut seen: Vec<Appearance> = Vec::new();
    for (number, frame) in (1..).zip(frames.iter().chain(std::iter::repeat_n(&idle, AFTER_THE_MOVIE))) {
        assert_eq!(frame.pads[1], Buttons::NONE, "player 2 has no controller");
        console.press(frame.pads[0]);
        console.run_frame();
        if usize::from(console.word(DEALT)) != seen.len() {
            seen.push(Appearance { frame: number, board: board(&console) });
        }
    }
    seen
}

fn replay_bk2(plan: &PlannedMovie, seed: u32, bk2: &[u8]) -> Vec<Appearance> {
    let frames = read_bk2(bk2).expect("BizHawk reads it");
    assert!(!plan.route.steps.is_empty());
    replay(console(seed, SETTINGS), &frames)
}

#[test]
fn a_movie_from_power_on_ends_on_the_planned_board() {
    for seed in [SEED, 0x1234_5678] {
        let plan = movie_of(planned_beyond_the_chain(seed, 18), lead_in(seed));
        assert!(plan.route.chain > 1, "a chain of {}", plan.route.chain);
        let movie = plan.movie();
        let bk2 = movie.bk2(&genesis()).unwrap();
        let seen = replay_bk2(&plan, seed, &bk2);
        assert_eq!(plan.verify(&seen), Ok(()), "seed {seed:08X}");
        assert!(plan.reaches_every_board(&seen));
        let frames = read_bk2(&bk2).unwrap();
        assert_eq!(frames.len(), movie.frames() as usize);
        for (name, read) in [
            ("log", read_bk2_log(&movie.input_log(&genesis()).unwrap())),
            ("gmv", read_gmv(&movie.gmv(&genesis()).unwrap())),
            ("mcm", read_mcm(&movie.mcm(&genesis()).unwrap())),
            ("inp", read_inp(&movie.inp(&genesis()).unwrap())),
        ] {
            assert!(read.map_err(|error| panic!("{name}: {error}")) == Ok(frames.clone()), "{name}");
        }
        println!(
            "seed {seed:08X}: {} pairs, chain {}, {} frames from power on, each pair in its frame",
            plan.route.steps.len(),
            plan.route.chain,
            movie.frames()
        );
    }
}

#[test]
fn movies_of_any_playable_route_end_as_planned() {
    let mut state = 11_u64;
    for seed in 1..=6_u32 {
        let plan = movie_of(random_route(seed, &mut state), lead_in(seed));
        let frames = read_gmv(&plan.movie().gmv(&genesis()).unwrap()).expect("Gens reads it");
        let seen = replay(console(seed, SETTINGS), &frames);
        assert_eq!(plan.verify(&seen), Ok(()), "seed {seed}, {} pairs", plan.route.steps.len());
    }
}

/// Parts that are too long make a movie late, and the game waits for it: the boards are right, at a later frame. Parts that are too short make
/// it press too early.
#[test]
fn a_duration_that_is_wrong_by_one_frame_is_detected() {
    let plan = movie_of(planned_beyond_the_chain(SEED, 18), lead_in(SEED));
    let mut absorbed = Vec::new();
    for wrong in wrong_times(&plan) {
        let bk2 = plan.movie_with(&wrong.table, wrong.lead_in).bk2(&genesis()).unwrap();
        let seen = replay_bk2(&plan, SEED, &bk2);
        let difference = plan.verify(&seen).expect_err(wrong.part);
        let reached = plan.reaches_every_board(&seen);
        println!("{:12} boards {:8} {difference}", wrong.part, if reached { "planned," } else { "others," });
        if reached {
            absorbed.push(wrong.part);
        }
    }
    assert_eq!(
        absorbed,
        ["press + 1", "release + 1", "lock + 1", "split + 1", "chain + 1", "next + 1", "lead-in + 1"],
        "the game absorbs what is too long, except Down held for the next pair as well"
    );
}

#[test]
fn a_missing_or_an_additional_frame_anywhere_before_the_last_pair_is_detected() {
    let plan = movie_of(planned_beyond_the_chain(SEED, 18), lead_in(SEED));
    let frames = read_bk2(&plan.movie().bk2(&genesis()).unwrap()).unwrap();
    let last_pair = plan.expected()[plan.route.steps.len() - 1].frame as usize;
    for at in (0..last_pair).step_by(29) {
        let mut shorter = frames.clone();
        shorter.remove(at);
        let mut longer = frames.clone();
        longer.insert(at, frames[at]);
        for (what, frames) in [("without", shorter), ("twice", longer)] {
            let seen = replay(console(SEED, SETTINGS), &frames);
            assert!(plan.verify(&seen).is_err(), "frame {at} {what}");
        }
    }
}

/// Another pad, button or order: the readers refuse the file, or the game the movie.
#[test]
fn readers_refuse_what_the_emulators_would() {
    let plan = movie_of(planned_beyond_the_chain(SEED, 18), lead_in(SEED));
    let log = plan.movie().input_log(&genesis()).unwrap();
    for (from, to, reason) in [
        ("P1 Left", "P1 Links", "no button"),
        ("|P2 Start", "", "every button once"),
        ("P2 Start", "P1 Start", "every button once"),
        ("#Power|", "#Turbo|", "no button"),
        ("|..|........|........|\n", "|..|........|.......|\n", "in the log key"),
        ("|..|........|........|\n", "|P.|........|........|\n", "Power or Reset"),
        ("|..|........|........|\n", "\n", "empty line"),
        ("[/Input]\n", "", "between [Input]"),
    ] {
        let altered = log.replacen(from, to, 1);
        assert_ne!(altered, log, "{from}");
        let error = read_bk2_log(&altered).expect_err(from);
        assert!(error.contains(reason), "{from:?}: {error}");
    }
    // Another order of the names is another meaning of the characters.
    let swapped = log.replacen("P1 Left|P1 Right", "P1 Right|P1 Left", 1);
    let seen = replay(console(SEED, SETTINGS), &read_bk2_log(&swapped).unwrap());
    assert!(!plan.reaches_every_board(&seen));

    let bk2 = plan.movie().bk2(&genesis()).unwrap();
    for (what, bytes) in [
        ("an empty file", Vec::new()),
        ("half of it", bk2[..bk2.len() / 2].to_vec()),
        ("a damaged log", {
            let mut damaged = bk2.clone();
            let name = b"Input Log.txt";
            let at = bk2.windows(name.len()).position(|bytes| bytes == name).unwrap();
            damaged[at + name.len() + 20] ^= 1;
            damaged
        }),
        ("a text", b"[Input]\n[/Input]\n".to_vec()),
    ] {
        assert!(read_bk2(&bytes).is_err(), "{what}");
    }

    let entries = unzip(&bk2).unwrap();
    for (entry, from, to, reason) in [
        ("Header.txt", "Platform GEN", "Platform NES", "Platform"),
        ("Header.txt", "Core Genplus-gx", "Core PicoDrive", "Core"),
        ("Header.txt", "Savestate False", "Savestate True", "StartsFromSavestate"),
        ("Header.txt", "rerecordCount 0", "rerecordCount none", "rerecordCount"),
        ("SyncSettings.json", "\"UseSixButton\":false", "\"UseSixButton\":true", "three buttons"),
        ("SyncSettings.json", "GPGX+GPGX", "GPGX+", "three buttons"),
        ("SyncSettings.json", "{\"o\"", "{\n\"o\"", "one line"),
    ] {
        let text = std::str::from_utf8(&entries[entry]).unwrap();
        assert!(text.contains(from), "{entry}: {text}");
        let mut altered = entries.clone();
        altered.insert(entry.into(), text.replacen(from, to, 1).into_bytes());
        let error = read_bk2_entries(&altered).expect_err(to);
        assert!(error.contains(reason), "{to}: {error}");
    }
    for entry in ["Header.txt", "SyncSettings.json", "Input Log.txt"] {
        let mut altered = entries.clone();
        altered.remove(entry);
        assert!(read_bk2_entries(&altered).is_err_and(|error| error.contains("missing")), "{entry}");
    }
    let mut anchored = entries.clone();
    anchored.insert("Core.bin".into(), Vec::new());
    assert!(read_bk2_entries(&anchored).is_err_and(|error| error.contains("starts from a state")));

    // In a state, a section too few; in a recording, another time.
    let mcm = plan.movie().mcm(&genesis()).unwrap();
    let section = mcm.windows(4).position(|bytes| bytes == b"M68K").unwrap();
    let altered = [&mcm[..section], b"M68X", &mcm[section + 4..]].concat();
    assert!(read_mcm(&altered).is_err_and(|error| error.contains("sections")));
    assert!(read_mcm(&mcm[..mcm.len() - 1]).is_err() && read_mcm(&mcm[..100]).is_err());
    let inp = plan.movie().inp(&genesis()).unwrap();
    assert!(read_inp(&inp[..inp.len() / 2]).is_err() && read_inp(&inp[1..]).is_err());

    let ds = profile("puyo-20th-nds");
    assert!(matches!(plan.movie().mcm(&ds), Err(ExportError::Unsuited(_))));
    assert!(matches!(plan.movie().inp(&ds), Err(ExportError::Unsuited(_))));

    let gmv = plan.movie().gmv(&genesis()).unwrap();
    for (at, value, reason) in [
        (0, b'g', "not a movie"),
        (15, b'9', "version"),
        (20, b'6', "three buttons"),
        (22, 0x40, "save state"),
        (22, 0x80, "50 frames"),
        (63, 1, "after the name"),
        (66, 0xFE, "do not have"),
    ] {
        let mut altered = gmv.clone();
        altered[at] = value;
        let error = read_gmv(&altered).expect_err(reason);
        assert!(error.contains(reason), "byte {at}: {error}");
    }
    assert!(read_gmv(&gmv[..gmv.len() - 1]).is_err() && read_gmv(&gmv[..63]).is_err());
}

#[test]
fn the_first_pair_of_an_idle_game_appears_on_the_first_board() {
    let frames = vec![PadFrame { pads: [Buttons::NONE; 2] }; 300];
    let seen = replay(console(SEED, SETTINGS), &frames);
    assert_eq!(seen.first(), Some(&Appearance { frame: lead_in(SEED), board: Field::default() }));
    assert_eq!(seen.len(), 1, "nothing falls, so that no second pair appears");
}

/// The frame table has no falls without Down. A pair that also falls by itself rests earlier than planned; the movie still reaches every board
/// of these routes. On a high board a pair may rest before it is above its column, as on the one that is planned for [`SEED`]: its route is a
/// lower one.
#[test]
fn pairs_that_also_fall_by_themselves_are_early_on_the_same_boards() {
    let low =
        [6, 0, 2, 6, 12, 8, 21, 17, 11, 16, 11, 4, 14, 7, 18, 19, 0, 7].map(|index| Placement::ALL[index]);
    let planned =
        [0x0102_0304, 0x1234_5678, 0x0BAD_CAFE].map(|seed| (seed, planned_beyond_the_chain(seed, 18)));
    for (seed, route) in [(SEED, beyond_the_chain(SEED, &low))].into_iter().chain(planned) {
        let plan = movie_of(route, lead_in(seed));
        let frames = read_bk2(&plan.movie().bk2(&genesis()).unwrap()).unwrap();
        // The cartridge's own speed: a row in two passes.
        let seen = replay(console(seed, "menu=1"), &frames);
        assert!(plan.reaches_every_board(&seen), "seed {seed:08X}");
        assert!(plan.verify(&seen).is_err_and(|difference| difference.contains("appears after frame")));
    }
}
