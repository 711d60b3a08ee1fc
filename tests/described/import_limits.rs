//! `netkit fields --from game.ksy`: descriptions made to take all memory or time are refused, or become files that load.

use netkit::protocols::described::{import, load};

const HEAD: &str = "meta: {id: x, endian: be}\n";

fn draft(text: &str) -> Result<netkit::protocols::described::Imported, (usize, String)> {
    import("x.ksy", text, &|_, _| None)
}

/// A text that aliases repeat counts by its length, not as one value: here 200 GB of a file of 2 MB.
#[test]
fn repeated_texts() {
    let aliases = vec!["*a"; 200_000].join(",");
    let text = format!("{HEAD}doc: &a \"{}\"\nz: [{aliases}]\n", "x".repeat(1_000_000));
    let (line, why) = draft(&text).expect_err("aliases");
    assert_eq!((line, why.as_str()), (3, "YAML: more than 262144 values"));
}

/// Each of these has more than a description may have. The line is that of the value that is too many.
#[test]
fn too_many() {
    let fields = "  - {type: u1}\n".repeat(4097);
    let instances: String = (0..4097).map(|k| format!("  i{k}: {{value: 1}}\n")).collect();
    let enums: String = (0..1025).map(|k| format!("  {}: {{}}\n", char::from_u32(0x4e00 + k).unwrap())).collect();
    for (text, line, what) in [
        (format!("{HEAD}seq:\n{fields}"), 1, "more than 4096 fields and instances"),
        (format!("{HEAD}seq: []\ninstances:\n{instances}"), 1, "more than 4096 fields and instances"),
        (format!("{HEAD}enums:\n{enums}"), 1027, "more than 1024 enumerations"),
    ] {
        let (at, why) = draft(&text).expect_err(what);
        assert!(at == line && why.contains(what), "{at}: {why}");
    }
}

/// Leaves out each part that is too long, with its reason. The rest is there, and the file loads.
#[test]
fn too_long() {
    let field = |more: &str| format!("{HEAD}seq:\n  - {{id: f, type: u8}}\n  - {{id: g, {more}}}\n");
    let chain: String =
        (0..23).map(|k| format!("  i{k}: {{value: \"i{} ? f == {k} : f == {}\"}}\n", k + 1, k + 100)).collect();
    let nested: String = (0..28).map(|k| format!(" ? f == {k} : f == {})", k + 50)).collect();
    let cases: String = (0..513).map(|k| format!("{k}: u2, ")).collect();
    for (name, text, why) in [
        (
            "instances of choices",
            format!("{}instances:\n{chain}  i23: {{value: f == 77}}\n", field("type: u1, if: i0")),
            "a condition of more than 256 terms",
        ),
        (
            "choices in choices",
            field(&format!("type: u1, if: \"{}f == 1{nested}\"", "(".repeat(28))),
            "a condition of more than 256 terms",
        ),
        ("cases", field(&format!("type: {{switch-on: f, cases: {{{cases}}}}}")), "more than 512 cases"),
        ("a sum", field(&format!("size: \"f{}\"", " + 1".repeat(900_000))), "g: size"),
    ] {
        let done = draft(&text).unwrap_or_else(|why| panic!("{name}: {why:?}"));
        assert!(done.text.contains(why) && done.carried < done.all, "{name}: {}", done.text);
        load("x.toml", &done.text).unwrap_or_else(|why| panic!("{name}: {why}"));
    }
}

/// Names that become one name stay apart, however many there are.
#[test]
fn names_that_become_one() {
    let fields: String =
        (0..4000).map(|k| format!("  - {{id: {}, type: u1}}\n", char::from_u32(0x4e00 + k).unwrap())).collect();
    let done = draft(&format!("{HEAD}seq:\n{fields}")).unwrap();
    load("x.toml", &done.text).unwrap();
    assert_eq!(done.carried, done.all, "{}", &done.text[..2000]);
}
