//! Charts as SVG: a picture with time across, its axes, and a table of the same values below it.
//!
//! Only the picture is stretched to the page's width (its strokes are not). The axes are SVGs of their own, so that
//! their text has the same size on every screen.

use super::Html;
use super::scale::{ACROSS, time_label, times};
use std::fmt::{Display, Write as _};

/// The title, size and axes of a chart.
#[derive(Clone, Debug)]
pub struct Chart<'a> {
    /// Its title.
    pub title: &'a str,
    /// Its explanation: units, the length of a step.
    pub about: &'a str,
    /// A text alternative for people who cannot see it.
    pub summary: &'a str,
    /// The height of its picture.
    pub height: u32,
    /// Its duration; `None`: it goes over shares, from 0 to 100 %.
    pub seconds: Option<f64>,
    /// The labels of the vertical axis: position from 0 to 1, and text.
    pub ticks: &'a [(f64, String)],
    /// The entries of its legend: mark, name and explanation.
    pub legend: Vec<(Mark, &'a str, String)>,
}

/// Writes a chart: `picture` writes the shapes, `table` the table below it.
pub fn chart(chart: &Chart<'_>, html: &mut Html, picture: impl FnOnce(&mut Html), table: impl FnOnce(&mut Html)) {
    let Chart { title, about, summary, height, seconds, ticks, legend } = chart;
    let (height, mut figure) = (*height, html.line().el("figure").class("chart"));
    let below: Vec<(f64, String)> = match *seconds {
        Some(seconds) => {
            figure = figure.attr("data-from", 0).attr("data-to", seconds);
            let share = |at: f64| if seconds > 0.0 { at / seconds } else { 0.0 };
            times(seconds).iter().map(|at| (share(*at), time_label(*at))).collect()
        }
        None => [0, 25, 50, 75, 90, 100].map(|share| (f64::from(share) / 100.0, format!("{share} %"))).into(),
    };
    figure.with(|html| {
        html.el("figcaption").with(|html| {
            html.el("h3").text(title);
            html.el("p").text(about);
        });
        html.el("ul").class("legend").with(|html| {
            legend.iter().for_each(|(mark, name, about)| entry(*mark, name, about, html));
        });
        html.line().el("div").class("canvas").with(|html| {
            let axis = html.el("svg").class("axis-y").attr("width", 60).attr("height", height);
            axis.attr("aria-hidden", true).with(|html| {
                for (at, text) in *ticks {
                    let y = f64::from(height) * (1.0 - at);
                    html.el("text").attr("x", 52).attr("y", number(y)).attr("text-anchor", "end").text(text);
                }
            });
            let plot = html.el("svg").class("plot").attr("viewBox", format_args!("0 0 {ACROSS} {height}"));
            let plot = plot.attr("height", height).attr("preserveAspectRatio", "none").attr("role", "img");
            plot.attr("aria-label", format_args!("{title}. {summary}")).with(|html| {
                let mut lines = String::new();
                for (at, _) in *ticks {
                    let _ = write!(lines, "M0 {}H{ACROSS}", number(f64::from(height) * (1.0 - at)));
                }
                html.el("path").class("grid").attr("d", lines);
                picture(html);
            });
            html.el("svg").class("axis-x").attr("height", 20).attr("aria-hidden", true).with(|html| {
                for (k, (share, label)) in below.iter().enumerate() {
                    let anchor = match share {
                        _ if k == 0 => "start",
                        share if *share > 0.96 => "end",
                        _ => "middle",
                    };
                    let text = html.el("text").attr("x", format_args!("{}%", number(share * 100.0)));
                    text.attr("y", 15).attr("text-anchor", anchor).text(label);
                }
            });
        });
        html.line().el("details").with(|html| {
            html.el("summary").text("As a table");
            table(html);
        });
    });
}

/// Writes an entry of a legend: the mark, the name and an explanation.
pub fn entry(mark: Mark, name: impl Display, about: impl Display, html: &mut Html) {
    html.el("li").with(|html| {
        mark.swatch(html);
        html.el("b").short(60, name);
        html.el("span").text(about);
    });
}

/// The mark of a series: a colour, and a pattern or a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// An area: the pattern's number.
    Area(usize),
    /// Round dots.
    Round(&'static str),
    /// Square dots.
    Square(&'static str),
    /// A line.
    Line(&'static str),
    /// A dashed line.
    Dashes(&'static str),
}

/// The patterns of areas.
pub const PATTERNS: usize = 6;
const FILLS: [&str; PATTERNS] =
    ["url(#area-0)", "url(#area-1)", "url(#area-2)", "url(#area-3)", "url(#area-4)", "url(#area-5)"];

impl Mark {
    /// The fill of an area.
    pub fn fill(at: usize) -> &'static str {
        FILLS[at.min(PATTERNS - 1)]
    }

    fn swatch(self, html: &mut Html) {
        let svg = html.el("svg").class("swatch").attr("width", 16).attr("height", 12).attr("aria-hidden", true);
        svg.with(|html| match self {
            Mark::Area(at) => {
                html.el("rect").attr("width", 16).attr("height", 12).attr("rx", 2).attr("fill", Mark::fill(at));
            }
            Mark::Round(colour) => {
                html.el("circle").attr("class", format_args!("{colour} dot")).attr("cx", 8).attr("cy", 6).attr("r", 4);
            }
            Mark::Square(colour) => {
                let rect = html.el("rect").attr("class", format_args!("{colour} dot")).attr("x", 4.5).attr("y", 2.5);
                rect.attr("width", 7).attr("height", 7);
            }
            Mark::Line(colour) | Mark::Dashes(colour) => {
                let dashes = if matches!(self, Mark::Dashes(_)) { "dashes" } else { "solid" };
                html.el("path").attr("class", format_args!("{colour} line {dashes}")).attr("d", "M0 6H16");
            }
        });
    }
}

/// Writes the patterns that areas refer to; needed once a page.
pub fn patterns(html: &mut Html) {
    let lines = [
        "",
        "M-1 1l2 -2M0 6l6 -6M5 7l2 -2",
        "M1.5 1.5h1.5v1.5h-1.5zM4.5 4.5h1.5v1.5h-1.5z",
        "M0 1h6M0 4h6",
        "M-1 5l2 2M0 0l6 6M5 -1l2 2",
        "M1.5 0v6",
    ];
    html.line().el("svg").class("patterns").attr("width", 0).attr("height", 0).attr("aria-hidden", true).with(|html| {
        html.el("defs").with(|html| {
            for (k, d) in lines.iter().enumerate() {
                let pattern =
                    html.el("pattern").attr("id", format_args!("area-{k}")).attr("width", 6).attr("height", 6);
                pattern.attr("patternUnits", "userSpaceOnUse").with(|html| {
                    html.el("rect").attr("class", format_args!("s{k}")).attr("width", 6).attr("height", 6);
                    html.el("path").class("ink").attr("d", d);
                });
            }
        });
    });
}

/// An area: its pattern, and its height in every step from 0 to 1.
pub struct Layer {
    pub mark: usize,
    pub values: Vec<f64>,
}

/// Draws stacked areas.
pub fn areas(layers: &[Layer], height: u32, html: &mut Html) {
    let steps = layers.iter().map(|layer| layer.values.len()).max().unwrap_or(0);
    let mut below = vec![0.0; steps];
    for Layer { mark, values } in layers {
        let above: Vec<f64> =
            below.iter().enumerate().map(|(k, base)| base + values.get(k).copied().unwrap_or(0.0)).collect();
        let x = |k: usize| number(k as f64 * ACROSS / steps.max(1) as f64);
        let y = |at: f64| number(f64::from(height) * (1.0 - at.min(1.0)));
        let mut d = String::new();
        // Empty steps are skipped, so that nothing is drawn along the axis.
        let mut k = 0;
        while k < steps {
            let end = (k..steps).find(|k| above[*k] <= below[*k]).unwrap_or(steps);
            if end > k {
                let _ = write!(d, "M{} {}", x(k), y(below[k]));
                for (at, level) in above.iter().enumerate().take(end).skip(k) {
                    let _ = write!(d, "V{}H{}", y(*level), x(at + 1));
                }
                for at in (k..end).rev() {
                    let _ = write!(d, "V{}H{}", y(below[at]), x(at));
                }
                d.push('Z');
            }
            k = end.max(k + 1);
        }
        if !d.is_empty() {
            html.line().el("path").attr("fill", Mark::fill(*mark)).attr("d", d);
        }
        below = above;
    }
}

/// A point of a chart: from 0 at the left and below to 1.
#[derive(Clone, Copy)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

/// Draws points.
pub fn dots(mark: Mark, hollow: bool, points: impl Iterator<Item = Point>, height: u32, html: &mut Html) {
    let mut d = String::new();
    // PDF readers draw a line without length only where its ends are round.
    let length = if let Mark::Square(_) = mark { "h.01" } else { "h0" };
    for Point { x, y } in points {
        let _ = write!(d, "M{} {}{length}", number(x * ACROSS), number(f64::from(height) * (1.0 - y)));
    }
    let (colour, shape) = match mark {
        Mark::Square(colour) => (colour, "square"),
        Mark::Round(colour) | Mark::Line(colour) | Mark::Dashes(colour) => (colour, "round"),
        Mark::Area(_) => ("s0", "round"),
    };
    if d.is_empty() {
        return;
    }
    html.line().el("path").attr("class", format_args!("{colour} dots {shape}")).attr("d", &d);
    if hollow {
        html.el("path").attr("class", format_args!("dots {shape} hole")).attr("d", &d);
    }
}

/// Draws a line through points; `None` interrupts it.
pub fn line(mark: Mark, points: impl Iterator<Item = Option<Point>>, height: u32, html: &mut Html) {
    let (mut d, mut drawn) = (String::new(), false);
    for point in points {
        let Some(Point { x, y }) = point else {
            drawn = false;
            continue;
        };
        let (x, y) = (number(x * ACROSS), number(f64::from(height) * (1.0 - y)));
        let _ = match drawn {
            true => write!(d, "L{x} {y}"),
            // A single point needs a line of no length to be visible.
            false => write!(d, "M{x} {y}h0"),
        };
        drawn = true;
    }
    let (colour, dashes) = match mark {
        Mark::Dashes(colour) => (colour, "dashes"),
        Mark::Line(colour) | Mark::Round(colour) | Mark::Square(colour) => (colour, "solid"),
        Mark::Area(_) => ("s0", "solid"),
    };
    if !d.is_empty() {
        html.line().el("path").attr("class", format_args!("{colour} line {dashes}")).attr("d", d);
    }
}

/// Formats a coordinate with at most two decimals.
pub fn number(x: f64) -> String {
    let text = format!("{x:.2}");
    match text.trim_end_matches('0').trim_end_matches('.') {
        "-0" | "" => "0".into(),
        short => short.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_are_stacked_and_leave_gaps() {
        let body = |write: &dyn Fn(&mut Html)| {
            let page = Html::document("t", |html| write(html));
            let start = page.find("<body>").unwrap() + 6;
            page[start..].split("\n<script>").next().unwrap().to_owned()
        };
        let drawn = body(&|html| {
            areas(
                &[[0.5, 0.0], [0.25, 0.25]]
                    .into_iter()
                    .enumerate()
                    .map(|(mark, values)| Layer { mark, values: values.into() })
                    .collect::<Vec<_>>(),
                100,
                html,
            )
        });
        assert_eq!(
            drawn,
            "\n<path fill=\"url(#area-0)\" d=\"M0 100V50H500V100H0Z\"></path>\
             \n<path fill=\"url(#area-1)\" d=\"M0 50V25H500V75H1000V100H500V50H0Z\"></path>"
        );
        let drawn = body(&|html| {
            let points = [Some((0.0, 0.0)), Some((0.5, 1.0)), None, Some((1.0, 0.5))];
            line(Mark::Dashes("a"), points.into_iter().map(|point| point.map(|(x, y)| Point { x, y })), 10, html);
        });
        assert_eq!(drawn, "\n<path class=\"a line dashes\" d=\"M0 10h0L500 0M1000 5h0\"></path>");
        assert_eq!(number(-0.001), "0");
    }
}
