//! RAM as an emulator keeps it, looked at frame by frame through a profile, as a session looks at it.

#[path = "../noise/mod.rs"]
mod noise;

use super::{Recorded, record};
use nextscope::console::{ConsoleAddr, Domain, Endian, Ram, Snapshot, StorageOrder};
use nextscope::emulator::matching_anchors;
use nextscope::live::{CheckId, Mismatch, Observation, Prediction, SampleContext, Status, Totals, Tracker};
use nextscope::process::HostAddr;
use nextscope::process::{ByteArray, Memory};
use nextscope::profile::Profile;
pub use noise::noise;
use std::sync::Arc;

pub const BASE: HostAddr = HostAddr(0x7F00_0000_1000);

/// A board's RAM as an emulator keeps it, looked at through a profile.
pub struct Board {
    pub profile: Profile,
    pub order: StorageOrder,
    /// In bus order.
    pub ram: Vec<u8>,
    pub frame: u64,
    pub tracker: Tracker,
    pub totals: Totals,
    pub mismatches: Vec<Mismatch>,
    pub observation: Option<Observation>,
    pub forecast: Option<Prediction>,
    /// The game waits after each look until everything is known that takes longer.
    pub patient: bool,
    /// Frames pass, and nobody looks.
    pub blind: bool,
    /// The clock of a game that has one.
    pub timer: u32,
    pub recorded: Recorded,
}

impl Board {
    pub fn new(profile: Profile, order: StorageOrder) -> Self {
        let domain = profile.console.domain();
        assert!(domain.orders.contains(&order));
        Self {
            ram: vec![0; domain.len as usize],
            tracker: Tracker::new(profile.game),
            profile,
            order,
            frame: 0,
            totals: Totals::default(),
            mismatches: Vec::new(),
            observation: None,
            forecast: None,
            patient: true,
            blind: false,
            timer: 0,
            recorded: None,
        }
    }

    pub fn domain(&self) -> &'static Domain {
        self.profile.console.domain()
    }

    pub fn ram_stored_in(&self, order: StorageOrder) -> Ram {
        let mut bytes = self.ram.clone();
        self.order.reorder(&mut bytes);
        let memory: Arc<dyn Memory + Send + Sync> = Arc::new(ByteArray { base: BASE, bytes });
        Ram { memory, domain: self.domain(), base: BASE, order }
    }

    /// A sample of the RAM, stored in that order.
    pub fn snapshot(&self, order: StorageOrder) -> Snapshot {
        self.ram_stored_in(order).sample(&self.profile.plan()).expect("the RAM is there")
    }

    pub fn put(&mut self, field: &str, value: u32) {
        let Some(field) = self.profile.field(field) else { return };
        let (address, len) = (field.address, field.len());
        let mut bytes = value.to_be_bytes()[4 - len.min(4)..].to_vec();
        if self.domain().endian == Endian::Little {
            bytes.reverse();
        }
        self.put_bytes(address, &bytes);
    }

    pub fn put_bytes(&mut self, address: ConsoleAddr, bytes: &[u8]) {
        let span = self.domain().span(address, bytes.len()).expect("inside the RAM");
        self.ram[span].copy_from_slice(bytes);
    }

    /// A counter of frames and some noise move.
    pub fn stir(&mut self) {
        self.ram[0x20..0x22].copy_from_slice(&u16::try_from(self.frame & 0x1FF).unwrap().to_be_bytes());
        self.ram[0x24] = self.ram[0x24].wrapping_mul(5).wrapping_add(77);
    }

    /// One frame passes.
    pub fn look(&mut self) {
        // Pieces of these tests last for 7 samples. With less than 4 frames each they would be faster than any game, and a tracker
        // could not know that it missed one.
        self.timer += 4;
        self.put("timer", self.timer);
        if self.blind {
            return;
        }
        self.frame += 1;
        let snapshot = self.snapshot(self.order);
        record(&mut self.recorded, &snapshot, self.frame);
        let look = SampleContext { snapshot: &snapshot, profile: &self.profile, frame: self.frame };
        let nextscope::live::Update { observation, prediction: forecast, mismatches: found } =
            self.tracker.update(&look, &mut self.totals);
        self.observation = Some(observation.expect("the fields are there"));
        self.forecast = forecast;
        self.mismatches.extend(found);
        if self.patient {
            self.settle();
        }
    }

    /// Waits for what takes longer than a look, as a sampler does between two of them.
    pub fn settle(&mut self) {
        crate::waiting::eventually("the search ends", || {
            if let Some(found) = self.tracker.poll_background(self.frame, &mut self.totals) {
                self.mismatches.extend(found);
                self.forecast = self.tracker.prediction();
            }
            self.tracker.search_progress().is_none()
        });
    }

    pub fn looks(&mut self, count: usize) {
        (0..count).for_each(|_| self.look());
    }

    pub fn matches(&self, order: StorageOrder) -> bool {
        !matching_anchors(&self.snapshot(order), &self.profile).is_empty()
    }

    pub fn status(&self, id: CheckId) -> Status {
        self.tracker.verdict().status(id)
    }
}
