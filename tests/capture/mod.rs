//! The capture layer on files built here: formats, damage, link layers and fragments.

mod files;
mod formats;
mod fragments;
mod layers;
mod links;
mod packed;
mod times;
mod writing;
