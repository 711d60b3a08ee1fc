//! `decode --context`: the messages around those that fit, as grep has lines.

use crate::common;
use crate::common::run;
use std::collections::BTreeSet;

const FILE: &str = "fixtures/riptide/riptide20-udp.pcap";
const FITS: &str = "message == connect";

fn decode(args: &[&str]) -> Vec<String> {
    let all = [&["decode", FILE, "-p", "riptide", "-q", "--threads", "2"], args].concat();
    run(&all, b"").ok().text().lines().map(String::from).collect()
}

/// The places of the lines that grep -B and -A would choose.
fn around(all: &[String], fits: &[String], [before, after]: [usize; 2]) -> BTreeSet<usize> {
    let places = all.iter().enumerate().filter(|(_, line)| fits.contains(line)).map(|(place, _)| place);
    places.flat_map(|place| place.saturating_sub(before)..=(place + after).min(all.len() - 1)).collect()
}

#[test]
fn messages_around_those_that_fit() {
    let (all, fits) = (decode(&["-f", "ndjson"]), decode(&["-f", "ndjson", "-F", FITS]));
    assert!(fits.len() > 5 && all.len() > 100);
    for (args, counts) in [
        (&["--context", "2"][..], [2, 2]),
        (&["-B", "3"], [3, 0]),
        (&["-A", "1"], [0, 1]),
        (&["--before-context", "1", "--after-context", "40"], [1, 40]),
        (&["--context", "1000"], [1000, 1000]),
    ] {
        let want: Vec<&String> = around(&all, &fits, counts).into_iter().map(|place| &all[place]).collect();
        let printed = decode(&[&["-f", "ndjson", "-F", FITS], args].concat());
        assert_eq!(printed.iter().collect::<Vec<_>>(), want, "{args:?}");
    }
}

/// Groups that are not next to each other have grep's separator between them, in forms for people.
#[test]
fn groups_are_divided() {
    let summary = ["-f", "summary", "--time", "utc"];
    let (all, fits) = (decode(&summary), decode(&[&summary[..], &["-F", FITS]].concat()));
    let places: Vec<usize> = around(&all, &fits, [1, 2]).into_iter().collect();
    let mut want = Vec::new();
    for (k, place) in places.iter().enumerate() {
        if k > 0 && places[k - 1] + 1 < *place {
            want.push("--".to_owned());
        }
        want.push(all[*place].clone());
    }
    assert!(want.contains(&"--".into()));
    let around = ["-F", FITS, "--before-context", "1", "--after-context", "2"];
    assert_eq!(decode(&[&summary[..], &around].concat()), want);
    let text = decode(&[&["-f", "json"][..], &around].concat()).join("\n");
    assert_eq!(common::json(&text).as_array().map(Vec::len), Some(places.len()), "json is one array");
}

/// `-c` counts what fits; the messages after the last of them still come. `--flow` leaves the others out.
#[test]
fn counts_and_conversations() {
    let all = decode(&["-f", "ndjson"]);
    let fits = decode(&["-f", "ndjson", "-F", FITS, "-c", "2"]);
    let want: Vec<String> = around(&all, &fits, [0, 3]).into_iter().map(|place| all[place].clone()).collect();
    assert_eq!(decode(&["-f", "ndjson", "-F", FITS, "-c", "2", "--after-context", "3"]), want);
    let all = decode(&["-f", "ndjson", "--flow", "2"]);
    let fits = decode(&["-f", "ndjson", "--flow", "2", "-F", FITS]);
    let want: Vec<String> = around(&all, &fits, [1, 1]).into_iter().map(|place| all[place].clone()).collect();
    assert_eq!(decode(&["-f", "ndjson", "--flow", "2", "-F", FITS, "--context", "1"]), want);
}

#[test]
fn what_has_no_context() {
    for (args, why) in [
        (&["-f", "dialogue"][..], "not with -f dialogue"),
        (&["-f", "summary", "--time", "delta"], "nor with --time delta"),
        (&["-w", "never.pcap"], "not with files of frames or columns"),
        (&["--check"], "not with files of frames or columns"),
    ] {
        let done = run(&[&["decode", FILE, "-F", FITS, "--context", "1"], args].concat(), b"");
        assert_eq!((done.status, done.text()), (Some(2), ""), "{args:?}: {}", done.err);
        assert!(done.err.contains(why), "{args:?}: {}", done.err);
    }
    let done = run(&["decode", FILE, "--context", "1"], b"");
    assert!(done.status == Some(2) && done.err.contains("--filter <EXPR>"), "{}", done.err);
}

/// The messages of another file are not around those that fit.
#[test]
fn files_are_no_context_of_each_other() {
    let frames = |lines: &[String]| -> Vec<u64> {
        lines.iter().map(|line| common::json(line)["frame"].as_u64().expect("a number")).collect()
    };
    let args = ["-f", "ndjson", "-F", FITS, "-B", "1000"];
    let one = frames(&decode(&args));
    assert!(one.len() < decode(&["-f", "ndjson"]).len(), "messages follow the last one that fits");
    assert_eq!(frames(&decode(&[&[FILE][..], &args].concat())), [one.clone(), one].concat());
}
