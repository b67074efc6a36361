//! The pointer paths of a session.

use super::watched::read;
use super::{Said, Session, SessionError};
use crate::block::Progress;
use crate::ground::Ground;
use crate::path_file::{Module, PathFile};
use crate::pointers::{PointerError, PointerKind, PointerMap, PointerPath, PointerSettings, still_lead};
use crate::source::Address;
use nextscope_memory::console::{Endian, StorageOrder};
use std::path::Path;

/// Paths kept at most, the shortest first.
const PATHS_MOST: usize = 10_000;

/// Paths that are followed.
#[derive(Debug, Clone)]
pub struct Paths {
    /// The paths and what they are of.
    pub file: PathFile,
    /// The modules of the process as they stand now; none in a console.
    pub modules: Vec<Module>,
}

impl From<PointerError> for SessionError {
    fn from(error: PointerError) -> Self {
        match error {
            PointerError::Cancelled => Self::Cancelled,
            PointerError::Read(error) => Self::unreachable(error),
        }
    }
}

/// What pointers are in what is searched.
fn pointer_kind(ground: &Ground) -> Result<PointerKind, SessionError> {
    if let Ground::Process(_) = ground {
        return Ok(PointerKind::NATIVE);
    }
    let Some(domain) = ground.domain() else {
        let what = "pointers are followed in a console's RAM or a process, not in bytes by their offsets: say whose dump it is";
        return Err(SessionError::wrong(what));
    };
    if domain.address_bits < 24 {
        let what =
            "the pointers of this console have two bytes; only those of four and of eight are followed";
        return Err(SessionError::wrong(what));
    }
    // A 68000 takes longs from every even address, the others from multiples of four.
    let by_words = domain.endian == Endian::Big && domain.orders.contains(&StorageOrder::SwappedWords);
    Ok(PointerKind {
        wide: false,
        order: domain.endian,
        mask: (1 << domain.address_bits) - 1,
        alignment: if by_words { 2 } else { 4 },
    })
}

impl Session {
    /// The paths that were found or read last.
    #[must_use]
    pub fn paths(&self) -> Option<&Paths> {
        self.paths.as_ref()
    }

    /// Where a path leads now; None when a pointer of it cannot be read.
    ///
    /// # Errors
    /// [`SessionError::Ground`].
    pub fn lead(&self, paths: &[PointerPath]) -> Result<Vec<Option<Address>>, SessionError> {
        let look = self.ground.look()?;
        let kind = self.paths.as_ref().map_or(PointerKind::NATIVE, |paths| paths.file.kind);
        Ok(paths.iter().map(|path| path.follow(look.source(), kind)).collect())
    }

    fn no_paths() -> SessionError {
        SessionError::wrong(
            "there are no pointer paths yet: pointers @ADDRESS finds them, paths FILE reads them",
        )
    }

    /// Finds paths to a cell: from all RAM of a console, from the modules of a process.
    pub(super) fn find_paths(
        &mut self,
        target: Address,
        depth: usize,
        offset_most: u64,
        progress: &Progress,
    ) -> Result<Said, SessionError> {
        let kind = pointer_kind(&self.ground)?;
        let modules = self.ground.modules()?;
        let process = matches!(self.ground, Ground::Process(_));
        let stands_still = |cell: Address| !process || Module::of(&modules, cell).is_some();
        let look = self.ground.look()?;
        let map = PointerMap::new(look.source(), kind, progress)?;
        let settings = PointerSettings { kind, offset_most, depth, most: PATHS_MOST };
        let paths = map.paths(target, &settings, &stands_still, progress)?;
        self.paths = Some(Paths { file: PathFile { kind, target: Some(target), paths }, modules });
        Ok(Said::Paths { gone: 0 })
    }

    pub(super) fn show_paths(&self) -> Result<Said, SessionError> {
        self.paths.as_ref().map(|_| Said::Paths { gone: 0 }).ok_or_else(Self::no_paths)
    }

    pub(super) fn read_paths(&mut self, file: &Path) -> Result<Said, SessionError> {
        let wrong = |what: String| SessionError::wrong(format!("{}: {what}", file.display()));
        let text = String::from_utf8(read(file)?).map_err(|_| wrong("it is no UTF-8 text".into()))?;
        let modules = self.ground.modules()?;
        let read = PathFile::read(&text, &modules).map_err(|error| wrong(error.to_string()))?;
        self.paths = Some(Paths { file: read, modules });
        Ok(Said::Paths { gone: 0 })
    }

    pub(super) fn save_paths(&mut self, file: &Path) -> Result<Said, SessionError> {
        let paths = self.paths.as_ref().ok_or_else(Self::no_paths)?;
        let (text, lines) = (paths.file.to_text(&paths.modules), paths.file.paths.len());
        self.save(file, text.as_bytes())?;
        Ok(Said::Saved { file: file.to_owned(), lines, left_out: Vec::new() })
    }

    /// Drops the paths that do not lead to the target, or to where it is now.
    pub(super) fn recheck(&mut self, target: Option<Address>) -> Result<Said, SessionError> {
        let look = self.ground.look()?;
        let paths = self.paths.as_mut().ok_or_else(Self::no_paths)?;
        let target = target.or(paths.file.target).ok_or_else(|| {
            SessionError::wrong("the file does not say where its paths lead: recheck @ADDRESS")
        })?;
        let before = paths.file.paths.len();
        paths.file.paths = still_lead(&paths.file.paths, look.source(), target, paths.file.kind);
        paths.file.target = Some(target);
        Ok(Said::Paths { gone: before - paths.file.paths.len() })
    }
}
