//! Checks the layers of the project, and the dependency tree against `deny.toml`, also where cargo-deny is not installed.

#![allow(clippy::expect_used, clippy::unwrap_used)]

#[path = "dependencies/layers.rs"]
mod layers;
#[path = "../packaging/licences.rs"]
mod licences;

use clap::CommandFactory;
use std::collections::BTreeSet;
use std::process::Command;

fn metadata() -> serde_json::Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
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
        // (A OR B) AND C: every part that is joined by AND must be satisfied.
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
        let licence = licence.unwrap_or_else(|| panic!("{name} declares no licence"));
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
fn no_banned_dependencies_and_none_from_outside_the_registry() {
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

#[test]
fn every_linked_package_has_its_licence_texts_in_the_release() {
    for (platform, own) in [(licences::LINUX, "nix"), (licences::WINDOWS, "windows-sys")] {
        licences_of(platform, own);
    }
}

fn licences_of(platform: &str, own: &str) {
    let packages = licences::packages(platform).expect("cargo metadata succeeds");
    let bare: Vec<&str> = packages
        .iter()
        .filter(|package| package.texts.is_empty())
        .map(|package| package.name.as_str())
        .collect();
    assert!(bare.is_empty(), "no licence text for {bare:?} on {platform}");
    let names: BTreeSet<&str> =
        packages.iter().filter_map(|package| package.name.split_once(' ')).map(|(name, _)| name).collect();
    for (name, linked) in [("eframe", true), (own, true), ("proptest", false), ("clap_mangen", false)] {
        assert_eq!(names.contains(name), linked, "{name}");
    }
    let rendered = licences::as_text(&packages);
    for package in &packages {
        assert!(
            rendered.contains(&format!("- {}: {}", package.name, package.expression)),
            "{}",
            package.name
        );
        for (file, text) in &package.texts {
            // The shortest one is the line `MIT OR Apache-2.0`, besides the two licences it names.
            assert!(text.trim().len() > 10 && rendered.contains(text.trim()), "{}, {file}", package.name);
        }
    }
    // The fonts have licences of their own.
    let fonts =
        packages.iter().find(|package| package.name.starts_with("epaint_default_fonts")).expect("fonts");
    assert!(fonts.texts.iter().any(|(_, text)| text.contains("SIL OPEN FONT LICENSE")));
    assert!(fonts.texts.iter().any(|(_, text)| text.contains("UBUNTU FONT LICENCE")));
    assert!(fonts.texts.iter().any(|(_, text)| text.contains("Apache License")));
}

/// The names of all commands in the help, such as `nextscope profile check`.
fn commands(command: &clap::Command, before: &str, names: &mut Vec<String>) {
    let name = format!("{before}{}", command.get_name());
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        commands(below, &format!("{name}-"), names);
    }
    names.push(name);
}

#[test]
fn every_command_has_a_man_page_and_completions() {
    let folder = tempfile::tempdir().expect("a folder");
    clap_mangen::generate_to(nextscope::cli::Cli::command(), folder.path()).expect("pages");
    let mut names = Vec::new();
    commands(&nextscope::cli::Cli::command(), "", &mut names);
    assert!(names.len() > 20, "{names:?}");
    for name in &names {
        let page = std::fs::read_to_string(folder.path().join(format!("{name}.1"))).expect(name);
        assert!(page.contains(".SH SYNOPSIS") && page.contains(".SH DESCRIPTION"), "{name}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("pages").count(), names.len(), "and no others");
    let mut script = Vec::new();
    let bash = clap_complete::Shell::Bash;
    clap_complete::generate(bash, &mut nextscope::cli::Cli::command(), "nextscope", &mut script);
    let script = String::from_utf8(script).expect("text");
    for name in names.iter().filter(|name| name.matches('-').count() == 1) {
        let word = name.trim_start_matches("nextscope-");
        assert!(script.contains(&format!("nextscope,{word})")), "{word}");
    }
}

#[test]
fn the_desktop_entry_names_installed_files() {
    let entry = include_str!("../packaging/nextscope.desktop");
    let app = nextscope::gui::APP_ID;
    for line in ["Type=Application", "Exec=nextscope", "Exec=nextscope demo"] {
        assert!(entry.lines().any(|other| other == line), "{line}");
    }
    // The window sets this name, by which desktops find the entry and the icon.
    assert!(entry.contains(&format!("Icon={app}\n")) && entry.contains(&format!("StartupWMClass={app}\n")));
}
