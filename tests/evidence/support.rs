//! A session over samples that a test makes, with evidence and a recording of all of it.

use nextscope::console::{Snapshot, StorageOrder};
use nextscope::emulator::{DetectionEvidence, DetectionMethod, EmulatorInfo};
use nextscope::live::{EvidenceFolder, Mismatch, SampleContext, Totals, Tracker};
use nextscope::process::Pid;
use nextscope::profile::Profile;
use nextscope::recording::{Header, ProfileText, Sample, Writer};
use std::path::Path;
use std::time::Duration;

/// The time limit for the first file: it is judged again before it is written, and some seconds of samples
/// must follow first.
const AFTER: Duration = Duration::from_secs(30);

/// A connection to an emulator whose name needs escaping.
pub fn header(profile: &Profile) -> Header {
    Header {
        nextscope: env!("CARGO_PKG_VERSION").into(),
        started: 1_795_329_536,
        emulator: EmulatorInfo {
            name: "<b>Emulator</b> | 1".into(),
            build_id: Some("00ff".into()),
            ..EmulatorInfo::default()
        },
        pid: Pid(4711),
        found_by: DetectionMethod::ExportedSymbol,
        evidence: DetectionEvidence { anchors: vec!["pools".into()], liveness: "vint_counter".into() },
        ram: "somewhere".into(),
        console: profile.console,
        order: StorageOrder::AsOnBus,
        profile: ProfileText::of(profile),
    }
}

/// The sampler's state between two connections: a tracker, evidence, a recording. Long work is awaited.
pub struct Session {
    profile: Profile,
    tracker: Tracker,
    evidence: EvidenceFolder,
    writer: Writer<Vec<u8>>,
    totals: Totals,
    pub found: Vec<Mismatch>,
}

impl Session {
    pub fn new(profile: &Profile, root: &Path) -> Self {
        let mut evidence = EvidenceFolder::new(root.to_owned());
        evidence.attached(header(profile));
        let mut tracker = Tracker::new(profile.game);
        tracker.set_synchronous();
        Self {
            profile: profile.clone(),
            tracker,
            evidence,
            writer: Writer::new(Vec::new(), &header(profile)).unwrap(),
            totals: Totals::default(),
            found: Vec::new(),
        }
    }

    pub fn sample(&mut self, snapshot: &Snapshot, frame: u64) {
        let elapsed = Duration::from_micros(frame * 16_689);
        let counter = u32::try_from(frame % 256).unwrap();
        let sample = Sample { snapshot: snapshot.clone(), frame, counter, elapsed };
        self.writer.sample(&sample).unwrap();
        let context = SampleContext { snapshot, profile: &self.profile, frame };
        let nextscope::live::Update { mismatches: mut now, .. } =
            self.tracker.update(&context, &mut self.totals);
        self.evidence.sample(&sample, self.totals.rounds);
        while self.tracker.search_progress().is_some() {
            now.extend(self.tracker.poll_background(frame, &mut self.totals).into_iter().flatten());
        }
        now.iter_mut().for_each(|mismatch| self.evidence.save(mismatch));
        self.found.extend(now);
    }

    /// The results and the recording. Evidence is complete by then; the end of a session aborts long work, so
    /// that the first file is awaited.
    pub fn end(self) -> (Vec<Mismatch>, Vec<u8>) {
        if let Some(first) = self.found.iter().find_map(|mismatch| mismatch.evidence.as_ref()) {
            // It never comes where the session ends before enough samples have followed: then it is written
            // at the end.
            crate::waiting::within(AFTER, || first.exists().then_some(()));
        }
        (self.found, self.writer.finish().unwrap())
    }
}
