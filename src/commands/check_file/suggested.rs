//! `netkit check --suggest`: prints a first protocol file for the traffic of captures.

use crate::capture::{Capture, Input, Packets};
use crate::cli::Check;
use crate::commands::{input, notify::warn};
use crate::protocols::described::Collector;
use anyhow::Context;
use std::io::Write;
use std::path::Path;

/// Reads the captures and prints the file. If a capture is damaged, the frames before the damage count.
pub fn run(args: &Check) -> anyhow::Result<u8> {
    let mut collector = Collector::default();
    let read = std::iter::once(&args.file).chain(&args.captures).try_for_each(|path| read(path, &mut collector));
    match collector.suggest(args.server) {
        Ok(file) => std::io::stdout().write_all(file.as_bytes())?,
        // An error of reading is the reason.
        Err(_) if read.is_err() => {}
        Err(why) => {
            warn(format_args!("{why}"));
            return Ok(1);
        }
    }
    read.map(|()| 0)
}

fn read(path: &Path, collector: &mut Collector) -> anyhow::Result<()> {
    let input = Input::new(input::open(path)?).with_context(|| input::name(path))?;
    let capture = Capture::new(input).with_context(|| input::name(path))?;
    collector.read(&mut Packets::new(capture)).with_context(|| input::name(path))
}
