//! The page's sections in their order.

use super::{About, Html, Run};

/// The page of one capture.
pub fn single(run: &Run, about: &About) -> String {
    let context = run.context(about);
    Html::document(format_args!("{}: netkit report", about.name), |html| {
        html.el("main").with(|html| {
            html.el("h1").text(&about.name);
            run.sequences.section(&context, html);
            run.messages.section(&context, html);
        });
    })
}
