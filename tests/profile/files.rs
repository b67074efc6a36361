//! The built-in profiles, the schema and the template.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests")]

use nextscope::console::{ConsoleAddr, ConsoleId, Snapshot, StorageOrder};
use nextscope::games::GameId;
use nextscope::profile::{
    Anchor, Code, FieldKind, FrameStatus, Liveness, Origin, Profile, Status, built_in_files, parse, schema,
    template,
};
use serde_json::Value;

fn built_in(id: &str) -> Profile {
    let (path, text) =
        built_in_files().iter().find(|(path, _)| path.ends_with(&format!("/{id}.toml"))).unwrap();
    let (profile, diagnostics) = parse(text, path);
    assert_eq!(diagnostics, [], "{path}");
    profile.unwrap()
}

/// A second transcription from the RAM maps, so that a typo in the profile shows.
const DOCUMENTED: &[(&str, u32, u32)] = &[
    ("rng_state", 0xFFA134, 4),
    ("color_set", 0xFFA4E2, 8),
    ("pool_3", 0xFFAD00, 256),
    ("pool_4", 0xFFAE00, 256),
    ("pool_5", 0xFFAF00, 256),
    ("mode", 0xFFA130, 1),
    ("player_swap", 0xFFA132, 1),
    ("active_players", 0xFFA13F, 1),
    ("player_count", 0xFFA142, 1),
    ("rank", 0xFFA105, 1),
    ("stage", 0xFFA104, 1),
    ("p1_last_level", 0xFFA116, 1),
    ("p2_last_level", 0xFFA117, 1),
    ("p1_wins", 0xFFA110, 1),
    ("p2_wins", 0xFFA111, 1),
    ("p1_board", 0xFF8000, 0xA8),
    ("p2_board", 0xFF8800, 0xA8),
    ("p1_erase_marks", 0xFF80A8, 0x90),
    ("p2_erase_stack", 0xFF8938, 0xA8),
    ("p2_erase_groups", 0xFF89E0, 64),
    ("p1_queue", 0xFF85A0, 6),
    ("p1_pairs_dealt", 0xFF85A6, 2),
    ("p1_pool_index", 0xFF85A8, 1),
    ("p1_queue_cleared", 0xFF85AA, 1),
    ("p1_queue_display", 0xFF85AB, 1),
    ("p2_queue", 0xFF8DA0, 6),
    ("p2_pairs_dealt", 0xFF8DA6, 2),
    ("p2_pool_index", 0xFF8DA8, 1),
    ("p2_queue_animation", 0xFF8DAE, 18),
    ("p1_struct", 0xFFD080, 64),
    ("p2_struct", 0xFFD0C0, 64),
    ("p1_routine", 0xFFD082, 4),
    ("p1_flags", 0xFFD087, 1),
    ("p1_speed_level", 0xFFD088, 1),
    ("p1_chain", 0xFFD089, 1),
    ("p1_score", 0xFFD08A, 4),
    ("p2_score", 0xFFD0CA, 4),
    ("p1_base_score", 0xFFD092, 2),
    ("p1_incoming_garbage", 0xFFD094, 2),
    ("p1_puyos_erased", 0xFFD096, 2),
    ("p1_multiplier", 0xFFD09E, 2),
    ("p1_garbage_remainder", 0xFFD0A3, 1),
    ("p1_number", 0xFFD0AA, 1),
    ("p1_level", 0xFFD0AB, 1),
    ("p2_level", 0xFFD0EB, 1),
    ("p1_opponent", 0xFFD0AE, 4),
    ("p2_queue_pointer", 0xFFD0F2, 4),
    ("p2_pending_garbage", 0xFFD0F8, 2),
    ("objects", 0xFFD100, 3840),
    ("option_block", 0xFF4800, 768),
    ("option_block_copy", 0xFF4B00, 768),
    ("option_magic", 0xFF4AF8, 8),
    ("option_copy_magic", 0xFF4DF8, 8),
    ("option_rule_set", 0xFF4804, 1),
    ("rule_set", 0xFFA108, 1),
    ("target_points", 0xFF480D, 1),
    ("pop_count", 0xFF480E, 1),
    ("p1_button_config", 0xFF4815, 1),
    ("p2_button_config", 0xFF4816, 1),
    ("vint_counter", 0xFFA000, 4),
    ("vint_flag", 0xFFA060, 2),
    ("seconds", 0xFFA064, 2),
    ("play_seconds", 0xFFA067, 1),
    ("play_minutes", 0xFFA068, 1),
    ("frame_counter", 0xFFA069, 1),
    ("vint_hold", 0xFFA106, 1),
    ("p1_pad_held", 0xFFF070, 1),
    ("p1_pad_pressed", 0xFFF071, 1),
    ("p2_pad_held", 0xFFF076, 1),
    ("p2_pad_pressed", 0xFFF077, 1),
];

#[test]
fn built_in_profiles_have_every_documented_address() {
    for id in ["puyo-tsu-genesis", "puyo-tsu-arcade"] {
        let profile = built_in(id);
        assert_eq!(profile.id, id);
        for &(name, address, bytes) in DOCUMENTED {
            let field = profile.field(name).unwrap_or_else(|| panic!("{id} has no {name}"));
            assert_eq!((field.address, field.kind.bytes()), (ConsoleAddr(address), bytes), "{id} {name}");
        }
        for spec in profile.game.fields() {
            assert!(profile.field(spec.name).is_some_and(|field| field.kind.bytes() == spec.bytes));
        }
        assert!(profile.fields.values().all(|field| !field.source.is_empty()));
        assert_eq!(profile.variant("dealing"), "first-three-from-pool-3");
        assert_eq!(profile.variant("no such variant"), "");
    }
}

#[test]
fn genesis_profile_lists_its_anchors_by_reliability() {
    let profile = built_in("puyo-tsu-genesis");
    assert_eq!((profile.game, profile.console), (nextscope::games::puyo_tsu::ID, ConsoleId::Genesis));
    let pair = Anchor::ChecksummedPair {
        first: ConsoleAddr(0xFF4800),
        second: ConsoleAddr(0xFF4B00),
        length: 768,
        magic: "COMPILE!".into(),
        magic_offset: 0x2F8,
    };
    assert_eq!(profile.anchors, [pair, Anchor::Pools]);
    let moving = |cell: &Liveness| (cell.field.clone(), cell.per_frame, cell.modulo);
    let cells: Vec<_> = profile.liveness.iter().map(moving).collect();
    assert_eq!(cells, [("frame_counter".into(), 1, 256), ("vint_counter".into(), 0x4022, 1_000_000)]);
    assert_eq!(profile.roms[0].checksum, Some(0x136F));
}

#[test]
fn arcade_profile_claims_only_what_was_observed() {
    let profile = built_in("puyo-tsu-arcade");
    assert_eq!((profile.console, profile.status), (ConsoleId::SystemC2, Status::Unconfirmed));
    assert!(profile.fields.values().all(|field| !field.confirmed));
    assert_eq!(profile.roms[0].mame_set.as_deref(), Some("puyopuy2"));
}

#[test]
fn fields_are_read_in_the_processors_byte_order() {
    let text = built_in_files()[0].1.to_owned()
        + "[fields.x_i8]\naddress = 0xFF0000\ntype = \"i8\"\nsource = \"test\"\n"
        + "[fields.x_i16]\naddress = 0xFF0002\ntype = \"i16\"\nsource = \"test\"\n"
        + "[fields.x_i32]\naddress = 0xFF0004\ntype = \"i32\"\nsource = \"test\"\n"
        + "[fields.x_bcd]\naddress = 0xFF0009\ntype = \"bcd\"\nlength = 3\nsource = \"test\"\n"
        + "[fields.x_no_bcd]\naddress = 0xFF000C\ntype = \"bcd\"\nlength = 2\nsource = \"test\"\n"
        + "[fields.x_last]\naddress = 0xFFFFFF\ntype = \"u8\"\nsource = \"test\"\n";
    let (profile, diagnostics) = parse(&text, "test.toml");
    assert_eq!(diagnostics, []);
    let profile = profile.unwrap();
    assert_eq!(profile.origin, Origin::File("test.toml".into()));
    let domain = profile.console.domain();
    let mut bytes = vec![0; 0x1_0000];
    bytes[..14]
        .copy_from_slice(&[0xFE, 0, 0x80, 0x01, 0xFF, 0xFF, 0xFF, 0xFD, 0, 0x12, 0x34, 0x56, 0x1A, 0x02]);
    bytes[0xA134..0xA138].copy_from_slice(&[0x35, 0x87, 0x9D, 0xE2]);
    bytes[0x4AF8..0x4B00].copy_from_slice(b"COMPILE!");
    bytes[0x85A0..0x85A8].copy_from_slice(&[4, 0, 0, 4, 5, 5, 0x01, 0x02]);
    bytes[0xFFFF] = 7;
    let shown =
        |snapshot: &Snapshot, name: &str| profile.field(name).unwrap().read(snapshot).unwrap().to_string();
    for order in StorageOrder::ALL {
        let mut stored = bytes.clone();
        order.reorder(&mut stored);
        let snapshot = Snapshot::from_stored(domain, order, stored).unwrap();
        for (name, expected) in [
            ("rng_state", "0x35879DE2 = 898080226"),
            ("p1_pairs_dealt", "0x0102 = 258"),
            ("p1_queue", "04 00 00 04 05 05"),
            ("option_magic", "\"COMPILE!\""),
            ("pool_3", "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 ... (256 bytes)"),
            ("x_i8", "-2"),
            ("x_i16", "-32767"),
            ("x_i32", "-3"),
            ("x_bcd", "123456"),
            ("x_no_bcd", "1A 02"),
            ("x_last", "0x07 = 7"),
        ] {
            assert_eq!(shown(&snapshot, name), expected, "{name}, {order}");
        }
        let rng = profile.field("rng_state").unwrap().read(&snapshot).unwrap();
        assert_eq!(rng.number(), Some(0x3587_9DE2));
        let pool = profile.field("pool_3").unwrap().read(&snapshot).unwrap();
        assert_eq!(format!("{pool:#}").len(), 256 * 3 - 1);
    }
    assert_eq!(profile.field("x_bcd").unwrap().kind, FieldKind::Bcd { length: 3 });
    assert_eq!(profile.fields_by_address().last().unwrap().name, "x_last");
}

#[test]
fn digest_follows_the_text() {
    let genesis = built_in("puyo-tsu-genesis");
    let (changed, _) = parse(&(built_in_files()[0].1.to_owned() + "# more\n"), "x");
    assert_ne!(genesis.digest, changed.unwrap().digest);
    assert_eq!(genesis.digest.len(), 16);
}

#[test]
fn committed_schema_matches_the_generated_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/profile.schema.json");
    if std::env::var_os("NEXTSCOPE_BLESS").is_some() {
        std::fs::write(path, schema()).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap();
    assert!(
        committed == schema(),
        "docs/profile.schema.json is old: run the tests once with NEXTSCOPE_BLESS=1"
    );
}

/// The table of the keys of `schema`, the required ones first.
fn key_table(schema: &Value, root: &Value) -> String {
    let required: Vec<&str> = schema["required"].as_array().map_or(Vec::new(), |keys| {
        keys.iter().filter_map(Value::as_str).filter(|key| *key != "kind").collect()
    });
    let properties = schema["properties"].as_object().unwrap();
    let optional =
        properties.keys().map(String::as_str).filter(|key| !required.contains(key) && *key != "kind");
    let mut table = "| key | | meaning |\n|---|---|---|\n".to_owned();
    for key in required.iter().copied().chain(optional) {
        let property = &properties[key];
        let need = if required.contains(&key) { "required" } else { "" };
        let meaning = property["description"].as_str().unwrap().replace('\n', " ");
        let words = words_of(property, root).map_or(String::new(), |words| format!(" One of {words}."));
        table.push_str(&format!("| `{key}` | {need} | {meaning}{words} |\n"));
    }
    table
}

/// The allowed words of a value.
fn words_of(schema: &Value, root: &Value) -> Option<String> {
    let reference = schema["$ref"].as_str().or(schema.pointer("/allOf/0/$ref").and_then(Value::as_str));
    if let Some(path) = reference {
        return words_of(root.pointer(path.trim_start_matches('#')).unwrap(), root);
    }
    let words: Vec<&str> = match (&schema["enum"], &schema["oneOf"]) {
        (Value::Array(words), _) => words.iter().filter_map(Value::as_str).collect(),
        (_, Value::Array(choices)) => choices.iter().filter_map(|choice| choice["const"].as_str()).collect(),
        _ => return None,
    };
    let words: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

fn anchor_table(schema: &Value) -> String {
    let mut table = "| `kind` | keys | the content |\n|---|---|---|\n".to_owned();
    for anchor in schema["definitions"]["Anchor"]["oneOf"].as_array().unwrap() {
        let kind = anchor["properties"]["kind"]["const"].as_str().unwrap();
        let keys = anchor["required"].as_array().unwrap().iter().filter_map(Value::as_str);
        let keys: Vec<String> = keys.filter(|key| *key != "kind").map(|key| format!("`{key}`")).collect();
        let meaning = anchor["description"].as_str().unwrap().replace('\n', " ");
        table.push_str(&format!("| `{kind}` | {} | {meaning} |\n", keys.join(", ")));
    }
    table
}

/// Each table after a line `<!-- keys of NAME -->` is generated.
#[test]
fn documented_keys_match_the_format() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/profiles.md");
    let page = std::fs::read_to_string(path).unwrap();
    let schema: Value = serde_json::from_str(&schema()).unwrap();
    let mut expected = page.clone();
    for name in ["Profile", "Rom", "Anchor", "Liveness", "Field", "Frames", "Board"] {
        let table = match name {
            "Profile" => key_table(&schema, &schema),
            "Anchor" => anchor_table(&schema),
            name => key_table(&schema["definitions"][name], &schema),
        };
        let mark = format!("<!-- keys of {name} -->\n");
        let (before, after) =
            expected.split_once(&mark).unwrap_or_else(|| panic!("docs/profiles.md: no {mark}"));
        let after = &after[after.find("\n\n").unwrap() + 1..];
        expected = format!("{before}{mark}{table}{after}");
    }
    if std::env::var_os("NEXTSCOPE_BLESS").is_some() {
        std::fs::write(path, &expected).unwrap();
    }
    let page = std::fs::read_to_string(path).unwrap();
    let first = page.lines().zip(expected.lines()).find(|(page, expected)| page != expected);
    for spec in GameId::ALL.iter().flat_map(|game| game.variants()) {
        for (choice, _) in spec.choices {
            assert!(page.contains(&format!("`{choice}`")), "{} = {choice} is not documented", spec.name);
        }
    }
    assert!(
        page == expected,
        "docs/profiles.md is old: run the tests once with NEXTSCOPE_BLESS=1: {first:?}"
    );
}

/// The keys that the parser accepts at the place where `text` has the key `zzzzzzzzzzzz`.
fn keys_of_parser(text: &str) -> Vec<String> {
    let (_, diagnostics) = parse(text, "x");
    let diagnostic = diagnostics.iter().find(|diagnostic| diagnostic.code == Code::UnknownKey).expect(text);
    let help = diagnostic.help.clone().unwrap();
    let mut keys: Vec<String> = help.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    keys.sort();
    keys
}

fn keys_of_schema(object: &Value) -> Vec<String> {
    assert_eq!(object["additionalProperties"], false);
    let mut keys: Vec<String> = object["properties"].as_object().unwrap().keys().cloned().collect();
    keys.sort();
    keys
}

#[test]
fn schema_and_parser_accept_the_same_keys() {
    let schema: Value = serde_json::from_str(&schema()).unwrap();
    assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    let definitions = &schema["definitions"];
    let wrong = "zzzzzzzzzzzz = 1\n";
    assert_eq!(keys_of_parser(wrong), keys_of_schema(&schema));
    assert_eq!(keys_of_parser(&format!("[[roms]]\n{wrong}")), keys_of_schema(&definitions["Rom"]));
    assert_eq!(keys_of_parser(&format!("[[liveness]]\n{wrong}")), keys_of_schema(&definitions["Liveness"]));
    let field = format!("[fields.a]\ntype = \"bytes\"\n{wrong}");
    assert_eq!(keys_of_parser(&field), keys_of_schema(&definitions["Field"]));
    assert_eq!(keys_of_parser(&format!("[frames]\n{wrong}")), keys_of_schema(&definitions["Frames"]));
    let time = |key: &str| keys_of_parser(&format!("[frames.{key}]\n{wrong}"));
    let timed = |key: &str| {
        let reference = definitions["Frames"]["properties"][key].to_string();
        let name = reference.split("#/definitions/").nth(1).unwrap().split('"').next().unwrap().to_owned();
        keys_of_schema(&definitions[name])
    };
    assert_eq!(time("lock"), timed("lock"));
    assert_eq!(time("chain"), timed("chain"));
    assert_eq!(time("press"), timed("press"));
    assert_eq!(keys_of_parser(&format!("[board]\n{wrong}")), keys_of_schema(&definitions["Board"]));
    let kinds = definitions["Anchor"]["oneOf"].as_array().unwrap();
    assert_eq!(kinds.len(), 8);
    for kind in kinds {
        let name = &kind["properties"]["kind"]["const"];
        assert_eq!(keys_of_parser(&format!("[[anchors]]\nkind = {name}\n{wrong}")), keys_of_schema(kind));
    }
}

#[test]
fn schema_and_parser_accept_the_same_words() {
    let schema: Value = serde_json::from_str(&schema()).unwrap();
    let words = |name: &str| schema["definitions"][name].to_string();
    for console in ConsoleId::ALL {
        assert!(words("ConsoleId").contains(&format!("\"{}\"", console.id())));
    }
    for game in GameId::ALL {
        let is_listed = schema["properties"]["game"].to_string().contains(&format!("\"{}\"", game.id()));
        assert_eq!(is_listed, GameId::named().any(|named| named == *game), "{game}");
    }
    for status in Status::ALL {
        assert!(words("Status").contains(&format!("\"{status}\"")));
    }
}

#[test]
fn template_only_needs_to_be_filled_in() {
    for &game in GameId::ALL {
        for &console in ConsoleId::ALL {
            let text = template(game, console, "my-version");
            for spec in game.fields() {
                assert!(text.contains(&format!("[fields.{}]", spec.name)), "{} is not listed", spec.name);
                assert!(text.contains(spec.meaning));
            }
            let (profile, diagnostics) = parse(&text, "x");
            assert_eq!(profile, None);
            let other: Vec<_> =
                diagnostics.iter().filter(|diagnostic| diagnostic.code != Code::FillIn).collect();
            assert!(other.is_empty(), "{other:?}");
            let required = game.fields().iter().filter(|spec| spec.required).count();
            let randomizer = game.definition().declared.as_ref();
            let constants = randomizer.map_or(0, |declared| declared.template.matches("\"?\"").count());
            assert_eq!(
                diagnostics.len(),
                required * 2 + 1 + constants,
                "address and source of each, the cell that moves, and the constants of the randomizer"
            );
        }
    }
}

#[test]
fn template_that_is_filled_in_is_valid() {
    let mut text = template(nextscope::games::puyo_tsu::ID, ConsoleId::Genesis, "my-version");
    let mut address = 0xFF_0000;
    while text.contains("address = \"?\"\ntype") {
        text = text.replacen("address = \"?\"\ntype", &format!("address = {address:#X}\ntype"), 1);
        address += 0x200;
    }
    text = text
        .replace("source = \"?\"", "source = \"test\"")
        .replace("field = \"?\"", "field = \"frame_counter\"");
    let (profile, diagnostics) = parse(&text, "x");
    assert_eq!(diagnostics, []);
    assert_eq!(profile.unwrap().id, "my-version");
}

#[test]
fn template_of_an_unusual_id_is_valid_toml() {
    for id in ["a\"b", "a\nb\n[x]", "\u{0}", "é", ""] {
        let (_, diagnostics) = parse(&template(nextscope::games::puyo_tsu::ID, ConsoleId::Genesis, id), "x");
        let other: Vec<Code> = diagnostics
            .iter()
            .map(|diagnostic| diagnostic.code)
            .filter(|code| *code != Code::FillIn)
            .collect();
        assert_eq!(other, [Code::BadText], "{id:?}");
    }
}

const FRAMES: &str = r#"
[frames]
status = "confirmed"
press = { frames = 1, source = "test" }
release = { frames = 6, source = "test" }
fall = { frames = 2, source = "test" }
lock = { frames = 3, source = "test" }
split = { frames = [0, 4], source = "test" }
chain = { frames = [0x20, 33], source = "test" }
next = { frames = 5, source = "test" }
"#;

#[test]
fn frame_tables_are_read_and_their_errors_reported() {
    let (_, text) =
        built_in_files().iter().copied().find(|(_, text)| text.contains("id = \"tgm2p\"")).unwrap();
    let with = |table: &str| {
        let source = format!("{text}\n{table}");
        let (profile, diagnostics) = parse(&source, "x");
        (profile, diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect::<Vec<_>>())
    };
    let (profile, messages) = with(FRAMES);
    let frames = profile.unwrap_or_else(|| panic!("{messages:?}")).frames.unwrap();
    assert_eq!(
        (frames.status, frames.press.frames.get(), frames.release.frames.get()),
        (FrameStatus::Confirmed, 1, 6)
    );
    assert_eq!((frames.fall.frames.get(), frames.lock.frames, frames.next.frames), (2, 3, 5));
    assert_eq!((frames.split.frames, frames.chain.frames), (vec![0, 4], vec![32, 33]));
    assert_eq!(frames.chain.source, "test");
    for (from, to, message) in [
        ("press = { frames = 1", "press = { frames = 0", "`frames` of [frames.press] is out of range"),
        ("[0, 4]", "[0, -4]", "`frames` of [frames.split] is out of range"),
        ("[0, 4]", "[]", "`frames` of [frames.split] has 0 items"),
        ("[0, 4]", "4", "`frames` of [frames.split] must be an array of integers, not an integer"),
        ("[0, 4]", "[0, \"4\"]", "`frames` of [frames.split] must be an integer, not a string"),
        ("lock = { frames = 3, source = \"test\" }", "", "[frames] has no `lock`"),
        (
            "lock = { frames = 3, source = \"test\" }",
            "lock = 3",
            "`lock` of [frames] must be a table, not an integer",
        ),
        (", source = \"test\" }\nfall", " }\nfall", "[frames.release] has no `source`"),
        ("\"confirmed\"", "\"sure\"", "unknown value `sure` for `status` of [frames]"),
    ] {
        let (profile, messages) = with(&FRAMES.replace(from, to));
        assert!(profile.is_none() && messages.iter().any(|said| said == message), "{to}: {messages:?}");
    }
}

#[test]
fn frame_tables_of_built_in_profiles_are_ascending() {
    for (_, text) in built_in_files() {
        let Some(frames) = parse(text, "x").0.unwrap().frames else { continue };
        assert!(frames.split.frames.is_sorted() && frames.chain.frames.is_sorted(), "{frames:?}");
        assert_eq!(frames.split.frames[0], 0, "without a split nothing is added");
    }
}
