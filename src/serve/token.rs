//! What whoever asks must know: 128 bits from the system's generator.

use crate::file::{ReadError, read_text, write_private};
use std::fmt;
use std::path::{Path, PathBuf};

/// Digits of a token, and the fewest that a kept one may have: 128 bits.
const DIGITS: usize = 32;
/// The most digits; the token stands in addresses.
const MOST_DIGITS: usize = 128;
/// Bytes of a file with a token at most: it may have blanks around it.
const BYTES_MOST: u64 = 4 << 10;

/// A secret in hexadecimal digits.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The system gave no random bytes.
    #[error("the system gives no random bytes for a token: {0}")]
    Random(String),
    /// The file can be neither read nor made.
    #[error("the token cannot be kept in {}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: std::io::Error,
    },
    /// There is something else in the file.
    #[error("{} holds no token: 32 to 128 hexadecimal digits; delete it, and a new one is made", .0.display())]
    NoToken(PathBuf),
    /// Others may read the file.
    #[error("other users may read {}, so the token in it is no secret; `chmod 600` it, or delete it", .0.display())]
    Open(PathBuf),
}

impl Token {
    /// A new one.
    ///
    /// # Errors
    /// [`TokenError::Random`].
    pub fn random() -> Result<Self, TokenError> {
        let mut bytes = [0; DIGITS / 2];
        getrandom::fill(&mut bytes).map_err(|error| TokenError::Random(error.to_string()))?;
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// One from text: 32 to 128 hexadecimal digits.
    #[must_use]
    pub fn from_text(text: &str) -> Option<Self> {
        let fits = (DIGITS..=MOST_DIGITS).contains(&text.len());
        (fits && text.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| Self(text.to_owned()))
    }

    /// The one that is kept in a file, so that an overlay keeps its address; a file that is not there is made, for its owner
    /// only.
    ///
    /// # Errors
    /// See [`TokenError`].
    pub fn kept(path: &Path) -> Result<Self, TokenError> {
        let wrong = |error| TokenError::File { path: path.to_owned(), error };
        match read_text(path, BYTES_MOST) {
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

    /// It, to be told to its owner.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether this is it. How long that takes tells nothing of how much of it is right.
    #[must_use]
    pub fn is(&self, given: &str) -> bool {
        let pairs = self.0.bytes().zip(given.bytes());
        let differing = pairs.fold(0, |differing, (ours, theirs)| {
            // Without this the compiler may leave the loop at the first difference.
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

/// Whether users beside the owner may read a file. Elsewhere than on Unix a file in the user's folder is the user's own.
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
    fn a_token_has_128_bits_and_no_two_are_alike() {
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        assert_eq!(one.text().len(), 32);
        assert_ne!(one, other);
        assert!(one.is(one.text()) && !one.is(other.text()));
        assert!(!one.is("") && !one.is(&one.text()[..31]) && !one.is(&format!("{}0", one.text())));
        assert!(!format!("{one:?}").contains(one.text()), "it stands in no log");
    }

    #[test]
    fn a_kept_token_stays_the_same_and_is_its_owners_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep").join("token");
        let token = Token::kept(&path).unwrap();
        assert_eq!(Token::kept(&path).unwrap(), token);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
            assert!(matches!(Token::kept(&path), Err(TokenError::Open(_))));
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
        for text in ["", "short", &"x".repeat(32), &"a".repeat(129)] {
            std::fs::write(&path, text).unwrap();
            assert!(matches!(Token::kept(&path), Err(TokenError::NoToken(_))), "{text}");
        }
    }
}
