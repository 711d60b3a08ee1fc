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

/// How a side is told from the other: the client is round, the server square.
pub fn side(role: Role) -> Mark {
    match role {
        Role::Client => Mark::Round("client"),
        Role::Server => Mark::Square("server"),
        Role::Unknown => Mark::Round("unknown"),
    }
}

/// What stands where there is nothing to be shown.
pub fn nothing(why: &str, html: &mut Html) {
    html.el("p").class("nothing").text(why);
}
