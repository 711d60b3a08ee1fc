//! The shares of losses, bursts, duplicates and reordered datagrams, of 20,000 echoes each over sockets: no times.

use super::echo::{ECHOES, Echo, echoes};
use super::relay::{Running, config, start};
use crate::live::proxy::Impairments;
use crate::live::proxy::relay::Config;
use std::net::SocketAddr;
use std::time::Duration;

/// A relay of datagrams to the server, with impairments of one direction.
fn proxied(target: SocketAddr, impairments: Impairments) -> Running {
    let impairments = [impairments, Impairments::default()];
    start(Config { tcp: false, clients: 1000, impairments, ..config(target) })
}

/// Checks loss, burst length, duplicates and reordering: shares, not times. With `times` the client, too, must miss
/// exactly the lost datagrams.
fn shares(echo: &Echo, times: bool, hold: &mut dyn FnMut(&str, bool, String)) {
    for (loss, share, row) in [("2%", 0.02, None), ("10%", 0.1, None), ("5%/4", 0.05, Some(4.0f64))] {
        let impairments = Impairments { loss: Some(loss.parse().expect("loss")), ..Impairments::default() };
        let between = proxied(echo.at, impairments);
        let arrived = echoes(between.at, ECHOES, Duration::from_micros(100));
        let counts = between.end().0.directions[0];
        let missing = arrived.iter().filter(|trip| trip.is_none()).count() as u64;
        let (n, lost) = (counts.arrived as f64, counts.lost as f64);
        // Bursts widen the spread of the count, because one loss brings others with it.
        let sigma = (n * share * (1.0 - share) * row.map_or(1.0, |row| 2.0 * row - 1.0)).sqrt();
        let off = (lost - n * share) / sigma;
        let holds = off.abs() <= 3.0 && n > 0.0 && (!times || missing == counts.lost);
        hold(&format!("loss {loss}"), holds, format!("{lost} of {n}: {off:+.2} sigma"));
        if let Some(row) = row {
            let mean = lost / counts.runs as f64;
            // The length of a burst has a variance of row * (row - 1); there are some 250 bursts.
            let sigma = (row * (row - 1.0) / (lost / row)).sqrt();
            hold(&format!("rows of {loss}"), (mean - row).abs() <= 3.0 * sigma, format!("{mean:.2} on average"));
        }
    }
    let impairments = Impairments { duplicate: 0.1, reorder: 0.2, ..Impairments::default() };
    let between = proxied(echo.at, impairments);
    echoes(between.at, ECHOES, Duration::from_micros(100));
    let counts = between.end().0.directions[0];
    // If two datagrams in a row are chosen, only the first is swapped: p (1 - p) + p² (1 - p) ..
    for (name, count, share) in [("duplicates", counts.copies, 0.1), ("out of order", counts.reordered, 0.2 / 1.2)] {
        let n = counts.arrived as f64;
        let off = (count as f64 - n * share) / (n * share * (1.0 - share)).sqrt();
        hold(name, off.abs() <= 3.0 && n > 0.0, format!("{count} of {n}: {off:+.2} sigma"));
    }
    hold("all are sent", counts.passed == counts.arrived + counts.copies, format!("{} sent", counts.passed));
}

/// With `NETKIT_MEASURE=1` the machine is idle enough that nothing is lost on the way.
#[test]
#[ignore = "it takes some 15 seconds: a step of CI"]
fn counts() {
    let mut broken = Vec::new();
    let mut hold = |name: &str, holds: bool, text: String| {
        println!("{name:34} {text}{}", if holds { "" } else { "   NOT AS PROMISED" });
        if !holds {
            broken.push(name.to_string());
        }
    };
    shares(&Echo::new(), std::env::var_os("NETKIT_MEASURE").is_some(), &mut hold);
    assert!(broken.is_empty(), "not as promised: {}", broken.join(", "));
}
