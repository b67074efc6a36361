use super::draws::{below, draws, with_addend};
use super::labels::Labels;
use super::*;
use nextscope_boards::SplitMix64;
use nextscope_games::games::declared::{Clock, Deals, DeclaredDealer, Draw, Method, Program};
use std::sync::Arc;

fn rule(draw: Draw, deal: Deal) -> Randomizer {
    Randomizer {
        deals: Deals::Pieces,
        kinds: vec![Symbol::I, Symbol::J, Symbol::L, Symbol::O, Symbol::S, Symbol::T, Symbol::Z],
        codes: Vec::new(),
        table: Vec::new(),
        weights: Vec::new(),
        pair: PairForm::AxisFirst,
        seed: Seed { bits: 32, steps: 0 },
        generator: Generator::Linear { width: 32, multiplier: 0x41C6_4E6D, increment: 12_345, modulus: None },
        zero: None,
        draw,
        clock: Clock::Deals,
        other_calls: 0,
        deal,
        first: None,
        queue: None,
    }
}

#[test]
fn draws_are_those_of_the_engine() {
    let plain = draws(32, &[Method::Modulo, Method::MultiplyHigh], 7);
    let count = DealCount { address: None, before: 0 };
    let added = with_addend(&plain, Some(count));
    let mut random = SplitMix64(3);
    for costed in plain.iter().chain(&added).step_by(7) {
        let program = Arc::new(Program::new(rule(costed.draw, Deal::Direct {})).unwrap());
        let mut dealer = DeclaredDealer::new(program, random.draw().into());
        for deal in 1..20 {
            let dealt = usize::from(dealer.deal_number());
            let added = costed.added(deal - 1, 0);
            assert_eq!(below(&costed.draw, dealer.state().word, added, 7), Some(dealt), "{costed:?}");
        }
    }
}

#[test]
fn draws_come_once_and_the_simplest_first() {
    let all = draws(32, &[Method::Modulo, Method::MultiplyHigh, Method::Rejection], 7);
    for (nth, one) in all.iter().enumerate() {
        assert!(all[..nth].iter().all(|other| other.draw != one.draw && other.cost <= one.cost), "{one:?}");
        assert!(one.draw.shift + one.draw.bits <= 32 && one.draw.bits >= 3);
    }
    assert!(all.len() > 400);
}

#[test]
fn labels_agree_with_one_order_of_the_kinds_only() {
    let mut labels = Labels::new(3, 3, 9.0);
    assert!(labels.agree(2, 0, 3) && labels.agree(0, 1, 3) && labels.agree(2, 0, 3));
    assert!(!labels.clone().agree(1, 1, 3), "a kind of two numbers");
    assert!(!labels.clone().agree(0, 0, 3), "a number of two kinds");
    assert!(!labels.clone().agree(3, 2, 3), "no number");
    assert_eq!((labels.complete(), labels.is_complete(), labels.kind(1)), (vec![1, 2, 0], true, None));
    let mut table = Labels::new(4, 2, 9.0);
    assert!(table.agree(0, 1, 2) && table.agree(3, 1, 2) && !table.is_complete());
    assert!(labels.bits > 1.5 && labels.bits < 3.5 && table.bits == 0.0);
}

#[test]
fn deals_of_one_kind_prove_nothing() {
    assert!(labels::kind_bits(&[1; 40], 7).abs() < 1e-9);
    assert!((labels::kind_bits(&[0, 1, 2, 3, 0, 1, 2, 3], 4) - 2.0).abs() < 1e-9);
    let mut labels = Labels::new(7, 7, 0.0);
    assert!((0..40).all(|_| labels.agree(3, 1, 7)) && labels.bits == 0.0);
}

#[test]
fn bags_are_found_by_their_kinds() {
    let bags = [0, 1, 2, 2, 0, 1, 1, 2, 0, 0, 2];
    assert_eq!(bags_in(&bags, 3, true), [(1, 0)]);
    assert_eq!(bags_in(&bags[2..], 3, false), [(1, 1)]);
    assert_eq!(bags_in(&bags[2..], 3, true), []);
    assert_eq!(bags_in(&[0, 0, 1, 1, 1, 0, 1, 0], 2, true), [(2, 0)]);
    assert_eq!(bags_in(&[0, 0, 0, 1, 1, 1, 0, 1], 2, true), []);
}
