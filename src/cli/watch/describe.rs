//! The live view as text, and as lines in which pieces have their colours.

use crate::cli::verdict;
use crate::games::piece::Piece;
use crate::live::{
    Board, Connection, Data, EmulatorRow, FollowUpRound, Grid, GridItem, Observation, ObservedBoard,
    PiecePlayer, Player, PredictionView, Totals, View,
};
use crate::puyo::{COLUMNS, Cell, ROWS};
use crate::text::{counted, sanitize_line};
use nextscope_boards::{Color, Pair};
use ratatui::style::{Color as Paint, Modifier, Style};
use ratatui::text::{Line, Span};

/// Boards of the rounds that follow, side by side.
const MAX_GRIDS: usize = 4;
/// Between boards that are side by side.
const GAP: &str = "    ";
/// Of the palette of 256 colours.
const BLACK: u8 = 16;
const WHITE: u8 = 231;
const GREY: u8 = 244;

/// The boards of a game for which nothing is predicted, a line for each.
pub fn boards(observation: &Observation) -> Vec<String> {
    let line = |board: ObservedBoard| {
        let rows = board.rows().map_or_else(|why| why, |rows| rows.join("/"));
        format!("{}   field at {}   {rows}", board.title, board.address)
    };
    observation.boards().into_iter().map(line).collect()
}

/// The view in lines of any width.
pub fn describe(view: &View, waiting: &str, pairs: usize) -> Vec<String> {
    let mut lines = vec![headline(view)];
    match (&view.connection, &view.data) {
        (Connection::Live | Connection::Paused { .. } | Connection::Replaying { .. }, Some(data)) => {
            let locate = view.target.as_ref().map_or_else(String::new, |target| {
                PredictionView::locate(&target.profile.id, &format!("--pid {}", target.pid))
            });
            lines.extend(self::data(data, pairs, &locate));
        }
        _ => lines.extend(describe_connection(view, waiting)),
    }
    if let Some(mismatch) = view.mismatches.last() {
        lines.push(format!("last mismatch: {mismatch}"));
        lines.push(format!("  expected {}  actual {}", mismatch.expected, mismatch.actual));
    }
    lines
}

/// The connection, without data.
pub fn describe_connection(view: &View, waiting: &str) -> Vec<String> {
    match &view.connection {
        Connection::Replaying { .. } => vec!["The recording has no samples".into()],
        Connection::Choosing => {
            let candidates =
                view.emulators.iter().filter(|r| matches!(r.state, crate::live::RowState::Candidate));
            let row = |row: &EmulatorRow| format!("  {}  {}", row.pid, sanitize_line(&row.identity.name));
            std::iter::once("Several emulators are running a known game; choose one with --pid:".to_owned())
                .chain(candidates.map(row))
                .collect()
        }
        Connection::Lost { why, .. } => vec![format!("Lost: {why}. Reconnecting ...")],
        _ => vec![waiting.to_owned()],
    }
}

fn headline(view: &View) -> String {
    let mut parts = vec![view.connection.word().to_owned()];
    if let Some(target) = &view.target {
        parts.push(format!("{} ({})", sanitize_line(&target.identity.name), target.pid));
        parts.push(target.profile.name.clone());
    }
    if let (Connection::Live, Some(data)) = (&view.connection, &view.data) {
        parts.push(format!("{:.1} frames/s", data.frames_per_second));
        parts.push(format!("{} ms old", data.taken.elapsed().as_millis()));
    }
    if let Some(replay) = &view.replay {
        let (now, all) = (replay.elapsed.as_secs_f64(), replay.length.as_secs_f64());
        parts.push(format!("frame {}, {now:.1} of {all:.1} s", replay.frame));
    }
    let Totals { rounds, pairs_verified, mismatches, .. } = view.totals;
    if view.target.as_ref().is_some_and(|target| !target.profile.game.has_predictor()) {
        parts.push("no prediction available: unknown randomizer".to_owned());
        return parts.join("   ");
    }
    let pieces = counted(pairs_verified, view.unit().singular());
    let (rounds, mismatches) = (counted(rounds, "round"), counted(mismatches, "mismatch"));
    parts.push(format!("{rounds}, {pieces} verified, {mismatches}"));
    parts.join("   ")
}

/// `locate` is the command that writes addresses found by content to a profile.
pub fn data(data: &Data, pairs: usize, locate: &str) -> Vec<String> {
    let mut lines = describe_players(data, pairs);
    if let Some(shown) = data.view() {
        lines.extend(shown.found.as_ref().map(|found| format!("{found}. To save it to a profile: {locate}")));
        let coloured =
            [describe_start(shown, pairs), draw_player_grids(shown), describe_follow_ups(shown, pairs)];
        lines.extend(coloured.iter().flatten().map(Line::to_string));
    }
    lines.extend(verdict::describe(&data.verdict));
    lines
}

/// What a round starting now would deal.
pub fn describe_start(shown: &PredictionView, pairs: usize) -> Vec<Line<'static>> {
    let Some(start) = &shown.start else { return Vec::new() };
    let mut lines = vec![Line::raw(format!("A round starting now would deal ({}):", start.caption))];
    for (pool, first) in &start.pools {
        let mut line = Line::raw(format!("  {pool:14} "));
        line.spans.extend(pair_spans(first.iter().take(pairs.min(8))));
        lines.push(line);
    }
    lines
}

pub fn describe_players(data: &Data, pairs: usize) -> Vec<String> {
    let observation = match &data.observation {
        Ok(observation) => observation,
        Err(error) => return vec![error.clone()],
    };
    let Some(shown) = data.view() else {
        let boards = boards(observation);
        let why = observation.without_prediction();
        let why = if boards.is_empty() { format!("No round yet. {why}") } else { why };
        return std::iter::once(why).chain(boards).collect();
    };
    let line = |player: &Player| {
        let coming: Vec<String> = player.pairs.iter().take(pairs).map(|pair| pair.letters()).collect();
        let captions = player.captions.join(", ");
        let Some(dealt) = player.dealt else {
            return format!("{}   {captions}   {}", player.title, coming.join(" "));
        };
        let (next, then) = coming.split_at(coming.len().min(2));
        format!(
            "{}   {captions}, pair {dealt:3}   now {}   next {}   then {}",
            player.title,
            player.current.map_or_else(|| "--".into(), Pair::letters),
            next.join(" "),
            then.join(" ")
        )
    };
    let pieces = shown.pieces.iter().flat_map(|player| describe_pieces(player, pairs));
    let pieces = pieces.map(|line| line.to_string());
    let left = |player: &Player| shown.colors_left_caption(player).map(|left| format!("  {left}"));
    let players = shown.players.iter().flat_map(|player| std::iter::once(line(player)).chain(left(player)));
    let known = shown.players.iter().filter_map(|player| Some((player, player.board.as_ref()?)));
    let boards = known.map(|(player, board)| board_line(&player.title, board));
    shown.note.iter().cloned().chain(players).chain(boards).chain(pieces).collect()
}

/// The players' boards side by side, and a line for each chain.
pub fn draw_boards(shown: &PredictionView) -> Vec<Line<'static>> {
    let known = shown.players.iter().filter_map(|player| Some((player, player.board.as_ref()?)));
    let boards: Vec<&Board> = known.clone().filter_map(|(_, board)| board.as_ref().ok()).collect();
    let lines = known.filter(|(_, board)| board.as_ref().map_or(true, |board| board.chain.is_some()));
    let lines: Vec<Line> = lines.map(|(player, board)| Line::raw(board_line(&player.title, board))).collect();
    // The fourteenth row is empty except for moments.
    let rows = (0..ROWS - 1).rev().map(|row| {
        let mut line = Line::raw("  ");
        for (number, board) in boards.iter().enumerate() {
            line.spans.extend((number > 0).then(|| Span::raw(GAP)));
            line.spans.extend((0..COLUMNS).map(|column| board_cell(board.field.get(column, row))));
        }
        line
    });
    if boards.is_empty() { lines } else { rows.chain(lines).collect() }
}

/// A board in one line: rows from the top, field code, chain.
fn board_line(title: &str, board: &Result<Board, String>) -> String {
    let board = match board {
        Ok(board) => board,
        Err(why) => return format!("{title}   {why}"),
    };
    let code = board.code().filter(|code| !code.is_empty()).map(|code| format!("   code {code}"));
    let chain = board.caption().map(|caption| format!("   {caption}"));
    let rows = board.rows().join("/");
    format!("{title}   board {rows}{}{}", code.unwrap_or_default(), chain.unwrap_or_default())
}

/// A player of a game of single pieces: certain pieces, and those that depend on timing.
pub fn describe_pieces(player: &PiecePlayer, most: usize) -> Vec<Line<'static>> {
    let row = |pieces: &[Piece]| joined(pieces.iter().map(|piece| vec![piece_span(*piece)]), " ");
    let certain = &player.pieces[..player.pieces.len().min(most)];
    let mut first = Line::raw(format!("{}   {}   now ", player.title, player.captions.join(", ")));
    first.push_span(player.current.map_or_else(|| Span::raw("-"), piece_span));
    first.push_span(Span::raw(format!("   {} ", player.names.first().unwrap_or(&"next"))));
    first.spans.extend(row(certain));
    let mut lines = vec![first, Line::raw(format!("  {}", player.position))];
    if let Some(chances) = &player.chances {
        let each = chances
            .likeliest()
            .into_iter()
            .map(|(piece, chance)| vec![piece_span(piece), Span::raw(format!(" {:.1} %", 100.0 * chance))]);
        lines.push(captioned(&chances.caption, joined(each, "   ")));
    }
    for later in &player.later {
        lines.push(captioned(&later.caption, row(&later.pieces[..later.pieces.len().min(most)])));
    }
    if let Some(waits) = &player.waits {
        lines.push(Line::raw(format!("  {}:", waits.caption)));
        for (row_number, frames) in waits.frames.chunks(20).enumerate() {
            let mut line = Line::raw(format!("  {:3}  ", row_number * 20 + 1));
            line.spans.extend(row(frames));
            lines.push(line);
        }
        let wait = |(piece, frames): (Piece, &Option<usize>)| {
            let frames = frames.map_or_else(|| " -".into(), |frames| format!(" {frames}"));
            vec![piece_span(piece), Span::raw(frames)]
        };
        let mut line = Line::raw("  frames to wait for  ");
        line.spans.extend(joined(Piece::ALL.into_iter().zip(&waits.shortest).map(wait), "   "));
        lines.push(line);
    }
    lines
}

fn captioned(caption: &str, spans: Vec<Span<'static>>) -> Line<'static> {
    let mut line = Line::raw(format!("  {caption}: "));
    line.spans.extend(spans);
    line
}

fn joined(parts: impl Iterator<Item = Vec<Span<'static>>>, separator: &'static str) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    for (number, part) in parts.enumerate() {
        spans.extend((number > 0).then(|| Span::raw(separator)));
        spans.extend(part);
    }
    spans
}

/// Boards side by side, each with its caption above it; the rows on top that are empty in all of them are left out.
fn draw_grids(grids: &[&Grid]) -> Vec<Line<'static>> {
    let rows = grids.iter().map(|grid| grid.row_count()).max().unwrap_or(0);
    let cells = |grid: &Grid, row: usize| -> Vec<Option<GridItem>> {
        // The last rows are side by side.
        let missing = rows - grid.row_count();
        let first = row.checked_sub(missing).map_or(usize::MAX, |row| row * grid.columns);
        (0..grid.columns)
            .map(|column| grid.cells.get(first.saturating_add(column)).copied().flatten())
            .collect()
    };
    let empty = |row: &usize| grids.iter().all(|grid| cells(grid, *row).iter().all(Option::is_none));
    let first = (0..rows).take_while(empty).count();
    let width = |grid: &Grid| grid.caption.chars().count().max(grid.columns);
    let captions: Vec<String> =
        grids.iter().map(|grid| format!("{:1$}", grid.caption, width(grid))).collect();
    let captions = Line::raw(format!("  {}", captions.join(GAP).trim_end()));
    let rows = (first..rows).map(|row| {
        let mut line = Line::raw("  ");
        for (number, grid) in grids.iter().enumerate() {
            line.spans.extend((number > 0).then(|| Span::raw(GAP)));
            line.spans.extend(cells(grid, row).into_iter().map(grid_cell));
            let rest = width(grid) - grid.columns;
            if rest > 0 && number + 1 < grids.len() {
                line.push_span(Span::raw(" ".repeat(rest)));
            }
        }
        line
    });
    if grids.is_empty() { Vec::new() } else { std::iter::once(captions).chain(rows).collect() }
}

/// A letter; a virus in upper case, a half of a capsule in lower case.
fn grid_cell(item: Option<GridItem>) -> Span<'static> {
    item.map_or_else(|| Span::raw("."), |item| letter_span(item.color, item.letter()))
}

/// The players' boards of games without field codes.
pub fn draw_player_grids(shown: &PredictionView) -> Vec<Line<'static>> {
    let grids: Vec<&Grid> = shown.players.iter().flat_map(|player| &player.boards).collect();
    draw_grids(&grids)
}

/// The rounds that follow: pairs, and as many boards as there are.
pub fn describe_follow_ups(shown: &PredictionView, pairs: usize) -> Vec<Line<'static>> {
    let line = |round: &FollowUpRound| {
        let mut line = Line::raw(format!("{}   ", round.caption));
        line.spans.extend(pair_spans(round.pairs.iter().take(pairs)));
        line
    };
    let grids: Vec<&Grid> = shown.follow_ups.iter().flat_map(|round| &round.boards).take(MAX_GRIDS).collect();
    shown.follow_ups.iter().map(line).chain(draw_grids(&grids)).collect()
}

pub fn pair_spans<'a>(pairs: impl Iterator<Item = &'a Pair>) -> Vec<Span<'static>> {
    let pair = |pair: &Pair| vec![puyo_span(pair.axis), puyo_span(pair.child)];
    joined(pairs.map(pair), " ")
}

fn board_cell(cell: Cell) -> Span<'static> {
    match cell {
        Cell::Empty => Span::raw("."),
        Cell::Puyo(color) => puyo_span(color),
        Cell::Ojama | Cell::Hard => letter(cell.letter().to_string(), WHITE, GREY),
    }
}

fn puyo_span(color: Color) -> Span<'static> {
    letter_span(color, color.letter())
}

fn letter_span(color: Color, shown: char) -> Span<'static> {
    let background = match color.0 {
        0 => 160,
        1 => 220,
        2 | 3 => 34,
        4 => 91,
        5 => 27,
        _ => GREY,
    };
    letter(shown.to_string(), if color.0 == 1 { BLACK } else { WHITE }, background)
}

/// A letter on a coloured background: the window's colours, approximated by the palette of 256.
fn piece_span(piece: Piece) -> Span<'static> {
    let (ink, background) = match piece {
        Piece::I => (BLACK, 74),
        Piece::J => (WHITE, 25),
        Piece::L => (BLACK, 172),
        Piece::O => (BLACK, 227),
        Piece::S => (BLACK, 36),
        Piece::T => (BLACK, 175),
        Piece::Z => (WHITE, 166),
    };
    letter(piece.to_string(), ink, background)
}

fn letter(shown: String, ink: u8, background: u8) -> Span<'static> {
    let style = Style::new().fg(Paint::Indexed(ink)).bg(Paint::Indexed(background));
    Span::styled(shown, style.add_modifier(Modifier::BOLD))
}
