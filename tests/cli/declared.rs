//! Randomizers that profiles declare: `generate` and `find`, and the examples of docs/randomizers.md.

use crate::cli_support::{answer, errors, joined, nextscope, status, text};
use std::path::Path;

const PAGE: &str = "docs/randomizers.md";

/// A profile, the words of a command and what it prints.
pub struct Example {
    pub profile: String,
    command: String,
    printed: String,
}

pub fn page() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE)).unwrap()
}

/// A block of TOML, and the block after it with a command and its output.
pub fn examples(page: &str) -> Vec<Example> {
    let examples = page.split("\n```toml\nid = ").skip(1).map(|rest| {
        let (profile, rest) = rest.split_once("```\n").unwrap();
        let block = rest.split_once("\n```\n$ nextscope ").unwrap().1.split_once("```").unwrap().0;
        let (command, printed) = block.split_once('\n').unwrap();
        Example { profile: format!("id = {profile}"), command: command.into(), printed: printed.into() }
    });
    examples.collect()
}

#[test]
fn the_examples_of_the_page_print_what_it_shows() {
    let page = page();
    let folder = tempfile::tempdir().unwrap();
    let mut now = page.clone();
    let examples = examples(&page);
    assert_eq!(examples.len(), 5);
    for Example { profile, command, printed } in examples {
        let mut words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let file = words.iter_mut().find(|word| word.ends_with(".toml")).unwrap();
        let path = folder.path().join(&*file);
        std::fs::write(&path, &profile).unwrap();
        *file = path.to_str().unwrap().to_owned();
        let checked = nextscope(&["profile", "check", file]);
        assert_eq!(status(&checked), 0, "{}", text(&checked));
        let output = nextscope(&words.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(status(&output), 0, "{command}: {}", errors(&output));
        let shown = format!("$ nextscope {command}\n{printed}```");
        assert_eq!(now.matches(&shown).count(), 1);
        now = now.replace(&shown, &format!("$ nextscope {command}\n{}```", text(&output)));
    }
    if std::env::var_os("NEXTSCOPE_BLESS").is_some() {
        std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE), now).unwrap();
    } else {
        assert!(page == now, "{PAGE} is old: run the tests once with NEXTSCOPE_BLESS=1");
    }
}

#[test]
fn examples_of_games_deal_what_their_built_in_models_deal() {
    let page = page();
    let folder = tempfile::tempdir().unwrap();
    let games = [
        ("example-history", &["tgm2", "--seed", "7"][..]),
        ("example-frames", &["tetris-nes", "--seed", "0x8988", "--steps", "44"]),
    ];
    for (id, built_in) in games {
        let example = examples(&page).into_iter().find(|example| example.profile.contains(id)).unwrap();
        std::fs::write(folder.path().join("mine.toml"), example.profile).unwrap();
        let built_in = [&["generate"], built_in].concat();
        let options: Vec<&str> = built_in[2..].to_vec();
        // By its id, from the folder of profiles.
        let profiles = folder.path().to_str().unwrap();
        let declared =
            [&["generate", "declared", "--profiles", profiles, "--profile", id][..], &options].concat();
        let (declared, built_in) = (answer(&declared, 0), answer(&built_in, 0));
        assert_eq!(declared["pieces"], built_in["pieces"], "{id}");
        assert_eq!(declared["state_after"], built_in["state_after"]);
        assert_eq!(
            (declared["game"].as_str(), declared["options"]["profile"].as_str()),
            (Some("declared"), Some(id))
        );
    }
}

#[test]
fn find_returns_the_seed_and_what_follows() {
    let page = page();
    let example =
        examples(&page).into_iter().find(|example| example.profile.contains("example-bag")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.toml");
    std::fs::write(&path, example.profile.replace("seed = { bits = 32 }", "seed = { bits = 20 }")).unwrap();
    let path = path.to_str().unwrap();
    let game = answer(&["generate", "declared", "--profile", path, "--seed", "0xABCDE"], 0);
    let pieces = joined(&game["pieces"]);
    let given = format!("{}?{}", &pieces[..9], &pieces[10..20]);
    let found = answer(&["find", "declared", "--profile", path, "--pieces", &given, "--next", "50"], 0);
    assert_eq!((found["count"].as_u64(), found["starts"].as_u64()), (Some(1), Some(1 << 20)));
    assert_eq!(found["states"][0]["state"], "0xABCDE");
    assert_eq!(joined(&found["states"][0]["next"]), pieces[20..70]);
    assert!(joined(&found["certain"]).starts_with(&pieces[20..70]));
    let nothing = nextscope(&["find", "declared", "--profile", path, "--pieces", "SSSS"]);
    assert_eq!(status(&nothing), 1);
    assert!(
        text(&nothing).starts_with("no seed produces this sequence: it fails at piece 2 of the input, S")
    );
    let streamed = nextscope(&["find", "declared", "--profile", path, "--pieces", &given, "--stream"]);
    assert!(text(&streamed).starts_with("0xABCDE\n1 of 1,048,576 seeds remains\n"), "{}", text(&streamed));
}

#[test]
fn wrong_profiles_and_games_are_named_with_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let page = page();
    let good = &examples(&page)[0].profile;
    let wrong = at("wrong.toml", &good.replace("width = 32", "width = 30"));
    let both = at("both.toml", &good.replace("console =", "game = \"tgm2\"\nconsole ="));
    let wide =
        at("wide.toml", &good.replace("bits = 32 }", "bits = 33 }").replace("width = 32", "width = 33"));
    for (arguments, words) in [
        (vec!["generate", "declared", "--seed", "1"], "give --profile"),
        (
            vec!["generate", "declared", "--profile", "tetris-nes", "--seed", "1"],
            "give tetris-nes in place of declared",
        ),
        (vec!["generate", "declared", "--profile", "nothing", "--seed", "1"], "unknown profile \"nothing\""),
        (
            vec!["generate", "declared", "--profile", "no-such.toml", "--seed", "1"],
            "cannot read no-such.toml",
        ),
        (
            vec!["generate", "declared", "--profile", &wrong, "--seed", "1"],
            "has more bits than the generator",
        ),
        (
            vec!["generate", "declared", "--profile", &wrong, "--seed", "1"],
            "the profile has errors, see above",
        ),
        (vec!["generate", "declared", "--profile", &both, "--seed", "1"], "both `game` and [randomizer]"),
        (vec!["find", "declared", "--profile", &wide, "--pieces", "JTO"], "which cannot all be tried"),
    ] {
        let output = nextscope(&arguments);
        assert_eq!(status(&output), 2, "{arguments:?}: {}", text(&output));
        assert!(errors(&output).contains(words), "{arguments:?}: {}", errors(&output));
    }
}

/// What happened, why, and what to do instead.
#[test]
fn commands_that_need_a_built_in_game_say_so() {
    let instead = "generate declared --profile PROFILE --seed SEED";
    for (arguments, why) in [
        (
            &["route", "declared", "--seed", "1"][..],
            "`nextscope route puyo-tsu --pieces PAIRS` plans for its pairs",
        ),
        (&["route", "declared", "--seeds", "all"], "`route` has built-in games only"),
        (&["simulate", "--game", "declared", "--board", "RRRR"], "`simulate` has built-in games only"),
    ] {
        let output = nextscope(arguments);
        assert_eq!(status(&output), 2, "{arguments:?}: {}", text(&output));
        let said = errors(&output);
        assert!(said.contains(why) && said.contains(instead), "{arguments:?}: {said}");
    }
}

#[test]
fn a_new_profile_for_a_declared_randomizer_is_a_template() {
    let output = nextscope(&["profile", "new", "mine", "--game", "declared", "--console", "nes"]);
    let template = text(&output);
    assert_eq!(status(&output), 0);
    assert!(!template.contains("\ngame ="), "{template}");
    assert!(template.contains("[randomizer.generator]") && template.contains("# [fields.rng_state]"));
    assert!(template.contains("# [piece_codes]"), "{template}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mine.toml");
    let filled = template
        .replace("multiplier = \"?\"", "multiplier = 0x41C64E6D")
        .replace("increment = \"?\"", "increment = 12345");
    // Without a counter of frames in this example, and so without the field that shows whether RAM is live.
    let (start, rest) = filled.split_once("[[liveness]]").unwrap();
    let after = &rest[rest.find("\n\n").unwrap()..];
    std::fs::write(&path, format!("{start}{after}")).unwrap();
    let path = path.to_str().unwrap();
    let checked = nextscope(&["profile", "check", path]);
    assert_eq!(status(&checked), 0, "{}", text(&checked));
    assert_eq!(status(&nextscope(&["generate", "declared", "--profile", path, "--seed", "1"])), 0);
}

/// Randomizers of profiles stand beside built-in ones, with the same figures for the same pieces or pairs.
#[test]
fn declared_randomizers_are_measured_beside_built_in_ones() {
    let page = page();
    let folder = tempfile::tempdir().unwrap();
    let file = |id: &str| {
        let example = examples(&page).into_iter().find(|example| example.profile.contains(id)).unwrap();
        let path = folder.path().join(format!("{id}.toml"));
        std::fs::write(&path, example.profile).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (history, frames, bag) = (file("example-history"), file("example-frames"), file("example-bag"));
    let table = text(&nextscope(&["stats", "tgm2", "declared", "--profile", &history, "--profile", &bag]));
    let head: Vec<&str> = table.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(head, ["tgm2", "declared:example-history", "declared:example-bag"]);
    let longest = table.lines().find(|line| line.starts_with("longest drought")).unwrap();
    let longest: Vec<&str> = longest.split_whitespace().skip(2).collect();
    assert_eq!(longest[0], longest[1]);

    let arguments = ["tetris-nes", "declared", "--profile", &frames, "--steps", "44", "--seeds", "1..9"];
    let sample = ["--count", "2000", "--droughts-over", "20"];
    let measured = answer(&[&["stats"][..], &arguments, &sample].concat(), 0);
    let [built_in, declared] = measured["randomizers"].as_array().unwrap().as_slice() else {
        panic!("{measured}");
    };
    for figure in ["pieces", "frequency", "drought", "flood", "window", "snakes", "droughts_over"] {
        assert_eq!(built_in[figure], declared[figure], "{figure}");
    }
    assert_eq!(
        ["game", "variant", "profile"].map(|key| declared[key].as_str()),
        [Some("declared"), None, Some("example-frames")]
    );
    assert_eq!(built_in["profile"], serde_json::Value::Null);
    let csv = text(&nextscope(&["stats", "declared", "--profile", &history, "--count", "100", "--csv"]));
    assert!(csv.lines().nth(1).unwrap().starts_with("declared,,0x00000001,"), "{csv}");
    assert!(csv.trim_end().ends_with(",example-history"), "{csv}");

    let bean =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/games/src/games/declared/models/mean-bean.toml");
    let bean = std::fs::read_to_string(bean).unwrap();
    let pairs = folder.path().join("bean.toml");
    let start = "id = \"bean\"\nname = \"X\"\nconsole = \"genesis\"\nstatus = \"unconfirmed\"\n";
    std::fs::write(&pairs, format!("{start}{bean}")).unwrap();
    let pairs = pairs.to_str().unwrap();
    let measured = answer(&["stats", "puyo-tsu", "declared", "--profile", pairs, "--seeds", "0..99"], 0);
    let declared = &measured["pools"][3];
    assert_eq!((declared["game"].as_str(), declared["profile"].as_str()), (Some("declared"), Some("bean")));
    assert_eq!((declared["colors"].as_u64(), declared["pools"].as_u64()), (Some(5), Some(100)));

    for (arguments, words) in [
        (&["declared"][..], "give --profile"),
        (&["declared:x", "--profile", &history], "declared has no variants"),
        (&["tgm2", "--profile", &history], "--profile is only for declared: nextscope stats declared"),
        (&["dr-mario", "--profile", &history], "--profile is only for declared"),
        (&["declared", "--profile", "tetris-nes"], "give tetris-nes in place of declared"),
        (&["declared", "--profile", &history, "--steps", "2"], "only deals step the generator"),
        (&["declared", "--profile", &history, "--profile", pairs], "pairs are measured of bean"),
        (&["declared", "--profile", pairs, "--count", "9"], "--count is only for games of single pieces"),
        (&["declared", "--profile", &frames, "--seed", "65536"], "has seeds 0 to 65535"),
    ] {
        let output = nextscope(&[&["stats"], arguments].concat());
        assert_eq!(status(&output), 2, "{arguments:?}: {}", text(&output));
        assert!(errors(&output).contains(words), "{arguments:?}: {}", errors(&output));
    }
}
