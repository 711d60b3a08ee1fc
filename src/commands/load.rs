//! `netkit replay --clients N`: many sessions of a recording at once.

use super::interrupt;
use super::notify::notify;
use super::usage::Usage;
use crate::cli::{Form, Global, Replay};
use netkit::dissect::Options;
use netkit::live::load::{Load, Part, is_private};
use netkit::live::net::resolve;
use netkit::live::replay::Order;
use netkit::printable;
use std::io::{self, ErrorKind, Write};

/// Files that are open beside the clients' sockets.
const OTHER_FILES: u64 = 32;

/// Plays them, and tells what they found: the exit status.
pub fn run(args: &Replay, global: &Global, clients: u32, order: Order<'_>, options: &Options) -> anyhow::Result<u8> {
    let Some(target) = &args.to else { return Err(Usage("--clients: --to is needed".into()).into()) };
    let port = target.port.or(order.conversation.dissector.port());
    let port = port.ok_or_else(|| Usage(format!("{target}: no port given")))?;
    let found = resolve(&target.host, port, args.timeout, order.stop);
    if let Some(status) = interrupt::status(false) {
        return Ok(status);
    }
    let found = found.map_err(|why| Usage(format!("{target}: {why}")))?;
    let peer = *found.first().ok_or_else(|| Usage(format!("{target}: the name has no addresses")))?;
    if !args.allow_public && !is_private(peer.ip()) {
        let why = "is not in a private network: a load on somebody else's server is an attack";
        return Err(Usage(format!("--clients: {} {why} (--allow-public, if it is yours)", peer.ip())).into());
    }
    let sockets = if order.wants_beside() { 2 } else { 1 };
    let files = u64::from(clients) * sockets + OTHER_FILES;
    if let Some(most) = crate::platform::raise_files().filter(|most| *most < files) {
        let many = most.saturating_sub(OTHER_FILES) / sockets;
        notify(
            global,
            format_args!(
                "netkit: the system allows {most} open files: no more than {many} of {clients} clients at once"
            ),
        );
    }
    let load = Load { order, peer, clients: clients as usize, ramp: args.ramp, lasting: args.lasting };
    let text = args.format == Form::Text;
    let mut tell = |part: &Part| {
        let mut out = io::stdout().lock();
        match text {
            true => writeln!(out, "{}", printable::Lines(part))?,
            false => writeln!(out, "{}", printable::Json(part.json()))?,
        }
        out.flush()
    };
    let figures = match load.run(options, &mut tell) {
        // Whoever read the output has enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(0),
        figures => figures?,
    };
    let mut out = io::stdout().lock();
    match text {
        true => write!(out, "{}", printable::Lines(&figures))?,
        false => writeln!(out, "{}", printable::Json(figures.json()))?,
    }
    out.flush()?;
    let mut broken = args.fail_on.is_empty() && !figures.complete();
    for bound in &args.fail_on {
        if let Some(value) = bound.broken(&figures) {
            notify(global, format_args!("netkit: --fail-on {bound}: {value}"));
            broken = true;
        }
    }
    Ok(interrupt::status(false).unwrap_or(u8::from(broken)))
}
