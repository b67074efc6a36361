//! `simulate`: the chain of a board: steps, points and the final board.

use super::arguments::Global;
use super::boards::{board, default_game, rules};
use super::exit::Exit;
use super::games::only_built_in;
use super::output;
use crate::json::{Kind, field_code};
use crate::puyo::reference::{self, Step};
use crate::puyo::{Field, Fired, Rules, Simulator, to_code, to_rows};
use crate::text::counted;
use clap::Args;
use serde::Serialize;

#[derive(Debug, Args)]
pub struct Arguments {
    /// File with up to 14 rows of 6 letters, top row first (R G B Y P; O garbage, H hard block, . empty), - for standard input;
    /// or code:CODE, a puyop.com field code, or a puyop.com link; or a single row such as RRRR
    #[arg(long, value_name = "FILE|CODE")]
    board: String,
    /// Game whose rules apply: puyo-tsu, puyo-20th
    #[arg(long, default_value = default_game(), value_name = "GAME")]
    game: String,
    /// Number of puyos that form a group, if changed in the game's options
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=6))]
    group: Option<u32>,
    /// Show every step of the chain
    #[arg(long)]
    steps: bool,
}

pub fn run(global: &Global, arguments: &Arguments) -> anyhow::Result<Exit> {
    only_built_in(
        "simulate",
        &arguments.game,
        "a [randomizer] says what is dealt, and not how it falls and pops",
    )?;
    let rules = rules(&arguments.game)?;
    let rules = Rules { group: arguments.group.unwrap_or(rules.group), ..rules };
    let board = board(&arguments.board)?;
    let mut left = board;
    left.settle();
    let fired = Simulator::new(rules).fire(&mut left);
    let mut checked = board;
    let steps = reference::fire(&mut checked, rules);
    if checked != left || fired.chain as usize != steps.len() {
        anyhow::bail!(
            "internal error: the two simulators disagree about {board:?}; please report it with this board"
        );
    }
    if global.json {
        let answer = Answer {
            game: &arguments.game,
            chain: fired.chain,
            score: fired.score,
            all_clear: left.is_empty() && !board.is_empty(),
            board: to_rows(&left),
            code: field_code(to_code(&left).ok()),
            steps: arguments.steps.then(|| steps.iter().map(Popped::of).collect()),
        };
        output::object(Kind::Simulate, answer)?;
    } else {
        output::text(&text(&left, fired, arguments.steps.then_some(&steps)))?;
    }
    Ok(Exit::from_answer(fired.chain > 0))
}

#[derive(Serialize)]
struct Answer<'a> {
    game: &'a str,
    chain: u32,
    score: u32,
    all_clear: bool,
    /// The final board.
    board: Vec<String>,
    code: Option<String>,
    /// None without --steps.
    steps: Option<Vec<Popped>>,
}

#[derive(Serialize)]
struct Popped {
    /// The board before it.
    board: Vec<String>,
    groups: Vec<Group>,
    garbage: usize,
    points: u32,
}

#[derive(Serialize)]
struct Group {
    color: char,
    puyos: usize,
}

impl Popped {
    fn of(step: &Step) -> Self {
        let group =
            |group: &reference::Group| Group { color: group.color.letter(), puyos: group.cells.len() };
        Self {
            board: to_rows(&step.before),
            groups: step.groups.iter().map(group).collect(),
            garbage: step.beside.len(),
            points: step.points,
        }
    }
}

fn text(left: &Field, fired: Fired, steps: Option<&Vec<Step>>) -> String {
    let mut text = String::new();
    for (nth, step) in steps.into_iter().flatten().enumerate() {
        let groups: Vec<String> =
            step.groups.iter().map(|group| format!("{} {}", group.cells.len(), group.color.name())).collect();
        let garbage = match step.beside.len() {
            0 => String::new(),
            cells => format!(", {cells} garbage"),
        };
        text += &format!(
            "Step {}: {}{garbage}; {}\n",
            nth + 1,
            groups.join(", "),
            counted(step.points.into(), "point")
        );
        text += &rows(&step.before, Some(step));
    }
    text += &format!("Chain {}, {}", fired.chain, counted(fired.score.into(), "point"));
    if left.is_empty() {
        return text + ", all clear\n";
    }
    text + ", final board:\n" + &rows(left, None)
}

/// The rows of a board; popping cells are lower case.
fn rows(field: &Field, step: Option<&Step>) -> String {
    let mut rows = to_rows(field);
    let height = rows.len();
    let popping = step.into_iter().flat_map(|step| &step.groups).flat_map(|group| &group.cells);
    for (column, row) in popping {
        let Some(letters) = rows.get_mut(height - 1 - row) else { continue };
        if let Some(letter) = letters.get_mut(*column..=*column) {
            letter.make_ascii_lowercase();
        }
    }
    rows.iter().map(|row| format!("  {row}\n")).collect()
}
