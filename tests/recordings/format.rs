//! The file format: written data is read back, and damage is reported.

use super::support::{Game, all, header, micros, profile, read, written};
use nextscope::console::{ConsoleId, Domain, Snapshot};
use nextscope::recording::{Event, Header, Recording, RecordingError, Sample, Writer};
use proptest::prelude::*;
use std::time::Duration;

fn nes() -> (Header, &'static Domain) {
    (header(&profile("tetris-nes")), ConsoleId::Nes.domain())
}

/// A part of RAM: its start and its bytes.
type Part = (usize, Vec<u8>);

fn sample(domain: &'static Domain, parts: &[Part], frame: u64, counter: u32, elapsed: u64) -> Sample {
    let parts = parts.iter().map(|(at, bytes)| (*at, bytes.clone().into_boxed_slice()));
    let snapshot = Snapshot::from_parts(domain, parts).unwrap();
    Sample { snapshot, frame, counter, elapsed: micros(elapsed) }
}

/// Separate parts in 2 KiB.
fn parts() -> impl Strategy<Value = Vec<Part>> {
    prop::collection::vec((1..60_usize, prop::collection::vec(any::<u8>(), 1..100)), 0..9).prop_map(|parts| {
        let mut last = 0;
        let place = |(gap, bytes): (usize, Vec<u8>)| {
            let at = last + gap;
            last = at + bytes.len();
            (at, bytes)
        };
        parts.into_iter().map(place).collect()
    })
}

/// Samples that mostly equal the one before, in the same parts or in others.
fn samples() -> impl Strategy<Value = Vec<Sample>> {
    let change = (any::<prop::sample::Index>(), any::<u8>());
    let step = (
        prop::option::weighted(0.1, parts()),
        prop::collection::vec(change, 0..6),
        prop_oneof![9 => 0..3_u64, 1 => 0..1_000_000_u64],
        any::<u32>(),
        prop_oneof![8 => Just(16_667_u64), 1 => 0..100_000_u64, 1 => 0..9_000_000_u64],
    );
    (parts(), prop::collection::vec(step, 0..150)).prop_map(|(mut now, steps)| {
        let domain = ConsoleId::Nes.domain();
        let (mut frame, mut elapsed) = (0, 0);
        let mut samples = Vec::new();
        for (moved, changes, frames, counter, time) in steps {
            now = moved.unwrap_or(now);
            for (index, byte) in changes {
                let places: Vec<(usize, usize)> = now
                    .iter()
                    .enumerate()
                    .flat_map(|(part, (_, bytes))| (0..bytes.len()).map(move |at| (part, at)))
                    .collect();
                if !places.is_empty() {
                    let (part, at) = places[index.index(places.len())];
                    now[part].1[at] = byte;
                }
            }
            (frame, elapsed) = (frame + frames, elapsed + time);
            samples.push(sample(domain, &now, frame, counter, elapsed));
        }
        samples
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// A snapshot that nobody has any more is reused. Those that somebody has must stay as they are.
    #[test]
    fn samples_stay_as_they_were_read(samples in samples(), kept in prop::collection::vec(0..4_usize, 1..9)) {
        let recording = read(written(&nes().0, &samples));
        let mut held: Vec<usize> = Vec::new();
        let mut read: Vec<Option<Sample>> = Vec::new();
        for (index, sample) in samples.iter().enumerate() {
            read.push(Some(recording.sample(index as u64).unwrap()));
            prop_assert_eq!(read[index].as_ref(), Some(sample));
            held.push(index);
            while held.len() > kept[index % kept.len()] {
                let dropped = held.remove(index % held.len());
                let kept = read[dropped].take();
                prop_assert_eq!(kept.as_ref(), Some(&samples[dropped]));
            }
        }
    }

    #[test]
    fn written_data_is_read_back(samples in samples(), order in prop::collection::vec(any::<prop::sample::Index>(), 20)) {
        let recording = read(written(&nes().0, &samples));
        prop_assert_eq!(recording.damage(), &[]);
        prop_assert!(recording.is_finished());
        prop_assert_eq!(recording.len(), samples.len() as u64);
        prop_assert_eq!(&all(&recording), &samples);
        prop_assert_eq!(recording.length(), samples.last().map_or(Duration::ZERO, |last| last.elapsed));
        for index in order {
            if !samples.is_empty() {
                let at = index.index(samples.len());
                prop_assert_eq!(&recording.sample(at as u64).unwrap(), &samples[at]);
                let frame = samples[at].frame;
                let first = samples.iter().position(|sample| sample.frame >= frame).map(|at| at as u64);
                prop_assert_eq!(recording.index_of_frame(frame), first);
                let last = samples.iter().rposition(|sample| sample.elapsed <= samples[at].elapsed).unwrap();
                prop_assert_eq!(recording.index_at(samples[at].elapsed), last as u64);
            }
        }
        let past = samples.len() as u64;
        prop_assert_eq!(recording.sample(past), Err(RecordingError::NoSample { index: past, samples: past }));
    }

    /// Bytes changed, removed and inserted anywhere.
    #[test]
    fn no_change_to_a_file_yields_a_wrong_sample(
        samples in samples(),
        harm in prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8, any::<u8>(), 1..200_usize), 1..4),
    ) {
        let mut bytes = written(&nes().0, &samples);
        for (index, what, byte, count) in harm {
            let at = index.index(bytes.len());
            let end = (at + count).min(bytes.len());
            match what {
                0 => bytes[at] ^= byte,
                1 => bytes[at..end].fill(byte),
                2 => drop(bytes.drain(at..end)),
                _ => drop(bytes.splice(at..at, vec![byte; count])),
            }
            if bytes.is_empty() {
                bytes.push(byte);
            }
        }
        right_or_named(&bytes, &samples);
    }
}

/// Each returned sample is one that was written, and missing ones are reported.
fn right_or_named(bytes: &[u8], samples: &[Sample]) {
    let Ok(recording) = Recording::from_bytes(bytes.to_vec(), "harmed") else { return };
    let mut given = 0;
    let mut after = 0;
    for index in 0..recording.len() {
        let Ok(sample) = recording.sample(index) else { continue };
        // They are in order.
        let at = samples[after..]
            .iter()
            .position(|written| *written == sample)
            .expect("a sample that was written");
        after += at + 1;
        given += 1;
    }
    let missing = samples.len() - given;
    let open = recording.damage().iter().any(|damage| damage.samples.is_none());
    let named: u64 = recording.damage().iter().filter_map(|damage| damage.samples).sum();
    assert!(named <= missing as u64, "{named} of {missing} reported: {:?}", recording.damage());
    assert!(
        missing == 0 || open || named == missing as u64,
        "{named} of {missing} reported: {:?}",
        recording.damage()
    );
}

/// A few samples, and a file of some kilobytes.
fn small() -> (Vec<Sample>, Vec<u8>) {
    let (mut header, domain) = nes();
    header.profile.text = "id = \"small\"".into();
    let mut bytes: Vec<u8> = (0..300_u32).map(|n| ((n * n) >> 5).to_le_bytes()[0]).collect();
    let samples: Vec<Sample> = (0..40_u64)
        .map(|n| {
            bytes[usize::try_from(n * 37 % 300).unwrap()] ^= 0x5A;
            bytes[7] = bytes[7].wrapping_add(1);
            sample(domain, &[(16, bytes.clone())], n, u32::try_from(n).unwrap(), n * 100_000)
        })
        .collect();
    let bytes = written(&header, &samples);
    (samples, bytes)
}

#[test]
fn a_file_cut_at_any_byte_retains_all_but_its_last_second() {
    let (samples, bytes) = small();
    let complete = read(bytes.clone());
    assert_eq!(all(&complete), samples);
    let mut readable = 0;
    for cut in 0..bytes.len() {
        right_or_named(&bytes[..cut], &samples);
        let Ok(recording) = Recording::from_bytes(bytes[..cut].to_vec(), "cut") else { continue };
        assert!(!recording.damage().is_empty(), "cut at {cut}: not reported");
        assert!(!recording.is_finished());
        // More bytes never give fewer samples.
        assert!(recording.len() >= readable);
        readable = recording.len();
    }
    assert_eq!(readable, samples.len() as u64, "only the end mark is missing");
}

#[test]
fn any_changed_byte_is_detected() {
    let (samples, bytes) = small();
    for at in 0..bytes.len() {
        for bits in [0x01, 0x80, 0xFF] {
            let mut harmed = bytes.clone();
            harmed[at] ^= bits;
            right_or_named(&harmed, &samples);
            if let Ok(recording) = Recording::from_bytes(harmed, "turned") {
                assert!(!recording.damage().is_empty(), "byte {at} changed: not reported");
            }
        }
    }
}

#[test]
fn a_damaged_delta_block_costs_only_itself() {
    let mut game = Game::new("menu=5");
    let samples: Vec<Sample> = (0..600).map(|_| game.sample()).collect();
    let bytes = written(&header(&profile("puyo-tsu-genesis")), &samples);
    // The third block of samples: its header begins at the fifth occurrence of the sync, after the header and
    // its copy.
    let at = memchr(&bytes, &[0x9E, b'N', b'S', b'B'], 4);
    let mut harmed = bytes;
    harmed[at + 100] ^= 1;
    let recording = read(harmed);
    let [damage] = recording.damage() else { panic!("{:?}", recording.damage()) };
    assert_eq!(damage.at, at as u64);
    assert_eq!(damage.samples, Some(600 - recording.len()));
    assert!(damage.seconds.is_some_and(|seconds| seconds < 1.1), "{damage}");
    assert!((55..65).contains(&(600 - recording.len())));
    right_or_named(&[], &samples);
    let given = all(&recording);
    assert_eq!(given.last(), samples.last());
}

/// The offset of each block.
fn blocks(bytes: &[u8]) -> Vec<usize> {
    let sync = [0x9E, b'N', b'S', b'B'];
    (0..bytes.len()).filter(|at| bytes[*at..].starts_with(&sync)).collect()
}

#[test]
fn a_complete_sample_moved_to_the_offset_of_another_is_not_taken_for_it() {
    let (header, domain) = nes();
    // Two samples a block: the first block complete, the second a difference from it, the third too different for that, the fourth a
    // difference from the third.
    let contents = [(1, 1), (1, 2), (201, 1), (201, 2)];
    let samples: Vec<Sample> = (0..8)
        .map(|n: u32| {
            let (most, one) = contents[n as usize / 2];
            let mut bytes = vec![most; 80];
            bytes[40] = one;
            sample(domain, &[(16, bytes)], n.into(), 0, u64::from(n) * 1_000_000)
        })
        .collect();
    let mut bytes = written(&header, &samples);
    let [.., first, second, third, fourth, _end] = blocks(&bytes)[..] else { panic!("fewer blocks") };
    assert_eq!(bytes[first + 4..][..1], [2], "complete");
    assert_eq!(bytes[second + 4..][..1], [3], "a difference");
    assert_eq!(bytes[third + 4..][..1], [2], "complete");
    assert_eq!(bytes[fourth + 4..][..1], [3], "a difference");
    // The first moves to where the third was, and the two between it and the fourth are lost.
    bytes.drain(second..fourth);
    bytes.splice(first..first, vec![0; third - first]);
    right_or_named(&bytes, &samples);
    assert_eq!(all(&read(bytes)), samples[..2]);
}

#[test]
fn inserted_bytes_cost_no_sample() {
    let (samples, bytes) = small();
    for at in blocks(&bytes).into_iter().skip(2) {
        let mut harmed = bytes.clone();
        harmed.splice(at..at, [7; 31]);
        right_or_named(&harmed, &samples);
        assert_eq!(all(&read(harmed)), samples, "inserted at {at}");
    }
}

fn memchr(bytes: &[u8], needle: &[u8], number: usize) -> usize {
    let places = bytes.windows(needle.len()).enumerate().filter(|(_, window)| *window == needle);
    places.map(|(at, _)| at).nth(number).expect("there are that many blocks")
}

#[test]
fn events_connections_and_annotations_are_read_back_in_their_places() {
    let (header, domain) = nes();
    let mut other = header.clone();
    other.emulator.name = "another".into();
    let at = |n: u64| sample(domain, &[(3, vec![1, 2, 3])], n, 0, n * 1000);
    let mut writer = Writer::new(Vec::new(), &header).unwrap();
    writer.sample(&at(1)).unwrap();
    writer.sample(&at(2)).unwrap();
    writer.event(&Event::Lost("it ended".into())).unwrap();
    writer.event(&Event::Attached(Box::new(other.clone()))).unwrap();
    writer.event(&Event::Profile(header.profile.clone())).unwrap();
    writer.sample(&at(3)).unwrap();
    writer.event(&Event::Note("that is all".into())).unwrap();
    writer.annotate("mismatch", b"{\"one\": 1}").unwrap();
    writer.annotate("else", b"").unwrap();
    writer.annotate("mismatch", &[0, 255]).unwrap();
    let recording = read(writer.finish().unwrap());
    assert_eq!(recording.damage(), &[]);
    let sections: Vec<(&Header, u64)> = recording.sections().iter().map(|s| (&s.header, s.first)).collect();
    assert_eq!(sections, [(&header, 0), (&other, 2)]);
    assert_eq!((0..3).map(|index| recording.section_of(index)).collect::<Vec<_>>(), [0, 0, 1]);
    let events = [
        (2, Event::Lost("it ended".into())),
        (2, Event::Profile(header.profile)),
        (3, Event::Note("that is all".into())),
    ];
    assert_eq!(recording.events(), events);
    let said: Vec<Vec<u8>> = recording.annotations("mismatch").collect();
    assert_eq!(said, [b"{\"one\": 1}".to_vec(), vec![0, 255]]);
    assert_eq!(recording.annotations("nothing").count(), 0);
}

#[test]
fn the_profile_is_read_back_unchanged() {
    for profile in nextscope::profile::Library::built_in().profiles() {
        let recording = read(written(&header(profile), &[]));
        let again = recording.header().profile.profile().unwrap();
        assert_eq!(again.digest, profile.digest);
        assert_eq!((again.fields, again.anchors), (profile.fields.clone(), profile.anchors.clone()));
    }
}

#[test]
fn other_files_and_newer_versions_are_refused_with_advice() {
    let refused = |bytes: &[u8]| Recording::from_bytes(bytes.to_vec(), "x").expect_err("no recording");
    assert_eq!(refused(b""), RecordingError::NotARecording);
    assert_eq!(refused(b"\x89NSREC\r\n"), RecordingError::NotARecording);
    assert_eq!(refused(&[0; 65536]), RecordingError::NotARecording);
    let mut newer = small().1;
    newer[8] = 2;
    assert_eq!(refused(&newer), RecordingError::Newer { found: 2, known: 1 });
    assert!(refused(&newer).to_string().contains("update nextscope"));
    let mut headless = small().1;
    headless.truncate(50);
    assert!(matches!(refused(&headless), RecordingError::NoHeader(_)));
}

#[test]
fn a_damaged_header_is_read_from_its_copy() {
    let (header, domain) = nes();
    let samples: Vec<Sample> =
        (0..70).map(|n| sample(domain, &[(0, vec![1; 9])], n, 0, n * 1_000_000)).collect();
    let mut bytes = written(&header, &samples);
    bytes[100] ^= 0xFF;
    let recording = read(bytes);
    assert_eq!(recording.header(), &header);
    assert_eq!(all(&recording), samples);
    assert_eq!(recording.damage().len(), 1);
}

#[test]
fn no_bit_of_a_short_recordings_header_costs_a_sample() {
    let (samples, bytes) = small();
    let sync = [0x9E, b'N', b'S', b'B'];
    let (first, data) = (memchr(&bytes, &sync, 0), memchr(&bytes, &sync, 2));
    for at in first..data {
        let mut harmed = bytes.clone();
        harmed[at] ^= 0x10;
        let recording = read(harmed);
        assert_eq!(all(&recording), samples, "byte {at}");
        assert_eq!(recording.damage().len(), 1, "byte {at}");
    }
}

/// A disk that is full after this many bytes.
struct Full(Vec<u8>, usize);

impl std::io::Write for Full {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let room = self.1.saturating_sub(self.0.len());
        if room == 0 {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        self.0.write(&bytes[..bytes.len().min(room)])
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn exactly_the_samples_written_before_the_disk_was_full_can_be_read() {
    let (samples, bytes) = small();
    let mut header = nes().0;
    header.profile.text = "id = \"small\"".into();
    for room in (bytes.len() / 2..bytes.len()).step_by(7) {
        let Ok(mut writer) = Writer::new(Full(Vec::new(), room), &header) else { continue };
        let failed = samples.iter().find_map(|sample| writer.sample(sample).err()).or(writer.flush().err());
        let recording = read(std::mem::take(&mut writer.to().0));
        assert_eq!(writer.written(), recording.len(), "{room} bytes: {failed:?}");
    }
}

/// Numbers in a file never cause allocations larger than the file justifies.
#[test]
fn a_hostile_file_causes_no_large_allocation_and_no_long_work() {
    let domain = ConsoleId::Nds.domain();
    let header = header(&profile("puyo-20th-nds"));
    let mut writer = Writer::new(Vec::new(), &header).unwrap();
    // Another layout of the complete RAM at every sample: a few bytes that each expand to 4 MiB.
    for n in 0..400_u64 {
        let len = domain.len as usize - usize::try_from(n % 2).unwrap();
        writer.sample(&sample(domain, &[(0, vec![0; len])], n, 0, n)).unwrap();
    }
    let recording = read(writer.finish().unwrap());
    assert_eq!(recording.damage(), &[]);
    assert!(recording.bytes() < 100_000);
    assert_eq!(recording.sample(399).unwrap().frame, 399);
}
