//! Mistakes in a profile: what, where, and how to correct them.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use std::fmt;
use std::ops::Range;

/// The diagnostics of one file, at most: a hostile file could cause millions.
const MAX_DIAGNOSTICS: usize = 100;

/// How serious it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Information; nothing need be done.
    Note,
    /// The profile can be used, but is probably not what its author meant.
    Warning,
    /// The profile cannot be used.
    Error,
}

/// The kind of mistake, for programs; [`Code::id`] is stable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Code {
    /// The file cannot be read.
    Unreadable,
    /// The file is longer than [`super::MAX_FILE_BYTES`], or has too many fields.
    TooLarge,
    /// The file is not UTF-8.
    NotUtf8,
    /// The file has no content.
    Empty,
    /// The text is not TOML.
    Syntax,
    /// A placeholder of a template.
    FillIn,
    /// A key that the format does not have.
    UnknownKey,
    /// A required key is missing.
    MissingKey,
    /// A value of the wrong type.
    WrongType,
    /// A number out of range.
    BadNumber,
    /// A string that is empty or has characters that are not allowed.
    BadText,
    /// A game, console, type, variant or choice that does not exist.
    UnknownName,
    /// An address or span outside the console's RAM.
    OutsideDomain,
    /// A mirror of the documented address.
    Mirror,
    /// Two fields or blocks on the same bytes.
    Overlap,
    /// A size that the model does not read.
    WrongSize,
    /// A field that the model requires.
    MissingField,
    /// A reference to a field that does not exist or has the wrong type.
    BadReference,
    /// The same id or code twice.
    Duplicate,
    /// A randomizer that cannot exist: values that exclude each other, or that would never deal something.
    Impossible,
    /// A claim that another part of the file contradicts, or a missing part that weakens the profile.
    Doubtful,
    /// There are more mistakes than are reported.
    More,
}

impl Code {
    /// Its stable name, for programs.
    pub fn id(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::TooLarge => "too-large",
            Self::NotUtf8 => "not-utf8",
            Self::Empty => "empty",
            Self::Syntax => "syntax",
            Self::FillIn => "fill-in",
            Self::UnknownKey => "unknown-key",
            Self::MissingKey => "missing-key",
            Self::WrongType => "wrong-type",
            Self::BadNumber => "bad-number",
            Self::BadText => "bad-text",
            Self::UnknownName => "unknown-name",
            Self::OutsideDomain => "outside-domain",
            Self::Mirror => "mirror",
            Self::Overlap => "overlap",
            Self::WrongSize => "wrong-size",
            Self::MissingField => "missing-field",
            Self::BadReference => "bad-reference",
            Self::Duplicate => "duplicate",
            Self::Impossible => "impossible",
            Self::Doubtful => "doubtful",
            Self::More => "more",
        }
    }
}

/// Another position that explains a diagnostic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Related {
    /// Bytes of the source.
    pub span: Range<usize>,
    /// What is there.
    pub label: String,
}

/// One mistake in a profile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How serious it is.
    pub severity: Severity,
    /// What kind of mistake it is.
    pub code: Code,
    /// What is wrong.
    pub message: String,
    /// Bytes of the source; empty when it is about the entire file.
    pub span: Range<usize>,
    /// Another position that explains it.
    pub related: Option<Related>,
    /// What to do.
    pub help: Option<String>,
    /// The file, as the caller named it.
    pub file: String,
}

/// A position in a text as editors count it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Position {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

impl Position {
    /// The position of byte `offset` of `source`; an offset past the end is the end.
    pub fn of(source: &str, offset: usize) -> Self {
        let before = source.get(..floor_boundary(source, offset)).unwrap_or(source);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let in_line = before.get(line_start..).unwrap_or("");
        Self { line: before.matches('\n').count() + 1, column: in_line.chars().count() + 1 }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

fn floor_boundary(source: &str, offset: usize) -> usize {
    let mut offset = offset.min(source.len());
    while !source.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

impl Diagnostic {
    pub(super) fn new(
        severity: Severity,
        code: Code,
        span: Range<usize>,
        message: impl Into<String>,
    ) -> Self {
        Self { severity, code, message: message.into(), span, related: None, help: None, file: String::new() }
    }

    /// About a file as a whole, not a place in it.
    pub fn of_file(file: &str, severity: Severity, code: Code, message: String, help: Option<&str>) -> Self {
        let help = help.map(Into::into);
        Self { severity, code, message, span: 0..0, related: None, help, file: file.to_owned() }
    }

    pub(super) fn help(&mut self, help: impl Into<String>) -> &mut Self {
        self.help = Some(help.into());
        self
    }

    pub(super) fn related(&mut self, span: Range<usize>, label: impl Into<String>) -> &mut Self {
        self.related = Some(Related { span, label: label.into() });
        self
    }

    /// Its start in `source`, the text that was parsed.
    pub fn position(&self, source: &str) -> Position {
        Position::of(source, self.span.start)
    }

    /// The diagnostic with file, line, column, the line itself and a caret, as compilers show it.
    /// `source` is the text that was parsed; `colored` adds ANSI colours.
    pub fn render(&self, source: &str, colored: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        // The renderer panics on a span past the end of its text and shows nothing of an empty one.
        let within = |span: &Range<usize>| {
            let start = floor_boundary(source, span.start);
            start..floor_boundary(source, span.end).max(start)
        };
        let title = level.primary_title(&*self.message);
        let mut group = if source.is_empty() {
            title.element(annotate_snippets::Origin::path(&*self.file))
        } else {
            let mut snippet = Snippet::source(source)
                .path(&*self.file)
                .annotation(AnnotationKind::Primary.span(within(&self.span)));
            if let Some(related) = &self.related {
                let span = within(&related.span);
                snippet = snippet.annotation(AnnotationKind::Context.span(span).label(&*related.label));
            }
            title.element(snippet)
        };
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(&**help));
        }
        let renderer = if colored { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[group])
    }
}

impl fmt::Display for Diagnostic {
    /// One line without the position, which needs the source: see [`Self::render`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

/// Collects the diagnostics of one file.
pub(super) struct Diagnostics<'a> {
    file: &'a str,
    list: Vec<Diagnostic>,
    /// Whether one of them is an error.
    pub(super) failed: bool,
}

impl<'a> Diagnostics<'a> {
    pub(super) fn new(file: &'a str) -> Self {
        Self { file, list: Vec::new(), failed: false }
    }

    pub(super) fn add(
        &mut self,
        severity: Severity,
        code: Code,
        span: Range<usize>,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.failed |= severity == Severity::Error;
        let new = Diagnostic { file: self.file.to_owned(), ..Diagnostic::new(severity, code, span, message) };
        let at = self.list.len().min(MAX_DIAGNOSTICS);
        self.list.truncate(at);
        self.list.push(new);
        &mut self.list[at]
    }

    pub(super) fn error(
        &mut self,
        code: Code,
        span: Range<usize>,
        message: impl Into<String>,
    ) -> &mut Diagnostic {
        self.add(Severity::Error, code, span, message)
    }

    /// A word that does not exist, with the one that may be meant or all that exist.
    pub(super) fn unknown(
        &mut self,
        code: Code,
        span: Range<usize>,
        message: impl Into<String>,
        word: &str,
        known: &[&str],
    ) -> &mut Diagnostic {
        self.error(code, span, message).help(match nearest(word, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => "there are none here".to_owned(),
            None => format!("known: {}", listed(known.iter().copied())),
        })
    }

    /// Whether no more are collected: checks that compare many things may stop.
    pub(super) fn is_full(&self) -> bool {
        self.list.len() > MAX_DIAGNOSTICS
    }

    /// All of them in the order of the file.
    pub(super) fn into_list(mut self) -> Vec<Diagnostic> {
        let full = self.is_full();
        self.list.truncate(MAX_DIAGNOSTICS);
        self.list.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
        if full {
            let text = "the file has more mistakes than are listed here";
            self.add(Severity::Note, Code::More, 0..0, text).help("correct these first");
        }
        self.list
    }
}

/// The known word that a misspelt one may mean: at most a third of its letters differ; case, `-` and `_` do not count.
pub(super) fn nearest<'n>(word: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let plain = |text: &str| text.chars().take(64).collect::<String>().to_lowercase().replace('_', "-");
    let word = plain(word);
    let distances = known.into_iter().map(|known| (strsim::osa_distance(&word, &plain(known)), known));
    let near = distances.filter(|(distance, known)| {
        let length = known.chars().count();
        // Any single letter is one letter away from any other.
        *distance <= (length / 3).max(1) && *distance < length
    });
    near.min_by_key(|(distance, _)| *distance).map(|(_, known)| known)
}

/// The words as a list for people: `a`, `b`, `c`.
pub(super) fn listed<'n>(words: impl IntoIterator<Item = &'n str>) -> String {
    words.into_iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// A word of the file in a message: a hostile one may be long.
pub(super) fn quoted(word: &str) -> String {
    format!("`{}`", word.chars().take(64).collect::<String>())
}
