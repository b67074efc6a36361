//! The live view on a terminal: what fits, the coming pairs first.

use super::describe::{
    boards, describe_connection, describe_follow_ups, describe_pieces, describe_start, draw_boards,
    draw_player_grids, pair_text,
};
use crate::cli::output;
use crate::cli::verdict;
use crate::cli::width::{display_width, truncate};
use crate::live::{Connection, Data, Player, PredictionView, Status, Totals, Verdict, View};
use crate::text::{counted, sanitize_line};

/// For terminals of unknown size.
const DEFAULT_SIZE: (usize, usize) = (24, 80);
/// Terminals with fewer rows have no footer.
const MIN_ROWS_WITH_FOOTER: usize = 8;
const SEPARATOR: &str = "   ";

/// The alternate screen of the terminal; dropping this leaves it.
pub struct Screen {
    size: (usize, usize),
}

impl Screen {
    /// Enters the alternate screen, hides the cursor, and disables line wrapping.
    pub fn enter() -> Self {
        // If this fails, drawing reports it.
        let _ = output::styled("\x1b[?1049h\x1b[?25l\x1b[?7l");
        Self { size: (0, 0) }
    }

    pub fn draw(&mut self, view: &View, waiting: &str, pairs: usize) -> anyhow::Result<()> {
        // The terminal may have been resized.
        let size = size();
        let clear = if size == self.size { "" } else { "\x1b[2J" };
        self.size = size;
        let lines: Vec<String> =
            layout(view, waiting, pairs, size.0, size.1).iter().map(|line| format!("{line}\x1b[K")).collect();
        output::styled(&format!("{clear}\x1b[H{}\x1b[J", lines.join("\r\n")))
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A closed terminal needs no cleanup.
        let _ = output::styled("\x1b[?7h\x1b[?25h\x1b[?1049l");
    }
}

/// Rows and columns of the terminal.
fn size() -> (usize, usize) {
    let known = terminal_size::terminal_size_of(std::io::stdout());
    known.map_or(DEFAULT_SIZE, |(columns, rows)| (rows.0.into(), columns.0.into()))
}

struct Block {
    lines: Vec<String>,
    /// Whether the first lines are useful without the rest.
    divisible: bool,
}

impl Block {
    fn indivisible(lines: Vec<String>) -> Self {
        Self { lines, divisible: false }
    }

    fn divisible(lines: Vec<String>) -> Self {
        Self { lines, divisible: true }
    }

    /// The lines that fit into the free rows; reduces `rows` by their number.
    fn fit(self, rows: &mut usize) -> Vec<String> {
        let mut lines = self.lines;
        if lines.len() > *rows {
            lines.truncate(if self.divisible { *rows } else { 0 });
        }
        *rows -= lines.len();
        lines
    }
}

/// The view in at most `rows` lines of at most `columns` columns. Coming pairs and connection come first; if space is short, boards
/// are left out, then checks.
pub fn layout(view: &View, waiting: &str, pairs: usize, rows: usize, columns: usize) -> Vec<String> {
    let footer = rows >= MIN_ROWS_WITH_FOOTER;
    let mut free = rows - usize::from(footer);
    let shown = current_data(view);
    let parts = Parts::new(view, shown, waiting, pairs, columns);

    let coming = Block::divisible(parts.coming).fit(&mut free);
    let mut status = parts.status.into_iter();
    let mut connection = Block::divisible(status.next().into_iter().collect()).fit(&mut free);
    let mismatch = Block::divisible(parts.mismatch).fit(&mut free);
    // Checks that do not fit are replaced by a summary.
    let all_checks = parts.checks.len() <= free;
    let summary = if all_checks { Vec::new() } else { Block::divisible(parts.summary).fit(&mut free) };
    connection.extend(Block::divisible(status.collect()).fit(&mut free));
    let details = Block::divisible(parts.details).fit(&mut free);
    let checks = if all_checks { Block::indivisible(parts.checks).fit(&mut free) } else { Vec::new() };
    let start = Block::indivisible(parts.start).fit(&mut free);
    let boards = Block::indivisible(parts.boards).fit(&mut free);
    let follow_ups = Block::divisible(parts.follow_ups).fit(&mut free);

    let mut lines: Vec<String> =
        [coming, connection, mismatch, details, boards, summary, checks, start, follow_ups].concat();
    if footer {
        lines.push("Press Ctrl+C to stop".to_owned());
    }
    lines.iter().map(|line| truncate(line, columns)).collect()
}

/// The data, if it is live, paused or replayed.
fn current_data(view: &View) -> Option<&Data> {
    let current = matches!(
        view.connection,
        Connection::Live | Connection::Paused { .. } | Connection::Replaying { .. }
    );
    view.data.as_ref().filter(|_| current)
}

#[derive(Default)]
struct Parts {
    /// A line for each player.
    coming: Vec<String>,
    /// Connection, emulator and counts.
    status: Vec<String>,
    mismatch: Vec<String>,
    /// More about single pieces, and addresses found by content.
    details: Vec<String>,
    boards: Vec<String>,
    checks: Vec<String>,
    /// The checks in one line, and those that failed.
    summary: Vec<String>,
    /// What a round starting now would deal.
    start: Vec<String>,
    /// The rounds that follow.
    follow_ups: Vec<String>,
}

impl Parts {
    fn new(view: &View, data: Option<&Data>, waiting: &str, pairs: usize, columns: usize) -> Self {
        let plain = |line: &String| sanitize_line(line).into_owned();
        let mut parts = Self { status: wrapped(&status(view), columns), ..Self::default() };
        if let Some(mismatch) = view.mismatches.last() {
            let text = format!("last mismatch: {mismatch}");
            let sides = format!("  expected {}  actual {}", mismatch.expected, mismatch.actual);
            parts.mismatch = [text, sides].iter().map(plain).collect();
        }
        let Some(data) = data else {
            parts.coming = describe_connection(view, waiting).iter().map(plain).collect();
            return parts;
        };
        parts.checks = verdict::describe(&data.verdict).iter().map(plain).collect();
        parts.summary = summary(&data.verdict);
        match (&data.observation, data.view()) {
            (Err(why), _) => {
                parts.coming = why.lines().map(|line| sanitize_line(line).into_owned()).collect();
            }
            (Ok(observation), None) => {
                parts.details = boards(observation);
                let why = observation.without_prediction();
                let no_round = parts.details.is_empty();
                parts.coming = vec![if no_round { format!("No round yet. {why}") } else { why }];
            }
            (Ok(_), Some(shown)) => {
                parts.coming = shown.players.iter().map(|player| coming(player, pairs)).collect();
                for player in &shown.pieces {
                    let mut lines = describe_pieces(player, pairs, true).into_iter();
                    parts.coming.extend(lines.next());
                    parts.details.extend(lines);
                }
                parts.details.extend(shown.note.iter().map(plain));
                if let (Some(found), Some(target)) = (&shown.found, &view.target) {
                    let locate = PredictionView::locate(&target.profile.id, &format!("--pid {}", target.pid));
                    parts.details.push(format!("{found}. To save it to a profile: {locate}"));
                }
                parts.boards = [draw_boards(shown), draw_player_grids(shown, true)].concat();
                parts.start = describe_start(shown, pairs, true);
                parts.follow_ups = describe_follow_ups(shown, pairs, true);
            }
        }
        parts
    }
}

/// A player's coming pairs, and their source.
fn coming(player: &Player, pairs: usize) -> String {
    let coming: Vec<String> = player.pairs.iter().take(pairs).map(|pair| pair_text(*pair, true)).collect();
    let captions = player.captions.join(", ");
    let Some(dealt) = player.dealt else {
        return format!("{}  {}{SEPARATOR}{captions}", player.title, coming.join(" "));
    };
    let now = player.current.map_or_else(|| "--".into(), |pair| pair_text(pair, true));
    let (next, then) = coming.split_at(coming.len().min(2));
    format!(
        "{}  now {now}  next {}  then {}{SEPARATOR}pair {dealt}, {captions}",
        player.title,
        next.join(" "),
        then.join(" ")
    )
}

/// Connection and counts, the most important first.
fn status(view: &View) -> Vec<String> {
    let mut parts = vec![view.connection.word().to_owned()];
    let Totals { rounds, pairs_verified, mismatches, .. } = view.totals;
    let predicted = view.target.as_ref().is_none_or(|target| target.profile.game.has_predictor());
    if view.target.is_some() && predicted {
        parts.push(counted(mismatches, "mismatch"));
    }
    if let Some(target) = &view.target {
        parts.push(format!("{} ({})", sanitize_line(&target.identity.name), target.pid));
        parts.push(sanitize_line(&target.profile.name).into_owned());
        if predicted {
            let pieces = counted(pairs_verified, view.unit().singular());
            parts.push(format!("{}, {pieces} verified", counted(rounds, "round")));
        }
    }
    if let Some(replay) = &view.replay {
        let (now, all) = (replay.elapsed.as_secs_f64(), replay.length.as_secs_f64());
        parts.push(format!("frame {}, {now:.1} of {all:.1} s", replay.frame));
    }
    if let (Connection::Live, Some(data)) = (&view.connection, &view.data) {
        parts.push(format!("{:.1} frames/s", data.frames_per_second));
        parts.push(format!("{} ms old", data.taken.elapsed().as_millis()));
    }
    parts
}

/// Wraps lines between parts.
fn wrapped(parts: &[String], columns: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if display_width(line) + SEPARATOR.len() + display_width(part) <= columns => {
                line.push_str(SEPARATOR);
                line.push_str(part);
            }
            _ => lines.push(part.clone()),
        }
    }
    lines
}

fn summary(verdict: &Verdict) -> Vec<String> {
    if verdict.checks.is_empty() {
        return Vec::new();
    }
    let number_of = |status| verdict.checks.iter().filter(|check| check.status == status).count() as u64;
    let mut line = format!(
        "{}: {} verified",
        counted(verdict.checks.len() as u64, "check"),
        number_of(Status::Verified)
    );
    for (status, name) in [(Status::Mismatch, "MISMATCH"), (Status::NotVerified, "not checked")] {
        let number = number_of(status);
        if number > 0 {
            line += &format!(", {number} {name}");
        }
    }
    let failed = verdict.checks.iter().filter(|check| check.status == Status::Mismatch);
    let failed = Verdict { checks: failed.cloned().collect() };
    let failed = verdict::describe(&failed).into_iter().map(|line| sanitize_line(&line).into_owned());
    std::iter::once(line).chain(failed).collect()
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;
