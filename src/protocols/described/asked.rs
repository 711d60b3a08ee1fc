//! The names that a file asks for anywhere: in conditions, as lengths, numbers and keys.

use super::text::{FieldText, File, Place, ValueText};
use std::collections::HashSet;

/// All of them, each also without what stands before its dot.
pub fn asked(file: &File) -> HashSet<&str> {
    let mut all = Asked(HashSet::new());
    let packet = file.packet.iter().flat_map(|(_, fields)| fields);
    let structs = file.structs.iter().flat_map(|(.., fields)| fields);
    for field in packet.chain(structs).chain(file.messages.iter().flat_map(|m| &m.fields)) {
        all.field(field);
    }
    all.texts(file.messages.iter().flat_map(|m| &m.condition));
    all.texts(file.recognise.server.iter().map(|(_, text)| text));
    let frames = file.tcp.iter().flat_map(|ports| &ports.frames);
    all.texts(frames.flat_map(|frame| &frame.condition));
    for numbers in &file.numbers {
        all.texts(numbers.condition.iter().chain(&numbers.per));
        let places = [
            &numbers.number,
            &numbers.ack,
            &numbers.ack_below,
            &numbers.ack_bits,
            &numbers.ack_ranges,
            &numbers.nack,
            &numbers.resent_as,
        ];
        for Place { field, condition, .. } in places.into_iter().flatten() {
            all.texts(condition.iter().chain([field]));
        }
    }
    all.0
}

struct Asked<'a>(HashSet<&'a str>);

impl<'a> Asked<'a> {
    fn text(&mut self, text: &'a str) {
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'));
        for word in words.filter(|word| !word.is_empty()) {
            self.0.insert(word);
            self.0.extend(word.split('.'));
        }
    }

    fn texts(&mut self, texts: impl Iterator<Item = &'a String>) {
        texts.for_each(|text| self.text(text));
    }

    fn field(&mut self, field: &'a FieldText) {
        let more = [&field.condition, &field.by, &field.of, &field.holds, &field.holds_if, &field.inflated];
        self.texts(more.into_iter().flatten());
        if let Some(ValueText::Text(text)) = &field.xor {
            self.text(text);
        }
        self.texts(field.size.iter().map(|size| &size.word));
        field.kind.split('[').skip(1).for_each(|times| self.text(times));
        if let Some(join) = &field.join {
            let more = [&join.condition, &join.index, &join.offset, &join.count, &join.total, &join.remaining];
            self.texts(more.into_iter().flatten().chain(&join.key));
        }
    }
}
