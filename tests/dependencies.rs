//! The dependency tree against `deny.toml`, also where cargo-deny is not installed.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::process::Command;

fn metadata() -> serde_json::Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo metadata is JSON")
}

fn rules() -> toml::Table {
    include_str!("../deny.toml").parse().expect("deny.toml is TOML")
}

/// Whether an SPDX expression is satisfied by allowed licences; `/` is the old spelling of OR.
fn satisfied(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let expression = expression.replace('/', " OR ");
    let flat = expression.replace(['(', ')'], " ");
    if expression.contains('(') && expression.contains(" AND ") {
        // (A OR B) AND C: every part that is joined by AND must hold by itself.
        return expression.split(" AND ").all(|part| satisfied(&part.replace(['(', ')'], " "), allowed));
    }
    flat.split(" OR ").any(|choice| choice.split(" AND ").all(|name| allowed.contains(name.trim())))
}

#[test]
fn every_licence_is_allowed() {
    let rules = rules();
    let allowed: BTreeSet<String> = rules["licenses"]["allow"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|name| name.as_str().expect("text").to_owned())
        .collect();
    let exceptions = rules["licenses"]["exceptions"].as_array().expect("a list").clone();
    for package in metadata()["packages"].as_array().expect("packages") {
        let (name, licence) = (&package["name"], package["license"].as_str());
        let licence = licence.unwrap_or_else(|| panic!("{name} states no licence"));
        let excepted = exceptions.iter().any(|exception| {
            exception["crate"].as_str() == name.as_str()
                && exception["allow"]
                    .as_array()
                    .is_some_and(|list| list.iter().any(|l| l.as_str() == Some(licence)))
        });
        assert!(excepted || satisfied(licence, &allowed), "{name}: {licence}");
    }
}

#[test]
fn nothing_banned_and_nothing_from_outside_the_registry() {
    let rules = rules();
    let banned: BTreeSet<&str> = rules["bans"]["deny"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|entry| entry["crate"].as_str().expect("a name"))
        .collect();
    for package in metadata()["packages"].as_array().expect("packages") {
        let name = package["name"].as_str().expect("a name");
        assert!(!banned.contains(name), "{name} is banned");
        if let Some(source) = package["source"].as_str() {
            assert!(source.starts_with("registry+"), "{name} comes from {source}");
        }
    }
}
