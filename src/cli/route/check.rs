//! `route check`: compares what a player placed in a recording with a route.

use super::arguments::CheckArguments;
use super::start_position::BOARD_FIELD;
use crate::cli::arguments::Global;
use crate::cli::exit::{Exit, bail_input};
use crate::cli::progress::ReplayProgress;
use crate::cli::{files, interrupt, output, ram_file};
use crate::json::Kind;
use crate::puyo::{Field, Placement, Rotation, to_rows};
use crate::route::check::{
    PairCheck, PairResult, PlannedPair, PlannedRoute, PlayedRound, RoundReader, SampledFrame, common_pairs,
    compare, first_pair,
};
use crate::text::counted;
use nextscope_boards::Pair;
use serde::Serialize;
use std::path::Path;
use std::sync::atomic::Ordering;

/// So many pairs of a round are listed if no round has those of the route.
const PAIRS_LISTED: u32 = 8;

pub fn run(global: &Global, arguments: &CheckArguments) -> anyhow::Result<Exit> {
    let file = &arguments.route;
    let route = PlannedRoute::parse(&files::text(file)?).map_err(|error| files::failure(file, error))?;
    let rounds = rounds(global, arguments)?;
    let matching: Vec<(usize, u32)> = rounds
        .iter()
        .enumerate()
        .filter_map(|(index, round)| Some((index, first_pair(round, &route)?)))
        .collect();
    let chosen = match arguments.round.map(|round| usize::from(round) - 1) {
        Some(index) if index >= rounds.len() => {
            let (found, player) = (counted(rounds.len() as u64, "round"), arguments.player);
            bail_input!("--round {}: the recording has {found} of player {player}", index + 1)
        }
        Some(index) => matching.iter().find(|(found, _)| *found == index).copied().or(Some((index, 0))),
        None => matching.last().copied(),
    };
    let check = chosen.map(|(index, first)| Comparison {
        index,
        first,
        round: &rounds[index],
        checks: compare(&rounds[index], &route, first),
    });
    let report = Report { arguments, route: &route, rounds: &rounds, matching: &matching, check };
    if global.json {
        output::object(Kind::RouteCheck, report.json())?;
    } else {
        output::text(&report.text())?;
    }
    Ok(Exit::from_answer(report.as_planned() == route.pairs.len()).unless_interrupted())
}

/// The rounds of the player in the recording.
fn rounds(global: &Global, arguments: &CheckArguments) -> anyhow::Result<Vec<PlayedRound>> {
    let path = &arguments.replay;
    let recording = ram_file::recording(path)?;
    let stop = interrupt::flag();
    let mut verifier = ram_file::verifier(global, path, &recording)?;
    let progress = ReplayProgress::new(&verifier);
    let (mut reader, mut section, mut is_readable, mut unreadable) = (RoundReader::default(), 0, false, None);
    while !stop.load(Ordering::Relaxed) {
        match verifier.step() {
            Ok(None) => break,
            Ok(Some(verified)) => {
                if verifier.section() != section {
                    section = verifier.section();
                    reader.interrupt();
                }
                let prediction = verified.prediction.as_ref();
                let start = prediction.and_then(|of| of.route_start(usize::from(arguments.player) - 1));
                is_readable |= start.is_some();
                unreadable = verified.observation.err().or(unreadable);
                reader.sample(verified.sample.frame, start.as_ref(), verifier.totals().rounds);
            }
            Err(error) => output::warning(format_args!("{}: {error}", path.display())),
        }
        progress.update(&verifier);
    }
    drop(progress);
    if is_readable {
        return Ok(reader.finish());
    }
    let profile = verifier.profile();
    let why = match unreadable {
        _ if profile.field(BOARD_FIELD).is_none() => {
            format!("this is RAM of {}, whose board addresses are unknown", profile.name)
        }
        Some(why) => why,
        None => format!("no sample shows a board of player {}", arguments.player),
    };
    Err(files::failure(path, format!("there is nothing to compare the route with: {why}")).into())
}

/// A round compared with the route.
struct Comparison<'a> {
    index: usize,
    /// The number in the round of the route's first pair, from 0.
    first: u32,
    round: &'a PlayedRound,
    checks: Vec<PairCheck>,
}

struct Report<'a> {
    arguments: &'a CheckArguments,
    route: &'a PlannedRoute,
    rounds: &'a [PlayedRound],
    /// The rounds with the pairs of the route, and the number of its first pair in them.
    matching: &'a [(usize, u32)],
    check: Option<Comparison<'a>>,
}

/// JSON of `route check`.
#[derive(Serialize)]
struct Checked<'a> {
    #[serde(serialize_with = "crate::file::as_text")]
    route: &'a Path,
    #[serde(serialize_with = "crate::file::as_text")]
    recording: &'a Path,
    player: u8,
    /// The number of the compared round, from 1; None if no round has the pairs of the route.
    round: Option<usize>,
    /// The rounds of the player.
    rounds: usize,
    /// The numbers of those with the pairs of the route.
    matching_rounds: Vec<usize>,
    pairs_planned: usize,
    as_planned: usize,
    unplayed: usize,
    /// The number of the first pair that is not as planned.
    first_difference: Option<usize>,
    steps: Vec<CheckedPair>,
}

#[derive(Serialize)]
struct CheckedPair {
    /// In the route, from 1.
    number: usize,
    /// In the round, from 1.
    round_number: u32,
    result: PairResult,
    pair: String,
    column: usize,
    rotation: Rotation,
    dealt: Option<String>,
    played_column: Option<usize>,
    played_rotation: Option<Rotation>,
    in_play: Option<ListedFrame>,
    /// By the times of the route, from the frame of its first pair.
    planned_frame: Option<u64>,
    placed: Option<ListedFrame>,
    planned_board: Vec<String>,
    board: Option<Vec<String>>,
}

/// A frame of the recording. The earliest one is another if samples are missing.
#[derive(Serialize)]
struct ListedFrame {
    earliest: u64,
    frame: u64,
}

impl From<SampledFrame> for ListedFrame {
    fn from(SampledFrame { earliest, frame }: SampledFrame) -> Self {
        Self { earliest, frame }
    }
}

impl Comparison<'_> {
    /// The pairs of the route, with what became of them.
    fn pairs<'a>(
        &'a self,
        route: &'a PlannedRoute,
    ) -> impl Iterator<Item = (&'a PlannedPair, &'a PairCheck)> {
        route.pairs.iter().zip(&self.checks)
    }

    fn planned_frame(&self, planned: &PlannedPair) -> Option<u64> {
        let first = self.checks.first()?.appeared?;
        Some(first.frame + u64::from(planned.at_frame?))
    }

    fn count(&self, is: impl Fn(PairResult) -> bool) -> usize {
        self.checks.iter().filter(|check| is(check.result)).count()
    }

    /// The index of the first pair that was played in another way.
    fn first_difference(&self) -> Option<usize> {
        let differs =
            |check: &PairCheck| !check.result.is_as_planned() && check.result != PairResult::Unplayed;
        self.checks.iter().position(differs)
    }
}

impl Report<'_> {
    fn as_planned(&self) -> usize {
        self.check.as_ref().map_or(0, |check| check.count(PairResult::is_as_planned))
    }

    fn unplayed(&self) -> usize {
        self.check.as_ref().map_or(0, |check| check.count(|result| result == PairResult::Unplayed))
    }

    fn json(&self) -> Checked<'_> {
        let pair =
            |check: &Comparison<'_>, index: usize, planned: &PlannedPair, played: &PairCheck| CheckedPair {
                number: index + 1,
                round_number: check.first + u32::try_from(index).unwrap_or(u32::MAX) + 1,
                result: played.result,
                pair: planned.pair.letters(),
                column: planned.placement.column() + 1,
                rotation: planned.placement.rotation(),
                dealt: played.dealt.map(Pair::letters),
                played_column: played.played.map(|played| played.column() + 1),
                played_rotation: played.played.map(Placement::rotation),
                in_play: played.appeared.map(Into::into),
                planned_frame: check.planned_frame(planned),
                placed: played.landed.map(Into::into),
                planned_board: to_rows(&planned.after),
                board: played.after.as_ref().map(to_rows),
            };
        let pairs = |check: &Comparison<'_>| -> Vec<CheckedPair> {
            let pairs = check.pairs(self.route).enumerate();
            pairs.map(|(index, (planned, played))| pair(check, index, planned, played)).collect()
        };
        Checked {
            route: &self.arguments.route,
            recording: &self.arguments.replay,
            player: self.arguments.player,
            round: self.check.as_ref().map(|check| check.index + 1),
            rounds: self.rounds.len(),
            matching_rounds: self.matching.iter().map(|(index, _)| index + 1).collect(),
            pairs_planned: self.route.pairs.len(),
            as_planned: self.as_planned(),
            unplayed: self.unplayed(),
            first_difference: self
                .check
                .as_ref()
                .and_then(Comparison::first_difference)
                .map(|index| index + 1),
            steps: self.check.as_ref().map(pairs).unwrap_or_default(),
        }
    }

    fn text(&self) -> String {
        let Some(check) = &self.check else { return self.no_round_text() };
        let head = ["pair", "", "planned", "played", "in play from", "planned for", "placed in", "board"];
        let rows = check.pairs(self.route).zip(1..).map(|((planned, played), number)| {
            vec![
                number.to_string(),
                planned.pair.letters(),
                planned.placement.to_string(),
                played.played.map_or("-".into(), |played| played.to_string()),
                sampled_text(played.appeared),
                check.planned_frame(planned).map_or("-".into(), |frame| frame.to_string()),
                sampled_text(played.landed),
                result_text(planned, played),
            ]
        });
        let mut text = self.round_text(check);
        text += &crate::text::table(&head, &rows.collect::<Vec<_>>());
        text += &self.first_difference_text(check);
        text += &self.late_text(check);
        let planned = self.route.pairs.len();
        text += &format!("{} of {} as planned", self.as_planned(), counted(planned as u64, "board"));
        match self.unplayed() {
            0 => {}
            left => {
                text += &format!(
                    "; {} left unplayed at the end of the round or recording",
                    counted(left as u64, "pair")
                );
            }
        }
        text + "\n"
    }

    /// Which round is compared, and whether another one could be.
    fn round_text(&self, check: &Comparison<'_>) -> String {
        let player = self.arguments.player;
        let first = match check.first {
            0 => String::new(),
            number => format!(", from its pair {} on", number + 1),
        };
        let (number, frame) = (check.index + 1, check.round.first_frame());
        let mut text =
            format!("Player {player}, round {number} of {}, from frame {frame}{first}", self.rounds.len());
        if self.matching.iter().all(|(index, _)| *index != check.index) {
            text += "; its pairs are not those of the route";
        }
        let others = self.matching.iter().filter(|(index, _)| *index != check.index);
        let others: Vec<String> = others.map(|(index, _)| (index + 1).to_string()).collect();
        if !others.is_empty() {
            text += &format!("; rounds with the same pairs: {} (--round)", others.join(", "));
        }
        text + "\n"
    }

    fn no_round_text(&self) -> String {
        let (player, route) = (self.arguments.player, self.route);
        if self.rounds.is_empty() {
            return format!(
                "Player {player} placed no pair in the recording: give the other --player, or record a round\n"
            );
        }
        let pairs: Vec<String> = route.pairs.iter().map(|planned| planned.pair.letters()).collect();
        let mut text =
            format!("No round of player {player} has the pairs of the route: {}\n", pairs.join(" "));
        for (round, number) in self.rounds.iter().zip(1..) {
            let pairs: Vec<String> =
                (0..PAIRS_LISTED).map_while(|number| round.pair(number)).map(Pair::letters).collect();
            let same = counted(common_pairs(round, route) as u64, "pair");
            let frame = round.first_frame();
            text += &format!(
                "  round {number}, from frame {frame}: {} ... ({same} as in the route)\n",
                pairs.join(" ")
            );
        }
        text + "Give the other --player, plan with the seed and the level of the round, or compare a round nevertheless with --round.\n"
    }

    fn first_difference_text(&self, check: &Comparison<'_>) -> String {
        let Some(index) = check.first_difference() else { return String::new() };
        let (planned, played) = (&self.route.pairs[index], &check.checks[index]);
        let pair = planned.pair.letters();
        let what = match (played.result, played.dealt, played.played) {
            (PairResult::OtherPair, Some(dealt), _) => format!("planned {pair}, dealt {}", dealt.letters()),
            (PairResult::GarbageDiffers, ..) => "the garbage on the board is not as planned".into(),
            (_, _, Some(placement)) if placement == planned.placement => {
                format!("placed as planned ({placement}), on another board")
            }
            (_, _, Some(placement)) => format!("planned {}, played {placement}", planned.placement),
            _ => format!("planned {}, and no placement of the pair explains the board", planned.placement),
        };
        let mut text = format!(
            "First difference: pair {} ({pair}), in play from frame {}: {what}\n",
            index + 1,
            sampled_text(played.appeared)
        );
        if let Some(board) = &played.after {
            text += &boards_text(&planned.after, board);
        }
        text
    }

    /// The first pair that was in play in another frame than planned.
    fn late_text(&self, check: &Comparison<'_>) -> String {
        let late = check.pairs(self.route).enumerate().find_map(|(index, (planned, played))| {
            let (expected, seen) = (check.planned_frame(planned)?, played.appeared?);
            let by = if expected < seen.earliest {
                format!("{} late", counted(seen.frame - expected, "frame"))
            } else if expected > seen.frame {
                format!("{} early", counted(expected - seen.frame, "frame"))
            } else {
                return None;
            };
            Some(format!("Pair {} is the first that was not in play in its planned frame: {by}\n", index + 1))
        });
        late.unwrap_or_default()
    }
}

fn sampled_text(frame: Option<SampledFrame>) -> String {
    match frame {
        None => "-".into(),
        Some(SampledFrame { earliest, frame }) if earliest == frame => frame.to_string(),
        Some(SampledFrame { earliest, frame }) => format!("{earliest} to {frame}"),
    }
}

fn result_text(planned: &PlannedPair, played: &PairCheck) -> String {
    match (played.result, played.dealt) {
        (PairResult::AsPlanned, _) => "as planned".into(),
        (PairResult::OtherColumns, _) => "as planned, garbage in other columns".into(),
        (PairResult::GarbageDiffers, _) => "other garbage".into(),
        (PairResult::OtherPair, Some(dealt)) => format!("another pair: {}", dealt.letters()),
        (PairResult::BoardDiffers | PairResult::OtherPair, _) if played.played == Some(planned.placement) => {
            "another board before".into()
        }
        (PairResult::BoardDiffers | PairResult::OtherPair, _) => "misplaced".into(),
        (PairResult::Unplayed, _) => "not played".into(),
    }
}

/// The planned and the played board, side by side.
fn boards_text(planned: &Field, played: &Field) -> String {
    let (planned, played) = (to_rows(planned), to_rows(played));
    let height = planned.len().max(played.len());
    let width = planned.iter().chain(&played).map(String::len).max().unwrap_or(0);
    let empty = ".".repeat(width);
    let row = |rows: &[String], row: usize| {
        let above = height - rows.len();
        row.checked_sub(above).and_then(|row| rows.get(row)).cloned().unwrap_or_else(|| empty.clone())
    };
    let mut text = String::from("  planned   played\n");
    for number in 0..height {
        text += &format!("  {}    {}\n", row(&planned, number), row(&played, number));
    }
    text
}
