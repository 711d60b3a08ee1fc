//! The capture layer on files built here: formats, damage, link layers and fragments.

mod common;

#[path = "capture/files.rs"]
mod files;
#[path = "capture/formats.rs"]
mod formats;
#[path = "capture/fragments.rs"]
mod fragments;
#[path = "capture/layers.rs"]
mod layers;
#[path = "capture/links.rs"]
mod links;
#[path = "capture/packed.rs"]
mod packed;
#[path = "capture/times.rs"]
mod times;
#[path = "capture/writing.rs"]
mod writing;
