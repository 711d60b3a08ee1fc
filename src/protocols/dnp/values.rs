//! The 38 types of state values: their names, and their wire forms.
//!
//! The lengths of `point3` with 32 and 64 bits are those of the programs (12 and 24 bytes); the specification's table
//! has 3. Components are in the order x, y, z, w.

use crate::codec::layout::*;

/// The names of the types, by number.
pub static TYPES: [(u64, &str); 38] = [
    (0, "sint8"),
    (1, "uint8"),
    (2, "sint16"),
    (3, "uint16"),
    (4, "sint32"),
    (5, "uint32"),
    (6, "sint64"),
    (7, "uint64"),
    (8, "float16"),
    (9, "float32"),
    (10, "float64"),
    (11, "string"),
    (12, "data"),
    (13, "point2_s8"),
    (14, "point2_u8"),
    (15, "point2_s16"),
    (16, "point2_u16"),
    (17, "point2_s32"),
    (18, "point2_u32"),
    (19, "point2_s64"),
    (20, "point2_u64"),
    (21, "point3_s8"),
    (22, "point3_u8"),
    (23, "point3_s16"),
    (24, "point3_u16"),
    (25, "point3_s32"),
    (26, "point3_u32"),
    (27, "point3_s64"),
    (28, "point3_u64"),
    (29, "vector2_f16"),
    (30, "vector2_f32"),
    (31, "vector2_f64"),
    (32, "vector3_f16"),
    (33, "vector3_f32"),
    (34, "vector3_f64"),
    (35, "quaternion_f16"),
    (36, "quaternion_f32"),
    (37, "quaternion_f64"),
];

/// Returns the number of the type with that name.
pub fn by_name(name: &str) -> Option<u8> {
    TYPES.iter().find(|(_, known)| *known == name).map(|(number, _)| *number as u8)
}

/// The fault of a type above 37.
pub const UNKNOWN_TYPE: &str = "no such value type: its length cannot be known";

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

const fn case(value: u64, fields: &'static [Field]) -> Case {
    Case { value, fields }
}

static CASES: [Case; 38] = [
    case(0, &[i8("value")]),
    case(1, &[u8("value")]),
    case(2, &[i16le("value")]),
    case(3, &[u16le("value")]),
    case(4, &[i32le("value")]),
    case(5, &[u32le("value")]),
    case(6, &[i64le("value")]),
    case(7, &[u64le("value")]),
    case(8, &[f16le("value")]),
    case(9, &[f32le("value")]),
    case(10, &[f64le("value")]),
    case(11, &[text("value", Len::Prefix(&STRING_LENGTH))]),
    case(12, &[bytes("value", Len::Prefix(&STRING_LENGTH))]),
    case(13, &[tuple("value", 2, &S8)]),
    case(14, &[tuple("value", 2, &U8)]),
    case(15, &[tuple("value", 2, &S16)]),
    case(16, &[tuple("value", 2, &U16)]),
    case(17, &[tuple("value", 2, &S32)]),
    case(18, &[tuple("value", 2, &U32)]),
    case(19, &[tuple("value", 2, &S64)]),
    case(20, &[tuple("value", 2, &U64)]),
    case(21, &[tuple("value", 3, &S8)]),
    case(22, &[tuple("value", 3, &U8)]),
    case(23, &[tuple("value", 3, &S16)]),
    case(24, &[tuple("value", 3, &U16)]),
    case(25, &[tuple("value", 3, &S32)]),
    case(26, &[tuple("value", 3, &U32)]),
    case(27, &[tuple("value", 3, &S64)]),
    case(28, &[tuple("value", 3, &U64)]),
    case(29, &[tuple("value", 2, &F16)]),
    case(30, &[tuple("value", 2, &F32)]),
    case(31, &[tuple("value", 2, &F64)]),
    case(32, &[tuple("value", 3, &F16)]),
    case(33, &[tuple("value", 3, &F32)]),
    case(34, &[tuple("value", 3, &F64)]),
    case(35, &[tuple("value", 4, &F16)]),
    case(36, &[tuple("value", 4, &F32)]),
    case(37, &[tuple("value", 4, &F64)]),
];

/// The value whose type is in the earlier field `type`.
pub const BY_TYPE: Field = switch("type", &CASES, Other::Fault(UNKNOWN_TYPE));
