//! Figures as tables, CSV and JSON, shared by the command line and the window.

use super::entropy::EntropyEstimate;
use super::error::Estimate;
use super::limits::SweepRow;
use super::measure::Measured;
use crate::games::piece::ChanceBasis;
use crate::json::{Envelope, Kind};
use crate::seeds::text::{self, grouped};
use serde::Serialize;
use std::borrow::Cow;

/// The body of the JSON object.
#[derive(Serialize)]
struct Report<'a> {
    randomizers: &'a [Measured],
}

/// Explanation of the figures, for the help and for the window.
pub const DEFINITIONS: &str = "\
Definitions (those of raincomplex's analysis.py where it has one):
  drought of a piece     the number of other pieces between two of it; the pieces before its first and after its last
                         count as a drought too, unless there are none
  longest drought        of all pieces and seeds; with several seeds, also the mean of each seed's longest
  maxdrought             the longest drought of each piece, mean of the seven
  peakdrought            the most common drought
  repchance              share of droughts that are 0
  droughts of 13+        share of droughts of 13 and more; a bag of seven makes none
  droughts over N        share of droughts of more than N pieces (--droughts-over N)
  flood, maxflood        a run of one piece; the longest
  repeats                share of pieces that are the same as the one before
  diversity              mean number of different pieces in a window of seven
  bagginess              share of windows of seven that contain all seven pieces
  snakes                 a run of nothing but S and Z; the longest
  bits                   entropy of the next piece for a player who knows the rule and the pieces so far but not the state of
                         the generator: 0 is certain, 2.807 is seven equal chances. \"at most\": an upper bound from counts of
                         what followed the last 0 to 4 pieces, or each pattern of absent pieces
  rating                 x/5 as in \"The history of Tetris randomizers\": the author's, not measured
The number after +- is one standard error, from the scatter between blocks of pieces.";

/// A row of the table: one figure of every randomizer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReportLine {
    /// The name of the figure.
    pub name: Cow<'static, str>,
    /// Its value for each randomizer.
    pub cells: Vec<String>,
}

fn estimate(estimate: Option<Estimate>, digits: usize) -> String {
    match estimate {
        None => "-".into(),
        Some(Estimate { value, error: None }) => format!("{value:.digits$}"),
        Some(Estimate { value, error: Some(error) }) => format!("{value:.digits$} +- {error:.digits$}"),
    }
}

/// N in "1 of N", for a share.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rounded number of at least 1")]
fn one_of(share: f64) -> u64 {
    (1.0 / share).round() as u64
}

fn at_most(counted: Option<EntropyEstimate>) -> String {
    counted.map_or_else(|| "-".into(), |counted| format!("{:.3}", counted.bits))
}

/// The figures side by side, one row each.
pub fn lines(measured: &[Measured]) -> Vec<ReportLine> {
    let several = measured.iter().any(|one| one.figures.seeds > 1);
    let line = |name: &'static str, value: &dyn Fn(&Measured) -> String| ReportLine {
        name: name.into(),
        cells: measured.iter().map(value).collect(),
    };
    let opinion = |name: &'static str, points: fn(&super::Rating) -> u8| ReportLine {
        name: name.into(),
        cells: measured
            .iter()
            .map(|one| {
                one.rating.as_ref().map_or_else(|| "-".into(), |rating| format!("{}/5", points(rating)))
            })
            .collect(),
    };
    let mut lines = vec![
        line("pieces", &|m| grouped(m.figures.pieces)),
        opinion("drought prevention (rating)", |rating| rating.drought_prevention),
        line("longest drought", &|m| m.figures.drought.longest.to_string()),
        line("maxdrought", &|m| estimate(Some(m.figures.drought.maxdrought), 1)),
        line("mean drought", &|m| estimate(m.figures.drought.mean, 3)),
        line("peakdrought", &|m| m.figures.drought.peakdrought.to_string()),
        line("droughts of 13+", &|m| estimate(m.figures.drought.share_13_or_more, 4)),
        opinion("flood prevention (rating)", |rating| rating.flood_prevention),
        line("maxflood", &|m| m.figures.flood.longest.to_string()),
        line("repeats", &|m| estimate(m.figures.flood.repeats, 4)),
        line("repchance", &|m| estimate(m.figures.drought.repchance, 4)),
        line("longest snakes", &|m| m.figures.snakes.longest.to_string()),
        line("diversity", &|m| estimate(m.figures.window.diversity, 3)),
        line("bagginess", &|m| estimate(m.figures.window.bagginess, 4)),
        opinion("puzzle factor (rating)", |rating| rating.puzzle),
        line("bits of the next piece", &|m| {
            let bits = estimate(m.figures.predictability.bits, 3);
            match m.figures.predictability.known {
                Some(ChanceBasis::Pool) => format!("at least {bits}"),
                _ => bits,
            }
        }),
        line("at most, given last pieces", &|m| {
            let given = m.figures.predictability.given_last.iter().enumerate();
            let longest = given.rev().find_map(|(length, counted)| Some((length, (*counted)?)));
            longest
                .map_or_else(|| "-".into(), |(length, counted)| format!("{:.3}, last {length}", counted.bits))
        }),
        line("at most, given absence", &|m| at_most(m.figures.predictability.given_absence)),
        line("first pieces", &|m| {
            let firsts = &m.figures.first_piece;
            let dealt = firsts.iter().filter(|(_, share)| **share > 0.0);
            if several {
                dealt
                    .map(|(piece, share)| format!("{piece} {:.0}%", 100.0 * share))
                    .collect::<Vec<_>>()
                    .join(" ")
            } else {
                dealt.map(|(piece, _)| piece.to_string()).collect()
            }
        }),
        line("rarest, most common piece", &|m| {
            let by_share = || m.figures.frequency.iter();
            let rarest = by_share().min_by(|a, b| a.1.total_cmp(b.1));
            let most = by_share().max_by(|a, b| a.1.total_cmp(b.1));
            let both = rarest.into_iter().chain(most);
            both.map(|(piece, share)| format!("{piece} {share:.4}")).collect::<Vec<_>>().join(", ")
        }),
    ];
    if let Some(pieces) = measured.iter().find_map(|one| one.droughts_over.map(|over| over.pieces)) {
        let at =
            lines.iter().position(|line| line.name == "droughts of 13+").map_or(lines.len(), |at| at + 1);
        let share = |one: &Measured| match one.droughts_over {
            Some(over) if over.count > 0 => {
                format!("{:.5}, 1 of {}", over.share, grouped(one_of(over.share)))
            }
            Some(_) => "none".into(),
            None => "-".into(),
        };
        let cells = measured.iter().map(share).collect();
        lines.insert(at, ReportLine { name: format!("droughts over {pieces}").into(), cells });
    }
    if several {
        let longest =
            line("its mean over the seeds", &|m| estimate(Some(m.figures.drought.longest_of_a_seed), 1));
        lines.insert(3, longest);
    }
    lines
}

/// The table for display.
pub fn table(measured: &[Measured]) -> String {
    let head: Vec<&str> = [""].into_iter().chain(measured.iter().map(|one| one.label.as_str())).collect();
    let rows: Vec<Vec<String>> = lines(measured)
        .into_iter()
        .map(|line| [line.name.into_owned()].into_iter().chain(line.cells).collect())
        .collect();
    text::table(&head, &rows)
}

/// The JSON object.
pub fn json(measured: &[Measured]) -> String {
    Envelope::new(Kind::Stats, Report { randomizers: measured }).text() + "\n"
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// One line per randomizer, figures as columns; unknown values are empty.
pub fn csv(measured: &[Measured]) -> String {
    let mut out = String::from(
        "game,variant,first_seed,last_seed,pieces_per_seed,pieces,longest_drought,longest_drought_of_a_seed,maxdrought,\
         mean_drought,peakdrought,repchance,droughts_13_or_more,droughts_13_or_more_error,maxflood,repeats,repeats_error,\
         longest_snakes,diversity,bagginess,bits,bits_error,bits_known,bits_given_4,bits_given_absence,puzzle_rating,\
         flood_rating,drought_rating,profile\n",
    );
    for one in measured {
        let figures = &one.figures;
        let value = |estimate: Option<Estimate>| number(estimate.map(|estimate| estimate.value));
        let error = |estimate: Option<Estimate>| number(estimate.and_then(|estimate| estimate.error));
        let (drought, flood, bits) = (&figures.drought, &figures.flood, &figures.predictability);
        let points = |points: fn(&super::Rating) -> u8| {
            one.rating.as_ref().map_or_else(String::new, |rating| points(rating).to_string())
        };
        let cells = [
            one.game.to_owned(),
            one.variant.unwrap_or_default().to_owned(),
            one.first_seed.clone(),
            one.last_seed.clone(),
            one.pieces_per_seed.to_string(),
            figures.pieces.to_string(),
            drought.longest.to_string(),
            drought.longest_of_a_seed.value.to_string(),
            drought.maxdrought.value.to_string(),
            value(drought.mean),
            drought.peakdrought.to_string(),
            value(drought.repchance),
            value(drought.share_13_or_more),
            error(drought.share_13_or_more),
            flood.longest.to_string(),
            value(flood.repeats),
            error(flood.repeats),
            figures.snakes.longest.to_string(),
            value(figures.window.diversity),
            value(figures.window.bagginess),
            value(bits.bits),
            error(bits.bits),
            match bits.known {
                Some(ChanceBasis::Pieces) => "pieces".into(),
                Some(ChanceBasis::Pool) => "pool".into(),
                None => String::new(),
            },
            number(bits.given_last.last().copied().flatten().map(|counted| counted.bits)),
            number(bits.given_absence.map(|counted| counted.bits)),
            points(|rating| rating.puzzle),
            points(|rating| rating.flood_prevention),
            points(|rating| rating.drought_prevention),
            one.profile.clone().unwrap_or_default(),
        ];
        out += &(cells.join(",") + "\n");
    }
    out
}

/// The cost of limits, one row per combination.
pub fn sweep_table(trades: &[SweepRow]) -> String {
    let head =
        ["drought", "flood", "memory", "bits", "most possible", "maxdrought", "13+", "repeats", "diversity"];
    let value = |estimate: Option<Estimate>| estimate.map_or(0.0, |estimate| estimate.value);
    let row = |trade: &SweepRow| {
        vec![
            trade.drought.to_string(),
            trade.flood.to_string(),
            trade.memory.to_string(),
            format!("{:.3}", value(trade.bits)),
            trade.most.map_or_else(|| "-".into(), |most| format!("{:.3}", most.high)),
            format!("{:.1}", trade.maxdrought),
            format!("{:.4}", value(trade.share_13_or_more)),
            format!("{:.4}", value(trade.repeats)),
            format!("{:.3}", value(trade.diversity)),
        ]
    };
    text::table(&head, &trades.iter().map(row).collect::<Vec<_>>())
}

/// The sweep as comma-separated values.
pub fn sweep_csv(trades: &[SweepRow]) -> String {
    let mut out = String::from(
        "drought,flood,snakes,memory,bits,bits_error,most_bits,maxdrought,droughts_13_or_more,repeats,diversity\n",
    );
    for trade in trades {
        let value = |estimate: Option<Estimate>| number(estimate.map(|estimate| estimate.value));
        let cells = [
            trade.drought.to_string(),
            trade.flood.to_string(),
            trade.snakes.map_or_else(String::new, |snakes| snakes.to_string()),
            trade.memory.to_string(),
            value(trade.bits),
            number(trade.bits.and_then(|bits| bits.error)),
            number(trade.most.map(|most| most.high)),
            trade.maxdrought.to_string(),
            value(trade.share_13_or_more),
            value(trade.repeats),
            value(trade.diversity),
        ];
        out += &(cells.join(",") + "\n");
    }
    out
}
