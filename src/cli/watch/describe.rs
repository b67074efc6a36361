//! The live view as text.

use crate::cli::verdict;
use crate::games::piece::Piece;
use crate::live::{
    Board, Connection, Data, EmulatorRow, FollowUpRound, Grid, GridItem, Observation, ObservedBoard,
    PiecePlayer, Player, PredictionView, Totals, View,
};
use crate::puyo::{COLUMNS, Cell, ROWS};
use crate::text::{counted, sanitize_line};
use nextscope_boards::{Color, Pair};

/// Boards of the rounds that follow, side by side.
const MAX_GRIDS: usize = 4;

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
    let shown = data.view();
    if let Some(found) = shown.and_then(|shown| shown.found.as_ref()) {
        lines.push(format!("{found}. To save it to a profile: {locate}"));
    }
    lines.extend(shown.map(|shown| describe_start(shown, pairs, false)).unwrap_or_default());
    lines.extend(shown.map(|shown| draw_player_grids(shown, false)).unwrap_or_default());
    lines.extend(shown.map(|shown| describe_follow_ups(shown, pairs, false)).unwrap_or_default());
    lines.extend(verdict::describe(&data.verdict));
    lines
}

/// What a round starting now would deal.
pub fn describe_start(shown: &PredictionView, pairs: usize, colored: bool) -> Vec<String> {
    let Some(start) = &shown.start else { return Vec::new() };
    let mut lines = vec![format!("A round starting now would deal ({}):", start.caption)];
    for (pool, first) in &start.pools {
        let first: Vec<String> =
            first.iter().take(pairs.min(8)).map(|pair| pair_text(*pair, colored)).collect();
        lines.push(format!("  {pool:14} {}", first.join(" ")));
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
        let coming: Vec<String> =
            player.pairs.iter().take(pairs).map(|pair| pair_text(*pair, false)).collect();
        let captions = player.captions.join(", ");
        let Some(dealt) = player.dealt else {
            return format!("{}   {captions}   {}", player.title, coming.join(" "));
        };
        let (next, then) = coming.split_at(coming.len().min(2));
        format!(
            "{}   {captions}, pair {dealt:3}   now {}   next {}   then {}",
            player.title,
            player.current.map_or_else(|| "--".into(), |pair| pair_text(pair, false)),
            next.join(" "),
            then.join(" ")
        )
    };
    let pieces = shown.pieces.iter().flat_map(|player| describe_pieces(player, pairs, false));
    let left = |player: &Player| shown.colors_left_caption(player).map(|left| format!("  {left}"));
    let players = shown.players.iter().flat_map(|player| std::iter::once(line(player)).chain(left(player)));
    let known = shown.players.iter().filter_map(|player| Some((player, player.board.as_ref()?)));
    let boards = known.map(|(player, board)| board_line(&player.title, board));
    shown.note.iter().cloned().chain(players).chain(boards).chain(pieces).collect()
}

/// The players' boards side by side, and a line for each chain.
pub fn draw_boards(shown: &PredictionView) -> Vec<String> {
    let known = shown.players.iter().filter_map(|player| Some((player, player.board.as_ref()?)));
    let boards: Vec<&Board> = known.clone().filter_map(|(_, board)| board.as_ref().ok()).collect();
    let lines = known.filter(|(_, board)| board.as_ref().map_or(true, |board| board.chain.is_some()));
    let lines = lines.map(|(player, board)| board_line(&player.title, board)).collect::<Vec<String>>();
    let drawn = |board: &&Board, row: usize| -> String {
        (0..COLUMNS).map(|column| colored_cell(board.field.get(column, row))).collect()
    };
    // The fourteenth row is empty except for moments.
    let rows = (0..ROWS - 1).rev().map(|row| {
        let cells: Vec<String> = boards.iter().map(|board| drawn(board, row)).collect();
        format!("  {}", cells.join("    "))
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
pub fn describe_pieces(player: &PiecePlayer, most: usize, colored: bool) -> Vec<String> {
    let drawn = |piece: &Piece| if colored { colored_piece(*piece) } else { piece.to_string() };
    let row = |pieces: &[Piece]| pieces.iter().map(drawn).collect::<Vec<String>>().join(" ");
    let certain = &player.pieces[..player.pieces.len().min(most)];
    let current = player.current.map_or_else(|| "-".into(), |piece| drawn(&piece));
    let mut lines = vec![
        format!(
            "{}   {}   now {current}   {} {}",
            player.title,
            player.captions.join(", "),
            player.names.first().unwrap_or(&"next"),
            row(certain)
        ),
        format!("  {}", player.position),
    ];
    if let Some(chances) = &player.chances {
        let likeliest = chances.likeliest().into_iter();
        let each = likeliest.map(|(piece, chance)| format!("{} {:.1} %", drawn(&piece), 100.0 * chance));
        lines.push(format!("  {}: {}", chances.caption, each.collect::<Vec<String>>().join("   ")));
    }
    for later in &player.later {
        lines.push(format!("  {}: {}", later.caption, row(&later.pieces[..later.pieces.len().min(most)])));
    }
    if let Some(waits) = &player.waits {
        lines.push(format!("  {}:", waits.caption));
        for (row_number, frames) in waits.frames.chunks(20).enumerate() {
            lines.push(format!("  {:3}  {}", row_number * 20 + 1, row(frames)));
        }
        let wait = |(piece, frames): (Piece, &Option<usize>)| match frames {
            Some(frames) => format!("{} {frames}", drawn(&piece)),
            None => format!("{} -", drawn(&piece)),
        };
        let shortest = Piece::ALL.into_iter().zip(&waits.shortest).map(wait).collect::<Vec<String>>();
        lines.push(format!("  frames to wait for  {}", shortest.join("   ")));
    }
    lines
}

/// A letter on a colored background: the window's colours, approximated by the palette of 256.
fn colored_piece(piece: Piece) -> String {
    let (ink, background) = match piece {
        Piece::I => (16, 74),
        Piece::J => (231, 25),
        Piece::L => (16, 172),
        Piece::O => (16, 227),
        Piece::S => (16, 36),
        Piece::T => (16, 175),
        Piece::Z => (231, 166),
    };
    format!("\x1b[1;38;5;{ink};48;5;{background}m{piece}\x1b[0m")
}

/// Boards side by side, each with its caption above it; the rows on top that are empty in all of them are left out.
fn draw_grids(grids: &[&Grid], colored: bool) -> Vec<String> {
    const GAP: &str = "    ";
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
    let line = |text: Vec<String>| format!("  {}", text.join(GAP).trim_end());
    let captions = grids.iter().map(|grid| format!("{:1$}", grid.caption, width(grid))).collect();
    let drawn = |grid: &&Grid, row: usize| {
        let cells: String = cells(grid, row).into_iter().map(|item| grid_cell(item, colored)).collect();
        format!("{cells}{:1$}", "", width(grid) - grid.columns)
    };
    let rows = (first..rows).map(|row| line(grids.iter().map(|grid| drawn(grid, row)).collect()));
    if grids.is_empty() { Vec::new() } else { std::iter::once(line(captions)).chain(rows).collect() }
}

/// A letter; a virus in upper case, a half of a capsule in lower case.
fn grid_cell(item: Option<GridItem>, colored: bool) -> String {
    match item {
        None => ".".into(),
        Some(item) if !colored => item.letter().into(),
        Some(item) => colored_letter(item.color, item.letter()),
    }
}

/// The players' boards of games without field codes.
pub fn draw_player_grids(shown: &PredictionView, colored: bool) -> Vec<String> {
    let grids: Vec<&Grid> = shown.players.iter().flat_map(|player| &player.boards).collect();
    draw_grids(&grids, colored)
}

/// The rounds that follow: pairs, and as many boards as there are.
pub fn describe_follow_ups(shown: &PredictionView, pairs: usize, colored: bool) -> Vec<String> {
    let line = |round: &FollowUpRound| {
        let first: Vec<String> =
            round.pairs.iter().take(pairs).map(|pair| pair_text(*pair, colored)).collect();
        format!("{}   {}", round.caption, first.join(" "))
    };
    let grids: Vec<&Grid> = shown.follow_ups.iter().flat_map(|round| &round.boards).take(MAX_GRIDS).collect();
    shown.follow_ups.iter().map(line).chain(draw_grids(&grids, colored)).collect()
}

pub fn pair_text(pair: Pair, colored: bool) -> String {
    if colored { colored_pair(pair) } else { pair.letters() }
}

fn colored_pair(pair: Pair) -> String {
    format!("{}{}", colored_puyo(pair.axis), colored_puyo(pair.child))
}

fn colored_puyo(color: Color) -> String {
    colored_letter(color, color.letter())
}

fn colored_letter(color: Color, letter: char) -> String {
    let background = match color.0 {
        0 => 160,
        1 => 220,
        2 | 3 => 34,
        4 => 91,
        5 => 27,
        _ => 244,
    };
    let ink = if color.0 == 1 { 16 } else { 231 };
    format!("\x1b[1;38;5;{ink};48;5;{background}m{letter}\x1b[0m")
}

fn colored_cell(cell: Cell) -> String {
    match cell {
        Cell::Empty => ".".into(),
        Cell::Puyo(color) => colored_puyo(color),
        Cell::Ojama | Cell::Hard => format!("\x1b[1;38;5;231;48;5;244m{}\x1b[0m", cell.letter()),
    }
}
