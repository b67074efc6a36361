//! The field of Pochi & Nyaa in RAM: located from a field copied from the screen, saved in a profile, read
//! from then on.

use crate::cli_support::{errors, nextscope, status, text};
use crate::pochi_ram::{BASE, COPIED, LAYOUTS, Machine, ask, holder};
use nextscope::console::{ConsoleId, Snapshot, StorageOrder};
use nextscope::emulator::{DetectionMethod, RamQuery, identify_ram};
use nextscope::live::{Connection, Options, SampleContext, Sampler, Totals, Tracker};
use nextscope::pochi::{Color, Field, GridCell, to_code};
use nextscope::profile::{BoardLayout, Library, Profile, built_in_files, parse, with_board};
use nextscope::research::{
    FieldLocation, FieldRam, FieldSearchError, MergeFieldError, field_from_screen, field_rams, find_fields,
    locate_from_profile, merged_layout, narrow_fields, only_location,
};
use nextscope::task::Progress;
use std::path::Path;
use std::sync::Arc;

fn built_in() -> (Profile, &'static str) {
    let text = built_in_files().iter().find(|(path, _)| path.ends_with("/pochi-nyaa-mvs.toml")).unwrap().1;
    (parse(text, "pochi").0.unwrap(), text)
}

fn rams(machine: &Machine) -> Vec<FieldRam> {
    let domain = ConsoleId::NeoGeo.domain();
    let stored = |order| Snapshot::from_stored(domain, order, machine.stored()).unwrap();
    domain.orders.iter().map(|order| FieldRam::of_file(*order, stored(*order))).collect()
}

fn find(machine: &Machine, player: usize) -> Vec<FieldLocation> {
    find_fields(&rams(machine), &machine.fields[player], &Progress::default()).unwrap()
}

/// Whether the place is that of the player's field: the same bytes, whatever the order of bytes.
fn is_it(place: &FieldLocation, machine: &Machine, player: usize) -> bool {
    let stored = |address: u32, order: StorageOrder| order.host_offset((address - BASE) as usize);
    stored(place.address.0, place.order) == stored(machine.address(player).0, machine.layout.stored)
}

/// Finds the first player's field, showing it as it comes until one place is left; how many were shown.
fn locate(machine: &mut Machine) -> (FieldLocation, usize) {
    machine.until(0, 3);
    let mut places = find(machine, 0);
    for shown in 1..40 {
        assert!(places.iter().any(|place| is_it(place, machine, 0)), "{}: {places:?}", machine.layout.name);
        if let Some(place) = only_location(&places) {
            return (place.clone(), shown);
        }
        machine.turn();
        machine.turn();
        places = narrow_fields(&places, &rams(machine), &machine.fields[0]);
    }
    panic!("{}: {places:?}", machine.layout.name);
}

fn profile_of(layout: &BoardLayout) -> Profile {
    let edited = with_board(built_in().1, layout).unwrap();
    assert!(edited.warnings.is_empty(), "{:?}", edited.warnings);
    edited.profile
}

fn fields(snapshot: &Snapshot, profile: &Profile) -> Vec<Result<Field, String>> {
    let context = SampleContext { snapshot, profile, frame: 0 };
    let update = Tracker::new(profile.game).update(&context, &mut Totals::default());
    assert!(update.prediction.is_none() && update.mismatches.is_empty());
    let observation = update.observation.unwrap();
    let observation = observation.get::<nextscope::games::pochi_nyaa::live::Observation>().unwrap();
    let field = |player: &nextscope::games::pochi_nyaa::live::PlayerField| {
        player.field.clone().map_err(|error| error.to_string())
    };
    observation.players.iter().map(field).collect()
}

/// Of a thousand images, those by which RAM was identified.
fn read_a_thousand(machine: &mut Machine, profile: &Profile, players: usize) -> usize {
    let profile = Arc::new(profile.clone());
    let mut known = 0;
    for image in 0..1000 {
        machine.turn();
        let stored = machine.stored();
        let order = profile.board.as_ref().unwrap().stored.unwrap();
        let snapshot = Snapshot::from_stored(profile.console.domain(), order, stored.clone()).unwrap();
        let decoded = fields(&snapshot, &profile);
        let right: Vec<_> = machine.fields[..players].iter().cloned().map(Ok).collect();
        assert_eq!(decoded, right, "{}, image {image}", machine.layout.name);
        if let Some((snapshot, _)) = identify_ram(&stored, &[Arc::clone(&profile)]) {
            assert_eq!(fields(&snapshot, &profile), right, "{}, image {image}", machine.layout.name);
            known += 1;
        }
    }
    known
}

#[test]
fn a_field_is_located_saved_and_read_a_thousand_times_in_every_layout() {
    for (seed, layout) in (1..).zip(LAYOUTS) {
        let mut machine = Machine::new(layout, seed);
        let (place, shown) = locate(&mut machine);
        let profile = profile_of(&merged_layout(None, &place, 0, false, "test").unwrap());
        assert!(place.open().next().is_none());
        let known = read_a_thousand(&mut machine, &profile, 1);
        println!("{}: {shown} fields shown, {known} of 1000 images identify_ram", layout.name);
        assert!(known > 700, "{}: {known}", layout.name);
    }
}

#[test]
fn the_second_players_field_is_located_next_to_the_first() {
    for (seed, layout) in (50..).zip(LAYOUTS) {
        let mut machine = Machine::new(layout, seed);
        let (place, _) = locate(&mut machine);
        let first = merged_layout(None, &place, 0, false, "test").unwrap();
        let mut places: Option<Vec<FieldLocation>> = None;
        let second = (0..40).find_map(|_| {
            machine.turn();
            machine.until(1, 2);
            let now = match &places {
                None => find(&machine, 1),
                Some(places) => narrow_fields(places, &rams(&machine), &machine.fields[1]),
            };
            let now: Vec<_> = now
                .into_iter()
                .filter(|place| merged_layout(Some(&first), place, 1, false, "").is_ok())
                .collect();
            let one = only_location(&now).cloned();
            places = Some(now);
            one
        });
        let both = merged_layout(Some(&first), &second.expect(layout.name), 1, false, "test").unwrap();
        assert!(read_a_thousand(&mut machine, &profile_of(&both), 2) > 700);
        let again = merged_layout(Some(&both), &place, 1, false, "");
        assert_eq!(again, Err(MergeFieldError::First(place.address)));
        assert_eq!(merged_layout(None, &place, 1, false, ""), Err(MergeFieldError::NoFirst));
    }
}

#[test]
fn the_previous_frames_buffer_is_excluded_and_a_copy_is_never_chosen() {
    let stale = LAYOUTS.into_iter().find(|layout| layout.stale.is_some()).unwrap();
    let mut machine = Machine::new(stale, 7);
    machine.until(0, 3);
    machine.frame(); // nothing came down: both buffers are alike
    let places = find(&machine, 0);
    assert_eq!((places.len(), only_location(&places)), (2, None));
    machine.turn();
    let left = narrow_fields(&places, &rams(&machine), &machine.fields[0]);
    assert!(left.len() == 1 && is_it(&left[0], &machine, 0), "{left:?}");

    let mut machine = Machine::new(COPIED, 8);
    machine.until(0, 3);
    let mut places = find(&machine, 0);
    for _ in 0..100 {
        assert_eq!((places.len(), only_location(&places)), (2, None));
        machine.turn();
        places = narrow_fields(&places, &rams(&machine), &machine.fields[0]);
    }
}

#[test]
fn the_reasons_for_not_finding_a_field_are_distinguished() {
    let mut machine = Machine::new(LAYOUTS[3], 9);
    machine.until(0, 3);
    let all = rams(&machine);
    let find = |field: &Field| find_fields(&all, field, &Progress::default());
    let mut wrong = machine.fields[0].clone();
    let place = wrong.places().find(|place| wrong.get(*place).is_some()).unwrap();
    let other = if wrong.get(place) == Some(Color::Red) { Color::Green } else { Color::Red };
    wrong.set(place, Some(other));
    assert_eq!(find(&wrong).unwrap(), [], "one block of another colour");
    assert_eq!(find(&Field::from_text("RG\nGR\n").unwrap().in_game_size().unwrap()).unwrap(), []);
    assert!(matches!(find(&Field::default()), Err(FieldSearchError::Board(_))), "one kind of cell");
    let mut nearly = Field::default();
    nearly.set(GridCell::new(3, 11), Some(Color::Blue));
    let mut empty = Machine::new(LAYOUTS[3], 10);
    empty.ram.fill(0);
    empty.ram[0x8000] = 1;
    let found = find_fields(&rams(&empty), &nearly, &Progress::default());
    assert!(matches!(found, Err(FieldSearchError::Everywhere)) || found.unwrap().len() > 1);
    let full = Field::from_text(&"RGBYRGB\n".repeat(12)).unwrap();
    assert!(matches!(find(&full), Err(FieldSearchError::Full)));
    assert!(matches!(field_from_screen("RGB\n"), Err(FieldSearchError::Size { columns: 3, rows: 1 })));
    assert!(matches!(field_from_screen("R......\nx......\n"), Err(FieldSearchError::Field(_))));
    assert_eq!(field_from_screen("RGB....\n").unwrap().get(GridCell::new(0, 11)), Some(Color::Red));
}

#[test]
fn unknown_codes_are_no_field_until_they_were_shown() {
    let mut machine = Machine::new(LAYOUTS[0], 11);
    let text = "R.....R\nRRGGB.B\n";
    machine.fields[0] = field_from_screen(text).unwrap();
    machine.frame();
    let places = find(&machine, 0);
    let place = places.iter().find(|place| is_it(place, &machine, 0)).unwrap();
    assert_eq!(place.open().collect::<Vec<_>>(), [Color::Yellow]);
    let profile = profile_of(&place.layout("test"));
    let board = profile.board.clone().unwrap();
    assert_eq!(board.unknown_colors().collect::<Vec<_>>(), ["yellow"]);
    machine.fields[0].set(GridCell::new(0, 9), Some(Color::Yellow));
    machine.frame();
    let ram = &rams(&machine)[usize::from(place.order == StorageOrder::SwappedWords)];
    assert_eq!(ram.order, place.order);
    let error = fields(&ram.snapshot, &profile)[0].clone().unwrap_err();
    assert_eq!(
        error,
        "not a field: 1 of 84 cells contain unknown codes (04 at 0,9); the profile has no code for yellow"
    );
    let there = locate_from_profile(&board, &rams(&machine), &machine.fields[0]);
    let learnt = merged_layout(Some(&board), only_location(&there).unwrap(), 0, false, "").unwrap();
    assert_eq!((learnt.codes, learnt.address), ([Some(1), Some(2), Some(3), Some(4)], board.address));
    assert_eq!(fields(&ram.snapshot, &profile_of(&learnt)), [Ok(machine.fields[0].clone())]);
    // At another location it does not replace the known one, unless the user asks for it.
    let elsewhere = FieldLocation { address: board.address.offset(0x100), ..place.clone() };
    assert_eq!(
        merged_layout(Some(&board), &elsewhere, 0, false, ""),
        Err(MergeFieldError::Elsewhere(board.address))
    );
    assert_eq!(merged_layout(Some(&board), &elsewhere, 0, true, "").unwrap().address, elsewhere.address);
}

#[test]
fn bits_that_only_resembled_a_code_are_dropped_when_a_later_field_disproves_them() {
    let joined = LAYOUTS.into_iter().find(|layout| layout.joined == crate::pochi_ram::Joined::Low).unwrap();
    let mut machine = Machine::new(joined, 12);
    // No two alike next to each other: nothing is joined, and the complete byte seems to be the code.
    machine.fields[0] = field_from_screen("RGBYRGB\nGBYRGBY\n").unwrap();
    machine.frame();
    let places = find(&machine, 0);
    let before = places.iter().find(|place| is_it(place, &machine, 0)).unwrap();
    assert_eq!(before.mask, 0xFF);
    machine.fields[0] = field_from_screen("RRRRRGB\nGBYRGBY\n").unwrap();
    machine.frame();
    let after = narrow_fields(&places, &rams(&machine), &machine.fields[0]);
    let after = after.iter().find(|place| is_it(place, &machine, 0)).unwrap();
    assert_eq!((after.mask, after.codes), (0xF0, [Some(0x10), Some(0x20), Some(0x30), Some(0x40)]));
    let saved = merged_layout(Some(&before.layout("")), after, 0, false, "").unwrap();
    assert_eq!((saved.mask, saved.codes), (after.mask, after.codes));
}

struct Files {
    folder: tempfile::TempDir,
}

impl Files {
    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.display().to_string()
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn run(&self, arguments: &[&str]) -> std::process::Output {
        let profiles = self.path("profiles");
        std::fs::create_dir_all(&profiles).unwrap();
        nextscope(&[arguments, &["--profiles", &profiles]].concat())
    }
}

/// The JSON output of a command.
fn json(output: &std::process::Output) -> serde_json::Value {
    serde_json::from_str(&text(output)).unwrap_or_else(|_| panic!("{}", errors(output)))
}

const LOCATE: [&str; 4] = ["profile", "locate", "--profile", "pochi-nyaa-mvs"];

#[test]
fn on_the_command_line_locations_are_narrowed_saved_and_watched() {
    let files = Files { folder: tempfile::tempdir().unwrap() };
    let mut machine = Machine::new(LAYOUTS[9], 21);
    machine.until(0, 3);
    machine.frame();
    let dump = |machine: &Machine| files.write("ram.bin", machine.stored());
    let board = |machine: &Machine, player: usize| files.write("field.txt", machine.fields[player].to_text());
    let places = files.path("places.json");
    let locate = |machine: &Machine, player: usize, more: &[&str]| {
        let (dump, board) = (dump(machine), board(machine, player));
        files.run(&[&LOCATE[..], &["--dump", &dump, "--board", &board], more].concat())
    };
    let done = locate(&machine, 0, &["--save", "--candidates", &places]);
    assert_eq!(status(&done), 1, "{}", errors(&done));
    assert!(text(&done).contains("2 candidates.") && !text(&done).contains("written"));
    assert!(std::fs::read_dir(files.path("profiles")).unwrap().next().is_none(), "nothing is guessed");
    machine.turn();
    let done = locate(&machine, 0, &["--save", "--candidates", &places, "--json"]);
    assert_eq!(status(&done), 0, "{}{}", text(&done), errors(&done));
    let output: serde_json::Value = serde_json::from_str(&text(&done)).unwrap();
    assert_eq!((output["found"].as_bool(), output["places"].as_array().unwrap().len()), (Some(true), 1));
    let written = output["written"].as_str().unwrap();
    assert!(
        Path::new(written).starts_with(files.path("profiles")) && written.ends_with("pochi-nyaa-mvs.toml")
    );
    assert_eq!(status(&nextscope(&["profile", "check", written])), 0);
    assert!(std::fs::read_to_string(written).unwrap().starts_with(built_in().1.trim_end()));

    // From now on without its location.
    machine.until(1, 2);
    machine.until(0, 2);
    let watched = files.run(&["watch", "--json", "--dump", &dump(&machine)]);
    let output = json(&watched);
    let rows: Vec<&str> = output["game"]["fields"][0]["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row.as_str().unwrap())
        .collect();
    assert_eq!(rows.join("\n") + "\n", machine.fields[0].to_text());
    let shown = text(&files.run(&["watch", "--dump", &dump(&machine)]));
    assert!(
        shown.contains("predicts and checks nothing") && shown.contains("Player 1   field at 0x10"),
        "{shown}"
    );
    assert!(!shown.contains("No round yet"), "{shown}");
    let coded = files.run(&["ignite", "--json", "--code", "--dump", &dump(&machine)]);
    let output = json(&coded);
    assert_eq!(output["code"], to_code(&machine.fields[0], None).unwrap());
    let second = files.run(&["ignite", "--code", "--player", "2", "--dump", &dump(&machine)]);
    assert!(status(&second) == 2 && errors(&second).contains("locate --player 2"), "{}", errors(&second));
    let zeros = files.write("zeros.bin", [0; crate::pochi_ram::RAM]);
    let none = files.run(&["ignite", "--code", "--dump", &zeros]);
    assert!(status(&none) == 3 && errors(&none).contains("eight blocks"), "{}", errors(&none));
    let unknown = nextscope(&["ignite", "--code", "--dump", &zeros, "--profiles", &files.path("")]);
    assert!(
        status(&unknown) == 2 && errors(&unknown).contains("no profile has the address"),
        "{}",
        errors(&unknown)
    );
    let verified = files.run(&["verify", "--dump", &dump(&machine)]);
    assert!(
        status(&verified) == 1 && text(&verified).contains("predicts and checks nothing"),
        "{}",
        text(&verified)
    );
    let done = locate(&machine, 0, &["--save"]);
    assert!(text(&done).contains("The profile already has this address"), "{}{}", text(&done), errors(&done));

    // The second player's.
    let second = files.path("second.json");
    let mut done = locate(&machine, 1, &["--player", "2", "--save", "--candidates", &second]);
    for _ in 0..20 {
        if status(&done) == 0 {
            break;
        }
        machine.turn();
        done = locate(&machine, 1, &["--player", "2", "--save", "--candidates", &second]);
    }
    assert_eq!(status(&done), 0, "{}{}", text(&done), errors(&done));
    machine.until(0, 2);
    let watched = files.run(&["watch", "--json", "--dump", &dump(&machine)]);
    let output = json(&watched);
    assert_eq!(output["game"]["fields"].as_array().unwrap().len(), 2);
    let last = output["game"]["fields"][1]["rows"][11].as_str().unwrap();
    assert_eq!(last, machine.fields[1].to_text().lines().last().unwrap());
}

#[test]
fn on_the_command_line_a_copy_is_chosen_by_hand_and_errors_are_reported() {
    let files = Files { folder: tempfile::tempdir().unwrap() };
    let mut machine = Machine::new(COPIED, 22);
    machine.until(0, 3);
    let dump = files.write("ram.bin", machine.stored());
    let board = files.write("field.txt", machine.fields[0].to_text());
    let locate = |more: &[&str]| {
        files.run(&[&LOCATE[..], &["--dump", &dump, "--board", &board, "--swapped"], more].concat())
    };
    assert_eq!(status(&locate(&[])), 1);
    let out = files.path("mine.toml");
    let wrong = locate(&["--address", "0x100000"]);
    assert!(
        status(&wrong) == 2 && errors(&wrong).contains("candidates are 0x103001, 0x104001"),
        "{}",
        errors(&wrong)
    );
    let done = locate(&["--address", "0x104001", "--write", &out]);
    assert_eq!(status(&done), 0, "{}", errors(&done));
    let written = std::fs::read_to_string(&out).unwrap();
    assert!(written.contains("address = 0x104001") && written.contains("chosen by hand"), "{written}");
    assert!(status(&locate(&["--address", "0x104001", "--write", &out])) == 2, "nothing is overwritten");

    let run = |arguments: &[&str]| files.run(&[&LOCATE[..], arguments].concat());
    let none = run(&["--dump", &dump]);
    assert!(status(&none) == 2 && errors(&none).contains("--board FILE"), "{}", errors(&none));
    let odd = files.write("odd.txt", "RG\n");
    let odd = run(&["--dump", &dump, "--board", &odd]);
    assert!(status(&odd) == 2 && errors(&odd).contains("the game's has 7 and 12"), "{}", errors(&odd));
    let short = files.write("short.bin", [0; 10]);
    let short = run(&["--dump", &short, "--board", &board]);
    assert!(
        status(&short) == 2 && errors(&short).contains("a dump of 68K RAM has 65536"),
        "{}",
        errors(&short)
    );
    let gone = run(&["--pid", "4194305", "--board", &board]);
    assert_eq!(status(&gone), 3, "{}", errors(&gone));
    let other = files.run(&["profile", "locate", "--board", &board, "--dump", &dump]);
    assert!(errors(&other).contains("--board is not for profile"), "{}", errors(&other));
    let nowhere = files.write("nowhere.txt", "RGBYRGB\nYRGBRGB\n");
    let nowhere = run(&["--dump", &dump, "--board", &nowhere]);
    assert!(status(&nowhere) == 1 && text(&nowhere).contains("Field not found in RAM"), "{}", text(&nowhere));
}

#[test]
fn in_a_process_the_field_is_located_remembered_and_followed() {
    let mut target = holder(33);
    let pid = target.pid();
    let mut ask = |what: &str| ask(&mut target, what);
    let query = RamQuery { console: ConsoleId::NeoGeo, base: None, order: None };
    let mut field = ask("field");
    let mut places: Option<Vec<FieldLocation>> = None;
    let place = (0..20)
        .find_map(|_| {
            let rams = field_rams(pid, query).unwrap();
            assert!(rams.iter().all(|ram| ram.method == Some(DetectionMethod::MallocChunk)));
            let now = match &places {
                None => find_fields(&rams, &field, &Progress::default()).unwrap(),
                Some(places) => narrow_fields(places, &rams, &field),
            };
            let one = only_location(&now).cloned();
            places = Some(now);
            field = ask("turn");
            one
        })
        .expect("one place");
    let home = tempfile::tempdir().unwrap();
    let library = Library::load(Some(home.path()));
    let layout = merged_layout(None, &place, 0, false, "test").unwrap();
    let profile = library.by_id("pochi-nyaa-mvs").unwrap();
    nextscope::profile::Addition::board(library.folder(), profile, &layout).unwrap().write().unwrap();
    let library = library.reload();
    assert!(library.diagnostics().is_empty());

    let options = Options { pid: Some(pid), profiles: library.profiles().to_vec(), ..Options::default() };
    let sampler = Sampler::start(options).unwrap();
    let mut views = sampler.view();
    let mut shows = |expected: &Field, ask: &mut dyn FnMut(&str) -> Field| {
        crate::waiting::eventually(&format!("the field\n{}", expected.to_text()), || {
            let view = views.get();
            if let (Connection::Live | Connection::Paused { .. }, Some(data)) = (&view.connection, &view.data)
                && let Ok(observation) = &data.observation
                && let Some(observation) =
                    observation.get::<nextscope::games::pochi_nyaa::live::Observation>()
                && observation.players[0].field.as_ref() == Ok(expected)
            {
                assert_eq!(view.target.as_ref().unwrap().profile.id, "pochi-nyaa-mvs");
                return true;
            }
            let still = ask("field"); // RAM changes as a running game's does
            assert_eq!(still.to_text(), expected.to_text());
            false
        });
    };
    for _ in 0..40 {
        let expected = ask("turn");
        shows(&expected, &mut ask);
    }
    // A cleared field is an empty one, and the game is still there.
    let expected = ask("clear");
    shows(&expected, &mut ask);
    assert_eq!(sampler.view().get().totals.attachments, 1);
}
