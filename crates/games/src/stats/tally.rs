//! The accumulator of the statistics: pieces are added one by one, and all counts are updated.

use super::entropy::Contexts;
use super::error::{Blocks, Ratio};
use crate::games::piece::{Chances, Dealer, Piece};

/// Gaps of this many pieces and more share the last bin of a histogram.
pub const BINS: usize = 256;
/// Runs of this many pieces and more share the last bin of a histogram.
pub const RUNS: usize = 32;
/// Gaps from here on count as long: a bag of seven never has one (reference 3.9).
pub const LONG: u32 = 13;
/// Pieces in a window.
pub const WINDOW: usize = 7;
/// The sampling interval of the exact chances, in short streams and in those of over a million pieces. Neither
/// number has a divisor in common with 7, the length of a bag.
const SAMPLED: [u32; 2] = [5, 31];

/// The counts over one stream of pieces or many.
#[derive(Clone, Debug)]
pub struct Tally {
    stream: Stream,
    /// The pieces that are dealt at all.
    kinds: [bool; 7],
    sampled: u32,
    /// Streams, each from a seed of its own.
    pub streams: u64,
    /// Pieces of each kind.
    pub pieces: [u64; 7],
    /// First pieces of the streams.
    pub firsts: [u64; 7],
    /// Gaps of each piece by their length.
    pub gaps: Box<[[u64; BINS]; 7]>,
    /// The longest gap of each piece.
    pub longest: [u32; 7],
    /// Runs of one piece by their length.
    pub runs: [u64; RUNS],
    /// The longest of them.
    pub longest_run: u32,
    /// Runs of S and Z by their length.
    pub snakes: [u64; RUNS],
    /// The longest of them.
    pub longest_snakes: u32,
    /// Windows by their number of different pieces.
    pub windows: [u64; WINDOW + 1],
    /// Counts of which piece followed which context.
    pub contexts: Contexts,
    /// Ratios with their errors, by blocks of pieces.
    pub blocks: Blocks,
    /// Per stream: the mean of the seven longest gaps; the longest gap overall; the longest run.
    pub extremes: [Extreme; 3],
    counters: Counters,
}

/// Sum and sum of squares of one value per stream.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extreme {
    /// Sum.
    pub sum: f64,
    /// Sum of squares.
    pub squares: f64,
}

impl Extreme {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.squares += value * value;
    }
}

/// The numerators and denominators of the ratios.
#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    pairs: u64,
    repeats: u64,
    gaps: u64,
    gap_sum: u64,
    long: u64,
    bits: f64,
    surprise: f64,
    sampled: u64,
}

/// The current stream.
#[derive(Clone, Copy, Debug)]
struct Stream {
    /// Pieces so far.
    at: u32,
    /// The last occurrence of each piece, the first piece being 1; 0 for never.
    last: [u32; 7],
    previous: Option<Piece>,
    run: u32,
    snakes: u32,
    /// The last seven pieces, three bits each.
    window: u32,
    /// The count of each piece among them, four bits each.
    inside: u32,
    longest: [u32; 7],
    longest_run: u32,
    /// Pieces until the block ends.
    block: u32,
}

const EMPTY: Stream = Stream {
    at: 0,
    last: [0; 7],
    previous: None,
    run: 0,
    snakes: 0,
    window: 0,
    inside: 0,
    longest: [0; 7],
    longest_run: 0,
    block: 0,
};

fn place(length: u32, places: usize) -> usize {
    (length as usize).min(places - 1)
}

impl Tally {
    /// An empty tally for streams of about `pieces` pieces.
    pub fn new(pieces: u32) -> Self {
        Self::of_kinds(&Piece::ALL, pieces)
    }

    /// The same for a randomizer that deals only these kinds: the others have no droughts.
    pub fn of_kinds(kinds: &[Piece], pieces: u32) -> Self {
        Self {
            stream: EMPTY,
            kinds: Piece::ALL.map(|piece| kinds.contains(&piece)),
            sampled: SAMPLED[usize::from(pieces > 1_000_000)],
            streams: 0,
            pieces: [0; 7],
            firsts: [0; 7],
            gaps: Box::new([[0; BINS]; 7]),
            longest: [0; 7],
            runs: [0; RUNS],
            longest_run: 0,
            snakes: [0; RUNS],
            longest_snakes: 0,
            windows: [0; WINDOW + 1],
            contexts: Contexts::new(),
            blocks: Blocks::new(pieces),
            extremes: [Extreme::default(); 3],
            counters: Counters::default(),
        }
    }

    /// Adds `count` pieces from a dealer, with its chances if known. A stream may be fed in parts.
    pub fn feed<D: Dealer>(&mut self, dealer: &mut D, count: u32, chances: impl Fn(&D) -> Option<Chances>) {
        for _ in 0..count {
            // The first piece has special rules in most games.
            let expected = (self.stream.at % self.sampled == 1).then(|| chances(dealer)).flatten();
            let piece = dealer.deal();
            if let Some(chances) = expected {
                self.expected(&chances, piece);
            }
            self.push(piece);
        }
    }

    fn expected(&mut self, chances: &Chances, piece: Piece) {
        self.counters.bits += super::entropy::bits(chances);
        self.counters.surprise -= chances[piece.index()].log2();
        self.counters.sampled += 1;
    }

    /// Adds the next piece of the stream.
    pub fn push(&mut self, piece: Piece) {
        let (stream, index) = (&mut self.stream, piece.index());
        stream.at += 1;
        let gap = stream.at - stream.last[index] - 1;
        self.contexts.push(stream.at, &stream.last, index, gap);
        self.pieces[index] += 1;
        stream.last[index] = stream.at;
        if stream.at == 1 {
            self.firsts[index] += 1;
            stream.block = self.blocks.length();
        } else {
            self.gaps[index][place(gap, BINS)] += 1;
            self.counters.gaps += 1;
            self.counters.gap_sum += u64::from(gap);
            self.counters.long += u64::from(gap >= LONG);
            self.counters.pairs += 1;
            stream.longest[index] = stream.longest[index].max(gap);
        }
        if stream.previous == Some(piece) {
            stream.run += 1;
            self.counters.repeats += 1;
        } else {
            if stream.run > 0 {
                self.runs[place(stream.run, RUNS)] += 1;
                stream.longest_run = stream.longest_run.max(stream.run);
            }
            stream.run = 1;
            stream.previous = Some(piece);
        }
        if matches!(piece, Piece::S | Piece::Z) {
            stream.snakes += 1;
        } else if stream.snakes > 0 {
            self.snakes[place(stream.snakes, RUNS)] += 1;
            self.longest_snakes = self.longest_snakes.max(stream.snakes);
            stream.snakes = 0;
        }
        // The window of seven: one piece in and, once it is full, one out.
        let out = stream.window >> (3 * (WINDOW - 1)) & 7;
        #[expect(clippy::cast_possible_truncation, reason = "below 7")]
        let coming = index as u32;
        stream.window = (stream.window << 3 | coming) & ((1 << (3 * WINDOW)) - 1);
        stream.inside += 1 << (4 * coming);
        if stream.at as usize > WINDOW {
            stream.inside -= 1 << (4 * out);
        }
        if stream.at as usize >= WINDOW {
            // 7 + n carries into bit 3 of its four bits exactly if n is not 0.
            let different = ((stream.inside + 0x0777_7777) & 0x0888_8888).count_ones();
            self.windows[different as usize] += 1;
        }
        stream.block -= 1;
        if stream.block == 0 {
            stream.block = self.blocks.length();
            self.close_block();
        }
    }

    /// Ends the stream: incomplete gaps, runs and the last block are counted as they are.
    pub fn end(&mut self) {
        let stream = std::mem::replace(&mut self.stream, EMPTY);
        if stream.at == 0 {
            return;
        }
        let mut longest = stream.longest;
        for (index, last) in stream.last.into_iter().enumerate().filter(|(index, _)| self.kinds[*index]) {
            let gap = stream.at - last;
            if gap > 0 {
                self.gaps[index][place(gap, BINS)] += 1;
                self.counters.gaps += 1;
                self.counters.gap_sum += u64::from(gap);
                self.counters.long += u64::from(gap >= LONG);
                longest[index] = longest[index].max(gap);
            }
            self.longest[index] = self.longest[index].max(longest[index]);
        }
        self.runs[place(stream.run, RUNS)] += 1;
        if stream.snakes > 0 {
            self.snakes[place(stream.snakes, RUNS)] += 1;
        }
        let longest_run = stream.longest_run.max(stream.run);
        self.longest_run = self.longest_run.max(longest_run);
        self.longest_snakes = self.longest_snakes.max(stream.snakes);
        let kinds = self.kinds.iter().filter(|dealt| **dealt).count();
        #[expect(clippy::cast_precision_loss, reason = "at most seven")]
        let mean = f64::from(longest.iter().sum::<u32>()) / kinds.max(1) as f64;
        let most = longest.into_iter().max().unwrap_or(0);
        for (extreme, value) in self.extremes.iter_mut().zip([mean, f64::from(most), f64::from(longest_run)])
        {
            extreme.add(value);
        }
        self.contexts.end();
        self.streams += 1;
        self.close_block();
    }

    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    fn close_block(&mut self) {
        let c = &self.counters;
        let windows: u64 = self.windows.iter().sum();
        let different: u64 = self.windows.iter().zip(0..).map(|(count, n)| count * n).sum();
        let full = self.windows[WINDOW];
        let so_far = |ratio| {
            let (part, total) = match ratio {
                Ratio::Repeats => (c.repeats, c.pairs),
                Ratio::RepeatGaps => (c.repeats, c.gaps),
                Ratio::LongGaps => (c.long, c.gaps),
                Ratio::Gap => (c.gap_sum, c.gaps),
                Ratio::Diversity => (different, windows),
                Ratio::Bagginess => (full, windows),
                Ratio::Bits => return (c.bits, c.sampled as f64),
                Ratio::Surprise => return (c.surprise, c.sampled as f64),
            };
            (part as f64, total as f64)
        };
        self.blocks.close(Ratio::ALL.map(so_far));
    }

    /// Adds the counts of another tally; both must have ended their streams.
    pub fn merge(&mut self, other: &Self) {
        fn add<const N: usize>(to: &mut [u64; N], from: &[u64; N]) {
            for (to, from) in to.iter_mut().zip(from) {
                *to += from;
            }
        }
        self.streams += other.streams;
        add(&mut self.pieces, &other.pieces);
        add(&mut self.firsts, &other.firsts);
        for (to, from) in self.gaps.iter_mut().zip(other.gaps.iter()) {
            add(to, from);
        }
        for (to, from) in self.longest.iter_mut().zip(other.longest) {
            *to = from.max(*to);
        }
        add(&mut self.runs, &other.runs);
        add(&mut self.snakes, &other.snakes);
        add(&mut self.windows, &other.windows);
        self.longest_run = self.longest_run.max(other.longest_run);
        self.longest_snakes = self.longest_snakes.max(other.longest_snakes);
        self.contexts.merge(&other.contexts);
        self.blocks.merge(&other.blocks);
        for (to, from) in self.extremes.iter_mut().zip(other.extremes) {
            to.sum += from.sum;
            to.squares += from.squares;
        }
    }
}
