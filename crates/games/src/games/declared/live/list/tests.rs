//! Lists that move on, samples in the middle of a write, other games, loaded states, faults.

use crate::games::declared::live::tests::Console;
use crate::games::piece::letters;
use crate::live::{CheckId, Status};
use crate::profile::parse;
use nextscope_boards::SplitMix64;

const CURRENT: usize = 0x60;
const NEXT: usize = 0x80;
const DEALS: usize = 0x90;
/// Codes of I J L O S T Z, as in a game of another author.
const CODES: [u8; 7] = [5, 4, 3, 6, 1, 2, 0];
const LETTERS: &str = "IJLOSTZ";

/// A console with a game: what it deals, and how it has that in RAM.
struct Game {
    console: Console,
    dealt: Vec<u8>,
    /// The number of the piece in play.
    at: usize,
    length: usize,
    stride: usize,
    is_reversed: bool,
}

/// Pieces without any rule.
fn random(seed: u64, count: usize) -> Vec<u8> {
    let mut numbers = SplitMix64(seed);
    (0..count).map(|_| u8::try_from(numbers.below(7)).unwrap()).collect()
}

fn new_game(length: usize, current: bool, deals: bool, more: &str) -> Game {
    let field = |name: &str, at: usize, kind: &str| {
        format!("[fields.{name}]\naddress = {at}\ntype = {kind}\nsource = \"test\"\n")
    };
    let stride = if more.contains("stride = 2") { 2 } else { 1 };
    let bytes = (length - 1) * stride + 1;
    let text = format!(
        "id = \"x\"\nname = \"X\"\nconsole = \"nes\"\nstatus = \"unconfirmed\"\n{}{}{}[piece_codes]\n\
         kinds = [\"I\", \"J\", \"L\", \"O\", \"S\", \"T\", \"Z\"]\ncodes = {CODES:?}\n{more}",
        field("next", NEXT, &format!("\"bytes\"\nlength = {bytes}")),
        if current { field("current", CURRENT, "\"u8\"") } else { String::new() },
        if deals { field("deals", DEALS, "\"u8\"") } else { String::new() },
    );
    let (profile, diagnostics) = parse(&text, "x.toml");
    let profile = profile.unwrap_or_else(|| panic!("{diagnostics:#?}"));
    let is_reversed = more.contains("reversed = true");
    Game { console: Console::new(profile), dealt: random(7, 400), at: 0, length, stride, is_reversed }
}

impl Game {
    fn place(&self, nth: usize) -> usize {
        NEXT + self.stride * if self.is_reversed { self.length - 1 - nth } else { nth }
    }

    fn put_list(&mut self) {
        for nth in 0..self.length {
            let at = self.place(nth);
            self.console.ram[at] = CODES[usize::from(self.dealt[self.at + 1 + nth])];
        }
    }

    fn put_current(&mut self) {
        self.console.ram[CURRENT] = CODES[usize::from(self.dealt[self.at])];
    }

    fn put_deals(&mut self) {
        self.console.ram[DEALS] = u8::try_from((self.at + 1 + self.length) & 0xFF).unwrap();
    }

    fn put(&mut self) {
        self.put_list();
        self.put_current();
        self.put_deals();
    }

    /// The piece in play for some frames, then the next one.
    fn play(&mut self, pieces: usize) {
        for _ in 0..pieces {
            self.put();
            self.console.frames(20);
            self.at += 1;
        }
        self.put();
        self.console.frames(6);
    }

    fn restart(&mut self, seed: u64) {
        (self.dealt, self.at) = (random(seed, 400), 0);
    }

    /// Verified, missed, mismatches and rounds.
    fn counts(&self) -> (u64, u64, u64, u64) {
        let totals = &self.console.totals;
        (totals.pairs_verified, totals.pairs_missed, totals.mismatches, totals.rounds)
    }

    fn coming(&self) -> String {
        letters(&self.console.coming())
    }

    fn expected(&self) -> String {
        let listed = &self.dealt[self.at + 1..=self.at + self.length];
        listed.iter().map(|kind| &LETTERS[usize::from(*kind)..=usize::from(*kind)]).collect()
    }
}

#[test]
fn what_the_list_says_is_predicted_and_each_piece_that_comes_is_verified() {
    for more in ["", "stride = 2", "reversed = true", "stride = 2\nreversed = true"] {
        for (length, current, deals) in
            [(5, true, false), (8, true, true), (5, false, false), (2, true, false), (3, false, true)]
        {
            let mut game = new_game(length, current, deals, more);
            game.play(60);
            let (verified, missed, mismatches, rounds) = game.counts();
            assert_eq!((missed, mismatches, rounds), (0, 0, 1), "{length} {current} {deals} {more}");
            // A short list of the same piece may look the same when it moves on.
            let least = if length == 2 { 58 } else { 60 };
            assert!((least..=60).contains(&verified), "{length} {current} {deals} {more}: {verified}");
            assert_eq!(game.coming(), game.expected());
            assert_eq!(game.console.status(CheckId::DECLARED_LIST), Status::Verified);
        }
    }
}

#[test]
fn the_view_says_what_is_known() {
    let mut game = new_game(5, true, true, "");
    game.play(10);
    let prediction = game.console.last.as_ref().unwrap().prediction.clone().unwrap();
    let view = prediction.view();
    let player = &view.pieces[0];
    assert_eq!(
        (player.dealt, player.joined_late, &player.position[..]),
        (Some(11), false, "16 pieces dealt")
    );
    let note = view.note.as_deref();
    assert_eq!(note, Some("5 pieces to come are in RAM; what comes after them is not known"));
    let details =
        game.console.last.as_ref().unwrap().observation.as_ref().unwrap().details(Some(&prediction));
    assert_eq!(
        (&details["listed"], &details["dealt"], details["state"].is_null()),
        (&5.into(), &16.into(), true)
    );
}

/// With one entry, equal pieces in a row look like none without a count: they are left out, and not counted as verified.
#[test]
fn a_list_of_one_is_verified_by_the_piece_in_play() {
    let mut game = new_game(1, true, true, "");
    game.play(60);
    assert_eq!(game.counts(), (60, 0, 0, 1));
    let mut game = new_game(1, true, false, "");
    game.play(60);
    let (verified, missed, mismatches, rounds) = game.counts();
    assert!(
        (50..=60).contains(&verified) && missed <= 1 && mismatches == 0 && rounds == 1,
        "{:?}",
        game.counts()
    );
    let mut game = new_game(1, false, false, "");
    game.play(30);
    assert_eq!((game.counts().0, game.counts().2), (0, 0), "nothing shows that it came");
    assert_eq!(game.console.status(CheckId::DECLARED_LIST), Status::NotVerified);
    assert_eq!(game.coming(), game.expected());
}

#[test]
fn list_piece_in_play_and_count_may_change_in_different_frames() {
    for (length, deals) in [(1, false), (1, true), (2, false), (5, false), (5, true)] {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            // A count before its list of one: if the same piece comes twice, it looks as if the list had moved.
            if length == 1
                && deals
                && order.iter().position(|what| *what == 2) < order.iter().position(|what| *what == 0)
            {
                continue;
            }
            let mut game = new_game(length, true, deals, "");
            for piece in 0..60 {
                game.at = piece;
                for what in order {
                    match what {
                        0 => game.put_list(),
                        1 => game.put_current(),
                        _ => game.put_deals(),
                    }
                    if piece > 0 {
                        game.console.frames(7);
                    }
                }
                game.console.frames(20);
            }
            let (verified, missed, mismatches, rounds) = game.counts();
            // The same piece again and again in a short list looks as if nothing had moved.
            let least = [48, 56, 58][length.min(3) - 1];
            assert!(
                (least..=59).contains(&verified) && missed <= 1 && mismatches == 0 && rounds == 1,
                "{length} {deals} {order:?}: {:?}",
                game.counts()
            );
        }
    }
}

/// The last entry has the one before it until it is drawn.
#[test]
fn a_new_entry_may_be_drawn_some_frames_after_the_list_moved() {
    let mut game = new_game(5, true, false, "");
    for piece in 0..60 {
        game.at = piece;
        game.put();
        let last = game.place(4);
        if piece > 0 {
            let drawn = game.console.ram[last];
            game.console.ram[last] = game.console.ram[last - 1];
            game.console.frames(3);
            game.console.ram[last] = drawn;
        }
        game.console.frames(15);
    }
    assert_eq!(game.counts(), (59, 0, 0, 1));
}

#[test]
fn a_sample_in_the_middle_of_a_write_is_not_judged() {
    for written in 1..5 {
        let mut game = new_game(5, true, false, "");
        for piece in 0..60 {
            let before = game.console.ram.clone();
            game.at = piece;
            game.put();
            if piece > 0 {
                let after = game.console.ram.clone();
                game.console.ram[NEXT + written..NEXT + 5].copy_from_slice(&before[NEXT + written..NEXT + 5]);
                game.console.frame();
                game.console.ram = after;
            }
            game.console.frames(15);
        }
        let (verified, missed, mismatches, rounds) = game.counts();
        assert_eq!((verified + missed, mismatches, rounds), (59, 0, 1), "{written}");
        assert!(missed <= 2, "{written}: {missed}");
    }
}

#[test]
fn another_game_a_loaded_state_and_cleared_ram_are_no_mismatches() {
    for (length, current, deals) in
        [(5, true, false), (5, true, true), (1, true, true), (1, true, false), (3, true, false)]
    {
        let mut game = new_game(length, current, deals, "");
        game.play(12);
        game.restart(99);
        game.play(12);
        let ram = game.console.ram.clone();
        game.play(9);
        // A state is loaded, and the title screen is shown.
        game.console.ram = ram;
        game.at = 12;
        game.console.frames(3);
        game.play(9);
        game.console.ram.fill(0);
        game.console.frames(30);
        game.restart(123);
        game.play(12);
        let (verified, missed, mismatches, _) = game.counts();
        assert_eq!(mismatches, 0, "{length} {current} {deals}: {:?}", game.console.mismatches);
        assert!(
            (40..=54).contains(&verified) && missed <= 6,
            "{length} {current} {deals}: {:?}",
            game.counts()
        );
        if length == 5 {
            assert_eq!(game.console.totals.rounds, 4, "{deals}");
        }
    }
}

#[test]
fn pieces_that_came_between_two_samples_are_missed_and_not_verified() {
    let mut game = new_game(5, true, false, "");
    game.play(10);
    game.at += 2;
    game.play(10);
    assert_eq!(game.counts(), (21, 1, 0, 1));
    let mut game = new_game(5, true, true, "");
    game.play(10);
    game.at += 8;
    game.play(10);
    let (verified, missed, mismatches, rounds) = game.counts();
    assert_eq!((verified + missed, mismatches, rounds), (28, 0, 1));
    assert!(missed >= 8, "{missed}");
}

#[test]
fn a_wrong_entry_is_reported_at_its_number() {
    for (length, current, deals, place) in
        [(5, true, false, 0), (5, true, false, 3), (8, false, false, 6), (5, true, true, 2)]
    {
        for at_once in [false, true] {
            let mut game = new_game(length, current, deals, "");
            game.play(10);
            let right = game.dealt[game.at + 1 + place];
            let others = [right, game.dealt[game.at], game.dealt[game.at + 2]];
            let wrong = (0..7).find(|kind| !others.contains(kind)).unwrap();
            game.dealt[game.at + 1 + place] = wrong;
            if at_once {
                // The fault comes with the next piece.
                game.dealt[game.at + 1 + place] = right;
                game.at += 1;
                game.dealt[game.at + place] = wrong;
            }
            game.put();
            game.console.frame();
            assert_eq!(game.console.mismatches, [], "one frame may be the middle of a write");
            let number = game.at + 1 + place - usize::from(at_once);
            if at_once && place == 0 {
                // What the list announced is not what came: it is judged when the list moves on again.
                game.play(2);
            } else {
                game.console.frame();
            }
            let [mismatch] = &game.console.mismatches[..] else {
                panic!("{length} {place} {at_once}: {:?}", game.console.mismatches)
            };
            let letter = |kind: u8| LETTERS[usize::from(kind)..=usize::from(kind)].to_owned();
            assert_eq!((&mismatch.expected, &mismatch.actual), (&letter(right), &letter(wrong)));
            let since = usize::from(!current && !deals);
            assert_eq!(mismatch.index, u32::try_from(number - since).ok(), "{length} {place} {at_once}");
            let field = if at_once && place == 0 { "current" } else { "next" };
            assert_eq!((mismatch.check, &mismatch.field[..]), (CheckId::DECLARED_LIST, field));
            // It goes on from there.
            let verified = game.counts().0;
            game.play(20);
            assert_eq!(game.counts().2, 1, "{:?}", game.console.mismatches);
            assert!(game.counts().0 >= verified + 18, "{:?}", game.counts());
            assert_eq!(game.console.status(CheckId::DECLARED_LIST), Status::Mismatch, "until the round ends");
        }
    }
}

#[test]
fn a_list_that_announces_nothing_is_reported_after_some_pieces() {
    let mut game = new_game(1, true, false, "");
    let other = random(5, 400);
    for piece in 0..40 {
        game.at = piece;
        game.put();
        game.console.ram[CURRENT] = CODES[usize::from(other[piece])];
        game.console.frames(15);
    }
    assert!(game.counts().2 >= 1, "{:?}", game.counts());
    let what = &game.console.mismatches[0].what;
    assert!(what.contains("check the addresses of `next` and `current`"), "{what}");
}

/// How often a new game looks like a fault: the page says so too.
#[test]
fn a_new_game_is_rarely_taken_for_a_fault() {
    for (length, current, least) in
        [(5, true, 300), (8, true, 4001), (5, false, 300), (3, true, 4001), (1, true, 4001)]
    {
        let mut game = new_game(length, current, false, "");
        let games = 4000;
        for seed in 0..games {
            game.restart(seed);
            game.play(2);
            game.console.frames(3);
        }
        let found = game.counts().2;
        assert!(found.saturating_mul(least) <= games, "{length} {current}: {found} of {games}");
    }
}
