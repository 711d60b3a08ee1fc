//! The pages that belong to no module: `netkit help TOPIC` prints them. The page of a protocol is in its module.

#[cfg(feature = "cli")]
pub(crate) mod tables;

/// A page of documentation, in Markdown.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// The name for `netkit help`.
    pub name: &'static str,
    /// A description in one line.
    pub about: &'static str,
    /// The text of the page.
    pub text: &'static str,
}

/// The name of a page: its module's, or another one.
macro_rules! shown {
    ($name:ident) => {
        stringify!($name)
    };
    ($name:ident $shown:literal) => {
        $shown
    };
}

macro_rules! pages {
    ($count:literal: $($name:ident $(as $shown:literal)?, $about:literal;)*) => {
        $(
            #[doc = include_str!(concat!("docs/", stringify!($name), ".md"))]
            pub mod $name {}
        )*

        /// All pages.
        pub static PAGES: [Page; $count] =
            [$(Page {
                name: shown!($name $($shown)?),
                about: $about,
                text: include_str!(concat!("docs/", stringify!($name), ".md")),
            }),*];
    };
}

pages! {
    19:
    output, "the command line, exit statuses, JSON: what scripts may rely on";
    figures, "what each figure of stats, top, diff and report means";
    filters, "the language of -F: which messages are kept";
    rules, "the language of --on: how replay and proxy change messages";
    impairments, "delay, loss and other impairments of proxy; what it prints and records";
    schemas, "the payloads of your game, described in a file";
    protocol_files as "protocol-files", "a whole protocol, described in a file";
    your_protocol as "your-protocol", "your protocol in ten minutes: a file, step by step";
    recognition, "how netkit recognises the protocol of a conversation";
    inspector, "netkit view, the inspector in the terminal: keys, finding, filtering, links";
    live, "capture from an interface: programs, rights, files";
    performance, "speed and memory, and how they are measured";
    columns, "captures in DuckDB, Polars and Spark: Parquet files";
    reports, "the page that netkit report writes: contents and limits";
    wireshark, "netkit's messages in Wireshark: comments, fields, the script";
    builds, "captures as a gate in a build pipeline";
    platforms, "Linux, macOS, Windows; packages";
    glossary, "the terms of output, pages and help";
    contributing, "where a change belongs, and which rules hold";
}
