//! Reads the fields of a profile from a snapshot.

use crate::profile::{FieldError, Profile};
use nextscope_memory::console::Snapshot;

/// Why the fields of a profile cannot be read from a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ObserveError {
    /// The profile lacks a field that the model requires.
    #[error("profile {profile} lacks the field {field}, which the model requires")]
    NoField {
        /// The profile.
        profile: String,
        /// The field.
        field: String,
    },
    /// A field is outside of the snapshot, or the pointer to it is invalid.
    #[error("field {field}: {error}")]
    Outside {
        /// The field.
        field: String,
        /// The cause.
        error: FieldError,
    },
}

/// Reads fields by name.
pub(crate) struct Reader<'a> {
    pub snapshot: &'a Snapshot,
    pub profile: &'a Profile,
}

impl Reader<'_> {
    /// The first bytes of a field.
    pub fn array<const N: usize>(&self, field: &str) -> Result<[u8; N], ObserveError> {
        self.known(field)?
            .ok_or_else(|| ObserveError::NoField { profile: self.profile.id.clone(), field: field.into() })
    }

    /// Reads an optional field; None when the profile lacks it.
    pub fn known<const N: usize>(&self, field: &str) -> Result<Option<[u8; N]>, ObserveError> {
        let Some(at) = self.profile.field(field) else { return Ok(None) };
        let outside = |error| ObserveError::Outside { field: field.into(), error };
        let bytes = at.bytes(self.snapshot).map_err(outside)?;
        let mut array = [0; N];
        for (to, from) in array.iter_mut().zip(bytes) {
            *to = *from;
        }
        Ok(Some(array))
    }

    pub fn byte(&self, field: &str) -> Result<u8, ObserveError> {
        self.array(field).map(|[byte]| byte)
    }
}
