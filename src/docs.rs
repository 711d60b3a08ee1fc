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

/// What a page is called: its module's name, or another.
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

        /// All of them.
        pub static PAGES: [Page; $count] =
            [$(Page {
                name: shown!($name $($shown)?),
                about: $about,
                text: include_str!(concat!("docs/", stringify!($name), ".md")),
            }),*];
    };
}

pages! {
    17:
    output, "the command line, exit statuses, JSON: what scripts may rely on";
    figures, "what each figure of stats, top, diff and report means";
    filters, "which messages -F keeps";
    rules, "what replay and proxy do to messages that fit";
    impairments, "what proxy does to packets, and what it shows and records";
    schemas, "layouts of your own game's payloads";
    protocol_files as "protocol-files", "protocols that a file describes";
    your_protocol as "your-protocol", "your protocol in ten minutes: a file, step by step";
    recognition, "how a conversation's protocol is found";
    live, "capture from an interface: who captures, with which rights, what is kept";
    performance, "speed and memory, and how they are measured";
    columns, "captures in DuckDB, Polars and Spark: Parquet files";
    reports, "the page of netkit report: what it shows, keeps and leaves out";
    wireshark, "netkit's messages in Wireshark: comments, fields, the script";
    builds, "captures as a gate in a build pipeline";
    platforms, "Linux, macOS, Windows; packages";
    contributing, "where a change goes, and what has to hold";
}
