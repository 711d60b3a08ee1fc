//! Messages that fit a filter.

use super::figures::Part;
use super::store::Store;
use crate::filter::Filter;
use std::sync::Arc;

/// Messages that fit a filter, as far as they were looked at.
#[derive(Clone, Debug)]
pub struct Fits {
    /// The filter as it was typed.
    pub text: String,
    /// The filter.
    pub filter: Arc<Filter>,
    /// The part of its messages that fit, if not all do.
    pub part: Option<Part>,
    /// The numbers of those that fit, ascending.
    pub found: Vec<u32>,
    /// The number of messages that were tested.
    pub looked: usize,
    /// Others are hidden.
    pub only: bool,
}

impl Fits {
    /// A filter before any message was tested.
    pub fn new(text: &str, filter: Filter, only: bool) -> Fits {
        Fits { text: text.into(), filter: Arc::new(filter), part: None, found: Vec::new(), looked: 0, only }
    }

    /// The filter in words.
    pub fn shown(&self) -> String {
        let part = self.part.as_ref().map(ToString::to_string).unwrap_or_default();
        format!("{}{part}", self.text)
    }

    /// Tests some more messages.
    pub fn look_on(&mut self, store: &Store) {
        let Fits { filter, part, found, .. } = self;
        self.looked = store.each(self.looked, |number, mut opened| {
            if filter.later().is_some() {
                store.link(&mut opened);
            }
            let of_part = part.as_ref().is_none_or(|part| part.has(number, &opened.dissection().delivery));
            if of_part && opened.with(store.options(), |message| filter.matches(message)) {
                found.push(number as u32);
            }
        });
    }
}
