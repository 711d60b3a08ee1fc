//! Keys that do not apply to their field's type: refused, since they must be mistakes.

use super::super::text::{FieldText, File};
use crate::codec::kinds::{Address, catalogue};
use crate::codec::schema::Form;

/// Whether the number is always the same, or has several sizes.
fn constant_or_longer(t: &FieldText) -> bool {
    t.value.is_some() || t.plus != 0 || !t.cases.is_empty()
}

/// The first such key of a field, and the types that it is for.
pub fn misplaced(t: &FieldText, text: &File, form: Form) -> Option<String> {
    let base = t.kind.split('[').next().unwrap_or_default().trim();
    let sum = base.to_ascii_lowercase().starts_with("crc") && catalogue::by_name(base).is_some();
    let structure = text.structs.iter().any(|(name, ..)| name == base);
    let content = ["text", "cstring", "string8", "string16", "string32", "bytes", "payload"].contains(&base)
        || Address::named(base).is_some();
    let message = base == "message";
    let shown = if t.kind.is_empty() { "a view (of)" } else { t.kind.trim() };
    let misses = |key: &str, other: &str| Some(format!("{key}: {other} is missing, without which it has no effect"));
    let wrong = |key: &str, of: &str| Some(format!("{key} is for {of}, not for {shown}"));
    if t.or_end && t.until.is_none() {
        return misses("or_end", "until");
    }
    if t.hidden_id && !message {
        return wrong("hidden_id", "messages");
    }
    let sums = [
        ("over", t.over.is_some()),
        ("holds", t.holds.is_some()),
        ("holds_order", t.holds_big.is_some()),
        ("holds_if", t.holds_if.is_some()),
        ("order", t.big.is_some()),
    ];
    if let Some((key, _)) = sums.iter().find(|(_, given)| *given && !sum) {
        return wrong(key, "checksums");
    }
    let held = [("holds_order", t.holds_big.is_some()), ("holds_if", t.holds_if.is_some())];
    if let Some((key, _)) = held.iter().find(|(_, given)| *given && t.holds.is_none()) {
        return misses(key, "holds");
    }
    let packed = [("inflated", t.inflated.is_some()), ("most", t.most.is_some() && t.cases.is_empty())];
    if let Some((key, _)) = packed.iter().find(|(_, given)| *given && t.compressed.is_none()) {
        return misses(key, "compressed");
    }
    if t.inline && !structure {
        return wrong("inline", "structs");
    }
    let text = base != "bytes" && base != "payload" && content && Address::named(base).is_none();
    if t.number.is_some() && (!text || t.kind.trim().ends_with(']')) {
        return wrong("number", "text");
    }
    let never = [
        ("value", t.value.is_some()),
        ("optional", t.optional),
        ("xor", t.xor.is_some()),
        ("charset", t.charset.is_some()),
        ("flags", t.flags.is_some()),
        ("plus", t.plus != 0 || !t.cases.is_empty()),
    ];
    if let Some((key, _)) = never.iter().find(|(_, given)| *given && t.number.is_some()) {
        return Some(format!("{key} is not for numbers in text"));
    }
    let content = content && t.number.is_none();
    let numbers = [("scale", t.scale.is_some()), ("enum", t.names.is_some()), ("flags", t.flags.is_some())];
    let no_number = content || message || structure || sum;
    if let Some((key, _)) = numbers.iter().find(|(_, given)| *given && no_number) {
        return wrong(key, "whole numbers");
    }
    let beside = t.scale.is_some() || t.names.is_some() || t.flags.is_some() || t.angle || constant_or_longer(t);
    if t.time.is_some() && (no_number || t.kind.is_empty() || !t.bits.is_empty() || beside) {
        return Some(format!("time is for whole numbers alone, without names and scale, not for {shown}"));
    }
    if t.signed && (!base.starts_with("bits(") || t.flags.is_some()) {
        return wrong("signed", "bits(n) and parts of a number, without flags");
    }
    let turns = ["i16", "i16le", "i16be"].contains(&base);
    if t.angle && (!turns || t.scale.is_some() || t.names.is_some() || t.flags.is_some()) {
        return Some("angle is for i16, without scale and names".into());
    }
    if t.rounded && t.scale.is_none() {
        return misses("rounded", "scale");
    }
    if t.checked && !t.kind.trim().ends_with(']') {
        return Some("checked is for lists with a count before them".into());
    }
    let constant = t.value.is_some();
    let fixed = [("closed", t.closed), ("default", t.default.is_some())];
    if let Some((key, _)) = fixed.iter().find(|(_, given)| *given && constant) {
        return Some(format!("{key} does not apply to a constant (value)"));
    }
    let list = t.kind.trim().ends_with(']') && !["bytes", "payload", "text"].contains(&base);
    if t.hidden && !constant && (structure || list || base == "fault" || base == "payload" || base == "bytes") {
        return Some("hidden: only numbers, text that ends with one character, and constants can be".into());
    }
    if t.charset.is_some() && ["bytes", "payload"].contains(&base) {
        return wrong("charset", "text");
    }
    let number = !(content || message || structure || list || sum);
    let elsewhere = [("fields of type message", message), ("inline structs", t.inline), ("parts", !t.bits.is_empty())];
    if let (Some((what, _)), false) = (elsewhere.iter().find(|(_, is)| *is), t.sets.is_empty()) {
        return Some(format!("sets is for a [[message]] and for fields that are shown by themselves, not for {what}"));
    }
    if t.sets.iter().any(|(_, value)| value.is_none()) && !number {
        return Some(format!("sets: {shown} is no number: say the value, as sets = {{ NAME = 1 }}"));
    }
    if !t.unit.is_empty() && (message || base == "fault") {
        return wrong("unit", "values");
    }
    if t.optional && form != Form::Members && !constant && !["text", "bytes", "payload"].contains(&base) {
        return Some("optional is for constants, text and bytes: value is missing".into());
    }
    if t.align > 0 && (message || base == "fault" || t.kind.is_empty() || !t.bits.is_empty() || constant) {
        return wrong("align", "text, bytes, lists, structs and numbers");
    }
    if t.back.is_some() && t.joined.is_none() {
        return misses("back", "joined");
    }
    if t.repeats.is_some() && !t.kind.trim().ends_with("[*]") {
        return wrong("while", "lists T[*]");
    }
    if (t.plus != 0 || !t.cases.is_empty())
        && !(number && t.bits.is_empty() && !constant || list && !t.kind.trim().ends_with("[*]"))
    {
        let key = if t.plus != 0 { "plus" } else { "a longer form (as 13 = \"u8\")" };
        return wrong(key, "numbers and counts");
    }
    if t.padded && !["bytes", "payload"].contains(&base) {
        return wrong("padded", "bytes up to the end");
    }
    let text_given = t.default.as_ref().is_some_and(|default| !default.is_string());
    if text_given && content && !t.kind.ends_with(']') {
        return Some(format!(
            "default: expected text, got {}",
            t.default.as_ref().map_or(String::new(), ToString::to_string)
        ));
    }
    None
}
