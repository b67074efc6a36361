//! Misspelt names: what there is, and which of it may have been meant.

use super::Failure;

/// How alike two names must be, 0 to 1; the command line's own options are suggested from the same likeness on.
const ALIKE: f64 = 0.7;

/// The known name that is most like a given one, if any is like it.
pub fn closest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let name = name.to_lowercase();
    let likeness = |known: &&'a str| strsim::jaro(&name, &known.to_lowercase());
    let alike = known.iter().map(|known| (likeness(known), *known)).filter(|(likeness, _)| *likeness > ALIKE);
    alike.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, known)| known)
}

/// The failure of a name that is not known. `thing` is what it should name: "game".
pub fn unknown(message: impl Into<String>, thing: &str, name: &str, known: &[&str]) -> Failure {
    let there_are = format!("there are: {}", known.join(", "));
    let hint = match closest(name, known) {
        Some(meant) => format!("tip: a similar {thing} exists: '{meant}'\n{there_are}"),
        None => there_are,
    };
    Failure::BadInput(message.into()).with_hint(&hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_was_meant_is_suggested() {
        let known = ["puyo-tsu", "puyo-20th", "tgm1", "tgm2"];
        assert_eq!(closest("puyo-tsuu", &known), Some("puyo-tsu"));
        assert_eq!(closest("TGM2P", &known), Some("tgm2"));
        assert_eq!(closest("chess", &known), None);
        let failure = unknown("no model of \"tgm3x\"", "game", "tgm3x", &known).to_string();
        assert!(
            failure.contains("a similar game exists: 'tgm") && failure.contains("there are: puyo-tsu"),
            "{failure}"
        );
    }
}
