//! A field and its ignition as a short text for sharing.
//!
//! `1`, the columns and the rows (each less one), the cells, and, if there is an ignition, `-` followed by it: `n` with the needle's column and row
//! and the letter of its colour if it has one, or `b` with column and row of each block. Each digit of the cells is two adjacent
//! cells, row after row: eight times the first plus the second, 0 for empty, 1 red, 2 green, 3 blue, 4 yellow. Leading zeros
//! are omitted, so the digits are counted from the end; with an odd number of cells the first digit is one cell. Digits are those of Puyo
//! field codes. The `1` is the version of the code, and no letter of a grid is a digit, so a code is never mistaken for a row.

use super::field::{Color, Field, FieldError, GridCell, MAX_SIDE};
use super::ignition::{Ignition, IgnitionError, MAX_STARTS};
use crate::puyo::DIGITS;

/// The prefix that marks a code.
pub const LINK: &str = "nextscope:ignition/";
const VERSION: char = '1';
/// The factor of the left cell in a digit.
const LEFT: usize = 8;
/// Separates the field from the ignition.
const DIVIDER: char = '-';

/// Why a code cannot be written or parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum CodeError {
    #[error(
        "it does not start with {VERSION}: it is not a field code, or from a later version of the program"
    )]
    Version,
    #[error("it ends before {0}: part of it is missing")]
    Short(&'static str),
    #[error("character {at} is {sign:?}, which is not one of 0-9 a-z A-Z [ ]")]
    Sign { at: usize, sign: char },
    #[error("digit {at}, {sign:?}, is not a valid cell")]
    Cell { at: usize, sign: char },
    #[error("it has more cells than a field of {width} x {height}")]
    Long { width: u8, height: u8 },
    #[error("its cells start with 0; leading zeros must be omitted")]
    Zero,
    #[error(
        "after the {DIVIDER} there must be n, a needle's position and its colour (R G B Y) if it has one, or b and the positions of blocks"
    )]
    Ignition,
    #[error("the block at {0} is listed twice")]
    Twice(GridCell),
    /// The ignition does not match the field.
    #[error(transparent)]
    Unsuited(#[from] IgnitionError),
    /// The field is invalid.
    #[error(transparent)]
    Field(#[from] FieldError),
}

fn digit(number: usize) -> char {
    char::from(DIGITS.as_bytes()[number % DIGITS.len()])
}

fn number(cell: Option<Color>) -> usize {
    cell.map_or(0, |color| color as usize + 1)
}

/// The code of a field, and of its ignition.
///
/// # Errors
/// [`CodeError::Unsuited`] for an ignition outside the field, or with no blocks or too many.
pub fn to_code(field: &Field, ignition: Option<&Ignition>) -> Result<String, CodeError> {
    let mut code = String::from(VERSION);
    code.extend([field.width(), field.height()].map(|side| digit(usize::from(side) - 1)));
    let cells: Vec<usize> = field.places().map(|place| number(field.get(place))).collect();
    let mut pairs: Vec<usize> =
        cells.rchunks(2).map(|pair| pair.iter().fold(0, |digit, cell| LEFT * digit + cell)).collect();
    while pairs.last() == Some(&0) {
        pairs.pop();
    }
    code.extend(pairs.iter().rev().map(|pair| digit(*pair)));
    let place = |place: GridCell| {
        if !field.has(place) {
            let (width, height) = (field.width(), field.height());
            return Err(IgnitionError::Outside { place, width, height });
        }
        Ok([place.x, place.y].map(|number| digit(usize::from(number))))
    };
    match ignition {
        None => {}
        Some(Ignition::Needle { at, color }) => {
            code.extend([DIVIDER, 'n']);
            code.extend(place(*at)?);
            code.extend(color.map(Color::letter));
        }
        Some(Ignition::Blocks(blocks)) => {
            code.extend([DIVIDER, 'b']);
            let mut named: Vec<GridCell> = Vec::new();
            for block in blocks {
                if !named.contains(block) {
                    named.push(*block);
                    code.extend(place(*block)?);
                }
            }
            counted(named.len())?;
        }
    }
    Ok(code)
}

/// The code with a prefix that identifies it: not a web link; the window and the command line accept it.
///
/// # Errors
/// As [`to_code`].
pub fn to_link(field: &Field, ignition: Option<&Ignition>) -> Result<String, CodeError> {
    Ok(format!("{LINK}{}", to_code(field, ignition)?))
}

fn counted(blocks: usize) -> Result<(), IgnitionError> {
    match blocks {
        0 => Err(IgnitionError::None),
        1..=MAX_STARTS => Ok(()),
        _ => Err(IgnitionError::Many(blocks)),
    }
}

/// Parses the field of a code, alone or in a link, and its ignition. Only the form written by [`to_code`] is accepted.
pub fn from_code(text: &str) -> Result<(Field, Option<Ignition>), CodeError> {
    let text = text.trim();
    let code = text.strip_prefix(LINK).unwrap_or(text);
    let mut signs = code.chars().enumerate().map(|(nth, sign)| (nth + 1, sign)).peekable();
    if signs.next().map(|(_, sign)| sign) != Some(VERSION) {
        return Err(CodeError::Version);
    }
    let mut side = |what| signs.next().ok_or(CodeError::Short(what)).and_then(value);
    let (width, height) = (side("the columns")? + 1, side("the rows")? + 1);
    let mut field = Field::empty(width, height)?;
    let most = (width * height).div_ceil(2);
    let mut digits = Vec::new();
    while let Some((at, sign)) = signs.next_if(|(_, sign)| *sign != DIVIDER) {
        if digits.len() == most {
            return Err(CodeError::Long { width: field.width(), height: field.height() });
        }
        let value = value((at, sign))?;
        if digits.is_empty() && value == 0 {
            return Err(CodeError::Zero);
        }
        let cell = |number: usize| match number {
            0 => Ok(None),
            _ => Color::ALL.get(number - 1).copied().map(Some).ok_or(CodeError::Cell { at, sign }),
        };
        digits.push([cell(value / LEFT)?, cell(value % LEFT)?]);
    }
    let mut places: Vec<GridCell> = field.places().collect();
    for cell in digits.into_iter().rev().flat_map(|[left, right]| [right, left]) {
        match (places.pop(), cell) {
            (Some(place), _) => field.set(place, cell),
            (None, None) => {}
            (None, Some(_)) => {
                return Err(CodeError::Long { width: field.width(), height: field.height() });
            }
        }
    }
    let ignition = match signs.next() {
        Some(_) => Some(ignition(&mut signs, &field)?),
        None => None,
    };
    Ok((field, ignition))
}

fn value((at, sign): (usize, char)) -> Result<usize, CodeError> {
    DIGITS.find(sign).ok_or(CodeError::Sign { at, sign })
}

fn ignition(signs: &mut impl Iterator<Item = (usize, char)>, field: &Field) -> Result<Ignition, CodeError> {
    let kind = signs.next().map(|(_, sign)| sign);
    let rest: Vec<(usize, char)> = signs.take(2 * (MAX_STARTS + 1)).collect();
    let place = |two: &[(usize, char)]| {
        let [x, y] = two else { return Err(CodeError::Short("a row")) };
        let side = |sign| value(sign).map(|side| u8::try_from(side).unwrap_or(u8::MAX));
        let place = GridCell::new(side(*x)?, side(*y)?);
        if !field.has(place) {
            let (width, height) = (field.width(), field.height());
            return Err(IgnitionError::Outside { place, width, height }.into());
        }
        Ok::<_, CodeError>(place)
    };
    match (kind, rest.as_slice()) {
        (Some('n'), [] | [_]) => Err(CodeError::Short("the needle's position")),
        (Some('n'), [x, y]) => Ok(Ignition::Needle { at: place(&[*x, *y])?, color: None }),
        (Some('n'), [x, y, (_, letter)]) if letter.is_ascii_uppercase() => {
            let color = Color::from_letter(*letter).ok_or(CodeError::Ignition)?;
            Ok(Ignition::Needle { at: place(&[*x, *y])?, color: Some(color) })
        }
        (Some('b'), places) => {
            let mut blocks = Vec::new();
            for two in places.chunks(2) {
                let block = place(two)?;
                if blocks.contains(&block) {
                    return Err(CodeError::Twice(block));
                }
                blocks.push(block);
            }
            counted(places.len().div_ceil(2))?;
            Ok(Ignition::Blocks(blocks))
        }
        _ => Err(CodeError::Ignition),
    }
}

/// Whether a text is a code rather than a grid: no row of a grid contains a digit or a colon.
pub fn is_code(text: &str) -> bool {
    text.trim().starts_with([VERSION]) || text.trim().starts_with(LINK)
}

/// Why a text is not a field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// It looks like a code.
    #[error("the code is invalid: {0}")]
    Code(#[from] CodeError),
    /// It looks like a grid.
    #[error(transparent)]
    Grid(#[from] FieldError),
}

/// Parses a field from a grid, or from a code or a link, with its ignition if the code has one.
pub fn from_grid_or_code(text: &str) -> Result<(Field, Option<Ignition>), TextError> {
    if is_code(text) { Ok(from_code(text)?) } else { Ok((Field::from_text(text)?, None)) }
}

const _: () = assert!(DIGITS.len() == MAX_SIDE, "a digit is a side, or a column, or a row");

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn codes_match_their_description() {
        let field = Field::from_text("..R\nGBY").expect("a field");
        // From the end: BY is 8 * 3 + 4 = 28 (s), RG is 8 * 1 + 2 = 10 (a), without leading zeros.
        let needle = Ignition::Needle { at: GridCell::new(1, 0), color: None };
        assert_eq!(to_code(&field, None).as_deref(), Ok("121as"));
        assert_eq!(to_code(&field, Some(&needle)).as_deref(), Ok("121as-n10"));
        let green = Ignition::Needle { at: GridCell::new(0, 0), color: Some(Color::Green) };
        assert_eq!(to_link(&field, Some(&green)).as_deref(), Ok("nextscope:ignition/121as-n00G"));
        let blocks = Ignition::Blocks(vec![GridCell::new(2, 0), GridCell::new(2, 0), GridCell::new(2, 1)]);
        assert_eq!(to_code(&field, Some(&blocks)).as_deref(), Ok("121as-b2021"));
        assert_eq!(from_code(" nextscope:ignition/121as-n00G\n"), Ok((field, Some(green))));
        assert_eq!(to_code(&Field::default(), None).as_deref(), Ok("16b"));
        assert_eq!(from_code("16b"), Ok((Field::default(), None)));
        // An odd number of cells: the first digit is a single cell.
        let odd = Field::from_text("R.Y").expect("a field");
        assert_eq!(to_code(&odd, None).as_deref(), Ok("12014"));
        assert_eq!(from_code("12014"), Ok((odd, None)));
    }

    #[test]
    fn invalid_codes_are_reported() {
        let parse_error = |code: &str| from_code(code).expect_err(code).to_string();
        assert!(parse_error("").starts_with("it does not start with 1"));
        assert!(parse_error("26b").starts_with("it does not start with 1"));
        assert!(parse_error("1").starts_with("it ends before the columns"));
        assert!(parse_error("16").starts_with("it ends before the rows"));
        assert_eq!(parse_error("16b!"), "character 4 is '!', which is not one of 0-9 a-z A-Z [ ]");
        assert_eq!(parse_error("16b5"), "digit 4, '5', is not a valid cell");
        assert_eq!(parse_error("16bE"), "digit 4, 'E', is not a valid cell");
        assert!(parse_error("16b01").starts_with("its cells start with 0"));
        assert_eq!(parse_error("11111a"), "it has more cells than a field of 2 x 2");
        assert_eq!(parse_error("120a1"), "it has more cells than a field of 3 x 1");
        assert!(parse_error("16b-").starts_with("after the -"));
        assert!(parse_error("16b-n1").starts_with("it ends before the needle's position"));
        assert!(parse_error("16b-n70").starts_with("7,0 is outside the field"));
        assert!(parse_error("16b-n00P").starts_with("after the -"));
        assert!(parse_error("16b-n00r").starts_with("after the -"));
        assert!(parse_error("16b-n00RR").starts_with("after the -"));
        assert_eq!(parse_error("16b-b"), "no block is listed: give one to 4, as x,y;x,y");
        assert!(parse_error("16b-b001").starts_with("it ends before a row"));
        assert_eq!(parse_error("16b-b0110021"), "it ends before a row: part of it is missing");
        assert_eq!(parse_error("16b-b0101"), "the block at 0,1 is listed twice");
        assert!(parse_error("16b-b0001020304").starts_with("5 blocks are listed"));
        let outside = Ignition::Needle { at: GridCell::new(7, 0), color: None };
        assert!(matches!(to_code(&Field::default(), Some(&outside)), Err(CodeError::Unsuited(_))));
        let none = to_code(&Field::default(), Some(&Ignition::Blocks(Vec::new())));
        assert_eq!(none, Err(CodeError::Unsuited(IgnitionError::None)));
        assert_eq!(from_grid_or_code("R.\n.B").map(|(field, _)| field.blocks()), Ok(2));
        assert!(matches!(from_grid_or_code("R.\n.5"), Err(TextError::Grid(_))));
        assert!(matches!(from_grid_or_code("1"), Err(TextError::Code(_))));
    }

    fn fields() -> impl Strategy<Value = Field> {
        (1..=MAX_SIDE, 1..=MAX_SIDE).prop_flat_map(|(width, height)| {
            proptest::collection::vec(0usize..5, width * height).prop_map(move |cells| {
                let mut field = Field::empty(width, height).expect("a field");
                for (place, cell) in field.places().zip(cells) {
                    field.set(place, cell.checked_sub(1).map(|nth| Color::ALL[nth]));
                }
                field
            })
        })
    }

    fn ignitions(field: &Field) -> impl Strategy<Value = Option<Ignition>> + use<> {
        let (width, height) = (field.width(), field.height());
        let place = move || (0..width, 0..height).prop_map(|(x, y)| GridCell::new(x, y));
        let color = proptest::option::of(proptest::sample::select(&Color::ALL[..]));
        let blocks = proptest::collection::vec(place(), 1..=MAX_STARTS).prop_map(|mut blocks| {
            let mut visited = Vec::new();
            blocks.retain(|block| {
                !visited.contains(block) && {
                    visited.push(*block);
                    true
                }
            });
            Ignition::Blocks(blocks)
        });
        let needle = (place(), color).prop_map(|(at, color)| Ignition::Needle { at, color });
        proptest::option::of(prop_oneof![needle, blocks])
    }

    fn both() -> impl Strategy<Value = (Field, Option<Ignition>)> {
        fields().prop_flat_map(|field| {
            let ignition = ignitions(&field);
            (Just(field), ignition)
        })
    }

    proptest! {
        #[test]
        fn fields_and_ignitions_round_trip((field, ignition) in both()) {
            let code = to_code(&field, ignition.as_ref()).expect("a code");
            prop_assert!(is_code(&code));
            let link = to_link(&field, ignition.as_ref()).expect("a link");
            let whole = (field, ignition);
            prop_assert_eq!(from_code(&code), Ok(whole.clone()));
            prop_assert_eq!(from_grid_or_code(&link), Ok(whole));
        }

        #[test]
        fn grids_round_trip(field in fields()) {
            prop_assert_eq!(from_grid_or_code(&field.to_text()), Ok((field, None)));
        }

        #[test]
        fn any_text_is_parsed_without_panic(text in ".{0,60}") {
            let _ = from_grid_or_code(&text);
        }

        /// Every accepted text is the only code of its field.
        #[test]
        fn accepted_codes_are_canonical(
            code in "1[0-3][0-3][0-9a-zA-Z]{0,5}(-(n[0-3][0-3][RGBY]?|b([0-3][0-3]){1,5}))?",
        ) {
            if let Ok((field, ignition)) = from_code(&code) {
                prop_assert_eq!(to_code(&field, ignition.as_ref()), Ok(code));
            }
        }

        /// A changed, lost or added character gives an error or another field, never a panic.
        #[test]
        fn damaged_codes_do_not_panic((field, ignition) in both(), at in 0usize..3000, sign in any::<char>(), lost in any::<bool>()) {
            let code = to_code(&field, ignition.as_ref()).expect("a code");
            let mut signs: Vec<char> = code.chars().collect();
            let at = at % signs.len();
            if lost { signs.remove(at); } else { signs[at] = sign; }
            let _ = from_code(&signs.into_iter().collect::<String>());
        }
    }
}
