//! `netkit replay --clients N`: plays many sessions of a recording at once.

use super::replay_print;
use crate::cli::{Form, Replay};
use crate::dissect::Options;
use crate::live::load::{Load, Part};
use crate::live::replay::Order;
use crate::process::interrupt;
use crate::process::notify::warn;
use std::io::ErrorKind;
use std::net::SocketAddr;

/// The number of open files besides the clients' sockets.
const OTHER_FILES: u64 = 32;

/// Plays the sessions and prints the results. Returns the exit status.
pub fn run(args: &Replay, clients: u32, order: Order<'_>, peer: SocketAddr, options: &Options) -> anyhow::Result<u8> {
    let sockets = if order.wants_datagrams() { 2 } else { 1 };
    let files = u64::from(clients) * sockets + OTHER_FILES;
    if let Some(most) = crate::platform::raise_files().filter(|most| *most < files) {
        let many = most.saturating_sub(OTHER_FILES) / sockets;
        warn(format_args!("the system allows {most} open files: at most {many} of {clients} clients run at once"));
    }
    let load = Load {
        order,
        peer,
        clients: clients as usize,
        ramp: args.ramp,
        stages: args.stages.clone(),
        lasting: args.lasting,
    };
    let text = args.format == Form::Text;
    let mut print = |part: &Part| {
        replay_print::print(args.format, if text { format!("{part}\n") } else { format!("{}\n", part.json()) })
    };
    let figures = match load.run(options, &mut print) {
        // The reader of the output has closed it: the bounds were not tested to the end.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => match args.fail_on.first() {
            None => return Ok(0),
            Some(bound) => anyhow::bail!("--fail-on {bound}: not tested to the end: the reader of the output is gone"),
        },
        figures => figures?,
    };
    let printed =
        replay_print::print(args.format, if text { figures.to_string() } else { format!("{}\n", figures.json()) });
    let mut broken = args.fail_on.is_empty() && !figures.complete();
    for bound in &args.fail_on {
        if let Some(value) = bound.broken(&figures) {
            warn(format_args!("--fail-on {bound}: {value}"));
            broken = true;
        }
    }
    if !broken {
        printed?;
    }
    Ok(interrupt::status(false).unwrap_or(u8::from(broken)))
}
