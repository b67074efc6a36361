//! Every export format of a route, read back by independent code.
use crate::movies::profile;
use crate::movies::readers::{PadFrame, read_bk2, read_gmv, unzip};
use nextscope::demo::Buttons;
use nextscope::profile::FrameStatus;
use nextscope::puyo::{Cell, Field, Placement, Rotation, Rules, field_from_code, field_from_rows, reachable};
use nextscope::route::export::{
    ExportError, Listing, Mark, Movie, board_png, board_svg, chainsim_link, puyop_link, puyop_steps,
    route_apng, route_png, route_svg, route_svg_animated, scenes,
};
use nextscope::route::{FrameTable, Input, Route, Start, find_all_inputs};
use nextscope_boards::{Color, Pair};
use std::collections::{BTreeMap, HashMap};

const fn pair(axis: Color, child: Color) -> Pair {
    Pair { axis, child }
}

/// Pixels of the images; see docs/routes.md.
const CELL: u32 = 28;
const MARGIN: u32 = 10;
const BOARD: (u32, u32) = (6 * CELL + 2 * MARGIN, 13 * CELL + 2 * MARGIN + 40);

/// Three pairs; the last one sets off a chain of two.
fn route() -> Route {
    let field = field_from_rows(&["...O..", "RRRG..", "GGBGG."]).unwrap();
    let pairs = vec![
        pair(Color::BLUE, Color::PURPLE),
        pair(Color::YELLOW, Color::GREEN),
        pair(Color::RED, Color::GREEN),
    ];
    let start = Start { field, pairs, rules: Rules::TWENTIETH, target_points: 70 };
    let at = |column, rotation| Placement::new(column, rotation).unwrap();
    let places = [at(5, Rotation::Left), at(5, Rotation::Down), at(1, Rotation::Right)];
    Route::replay(&start, &places).unwrap()
}

fn table() -> FrameTable {
    FrameTable::of(&profile("puyo-tsu-genesis")).unwrap()
}

/// Pseudo-random numbers that are the same in every run (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ mixed >> 31) >> 33).unwrap() % limit
    }
}

/// Pairs placed anywhere that can be reached, until the game is lost or they run out.
fn random_route(seed: u64) -> Route {
    let mut random = Random(seed);
    let pairs =
        (0..30).map(|_| pair(Color::PAIR_COLORS[random.below(5)], Color::PAIR_COLORS[random.below(5)]));
    let start = Start::empty(pairs.collect(), Rules::TSU);
    let mut places = Vec::new();
    loop {
        let route = Route::replay(&start, &places).unwrap();
        let reached: Vec<Placement> = reachable(&route.end()).iter().collect();
        if reached.is_empty() || places.len() == start.pairs.len() {
            return route;
        }
        places.push(reached[random.below(reached.len())]);
    }
}

#[test]
fn links_lead_back_to_the_route() {
    let route = route();
    assert_eq!((route.chain, route.steps.len()), (2, 3));
    let link = puyop_link(&route).unwrap();
    assert_eq!(field_from_code(&link), Ok(route.start));
    let read = puyop_steps(&link).unwrap();
    assert_eq!(read.placed, route.steps.iter().map(|step| (step.pair, step.placement)).collect::<Vec<_>>());
    assert!(read.coming.is_empty());
    // The simulator's digits, one a cell, the last one at the right end of the floor.
    let landed = route.longest().unwrap().landed;
    let link = chainsim_link(&landed).unwrap();
    let (head, digits) = link.split_once("&chain=").unwrap();
    assert_eq!(head, "https://puyonexus.com/chainsim/?w=6&h=12&hr=1");
    let cells: BTreeMap<char, char> =
        "0.4R7G5B6Y8P1O".chars().collect::<Vec<_>>().chunks(2).map(|two| (two[0], two[1])).collect();
    let mut field = Field::default();
    for (nth, digit) in digits.chars().rev().enumerate() {
        field.set(5 - nth % 6, nth / 6, Cell::from_letter(cells[&digit]).unwrap());
    }
    assert_eq!(field, landed);
}

#[test]
fn tables_have_the_documented_names() {
    let route = route();
    let listing = Listing::of(&route, Some(&table())).unwrap();
    let json = serde_json::to_value(&listing).unwrap();
    let keys = |value: &serde_json::Value| {
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort_unstable();
        keys.join(" ")
    };
    assert_eq!(
        keys(&json),
        "chain frames frames_complete frames_confirmed frames_status garbage pairs_used puyop score start steps"
    );
    let step = &json["steps"][2];
    assert_eq!(
        keys(step),
        "after at_frame boards_certain chain column frames garbage inputs inputs_certain landed number pair rotation score"
    );
    assert_eq!(keys(&step["frames"]), "chain fall lock move next");
    assert_eq!(keys(&step["landed"]), "code rows");
    assert_eq!(
        (&step["pair"], &step["column"], &step["rotation"]),
        (&"RG".into(), &2.into(), &"right".into())
    );
    assert_eq!((&step["number"], &step["chain"]), (&3.into(), &2.into()));
    assert_eq!(json["frames_confirmed"], false);
    let frames = |of: &serde_json::Value| {
        of.as_object().unwrap().values().map(|part| part.as_u64().unwrap()).sum::<u64>()
    };
    let steps = json["steps"].as_array().unwrap();
    assert_eq!(steps[0]["at_frame"], 0);
    assert_eq!(
        steps[2]["at_frame"].as_u64().unwrap(),
        frames(&steps[0]["frames"]) + frames(&steps[1]["frames"])
    );
    assert_eq!(
        json["frames"].as_u64().unwrap(),
        steps.iter().map(|step| frames(&step["frames"])).sum::<u64>()
    );
    let without = serde_json::to_value(Listing::of(&route, None).unwrap()).unwrap();
    assert!(without["frames"].is_null() && without["steps"][0]["frames"].is_null());

    let text = listing.csv().unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<HashMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 3);
    for (row, step) in rows.iter().zip(&route.steps) {
        let field = field_from_rows(&row["landed"].split('/').collect::<Vec<_>>()).unwrap();
        assert_eq!(field, step.landed);
        assert_eq!(field_from_code(&row["after_code"]), Ok(step.after));
        let parts = ["move", "fall", "lock", "chain", "next"]
            .map(|part| row[&format!("frames_{part}")].parse::<u32>().unwrap());
        assert_eq!(parts.iter().sum::<u32>().to_string(), row["frames"]);
    }
    assert_eq!(
        (rows[0]["inputs"].as_str(), rows[0]["rotation"].as_str()),
        (listing.steps[0].inputs.as_str(), "left")
    );
}

#[test]
fn movies_contain_the_buttons_of_the_route() {
    let movie = Movie::of(&route(), &table(), 25).unwrap();
    let genesis = profile("puyo-tsu-genesis");
    let held: Vec<Option<Input>> = movie.held().collect();
    assert_eq!(held.len(), movie.frames() as usize);
    let pressed = held.iter().map(|held| match held {
        None => Buttons::NONE,
        Some(Input::Left) => Buttons::LEFT,
        Some(Input::Right) => Buttons::RIGHT,
        Some(Input::Down) => Buttons::DOWN,
        Some(Input::Anticlockwise) => Buttons::A,
        Some(Input::Clockwise) => Buttons::B,
    });
    let expected: Vec<PadFrame> =
        pressed.map(|pressed| PadFrame { pads: [pressed, Buttons::NONE] }).collect();
    let bk2 = movie.bk2(&genesis).unwrap();
    assert!(read_bk2(&bk2).unwrap() == expected);
    let entries = unzip(&bk2).unwrap();
    assert_eq!(
        entries.keys().collect::<Vec<_>>(),
        ["Comments.txt", "Header.txt", "Input Log.txt", "SyncSettings.json"]
    );
    let comments = String::from_utf8(entries["Comments.txt"].clone()).unwrap();
    assert!(comments.contains("an estimate that was not verified") && comments.contains("after 25 frames"));

    let gmv = movie.gmv(&genesis).unwrap();
    assert!(read_gmv(&gmv).unwrap() == expected);
    assert!(gmv[0x18..].starts_with(b"Nextscope route; times are estimates\0"));

    let inp = movie.inp(&genesis).unwrap();
    assert!(inp[0x20..].starts_with(b"Nextscope; times are estimates\0"));

    let ds = profile("puyo-20th-nds");
    let dsm = movie.dsm(&ds).unwrap();
    assert!(dsm.starts_with("version 2\n") && dsm.contains("\nromSerial NTR-TP4J\n"));
    let frames: Vec<&str> = dsm.lines().filter(|line| line.starts_with('|')).collect();
    for (frame, held) in frames.iter().zip(&held) {
        let (pad, touch) = frame.strip_prefix("|0|").unwrap().split_at(13);
        assert_eq!(touch, "000 000 0 000|");
        let pressed: Vec<char> = pad.chars().filter(|c| *c != '.').collect();
        let expected = held.map(|held| match held {
            Input::Left => 'L',
            Input::Right => 'R',
            Input::Down => 'D',
            Input::Anticlockwise => 'B',
            Input::Clockwise => 'A',
        });
        assert_eq!(pressed, expected.into_iter().collect::<Vec<_>>());
        assert!(pad.chars().zip("RLDUTSBAYXWEG".chars()).all(|(c, name)| c == '.' || c == name));
    }
    assert_eq!(frames.len(), held.len());
    assert!(matches!(movie.dsm(&genesis), Err(ExportError::Unsuited(_))));
    assert!(matches!(movie.bk2(&ds), Err(ExportError::Unsuited(_))));
    assert!(matches!(movie.gmv(&ds), Err(ExportError::Unsuited(_))));
}

/// A minimal game: columns are heights, a pair moves on the frame of a press, falls while Down is held.
struct Game {
    heights: [usize; 6],
    axis: (i32, i32),
    turns: usize,
    stuck: bool,
    last: Option<Input>,
    /// Frames that Down was held since the last row, and since the pair rests.
    down: u32,
}

const ROUND: [(i32, i32); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];

impl Game {
    fn new(field: &Field) -> Self {
        Self { heights: field.heights(), axis: (2, 11), turns: 0, stuck: false, last: None, down: 0 }
    }

    fn free(&self, (column, row): (i32, i32)) -> bool {
        (0..6).contains(&column)
            && row < 14
            && row >= i32::try_from(self.heights[usize::try_from(column).unwrap()]).unwrap()
    }

    fn fits(&self, (column, row): (i32, i32), turns: usize) -> bool {
        let (across, up) = ROUND[turns];
        row <= 12 && self.free((column, row)) && self.free((column + across, row + up))
    }

    fn to(&mut self, axis: (i32, i32), turns: usize) -> bool {
        let fits = self.fits(axis, turns);
        if fits {
            (self.axis, self.turns, self.stuck) = (axis, turns, false);
        }
        fits
    }

    fn turn(&mut self, quarters: usize) {
        let (column, row) = self.axis;
        if self.stuck {
            let row = if self.turns == 0 { row + 1 } else { row - 1 };
            self.to((column, row), (self.turns + 2) % 4);
            return;
        }
        let turns = (self.turns + quarters) % 4;
        let (across, up) = ROUND[turns];
        let done = self.to((column, row), turns) || (up <= 0 && self.to((column - across, row - up), turns));
        self.stuck |= !done && across != 0;
    }

    /// One frame; returns where the pair locks, when it does.
    fn frame(&mut self, held: Option<Input>, table: &FrameTable) -> Option<Placement> {
        let (column, row) = self.axis;
        let pressed = held.filter(|_| held != self.last);
        self.last = held;
        match pressed {
            Some(Input::Left) => _ = self.to((column - 1, row), self.turns),
            Some(Input::Right) => _ = self.to((column + 1, row), self.turns),
            Some(Input::Clockwise) => self.turn(1),
            Some(Input::Anticlockwise) => self.turn(3),
            _ => {}
        }
        if held != Some(Input::Down) {
            return None;
        }
        self.down += 1;
        let (column, row) = self.axis;
        if self.fits((column, row - 1), self.turns) {
            if self.down == table.fall {
                self.down = 0;
                self.axis.1 -= 1;
            }
            return None;
        }
        (self.down == table.lock)
            .then(|| Placement::new(usize::try_from(column).unwrap(), Rotation::ALL[self.turns]).unwrap())
    }
}

#[test]
fn a_game_played_by_the_movie_ends_as_planned() {
    let table = table();
    let mut highest = 0;
    for seed in 0..60 {
        let route = random_route(seed);
        let movie = Movie::of(&route, &table, 0).unwrap();
        let mut held = movie.held();
        let mut field = route.start;
        let costs = table.costs(&route).unwrap();
        for (nth, (step, cost)) in route.steps.iter().zip(costs).enumerate() {
            let mut game = Game::new(&field);
            let mut locked = None;
            for _ in 0..cost.total() {
                let held = held.next().unwrap();
                assert!(
                    locked.is_none() || held.is_none(),
                    "seed {seed}, pair {nth}: a button is held after the pair locked"
                );
                locked = locked.or(game.frame(held, &table));
            }
            assert_eq!(locked, Some(step.placement), "seed {seed}, pair {}", nth + 1);
            field = step.after;
            highest = highest.max(field.heights().into_iter().max().unwrap());
        }
        assert!(held.next().is_none());
        assert_eq!(find_all_inputs(&route).unwrap().len(), route.steps.len());
    }
    assert!(highest > 12, "highest stack: {highest}");
}

fn uses<'a>(node: roxmltree::Node<'a, '_>) -> impl Iterator<Item = &'a str> {
    let uses = node.descendants().filter(|node| node.has_tag_name("use"));
    uses.map(|node| node.attribute("href").unwrap().trim_start_matches('#'))
}

#[test]
fn images_of_a_route_show_every_board() {
    let route = route();
    let svg = route_svg(&route);
    let document = roxmltree::Document::parse(&svg).unwrap();
    let root = document.root_element();
    assert_eq!(root.attribute("width"), Some((4 * BOARD.0).to_string().as_str()));
    let ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    assert!(uses(root).all(|id| ids.contains(&id)), "every drawing is defined");
    let boards: Vec<_> = root.children().filter(|node| node.has_tag_name("g")).collect();
    assert_eq!(boards.len(), 4, "three pairs and the end");
    let fields: Vec<Field> = route.steps.iter().map(|step| step.landed).chain([route.end()]).collect();
    for (board, field) in boards.iter().zip(fields) {
        let drawn: Vec<&str> = uses(*board).filter(|id| id.len() == 1).collect();
        assert_eq!(drawn.len(), field.count() as usize);
    }
    let marks = |nth: usize| uses(boards[nth]).filter(|id| ["axis", "child"].contains(id)).count();
    assert_eq!([0, 1, 2, 3].map(marks), [2, 2, 2, 0]);
    let text = |nth: usize| {
        let texts = boards[nth].descendants().filter(|node| node.has_tag_name("text"));
        texts.map(|node| node.text().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(text(0), ["1 BP 6 LEFT"]);
    assert_eq!(text(2), ["3 RG 2 RIGHT".to_owned(), format!("2X {}", route.score)]);
    assert_eq!(text(3), ["END".to_owned(), format!("2X {}", route.score)]);
    let alone = board_svg(&route.end(), Rules::TSU, "A < B\u{1} & C");
    let alone = roxmltree::Document::parse(&alone).unwrap();
    assert_eq!(
        alone.descendants().find(|node| node.has_tag_name("title")).unwrap().text(),
        Some("A < B & C")
    );
}

#[test]
fn an_animated_image_shows_one_board_at_a_time() {
    let route = route();
    let scenes = scenes(&route);
    assert_eq!(scenes.len(), 3 + 2 + 1 + 1, "pairs, chain steps, the board after the chain, the end");
    assert!(scenes[3].marks.iter().all(|(_, mark)| *mark == Mark::Pop) && scenes[3].marks.len() >= 4);
    let svg = route_svg_animated(&route);
    let document = roxmltree::Document::parse(&svg).unwrap();
    let moving: Vec<_> = document.descendants().filter(|node| node.has_tag_name("animate")).collect();
    assert_eq!(moving.len(), scenes.len());
    let total: u32 = scenes.iter().map(|scene| u32::from(scene.hundredths)).sum();
    let visible_at = |node: &roxmltree::Node<'_, '_>, part: f64| {
        let times = node.attribute("keyTimes").unwrap().split(';').map(|time| time.parse::<f64>().unwrap());
        let times: Vec<f64> = times.collect();
        assert!(times[0] == 0.0 && times.is_sorted() && times.iter().all(|time| *time <= 1.0));
        let values: Vec<&str> = node.attribute("values").unwrap().split(';').collect();
        assert_eq!(values.len(), times.len());
        let now = times.iter().rposition(|time| *time <= part).unwrap();
        values[now] == "visible"
    };
    let mut passed = 0;
    for (nth, scene) in scenes.iter().enumerate() {
        let middle = (f64::from(passed) + f64::from(scene.hundredths) / 2.0) / f64::from(total);
        let visible: Vec<usize> = (0..moving.len()).filter(|nth| visible_at(&moving[*nth], middle)).collect();
        assert_eq!(visible, [nth]);
        let seconds: f64 = moving[nth].attribute("dur").unwrap().trim_end_matches('s').parse().unwrap();
        assert!((seconds * 100.0 - f64::from(total)).abs() < 1e-6);
        passed += u32::from(scene.hundredths);
    }
}

/// The colours of the images: those of Okabe and Ito, and cells without colour.
fn color_of(cell: Cell) -> [u8; 3] {
    match cell.letter() {
        'R' => [0xD5, 0x5E, 0x00],
        'Y' => [0xF0, 0xE4, 0x42],
        'G' => [0x00, 0x9E, 0x73],
        'P' => [0xCC, 0x79, 0xA7],
        'B' => [0x00, 0x72, 0xB2],
        'O' => [0xB5, 0xBA, 0xC2],
        'H' => [0x6F, 0x75, 0x7F],
        _ => [0x25, 0x28, 0x2F],
    }
}

struct Picture {
    width: u32,
    height: u32,
    bytes: Vec<u8>,
}

impl Picture {
    fn at(&self, x: u32, y: u32) -> [u8; 3] {
        let at = 3 * (y * self.width + x) as usize;
        self.bytes[at..at + 3].try_into().unwrap()
    }

    /// Whether the board with its upper left corner there shows a field, in the visible rows: a pixel of each
    /// cell, left of its letter.
    fn shows(&self, (left, top): (u32, u32), rows: u32, field: &Field) -> bool {
        (0..72u32).all(|nth| {
            let (column, row) = (nth % 6, nth / 6);
            let (x, y) = (left + MARGIN + column * CELL + 7, top + MARGIN + (rows - 1 - row) * CELL + 14);
            self.at(x, y) == color_of(field.get(column as usize, row as usize))
        })
    }
}

/// The images of a PNG, with the times of an animated one in hundredths of a second.
fn pictures(bytes: &[u8]) -> (Vec<Picture>, Vec<u16>) {
    let decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    let mut reader = decoder.read_info().unwrap();
    let frames = reader.info().animation_control().map_or(1, |control| control.num_frames);
    let (mut pictures, mut times) = (Vec::new(), Vec::new());
    for _ in 0..frames {
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        assert_eq!((info.color_type, info.bit_depth), (png::ColorType::Rgb, png::BitDepth::Eight));
        pictures.push(Picture { width: info.width, height: info.height, bytes });
        if let Some(control) = reader.info().frame_control() {
            assert_eq!(control.delay_den, 100);
            times.push(control.delay_num);
        }
    }
    (pictures, times)
}

#[test]
fn painted_images_show_the_boards() {
    let route = route();
    let (painted, times) = pictures(&route_png(&route).unwrap());
    assert_eq!((painted.len(), times.len()), (1, 0));
    assert_eq!((painted[0].width, painted[0].height), (4 * BOARD.0, BOARD.1));
    let fields = route.steps.iter().map(|step| step.landed).chain([route.end()]);
    for (nth, field) in (0..).zip(fields) {
        assert!(painted[0].shows((nth * BOARD.0, 0), 13, &field), "board {nth}");
    }
    assert!(!painted[0].shows((0, 0), 13, &route.end()), "other boards differ");

    let scenes = scenes(&route);
    let (painted, times) = pictures(&route_apng(&route).unwrap());
    assert_eq!(times, scenes.iter().map(|scene| scene.hundredths).collect::<Vec<_>>());
    for (nth, (picture, scene)) in painted.iter().zip(&scenes).enumerate() {
        assert_eq!((picture.width, picture.height), BOARD);
        assert!(picture.shows((0, 0), 13, &scene.field), "scene {nth}");
    }
    assert_eq!(painted.len(), scenes.len());

    let mut tall = Field::default();
    for _ in 0..14 {
        tall.drop(0, Cell::Hard);
        tall.drop(5, Cell::Puyo(Color::YELLOW));
    }
    let (painted, _) = pictures(&board_png(&tall, Rules::TSU, "14 rows").unwrap());
    assert_eq!(painted[0].height, BOARD.1 + CELL);
    assert!(painted[0].shows((0, 0), 14, &tall));
    assert_eq!(painted[0].at(MARGIN + 7, MARGIN + 14), color_of(Cell::Hard), "the highest row is drawn");
}

#[test]
fn checked_tables_say_so() {
    let checked = FrameTable { status: FrameStatus::Confirmed, ..table() };
    let movie = Movie::of(&route(), &checked, 0).unwrap();
    let genesis = profile("puyo-tsu-genesis");
    let comments =
        String::from_utf8(unzip(&movie.bk2(&genesis).unwrap()).unwrap()["Comments.txt"].clone()).unwrap();
    assert!(
        !comments.contains("an estimate that was not verified")
            && comments.contains("The first frame is the one")
    );
    let listing = Listing::of(&route(), Some(&checked)).unwrap();
    assert_eq!(listing.frames_confirmed, Some(true));
    assert!(!listing.frames_text().unwrap().contains('('), "nothing to be said about them");

    let measured = FrameTable { status: FrameStatus::Measured, ..table() };
    let text = Listing::of(&route(), Some(&measured)).unwrap().frames_text().unwrap();
    assert!(text.ends_with(" frames (times are measured)"), "{text}");
    let movie = Movie::of(&route(), &measured, 0).unwrap();
    let (gmv, inp) = (movie.gmv(&genesis).unwrap(), movie.inp(&genesis).unwrap());
    assert!(gmv[24..64].starts_with(b"Nextscope route; times are measured\0"));
    assert!(inp[0x20..0x40].starts_with(b"Nextscope; times are measured\0"));
}
