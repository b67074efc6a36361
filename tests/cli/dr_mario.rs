//! `generate`, `find` and `stats dr-mario` as scripts see them.

use crate::cli_support::{answer, errors, joined, nextscope, status, text};
use serde_json::{Value, json};

#[test]
fn what_is_generated_is_found_again_with_the_frames_to_wait() {
    for (frames, level) in [(1, "0"), (777, "9"), (32_767, "20"), (5_000, "24")] {
        let frames_text = frames.to_string();
        let made =
            answer(&["generate", "dr-mario", "--frames", &frames_text, "--level", level, "--count", "20"], 0);
        let rows: Vec<&str> =
            made["boards"][0]["rows"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let bottle = rows.join("/");
        let pairs: Vec<&str> = made["pairs"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        for arguments in [
            &["find", "dr-mario", "--bottle", &bottle, "--level", level, "--capsules", &pairs[..4].join(" ")]
                [..],
            &["find", "dr-mario", "--capsules", &pairs.join(" "), "--level", level],
            &["find", "dr-mario", "--capsules", &pairs[5..].join(" "), "--at", "6", "--level", level],
        ] {
            let found = answer(arguments, 0);
            let start =
                found["states"].as_array().unwrap().iter().find(|start| start["state"] == made["seed"]);
            let start = start.unwrap_or_else(|| panic!("{arguments:?}"));
            assert_eq!((&start["frames"], &start["state_after"]), (&json!(frames), &made["state_after"]));
        }
    }
}

#[test]
fn the_published_capsules_are_dealt_and_frames_count_from_now() {
    let made = answer(&["generate", "dr-mario", "--seed", "0x44C4", "--count", "4"], 0);
    assert_eq!(joined(&made["pairs"]), "BBYRRRBB"); // reserve 1814856..., pills that fall 8148
    let found =
        answer(&["find", "dr-mario", "--capsules", "BB YR RR BB RB BY RB RY BR", "--now", "0x8988"], 0);
    assert_eq!(found["states"][0]["frames"], 1);
    let later =
        answer(&["find", "dr-mario", "--capsules", "BB YR RR BB RB BY RB RY BR", "--now", "0x44C4"], 0);
    let frames = later["states"].as_array().unwrap().iter().find(|start| start["state"] == "0x44C4").unwrap();
    assert_eq!(frames["frames"], 32_767);
    let best = answer(&["stats", "dr-mario", "--rank", "capsule:YY", "--within", "300", "--limit", "2"], 0);
    assert_eq!((&best["ranked"][0]["value"], &best["ranked"][0]["next"][0]), (&json!(1), &json!("YY")));
}

#[test]
fn wrong_input_is_named() {
    for (arguments, part) in [
        (&["generate", "dr-mario", "--seed", "0"][..], "0x0002 to 0xFFFF"),
        (&["find", "dr-mario", "--capsules", "GG"], "yellow, red or blue"),
        (&["find", "dr-mario", "--bottle", "?YR"], "expected 8"),
        (&["find", "dr-mario", "--bottle", "?YRB...."], "--level"),
        (&["find", "dr-mario", "--capsules", "??"], "at least one capsule"),
        (&["stats", "dr-mario", "--rank", "best"], "invalid measure"),
        (&["stats", "dr-mario", "--count", "5"], "--count"),
        (&["stats", "dr-mario", "tgm1"], "alone"),
        (&["stats", "tgm1", "--rank", "top"], "only for dr-mario"),
        (&["route", "dr-mario", "--seed", "0x8988"], "dr-mario"),
    ] {
        let output = nextscope(arguments);
        assert_eq!(status(&output), 2, "{arguments:?}");
        assert!(errors(&output).contains(part), "{arguments:?}: {}", errors(&output));
    }
    let nothing = nextscope(&["find", "dr-mario", "--bottle", "RRRRRRRR", "--level", "0"]);
    assert_eq!(
        (status(&nothing), text(&nothing).as_str()),
        (1, "no start gives these capsules and viruses\n")
    );
}
