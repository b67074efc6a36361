//! A game of which only the list of the pieces to come is known.

use super::{Case, Samples, replaced};
use nextscope::console::{ConsoleId, Snapshot, StorageOrder};
use nextscope::games::piece::Dealer;
use nextscope::games::tgm::tgm2::Tgm2;
use nextscope::live::CheckId;

const CURRENT: usize = 0x60;
const LIST: usize = 0x80;
const LENGTH: usize = 6;
/// The list once more, where the fault is not.
const COPY: usize = 0x1C0;
const PIECES: usize = 25;
/// Samples of each piece.
const EACH: u64 = 12;

const PROFILE: &str = r#"id = "listed"
name = "A list"
console = "nes"
status = "learned"

[[anchors]]
kind = "bytes"
address = 0x700
hex = "4C 49 53 54 45 44 20 50 49 45 43 45 53"

[[liveness]]
field = "frame_counter"
per_frame = 1

[fields]
frame_counter = { address = 0x10, type = "u8", source = "test" }
current = { address = 0x60, type = "u8", source = "test" }
next = { address = 0x80, type = "bytes", length = 6, source = "test" }

[piece_codes]
kinds = ["I", "Z", "S", "J", "L", "O", "T"]
codes = [1, 2, 3, 4, 5, 6, 7]
"#;

fn played() -> (String, Samples) {
    let pieces = Tgm2::new(11).deal_many(PIECES + LENGTH);
    let code = |piece: &nextscope::games::piece::Piece| {
        1 + u8::try_from("IZSJLOT".find(piece.letter()).unwrap()).unwrap()
    };
    let codes: Vec<u8> = pieces.iter().map(code).collect();
    let mut ram = vec![0_u8; 0x800];
    ram[0x700..0x70D].copy_from_slice(b"LISTED PIECES");
    let sample = |frame: u64| {
        let at = usize::try_from(frame / EACH).unwrap();
        ram[0x10] = frame.to_le_bytes()[0];
        ram[CURRENT] = codes[at];
        for list in [LIST, COPY] {
            ram[list..list + LENGTH].copy_from_slice(&codes[at + 1..=at + LENGTH]);
        }
        let snapshot = Snapshot::from_stored(ConsoleId::Nes.domain(), StorageOrder::AsOnBus, ram.clone());
        (snapshot.unwrap(), frame)
    };
    (PROFILE.to_owned(), (0..EACH * PIECES as u64).map(sample).collect())
}

pub(super) fn case() -> Case {
    Case {
        name: "a list of the pieces to come",
        played,
        place: LIST..LIST + LENGTH,
        change: 9,
        spoil: |bytes| bytes[2] = bytes[2] % 7 + 1,
        copy: Some(COPY),
        check: CheckId::DECLARED_LIST,
        field: "next",
        index: None,
        drawn: "Declared list",
        corrected: |text| replaced(text, "address = 0x80", "address = 0x1C0"),
        corrected_says: "Mismatch not reproduced",
    }
}
