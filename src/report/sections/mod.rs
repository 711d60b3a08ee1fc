//! The sections of figures, in their order.

pub mod bandwidth;
pub mod delays;
pub mod delivery;
pub mod overview;
pub mod requests;
pub mod verdicts;

use super::Html;
use super::charts::Mark;
use crate::dissect::Role;

/// Returns the mark of a side: the client is round, the server square.
pub fn side(role: Role) -> Mark {
    match role {
        Role::Client => Mark::Round("client"),
        Role::Server => Mark::Square("server"),
        Role::Unknown => Mark::Round("unknown"),
    }
}

/// Writes the reason why there is nothing to show.
pub fn nothing(why: &str, html: &mut Html) {
    html.el("p").class("nothing").text(why);
}
