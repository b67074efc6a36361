//! The deals in RAM: the fields that randomizers and lists have alike.

use crate::games::declared::Kinds;
use crate::live::ObserveError;
use crate::profile::{FieldKind, Profile};
use nextscope_memory::console::{Endian, Snapshot};

/// The bytes of a field, and how they are read.
type Bytes<'a> = (&'a [u8], FieldKind);

/// The fields of a profile in a snapshot.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    pub snapshot: &'a Snapshot,
    pub profile: &'a Profile,
}

impl<'a> Fields<'a> {
    /// None when the profile does not have the field.
    pub fn bytes(self, name: &str) -> Result<Option<Bytes<'a>>, ObserveError> {
        let Some(field) = self.profile.field(name) else { return Ok(None) };
        let bytes = field.bytes(self.snapshot);
        let bytes = bytes.map_err(|error| ObserveError::Outside { field: name.into(), error })?;
        Ok(Some((bytes, field.kind)))
    }

    pub fn missing(self, name: &str) -> ObserveError {
        ObserveError::NoField { profile: self.profile.id.clone(), field: name.into() }
    }

    pub fn number(self, (bytes, kind): Bytes<'_>) -> u64 {
        let is_list = matches!(kind, FieldKind::Bytes { .. });
        let order = if is_list { Endian::Big } else { self.profile.console.domain().endian };
        order.number(bytes)
    }

    /// How many were dealt.
    pub fn deals(self) -> Result<Option<Count>, ObserveError> {
        Ok(self.bytes("deals")?.map(|field| Count {
            number: self.number(field),
            last: u64::MAX >> (64 - 8 * field.1.bytes().clamp(1, 8)),
        }))
    }
}

/// The deals that these bytes store, `distance` bytes apart. None for a code that means nothing.
pub(super) fn deals_in(bytes: &[u8], kinds: &Kinds, distance: usize) -> Vec<Option<u8>> {
    let unit = kinds.deals().bytes() as usize;
    let starts = (0..bytes.len()).step_by(distance.max(1));
    starts.map_while(|start| bytes.get(start..start + unit)).map(|deal| kinds.deal(deal)).collect()
}

/// A count of the deals in RAM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::games::declared) struct Count {
    pub number: u64,
    /// The number after which 0 comes again.
    pub last: u64,
}

impl Count {
    /// How far it went since an earlier number.
    pub fn since(self, before: u64) -> u64 {
        let modulus = u128::from(self.last) + 1;
        let passed = u128::from(self.number) + modulus - u128::from(before) % modulus;
        u64::try_from(passed % modulus).unwrap_or(self.last)
    }
}
