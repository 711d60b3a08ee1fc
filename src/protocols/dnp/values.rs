//! The 38 types of state values: their names, and their wire forms.
//!
//! The lengths of `point3` with 32 and 64 bits are those of the programs (12 and 24 bytes); the specification's table
//! has 3. Components are in the order x, y, z, w.

use crate::codec::layout::*;

static S8: Field = i8("component");
static U8: Field = u8("component");
static S16: Field = i16le("component");
static U16: Field = u16le("component");
static S32: Field = i32le("component");
static U32: Field = u32le("component");
static S64: Field = i64le("component");
static U64: Field = u64le("component");
static F16: Field = f16le("component");
static F32: Field = f32le("component");
static F64: Field = f64le("component");
static STRING_LENGTH: Field = u16le("length");

/// The types: number and name, and the field that is the value.
const ALL: [(u64, &str, &[Field]); 38] = [
    (0, "sint8", &[i8("value")]),
    (1, "uint8", &[u8("value")]),
    (2, "sint16", &[i16le("value")]),
    (3, "uint16", &[u16le("value")]),
    (4, "sint32", &[i32le("value")]),
    (5, "uint32", &[u32le("value")]),
    (6, "sint64", &[i64le("value")]),
    (7, "uint64", &[u64le("value")]),
    (8, "float16", &[f16le("value")]),
    (9, "float32", &[f32le("value")]),
    (10, "float64", &[f64le("value")]),
    (11, "string", &[text("value", Len::Prefix(&STRING_LENGTH))]),
    (12, "data", &[bytes("value", Len::Prefix(&STRING_LENGTH))]),
    (13, "point2_s8", &[tuple("value", 2, &S8)]),
    (14, "point2_u8", &[tuple("value", 2, &U8)]),
    (15, "point2_s16", &[tuple("value", 2, &S16)]),
    (16, "point2_u16", &[tuple("value", 2, &U16)]),
    (17, "point2_s32", &[tuple("value", 2, &S32)]),
    (18, "point2_u32", &[tuple("value", 2, &U32)]),
    (19, "point2_s64", &[tuple("value", 2, &S64)]),
    (20, "point2_u64", &[tuple("value", 2, &U64)]),
    (21, "point3_s8", &[tuple("value", 3, &S8)]),
    (22, "point3_u8", &[tuple("value", 3, &U8)]),
    (23, "point3_s16", &[tuple("value", 3, &S16)]),
    (24, "point3_u16", &[tuple("value", 3, &U16)]),
    (25, "point3_s32", &[tuple("value", 3, &S32)]),
    (26, "point3_u32", &[tuple("value", 3, &U32)]),
    (27, "point3_s64", &[tuple("value", 3, &S64)]),
    (28, "point3_u64", &[tuple("value", 3, &U64)]),
    (29, "vector2_f16", &[tuple("value", 2, &F16)]),
    (30, "vector2_f32", &[tuple("value", 2, &F32)]),
    (31, "vector2_f64", &[tuple("value", 2, &F64)]),
    (32, "vector3_f16", &[tuple("value", 3, &F16)]),
    (33, "vector3_f32", &[tuple("value", 3, &F32)]),
    (34, "vector3_f64", &[tuple("value", 3, &F64)]),
    (35, "quaternion_f16", &[tuple("value", 4, &F16)]),
    (36, "quaternion_f32", &[tuple("value", 4, &F32)]),
    (37, "quaternion_f64", &[tuple("value", 4, &F64)]),
];

/// The names of the types, by number.
pub static TYPES: [(u64, &str); ALL.len()] = {
    let mut names = [(0, ""); ALL.len()];
    let mut k = 0;
    while k < ALL.len() {
        names[k] = (ALL[k].0, ALL[k].1);
        k += 1;
    }
    names
};

static CASES: [Case; ALL.len()] = {
    let mut cases = [const { Case { value: 0, fields: &[] } }; ALL.len()];
    let mut k = 0;
    while k < ALL.len() {
        cases[k] = Case { value: ALL[k].0, fields: ALL[k].2 };
        k += 1;
    }
    cases
};

/// Returns the number of the type with that name.
pub fn by_name(name: &str) -> Option<u8> {
    TYPES.iter().find(|(_, known)| *known == name).map(|(number, _)| *number as u8)
}

/// The fault of a type above 37.
pub const UNKNOWN_TYPE: &str = "no such value type: its length cannot be known";

/// The value whose type is in the earlier field `type`.
pub const BY_TYPE: Field = switch("type", &CASES, Other::Fault(UNKNOWN_TYPE));
