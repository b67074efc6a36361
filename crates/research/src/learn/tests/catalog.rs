//! Every generator and every way of dealing of the language.

use super::games::{Game, Source};
use Symbol::{B, G, I, J, L, O, P, R, S, T, Y, Z};
use nextscope_games::games::declared::{
    Addend, BagTime, Clock, Deal, Deals, Direction, Draw, End, Fill, First, Generator, LagOperation,
    LinearSteps, Method, MixedPool, PairForm, Queue, QueueEnd, QueueOrder, Randomizer, RegisterForm, Seed,
    Shuffle, ShuffleMethod, Symbol,
};
use nextscope_memory::console::Endian;

pub fn draw(shift: u8, bits: u8, method: Method) -> Draw {
    Draw { shift, bits, method, add: None, sum_bits: None }
}

fn modulo(shift: u8, bits: u8) -> Draw {
    draw(shift, bits, Method::Modulo)
}

fn high(shift: u8, bits: u8) -> Draw {
    draw(shift, bits, Method::MultiplyHigh)
}

pub fn linear(width: u8, multiplier: u64, increment: u64) -> Generator {
    Generator::Linear { width, multiplier, increment, modulus: None }
}

fn remainder(width: u8, multiplier: u64, modulus: u64) -> Generator {
    Generator::Linear { width, multiplier, increment: 0, modulus: Some(modulus) }
}

fn register(width: u8, form: RegisterForm, direction: Direction, taps: u64) -> Generator {
    Generator::ShiftRegister { width, form, direction, taps, shifts: 1 }
}

fn shuffle(method: ShuffleMethod) -> Shuffle {
    Shuffle { method, rows: Vec::new(), count: 0, last_draw: false, draw: None }
}

fn bag(method: ShuffleMethod, time: BagTime) -> Deal {
    Deal::Bag {
        copies: 1,
        fill: Fill::Cycle,
        continued: false,
        shuffle: shuffle(method),
        time,
        from: End::Start,
    }
}

fn history(length: u8, tries: u8, discarded: u8) -> Deal {
    Deal::History { length, initial: Vec::new(), tries, discarded, again: None }
}

pub fn rule(generator: Generator, draw: Draw, clock: Clock, deal: Deal) -> Randomizer {
    Randomizer {
        deals: Deals::Pieces,
        kinds: vec![T, J, Z, O, S, L, I],
        codes: Vec::new(),
        table: Vec::new(),
        weights: Vec::new(),
        pair: PairForm::AxisFirst,
        seed: Seed { bits: generator.width(), steps: 0 },
        generator,
        zero: None,
        draw,
        clock,
        other_calls: 0,
        deal,
        first: None,
        queue: None,
    }
}

fn pairs(generator: Generator, draw: Draw, clock: Clock, deal: Deal, pair: PairForm) -> Randomizer {
    Randomizer { deals: Deals::Pairs, kinds: vec![R, Y, G, P, B], pair, ..rule(generator, draw, clock, deal) }
}

const ARIKA: (u64, u64) = (0x41C6_4E6D, 12_345);

pub fn catalog() -> Vec<Game> {
    catalog_from(1000)
}

/// The games, with seeds from this one on.
pub fn catalog_from(first_seed: u64) -> Vec<Game> {
    use Clock::{Both, Deals as AtDeals, Frames};
    use Direction::{Left, Right};
    use RegisterForm::{Fibonacci, Galois};
    let direct = || Deal::Direct {};
    let arika = || linear(32, ARIKA.0, ARIKA.1);
    let fill = LinearSteps { multiplier: 69_069, increment: 1, modulus: None };
    let lagged = |width, long, short, operation| Generator::Lagged { width, long, short, operation, fill };
    let numbers: Vec<u64> = (0..256_u64).map(|nth| (nth * 167 + nth * nth * 13 + 91) % 251).collect();
    let bag_of_14 = Deal::Bag {
        copies: 2,
        fill: Fill::Grouped,
        continued: true,
        shuffle: shuffle(ShuffleMethod::InsideOut),
        time: BagTime::Ahead,
        from: End::Start,
    };
    let swaps = Shuffle { count: 20, ..shuffle(ShuffleMethod::Swaps) };
    let swapped = Deal::Bag {
        copies: 1,
        fill: Fill::Cycle,
        continued: false,
        shuffle: swaps,
        time: BagTime::Ahead,
        from: End::Start,
    };
    let from_end = Deal::Bag {
        copies: 1,
        fill: Fill::Cycle,
        continued: false,
        shuffle: shuffle(ShuffleMethod::Down),
        time: BagTime::Ahead,
        from: End::End,
    };
    let grand_master = Randomizer {
        first: Some(First::Exclude { kinds: vec![S, Z, O] }),
        ..rule(arika(), modulo(10, 15), AtDeals, history(4, 4, 1))
    };
    let drought = Deal::DroughtPool {
        copies: 5,
        fill: Fill::Grouped,
        length: 4,
        initial: vec![Z, S, S],
        tries: 6,
        discarded: 1,
        drought: 4,
        carried: true,
    };
    let third = Randomizer {
        first: Some(First::Exclude { kinds: vec![S, Z, O] }),
        ..rule(arika(), modulo(10, 15), AtDeals, drought)
    };
    let added = Draw { add: Some(Addend::Deals), sum_bits: Some(8), ..modulo(8, 8) };
    let nes = Deal::History {
        length: 1,
        initial: Vec::new(),
        tries: 1,
        discarded: 0,
        again: Some(Draw { add: Some(Addend::Last), ..modulo(8, 3) }),
    };
    let eight = Draw { add: Some(Addend::Deals), ..draw(8, 8, Method::Mask) };
    let list = Queue { length: 1000, order: QueueOrder::Forward, first: 0, then: QueueEnd::Repeat };
    let pool = MixedPool { kinds: 5, size: 256, shuffle: shuffle(ShuffleMethod::AnyDown), start: None };
    let table = Randomizer {
        table: vec![T, J, Z, O, S, L, I, I],
        ..rule(linear(32, 1_103_515_245, 12_345), draw(16, 3, Method::Mask), AtDeals, direct())
    };
    let capsules = Randomizer {
        kinds: vec![Y, R, B],
        ..pairs(register(16, Fibonacci, Right, 0x0202), modulo(8, 8), Both, direct(), PairForm::OneNumber)
    };
    let with_list = |queue: Queue, randomizer: Randomizer| Randomizer { queue: Some(queue), ..randomizer };
    let tsu = Generator::AddRotate {
        width: 32,
        addend: 0x00FF_7FD4,
        state_mask: 0,
        rotate: 5,
        add_state: true,
        increment: 1,
    };
    let xorshift =
        |width, shifts: &[i8], multiplier| Generator::Xorshift { width, shifts: shifts.to_vec(), multiplier };
    let rules = vec![
        (
            "linear, known",
            rule(linear(32, 0x5D58_8B65, 0x0026_9EC3), modulo(16, 15), AtDeals, direct()),
            1,
            0,
        ),
        (
            "linear, unknown constants, frames",
            rule(linear(32, 0x0BB3_8435, 0x3619_636B), high(16, 16), Frames, direct()),
            0,
            0,
        ),
        (
            "linear, unknown constants, deals",
            rule(linear(32, 0x0BB3_8435, 0x3619_636B), modulo(16, 16), AtDeals, direct()),
            0,
            0,
        ),
        ("linear of 16 bits, both", rule(linear(16, 0x6255, 0x3619), modulo(8, 8), Both, direct()), 1, 0),
        (
            "minimal standard, bag as dealt",
            rule(
                remainder(31, 16_807, 0x7FFF_FFFF),
                modulo(0, 31),
                AtDeals,
                bag(ShuffleMethod::Down, BagTime::AsDealt),
            ),
            2,
            0,
        ),
        (
            "unknown modulus, frames",
            rule(remainder(31, 1_132_489_760, 0x7FFF_FFED), modulo(0, 31), Frames, direct()),
            0,
            0,
        ),
        (
            "linear of 64 bits, bag ahead",
            rule(
                linear(64, 6_364_136_223_846_793_005, 1_442_695_040_888_963_407),
                high(32, 32),
                AtDeals,
                bag(ShuffleMethod::Up, BagTime::Ahead),
            ),
            0,
            0,
        ),
        ("arika, bag from the end", rule(arika(), modulo(10, 15), AtDeals, from_end), 3, 0),
        (
            "halves added, both",
            rule(Generator::MultiplyAddHalves { width: 32, multiplier: 41 }, modulo(16, 6), Both, direct()),
            0,
            0,
        ),
        (
            "register, added deals, history",
            rule(register(16, Fibonacci, Right, 0x0202), added, Frames, history(1, 1, 0)),
            0,
            0,
        ),
        (
            "register, eighth number, history",
            rule(register(16, Fibonacci, Right, 0x0202), eight, Frames, nes),
            0,
            0,
        ),
        (
            "register, galois left",
            rule(register(16, Galois, Left, 0x002D), modulo(0, 16), AtDeals, direct()),
            0,
            0,
        ),
        (
            "register of 24 bits to the left",
            rule(register(24, Fibonacci, Left, 0x0087_0000), modulo(0, 8), Both, direct()),
            1,
            0,
        ),
        (
            "register, galois right, history",
            rule(register(32, Galois, Right, 0xA300_0000), modulo(0, 8), Both, history(2, 3, 0)),
            0,
            0,
        ),
        (
            "xorshift, bag of the remaining",
            rule(
                xorshift(32, &[13, -17, 5], None),
                high(0, 32),
                AtDeals,
                bag(ShuffleMethod::Remaining, BagTime::AsDealt),
            ),
            1,
            0,
        ),
        (
            "xorshift of 64 bits, star",
            rule(xorshift(64, &[-12, 25, -27], Some(0x2545_F491_4F6C_DD1D)), high(32, 32), Frames, direct()),
            0,
            0,
        ),
        ("add and rotate", rule(tsu, high(16, 16), AtDeals, direct()), 2, 0),
        (
            "pairs by two draws, unknown constants",
            pairs(
                linear(32, 0x0BB3_8435, 0x3619_636B),
                modulo(16, 16),
                AtDeals,
                direct(),
                PairForm::ChildFirst,
            ),
            1,
            0,
        ),
        (
            "multiply with carry, history",
            rule(
                Generator::MultiplyWithCarry { width: 32, multiplier: 36_969 },
                modulo(0, 16),
                AtDeals,
                history(4, 4, 0),
            ),
            0,
            0,
        ),
        ("grand master", grand_master, 0, 0),
        ("drought pool", third, 0, 0),
        ("lagged, deals", rule(lagged(32, 17, 5, LagOperation::Add), modulo(8, 24), AtDeals, direct()), 0, 0),
        ("lagged, frames", rule(lagged(16, 55, 24, LagOperation::Xor), high(0, 16), Frames, direct()), 0, 0),
        (
            "table of numbers",
            rule(Generator::Table { width: 8, values: numbers }, modulo(0, 8), AtDeals, direct()),
            0,
            0,
        ),
        (
            "splitmix, bag by retries",
            rule(Generator::SplitMix64 {}, high(32, 32), AtDeals, bag(ShuffleMethod::Retry, BagTime::Ahead)),
            0,
            0,
        ),
        (
            "list of 1000",
            with_list(
                list,
                rule(
                    Generator::MultiplyAddHalves { width: 32, multiplier: 41 },
                    modulo(16, 6),
                    AtDeals,
                    direct(),
                ),
            ),
            0,
            80,
        ),
        (
            "pool of pairs",
            pairs(
                linear(32, 0x5D58_8B65, 0x0026_9EC3),
                high(16, 16),
                AtDeals,
                Deal::Pools { dealt: 1, mapping: None, pools: vec![pool] },
                PairForm::AxisFirst,
            ),
            0,
            80,
        ),
        (
            "bag of 14, continued",
            rule(linear(32, 1_664_525, 1_013_904_223), modulo(16, 16), AtDeals, bag_of_14),
            0,
            0,
        ),
        ("bag by swaps, rejection", rule(arika(), draw(16, 8, Method::Rejection), AtDeals, swapped), 0, 0),
        ("longer table", table, 0, 0),
        ("pairs by one number", capsules, 0, 0),
    ];
    let mut games = Vec::new();
    for (nth, (name, randomizer, ahead, title)) in (0_u64..).zip(rules) {
        for order in [Endian::Big, Endian::Little] {
            let size = if nth % 2 == 0 { 0x800 } else { 0x10000 };
            let seed = first_seed + 7 * nth + u64::from(order == Endian::Big);
            games.push(Game {
                name,
                randomizer: randomizer.clone(),
                order,
                size,
                deals: 40,
                ahead,
                title,
                seed,
                source: Source::Generator,
            });
        }
    }
    games
}

/// A game that draws outside of RAM, from the place of the picture's beam, and whose bags are in RAM.
pub fn hardware() -> Game {
    let randomizer = rule(
        linear(32, ARIKA.0, ARIKA.1),
        modulo(10, 15),
        Clock::Deals,
        bag(ShuffleMethod::Down, BagTime::Ahead),
    );
    Game {
        name: "beam counter",
        randomizer,
        order: Endian::Big,
        size: 0x800,
        deals: 40,
        ahead: 0,
        title: 0,
        seed: 77,
        source: Source::Hardware,
    }
}

/// Games by rules that the language does not have.
pub fn outside(count: u64) -> Vec<Game> {
    let generators = [
        linear(32, ARIKA.0, ARIKA.1),
        linear(32, 0x0BB3_8435, 0x3619_636B),
        register(16, RegisterForm::Fibonacci, Direction::Right, 0x0202),
        Generator::Xorshift { width: 32, shifts: vec![13, -17, 5], multiplier: None },
    ];
    let clocks = [Clock::Deals, Clock::Frames, Clock::Both];
    (0..count)
        .map(|nth| {
            let at = nth as usize;
            let generator = generators[at % generators.len()].clone();
            let clock = clocks[at / 4 % clocks.len()];
            Game {
                name: "outside of the language",
                randomizer: rule(generator, modulo(0, 16), clock, Deal::Direct {}),
                order: Endian::Big,
                size: 0x800,
                deals: 40,
                ahead: 0,
                title: 0,
                seed: 5000 + nth,
                source: Source::Other(nth / 12),
            }
        })
        .collect()
}
