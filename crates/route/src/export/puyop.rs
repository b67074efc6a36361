//! Links to puyop.com, which play a route: the board's field code, `_`, and two digits per pair.
//!
//! The two digits of a pair contain 12 bits, the low six first: five times the axis colour plus the child colour, and from bit 7 on four times the
//! axis column, counted from 1, plus the child's rotation, 0 up, 1 right, 2 down, 3 left. Colours: 0 red, 1 green, 2 blue, 3
//! yellow, 4 purple. Sources: puyoai (solver/puyop.cc) and ama (puyop/encode.h), which agree. Column 7 means falling garbage,
//! column 0 a known pair that is not placed yet: shared links often end with such pairs.

use super::super::Route;
use super::{ExportError, refuse_garbage};
use nextscope_boards::puyo::{DIGITS, Placement, Rotation, to_code};
use nextscope_boards::{Color, Pair};

const PREFIX: &str = "http://www.puyop.com/s/";
/// Colours by their numbers.
const COLORS: [Color; 5] = [Color::RED, Color::GREEN, Color::BLUE, Color::YELLOW, Color::PURPLE];
/// The first bit of the column and rotation.
const PLACE: usize = 7;
/// The column value that means garbage.
const GARBAGE: usize = 7;

/// Why text is not a list of placements.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum LinkError {
    #[error("the link has no placements: they follow the board, after `_`")]
    Nothing,
    #[error("{0} digits after `_`; each pair has two")]
    Odd(usize),
    #[error("pair {pair} of the link, {digits:?}: {problem}")]
    Pair { pair: usize, digits: String, problem: &'static str },
}

/// The link that plays a route.
///
/// # Errors
/// If the first board has no field code, or garbage falls.
pub fn puyop_link(route: &Route) -> Result<String, ExportError> {
    refuse_garbage(route, "a link to puyop.com")?;
    let mut link = format!("{PREFIX}{}_", to_code(&route.start)?);
    for step in &route.steps {
        let number = |color| COLORS.iter().position(|known| *known == color);
        let (Some(axis), Some(child)) = (number(step.pair.axis), number(step.pair.child)) else {
            return Err(ExportError::Unsuited("puyop.com does not have this colour"));
        };
        let place = (step.placement.column() + 1) * 4 + step.placement.rotation() as usize;
        let code = (axis * 5 + child) | place << PLACE;
        link.extend([code & 0x3F, code >> 6].map(|digit| char::from(DIGITS.as_bytes()[digit & 0x3F])));
    }
    Ok(link)
}

/// The part of a link after the board.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LinkSteps {
    /// The placed pairs with their placements.
    pub placed: Vec<(Pair, Placement)>,
    /// The known pairs after them.
    pub coming: Vec<Pair>,
}

/// Parses the pairs and placements of a link, or of its part after `_`. The board is parsed by
/// [`field_from_code`](nextscope_boards::puyo::field_from_code).
pub fn puyop_steps(text: &str) -> Result<LinkSteps, LinkError> {
    let text = text.trim();
    let last = text.rsplit('/').next().unwrap_or(text);
    let steps = match last.split_once('_') {
        Some((_, steps)) => steps,
        None if text.contains('/') => "", // a link to a board only
        None => last,
    };
    let steps = steps.split(['?', '#']).next().unwrap_or(steps);
    if steps.is_empty() {
        return Err(LinkError::Nothing);
    }
    let digits: Vec<char> = steps.chars().collect();
    if !digits.len().is_multiple_of(2) {
        return Err(LinkError::Odd(digits.len()));
    }
    let mut steps = LinkSteps::default();
    for (nth, digits) in digits.chunks(2).enumerate() {
        let wrong = |problem| LinkError::Pair { pair: nth + 1, digits: digits.iter().collect(), problem };
        match step(digits).map_err(wrong)? {
            (pair, None) => steps.coming.push(pair),
            (pair, Some(placement)) if steps.coming.is_empty() => steps.placed.push((pair, placement)),
            (_, Some(_)) => return Err(wrong("it is placed, but the pair before it is not")),
        }
    }
    Ok(steps)
}

/// A pair, and its placement if it has one.
fn step(digits: &[char]) -> Result<(Pair, Option<Placement>), &'static str> {
    let value = |digit: &char| DIGITS.find(*digit);
    let [Some(low), Some(high)] = [0, 1].map(|nth| digits.get(nth).and_then(value)) else {
        return Err("each digit is one of 0-9 a-z A-Z [ ]");
    };
    let code = low | high << 6;
    let (pair, place) = (code & ((1 << PLACE) - 1), code >> PLACE);
    let (column, rotation) = (place / 4, Rotation::ALL[place % 4]);
    if column == GARBAGE {
        return Err("it is garbage, which a route cannot contain");
    }
    let color = |number: usize| COLORS.get(number).copied().ok_or("invalid colours");
    let pair = Pair { axis: color(pair / 5)?, child: color(pair % 5)? };
    let Some(column) = column.checked_sub(1) else { return Ok((pair, None)) };
    let placement = Placement::new(column, rotation).ok_or("one of its puyos is outside the board")?;
    Ok((pair, Some(placement)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Start;
    use nextscope_boards::puyo::{Cell, Rules, field_from_code};
    use proptest::prelude::*;

    fn placed(placed: &[(Pair, Placement)]) -> LinkSteps {
        LinkSteps { placed: placed.to_vec(), coming: Vec::new() }
    }

    #[test]
    fn digits_match_the_simulators() {
        // Red axis, green child, third column, up: 1 | (3 * 4) << 7 = 0x601: low six bits 1, high six 0x18.
        let pair = Pair { axis: Color::RED, child: Color::GREEN };
        let place = Placement::new(2, Rotation::Up).expect("inside");
        let route = Route::replay(&Start::empty(vec![pair], Rules::TSU), &[place]).expect("a route");
        let link = puyop_link(&route).expect("a link");
        assert_eq!(link, "http://www.puyop.com/s/_1o");
        assert_eq!(puyop_steps(&link), Ok(placed(&[(pair, place)])));
        assert_eq!(puyop_steps("1o"), Ok(placed(&[(pair, place)])));
        assert_eq!(puyop_steps("800j_1o"), Ok(placed(&[(pair, place)])));
        // Purple and yellow, left of the sixth column: 23 | (6 * 4 + 3) << 7 = 0xD97.
        let last = puyop_steps("_nS").expect("a pair").placed;
        assert_eq!(last[0].0, Pair { axis: Color::PURPLE, child: Color::YELLOW });
        assert_eq!(last[0].1.to_string(), "6 left");
    }

    #[test]
    fn shared_links_are_parsed() {
        // A build quoted in an issue of the puyogg simulator as an example of the format: two pairs are not placed yet.
        let steps = puyop_steps("_980C9g4c9o5geE2Q1GoC4ybQ7w28cgm8ag90o0").expect("steps");
        assert_eq!((steps.placed.len(), steps.coming.len()), (17, 2));
        assert_eq!(steps.coming[1], Pair { axis: Color::PURPLE, child: Color::PURPLE });
        let start = Start::empty(steps.placed.iter().map(|(pair, _)| *pair).collect(), Rules::TWENTIETH);
        let places: Vec<Placement> = steps.placed.iter().map(|(_, place)| *place).collect();
        assert!(Route::replay(&start, &places).is_ok(), "the route is playable");
    }

    #[test]
    fn invalid_links_are_reported() {
        let parse_error = |text: &str| puyop_steps(text).expect_err(text).to_string();
        assert!(parse_error("http://www.puyop.com/s/800j").starts_with("the link has no placements"));
        assert!(parse_error("http://www.puyop.com/s/800j_").starts_with("the link has no placements"));
        assert_eq!(parse_error("_1o1"), "3 digits after `_`; each pair has two");
        assert_eq!(parse_error("_1o!o"), "pair 2 of the link, \"!o\": each digit is one of 0-9 a-z A-Z [ ]");
        assert!(parse_error("_5U").contains("it is garbage"));
        assert!(parse_error("_1e").contains("outside the board"), "left of the first column");
        assert!(parse_error("_101o").contains("the pair before it is not"));
        assert!(parse_error("_]p").contains("invalid colours"));
    }

    proptest! {
        #[test]
        fn links_round_trip(steps in proptest::collection::vec((0usize..5, 0usize..5, 0usize..22), 1..12)) {
            let steps: Vec<(Pair, Placement)> = steps
                .into_iter()
                .map(|(axis, child, nth)| (Pair { axis: COLORS[axis], child: COLORS[child] }, Placement::ALL[nth]))
                .collect();
            let (pairs, places): (Vec<_>, Vec<_>) = steps.iter().copied().unzip();
            let mut start = Start::empty(pairs, Rules::TWENTIETH);
            start.field.drop(0, Cell::Ojama);
            prop_assume!(Route::replay(&start, &places).is_ok());
            let link = puyop_link(&Route::replay(&start, &places).expect("a route")).expect("a link");
            prop_assert_eq!(puyop_steps(&link), Ok(placed(&steps)));
            prop_assert_eq!(field_from_code(&link), Ok(start.field));
        }

        #[test]
        fn any_text_is_parsed_without_panic(text in ".{0,40}") {
            let _ = puyop_steps(&text);
        }
    }
}
