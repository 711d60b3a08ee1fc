//! The page's sections in their order.

use super::{About, Html, Run, sequence, viewer};

/// The page of one capture.
pub fn single(run: &Run, about: &About) -> String {
    let context = run.context(about);
    Html::document(format_args!("{}: netkit report", about.name), |html| {
        html.el("main").with(|html| {
            html.el("h1").text(&about.name);
            let held = run.messages.held();
            sequence::write(&held, &context, html);
            viewer::write(&held, &context, html);
        });
    })
}
