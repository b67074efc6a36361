//! Lists that were made when a game started.

use crate::learn::{Followed, Hints, Lesson, ListForm, ListedPieces, Series, WrittenDeals};
use crate::source::Address;
use nextscope_boards::SplitMix64;
use nextscope_games::games::declared::{Deals, ListEnd, Position, Symbol};
use nextscope_games::profile::parse;
use nextscope_memory::console::{ConsoleId, Endian};
use nextscope_task::Progress;

const KINDS: [Symbol; 7] = [Symbol::I, Symbol::J, Symbol::L, Symbol::O, Symbol::S, Symbol::T, Symbol::Z];
const CODES: [u8; 7] = [5, 4, 3, 6, 1, 2, 7];
const BASE: Address = Address(0xFF_0000);
const APART: usize = 20;
const ENTRIES: usize = 300;
const CURRENT: usize = 0x20;
const INDEX: usize = 0x30;
const OF_ALL_GAMES: usize = 0x28;
const LOG: usize = 0x80;
const LIST: usize = 0x180;

/// What is different from game to game.
#[derive(Clone, Copy)]
struct Form {
    /// The index while the first piece is in play.
    first: usize,
    is_reversed: bool,
    is_pairs: bool,
    /// Whether the list is filled in as the pieces are dealt.
    is_log: bool,
}

const PLAIN: Form = Form { first: 0, is_reversed: false, is_pairs: false, is_log: false };

struct Session {
    form: Form,
    random: SplitMix64,
    series: Series,
    deals: WrittenDeals,
    dealt: usize,
}

impl Session {
    fn new(form: Form) -> Self {
        let series = Series::new(BASE);
        Self { form, random: SplitMix64(3), series, deals: WrittenDeals::default(), dealt: 0 }
    }

    fn kind(&mut self) -> usize {
        self.random.draw() as usize % if self.form.is_pairs { 4 } else { 7 }
    }

    /// The deals of a game, of which those from a number on are written down.
    fn play(&mut self, deals: usize, noted: usize) {
        let Form { first, is_reversed, is_pairs, is_log } = self.form;
        let unit = 1 + usize::from(is_pairs);
        let list: Vec<usize> = (0..ENTRIES).map(|_| self.kind()).collect();
        let begin = self.series.len();
        for sample in begin..begin + APART * deals {
            let mut bytes = vec![0xEE_u8; 0x400];
            let at = (sample - begin) / APART;
            for half in 0..unit {
                bytes[CURRENT + half] = CODES[list[unit * at + half]];
            }
            let known = if is_log { unit * (at + 1) } else { ENTRIES };
            for (nth, kind) in list.iter().take(known).enumerate() {
                let place = if is_reversed { ENTRIES - 1 - nth } else { nth };
                bytes[LIST + place] = CODES[*kind];
            }
            // What was dealt until now is no list of what comes.
            for (nth, kind) in list.iter().take(unit * (at + 1)).enumerate() {
                bytes[LOG + nth] = CODES[*kind];
            }
            // What never changes.
            for (nth, byte) in (0..16).zip(&mut bytes[0x3E0..0x3F0]) {
                *byte = 0xA0 + nth;
            }
            let count = |number: usize| u16::try_from(number).unwrap().to_be_bytes();
            bytes[INDEX..INDEX + 2].copy_from_slice(&count(at + first));
            bytes[OF_ALL_GAMES..OF_ALL_GAMES + 2].copy_from_slice(&count(self.dealt + at + first));
            self.series.push(sample as u64, &bytes).unwrap();
        }
        let symbols = if is_pairs { &[Symbol::R, Symbol::G, Symbol::B, Symbol::Y][..] } else { &KINDS };
        for nth in noted..deals {
            let letters: String = (0..unit).map(|half| symbols[list[unit * nth + half]].letter()).collect();
            self.deals.write(&letters, begin + APART * nth + 8).unwrap();
        }
        self.dealt += deals;
    }

    fn lesson(self) -> Lesson {
        let (hints, progress) = (Hints::default(), Progress::default());
        Lesson::search(self.series, Endian::Big, false, self.deals, &hints, &progress).unwrap()
    }
}

fn at(offset: usize) -> Address {
    BASE.offset(offset as u64)
}

fn followed(lesson: &Lesson) -> ListedPieces {
    match lesson.report.followed() {
        Some(Followed::List(listed)) => listed,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_list_made_at_the_start_is_followed_by_the_byte_that_begins_again_with_it() {
    for (form, next, length) in [
        (PLAIN, LIST, ENTRIES),
        (Form { first: 1, ..PLAIN }, LIST, ENTRIES),
        (Form { is_reversed: true, ..PLAIN }, LIST, ENTRIES),
        (Form { is_pairs: true, ..PLAIN }, LIST, ENTRIES / 2),
    ] {
        let mut session = Session::new(form);
        // The beginning of a game that was not noted, and one from its fifth deal on.
        session.play(6, 6);
        session.play(45, 5);
        let lesson = session.lesson();
        let listed = followed(&lesson);
        let position = Position { first: u16::try_from(form.first).unwrap(), ..Position::default() };
        assert_eq!(listed.codes.position, Some(position));
        assert_eq!((listed.next, listed.length), (at(next), length));
        assert_eq!(listed.current, Some(at(CURRENT)));
        assert_eq!(listed.position, Some((at(INDEX + 1), Vec::new())));
        assert_eq!(listed.codes.reversed, form.is_reversed);
        assert_eq!(listed.codes.deals, if form.is_pairs { Deals::Pairs } else { Deals::Pieces });

        let profile = lesson.profile("still", ConsoleId::Genesis, "a test", "a test").unwrap();
        assert!(profile.is_list);
        let toml = profile.toml;
        let (parsed, diagnostics) = parse(&toml, "still.toml");
        let parsed = parsed.unwrap_or_else(|| panic!("{diagnostics:#?}\n{toml}"));
        assert!(toml.contains("A0 A1 A2 A3"), "the list is other bytes in the next game: {toml}");
        assert_eq!(parsed.piece_codes.as_ref(), Some(&listed.codes));
        let kind = parsed.field("position").unwrap().kind.to_string();
        assert_eq!(kind, if length > 255 { "u16" } else { "u8" }, "{toml}");
    }
}

#[test]
fn what_counts_alike_in_one_game_is_named() {
    let mut session = Session::new(PLAIN);
    session.play(45, 0);
    let lesson = session.lesson();
    let (position, others) = followed(&lesson).position.unwrap();
    assert_eq!((position, &others[..]), (at(OF_ALL_GAMES + 1), &[at(INDEX + 1)][..]));
    let profile = lesson.profile("still", ConsoleId::Genesis, "a test", "a test").unwrap();
    assert!(
        profile.toml.contains("0xFF0031 too: if the next game is not followed, try these"),
        "{}",
        profile.toml
    );
}

#[test]
fn what_is_filled_in_as_the_pieces_come_announces_nothing() {
    let mut session = Session::new(Form { is_log: true, ..PLAIN });
    session.play(6, 6);
    session.play(45, 0);
    let lesson = session.lesson();
    let fixed = lesson.report.lists.iter().filter(|list| matches!(list.form, ListForm::Fixed { .. }));
    assert!(fixed.clone().count() >= 1);
    assert!(fixed.clone().all(|list| matches!(list.form, ListForm::Fixed { still: None, .. })));
    assert_eq!(lesson.report.followed(), None);
}

/// A bag in RAM, its pieces counted from a number on. Whether it is emptied piece by piece.
fn bags(first: usize, is_reversed: bool, is_emptied: bool) -> Lesson {
    let mut random = SplitMix64(11);
    let mut series = Series::new(BASE);
    let mut deals = WrittenDeals::default();
    let mut bag: Vec<usize> = (0..7).collect();
    for nth in 0..60 {
        let place = nth % 7;
        if place == 0 {
            for at in (1..7).rev() {
                bag.swap(at, random.draw() as usize % (at + 1));
            }
        }
        for sample in APART * nth..APART * (nth + 1) {
            let mut bytes = vec![0xEE_u8; 0x200];
            for (at, kind) in bag.iter().enumerate().filter(|(at, _)| !is_emptied || *at >= place) {
                bytes[LIST + if is_reversed { 6 - at } else { at }] = CODES[*kind];
            }
            for (nth, byte) in (0..16).zip(&mut bytes[0x100..0x110]) {
                *byte = 0xA0 + nth;
            }
            bytes[CURRENT] = CODES[bag[place]];
            bytes[INDEX] = u8::try_from(place + first).unwrap();
            // Changes with each deal, also if it is of the same kind as the one before.
            bytes[OF_ALL_GAMES] = u8::try_from(nth).unwrap();
            series.push(sample as u64, &bytes).unwrap();
        }
        deals.write(&KINDS[bag[place]].letter().to_string(), APART * nth + 8).unwrap();
    }
    Lesson::search(series, Endian::Big, false, deals, &Hints::default(), &Progress::default()).unwrap()
}

#[test]
fn a_bag_is_followed_by_the_byte_that_counts_its_pieces() {
    for (first, is_reversed) in [(0, false), (1, false), (0, true)] {
        let lesson = bags(first, is_reversed, false);
        let listed = followed(&lesson);
        let first = u16::try_from(first).unwrap();
        let position = Position { first, then: ListEnd::Refill, ..Position::default() };
        assert_eq!((listed.codes.position, listed.codes.reversed), (Some(position), is_reversed));
        assert_eq!((listed.next, listed.length, listed.current), (at(LIST), 7, Some(at(CURRENT))));
        assert_eq!(listed.position, Some((at(INDEX), Vec::new())));
        let profile = lesson.profile("bag", ConsoleId::Genesis, "a test", "a test").unwrap();
        let (parsed, diagnostics) = parse(&profile.toml, "bag.toml");
        assert_eq!(parsed.unwrap_or_else(|| panic!("{diagnostics:#?}")).piece_codes, Some(listed.codes));
    }
    let emptied = bags(0, false, true);
    assert!(emptied.report.lists.iter().any(|list| matches!(list.form, ListForm::Bag { still: None, .. })));
    assert!(!matches!(emptied.report.followed(), Some(Followed::List(_))));
}
