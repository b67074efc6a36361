//! What is wrong with a profile, where, and what to do about it.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use serde::Serialize;
use std::fmt;
use std::ops::Range;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth knowing; nothing need be done.
    Note,
    /// The profile can be used, but probably is not what was meant.
    Warning,
    /// The profile cannot be used.
    Error,
}

/// What kind of thing is wrong, for programs; [`Code::id`] is stable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Code {
    /// The file could not be read.
    Unreadable,
    /// The file is longer than [`super::MAX_FILE_BYTES`], or has more entries than are looked at.
    TooLarge,
    /// The file is not UTF-8.
    NotUtf8,
    /// The file has no content.
    Empty,
    /// The text is not TOML.
    Syntax,
    /// A place of a template that waits to be filled in.
    FillIn,
    /// A key that profiles do not have.
    UnknownKey,
    /// A key that must be there.
    MissingKey,
    /// A value of another type than the key wants.
    WrongType,
    /// A number out of its range.
    BadNumber,
    /// A text that is empty or has characters that cannot be there.
    BadText,
    /// A game, console, type, variant or choice that does not exist.
    UnknownName,
    /// An address or span that the console's RAM does not hold.
    OutsideDomain,
    /// A mirror of the documented address.
    Mirror,
    /// Two fields or blocks on the same bytes.
    Overlap,
    /// Another size than the model reads.
    WrongSize,
    /// A field that the model cannot do without.
    MissingField,
    /// Something refers to a field that is not there or of the wrong kind.
    BadReference,
    /// The same id twice.
    Duplicate,
    /// A claim that another part of the file contradicts, or a part without which the profile is weak.
    Doubtful,
    /// More is wrong than is told.
    More,
}

impl Code {
    /// Its name in output for programs.
    #[must_use]
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
            Self::Doubtful => "doubtful",
            Self::More => "more",
        }
    }
}

/// A second place that has to do with it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Related {
    /// Bytes of the source.
    pub span: Range<usize>,
    /// What is there.
    pub label: String,
}

/// One thing that is wrong with a profile.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What kind of thing it is.
    pub code: Code,
    /// What is wrong.
    pub message: String,
    /// Where: bytes of the source. Empty when it is about the file as a whole.
    pub span: Range<usize>,
    /// A second place that has to do with it.
    pub related: Option<Related>,
    /// What to do.
    pub help: Option<String>,
    /// The file, as the caller named it.
    pub file: String,
}

/// A place in a text as editors count it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Position {
    /// From 1.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

impl Position {
    /// The place of byte `offset` of `source`; an offset past the end is the end.
    #[must_use]
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
    fn new(severity: Severity, code: Code, span: Range<usize>, message: impl Into<String>) -> Self {
        Self { severity, code, message: message.into(), span, related: None, help: None, file: String::new() }
    }

    pub(super) fn error(code: Code, span: Range<usize>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, span, message)
    }

    pub(super) fn warning(code: Code, span: Range<usize>, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, span, message)
    }

    pub(super) fn note(code: Code, span: Range<usize>, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, span, message)
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(super) fn related(mut self, span: Range<usize>, label: impl Into<String>) -> Self {
        self.related = Some(Related { span, label: label.into() });
        self
    }

    /// Where it begins in `source`, the text that was parsed.
    #[must_use]
    pub fn position(&self, source: &str) -> Position {
        Position::of(source, self.span.start)
    }

    /// The diagnostic with file, line, column, the line itself and a caret, as compilers show it.
    /// `source` is the text that was parsed; `colored` adds ANSI colours.
    #[must_use]
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
    /// One line without the place, which needs the source: see [`Self::render`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}
