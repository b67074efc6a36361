//! The file of the settings: beside the user's profiles, in the configuration folder.

use super::app_id::APP_ID;
use std::path::{Path, PathBuf};

/// Its path; None when the system has no configuration folder.
pub fn settings_file() -> Option<PathBuf> {
    let folders = directories::ProjectDirs::from("", "", APP_ID)?;
    Some(folders.config_dir().join(NAME))
}

const NAME: &str = "app.ron";

/// Copies the settings from the folder of the data, where earlier versions saved them.
pub fn take_over_earlier(file: &Path) {
    if let Some(folder) = eframe::storage_dir(APP_ID) {
        copy_if_missing(&folder.join(NAME), file);
    }
}

fn copy_if_missing(from: &Path, to: &Path) {
    if to.exists() || !from.is_file() {
        return;
    }
    let folder = to.parent().unwrap_or(to);
    let copied = std::fs::create_dir_all(folder).and_then(|()| std::fs::copy(from, to));
    if let Err(error) = copied {
        tracing::warn!("the settings in {} cannot be used: {error}", from.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_settings_are_copied_once() {
        let home = tempfile::tempdir().unwrap();
        let (from, to) = (home.path().join("data.ron"), home.path().join("config/app.ron"));
        copy_if_missing(&from, &to);
        assert!(!to.exists(), "there are none");
        std::fs::write(&from, "old").unwrap();
        copy_if_missing(&from, &to);
        assert_eq!(std::fs::read_to_string(&to).unwrap(), "old");
        std::fs::write(&from, "older").unwrap();
        copy_if_missing(&from, &to);
        assert_eq!(std::fs::read_to_string(&to).unwrap(), "old");
    }
}
