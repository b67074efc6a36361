//! The rules of dealing.

use super::Checker;
use crate::games::declared::language::{
    BagTime, Deal, Deals, Draw, End, MixedPool, PairForm, Shuffle, ShuffleMethod, Symbol,
};

/// The passes of a shuffle by rows, at most.
const MAX_ROWS: u64 = 64;

impl Checker<'_> {
    pub(super) fn deal(&mut self) {
        let draw = self.randomizer.draw;
        let kinds = self.randomizer.kinds.len() as u64;
        let is_one_number = self.randomizer.pair == PairForm::OneNumber;
        if is_one_number && self.randomizer.deals == Deals::Pairs && self.randomizer.deal != (Deal::Direct {})
        {
            let help = "write kind = \"direct\", or let each half have a draw";
            self.problem("pair", "pairs by one number can only be dealt directly", help);
        }
        match &self.randomizer.deal {
            Deal::Direct {} => self.drawn_below("draw", &draw, self.meanings(), false),
            Deal::History { length, initial, tries, discarded, again } => {
                self.history(*length, initial, *tries, *discarded);
                self.drawn_below("draw", &draw, self.meanings(), true);
                let last = again.unwrap_or(draw);
                let path = if again.is_some() { "deal.again" } else { "draw" };
                self.drawn_below(path, &last, self.meanings(), false);
                if again.is_some() {
                    self.draw(path, &last);
                }
            }
            Deal::Bag { copies, shuffle, time, from, .. } => {
                self.range("deal.copies", "the number of copies", (*copies).into(), 1, 16);
                self.shuffle("deal.shuffle", shuffle, kinds * u64::from(*copies));
                if *time == BagTime::AsDealt {
                    let dealt = [
                        ShuffleMethod::Up,
                        ShuffleMethod::Down,
                        ShuffleMethod::Remaining,
                        ShuffleMethod::Retry,
                    ];
                    if !dealt.contains(&shuffle.method) {
                        let message = "this shuffle cannot be made draw by draw as the bag is dealt";
                        self.problem(
                            "deal.time",
                            message,
                            "use up, down, remaining or retry, or time = \"ahead\"",
                        );
                    }
                    if *from == End::End {
                        let message =
                            "a bag that is shuffled as it is dealt is dealt in the order of its draws";
                        self.problem("deal.from", message, "remove `from`");
                    }
                }
            }
            Deal::Pools { dealt, mapping, pools } => {
                if let Some(mapping) = mapping {
                    self.shuffle("deal.mapping", mapping, kinds);
                }
                self.range("deal.pools", "the number of pools", pools.len() as u64, 1, 8);
                self.range("deal.dealt", "the pool that is dealt", (*dealt).into(), 1, pools.len() as u64);
                for (index, pool) in pools.iter().enumerate() {
                    self.pool(index, pool, &pools[..index]);
                }
            }
            Deal::DroughtPool { copies, length, initial, tries, discarded, .. } => {
                self.range("deal.copies", "the number of copies", (*copies).into(), 1, 16);
                self.history(*length, initial, *tries, *discarded);
                self.drawn_below("draw", &draw, kinds * u64::from(*copies), false);
            }
        }
    }

    fn history(&mut self, length: u8, initial: &[Symbol], tries: u8, discarded: u8) {
        self.range("deal.length", "the length of the history", length.into(), 1, 8);
        self.range("deal.tries", "the number of tries", tries.into(), 1, 64);
        self.range("deal.discarded", "the number of discarded draws", discarded.into(), 0, 16);
        self.symbols("deal.initial", initial);
        if initial.len() > usize::from(length) {
            let message = format!("a history of {length} cannot begin with {}", initial.len());
            self.problem("deal.initial", message, "remove the oldest, which come last");
        }
    }

    fn pool(&mut self, index: usize, pool: &MixedPool, earlier: &[MixedPool]) {
        let path = format!("deal.pools.{index}");
        let kinds = self.randomizer.kinds.len() as u64;
        self.range(format!("{path}.kinds"), "the number of kinds in the pool", pool.kinds.into(), 1, kinds);
        self.range(format!("{path}.size"), "the size of the pool", pool.size.into(), 2, 4096);
        if self.randomizer.deals == Deals::Pairs && pool.size % 2 == 1 {
            self.problem(
                format!("{path}.size"),
                "a pool of pairs has an even number of cells",
                "add or remove one",
            );
        }
        let mut shuffled = pool.size;
        if let Some(start) = pool.start {
            let place = format!("{path}.start");
            let other = usize::from(start.pool).checked_sub(1).and_then(|other| earlier.get(other));
            if other.is_none() {
                let message = format!("pool {} is not made before this one", start.pool);
                let help = "pools are counted from 1; copy from one above it in the file";
                self.problem(format!("{place}.pool"), message, help);
            }
            let most = other.map_or(pool.size, |other| other.size.min(pool.size));
            let spare = if start.replaced { 0 } else { 2 };
            let most = most.saturating_sub(spare).max(1);
            self.range(
                format!("{place}.length"),
                "the length of the start",
                start.length.into(),
                1,
                most.into(),
            );
            if !start.replaced {
                shuffled = shuffled.saturating_sub(start.length);
            }
        }
        self.shuffle(&format!("{path}.shuffle"), &pool.shuffle, shuffled.max(2).into());
    }

    /// A shuffle of `count` places.
    fn shuffle(&mut self, path: &str, shuffle: &Shuffle, count: u64) {
        let is_rows = shuffle.method == ShuffleMethod::Rows;
        let draw_path = if shuffle.draw.is_some() { format!("{path}.draw") } else { "draw".to_owned() };
        let draw: Draw = shuffle.draw.unwrap_or(self.randomizer.draw);
        if shuffle.draw.is_some() {
            self.draw(&draw_path, &draw);
            if draw.add.is_some() {
                self.problem(
                    format!("{draw_path}.add"),
                    "nothing is added to a draw of a place",
                    "remove `add`",
                );
            }
        }
        if is_rows == shuffle.rows.is_empty() {
            let (message, help) = if is_rows {
                ("a shuffle by rows needs the lengths of the rows", "add rows = [...]")
            } else {
                ("this shuffle has no rows", "remove `rows`, or write method = \"rows\"")
            };
            self.problem(format!("{path}.rows"), message, help);
        }
        if (shuffle.method == ShuffleMethod::Swaps) != (shuffle.count > 0) {
            let help = "`count` belongs to method = \"swaps\", and only to that";
            self.problem(format!("{path}.count"), format!("the number of swaps is {}", shuffle.count), help);
        }
        match shuffle.method {
            ShuffleMethod::Rows => {
                let passes = shuffle.rows.len() as u64;
                self.range(format!("{path}.rows"), "the number of rows", passes, 0, MAX_ROWS);
                for (index, row) in shuffle.rows.iter().enumerate() {
                    let row = u64::from(*row);
                    if row < 2 || !count.is_multiple_of(row) || count / row < 2 {
                        let message =
                            format!("{count} cells cannot be divided into two or more rows of {row}");
                        let help = "a row is shorter than the pool and divides its size";
                        self.problem(format!("{path}.rows.{index}"), message, help);
                    } else {
                        self.drawn_below(&draw_path, &draw, row, false);
                    }
                }
            }
            ShuffleMethod::AnyUp | ShuffleMethod::AnyDown | ShuffleMethod::Retry | ShuffleMethod::Swaps => {
                self.drawn_below(&draw_path, &draw, count, false);
            }
            _ => {
                // The limits are all numbers from 2 on, of which only two are not powers of two if there are fewer than three.
                let limit = if count > 2 { count - u64::from(count.is_power_of_two()) } else { count };
                self.drawn_below(&draw_path, &draw, limit, false);
            }
        }
    }
}
