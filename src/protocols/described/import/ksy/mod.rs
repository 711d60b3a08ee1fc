//! `.ksy` files of Kaitai Struct: types become structs.

mod condition;
mod expr;
mod fields;
mod forms;
mod model;
mod shape;
mod value;
mod views;
mod written;

pub(crate) use model::Others;

use super::Draft;
use crate::codec::schema::reading::LONGEST;
use crate::protocols::described::load::all;
use model::{Files, Model};
use written::{Broken, Writing};

/// The most attempts to write a file that loads.
const ATTEMPTS: usize = 32;

/// Reads a file. `others`: the files that it imports.
pub fn draft(name: &str, text: &str, others: Others<'_>) -> Result<Draft, (usize, String)> {
    let files = Files::read(name, text, others)?;
    let first = &files.all.first().ok_or((1, "no file".to_owned()))?.2;
    if first.get("meta").is_none_or(|meta| meta.text_of("id").is_empty()) {
        return Err((
            first.get("meta").map_or(1, |meta| meta.line),
            "expected meta, with the id of the description".into(),
        ));
    }
    let model = Model::new(&files)?;
    let mut broken = Broken::default();
    let mut written = 0;
    for _ in 0..ATTEMPTS {
        let writing = Writing::new(&model, &files, &broken);
        let (text, places) = writing.text();
        let done = all("", &format!("protocol = \"x\"\n{text}"), &|_| None);
        let Err(wrong) = done else {
            let Writing { carried, all, left_out, .. } = writing;
            return Ok(Draft { text, carried, all, left_out });
        };
        let mut found = false;
        for mistake in wrong {
            // The first line is that of the protocol's name.
            if let Some(Some(place)) = mistake.line.checked_sub(2).and_then(|line| places.get(line)) {
                broken.add(place.clone(), mistake.reason);
                found = true;
            }
        }
        written += text.len();
        if !found || written > LONGEST {
            break;
        }
    }
    // Nothing that loads was found.
    let writing = Writing::new(&model, &files, &broken);
    let mut left_out = writing.left_out;
    left_out.push((1, "the file that this became does not load: its packets are bytes".into()));
    let text = "\n[packet.fields]\ndata = \"bytes\"\n".into();
    Ok(Draft { text, carried: 0, all: writing.all, left_out })
}
