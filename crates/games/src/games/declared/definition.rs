//! The game of all profiles that declare their randomizer.

use super::language::{Generator, PieceCodes, Randomizer};
use super::{find_command, generate_command, live, stats};
use crate::games::{
    DeclaredSupport, FieldSpec, GameDefinition, GameId, LiveSupport, NO_ANCHORS, Unit, field, tracker,
};
use crate::pairs::{FindCommand, GenerateCommand};
use crate::profile::{Field, FieldKind};
use crate::text::counted;

/// The id that reports and commands use; profiles do not name it.
pub const ID: GameId = GameId::new("declared");

/// The longest list of coming deals in RAM, in bytes; with a stride in entries. Of a list that does not move so many are shown.
pub(super) const MAX_LIST: u32 = 64;
/// The longest list that does not move, in entries.
const MAX_STILL_LIST: u32 = 4096;
/// The field of the coming deals.
const LIST: &str = "next";
/// The field that says where in a list the game is.
const POSITION: &str = "position";

const FIELDS: &[FieldSpec] = &[
    field(
        "rng_state",
        0,
        false,
        "declared randomizers: the state of the generator, of a table the index; as `bytes`, the highest byte comes first",
    ),
    field(
        "current",
        0,
        false,
        "declared games: the code of the piece in play, or the two of a pair, the axis first",
    ),
    field(
        LIST,
        0,
        false,
        "declared games: the codes of the coming pieces or pairs, the next one first, a byte for each piece or half; with [piece_codes] as its keys say",
    ),
    field(
        POSITION,
        0,
        false,
        "declared games with [piece_codes.position]: which entry of a list that does not move is in play",
    ),
    field("deals", 0, false, "declared games: how many pieces or pairs were drawn, those in `next` included"),
];

pub(crate) const GAME: GameDefinition = GameDefinition {
    id: ID,
    name: "Declared randomizer",
    unit: Unit::Pieces,
    live: Some(LiveSupport {
        profiles: &[],
        fields: FIELDS,
        variants: &[],
        checks: live::CHECKS,
        predicts: true,
        anchors: NO_ANCHORS,
        pools: None,
        tracker: tracker::<live::Tracker>,
    }),
    declared: Some(DeclaredSupport {
        template: TEMPLATE,
        field_problem,
        list_problem,
        list_fields,
        generate: GenerateCommand {
            about: "A randomizer that a profile declares",
            options: generate_command::OPTIONS,
            run: generate_command::run,
        },
        find: FindCommand {
            about: "A randomizer that a profile declares",
            usage: &[],
            options: find_command::OPTIONS,
            form: false,
            prepare: find_command::prepare,
        },
        source: stats::source,
    }),
    ..GameDefinition::DEFAULTS
};

/// What is wrong with a field, and what to do.
type Wrong = Option<(String, String)>;

fn problem(what: String, help: &str) -> Wrong {
    Some((what, help.to_owned()))
}

/// What is wrong with a field of a profile with `[randomizer]`.
fn field_problem(randomizer: &Randomizer, field: &Field) -> Wrong {
    let (bytes, unit) = (field.kind.bytes(), randomizer.deals.bytes());
    let length = counted(bytes.into(), "byte");
    let common = common_problem(unit, field);
    if common.is_some() {
        return common;
    }
    match field.name.as_str() {
        "rng_state" => {
            if let Generator::Lagged { .. } = randomizer.generator {
                let what = "the state of a lagged generator is not one number".to_owned();
                return problem(what, "remove the field: such a randomizer has no live prediction");
            }
            let width = match &randomizer.generator {
                Generator::Table { .. } => 1,
                other => u32::from(other.width()),
            };
            if bytes > 8 || bytes * 8 < width {
                let what = format!("a state of {width} bits cannot be a field of {length}");
                return problem(what, "it has as many bytes as the state, and at most 8");
            }
        }
        LIST if !bytes.is_multiple_of(unit) || bytes > MAX_LIST => {
            let what = format!("field `{LIST}` has {length}");
            return problem(what, "it has one byte for each piece and two for each pair, at most 64");
        }
        _ => {}
    }
    None
}

/// The fields that a profile with `[piece_codes]` requires.
fn list_fields(codes: &PieceCodes) -> &'static [&'static str] {
    if codes.position.is_some() { &[LIST, POSITION] } else { &[LIST] }
}

/// What is wrong with a field of a profile with `[piece_codes]`.
fn list_problem(codes: &PieceCodes, field: &Field) -> Wrong {
    let entries = codes.entries(field.kind.bytes());
    let most = if codes.position.is_some() { MAX_STILL_LIST } else { MAX_LIST };
    if field.name == LIST && !(1..=most).contains(&entries) {
        let what = format!("field `{LIST}` has {}", counted(field.kind.bytes().into(), "byte"));
        let help = format!("it has 1 to {most} entries, `stride` bytes from one to the next");
        return problem(what, &help);
    }
    if field.name == POSITION && codes.position.is_none() {
        let help = "add [piece_codes.position], which says how it counts, or remove the field";
        return problem(format!("[piece_codes] does not use field `{POSITION}`"), help);
    }
    common_problem(codes.deals.bytes(), field)
}

/// What is wrong with a field whatever is dealt.
fn common_problem(unit: u32, field: &Field) -> Wrong {
    let bytes = field.kind.bytes();
    let length = counted(bytes.into(), "byte");
    let (is_number, is_list) = (field.kind.is_integer(), matches!(field.kind, FieldKind::Bytes { .. }));
    if !is_number && !is_list {
        let what = format!("field `{}` cannot be {}", field.name, field.kind);
        return problem(what, "use an integer type or bytes");
    }
    match field.name.as_str() {
        "current" if bytes != unit => {
            problem(format!("field `current` has {length}"), "it has one byte for a piece and two for a pair")
        }
        name @ ("deals" | POSITION) if bytes > 8 => {
            problem(format!("field `{name}` has {length}"), "it has at most 8")
        }
        _ => None,
    }
}

/// The usual generator and rule, to be changed.
const TEMPLATE: &str = r#"# How the game deals: docs/randomizers.md lists every key.
[randomizer]
deals = "pieces" # or pairs
kinds = ["I", "Z", "S", "J", "L", "O", "T"] # in the order of the game's numbers
seed = { bits = 32 }

[randomizer.generator]
kind = "linear" # or another one
width = 32
multiplier = "?"
increment = "?"

[randomizer.draw]
shift = 16
bits = 15
method = "modulo"

[randomizer.deal]
kind = "direct" # or history, bag, pools, drought-pool

# If the pieces to come are in RAM and nothing is known of how they are made, this in place of [randomizer]:
# [piece_codes]
# kinds = ["I", "Z", "S", "J", "L", "O", "T"]
# codes = [0, 1, 2, 3, 4, 5, 6] # the numbers by which RAM has them
# position = {} # for a list that does not move
"#;
