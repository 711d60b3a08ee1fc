//! The README's picture of the inspector, drawn from the cells of its screen in their colours.
//!
//! `NETKIT_BLESS=1 cargo test --test behaviour view::picture` redraws `fixtures/view.svg`.

use super::{buffer, press, store};
use crate::common::fixture;
use netkit::view::{State, Subject};
use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::style::{Color, Modifier};
use std::fmt::Write;

const CAPTURE: &str = "riptide/riptide22-lossy.pcap";
/// To the warning, and to the fields of its message.
const KEYS: &str = "w\tjjj";
const SIZE: (u16, u16) = (104, 26);
/// The size of a character and a line, in units of the drawing.
const CELL: (f32, f32) = (8.4, 18.0);
const EDGE: f32 = 14.0;

/// The colour and the attributes of a cell's text.
fn face(cell: &Cell) -> String {
    let has = |modifier| cell.modifier.contains(modifier);
    let fill = match cell.fg {
        _ if has(Modifier::REVERSED) => "#1e2127",
        Color::Red | Color::LightRed => "#ff6b68",
        Color::Green | Color::LightGreen => "#8dc891",
        Color::Yellow | Color::LightYellow => "#e5c07b",
        Color::Blue | Color::LightBlue => "#7aa2f7",
        Color::Magenta | Color::LightMagenta => "#c792ea",
        Color::Cyan | Color::LightCyan => "#5fc3d0",
        Color::Reset if has(Modifier::DIM) => "#7f848e",
        Color::Reset => "#d7dae0",
        other => panic!("the picture does not know {other}"),
    };
    let weight = if has(Modifier::BOLD) { " font-weight=\"bold\"" } else { "" };
    let style = if has(Modifier::ITALIC) { " font-style=\"italic\"" } else { "" };
    format!("fill=\"{fill}\"{weight}{style}")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn draw(buffer: &Buffer) -> String {
    let area = buffer.area;
    let (width, height) = (2.0 * EDGE + f32::from(area.width) * CELL.0, 2.0 * EDGE + f32::from(area.height) * CELL.1);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">\n\
         <title>netkit view in a terminal</title>\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#1e2127\"/>\n\
         <g font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"14\" xml:space=\"preserve\">\n"
    );
    for y in 0..area.height {
        let top = EDGE + f32::from(y) * CELL.1;
        let cells: Vec<&Cell> = (0..area.width).map(|x| &buffer[(x, y)]).collect();
        let mut column = 0;
        for run in cells.chunk_by(|a, b| (a.fg, a.modifier) == (b.fg, b.modifier)) {
            let (x, length) = (EDGE + column as f32 * CELL.0, run.len() as f32 * CELL.0);
            column += run.len();
            if run[0].modifier.contains(Modifier::REVERSED) {
                let height = CELL.1;
                writeln!(
                    svg,
                    "<rect x=\"{x:.1}\" y=\"{top:.1}\" width=\"{length:.1}\" height=\"{height}\" fill=\"#d7dae0\"/>"
                )
                .unwrap();
            }
            // Spaces at the ends of a run are part of its position.
            let text: String = run.iter().map(|cell| cell.symbol()).collect();
            let (begin, text) = (text.len() - text.trim_start_matches(' ').len(), text.trim_matches(' '));
            if text.is_empty() {
                continue;
            }
            let (x, length) = (x + begin as f32 * CELL.0, text.chars().count() as f32 * CELL.0);
            let (y, face, text) = (top + 0.75 * CELL.1, face(run[0]), escaped(text));
            // The length keeps columns aligned with any font.
            writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{length:.1}\" {face}>{text}</text>").unwrap();
        }
    }
    svg + "</g>\n</svg>\n"
}

#[test]
fn picture() {
    let subject = Subject { name: "riptide22-lossy.pcap".into(), colour: true, ..Subject::default() };
    let mut state = State::new(store(CAPTURE, None), subject, SIZE);
    press(&mut state, KEYS);
    let svg = draw(&buffer(&state));
    let file = fixture("view.svg");
    if std::env::var_os("NETKIT_BLESS").is_some() {
        std::fs::write(&file, &svg).expect("written");
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        kept == svg,
        "fixtures/view.svg is not what is drawn: NETKIT_BLESS=1 cargo test --test behaviour view::picture"
    );
}
