//! The name of the application.

/// The name of the application in the desktop, and of its settings folder.
pub const APP_ID: &str = "nextscope";
