//! The licences of everything that is linked into the program: `make.rs` writes them into every package,
//! `tests/dependencies.rs` checks that none is missing.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Lower-case prefixes of the names of files with licences and notices.
const BEGINNINGS: [&str; 9] =
    ["license", "licence", "copying", "notice", "unlicense", "copyright", "ofl", "ufl", "patents"];
/// The licence of the clipboard on Windows, as published.
const BOOST: &str = include_str!("LICENSE-BOOST");
/// Our own copy of the licence that most packages use.
const APACHE: &str = include_str!("../LICENSE-APACHE");
/// And of the other one, without the copyright line.
const MIT: &str = include_str!("../LICENSE-MIT");

/// A package that is linked into the program.
pub struct Package {
    /// Its name and version.
    pub name: String,
    /// What it says of its licence (SPDX).
    pub expression: String,
    /// Where it comes from.
    pub home: String,
    /// The texts of its licences and notices, each with the name of its file.
    pub texts: Vec<(String, String)>,
}

/// The platforms of packages.
pub const LINUX: &str = "x86_64-unknown-linux-gnu";
pub const WINDOWS: &str = "x86_64-pc-windows-gnu";

/// Everything that is linked into the program on a platform, by name, without build and test dependencies.
///
/// # Errors
/// When cargo fails.
pub fn packages(platform: &str) -> Result<Vec<Package>, String> {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", platform])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .map_err(|error| format!("cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())?;
    let linked = linked(&metadata);
    let all = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let own = |package: &Value| package["source"].is_null();
    let foreign = all
        .iter()
        .filter(|package| package["id"].as_str().is_some_and(|id| !own(package) && linked.contains(id)));
    let mut packages: Vec<Package> = foreign.map(package).collect::<Result<_, _>>()?;
    packages.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(packages)
}

/// The ids of the packages that the program's own code reaches by ordinary dependencies.
fn linked(metadata: &Value) -> BTreeSet<&str> {
    let nodes = metadata["resolve"]["nodes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let by_id: BTreeMap<&str, &Value> =
        nodes.iter().filter_map(|node| Some((node["id"].as_str()?, node))).collect();
    let mut open: Vec<&str> = metadata["resolve"]["root"].as_str().into_iter().collect();
    let mut linked = BTreeSet::new();
    while let Some(id) = open.pop() {
        let Some(node) = by_id.get(id).filter(|_| linked.insert(id)) else { continue };
        for dependency in node["deps"].as_array().into_iter().flatten() {
            let kinds = dependency["dep_kinds"].as_array().map(Vec::as_slice).unwrap_or_default();
            if kinds.iter().any(|kind| kind["kind"].is_null()) {
                open.extend(dependency["pkg"].as_str());
            }
        }
    }
    linked
}

fn package(metadata: &Value) -> Result<Package, String> {
    let word = |key: &str| metadata[key].as_str().unwrap_or_default().to_owned();
    let name = format!("{} {}", word("name"), word("version"));
    let folder = PathBuf::from(word("manifest_path"));
    let folder = folder.parent().ok_or_else(|| format!("{name} is nowhere"))?;
    let mut texts = Vec::new();
    gather(folder, Path::new(""), &mut texts)?;
    let home = ["repository", "homepage"].map(word).into_iter().find(|home| !home.is_empty());
    let mut package = Package { name, expression: word("license"), home: home.unwrap_or_default(), texts };
    package.texts.sort();
    // The texts in a folder of fonts apply to the fonts.
    if package.texts.iter().all(|(file, _)| file.starts_with("fonts")) {
        let authors = metadata["authors"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let authors = authors.collect::<Vec<_>>().join(", ");
        package.texts.extend(standard(&package, &authors));
    }
    Ok(package)
}

/// The files of a package with licences and notices; fonts have theirs in a subfolder.
fn gather(folder: &Path, below: &Path, texts: &mut Vec<(String, String)>) -> Result<(), String> {
    let wrong = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in std::fs::read_dir(folder.join(below)).map_err(wrong)? {
        let entry = entry.map_err(wrong)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let small = name.to_ascii_lowercase();
        let (path, inside) = (entry.path(), below.join(&name));
        if path.is_dir() {
            if ["licenses", "licences", "fonts"].contains(&small.as_str()) {
                gather(folder, &inside, texts)?;
            }
        } else if below.components().next().is_some() && small.ends_with(".txt")
            || BEGINNINGS.iter().any(|beginning| small.starts_with(beginning)) && !small.ends_with(".rs")
        {
            let text = std::fs::read(&path).map_err(wrong)?;
            texts.push((inside.to_string_lossy().into_owned(), String::from_utf8_lossy(&text).into_owned()));
        }
    }
    Ok(())
}

/// The text of the licence that a package declares without including it.
fn standard(package: &Package, authors: &str) -> Option<(String, String)> {
    let choices: Vec<&str> = package.expression.split([' ', '/', '(', ')']).collect();
    if choices.contains(&"Apache-2.0") {
        Some(("Apache-2.0 (not in the package; the licence as published)".into(), APACHE.into()))
    } else if choices.contains(&"MIT") {
        let whose =
            if authors.is_empty() { format!("the authors of {}", package.name) } else { authors.into() };
        let rest = MIT.split_once("Permission is hereby").map_or("", |(_, rest)| rest);
        let text = format!("MIT License\n\nCopyright (c) {whose}\n\nPermission is hereby{rest}");
        Some(("MIT (not in the package; the licence as published)".into(), text))
    } else if choices.contains(&"BSL-1.0") {
        Some(("BSL-1.0 (not in the package; the licence as published)".into(), BOOST.into()))
    } else {
        None
    }
}

/// All licences as one text: the packages, then each text once, with the packages that it applies to.
#[must_use]
pub fn as_text(packages: &[Package]) -> String {
    let mut text = String::from(
        "Third-party software in Nextscope\n=================================\n\n\
         These packages are linked into the program, each under the licence listed after its name; the texts follow below. So is the standard\n\
         library of Rust (MIT OR Apache-2.0, the Rust Project Developers, https://github.com/rust-lang/rust).\n\n",
    );
    // Writing to a string does not fail.
    for Package { name, expression, home, .. } in packages {
        let _ = writeln!(text, "- {name}: {expression} <{home}>");
    }
    let mut by_text: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for package in packages {
        for (file, content) in &package.texts {
            by_text.entry(content.trim()).or_default().push(format!("{}, {file}", package.name));
        }
    }
    let mut texts: Vec<(&str, Vec<String>)> = by_text.into_iter().collect();
    texts.sort_by(|one, other| one.1.cmp(&other.1));
    for (content, of) in texts {
        let _ = write!(text, "\n{}\n{}\n\n{content}\n", "-".repeat(80), of.join("\n"));
    }
    text
}
