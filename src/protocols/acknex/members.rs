//! The members of the engine's entity struct by offset, as skill and skill3 use them. Source: the engine's `atypes.h`
//! of A7 and A8, which agree up to here.

use std::io::Write;

/// The offset of the first member, and the size of each.
const FIRST: i64 = 12;
const SIZE: i64 = 4;
/// The first skill; there are 100.
const SKILL1: i64 = 148;
const SKILLS: i64 = 100;

/// The members before the skills.
static BEFORE: [&str; 34] = [
    "type",
    "x",
    "y",
    "z",
    "pan",
    "tilt",
    "roll",
    "scale_x",
    "scale_y",
    "scale_z",
    "flags",
    "frame",
    "next_frame",
    "skin",
    "ambient",
    "albedo",
    "alpha",
    "lightrange",
    "blue",
    "green",
    "red",
    "emask",
    "eflags",
    "min_x",
    "min_y",
    "min_z",
    "max_x",
    "max_y",
    "max_z",
    "trigger_range",
    "push",
    "floor_dist",
    "smask",
    "client_id",
];

/// The members after the skills.
static AFTER: [&str; 4] = ["pose", "material", "u", "v"];

/// Writes the name of the member at this offset. `false`: there is none.
pub fn write_name(offset: i64, text: &mut Vec<u8>) -> bool {
    let at = offset - FIRST;
    if at < 0 || at % SIZE != 0 {
        return false;
    }
    let index = at / SIZE;
    let skill = index - (SKILL1 - FIRST) / SIZE + 1;
    let name = |names: &[&'static str], index: i64| usize::try_from(index).ok().and_then(|k| names.get(k).copied());
    match skill {
        // Writing to a Vec cannot fail.
        1..=SKILLS => write!(text, "skill{skill}").is_ok(),
        _ => match name(&BEFORE, index).or_else(|| name(&AFTER, skill - SKILLS - 1)) {
            Some(name) => {
                text.extend_from_slice(name.as_bytes());
                true
            }
            None => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_name_members() {
        let name = |offset| {
            let mut text = Vec::new();
            write_name(offset, &mut text).then(|| String::from_utf8(text).unwrap())
        };
        for (offset, expected) in [
            (12, "type"),
            (16, "x"),
            (28, "pan"),
            (52, "flags"),
            (64, "skin"),
            (76, "alpha"),
            (84, "blue"),
            (92, "red"),
            (128, "trigger_range"),
            (140, "smask"),
            (144, "client_id"),
            (148, "skill1"),
            (544, "skill100"),
            (548, "pose"),
            (552, "material"),
            (556, "u"),
            (560, "v"),
        ] {
            assert_eq!(name(offset).as_deref(), Some(expected), "{offset}");
        }
        for offset in [i64::from(i16::MIN), -4, 0, 8, 13, 150, 564, 1000, i64::from(i16::MAX)] {
            assert_eq!(name(offset), None, "{offset}");
        }
    }
}
