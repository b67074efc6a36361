//! The tables of docs/randomizers.md follow the schema.

use nextscope::profile::schema;
use serde_json::Value;

/// The tables, in the order of the page: the name in the schema, the key that they are about, and the heading.
const TABLES: &[(&str, &str)] = &[
    ("Randomizer", "`[randomizer]`"),
    ("PieceCodes", "`[piece_codes]`"),
    ("Position", "`position`"),
    ("ListEnd", "`then` of a position"),
    ("Deals", "`deals`"),
    ("PairForm", "`pair`"),
    ("Clock", "`clock`"),
    ("Seed", "`seed`"),
    ("Generator", "`generator`, by `kind`"),
    ("RegisterForm", "`form` of a shift register"),
    ("Direction", "`direction` of a shift register"),
    ("LagOperation", "`operation` of a lagged generator"),
    ("LinearSteps", "`fill` of a lagged generator"),
    ("ZeroState", "`zero`"),
    ("Draw", "`draw`"),
    ("Method", "`method` of a draw"),
    ("Addend", "`add` of a draw"),
    ("Deal", "`deal`, by `kind`"),
    ("Fill", "`fill` of a bag or pool"),
    ("BagTime", "`time` of a bag"),
    ("End", "`from` of a bag"),
    ("Shuffle", "`shuffle` and `mapping`"),
    ("ShuffleMethod", "`method` of a shuffle"),
    ("MixedPool", "`pools`, each of them"),
    ("CopiedStart", "`start` of a pool"),
    ("First", "`first`, by `rule`"),
    ("Queue", "`queue`"),
    ("QueueOrder", "`order` of a queue"),
    ("QueueEnd", "`then` of a queue"),
];

fn text(schema: &Value) -> String {
    schema["description"].as_str().expect("a description").replace('\n', " ")
}

fn number(value: &Value) -> String {
    let number = value.as_i64().map(i128::from).or(value.as_u64().map(i128::from)).expect("a number");
    if number > 0xFFFF { format!("{number:#X}") } else { number.to_string() }
}

/// The values that a key may have, where its description does not say it.
fn values(schema: &Value, root: &Value) -> String {
    let reference = schema["$ref"].as_str().or(schema.pointer("/allOf/0/$ref").and_then(Value::as_str));
    if let Some(path) = reference {
        let target = root.pointer(path.trim_start_matches('#')).expect("a definition");
        let table = path.rsplit('/').next().expect("a name");
        return if TABLES.iter().any(|(name, _)| *name == table) {
            "below".into()
        } else {
            values(target, root)
        };
    }
    if let (Some(low), Some(high)) = (schema.get("minimum"), schema.get("maximum")) {
        return format!("{} to {}", number(low), number(high));
    }
    match schema["type"].as_str() {
        Some("boolean") => "true, false".into(),
        Some("array") => {
            let count = match (schema.get("minItems"), schema.get("maxItems")) {
                (Some(low), Some(high)) => format!("{} to {} of ", number(low), number(high)),
                (None, Some(high)) => format!("up to {} of ", number(high)),
                _ => "a list of ".into(),
            };
            count + &values(&schema["items"], root)
        }
        _ => {
            let words = schema["enum"].as_array().map_or(&[][..], Vec::as_slice);
            words
                .iter()
                .filter_map(Value::as_str)
                .map(|word| format!("`{word}`"))
                .collect::<Vec<_>>()
                .join(" ")
        }
    }
}

/// The rows of the keys of a table.
fn rows(schema: &Value, root: &Value, tag: &str) -> String {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let keys = schema["properties"].as_object().expect("keys");
    let is_required = |key: &&String| required.contains(&key.as_str());
    let all = keys.keys().filter(is_required).chain(keys.keys().filter(|key| !is_required(key)));
    let row = |key: &String| {
        let need = if is_required(&key) { "required" } else { "" };
        format!("| `{key}` | {need} | {} | {} |\n", values(&keys[key], root), text(&keys[key]))
    };
    all.filter(|key| *key != tag).map(row).collect()
}

fn table(name: &str, root: &Value) -> String {
    let schema = &root["definitions"][name];
    let head = "\n\n| key | | values | meaning |\n|---|---|---|---|\n";
    let Some(choices) = schema["oneOf"].as_array() else {
        return format!("{}{head}{}", text(schema), rows(schema, root, ""));
    };
    if choices.iter().all(|choice| choice.get("const").is_some()) {
        let row = |choice: &Value| {
            format!("| `{}` | {} |\n", choice["const"].as_str().expect("a word"), text(choice))
        };
        let rows: String = choices.iter().map(row).collect();
        return format!("{}\n\n| value | meaning |\n|---|---|\n{rows}", text(schema));
    }
    let mut all = text(schema) + "\n";
    for choice in choices {
        let properties = choice["properties"].as_object().expect("keys");
        let (tag, word) =
            properties.iter().find_map(|(key, value)| Some((key, value["const"].as_str()?))).expect("a tag");
        let keys = rows(choice, root, tag);
        let keys = if keys.is_empty() { String::new() } else { format!("{head}{}", keys.trim_end()) };
        all += &format!("\n`{word}`: {}{keys}\n", text(choice));
    }
    all
}

#[test]
fn the_page_of_declared_randomizers_lists_every_key() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/randomizers.md");
    let page = std::fs::read_to_string(path).expect("the page");
    let root: Value = serde_json::from_str(&schema()).expect("JSON");
    let tables = TABLES.iter().map(|(name, heading)| format!("### {heading}\n\n{}\n", table(name, &root)));
    let (start, end) = ("<!-- keys -->\n", "## Examples\n");
    let (before, rest) = page.split_once(start).expect("the mark of the tables");
    let after = &rest[rest.find(end).expect("the examples")..];
    let expected = format!("{before}{start}\n{}{after}", tables.collect::<String>());
    if std::env::var_os("NEXTSCOPE_BLESS").is_some() {
        std::fs::write(path, &expected).expect("the page is written");
    } else {
        assert!(page == expected, "docs/randomizers.md is old: run the tests once with NEXTSCOPE_BLESS=1");
    }
}

/// Every type that the language uses has a table.
#[test]
fn no_part_of_the_language_is_missing() {
    let root: Value = serde_json::from_str(&schema()).expect("JSON");
    let mut open = ["Randomizer", "PieceCodes"].map(str::to_owned).to_vec();
    let mut seen = Vec::new();
    while let Some(name) = open.pop() {
        let text = root["definitions"][&name].to_string();
        let used = text.split("#/definitions/").skip(1).filter_map(|rest| rest.split('"').next());
        open.extend(used.filter(|used| !seen.contains(&(*used).to_owned())).map(str::to_owned));
        seen.push(name);
    }
    seen.retain(|name| name != "Symbol" && !TABLES.iter().any(|(known, _)| known == name));
    assert_eq!(seen, Vec::<String>::new());
}
