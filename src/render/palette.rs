//! The colours, in one place.

/// The colours, as ANSI codes; all empty if there are none.
#[derive(Debug)]
pub struct Palette {
    /// The normal colour.
    pub reset: &'static str,
    /// Secondary text: offsets, guides, hidden fields, documentation.
    pub dim: &'static str,
    /// The name of a message.
    pub title: &'static str,
    /// The bytes of a field.
    pub hex: &'static str,
    /// A field's name.
    pub name: &'static str,
    /// Numbers.
    pub number: &'static str,
    /// Enumerations, flags, true and false.
    pub word: &'static str,
    /// Text and bytes.
    pub text: &'static str,
    /// Derived values.
    pub derived: &'static str,
    /// The client.
    pub client: &'static str,
    /// The server.
    pub server: &'static str,
    /// Notes of the lowest level.
    pub note: &'static str,
    /// Warnings.
    pub warning: &'static str,
    /// Errors and faults.
    pub error: &'static str,
}

impl Palette {
    /// Returns the palette with or without colours.
    pub fn of(colour: bool) -> &'static Palette {
        if colour { &COLOURS } else { &PLAIN }
    }
}

/// No colours.
pub static PLAIN: Palette = Palette {
    reset: "",
    dim: "",
    title: "",
    hex: "",
    name: "",
    number: "",
    word: "",
    text: "",
    derived: "",
    client: "",
    server: "",
    note: "",
    warning: "",
    error: "",
};

/// The sixteen basic colours, which terminals let users configure.
pub(crate) static COLOURS: Palette = Palette {
    reset: "\x1b[0m",
    dim: "\x1b[2m",
    title: "\x1b[1m",
    hex: "\x1b[36m",
    name: "\x1b[94m",
    number: "\x1b[0m",
    word: "\x1b[33m",
    text: "\x1b[32m",
    derived: "\x1b[3;35m",
    client: "\x1b[32m",
    server: "\x1b[35m",
    note: "\x1b[36m",
    warning: "\x1b[1;33m",
    error: "\x1b[1;31m",
};
