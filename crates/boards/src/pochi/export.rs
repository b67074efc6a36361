//! Ignitions as images.

use super::evaluate::{Evaluation, Tail, evaluate};
use super::field::{Color, Field, GridCell};
use super::ignition::{Ignition, IgnitionError};
use super::rules::{Rules, Ruleset};
use crate::Color as Puyo;
use crate::picture::{Drawing, PictureError, Shape, palette};
use crate::puyo::Cell;

/// Side of a cell, in pixels.
const CELL: u32 = 48;
/// Radius of a block, in pixels.
const RADIUS: u32 = 22;
/// Margin around a board, in pixels.
const MARGIN: u32 = 12;
/// Height of a line of text, in pixels.
const LINE: u32 = 20;
/// The greatest width of a letter, in pixels.
const LETTER: u32 = 12;
/// The least width of a board with its text, in pixels, so that lines below a small field are not split too often.
const MIN_WIDTH: u32 = 300;
/// Distance of the two lines of text on a block from its centre, in pixels.
const HALF_LINE: u32 = 8;

/// The content of an image: a field, and the evaluations of an ignition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Picture {
    field: Field,
    needle: Option<(GridCell, Option<Color>)>,
    evaluations: Vec<Evaluation>,
}

impl Picture {
    /// An ignition, evaluated under both rulesets side by side.
    pub fn of(field: &Field, ignition: &Ignition, rules: Rules) -> Result<Self, IgnitionError> {
        let [mvs, ps2] = Ruleset::ALL.map(|ruleset| evaluate(field, ignition, ruleset, rules));
        Ok(Self::from_evaluations(field, ignition, [mvs?, ps2?]))
    }

    /// An ignition that was already evaluated under both rulesets.
    pub fn from_evaluations(field: &Field, ignition: &Ignition, evaluations: [Evaluation; 2]) -> Self {
        let color = |evaluation: &Evaluation| {
            evaluation.structures.first()?.starts.first().and_then(|at| field.get(*at))
        };
        let needle = match ignition {
            Ignition::Needle { at, color: named } => Some((*at, named.or_else(|| color(&evaluations[0])))),
            Ignition::Blocks(_) => None,
        };
        Self { field: field.clone(), needle, evaluations: evaluations.into() }
    }

    /// A field alone.
    pub fn of_field(field: &Field) -> Self {
        Self { field: field.clone(), needle: None, evaluations: Vec::new() }
    }

    fn title(&self) -> String {
        let values: Vec<String> = self
            .evaluations
            .iter()
            .map(|evaluation| format!("{} {}", evaluation.ruleset, evaluation.value))
            .collect();
        if values.is_empty() { "Pochi & Nyaa".to_owned() } else { values.join(", ") }
    }

    fn drawing(&self) -> Drawing {
        let (columns, rows) = (u32::from(self.field.width()), u32::from(self.field.height()));
        let (wide, tall) = (columns * CELL, rows * CELL);
        let width = (wide + 2 * MARGIN).max(MIN_WIDTH);
        let texts: Vec<Vec<String>> =
            self.evaluations.iter().map(|evaluation| lines(evaluation, width)).collect();
        let most =
            texts.iter().map(Vec::len).max().map_or(0, |lines| u32::try_from(lines).unwrap_or(u32::MAX));
        let mut shapes = Vec::new();
        for (nth, evaluation) in (0..).zip(self.boards()) {
            let left = nth * width + (width - wide) / 2;
            self.board(&mut shapes, (left, MARGIN), evaluation);
            let texts = evaluation.and_then(|_| texts.get(nth as usize));
            for (row, line) in (0..).zip(texts.into_iter().flatten()) {
                let at = (nth * width + width / 2, 2 * MARGIN + tall + row * LINE + LINE / 2);
                shapes.push(Shape::Text(at, line.clone(), palette::TEXT));
            }
        }
        let boards = u32::try_from(self.boards().count()).unwrap_or(1);
        let below = if most > 0 { most * LINE + MARGIN } else { 0 };
        Drawing { width: boards * width, height: tall + 2 * MARGIN + below, page: palette::PAGE, shapes }
    }

    /// The content of each board: a ruleset's evaluation, or only the field.
    fn boards(&self) -> impl Iterator<Item = Option<&Evaluation>> {
        let alone = self.evaluations.is_empty().then_some(None);
        self.evaluations.iter().map(Some).chain(alone)
    }

    fn board(&self, shapes: &mut Vec<Shape>, (left, top): (u32, u32), evaluation: Option<&Evaluation>) {
        let (columns, rows) = (u32::from(self.field.width()), u32::from(self.field.height()));
        shapes.push(Shape::Fill((left, top), (columns * CELL, rows * CELL), palette::BOARD));
        for column in 1..columns {
            shapes.push(Shape::Fill((left + column * CELL, top), (1, rows * CELL), palette::LINE));
        }
        for row in 1..rows {
            shapes.push(Shape::Fill((left, top + row * CELL), (columns * CELL, 1), palette::LINE));
        }
        let middle = |at: GridCell| {
            (left + u32::from(at.x) * CELL + CELL / 2, top + u32::from(at.y) * CELL + CELL / 2)
        };
        for at in self.field.places() {
            let (Some(color), (x, y)) = (self.field.get(at), middle(at)) else { continue };
            if self.needle.is_some_and(|(needle, _)| needle == at) {
                continue;
            }
            let body = body(color);
            let ink = palette::ink(body);
            shapes.push(Shape::Disc((x, y), RADIUS, body));
            let wave = evaluation.and_then(|evaluation| evaluation.wave_of(at));
            let tail = evaluation.and_then(|evaluation| evaluation.tail_at(at));
            let text = wave.map_or(color.letter().to_string(), |wave| format!("{}{wave}", color.letter()));
            match tail {
                Some(tail) => {
                    let value = tail.value.to_string();
                    let wide = LETTER * u32::try_from(value.len()).unwrap_or(1) + 4;
                    shapes.push(Shape::Ring((x, y), RADIUS, palette::MARK));
                    shapes.push(Shape::Text((x, y - HALF_LINE), text, ink));
                    shapes.push(Shape::Fill((x - wide / 2, y + 1), (wide, 2 * HALF_LINE), palette::MARK));
                    shapes.push(Shape::Text((x, y + 1 + HALF_LINE), value, palette::PAGE));
                }
                None => shapes.push(Shape::Text((x, y), text, ink)),
            }
        }
        if let Some((at, color)) = self.needle {
            let (x, y) = middle(at);
            shapes.push(Shape::Diamond((x, y), RADIUS, color.map_or(palette::TEXT, body)));
            let letter = color.map_or("?".to_owned(), |color| color.letter().to_string());
            shapes.push(Shape::Text((x, y), letter, palette::TEXT));
        }
    }
}

impl Evaluation {
    /// The number of the wave that reaches a block, from 1; None if no wave does.
    pub fn wave_of(&self, at: GridCell) -> Option<usize> {
        self.waves.iter().position(|wave| wave.iter().any(|block| block.at == at)).map(|nth| nth + 1)
    }

    /// The tail that ends in a block.
    pub fn tail_at(&self, at: GridCell) -> Option<&Tail> {
        self.structures.iter().flat_map(|structure| &structure.tails).find(|tail| tail.at == at)
    }
}

/// The picture as SVG.
pub fn svg(picture: &Picture) -> String {
    picture.drawing().svg(&picture.title())
}

/// The picture as PNG.
pub fn png(picture: &Picture) -> Result<Vec<u8>, PictureError> {
    picture.drawing().png()
}

/// The colour of a block, as for Puyos.
fn body(color: Color) -> palette::Rgb {
    let puyo = match color {
        Color::Red => Puyo::RED,
        Color::Green => Puyo::GREEN,
        Color::Blue => Puyo::BLUE,
        Color::Yellow => Puyo::YELLOW,
    };
    palette::body(Cell::Puyo(puyo)).unwrap_or(palette::TEXT)
}

/// The lines below a board, wrapped to its width.
fn lines(evaluation: &Evaluation, width: u32) -> Vec<String> {
    let most = usize::try_from((width - 2 * MARGIN) / LETTER).unwrap_or(1);
    let mut lines = vec![format!("{} {}", evaluation.ruleset, evaluation.value)];
    let sentences = if evaluation.structures.is_empty() {
        vec!["the needle touches nothing".to_owned()]
    } else {
        std::iter::once(evaluation.describe_sum()).chain(evaluation.describe_bonus()).collect()
    };
    for sentence in sentences {
        let mut line = String::new();
        for word in sentence.split(' ') {
            if !line.is_empty() && line.len() + 1 + word.len() > most {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line += word;
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests;
