//! The pages that belong to no module: `netkit help TOPIC` prints them. The page of a protocol is in its module.

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
    18:
    output, "the command line, exit statuses, JSON: what scripts may rely on";
    figures, "what each figure of stats, top, diff and report means";
    filters, "which messages -F keeps";
    rules, "what replay and proxy do to messages that fit";
    impairments, "what proxy does to packets, and what it shows and records";
    schemas, "layouts of your own game's payloads";
    protocol_files as "protocol-files", "protocols that a file describes";
    your_protocol as "your-protocol", "your protocol in ten minutes: a file, step by step";
    recognition, "how a conversation's protocol is found";
    inspector, "netkit view, the inspector in the terminal: keys, finding, filtering, links";
    live, "capture from an interface: who captures, with which rights, what is kept";
    performance, "speed and memory, and how they are measured";
    columns, "captures in DuckDB, Polars and Spark: Parquet files";
    reports, "the page of netkit report: what it shows, keeps and leaves out";
    wireshark, "netkit's messages in Wireshark: comments, fields, the script";
    builds, "captures as a gate in a build pipeline";
    platforms, "Linux, macOS, Windows; packages";
    contributing, "where a change goes, and what has to hold";
}
