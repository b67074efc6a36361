//! Opening of memory, and watches of what was found in it.

use super::DumpOf;
use crate::console::Endian;
use crate::file::{DUMP_LIMIT, read_regular};
use crate::recording::is_recording;
use crate::research::watch::Watch;
use crate::research::{Address, Dump, Kind, MemorySource, RngHit, SourceError, StepOutcome, ValueType};
use std::path::PathBuf;

/// Whether a search can continue on the other source.
pub fn same_domain(old: &MemorySource, new: &MemorySource) -> bool {
    let lives = |memory: &MemorySource| memory.dump_number().is_none();
    match (old.domain(), new.domain()) {
        (Some(old_domain), Some(new_domain)) => {
            lives(old) == lives(new) && std::ptr::eq(old_domain, new_domain)
        }
        (None, None) => !lives(old) && !lives(new),
        _ => false,
    }
}

pub fn dumps(paths: &[PathBuf], of: &DumpOf) -> Result<MemorySource, SourceError> {
    let mut dumps = Vec::new();
    for path in paths {
        let wrong = |what: String| SourceError::Invalid(format!("{}: {what}", path.display()));
        if is_recording(path) {
            let what = "this is a recording: open it from the File menu and search the console's RAM";
            return Err(wrong(what.into()));
        }
        let bytes = read_regular(path, DUMP_LIMIT).map_err(|error| wrong(error.to_string()))?;
        let dump = Dump::open(bytes, of.console, of.swapped, &of.profiles);
        dumps.push(dump.map_err(|error| wrong(error.to_string()))?);
    }
    MemorySource::dumps(dumps)
}

/// A watch for each result.
pub fn watches(result: &StepOutcome) -> Vec<Watch> {
    let of = |address: Address, kind: Kind, order, label: &str| {
        let ty = ValueType::new(kind, order).ok()?;
        Some(Watch { label: label.to_owned(), ..Watch::new(address, ty) })
    };
    let byte = |address: Address, label: &str| of(address, Kind::U8, Endian::Big, label);
    match result {
        StepOutcome::Pools(found) => found.iter().filter_map(|pool| byte(pool.address, "pool")).collect(),
        StepOutcome::Sequences(found) => {
            found.iter().filter_map(|hit| byte(hit.address, "sequence")).collect()
        }
        StepOutcome::Boards(found) => found.iter().filter_map(|hit| byte(hit.address, "board")).collect(),
        StepOutcome::Generators(found) => {
            let watch = |hit: &RngHit| {
                let kind = if hit.recurrence.bits() == 16 { Kind::U16 } else { Kind::U32 };
                of(hit.address, kind, hit.order, "generator")
            };
            found.iter().filter_map(watch).collect()
        }
        _ => Vec::new(),
    }
}
