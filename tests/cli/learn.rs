//! `learn`: from a recording of an unknown game to a profile that follows it.

use crate::cli_support::{answer, errors, follows_overwrite_rule, joined, nextscope, status, text};
use crate::recordings;
use crate::unknown_game::{EACH, InRam, PIECES, SEED, TITLE, unknown};
use nextscope::console::{Snapshot, StorageOrder};
use nextscope::profile::parse;
use nextscope::recording::Sample;

struct Folder(tempfile::TempDir);

impl Folder {
    fn with(files: &[(&str, &[u8])]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        files.iter().for_each(|(name, bytes)| std::fs::write(folder.0.path().join(name), bytes).unwrap());
        folder
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }
}

/// What a stranger does: a recording and the pieces in order become a profile, and it deals and follows the game.
#[test]
fn a_recording_and_the_pieces_become_a_profile_that_follows_the_game() {
    let game = unknown(InRam::State);
    let folder = Folder::with(&[("game.nsrec", &game.recording())]);
    let (recording, profile) = (folder.path("game.nsrec"), folder.path("my-game.toml"));
    let given = ["learn", "--replay", &recording, "--pieces", &game.letters, "--from-start"];
    let output = nextscope(&[&given[..], &["-o", &profile]].concat());
    assert_eq!(status(&output), 0, "{}{}", text(&output), errors(&output));
    for line in [
        "Frame counter: 0x10, 1 byte, +1 per frame",
        "the cell at 0x60 has them",
        "Generator: linear",
        "state at 0x148, 4 bytes, lowest first",
        "Piece in RAM: 0x62 next; I=",
        "Rule: certain; the chance that a wrong one explains as much is",
        "kind = \"history\"",
    ] {
        assert!(text(&output).contains(line), "{line}: {}", text(&output));
    }
    assert!(errors(&output).contains(&format!("wrote {profile}")));
    let checked = nextscope(&["profile", "check", &profile]);
    assert_eq!(status(&checked), 0, "{}", text(&checked));
    let seed = format!("{SEED:#x}");
    let count = PIECES.to_string();
    let again = ["generate", "declared", "--profile", &profile, "--seed", &seed, "--count", &count];
    assert_eq!(joined(&answer(&again, 0)["pieces"]), game.letters);
    let text_of = std::fs::read_to_string(&profile).unwrap();
    assert!(text_of.contains("status = \"learned\"") && text_of.contains("Rule: certain"), "{text_of}");
    let learned = parse(&text_of, "my-game.toml").0.unwrap();
    std::fs::write(&recording, recordings::written(&recordings::header(&learned), &game.samples)).unwrap();
    let verified = answer(&["verify", "--replay", &recording, "--speed", "0"], 0);
    let totals = &verified["totals"];
    // The first two pieces are drawn together.
    assert!(totals["mismatches"] == 0 && totals["missed"].as_u64() <= Some(1), "{verified}");
    assert!(totals["verified"].as_u64().is_some_and(|pieces| pieces + 8 > PIECES as u64), "{verified}");
}

#[test]
fn frames_and_a_known_cell_lead_to_the_same_rule() {
    let game = unknown(InRam::State);
    let lines = game.lines();
    let folder = Folder::with(&[("game.nsrec", &game.recording()), ("deals.csv", lines.as_bytes())]);
    let (recording, deals) = (folder.path("game.nsrec"), folder.path("deals.csv"));
    let replay = ["learn", "--replay", &recording, "--from-start"];
    let rule = |arguments: &[&str]| answer(&[&replay[..], arguments].concat(), 0);
    let timed = rule(&["--deals", &deals]);
    assert_eq!((&timed["verdict"], &timed["deals"]["address"]), (&"certain".into(), &"0x60".into()));
    // The codes as the rule orders the kinds.
    let codes = &timed["cells"][0]["codes"];
    let kinds: String = codes.as_array().unwrap().iter().filter_map(|one| one["symbol"].as_str()).collect();
    let codes: Vec<String> = { codes.as_array().unwrap().iter() }
        .map(|one| u8::from_str_radix(one["code"].as_str().unwrap(), 16).unwrap().to_string())
        .collect();
    let known = rule(&["--cell", "60", "--codes", &codes.join(","), "--kinds", &kinds]);
    assert_eq!((&known["verdict"], &known["rule"]), (&"certain".into(), &timed["rule"]), "{known}");
    // Whoever does not say that it was the start of a game learns the same rule, without its beginning.
    let middle = answer(&["learn", "--replay", &recording, "--pieces", &game.letters], 0);
    assert_eq!((&middle["verdict"], &middle["opening"]), (&"certain".into(), &"not-seen".into()), "{middle}");
    // Half of the game is not enough to be certain, and the answer says so.
    let last = (TITLE + EACH * 22).to_string();
    let half = ["--pieces", &game.letters[..22], "--from", "0", "--to", &last];
    let half = answer(&[&replay[..], &half].concat(), 1);
    assert_ne!(half["verdict"], "certain", "{half}");
}

/// A profile that reads the list predicts the game, and a wrong byte of the list is flagged.
#[test]
fn the_pieces_to_come_are_found_and_followed_where_no_generator_is_in_ram() {
    let game = unknown(InRam::Queue);
    let folder = Folder::with(&[("game.nsrec", &game.recording())]);
    let (recording, profile) = (folder.path("game.nsrec"), folder.path("my-list.toml"));
    let given = ["learn", "--replay", &recording, "--pieces", &game.letters, "-o", &profile];
    let output = nextscope(&given);
    assert_eq!(status(&output), 0, "{}", errors(&output));
    for line in [
        "Generator: none found that moves in RAM",
        "List in RAM: 0x80, queue of at least 5; I=0",
        "Rule: none of those tried explains the deals, so that a seed cannot be found; but the pieces to come are in RAM",
    ] {
        assert!(text(&output).contains(line), "{line}: {}", text(&output));
    }
    let said = format!("wrote {profile}, which reads the pieces to come from RAM");
    assert!(errors(&output).contains(&said), "{}", errors(&output));
    let checked = nextscope(&["profile", "check", &profile]);
    assert_eq!(status(&checked), 0, "{}", text(&checked));
    let text_of = std::fs::read_to_string(&profile).unwrap();
    assert!(text_of.contains("status = \"learned\"") && text_of.contains("[piece_codes]"), "{text_of}");
    assert!(text_of.contains("the next 5 pieces are read at 0x80."), "{text_of}");
    let learned = parse(&text_of, "my-list.toml").0.unwrap();
    let verify = |samples: &[Sample], expected| {
        let bytes = recordings::written(&recordings::header(&learned), samples);
        std::fs::write(&recording, bytes).unwrap();
        answer(&["verify", "--replay", &recording, "--speed", "0"], expected)
    };
    let verified = verify(&game.samples, 0);
    let totals = &verified["totals"];
    assert!(totals["mismatches"] == 0 && totals["missed"] == 0, "{verified}");
    // The first piece was in play when it was first sampled.
    assert_eq!(totals["verified"], PIECES as u64 - 1, "{verified}");
    assert_eq!(
        (&verified["result"], &verified["checks"][0]["id"]),
        (&"verified".into(), &"declared-list".into())
    );

    // The piece in play has other codes and is not read: a list of five is judged while it does not move.
    let faulty = game.samples.iter().cloned().map(|mut sample| {
        if (TITLE + 20 * EACH + 9..TITLE + 21 * EACH).contains(&sample.frame) {
            let mut ram = sample.snapshot.parts().next().unwrap().1.to_vec();
            // Another piece: the list has the codes 0 to 6.
            ram[0x82] = (ram[0x82] + 1) % 7;
            let domain = sample.snapshot.domain();
            sample.snapshot = Snapshot::from_stored(domain, StorageOrder::AsOnBus, ram).unwrap();
        }
        sample
    });
    let flagged = verify(&faulty.collect::<Vec<Sample>>(), 1);
    let mismatch = &flagged["mismatches"][0];
    assert_eq!(flagged["totals"]["mismatches"], 1, "{flagged}");
    // Piece 20 from 0 is in play, and the third of the list after it is wrong. The first one listed has the number 0.
    let (index, letter) = (22, game.letters[23..24].to_owned());
    assert_eq!((&mismatch["index"], &mismatch["expected"]), (&index.into(), &letter.into()), "{mismatch}");

    let profile = &profile[..];
    for command in [["generate", "--seed", "1"], ["find", "--pieces", "IJL"]] {
        let output = nextscope(&[&[command[0], "declared", "--profile", profile], &command[1..]].concat());
        assert_eq!(status(&output), 2, "{}", text(&output));
        let why = "its [piece_codes] say only where RAM has the pieces to come";
        assert!(errors(&output).contains(why), "{}", errors(&output));
    }
}

#[test]
fn what_cannot_be_learned_from_is_refused_with_the_reason() {
    let game = unknown(InRam::State);
    let wrong = format!("frame,piece\n{}7,Q\n", game.lines());
    let files =
        [("game.nsrec", &game.recording()[..]), ("wrong.csv", wrong.as_bytes()), ("old.toml", b"mine")];
    let folder = Folder::with(&files);
    let (recording, deals, old) =
        (folder.path("game.nsrec"), folder.path("wrong.csv"), folder.path("old.toml"));
    let pieces = &game.letters[..];
    let without_one = [&pieces[..9], &pieces[10..]].concat();
    for (arguments, why) in [
        (&[][..], "give --pieces, --deals, or --cell with --codes"),
        (&["--pieces", "IJQ"], "'Q' is no piece: expected I J L O S T Z for pieces"),
        (
            &["--pieces", "IJL"],
            "3 deals are too few to tell their cell in RAM from chance; go on until there are 12",
        ),
        (&["--pieces", &pieces[..14]], "14 deals are too few"),
        (&["--pieces", "RGB"], "their number is odd"),
        (&["--pieces", "IRJL"], "letters of pieces and of colours do not go together"),
        (&["--deals", &deals], "line 47: 'Q' is no piece"),
        (&["--pieces", &without_one], "no byte of RAM has a code for each kind of the 44 deals noted"),
        (&["--pieces", pieces, "--kinds", "IJ"], "was dealt, and is not one of the kinds"),
        (&["--cell", "900", "--codes", "0,1,2,3,4,5,6"], "address 0x900 is not in this memory"),
        (&["--cell", "60", "--codes", "0,1"], "2 codes for 7 kinds"),
        (&["--cell", "here", "--codes", "0,1"], "expected hexadecimal digits"),
        (&["--pieces", pieces, "--from", "900", "--to", "100"], "--to is before the first frame"),
        (&["--pieces", pieces, "--from", "99999"], "99999"),
        (&["--pieces", pieces, "-o", &old], "old.toml"),
    ] {
        let output = nextscope(&[&["learn", "--replay", &recording], arguments].concat());
        assert_eq!(status(&output), 2, "{arguments:?}: {}", text(&output));
        assert!(errors(&output).contains(why), "{arguments:?}: {}", errors(&output));
    }
    assert_eq!(std::fs::read(&old).unwrap(), b"mine");
}

#[cfg(unix)]
#[test]
fn a_learned_profile_follows_the_overwrite_rule() {
    let game = unknown(InRam::State);
    let folder = Folder::with(&[("game.nsrec", &game.recording())]);
    let recording = folder.path("game.nsrec");
    follows_overwrite_rule(".toml", &|file| {
        let given = ["learn", "--replay", &recording, "--pieces", &game.letters, "--from-start", "-o", file];
        given.map(str::to_owned).to_vec()
    });
}
