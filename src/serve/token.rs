//! The access token: 128 random bits from the system.

use crate::file::{ReadError, read_text, write_private};
use std::fmt;
use std::path::{Path, PathBuf};

/// Digits of a new token, and the minimum for a saved one: 128 bits.
const DIGITS: usize = 32;
/// The most digits; the token is part of URLs.
const MOST_DIGITS: usize = 128;
/// The size limit of a token file, in bytes.
const MAX_FILE_BYTES: u64 = 4 << 10;

/// A secret in hexadecimal digits.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum TokenError {
    #[error("cannot get random bytes for a token: {0}")]
    Random(String),
    #[error("cannot read or create the token file {}: {error}", path.display())]
    File { path: PathBuf, error: std::io::Error },
    #[error("{} does not contain a token (32 to 128 hexadecimal digits); delete it to create a new one", .0.display())]
    NoToken(PathBuf),
    #[error("other users can read the token file {}; run `chmod 600` on it, or delete it", .0.display())]
    Open(PathBuf),
}

impl Token {
    /// A new random token.
    pub fn random() -> Result<Self, TokenError> {
        let mut bytes = [0; DIGITS / 2];
        getrandom::fill(&mut bytes).map_err(|error| TokenError::Random(error.to_string()))?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Parses a token of 32 to 128 hexadecimal digits.
    pub fn from_text(text: &str) -> Option<Self> {
        let fits = (DIGITS..=MOST_DIGITS).contains(&text.len());
        (fits && text.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| Self(text.to_owned()))
    }

    /// The token saved in a file, so that the URL of an overlay stays the same. A missing file is created, readable by its
    /// owner only.
    pub fn load_or_create(path: &Path) -> Result<Self, TokenError> {
        let wrong = |error| TokenError::File { path: path.to_owned(), error };
        match read_text(path, MAX_FILE_BYTES) {
            Ok(text) => {
                if open_to_others(path).map_err(wrong)? {
                    return Err(TokenError::Open(path.to_owned()));
                }
                Self::from_text(text.trim()).ok_or_else(|| TokenError::NoToken(path.to_owned()))
            }
            Err(error) if error.is_missing() => {
                let token = Self::random()?;
                if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                    std::fs::create_dir_all(folder).map_err(wrong)?;
                }
                write_private(path, format!("{}\n", token.0).as_bytes())
                    .map_err(|error| wrong(error.into()))?;
                Ok(token)
            }
            Err(ReadError::Io(error)) => Err(wrong(error)),
            Err(_) => Err(TokenError::NoToken(path.to_owned())),
        }
    }

    /// The token as text, for its owner.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether the given text is the token, compared in constant time.
    pub fn is(&self, given: &str) -> bool {
        let pairs = self.0.bytes().zip(given.bytes());
        let differing = pairs.fold(0, |differing, (ours, theirs)| {
            // Prevents the compiler from leaving the loop at the first difference.
            std::hint::black_box(differing | (ours ^ theirs))
        });
        self.0.len() == given.len() && differing == 0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(hidden)")
    }
}

/// Whether other users can read a file. On other systems than Unix, files in the user's folder are private.
#[cfg(unix)]
fn open_to_others(path: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    Ok(std::fs::metadata(path)?.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn open_to_others(_: &Path) -> std::io::Result<bool> {
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_128_bits_and_differ() {
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        assert_eq!(one.text().len(), 32);
        assert_ne!(one, other);
        assert!(one.is(one.text()) && !one.is(other.text()));
        assert!(!one.is("") && !one.is(&one.text()[..31]) && !one.is(&format!("{}0", one.text())));
        assert!(!format!("{one:?}").contains(one.text()), "debug output hides the token");
    }

    #[test]
    fn a_saved_token_stays_the_same_and_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep").join("token");
        let token = Token::load_or_create(&path).unwrap();
        assert_eq!(Token::load_or_create(&path).unwrap(), token);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
            assert!(matches!(Token::load_or_create(&path), Err(TokenError::Open(_))));
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
        for text in ["", "short", &"x".repeat(32), &"a".repeat(129)] {
            std::fs::write(&path, text).unwrap();
            assert!(matches!(Token::load_or_create(&path), Err(TokenError::NoToken(_))), "{text}");
        }
    }
}
