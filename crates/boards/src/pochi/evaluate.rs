//! Evaluates an ignition wave by wave, as the sources describe it.

use super::field::{Color, Field, GridCell};
use super::ignition::{Ignition, IgnitionError, IgnitionStart};
use super::rules::{Choice, RuleQuestion, Rules, Ruleset};

/// The bonus of each tail under the MVS rules, in percent of the sum of all tails (seed document 003, "Problem 2").
pub(super) const PERCENT_A_TAIL: u32 = 4;

/// A block that a wave reaches.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct ReachedBlock {
    /// Its cell.
    pub at: GridCell,
    /// The number of the structure that it belongs to, from 0.
    pub structure: usize,
    /// The blocks of the previous wave that reach it: none for a start, one under the PS2 rules.
    pub from: Vec<GridCell>,
}

/// The end of a wave.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tail {
    /// The block at which it ends.
    pub at: GridCell,
    /// The value: the number of blocks that the wave visited.
    pub value: u32,
    /// Those blocks, from the top, left to right.
    pub visited: Vec<GridCell>,
}

/// The blocks ignited from one start.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Structure {
    /// The blocks that the needle ignites.
    pub starts: Vec<GridCell>,
    /// The number of blocks.
    pub blocks: u32,
    /// The tails, the smallest value first.
    pub tails: Vec<Tail>,
}

impl Structure {
    /// Whether it is a single block, which is worth nothing alone.
    pub fn is_single(&self) -> bool {
        self.blocks == 1
    }

    /// The sum of its tails.
    pub fn sum(&self) -> u32 {
        self.tails.iter().map(|tail| tail.value).sum()
    }
}

/// An open question that affects the ignition, and the result of the other answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OpenQuestion {
    /// The question.
    pub question: RuleQuestion,
    /// The selected answer.
    pub taken: Choice,
    /// The value with the other answer.
    pub other_value: u32,
    /// Whether the other answer changes the value or a tail.
    pub mattered: bool,
}

/// The value of an ignition, and its derivation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evaluation {
    /// The ruleset.
    pub ruleset: Ruleset,
    /// The value sent to the opponent.
    pub value: u32,
    /// The sum of the tails that count.
    pub base: u32,
    /// The bonus; always 0 under the PS2 rules.
    pub bonus: u32,
    /// The sum of all tails including single blocks, which the bonus is a percentage of (MVS).
    pub counted: u32,
    /// The most tails of one structure.
    pub max_tails: u32,
    /// The structures, in the order of their starts: from the top and left to right, or as listed.
    pub structures: Vec<Structure>,
    /// The waves; the first one contains the starts.
    pub waves: Vec<Vec<ReachedBlock>>,
    /// The open questions that arose.
    pub open_questions: Vec<OpenQuestion>,
    /// The lowest value over all answers to the open questions.
    pub lowest: u32,
    /// The highest value over all answers to the open questions.
    pub highest: u32,
}

/// The value of an ignition under a ruleset, with the answers in `rules` to the open questions.
pub fn evaluate(
    field: &Field,
    ignition: &Ignition,
    ruleset: Ruleset,
    rules: Rules,
) -> Result<Evaluation, IgnitionError> {
    let flipped = |rules: Rules, question| rules.with(question, rules.choice(question).other());
    let asked = |rules: Rules| answered(field, ignition, ruleset, rules);
    let (mut evaluation, met) = asked(rules)?;
    for &question in &met {
        let (other, _) = asked(flipped(rules, question))?;
        evaluation.open_questions.push(OpenQuestion {
            question,
            taken: rules.choice(question),
            other_value: other.value,
            mattered: (other.value, &other.structures) != (evaluation.value, &evaluation.structures),
        });
    }
    // An answer can raise another question, so every answer to a question that arose is explored. Others have no effect.
    let mut all: Vec<Rules> = met.iter().map(|question| flipped(rules, *question)).collect();
    let mut nth = 0;
    while let Some(&answers) = all.get(nth) {
        let (one, met) = asked(answers)?;
        evaluation.lowest = evaluation.lowest.min(one.value);
        evaluation.highest = evaluation.highest.max(one.value);
        for question in met {
            let other = flipped(answers, question);
            if other != rules && !all.contains(&other) {
                all.push(other);
            }
        }
        nth += 1;
    }
    Ok(evaluation)
}

/// The value of an ignition with these answers only, which is many times faster than all of them.
pub(super) fn value(
    field: &Field,
    ignition: &Ignition,
    ruleset: Ruleset,
    rules: Rules,
) -> Result<u32, IgnitionError> {
    answered(field, ignition, ruleset, rules).map(|(evaluation, _)| evaluation.value)
}

/// An ignition with these answers, and the open questions that arose.
fn answered(
    field: &Field,
    ignition: &Ignition,
    ruleset: Ruleset,
    rules: Rules,
) -> Result<(Evaluation, Vec<RuleQuestion>), IgnitionError> {
    let started = ignition.start(field, rules)?;
    let color = started.color;
    let mut waves = Waves::new(field, &started, ruleset, rules);
    while waves.step(color) {}
    Ok(waves.end(started.above))
}

/// A set of cells, by number.
#[derive(Clone, Default)]
struct Visited(Vec<u64>);

impl Visited {
    fn add(&mut self, cell: usize) {
        if self.0.len() <= cell / 64 {
            self.0.resize(cell / 64 + 1, 0);
        }
        self.0[cell / 64] |= 1 << (cell % 64);
    }

    fn join(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    fn has(&self, cell: usize) -> bool {
        self.0.get(cell / 64).is_some_and(|word| word >> (cell % 64) & 1 == 1)
    }
}

struct Waves<'a> {
    field: &'a Field,
    ruleset: Ruleset,
    rules: Rules,
    needle: Option<GridCell>,
    /// The structure of every reached block, by cell.
    reached: Vec<Option<usize>>,
    /// The cells visited by the waves in the newest blocks, in the order of those blocks.
    visited: Vec<Visited>,
    waves: Vec<Vec<ReachedBlock>>,
    structures: Vec<Structure>,
    met: Vec<RuleQuestion>,
}

impl<'a> Waves<'a> {
    fn new(field: &'a Field, started: &IgnitionStart, ruleset: Ruleset, rules: Rules) -> Self {
        let mut waves = Self {
            field,
            ruleset,
            rules,
            needle: started.needle,
            reached: vec![None; usize::from(field.width()) * usize::from(field.height())],
            visited: Vec::new(),
            waves: Vec::new(),
            structures: Vec::new(),
            met: Vec::new(),
        };
        if started.starts.is_empty() {
            return waves;
        }
        let many = ruleset == Ruleset::Mvs && started.starts.len() > 2;
        if many {
            waves.meet(RuleQuestion::ManyStarts);
        }
        let is_one = many && !rules.is_first(RuleQuestion::ManyStarts);
        let mut first = Vec::new();
        for (nth, &at) in started.starts.iter().enumerate() {
            let structure = if is_one { 0 } else { nth };
            if waves.structures.len() == structure {
                waves.structures.push(Structure { starts: Vec::new(), blocks: 0, tails: Vec::new() });
            }
            waves.structures[structure].starts.push(at);
            first.push(ReachedBlock { at, structure, from: Vec::new() });
        }
        waves.take(first, &[]);
        waves
    }

    fn meet(&mut self, question: RuleQuestion) {
        if !self.met.contains(&question) {
            self.met.push(question);
        }
    }

    fn cell(&self, at: GridCell) -> usize {
        usize::from(at.y) * usize::from(self.field.width()) + usize::from(at.x)
    }

    /// Adds the blocks reached by the newest wave.
    fn take(&mut self, blocks: Vec<ReachedBlock>, before: &[Visited]) {
        let mut all = Vec::new();
        for block in &blocks {
            let mut visited = Visited::default();
            for from in &block.from {
                let last = self.waves.last().and_then(|wave| wave.iter().position(|one| one.at == *from));
                if let Some(before) = last.and_then(|nth| before.get(nth)) {
                    visited.join(before);
                }
            }
            let cell = self.cell(block.at);
            visited.add(cell);
            all.push(visited);
            self.reached[cell] = Some(block.structure);
            self.structures[block.structure].blocks += 1;
        }
        self.visited = all;
        self.waves.push(blocks);
    }

    /// Advances the waves by one block. Returns whether any advanced.
    fn step(&mut self, color: Option<Color>) -> bool {
        let Some(wave) = self.waves.last().cloned() else { return false };
        let mut targets: Vec<GridCell> = wave
            .iter()
            .flat_map(|block| [(0, 1), (0, -1), (1, 0), (-1, 0)].map(|(x, y)| block.at.moved(x, y)))
            .flatten()
            .filter(|at| self.field.get(*at).is_some() && self.field.get(*at) == color)
            .filter(|at| self.needle != Some(*at) && self.reached[self.cell(*at)].is_none())
            .collect();
        targets.sort_unstable_by_key(|at| (at.y, at.x));
        targets.dedup();
        let next: Vec<ReachedBlock> = targets.into_iter().filter_map(|at| self.claim(at, &wave)).collect();
        for (nth, block) in wave.iter().enumerate() {
            if !next.iter().any(|one| one.from.contains(&block.at)) {
                let visited: Vec<GridCell> =
                    self.field.places().filter(|at| self.visited[nth].has(self.cell(*at))).collect();
                let value = u32::try_from(visited.len()).unwrap_or(u32::MAX);
                self.structures[block.structure].tails.push(Tail { at: block.at, value, visited });
            }
        }
        if next.is_empty() {
            return false;
        }
        let before = std::mem::take(&mut self.visited);
        self.take(next, &before);
        true
    }

    /// The wave that gets a reached block.
    fn claim(&mut self, at: GridCell, wave: &[ReachedBlock]) -> Option<ReachedBlock> {
        let from = |right, down| {
            let place = at.moved(right, down)?;
            wave.iter().find(|block| block.at == place)
        };
        let [above, below, left, right] = [from(0, -1), from(0, 1), from(-1, 0), from(1, 0)];
        let merge = |one: &ReachedBlock, other: &ReachedBlock| {
            self.ruleset == Ruleset::Mvs && one.structure == other.structure
        };
        let tie =
            |first: Option<&ReachedBlock>, second: Option<&ReachedBlock>, question| match (first, second) {
                (Some(one), Some(other)) if !merge(one, other) => Some(question),
                _ => None,
            };
        // The wave that moves up or down takes precedence over the one that moves sideways.
        let question = if above.is_some() || below.is_some() {
            tie(above, below, RuleQuestion::VerticalTie)
        } else {
            tie(left, right, RuleQuestion::HorizontalTie)
        };
        let order = |one, other, question| {
            if self.rules.is_first(question) { [one, other] } else { [other, one] }
        };
        let vertical = order(above, below, RuleQuestion::VerticalTie);
        let horizontal = order(left, right, RuleQuestion::HorizontalTie);
        let claims = vertical.into_iter().chain(horizontal).flatten();
        let winner = claims.clone().next()?;
        let from = match self.ruleset {
            Ruleset::Mvs => {
                claims.filter(|one| one.structure == winner.structure).map(|one| one.at).collect()
            }
            Ruleset::Ps2 => vec![winner.at],
        };
        let structure = winner.structure;
        if let Some(question) = question {
            self.meet(question);
        }
        Some(ReachedBlock { at, structure, from })
    }

    /// The result, and the open questions that arose.
    fn end(mut self, above: bool) -> (Evaluation, Vec<RuleQuestion>) {
        if above {
            self.meet(RuleQuestion::BlockAbove);
        }
        for structure in &mut self.structures {
            structure.tails.sort_by_key(|tail| (tail.value, tail.at.y, tail.at.x));
        }
        let sum = |structures: &[Structure], counts: fn(&Structure) -> bool| {
            structures.iter().filter(|one| counts(one)).map(Structure::sum).sum::<u32>()
        };
        let counted = sum(&self.structures, |_| true);
        let max_tails = self.structures.iter().map(|one| one.tails.len()).max().unwrap_or(0);
        let max_tails = u32::try_from(max_tails).unwrap_or(u32::MAX);
        let (base, bonus) = match self.ruleset {
            Ruleset::Mvs => {
                let base = sum(&self.structures, |one| !one.is_single());
                // The product can exceed 32 bits; a hundredth of it cannot.
                let hundredths = u64::from(PERCENT_A_TAIL) * u64::from(max_tails) * u64::from(counted);
                (base, u32::try_from(hundredths / 100).unwrap_or(u32::MAX))
            }
            Ruleset::Ps2 => {
                let only_singles = self.structures.iter().all(Structure::is_single);
                let several = self.structures.len() > 1;
                if only_singles && several {
                    self.meet(RuleQuestion::OnlySingles);
                }
                let counts = !only_singles || several && self.rules.is_first(RuleQuestion::OnlySingles);
                (if counts { counted } else { 0 }, 0)
            }
        };
        self.met.sort_unstable();
        let value = base + bonus;
        let evaluation = Evaluation {
            ruleset: self.ruleset,
            value,
            base,
            bonus,
            counted,
            max_tails,
            structures: self.structures,
            waves: self.waves,
            open_questions: Vec::new(),
            lowest: value,
            highest: value,
        };
        (evaluation, self.met)
    }
}
