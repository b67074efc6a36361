//! From a result to other panels.

use super::engine::Shown;
use crate::console::ConsoleAddr;
use crate::gui::ui_context::{UiAction, UiContext};
use crate::research::Address;

/// Shows a console address in the Memory panel.
pub fn go_to(cx: &mut UiContext<'_>, shown: &Shown, address: Address) {
    let domain = shown.memory.as_ref().and_then(|memory| memory.domain);
    if let (Some(domain), Ok(address)) = (domain, u32::try_from(address.0))
        && domain.offset_of(ConsoleAddr(address)).is_some()
    {
        cx.actions.push(UiAction::ShowAddress(ConsoleAddr(address)));
    }
}
