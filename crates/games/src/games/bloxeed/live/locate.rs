//! What `profile locate` reports: seed and state of the pieces, the main generator, and the address of the current piece.

use crate::games::bloxeed::live::{Observation, Prediction};
use crate::games::{LocateReport, LocateRules, located_field};
use crate::json::value;
use crate::live;
use crate::profile::{FieldKind, NewField};

pub(crate) const LOCATE: LocateRules = LocateRules {
    report,
    nothing_found: "No generator states found. A game must be in progress, and a dump must contain the full RAM. The first game after clearing the battery RAM works best",
};

fn report(sample: Option<(&live::Observation, &live::Prediction)>) -> LocateReport {
    let sample: Option<(&Observation, &Prediction)> =
        sample.and_then(|(observation, prediction)| observation.get().zip(prediction.get()));
    let (observation, prediction) = sample.unzip();
    let found = observation.and_then(|seen| seen.found);
    let values = observation.and_then(|seen| seen.values);
    let piece = observation.and_then(|seen| seen.piece);
    let piece_seed = found.map(|found| found.seed.to_string());
    let piece_state = found.map(|found| found.state.to_string());
    let rng_state = found.and_then(|found| found.main).map(|at| at.to_string());
    let piece_at = piece.map(|piece| piece.address.to_string());
    let behind = piece.map(|piece| piece.behind);
    let seed = values.map(|values| values.seed.to_string());
    let state = values.map(|values| values.state.to_string());
    let main = values.and_then(|values| values.main).map(|main| main.to_string());
    LocateReport {
        found: sample.is_some(),
        complete: values.is_some_and(|values| values.piece.is_some()),
        fields: observation.map_or_else(Vec::new, fields),
        json: vec![
            ("piece_seed", value(&piece_seed)),
            ("piece_state", value(&piece_state)),
            ("rng_state", value(&rng_state)),
            ("piece", value(&piece_at)),
            ("piece_behind", value(&behind)),
            ("seed", value(&seed)),
            ("state", value(&state)),
            ("main", value(&main)),
            ("pieces_dealt", value(&prediction.and_then(|prediction| prediction.dealt))),
            ("table", value(&prediction.map(|prediction| prediction.table.id()))),
            ("table_certain", prediction.is_some_and(|prediction| prediction.decided).into()),
        ],
        rows: vec![
            ("piece_seed", piece_seed, seed),
            ("piece_state", piece_state, state),
            ("rng_state", rng_state, main),
            (if behind == Some(1) { "current_piece" } else { "drawn_piece" }, piece_at, None),
        ],
        lines: sample.map_or_else(Vec::new, |(observation, prediction)| {
            prediction.text(observation).into_iter().take(4).collect()
        }),
    }
}

fn fields(observation: &Observation) -> Vec<NewField> {
    let Some(found) = observation.found else { return Vec::new() };
    let long = |name, address, note: &str| located_field(name, address, FieldKind::U32, note);
    let mut fields = vec![
        long("piece_seed", found.seed, "the seed of the game's pieces"),
        long("piece_state", found.state, "as many calls after the seed as pieces were dealt"),
    ];
    if let Some(main) = found.main {
        fields.push(long("rng_state", main, "one call of it returned the seed"));
    }
    if let Some(piece) = observation.piece {
        let (name, note) = match piece.behind {
            0 => ("drawn_piece", "contained the code of every piece when it was drawn"),
            _ => ("current_piece", "contained the code of the piece before the last one"),
        };
        fields.push(located_field(name, piece.address, FieldKind::U8, note));
    }
    fields
}
