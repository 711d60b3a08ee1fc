//! Keys that do not apply to their field's type: refused, since they must be mistakes.

use super::super::text::{FieldText, File};
use crate::codec::kinds::{Address, catalogue};
use crate::codec::schema::Form;

/// The first such key of a field, and the types that it is for.
pub fn misplaced(t: &FieldText, text: &File, form: Form) -> Option<String> {
    let base = t.kind.split('[').next().unwrap_or_default().trim();
    let (array, open) = (t.kind.trim().ends_with(']'), t.kind.trim().ends_with("[*]"));
    let sum = base.to_ascii_lowercase().starts_with("crc") && catalogue::by_name(base).is_some();
    let structure = text.structs.iter().any(|(name, ..)| name == base);
    let (message, fault) = (base == "message", base == "fault");
    let bytes = ["bytes", "payload"].contains(&base);
    let letters = ["text", "cstring", "string8", "string16", "string32"].contains(&base);
    let content = (letters || bytes || Address::named(base).is_some()) && t.number.is_none();
    let no_number = content || message || structure || sum;
    let list = array && !bytes && base != "text";
    let (constant, longer) = (t.value.is_some(), t.plus != 0 || !t.cases.is_empty());
    let number = !(no_number || list);
    let single = !(t.kind.is_empty() || !t.bits.is_empty() || constant);
    let counts = number && t.bits.is_empty() && !constant || list && !open;
    let shown = if t.kind.is_empty() { "a view (of)" } else { t.kind.trim() };
    let wrong = |key: &str, of: &str| Some(format!("{key} is for {of}, not for {shown}"));
    let rules = [
        ("hidden_id", message, "messages"),
        ("over holds holds_order holds_if order", sum, "checksums"),
        ("inline", structure, "structs"),
        ("number", letters && !array, "text"),
        ("scale enum flags", !no_number, "whole numbers"),
        ("signed", base.starts_with("bits(") && t.flags.is_none(), "bits(n) and parts of a number, without flags"),
        ("charset", !bytes, "text"),
        ("unit", !message && !fault, "values"),
        ("align", single && !message && !fault, "text, bytes, lists, structs and numbers"),
        ("while", open, "lists T[*]"),
        ("plus", counts, "numbers and counts"),
        ("padded", bytes, "bytes up to the end"),
    ];
    for (keys, fits, of) in rules {
        if let (Some(key), false) = (t.first_of(keys), fits) {
            return wrong(key, of);
        }
    }
    if !t.cases.is_empty() && !counts {
        return wrong("a longer form (as 13 = \"u8\")", "numbers and counts");
    }
    let needs = [
        ("or_end", "until"),
        ("holds_order holds_if", "holds"),
        (if t.cases.is_empty() { "inflated most" } else { "inflated" }, "compressed"),
        ("rounded", "scale"),
        ("back", "joined"),
    ];
    for (keys, other) in needs {
        if let (Some(key), None) = (t.first_of(keys), t.first_of(other)) {
            return Some(format!("{key}: {other} is missing, without which it has no effect"));
        }
    }
    let never = t.first_of("value optional xor charset flags").or(longer.then_some("plus"));
    if let (Some(key), true) = (never, t.number.is_some()) {
        return Some(format!("{key} is not for numbers in text"));
    }
    let other_keys = longer || t.first_of("scale enum flags angle").is_some();
    if t.time.is_some() && (no_number || !single || other_keys) {
        return Some(format!("time is for whole numbers alone, without names and scale, not for {shown}"));
    }
    if t.angle && (!["i16", "i16le", "i16be"].contains(&base) || t.first_of("scale enum flags").is_some()) {
        return Some("angle is for i16, without scale and names".into());
    }
    if t.checked && !array {
        return Some("checked is for lists with a count before them".into());
    }
    if let (Some(key), true) = (t.first_of("closed default"), constant) {
        return Some(format!("{key} does not apply to a constant (value)"));
    }
    if t.hidden && !constant && (structure || list || fault || bytes) {
        return Some("hidden: only numbers, text that ends with one character, and constants can be".into());
    }
    let elsewhere = [("fields of type message", message), ("inline structs", t.inline), ("parts", !t.bits.is_empty())];
    if let (Some((what, _)), false) = (elsewhere.iter().find(|(_, is)| *is), t.sets.is_empty()) {
        return Some(format!("sets is for a [[message]] and for fields that are shown by themselves, not for {what}"));
    }
    if t.sets.iter().any(|(_, value)| value.is_none()) && !number {
        return Some(format!("sets: {shown} is not a number: say the value, as sets = {{ NAME = 1 }}"));
    }
    if t.optional && form != Form::Members && !constant && !bytes && base != "text" {
        return Some("optional is for constants, text and bytes: value is missing".into());
    }
    let given = t.default.as_ref().filter(|default| !default.is_string() && content && !array);
    given.map(|default| format!("default: expected text, got {default}"))
}
