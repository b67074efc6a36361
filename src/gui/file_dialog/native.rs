//! The desktop's file dialog.

use super::{DialogMode, DialogRequest};
use std::path::PathBuf;

/// Shows the desktop's file dialog and returns when it closes.
///
/// # Errors
/// What is missing, in a sentence.
pub fn show_native(request: &DialogRequest) -> Result<Vec<PathBuf>, String> {
    check_available()?;
    let name = request.kind.name();
    let mut dialog = rfd::FileDialog::new().set_title(match request.mode {
        DialogMode::Open => format!("Open {name}"),
        DialogMode::OpenSeveral => format!("Open {name}s"),
        DialogMode::Save => format!("Save {name}"),
    });
    for (name, extensions) in request.kind.filters() {
        dialog = dialog.add_filter(*name, extensions);
    }
    if !request.kind.filters().is_empty() {
        dialog = dialog.add_filter("All files", &["*"]);
    }
    if let Some(folder) = &request.folder {
        dialog = dialog.set_directory(folder);
    }
    if let Some(name) = &request.name {
        dialog = dialog.set_file_name(name);
    }
    let chosen = match request.mode {
        DialogMode::Open => dialog.pick_file().map(|path| vec![path]),
        DialogMode::OpenSeveral => dialog.pick_files(),
        DialogMode::Save => dialog.save_file().map(|path| vec![path]),
    };
    Ok(chosen.unwrap_or_default())
}

/// rfd reports a missing dialog like a cancelled one, so this asks first for what rfd uses: the portal, else zenity.
#[cfg(target_os = "linux")]
fn check_available() -> Result<(), String> {
    let Err(why) = check_portal() else { return Ok(()) };
    let folders = std::env::var_os("PATH").unwrap_or_default();
    if std::env::split_paths(&folders).any(|folder| folder.join("zenity").is_file()) {
        return Ok(());
    }
    Err(format!("No file dialog: {why}, and zenity is not installed. Enter the path"))
}

#[cfg(not(target_os = "linux"))]
fn check_available() -> Result<(), String> {
    Ok(())
}

/// Asks the portal for the version of its file chooser, which starts the portal if necessary.
#[cfg(target_os = "linux")]
fn check_portal() -> Result<(), &'static str> {
    pollster::block_on(async {
        let session = zbus::Connection::session().await.map_err(|_| "no D-Bus session")?;
        let version = session.call_method(
            Some("org.freedesktop.portal.Desktop"),
            "/org/freedesktop/portal/desktop",
            Some("org.freedesktop.DBus.Properties"),
            "Get",
            &("org.freedesktop.portal.FileChooser", "version"),
        );
        match version.await {
            Ok(_) => Ok(()),
            Err(zbus::Error::MethodError(name, ..))
                if name.as_str() == "org.freedesktop.DBus.Error.ServiceUnknown" =>
            {
                Err("the XDG desktop portal is not installed")
            }
            Err(error) => {
                tracing::debug!("file chooser of the XDG desktop portal: {error}");
                Err("the XDG desktop portal has no file chooser")
            }
        }
    })
}
