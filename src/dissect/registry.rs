//! The dissectors known in a run.

use super::dissector::Dissector;
use std::sync::Arc;

/// The known dissectors, in the order in which they are listed and asked.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    dissectors: Arc<[&'static dyn Dissector]>,
}

impl Registry {
    /// A registry of these dissectors. If two have the same name, the first is taken.
    pub fn new(dissectors: impl IntoIterator<Item = &'static dyn Dissector>) -> Registry {
        let mut list: Vec<&'static dyn Dissector> = Vec::new();
        for dissector in dissectors {
            if list.iter().all(|d| d.name() != dissector.name()) {
                list.push(dissector);
            }
        }
        Registry { dissectors: list.into() }
    }

    /// Adds a dissector, which is asked first. One with the same name is replaced.
    #[must_use]
    pub fn with(&self, dissector: &'static dyn Dissector) -> Registry {
        Registry::new(std::iter::once(dissector).chain(self.iter()))
    }

    /// All dissectors.
    pub fn iter(&self) -> impl Iterator<Item = &'static dyn Dissector> + '_ {
        self.dissectors.iter().copied()
    }

    /// The dissector of this name.
    pub fn by_name(&self, name: &str) -> Option<&'static dyn Dissector> {
        self.iter().find(|d| d.name() == name)
    }

    /// The dissector for lines with this `proto`: the name of a dissector or of its carrier.
    pub fn for_line(&self, proto: &str) -> Option<&'static dyn Dissector> {
        self.by_name(proto).or_else(|| self.iter().find(|d| d.carriers().contains(&proto)))
    }

    /// The `proto` names that lines may have: of the dissectors and of their carriers.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.iter().flat_map(|d| std::iter::once(d.name()).chain(d.carriers().iter().copied()))
    }

    /// The names of all messages.
    pub fn messages(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.iter().flat_map(|d| d.tables()).flat_map(|table| table.layouts).map(|layout| layout.name)
    }
}
