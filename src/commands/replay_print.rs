//! Prints the report of `netkit replay`.

use crate::cli::Form;
use crate::live::replay::Report;
use crate::printable;
use std::fmt::Display;
use std::io::{self, Write};

/// Prints the report of a session.
pub fn report(report: &Report, format: Form, all: bool) -> io::Result<()> {
    let mut text = String::new();
    match format {
        Form::Text if all => text = format!("{report:#}"),
        Form::Text => text = report.to_string(),
        _ => report.ndjson(&mut text),
    }
    print(format, text)
}

/// Prints a part of a report: text, or lines of JSON.
pub fn print(format: Form, text: impl Display) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match format {
        Form::Text => write!(out, "{}", printable::Lines(text))?,
        _ => write!(out, "{}", printable::Json(text))?,
    }
    out.flush()
}
