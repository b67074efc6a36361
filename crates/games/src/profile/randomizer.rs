//! `[randomizer]` and `[piece_codes]`: what a profile declares in place of a game, from TOML to values, with the positions of what is
//! wrong.

use super::diagnostic::{Code, Diagnostics};
use super::format;
use super::validate::Validator;
use crate::games::declared::{PieceCodes, Problem, Randomizer, check, check_codes};
use serde::de::DeserializeOwned;
use serde_json::json;
use std::borrow::Cow;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

/// The names of the sections.
pub(super) const KEYS: [&str; 2] = ["randomizer", "piece_codes"];

type Section<'i> = (Spanned<Cow<'i, str>>, Spanned<DeValue<'i>>);

/// Takes the sections out of a document and checks them. What is returned can be read, and nothing is wrong with it.
pub(super) fn read_sections<'i>(
    document: &mut DeTable<'i>,
    first_line: &Range<usize>,
    found: &mut Diagnostics<'_>,
) -> Vec<Section<'i>> {
    let [randomizer, piece_codes] = KEYS;
    let randomizer = read_section::<Randomizer>(randomizer, check, document, first_line, found);
    let piece_codes = read_section::<PieceCodes>(piece_codes, check_codes, document, first_line, found);
    randomizer.into_iter().chain(piece_codes).collect()
}

/// Serde reports no positions inside its tagged tables: the section is validated by the schema, then read as a whole, and the problems of
/// the result have paths, of which the document knows the positions.
fn read_section<'i, T: DeserializeOwned>(
    name: &str,
    check: fn(&T) -> Vec<Problem>,
    document: &mut DeTable<'i>,
    first_line: &Range<usize>,
    found: &mut Diagnostics<'_>,
) -> Option<Section<'i>> {
    let (key, section) = document.remove_entry(name)?;
    let mut section_alone = DeTable::new();
    section_alone.insert(key.clone(), section.clone());
    let failed_before = std::mem::take(&mut found.failed);
    let schema = &format::root()["properties"][name];
    let schema = json!({ "properties": { name: schema } });
    Validator { found, taken_out: Vec::new() }.table(&schema, &mut section_alone, first_line, "the profile");
    if !found.failed {
        match T::deserialize(ValueDeserializer::from(section.clone())) {
            Ok(declared) => {
                for problem in check(&declared) {
                    let span = span_of(&key, &section, &problem.path);
                    found.error(Code::Impossible, span, problem.message).help(problem.help);
                }
            }
            Err(error) => {
                let span = error.span().unwrap_or_else(|| key.span());
                found.error(Code::WrongType, span, error.message());
            }
        }
    }
    let is_good = !found.failed;
    found.failed |= failed_before;
    is_good.then_some((key, section))
}

/// The position of the value at a path of keys and indices joined by dots; of the nearest table around it, if the file does not have it.
fn span_of(key: &Spanned<Cow<'_, str>>, section: &Spanned<DeValue<'_>>, path: &str) -> Range<usize> {
    let (mut at, mut span) = (section, key.span());
    for part in path.split('.') {
        let inner = match at.get_ref() {
            DeValue::Table(table) => table.get_key_value(part).map(|(key, value)| (key.span(), value)),
            DeValue::Array(items) => {
                part.parse().ok().and_then(|index: usize| items.get(index)).map(|item| (item.span(), item))
            }
            _ => None,
        };
        let Some((key_span, value)) = inner else { break };
        // The span of a table that is not inline is that of its header, and a key of it says which one is meant.
        span = if value.get_ref().is_table() { key_span } else { value.span() };
        at = value;
    }
    span
}

#[cfg(test)]
mod tests {
    use crate::games::declared::{ID, Program};
    use crate::games::{GameId, Unit};
    use crate::profile::{Severity, built_in_files, parse};

    const SECTION: &str = include_str!("../games/declared/models/tgm2.toml");
    const POOLS: &str = include_str!("../games/declared/models/mean-bean.toml");

    /// A profile with this section.
    fn profile(section: &str) -> String {
        let start = "id = \"x\"\nname = \"X\"\nconsole = \"nes\"\nstatus = \"unconfirmed\"";
        format!("{start}\n{FIELDS}\n{section}")
    }

    const FIELDS: &str = "fields.spare = { address = 0x10, type = \"u8\", source = \"test\" }";

    /// What the only error says: the marked text, the message and the help, joined by bars.
    fn error(section: &str) -> String {
        let text = profile(section);
        let (parsed, diagnostics) = parse(&text, "test.toml");
        assert!(parsed.is_none(), "accepted");
        let errors: Vec<_> = diagnostics.iter().filter(|found| found.severity == Severity::Error).collect();
        let [error] = errors[..] else { panic!("{errors:#?}") };
        let rendered = error.render(&text, false);
        let marked = &text[error.span.clone()];
        assert!(rendered.contains(&format!("test.toml:{}", error.position(&text))), "{rendered}");
        assert!(rendered.contains('^') && rendered.contains(marked.lines().next().unwrap()), "{rendered}");
        format!("{marked} | {} | {}", error.message, error.help.as_deref().unwrap_or_default())
    }

    fn changed(section: &str, from: &str, to: &str) -> String {
        assert_eq!(section.matches(from).count(), 1, "{from}");
        error(&section.replace(from, to))
    }

    #[test]
    fn a_profile_has_the_declared_randomizer_of_its_file() {
        for section in [SECTION, POOLS] {
            let (parsed, diagnostics) = parse(&profile(section), "test.toml");
            let randomizer = parsed.unwrap_or_else(|| panic!("{diagnostics:#?}")).randomizer.unwrap();
            assert!(Program::new(randomizer.clone()).is_ok());
            let printed = parse(&profile(&randomizer.to_toml()), "test.toml").0.unwrap();
            assert_eq!(printed.randomizer, Some(randomizer));
        }
        let named = parse(built_in_files()[0].1, "test.toml").0.unwrap();
        assert_eq!(named.randomizer, None);
    }

    #[test]
    fn a_profile_has_a_game_or_a_randomizer() {
        let game =
            |section| parse(&profile(section), "test.toml").0.map(|profile| (profile.game, profile.unit()));
        assert_eq!(game(SECTION), Some((ID, Unit::Pieces)));
        assert_eq!(game(POOLS), Some((ID, Unit::Pairs)));
        assert_eq!(GameId::of_declared_randomizers(), Some(ID));
        let message = |text: &str| {
            let (parsed, diagnostics) = parse(text, "test.toml");
            assert!(parsed.is_none());
            let error = diagnostics.iter().find(|found| found.severity == Severity::Error).unwrap();
            let marked = &text[error.span.clone()];
            format!("{marked} | {} | {}", error.message, error.help.as_deref().unwrap_or_default())
        };
        assert_eq!(
            message(&profile("")),
            "id = \"x\" | the profile has none of `game`, `randomizer`, `piece_codes` | add at least one of them"
        );
        assert_eq!(
            message(&format!("game = \"tetris-nes\"\n{}", profile(SECTION))),
            "\"tetris-nes\" | the profile has both `game` and [randomizer] | remove `game` to deal as declared, or remove \
             [randomizer] to use the built-in model"
        );
        // Only a declaration makes it the game of a profile.
        let named = message(&format!("game = \"declared\"\n{}", profile("")));
        assert!(named.starts_with("\"declared\" | unknown value `declared` for `game`"), "{named}");
    }

    #[test]
    fn fields_fit_the_randomizer() {
        let field = |name: &str, kind: &str, section: &str| {
            let other = FIELDS.replace("spare", name).replace("\"u8\"", kind);
            let text = profile(section).replace(FIELDS, &other);
            let (parsed, diagnostics) = parse(&text, "test.toml");
            let error = diagnostics.into_iter().find(|found| found.severity == Severity::Error);
            assert_eq!(parsed.is_none(), error.is_some());
            error.map(|error| {
                format!("{} | {} | {}", &text[error.span.clone()], error.message, error.help.unwrap())
            })
        };
        let u8 = "\"u8\"";
        assert_eq!(field("rng_state", "\"u32\"", SECTION), None);
        assert_eq!(field("rng_state", "\"bytes\", length = 4", SECTION), None);
        assert_eq!(field("next", "\"bytes\", length = 6", POOLS), None);
        assert_eq!(
            field("rng_state", "\"u16\"", SECTION).unwrap(),
            "\"u16\" | a state of 32 bits cannot be a field of 2 bytes | it has as many bytes as the state, and at most 8"
        );
        assert_eq!(
            field("next", u8, POOLS).unwrap(),
            "\"u8\" | field `next` has 1 byte | it has one byte for each piece and two for each pair, at most 64"
        );
        assert_eq!(
            field("current", "\"u16\"", SECTION).unwrap(),
            "\"u16\" | field `current` has 2 bytes | it has one byte for a piece and two for a pair"
        );
        assert_eq!(
            field("next", "\"text\", length = 2", SECTION).unwrap(),
            "2 | field `next` cannot be text[2] | use an integer type or bytes"
        );
        assert_eq!(field("other", "\"text\", length = 2", SECTION), None);
    }

    const CODES: &str = "[piece_codes]\nkinds = [\"I\", \"J\", \"O\"]\ncodes = [5, 4, 3]\n";

    #[test]
    fn a_profile_may_have_the_codes_of_a_list_instead() {
        let list = FIELDS.replace("spare", "next");
        let with = |fields: &str, section: &str| profile(section).replace(FIELDS, fields);
        let good = |text: &str| {
            let (parsed, diagnostics) = parse(text, "test.toml");
            parsed.unwrap_or_else(|| panic!("{diagnostics:#?}"))
        };
        let parsed = good(&with(&list, CODES));
        assert_eq!((parsed.game, parsed.unit(), &parsed.randomizer), (ID, Unit::Pieces, &None));
        let codes = parsed.piece_codes.unwrap();
        assert_eq!((codes.kinds.len(), &codes.codes[..]), (3, &[5, 4, 3][..]));
        assert_eq!(good(&with(&list, &codes.to_toml())).piece_codes, Some(codes));
        let pairs = "[piece_codes]\ndeals = \"pairs\"\nkinds = [\"R\", \"G\"]\nstride = 4\nreversed = true\n";
        let two = list.replace("\"u8\"", "\"bytes\", length = 6");
        let pairs = good(&with(&two, pairs));
        assert_eq!(pairs.unit(), Unit::Pairs);
        assert_eq!(
            good(&with(&two, &pairs.piece_codes.as_ref().unwrap().to_toml())).piece_codes,
            pairs.piece_codes
        );
        let long = list.replace("\"u8\"", "\"bytes\", length = 65");
        let long = format!("{long}\nfields.position = {{ address = 1, type = \"u8\", source = \"test\" }}");
        let still = good(&with(&long, &format!("{CODES}position = {{ counts_down = true }}")));
        let codes = still.piece_codes.unwrap();
        assert_eq!(good(&with(&long, &codes.to_toml())).piece_codes, Some(codes));

        let error = |text: &str| {
            let (parsed, diagnostics) = parse(text, "test.toml");
            assert!(parsed.is_none());
            let error = diagnostics.iter().find(|found| found.severity == Severity::Error).unwrap();
            let rendered = error.render(text, false);
            assert!(rendered.contains('^'), "{rendered}");
            let marked = text[error.span.clone()].lines().next().unwrap_or_default();
            format!("{marked} | {} | {}", error.message, error.help.as_deref().unwrap_or_default())
        };
        for (text, expected) in [
            (
                profile(CODES),
                "[piece_codes] | Declared randomizer needs a field `next`: declared games: the codes of the coming pieces or pairs",
            ),
            (
                with(&list, &format!("{CODES}\n{SECTION}")),
                "| the profile has both [randomizer] and [piece_codes] | remove [piece_codes]: the randomizer has its own",
            ),
            (
                format!("game = \"tetris-nes\"\n{}", with(&list, CODES)),
                "\"tetris-nes\" | the profile has both `game` and [piece_codes] | remove `game` to read the pieces from RAM",
            ),
            (
                with(&list, &CODES.replace("[5, 4, 3]", "[5, 4]")),
                "[5, 4] | there are 2 codes for 3 kinds | give one code for each kind, in the same order",
            ),
            (
                with(&list, &CODES.replace("[5, 4, 3]", "[5, 4, 5]")),
                "5 | code 5 is listed twice | each kind has a code of its own",
            ),
            (
                with(&list, &CODES.replace("\"O\"", "\"I\"")),
                "\"I\" | I is listed twice | list each kind once",
            ),
            (with(&list, &CODES.replace("\"O\"", "\"R\"")), "\"R\" | R is not a piece | a piece is one of"),
            (
                with(&list, &CODES.replace("codes =", "code =")),
                "code | unknown key `code` in [piece_codes] | did you mean `codes`?",
            ),
            (
                with(&list, &format!("{CODES}stride = 17")),
                "17 | `stride` of [piece_codes] is out of range | it may be 1 to 16",
            ),
            (
                with(&list, "[piece_codes]\ndeals = \"pairs\"\nkinds = [\"R\", \"G\"]\nstride = 1"),
                "1 | a pair has two bytes, and `stride` is 1 | write 2 or more, or remove it",
            ),
            (
                with(&list, "[piece_codes]\ndeals = \"pairs\"\nkinds = [\"R\", \"G\"]"),
                "\"u8\" | field `next` has 1 byte | it has 1 to 64 entries, `stride` bytes from one to the next",
            ),
            (
                with(&list.replace("\"u8\"", "\"bytes\", length = 65"), CODES),
                "65 | field `next` has 65 bytes | it has 1 to 64 entries",
            ),
            (
                with(&list.replace("\"u8\"", "\"text\", length = 5"), CODES),
                "5 | field `next` cannot be text[5] | use an integer type or bytes",
            ),
            (
                with(&list, &format!("{CODES}[piece_codes.position]")),
                "[piece_codes] | Declared randomizer needs a field `position`: declared games with [piece_codes.position]",
            ),
            (
                with(
                    &list.replace(
                        "next =",
                        "position = { address = 1, type = \"u8\", source = \"test\" }\nfields.next =",
                    ),
                    CODES,
                ),
                "\"u8\" | [piece_codes] does not use field `position` | add [piece_codes.position]",
            ),
            (
                with(&list, &format!("{CODES}position = {{ step = 0 }}")),
                "0 | `step` of [piece_codes.position] is out of range | it may be 1 to 16",
            ),
        ] {
            let found = error(&text);
            assert!(found.contains(expected), "{found}\n{expected}");
        }
    }

    #[test]
    fn mistakes_of_the_format_are_reported_where_they_are() {
        let tests = [
            (
                "increment = 12345",
                "incremet = 12345",
                "incremet | unknown key `incremet` in [randomizer.generator] | did you mean `increment`?",
            ),
            (
                "\"linear\"",
                "\"liner\"",
                "\"liner\" | unknown value `liner` for `kind` of [randomizer.generator] | did you mean `linear`?",
            ),
            (
                "width = 32",
                "width = 65",
                "65 | `width` of [randomizer.generator] is out of range | it may be 2 to 64",
            ),
            ("bits = 15\n", "", "draw | [randomizer.draw] has no `bits` | How many bits are used."),
            (
                "tries = 6",
                "tries = \"6\"",
                "\"6\" | `tries` of [randomizer.deal] must be an integer, not a string | write tries = 6, without quotes",
            ),
            (
                "\"T\"]",
                "\"Q\"]",
                "\"Q\" | unknown value `Q` for `kinds` of [randomizer] | known: `I`, `J`, `L`, `O`, `S`, `T`, `Z`, `R`, `G`, `B`, `Y`, `P`",
            ),
            (
                "rule = \"exclude\", ",
                "",
                "first | [randomizer.first] has no `rule` | one of `exclude`, `among`",
            ),
            (
                "seed = { bits = 32 }",
                "seed = 32",
                "32 | `seed` of [randomizer] must be a table, not an integer | ",
            ),
            (
                "0x41C64E6D",
                "0x1FFFFFFFFFFFFFFFF",
                "0x1FFFFFFFFFFFFFFFF | `multiplier` of [randomizer.generator] is out of range | it may be 0x1 to 0xFFFFFFFFFFFFFFFF",
            ),
        ];
        for (from, to, expected) in tests {
            assert_eq!(changed(SECTION, from, to), expected);
        }
    }

    #[test]
    fn impossible_randomizers_are_refused_with_the_reason() {
        let tests = [
            (
                "width = 32",
                "width = 30",
                "0x41C64E6D | 0x41C64E6D has more bits than the generator | the largest number of 30 bits is 0x3FFFFFFF",
            ),
            (
                "shift = 10",
                "shift = 20",
                "15 | bits 20 to 34 are used, of a number of 32 bits | `shift` + `bits` is at most 32",
            ),
            (
                "\"modulo\"",
                "\"mask\"",
                "\"mask\" | `mask` also gives numbers that are not below 7 | use rejection, modulo or multiply-high; only a history rejects such a number",
            ),
            ("bits = 15", "bits = 2", "2 | 2 bits never give some of the numbers below 7 | use more bits"),
            (
                "\"O\", \"T\"]",
                "\"O\", \"O\"]",
                "\"O\" | O is listed twice | list each kind once; `table` or `weights` make some more likely",
            ),
            (
                "\"O\", \"T\"]",
                "\"O\", \"R\"]",
                "\"R\" | R is not a piece | a piece is one of I, J, L, O, S, T, Z",
            ),
            (
                "length = 4",
                "length = 2",
                "[\"Z\", \"S\", \"S\"] | a history of 2 cannot begin with 3 | remove the oldest, which come last",
            ),
            (
                "[\"S\", \"Z\", \"O\"]",
                "[\"I\", \"Z\", \"S\", \"J\", \"L\", \"O\", \"T\"]",
                "[\"I\", \"Z\", \"S\", \"J\", \"L\", \"O\", \"T\"] | every kind is excluded from the first deal | leave at least one",
            ),
            (
                "bits = 32 }",
                "bits = 32 }\nzero = { mask = 0xFF, replacement = 0x100 }",
                "0x100 | the replacement counts as zero itself | the replacement has one of the tested bits",
            ),
            (
                "bits = 32 }",
                "bits = 32 }\nqueue = { length = 3, first = 1 }",
                "1 | the deals before the first place would never be dealt | write then = \"repeat\", or remove `first`",
            ),
            (
                "bits = 32 }",
                "bits = 32 }\nweights = [1, 2]",
                "[1, 2] | there are 2 weights for 7 kinds | give one weight for each kind, in the same order",
            ),
        ];
        // Some changes have more than one consequence; each of these has one.
        for (from, to, expected) in tests {
            let section = if from == "width = 32" {
                SECTION.replace("{ bits = 32 }", "{ bits = 30 }")
            } else {
                SECTION.to_owned()
            };
            assert_eq!(changed(&section, from, to), expected);
        }
        let pools = [
            ("dealt = 2", "dealt = 3", "3 | the pool that is dealt is 3 | it may be 1 to 2"),
            (
                "pool = 1, ",
                "pool = 2, ",
                "2 | pool 2 is not made before this one | pools are counted from 1; copy from one above it in the file",
            ),
            ("kinds = 5\n", "kinds = 6\n", "6 | the number of kinds in the pool is 6 | it may be 1 to 5"),
            (
                "kinds = 4\nsize = 256\nshuffle = { method = \"any-down\"",
                "kinds = 4\nsize = 257\nshuffle = { method = \"any-down\", draw = { shift = 16, bits = 9, method = \"modulo\" } } #",
                "257 | a pool of pairs has an even number of cells | add or remove one",
            ),
            (
                "kinds = 5\nsize = 256\nshuffle = { method = \"any-down\"",
                "kinds = 5\nsize = 256\nshuffle = { method = \"rows\", rows = [8, 7]",
                "7 | 248 cells cannot be divided into two or more rows of 7 | a row is shorter than the pool and divides its size",
            ),
        ];
        for (from, to, expected) in pools {
            assert_eq!(changed(POOLS, from, to), expected);
        }
    }
}
