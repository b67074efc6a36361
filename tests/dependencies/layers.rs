//! No circles between the files of a crate, and the order of the modules of the root package, by their `use` declarations and `crate::` paths.
//! A file and its own children may use each other: the parent declares types, its children implement them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Path of the module to the text of its file without its tests.
type Modules = BTreeMap<String, String>;

fn read(folder: &Path, module: &str, modules: &mut Modules) {
    for entry in std::fs::read_dir(folder).expect("sources").map(|entry| entry.expect("an entry")) {
        let (path, name) = (entry.path(), entry.file_name().into_string().expect("UTF-8"));
        let below = |name: &str| {
            [module, name].iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join("::")
        };
        if path.is_dir() {
            read(&path, &below(&name), modules);
        } else if let Some(name) = name.strip_suffix(".rs").filter(|name| !name.ends_with("tests")) {
            let text = std::fs::read_to_string(&path).expect("UTF-8");
            let production = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default().to_owned();
            let own = if matches!(name, "lib" | "main" | "mod") { module.to_owned() } else { below(name) };
            modules.insert(own, production);
        }
    }
}

/// The paths of a `use` tree such as `a::{b, c::d}`.
fn expand(prefix: &str, tree: &str, paths: &mut Vec<String>) {
    let (mut depth, mut start) = (0, 0);
    for (at, character) in tree.char_indices().chain([(tree.len(), ',')]) {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let item = tree[start..at].trim();
                start = at + 1;
                match item.split_once('{') {
                    Some((path, rest)) => {
                        expand(&format!("{prefix}{path}"), rest.strip_suffix('}').unwrap_or(rest), paths);
                    }
                    None => paths.push(format!("{prefix}{item}")),
                }
            }
            _ => {}
        }
    }
}

/// The modules that a module uses.
fn used(module: &str, text: &str, modules: &Modules) -> BTreeSet<String> {
    let mut paths = Vec::new();
    for (at, _) in
        text.match_indices("use ").filter(|(at, _)| text[..*at].ends_with([' ', '\n', ')']) || *at == 0)
    {
        expand("", text[at + 4..].split(';').next().unwrap_or_default(), &mut paths);
    }
    paths.extend(text.match_indices("crate::").map(|(at, _)| {
        text[at..].chars().take_while(|c| c.is_alphanumeric() || "_:".contains(*c)).collect()
    }));
    let absolute = |path: &str| {
        let mut parts: Vec<&str> =
            path.split("::").map(|part| part.split(' ').next().unwrap_or(part)).collect();
        let mut base: Vec<&str> = module.split("::").collect();
        match parts[0] {
            "crate" => base.clear(),
            "self" => {}
            "super" => {}
            _ => return Vec::new(),
        }
        while parts.first() == Some(&"super") {
            base.pop();
            parts.remove(0);
        }
        parts.retain(|part| !matches!(*part, "crate" | "self"));
        [base, parts].concat().into_iter().map(str::to_owned).collect()
    };
    let target = |path: &String| {
        let parts = absolute(path);
        (1..=parts.len()).rev().map(|len| parts[..len].join("::")).find(|path| modules.contains_key(path))
    };
    paths.iter().filter_map(target).filter(|other| other != module && !other.is_empty()).collect()
}

/// All that can be reached from a module.
fn reached(from: &str, uses: &BTreeMap<&str, BTreeSet<String>>) -> BTreeSet<String> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
    while let Some(module) = open.pop() {
        for next in uses.get(module.as_str()).into_iter().flatten() {
            if reached.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    reached
}

fn circles(folder: &Path) -> Vec<String> {
    let mut modules = Modules::new();
    read(folder, "", &mut modules);
    let related = |one: &str, other: &str| other.starts_with(&format!("{one}::"));
    let uses: BTreeMap<&str, BTreeSet<String>> = modules
        .iter()
        .map(|(module, text)| {
            let mut used = used(module, text, &modules);
            used.retain(|other| !related(module, other));
            (module.as_str(), used)
        })
        .collect();
    uses.keys()
        .filter(|module| reached(module, &uses).contains(**module))
        .map(|module| (*module).to_owned())
        .collect()
}

/// What uses a module that `lib.rs` declares after its own.
fn out_of_order(folder: &Path) -> Vec<String> {
    let mut modules = Modules::new();
    read(folder, "", &mut modules);
    let declared = std::fs::read_to_string(folder.join("lib.rs")).expect("lib.rs");
    let order: Vec<&str> =
        declared.lines().filter_map(|line| line.strip_prefix("pub mod ")?.split(';').next()).collect();
    let place = |module: &str| {
        let top = module.split("::").next().unwrap_or(module);
        order.iter().position(|declared| *declared == top)
    };
    let uses = modules.iter().flat_map(|(module, text)| {
        let used = used(module, text, &modules).into_iter();
        used.filter(|used| place(module).is_some_and(|own| place(used) > Some(own)))
            .map(move |used| format!("{module} uses {used}"))
    });
    uses.collect()
}

#[test]
fn modules_use_only_those_declared_before_them() {
    assert_eq!(out_of_order(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src")), [""; 0]);
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write("lib.rs", "pub mod a; // first\npub mod b;\n");
    write("a.rs", "use crate::b::B;\n");
    write("b.rs", "use crate::a::A;\n");
    assert_eq!(out_of_order(folder.path()), ["a uses b"]);
}

#[test]
fn no_file_of_a_crate_uses_another_that_uses_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates =
        std::fs::read_dir(root.join("crates")).expect("crates").map(|entry| entry.expect("a crate").path());
    for folder in crates.chain([root.to_owned()]) {
        assert_eq!(circles(&folder.join("src")), [""; 0], "{}", folder.display());
    }
}

#[test]
fn a_circle_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    write("lib.rs", "mod a;\nmod b;\nmod c;\npub use a::A;\n");
    write("a.rs", "use crate::{\n    b::B as Other,\n    c::C,\n};\n");
    write("b.rs", "fn f() -> super::c::C {}\n");
    write("c.rs", "use super::b::{B, D};\n\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n");
    assert_eq!(circles(folder.path()), [""; 0], "a path in code counts with `crate` only");
    write("b.rs", "fn f() -> crate::c::C {}\n");
    assert_eq!(circles(folder.path()), ["b", "c"]);
}
