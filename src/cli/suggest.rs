//! Suggestions for misspelt names.

use super::exit::Failure;

/// How similar a suggestion must be, 0 to 1: the threshold that clap uses for options.
const SIMILARITY: f64 = 0.7;

/// The known name that is most similar to a given one.
pub fn closest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let name = name.to_lowercase();
    let similarity = |known: &&'a str| strsim::jaro(&name, &known.to_lowercase());
    let similar = known.iter().map(|known| (similarity(known), *known));
    let similar = similar.filter(|(similarity, _)| *similarity > SIMILARITY);
    similar.max_by(|one, other| one.0.total_cmp(&other.0)).map(|(_, known)| known)
}

/// The failure of an unknown name. `thing` is what it should name, such as "game".
pub fn unknown(message: impl Into<String>, thing: &str, name: &str, known: &[&str]) -> Failure {
    let all = format!("available: {}", known.join(", "));
    let hint = match closest(name, known) {
        Some(meant) => format!("tip: a similar {thing} exists: '{meant}'\n{all}"),
        None => all,
    };
    Failure::BadInput(message.into()).with_hint(&hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_name_is_suggested() {
        let known = ["puyo-tsu", "puyo-20th", "tgm1", "tgm2"];
        assert_eq!(closest("puyo-tsuu", &known), Some("puyo-tsu"));
        assert_eq!(closest("TGM2P", &known), Some("tgm2"));
        assert_eq!(closest("chess", &known), None);
        let failure = unknown("unknown game \"tgm3x\"", "game", "tgm3x", &known).to_string();
        assert!(
            failure.contains("a similar game exists: 'tgm") && failure.contains("available: puyo-tsu"),
            "{failure}"
        );
    }
}
