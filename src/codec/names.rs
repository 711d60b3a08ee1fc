//! Lists the names that a group can contain: for errors that suggest the intended field, and for values whose form
//! depends on the field.

use super::layout::{Count, Field, Kind, Len, Other};

/// The depth to which unnamed fields are followed.
const DEEPEST: usize = 16;

/// Calls `each` with every named field that can appear in a group of these fields, including the
/// lengths and counts that can be given explicitly.
pub(crate) fn in_group(fields: &'static [Field], each: &mut dyn FnMut(&'static Field)) {
    members(fields, DEEPEST, each);
}

/// Whether a field of that name belongs to a group of these fields.
pub(crate) fn has(name: &str, fields: &'static [Field]) -> bool {
    let mut found = false;
    in_group(fields, &mut |field| found |= field.name == name);
    found
}

/// The number of fields of that name in a group of these fields.
pub(crate) fn count(name: &str, fields: &'static [Field]) -> usize {
    let mut found = 0;
    in_group(fields, &mut |field| found += (field.name == name) as usize);
    found
}

fn members(fields: &'static [Field], left: usize, each: &mut dyn FnMut(&'static Field)) {
    if left == 0 {
        return;
    }
    for field in fields {
        match &field.kind {
            kind if field.is_inline() => members(kind.fields(), left - 1, each),
            Kind::Switch { cases, other, .. } => {
                cases.iter().for_each(|case| members(case.fields, left - 1, each));
                if let Other::Fields(inner) = other {
                    members(inner, left - 1, each);
                }
            }
            // Never given: encoded from the table, or known from earlier messages.
            Kind::Tag { .. } | Kind::Derived => {}
            Kind::Array { count: Count::Prefix(prefix), .. }
            | Kind::Text { len: Len::Prefix(prefix), .. }
            | Kind::Bytes { len: Len::Prefix(prefix) } => {
                if !prefix.name.is_empty() {
                    each(prefix);
                }
                each(field);
            }
            _ => each(field),
        }
    }
}

/// Calls `each` with every field below `fields`, at any depth, once per place in the table. A table may contain itself,
/// so each group is entered only once.
pub fn everywhere(fields: &'static [Field], each: &mut dyn FnMut(&'static Field)) {
    fn list(fields: &'static [Field], seen: &mut Vec<*const Field>, each: &mut dyn FnMut(&'static Field)) {
        for field in fields {
            one(field, seen, each);
        }
    }
    fn one(field: &'static Field, seen: &mut Vec<*const Field>, each: &mut dyn FnMut(&'static Field)) {
        each(field);
        if seen.contains(&std::ptr::from_ref(field)) {
            return;
        }
        seen.push(field);
        match &field.kind {
            Kind::Array { of, .. } => one(of, seen, each),
            Kind::Switch { cases, other, .. } => {
                cases.iter().for_each(|case| list(case.fields, seen, each));
                if let Other::Fields(inner) = other {
                    list(inner, seen, each);
                }
            }
            kind => list(kind.fields(), seen, each),
        }
    }
    list(fields, &mut Vec::new(), each);
}

#[cfg(test)]
mod tests {
    use super::super::layout::*;
    use super::*;

    static CASES: [Case; 1] = [Case { value: 1, fields: &[u8("rtt")] }];
    static COUNT: Field = u8("link_count");
    static LINK: Field = group("link", &[u8("id"), latin1("title", Len::Const(4))]);
    static TABLE: [Field; 4] = [
        tag("type", 8, 1),
        u8("kind").referenced(),
        switch("kind", &CASES, Other::Fault("unknown")),
        array("links", Count::Prefix(&COUNT), &LINK),
    ];

    #[test]
    fn names_in_a_group() {
        let mut names = Vec::new();
        in_group(&TABLE, &mut |f| names.push(f.name));
        assert_eq!(names, ["kind", "rtt", "link_count", "links"]);
        assert!(has("link_count", &TABLE) && !has("title", &TABLE));
        names.clear();
        everywhere(&TABLE, &mut |f| names.push(f.name));
        assert!(names.contains(&"title"));
    }
}
