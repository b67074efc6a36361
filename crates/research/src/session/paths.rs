//! The pointer paths of a session.

use super::watches::read;
use super::{Session, SessionError, StepOutcome};
use crate::memory_source::MemorySource;
use crate::path_file::{Module, PathFile};
use crate::pointers::{PointerError, PointerKind, PointerMap, PointerPath, PointerSettings, still_lead};
use crate::source::Address;
use nextscope_memory::console::{Endian, StorageOrder};
use nextscope_task::Progress;
use std::path::Path;

/// The most paths in a session, shortest first.
const PATHS_MOST: usize = 10_000;

/// The pointer paths of a session.
#[derive(Debug, Clone)]
pub struct Paths {
    /// The paths and their pointer format.
    pub file: PathFile,
    /// The modules of the process now; none in a console.
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

fn pointer_kind(memory: &MemorySource) -> Result<PointerKind, SessionError> {
    if let MemorySource::Process(_) = memory {
        return Ok(PointerKind::NATIVE);
    }
    let Some(domain) = memory.domain() else {
        let what = "pointers need a console's RAM or a process; name the console of the dump";
        return Err(SessionError::invalid(what));
    };
    if domain.address_bits < 24 {
        let what = "this console has 2-byte pointers; only 4- and 8-byte pointers are supported";
        return Err(SessionError::invalid(what));
    }
    // A 68000 reads longs at even addresses, other processors at multiples of four.
    let by_words = domain.endian == Endian::Big && domain.orders.contains(&StorageOrder::SwappedWords);
    Ok(PointerKind {
        wide: false,
        order: domain.endian,
        mask: (1 << domain.address_bits) - 1,
        alignment: if by_words { 2 } else { 4 },
    })
}

impl Session {
    /// The paths found or loaded last.
    pub fn paths(&self) -> Option<&Paths> {
        self.paths.as_ref()
    }

    /// Where the paths lead now; None when a pointer cannot be read.
    pub fn lead(&self, paths: &[PointerPath]) -> Result<Vec<Option<Address>>, SessionError> {
        let view = self.memory.view()?;
        let kind = self.paths.as_ref().map_or(PointerKind::NATIVE, |paths| paths.file.kind);
        Ok(paths.iter().map(|path| path.follow(view.source(), kind)).collect())
    }

    fn no_paths() -> SessionError {
        SessionError::invalid(
            "there are no pointer paths yet: pointers @ADDRESS finds them, paths FILE reads them",
        )
    }

    /// Finds paths to a cell, from any RAM address of a console or from the modules of a process.
    pub(super) fn find_paths(
        &mut self,
        target: Address,
        depth: usize,
        offset_most: u64,
        progress: &Progress,
    ) -> Result<StepOutcome, SessionError> {
        let kind = pointer_kind(&self.memory)?;
        let modules = self.memory.modules()?;
        let process = matches!(self.memory, MemorySource::Process(_));
        let is_static = |cell: Address| !process || Module::of(&modules, cell).is_some();
        let view = self.memory.view()?;
        let map = PointerMap::new(view.source(), kind, progress)?;
        let settings = PointerSettings { kind, offset_most, depth, most: PATHS_MOST };
        let paths = map.paths(target, &settings, &is_static, progress)?;
        self.paths = Some(Paths { file: PathFile { kind, target: Some(target), paths }, modules });
        Ok(StepOutcome::Paths { gone: 0 })
    }

    pub(super) fn show_paths(&self) -> Result<StepOutcome, SessionError> {
        self.paths.as_ref().map(|_| StepOutcome::Paths { gone: 0 }).ok_or_else(Self::no_paths)
    }

    pub(super) fn read_paths(&mut self, file: &Path) -> Result<StepOutcome, SessionError> {
        let wrong = |what: String| SessionError::invalid(format!("{}: {what}", file.display()));
        let text = String::from_utf8(read(file)?).map_err(|_| wrong("not UTF-8 text".into()))?;
        let modules = self.memory.modules()?;
        let read = PathFile::read(&text, &modules).map_err(|error| wrong(error.to_string()))?;
        self.paths = Some(Paths { file: read, modules });
        Ok(StepOutcome::Paths { gone: 0 })
    }

    pub(super) fn save_paths(&mut self, file: &Path) -> Result<StepOutcome, SessionError> {
        let paths = self.paths.as_ref().ok_or_else(Self::no_paths)?;
        let (text, lines) = (paths.file.to_text(&paths.modules), paths.file.paths.len());
        self.save(file, text.as_bytes())?;
        Ok(StepOutcome::Saved { file: file.to_owned(), lines, left_out: Vec::new() })
    }

    /// Removes the paths that do not lead to the target, or to its current address.
    pub(super) fn recheck(&mut self, target: Option<Address>) -> Result<StepOutcome, SessionError> {
        let view = self.memory.view()?;
        let paths = self.paths.as_mut().ok_or_else(Self::no_paths)?;
        let target = target
            .or(paths.file.target)
            .ok_or_else(|| SessionError::invalid("the file has no target; use recheck @ADDRESS"))?;
        let before = paths.file.paths.len();
        paths.file.paths = still_lead(&paths.file.paths, view.source(), target, paths.file.kind);
        paths.file.target = Some(target);
        Ok(StepOutcome::Paths { gone: before - paths.file.paths.len() })
    }
}
