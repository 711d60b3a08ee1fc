//! The pages that belong to no module: `netkit help TOPIC` prints them, and here they stand beside
//! what they are about. A protocol's own page is that of its module.

/// A page of documentation, in Markdown.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// What `netkit help` calls it.
    pub name: &'static str,
    /// One line.
    pub about: &'static str,
    /// The page.
    pub text: &'static str,
}

macro_rules! pages {
    ($count:literal: $($name:ident, $file:literal, $about:literal;)*) => {
        $(
            #[doc = include_str!($file)]
            pub mod $name {}
        )*

        /// All of them.
        pub static PAGES: [Page; $count] =
            [$(Page { name: stringify!($name), about: $about, text: include_str!($file) }),*];
    };
}

pages! {
    8:
    output, "docs/output.md", "the command line, exit statuses, JSON: what scripts may rely on";
    filters, "docs/filters.md", "which messages -F keeps";
    schemas, "docs/schemas.md", "layouts of your own game's payloads";
    recognition, "docs/recognition.md", "how a conversation's protocol is found";
    performance, "docs/performance.md", "speed and memory, and how they are measured";
    builds, "docs/builds.md", "captures as a gate in a build pipeline";
    platforms, "docs/platforms.md", "Linux, macOS, Windows; packages";
    contributing, "docs/contributing.md", "where a change goes, and what has to hold";
}
