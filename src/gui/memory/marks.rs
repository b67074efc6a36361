//! Maps bytes of the memory panel to profile fields and watches.

use crate::console::{Domain, Snapshot};
use crate::gui::watches::{WatchMark, span};
use crate::profile::{Field, Profile};
use std::ops::Range;
use std::sync::Arc;

/// The fields of a profile as offsets and names, longer ones before the shorter ones inside them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldSpans(Arc<[(Range<usize>, String)]>);

impl FieldSpans {
    /// The index of the shortest field that contains a byte.
    fn number_at(&self, offset: usize) -> Option<usize> {
        let end = self.0.partition_point(|(span, _)| span.start <= offset);
        self.0[..end].iter().rposition(|(span, _)| span.contains(&offset))
    }

    /// The name of the shortest field that contains a byte, and the distance from the field's start.
    pub fn name_at(&self, offset: usize) -> Option<(&str, usize)> {
        let (span, name) = self.0.get(self.number_at(offset)?)?;
        Some((name, offset - span.start))
    }
}

#[derive(Debug, Default)]
pub struct Marks {
    pub profile: Option<Arc<Profile>>,
    fields: FieldSpans,
    domain: &'static str,
    watched: Arc<[WatchMark]>,
    /// Watches, likewise.
    watches: Vec<(Range<usize>, usize)>,
}

impl Marks {
    /// Sets the profile; true if the game changed.
    pub fn update(&mut self, profile: Option<&Arc<Profile>>, snapshot: &Snapshot) -> bool {
        let same = match (&self.profile, profile) {
            (Some(old), Some(new)) => Arc::ptr_eq(old, new),
            (None, None) => true,
            _ => false,
        };
        let domain = snapshot.domain();
        let fields = profile.map(|profile| profile.fields_by_address()).unwrap_or_default();
        let place = |field: &&Field| {
            let at = field.address_in(snapshot).ok()?;
            Some((domain.span(at, field.len())?, field.name.clone()))
        };
        if same && self.domain == domain.name && !fields.iter().any(|field| field.through.is_some()) {
            return false;
        }
        let id = |profile: Option<&Arc<Profile>>| profile.map(|profile| profile.id.clone());
        let other = id(self.profile.as_ref()) != id(profile);
        // Fields behind a pointer may move at any time.
        let mut fields: Vec<_> = fields.iter().filter_map(place).collect();
        fields.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
        (self.profile, self.fields) = (profile.cloned(), FieldSpans(fields.into()));
        if self.domain != domain.name {
            self.domain = domain.name;
            self.place_watches(domain);
        }
        other
    }

    /// The index of the shortest field that contains a byte.
    pub fn number_at(&self, offset: usize) -> Option<usize> {
        self.fields.number_at(offset)
    }

    pub fn spans(&self) -> &FieldSpans {
        &self.fields
    }

    pub fn field_at(&self, offset: usize) -> Option<&Field> {
        let (name, _) = self.fields.name_at(offset)?;
        self.profile.as_ref()?.field(name)
    }

    /// The name of the field that contains a byte, with the distance from its start: "p1_queue + 3".
    pub fn name_at(&self, offset: usize) -> Option<String> {
        Some(match self.fields.name_at(offset)? {
            (name, 0) => name.to_owned(),
            (name, within) => format!("{name} + {within}"),
        })
    }

    /// Sets the watch list.
    pub fn watch(&mut self, watched: &Arc<[WatchMark]>, domain: &Domain) {
        if !Arc::ptr_eq(&self.watched, watched) {
            self.watched = Arc::clone(watched);
            self.place_watches(domain);
        }
    }

    fn place_watches(&mut self, domain: &Domain) {
        let place =
            |(number, mark): (usize, &WatchMark)| Some((span(domain, mark.address, mark.len)?, number));
        let mut watches: Vec<_> = self.watched.iter().enumerate().filter_map(place).collect();
        watches.sort_by_key(|(span, _)| (span.start, std::cmp::Reverse(span.end)));
        self.watches = watches;
    }

    /// The shortest watch that contains a byte.
    pub fn watch_at(&self, offset: usize) -> Option<&WatchMark> {
        let end = self.watches.partition_point(|(span, _)| span.start <= offset);
        let at = self.watches[..end].iter().rposition(|(span, _)| span.contains(&offset))?;
        self.watched.get(self.watches[at].1)
    }
}
