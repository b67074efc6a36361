//! The live view on a terminal: what fits, the coming pairs first; all of it with `d`.

use super::describe::{
    boards, describe_connection, describe_follow_ups, describe_pieces, describe_start, draw_boards,
    draw_player_grids, pair_spans,
};
use super::palette::Palette;
use crate::cli::verdict;
use crate::live::{Connection, Data, Player, PredictionView, Status, Totals, Verdict, View};
use crate::text::{counted, sanitize_line};
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span, Text};
use ratatui::widgets::{Paragraph, Widget, Wrap};

/// Terminals with fewer rows have no footer.
const MIN_ROWS_WITH_FOOTER: u16 = 8;
const SEPARATOR: &str = "   ";
/// Rows of all details together, at most.
const MAX_ROWS: u16 = 2000;
/// What PageUp and PageDown keep of the page before.
const OVERLAP: u16 = 2;

const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
const GOOD: Style = BOLD.fg(Color::Green);
const BAD: Style = BOLD.fg(Color::Red);
const CAUTION: Style = BOLD.fg(Color::Yellow);
const QUIET: Style = Style::new().add_modifier(Modifier::DIM);

const KEYS: [(&str, &str); 6] = [
    ("q, Esc, Ctrl+C", "end"),
    ("1 to 4", "show only this player"),
    ("0, Tab", "all players, the next player"),
    ("d", "all details, or what fits"),
    ("arrows, PgUp, PgDn, Home, End", "scroll the details"),
    ("?", "these keys"),
];

/// What the user chose with keys.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Choices {
    /// The only player shown, from 0.
    player: Option<usize>,
    /// Whether everything is shown, scrolled by `first` rows.
    details: bool,
    first: u16,
    help: bool,
}

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pressed {
    End,
    Redraw,
    Nothing,
}

impl Choices {
    /// Carries out a key; `players` of the game and `rows` of the terminal.
    pub fn press(&mut self, key: KeyEvent, players: usize, rows: u16) -> Pressed {
        let page = rows.saturating_sub(1 + OVERLAP).max(1);
        let before = self.clone();
        match key.code {
            KeyCode::Char('c' | 'd') if key.modifiers.contains(KeyModifiers::CONTROL) => return Pressed::End,
            KeyCode::Esc if self.help => self.help = false,
            KeyCode::Char('q') | KeyCode::Esc => return Pressed::End,
            KeyCode::Char('?' | 'h') => self.help = !self.help,
            KeyCode::Char('d') | KeyCode::Enter => {
                *self = Self { player: self.player, details: !self.details, ..Self::default() };
            }
            KeyCode::Char('0' | 'a') => self.player = None,
            KeyCode::Char(digit @ '1'..='4') => {
                let player = digit.to_digit(10).map_or(0, |number| number as usize - 1);
                self.player = (player < players).then_some(player).or(self.player);
            }
            KeyCode::Tab => {
                let next = self.player.map_or(0, |player| player + 1);
                self.player = (next < players).then_some(next);
            }
            KeyCode::Up => self.first = self.first.saturating_sub(1),
            KeyCode::Down => self.first = self.first.saturating_add(1),
            KeyCode::PageUp => self.first = self.first.saturating_sub(page),
            KeyCode::PageDown => self.first = self.first.saturating_add(page),
            KeyCode::Home => self.first = 0,
            KeyCode::End => self.first = u16::MAX,
            _ => return Pressed::Nothing,
        }
        if !self.details {
            self.first = 0;
        }
        if *self == before { Pressed::Nothing } else { Pressed::Redraw }
    }
}

/// What is shown beside the view.
pub struct Surroundings<'a> {
    /// Shown while nothing is attached.
    pub waiting: &'a str,
    /// Number of coming pairs.
    pub pairs: usize,
    /// Whether keys can be pressed.
    pub keys: bool,
    /// The newest warning, which would be printed otherwise.
    pub warning: Option<&'a str>,
}

/// The number of players that can be chosen.
pub fn players(view: &View) -> usize {
    let shown = current_data(view).and_then(Data::view);
    shown.map_or(0, |shown| shown.players.len().max(shown.pieces.len()))
}

/// Draws the view; corrects how far `choices` are scrolled.
pub fn draw(
    view: &View,
    around: &Surroundings<'_>,
    choices: &mut Choices,
    palette: Palette,
    area: Rect,
    buffer: &mut Buffer,
) {
    let footer = u16::from(area.height >= MIN_ROWS_WITH_FOOTER);
    let body = Rect { height: area.height.saturating_sub(footer), ..area };
    let mut position = None;
    if choices.help {
        let key = |(keys, does): &(&'static str, &'static str)| {
            Line::from(vec![Span::styled(format!("{keys:>29}"), BOLD), Span::raw(format!("  {does}"))])
        };
        let narrow = |(keys, does): &(&'static str, &'static str)| Line::raw(format!("{does}: {keys}"));
        let lines: Vec<Line> =
            if area.width < 60 { KEYS.iter().map(narrow).collect() } else { KEYS.iter().map(key).collect() };
        Paragraph::new(lines).wrap(Wrap { trim: false }).render(body, buffer);
    } else if choices.details {
        let lines = Parts::new(view, around, choices, usize::from(area.width)).all();
        position = Some(draw_scrolled(lines, &mut choices.first, body, buffer));
    } else {
        let lines = layout(view, around, choices, body.height.into(), body.width.into());
        Text::from(lines).render(body, buffer);
    }
    if footer == 1 {
        let keys = footer_text(around.keys, players(view), position, area.width);
        let row = Rect { y: area.bottom() - 1, height: 1, ..area };
        Line::styled(keys, QUIET).render(row, buffer);
    }
    palette.apply(buffer);
}

/// Draws the lines from row `first` on, wrapped; returns the rows shown and their number.
fn draw_scrolled(
    lines: Vec<Line<'static>>,
    first: &mut u16,
    area: Rect,
    buffer: &mut Buffer,
) -> (u16, u16, u16) {
    let width = usize::from(area.width.max(1));
    let most: usize = lines.iter().map(|line| line.width() * 2 / width + 2).sum();
    let height = u16::try_from(most).unwrap_or(MAX_ROWS).min(MAX_ROWS);
    let mut all = Buffer::empty(Rect::new(0, 0, area.width, height));
    let all_area = all.area;
    Paragraph::new(lines).wrap(Wrap { trim: false }).render(all_area, &mut all);
    let is_blank =
        |y: &u16| (0..all_area.width).all(|x| all.cell((x, *y)).is_none_or(|it| it.symbol() == " "));
    let rows = (0..all_area.height).rev().find(|y| !is_blank(y)).map_or(0, |last| last + 1);
    *first = (*first).min(rows.saturating_sub(area.height));
    let shown = area.height.min(rows - *first);
    for y in 0..shown {
        for x in 0..all_area.width {
            if let (Some(from), Some(to)) =
                (all.cell((x, *first + y)), buffer.cell_mut((area.x + x, area.y + y)))
            {
                *to = from.clone();
            }
        }
    }
    (*first + 1, *first + shown, rows)
}

/// As much about the keys as fits.
fn footer_text(keys: bool, players: usize, position: Option<(u16, u16, u16)>, width: u16) -> String {
    if !keys {
        return "Press Ctrl+C to stop".to_owned();
    }
    let mut parts = vec!["q quit".to_owned()];
    match position {
        Some((first, last, rows)) => {
            parts.push("d less".into());
            if last - first + 1 < rows {
                parts.push(format!("lines {first}-{last} of {rows}"));
            }
        }
        None => parts.push("d details".into()),
    }
    if players > 1 {
        parts.push(format!("1-{players} player"));
    }
    parts.push("? keys".into());
    let mut text = String::new();
    for part in parts {
        let gap = if text.is_empty() { "" } else { SEPARATOR };
        if text.len() + gap.len() + part.len() <= usize::from(width) {
            text += gap;
            text += &part;
        }
    }
    text
}

struct Block {
    lines: Vec<Line<'static>>,
    /// Whether the first lines are useful without the rest.
    divisible: bool,
}

impl Block {
    fn indivisible(lines: Vec<Line<'static>>) -> Self {
        Self { lines, divisible: false }
    }

    fn divisible(lines: Vec<Line<'static>>) -> Self {
        Self { lines, divisible: true }
    }

    /// The lines that fit into the free rows; reduces `rows` by their number.
    fn fit(self, rows: &mut usize) -> Vec<Line<'static>> {
        let mut lines = self.lines;
        if lines.len() > *rows {
            lines.truncate(if self.divisible { *rows } else { 0 });
        }
        *rows -= lines.len();
        lines
    }
}

/// The view in at most `rows` lines. Coming pairs and connection come first; if space is short, boards are left out, then
/// checks.
fn layout(
    view: &View,
    around: &Surroundings<'_>,
    choices: &Choices,
    rows: usize,
    columns: usize,
) -> Vec<Line<'static>> {
    let mut free = rows;
    let parts = Parts::new(view, around, choices, columns);

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
    [coming, connection, mismatch, details, boards, summary, checks, start, follow_ups].concat()
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
    coming: Vec<Line<'static>>,
    /// Connection, emulator and counts.
    status: Vec<Line<'static>>,
    mismatch: Vec<Line<'static>>,
    /// More about single pieces, and addresses found by content.
    details: Vec<Line<'static>>,
    boards: Vec<Line<'static>>,
    checks: Vec<Line<'static>>,
    /// The checks in one line, and those that failed.
    summary: Vec<Line<'static>>,
    /// What a round starting now would deal.
    start: Vec<Line<'static>>,
    /// The rounds that follow.
    follow_ups: Vec<Line<'static>>,
}

impl Parts {
    fn new(view: &View, around: &Surroundings<'_>, choices: &Choices, columns: usize) -> Self {
        let plain = |line: &String| Line::raw(sanitize_line(line).into_owned());
        let mut parts = Self { status: wrapped(&status(view), columns), ..Self::default() };
        if let (Some(line), word) = (parts.status.first_mut(), view.connection.word()) {
            let rest = line.to_string().strip_prefix(word).unwrap_or_default().to_owned();
            *line = Line::from(vec![Span::styled(word, connection_style(&view.connection)), Span::raw(rest)]);
        }
        if let Some(mismatch) = view.mismatches.last() {
            let text = format!("last mismatch: {mismatch}");
            let sides = format!("  expected {}  actual {}", mismatch.expected, mismatch.actual);
            parts.mismatch = [text, sides].iter().map(plain).map(|line| line.style(BAD)).collect();
        }
        if let Some(warning) = around.warning {
            parts.mismatch.push(plain(&warning.to_owned()).style(CAUTION));
        }
        let Some(data) = current_data(view) else {
            parts.coming = describe_connection(view, around.waiting).iter().map(plain).collect();
            return parts;
        };
        parts.checks = checks(&data.verdict);
        parts.summary = summary(&data.verdict);
        match (&data.observation, data.view()) {
            (Err(why), _) => {
                parts.coming = why.lines().map(|line| plain(&line.to_owned())).collect();
            }
            (Ok(observation), None) => {
                parts.details = boards(observation).iter().map(plain).collect();
                let why = observation.without_prediction();
                let no_round = parts.details.is_empty();
                parts.coming = vec![Line::raw(if no_round { format!("No round yet. {why}") } else { why })];
            }
            (Ok(_), Some(shown)) => {
                let chosen = choices.player.map(|player| only(shown, player));
                parts.predicted(chosen.as_ref().unwrap_or(shown), view, around.pairs);
            }
        }
        parts
    }

    fn predicted(&mut self, shown: &PredictionView, view: &View, pairs: usize) {
        let plain = |line: &String| Line::raw(sanitize_line(line).into_owned());
        self.coming = shown.players.iter().map(|player| coming(player, pairs)).collect();
        for player in &shown.pieces {
            let mut lines = describe_pieces(player, pairs).into_iter();
            self.coming.extend(lines.next());
            self.details.extend(lines);
        }
        self.details.extend(shown.note.iter().map(plain));
        if let (Some(found), Some(target)) = (&shown.found, &view.target) {
            let locate = PredictionView::locate(&target.profile.id, &format!("--pid {}", target.pid));
            self.details.push(Line::raw(format!("{found}. To save it to a profile: {locate}")));
        }
        self.boards = [draw_boards(shown), draw_player_grids(shown)].concat();
        self.start = describe_start(shown, pairs);
        self.follow_ups = describe_follow_ups(shown, pairs);
    }

    /// Everything, each part below the one before.
    fn all(self) -> Vec<Line<'static>> {
        let parts = [
            self.coming,
            self.status,
            self.mismatch,
            self.details,
            self.boards,
            self.checks,
            self.start,
            self.follow_ups,
        ];
        let parts: Vec<Vec<Line>> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(&Line::raw(""))
    }
}

/// The prediction for one player.
fn only(shown: &PredictionView, player: usize) -> PredictionView {
    PredictionView {
        players: shown.players.get(player).cloned().into_iter().collect(),
        pieces: shown.pieces.get(player).cloned().into_iter().collect(),
        ..shown.clone()
    }
}

fn connection_style(connection: &Connection) -> Style {
    match connection {
        Connection::Live | Connection::Replaying { .. } => GOOD,
        Connection::Lost { .. } => BAD,
        Connection::Searching | Connection::Choosing | Connection::Paused { .. } => CAUTION,
    }
}

/// A player's coming pairs, and their source.
fn coming(player: &Player, pairs: usize) -> Line<'static> {
    let captions = player.captions.join(", ");
    let shown = &player.pairs[..player.pairs.len().min(pairs)];
    let mut line = Line::from(Span::styled(player.title.clone(), BOLD));
    let mut add = |text: String, pairs: &[_]| {
        line.push_span(Span::raw(text));
        line.spans.extend(pair_spans(pairs.iter()));
    };
    let Some(dealt) = player.dealt else {
        add("  ".into(), shown);
        add(format!("{SEPARATOR}{captions}"), &[]);
        return line;
    };
    let (next, then) = shown.split_at(shown.len().min(2));
    add(if player.current.is_some() { "  now " } else { "  now --" }.into(), player.current.as_slice());
    add("  next ".into(), next);
    add("  then ".into(), then);
    add(format!("{SEPARATOR}pair {dealt}, {captions}"), &[]);
    line
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
fn wrapped(parts: &[String], columns: usize) -> Vec<Line<'static>> {
    let mut lines: Vec<Line> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.width() + SEPARATOR.len() + Span::raw(part).width() <= columns => {
                line.push_span(Span::raw(format!("{SEPARATOR}{part}")));
            }
            _ => lines.push(Line::raw(part.clone())),
        }
    }
    lines
}

/// A line for each check; those that failed stand out.
fn checks(verdict: &Verdict) -> Vec<Line<'static>> {
    let lines = verdict::describe(verdict).into_iter();
    let failed = verdict.checks.iter().map(|check| check.status == Status::Mismatch);
    let styled = |(line, failed): (String, bool)| {
        Line::styled(sanitize_line(&line).into_owned(), if failed { BAD } else { Style::new() })
    };
    lines.zip(failed).map(styled).collect()
}

fn summary(verdict: &Verdict) -> Vec<Line<'static>> {
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
    std::iter::once(Line::raw(line)).chain(checks(&failed)).collect()
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;
