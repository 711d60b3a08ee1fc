//! `--like` and `--profile`: impairments from a capture, and from a timetable.

use crate::capture::Leg;
use crate::cli::{Global, Proxy, ProxyTransport};
use crate::dissect::{Message, Options, Sink};
use crate::live::proxy::{Direction, Impairments, Like, Profile};
use crate::live::rules::file::text;
use crate::process::notify::notify;
use crate::process::parallel::InputReader;
use crate::process::usage::Usage;
use crate::read::{Any, CaptureSink};
use anyhow::{Context, anyhow};

impl Sink for Like {
    fn message(&mut self, message: &Message<'_>) {
        self.see(message);
    }
}

impl CaptureSink for Like {}

/// Returns the impairments of each direction. Those of `--like` apply where no other option sets one.
///
/// # Errors
/// Returns the error of the capture, or that nothing can be estimated from it.
pub fn impairments(args: &Proxy, options: &Options, global: &Global) -> anyhow::Result<[Impairments; 2]> {
    let mut directions = (*args.directions.0).clone();
    let Some(path) = &args.like else { return Ok(directions) };
    let mut seeing = Like::default();
    // The network of a proxy's recording lies between its legs: together they would show half of the losses.
    let options = Options { leg: Some(Leg::Client), ..options.clone() };
    InputReader::new(&options, global).file(path, &mut Any(&mut seeing)).context("--like")?;
    let estimates = seeing.finish().map_err(|why| Usage(format!("--like: {}: {why}", path.display())))?;
    let streams = args.transport == Some(ProxyTransport::Tcp);
    for (direction, (like, words)) in Direction::ALL.iter().copied().zip(estimates) {
        notify(global, format_args!("like {}: {:<4} {words}", path.display(), direction.name()));
        let own = &mut directions[direction.index()];
        if !streams {
            own.loss = own.loss.or(like.loss);
            own.reorder = if own.reorder > 0.0 { own.reorder } else { like.reorder };
        } else if like.only_for_datagrams().is_some() {
            let text =
                "losses and reordering of the capture are not used: all bytes of a stream arrive, once and in order";
            notify(global, format_args!("--like with --transport tcp: {text}"));
        }
        if own.jitter.is_zero() {
            own.quantiles = like.quantiles;
        }
    }
    Ok(directions)
}

/// Reads the timetable.
///
/// # Errors
/// Returns its first error, with the place.
pub fn profile(args: &Proxy) -> anyhow::Result<Option<Profile>> {
    let Some(path) = &args.profile else { return Ok(None) };
    let place = || format!("--profile: {}", path.display());
    let text = text(path).map_err(|why| anyhow!("{}: {why}", place()))?;
    let wrong = |(line, what): (usize, String)| Usage(format!("{}:{line}: {what}", place()));
    Ok(Some(Profile::parse(&text).map_err(wrong)?))
}
