//! Selection of a capture's messages.

use crate::capture::TimeSpec::{After, At};
use crate::cli::{Legs, Traffic};
use crate::dissect::Options;
use crate::filter::Names;
use crate::process::usage::{Usage, usage};
use crate::read::Selection;
use std::sync::Arc;

/// Applies `--limit`.
///
/// # Errors
/// Fails if a limit is unknown or invalid.
pub fn limits(given: &[String], options: &mut Options) -> Result<(), Usage> {
    given.iter().try_for_each(|limit| options.limits.set(limit).map_err(|why| Usage(format!("--limit: {why}"))))
}

/// Applies `--port`.
///
/// # Errors
/// Fails if a protocol is unknown.
pub fn ports(given: &[(u16, String)], options: &mut Options) -> anyhow::Result<()> {
    given.iter().try_for_each(|(_, name)| super::described::known(name, &options.registry))?;
    options.ports = given.to_vec();
    Ok(())
}

impl Selection {
    /// Creates it from the command line, and stores the settings of the dissection in `options`.
    ///
    /// # Errors
    /// Fails if a filter is invalid, or uses values that only later messages determine.
    pub fn new(traffic: &Traffic, options: &mut Options) -> anyhow::Result<Selection> {
        Selection::with(traffic, options, false)
    }

    /// Creates the same for a command that can read twice: filters may use values that only later messages determine.
    ///
    /// # Errors
    /// Fails if a filter is invalid.
    pub fn linking(traffic: &Traffic, options: &mut Options) -> anyhow::Result<Selection> {
        Selection::with(traffic, options, true)
    }

    fn with(traffic: &Traffic, options: &mut Options, links: bool) -> anyhow::Result<Selection> {
        options.server = traffic.server;
        options.leg = traffic.leg.unwrap_or(Legs::Client).one();
        ports(&traffic.port, options)?;
        limits(&traffic.limit, options)?;
        if traffic.redact {
            crate::redact::run::begin();
        }
        let names = Names::new(options);
        let Traffic { flow, since, until, redact, .. } = *traffic;
        if let (Some(After(since)), Some(After(until))) | (Some(At(since)), Some(At(until))) = (since, until)
            && since >= until
        {
            return usage("--until: no time is between --since and --until");
        }
        let mut selection = Selection { flow, since, until, redact, links, ..Selection::default() };
        if let Some(text) = &traffic.filter {
            let filter = selection.parse(text, &names).map_err(|e| Usage(format!("-F: {e}")))?;
            selection.filter = Some(Arc::new(filter));
        }
        selection.all = flow.is_none() && !selection.cuts();
        Ok(selection)
    }

    /// Leaves out messages that match one of these filters.
    ///
    /// # Errors
    /// Fails if a filter is invalid.
    pub fn leave_out(&mut self, filters: &[String], options: &Options) -> anyhow::Result<()> {
        let names = Names::new(options);
        for text in filters {
            let filter = self.parse(text, &names).map_err(|e| Usage(format!("--ignore: {e}")))?;
            self.left_out.push(Arc::new(filter));
            self.all = false;
        }
        Ok(())
    }
}
