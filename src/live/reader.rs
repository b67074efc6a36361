//! The fields of a profile, read out of a snapshot.

use crate::console::Snapshot;
use crate::profile::{FieldError, Profile};

/// Why a snapshot cannot be read through a profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ObserveError {
    /// The model needs a field that the profile does not have.
    #[error("profile {profile} has no field {field}; add it, the model needs it")]
    NoField {
        /// The profile.
        profile: String,
        /// The field.
        field: String,
    },
    /// A field is not in the RAM that was read, or the pointer to it leads nowhere.
    #[error("field {field}: {error}")]
    Outside {
        /// The field.
        field: String,
        /// What is wrong.
        error: FieldError,
    },
}

/// Reads fields by the names that the model gives them.
pub(super) struct Reader<'a> {
    pub snapshot: &'a Snapshot,
    pub profile: &'a Profile,
}

impl Reader<'_> {
    /// The first bytes of a field.
    pub fn array<const N: usize>(&self, field: &str) -> Result<[u8; N], ObserveError> {
        let at = self
            .profile
            .field(field)
            .ok_or_else(|| ObserveError::NoField { profile: self.profile.id.clone(), field: field.into() })?;
        let outside = |error| ObserveError::Outside { field: field.into(), error };
        let bytes = at.bytes(self.snapshot).map_err(outside)?;
        let mut array = [0; N];
        for (to, from) in array.iter_mut().zip(bytes) {
            *to = *from;
        }
        Ok(array)
    }

    /// The same for a field that the model can do without; None when the profile does not have it.
    pub fn known<const N: usize>(&self, field: &str) -> Result<Option<[u8; N]>, ObserveError> {
        self.profile.field(field).map(|_| self.array(field)).transpose()
    }

    pub fn byte(&self, field: &str) -> Result<u8, ObserveError> {
        self.array(field).map(|[byte]| byte)
    }
}
