//! Recordings of earlier versions stay readable: `v1.nsrec` was written by the first version of the format,
//! and `v1.json` describes its contents.

use nextscope::recording::{Recording, Sample};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::path::PathBuf;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/recordings").join(name)
}

/// All data of a sample, as a hash.
fn hash(sample: &Sample) -> String {
    let mut hash = Sha256::new();
    for (offset, bytes) in sample.snapshot.parts() {
        hash.update((offset as u64).to_le_bytes());
        hash.update(bytes);
    }
    hash.update(sample.frame.to_le_bytes());
    hash.update(sample.counter.to_le_bytes());
    hash.update(sample.elapsed.as_micros().to_le_bytes());
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn contents(recording: &Recording) -> Value {
    let samples: Vec<String> =
        (0..recording.len()).map(|index| hash(&recording.sample(index).unwrap())).collect();
    let annotations: Vec<Vec<u8>> = recording.annotations("of the test").collect();
    json!({
        "version": recording.version(),
        "length_us": u64::try_from(recording.length().as_micros()).unwrap(),
        "headers": recording.sections().iter().map(|section| json!(section.header)).collect::<Vec<_>>(),
        "first": recording.sections().iter().map(|section| section.first).collect::<Vec<_>>(),
        "events": recording.events().iter().map(|(at, event)| json!([at, event])).collect::<Vec<_>>(),
        "annotations": annotations,
        "samples": samples,
    })
}

#[test]
fn version_1_is_read_byte_for_byte() {
    let recording = Recording::open(&file("v1.nsrec")).unwrap();
    assert_eq!(recording.damage(), &[]);
    assert!(recording.is_finished());
    let expected: Value = serde_json::from_slice(&std::fs::read(file("v1.json")).unwrap()).unwrap();
    let read = contents(&recording);
    for key in ["version", "length_us", "headers", "first", "events", "annotations"] {
        assert_eq!(read[key], expected[key], "{key}");
    }
    let hashes = |value: &Value| value["samples"].as_array().unwrap().clone();
    assert_eq!(hashes(&read).len(), 450);
    for (number, (read, expected)) in hashes(&read).iter().zip(&hashes(&expected)).enumerate() {
        assert_eq!(read, expected, "sample {number}");
    }
}
