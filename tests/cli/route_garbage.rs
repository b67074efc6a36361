//! `route --garbage`, `--goal survive` and `--goal points-per-frame` as a user runs them.

use crate::cli_support::{answer, errors, nextscope, status, text};
use serde_json::{Value, json};

const GAME: [&str; 8] = ["route", "puyo-tsu", "--seed", "0x35879DE2", "--level", "3", "--width", "10"];

fn number(of: &Value, key: &str) -> u64 {
    of[key].as_u64().unwrap_or_else(|| panic!("{key} of {of}"))
}

#[test]
fn a_route_survives_known_attacks_and_says_so() {
    let attacks = ["--pairs", "12", "--garbage", "32@4", "--garbage", "6@8", "--goal", "survive", "--steps"];
    let planned = answer(&[&GAME[..], &attacks].concat(), 0);
    let outlook = &planned["under_attack"];
    assert_eq!(outlook["attacks"], json!([{"garbage": 32, "pair": 4}, {"garbage": 6, "pair": 8}]));
    assert_eq!((&outlook["guaranteed"], &outlook["exhaustive"]), (&true.into(), &true.into()), "{outlook}");
    assert_eq!((&outlook["sets"], &planned["pairs_used"]), (&outlook["reached"], &12.into()));
    let steps = planned["steps"].as_array().unwrap();
    let garbage: Vec<&Value> = steps.iter().map(|step| &step["garbage"]).collect();
    assert_eq!((&garbage[3]["arrived"], &garbage[7]["arrived"]), (&32.into(), &6.into()));
    assert!(garbage.iter().all(|garbage| number(garbage, "fell") <= 30), "{garbage:?}");
    // What arrived was offset, fell, or waits.
    let sum = |key: &str| garbage.iter().map(|garbage| number(garbage, key)).sum::<u64>();
    assert_eq!(sum("arrived"), sum("offset") + sum("fell") + number(garbage[11], "waiting"));
    assert_eq!(sum("sent"), number(&planned, "garbage"));
    assert_eq!(planned["link"], Value::Null, "puyop.com cannot contain garbage");
    // Certain until columns are drawn, and then not.
    for (step, garbage) in steps.iter().zip(&garbage) {
        if number(garbage, "drawn") > 0 && number(garbage, "fell") > 0 {
            assert_eq!(step["boards_certain"], false, "{step}");
            break;
        }
        assert_eq!(step["boards_certain"], true, "{step}");
    }
    let shown = text(&nextscope(&[&GAME[..], &attacks].concat()));
    assert!(shown.contains("Guaranteed for all ") && shown.contains("32 arrive"), "{shown}");
    assert!(shown.contains("without the time of "), "{shown}");
    let again = answer(&[&GAME[..], &attacks, &["--threads", "3"]].concat(), 0);
    assert_eq!(again["placements"], planned["placements"]);
}

#[test]
fn exports_without_garbage_are_refused_and_the_others_mark_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let attacked = ["route", "puyo-tsu", "--pieces", "RG BY GB", "--garbage", "8@1", "--goal", "survive"];
    let run = |name: &str| nextscope(&[&attacked[..], &["--width", "20", "--out", &file(name)]].concat());
    for name in [
        "route.url",
        "route.lua",
        "route.bk2",
        "route.gmv",
        "route.mcm",
        "route.inp",
        "route.log",
        "route.txt",
    ] {
        let output = run(name);
        assert_ne!(status(&output), 0, "{name}");
        assert!(
            errors(&output).contains("garbage falls after pair 1, and a "),
            "{name}: {}",
            errors(&output)
        );
        assert!(!std::fs::exists(file(name)).unwrap(), "{name}");
    }
    for name in ["route.svg", "route.png", "route.apng", "route.json", "route.csv"] {
        let output = run(name);
        assert_eq!(status(&output), 0, "{name}: {}", errors(&output));
    }
    let svg = std::fs::read_to_string(file("route.svg")).unwrap();
    assert!(svg.contains("1 GARBAGE 8") && svg.contains(">EXAMPLE<"), "{svg}");
    let json: Value = serde_json::from_str(&std::fs::read_to_string(file("route.json")).unwrap()).unwrap();
    let step = &json["steps"][0];
    assert_eq!(
        step["garbage"],
        json!({"arrived": 8, "offset": 0, "sent": 0, "fell": 8, "drawn": 2, "waiting": 0})
    );
    assert_eq!((&step["boards_certain"], &json["puyop"]), (&false.into(), &Value::Null));
    let csv = std::fs::read_to_string(file("route.csv")).unwrap();
    let mut lines = csv.lines();
    assert!(lines.next().unwrap().ends_with("garbage_drawn,garbage_waiting,boards_certain,inputs_certain"));
    assert!(lines.next().unwrap().ends_with(",8,0,0,8,2,0,false,true"), "{csv}");
}

#[test]
fn an_offset_attack_is_exported_as_usual() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("route.url");
    let offset = [
        "route",
        "puyo-tsu",
        "--pieces",
        "RR GR RG GG",
        "--goal",
        "all-clear",
        "--width",
        "60",
        "--garbage",
        "3@4",
        "--out",
        file.to_str().unwrap(),
    ];
    let planned = answer(&offset, 0);
    assert_eq!(
        (&planned["under_attack"]["guaranteed"], &planned["under_attack"]["sets"]),
        (&true.into(), &1.into())
    );
    assert!(std::fs::read_to_string(&file).unwrap().contains("puyop.com"));
    assert!(planned["link"].as_str().unwrap().contains("puyop.com"));
    // The first games have no offset: the same chain is sent, and the garbage falls.
    let falls = answer(&[&["route", "mean-bean"][..], &offset[2..10]].concat(), 0);
    assert_eq!(falls["link"], Value::Null);
}

#[test]
fn the_most_points_per_frame_are_searched_for() {
    let search = [&GAME[..6], &["--width", "200", "--pairs", "14", "--goal"]].concat();
    let ratio = |planned: &Value| [number(planned, "score"), number(planned, "frames")];
    let [points, frames] = ratio(&answer(&[&search[..], &["points-per-frame"]].concat(), 0));
    for goal in ["points:300", "points:1000", "exact-chain:2", "all-clear"] {
        let planned: Value = {
            let output = nextscope(&[&search[..], &[goal, "--json"]].concat());
            serde_json::from_str(&text(&output)).unwrap()
        };
        if planned["found"] == true {
            let [other_points, other_frames] = ratio(&planned);
            assert!(points * other_frames >= other_points * frames, "{goal}: {points}/{frames} {planned}");
        }
    }
}

#[test]
fn what_cannot_be_planned_is_refused_with_the_reason() {
    let pieces = ["route", "puyo-tsu", "--pieces", "RR GR"];
    for (more, reason) in [
        (&["--garbage", "30"][..], "expected N@M"),
        (&["--garbage", "0@1"], "expected N@M"),
        (&["--garbage", "6@3"], "the attack 6@3 comes after the last of the 2 known pairs"),
        (&["--goal", "survive then chain"], "survive lasts until the last pair: no goal can follow it"),
        (
            &["--goal", "points-per-frame", "--profile", "tetris-nes"],
            "--goal points-per-frame needs a profile with a frame table: give --profile",
        ),
    ] {
        let output = nextscope(&[&pieces[..], more].concat());
        assert_eq!(status(&output), 2, "{more:?}");
        assert!(errors(&output).contains(reason), "{more:?}: {}", errors(&output));
    }
    for goal in ["survive", "points-per-frame"] {
        let output = nextscope(&["route", "puyo-20th", "--seeds", "0..3", "--goal", goal]);
        assert!(errors(&output).contains("not for a search over many games"), "{}", errors(&output));
    }
    let many = nextscope(&["route", "puyo-20th", "--seeds", "0..3", "--garbage", "6@1"]);
    assert_eq!(status(&many), 2, "{}", errors(&many));
}
