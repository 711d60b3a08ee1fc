//! (stand-in until the render branch lands)
#![allow(missing_docs)]
use crate::codec::layout::Show;
use crate::codec::{Node, Sources, Tree, Value, bits};
use crate::protocols::{Draft, Message, Sink};
use std::io::{self, Write};
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Tree,
    Summary,
    Table,
    Ndjson,
    Json,
}
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub width: Option<usize>,
    pub colour: bool,
    pub verbose: bool,
    pub bytes: bool,
}
pub struct Renderer {
    out: Box<dyn Write>,
    error: Option<io::Error>,
    style: Style,
}
impl Renderer {
    pub fn new(_f: Format, style: Style, out: Box<dyn Write>) -> Renderer {
        Renderer { out, error: None, style }
    }
    pub fn failed(&self) -> Option<&io::Error> {
        self.error.as_ref()
    }
    pub fn flush(&mut self) {}
    pub fn finish(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
fn hexes(data: &[u8], bit: u32, count: u32) -> String {
    (0..count.div_ceil(8))
        .map(|k| format!("{:02x}", bits::get(data, (bit + 8 * k) as usize, 8.min(count - 8 * k))))
        .collect()
}
fn value(n: &Node, s: Sources) -> String {
    let d = s.get(n.source);
    let raw = |bit, bits| format!("{{\"raw\":\"{}\",\"bits\":{bits}}}", hexes(d, bit, bits));
    let num = |v: i64, u: u64| -> String {
        match n.field.show {
            Show::Enum(names) => match names.iter().find(|(k, _)| *k == u) {
                Some((_, n)) => format!("\"{n}\""),
                None => v.to_string(),
            },
            Show::Flags(f) => {
                let mut list = Vec::new();
                for b in 0..64 {
                    let m = 1u64 << b;
                    if u & m != 0 && f.fixed_mask & m == 0 {
                        list.push(
                            f.names
                                .iter()
                                .find(|(k, _)| *k == m)
                                .map(|(_, n)| format!("\"{n}\""))
                                .unwrap_or((m << f.shift).to_string()),
                        );
                    }
                }
                format!("[{}]", list.join(","))
            }
            Show::Scaled(sc) => format!("{:?}", sc.shown(v)),
            Show::Plain => {
                if matches!(n.value, Value::Int(_)) {
                    v.to_string()
                } else {
                    u.to_string()
                }
            }
        }
    };
    match n.value {
        Value::Null => "null".into(),
        Value::Bool(b) => b.to_string(),
        Value::UInt(u) => num(u as i64, u),
        Value::Int(i) => num(i, i as u64),
        Value::F16(h) => format!("{:?}", crate::codec::half_text::shortest(h)),
        Value::F32(x) => format!("{x:?}"),
        Value::F64(x) => format!("{x:?}"),
        Value::Bytes { bit, bits } => format!("\"{}\"", hexes(d, bit, bits)),
        Value::Text { bit, bits } => serde_json::to_string(
            std::str::from_utf8(&hex::decode(hexes(d, bit, bits)).unwrap_or_default()).unwrap_or(""),
        )
        .unwrap_or_default(),
        Value::Latin1 { bit, bits } => serde_json::to_string(
            &hex::decode(hexes(d, bit, bits)).unwrap_or_default().iter().map(|b| *b as char).collect::<String>(),
        )
        .unwrap_or_default(),
        Value::Json { start, len } => {
            String::from_utf8_lossy(d.get(start as usize..(start + len) as usize).unwrap_or(b"null")).into_owned()
        }
        Value::Raw { bit, bits } => raw(bit, bits),
        _ => String::new(),
    }
}
fn put(t: &Tree, i: usize, s: Sources, out: &mut String) {
    let n = &t.nodes()[i];
    match n.value {
        Value::Group => group(t, Some(i), s, out),
        Value::List => {
            out.push('[');
            for (k, c) in t.children(Some(i)).filter(|c| !t.nodes()[*c].hidden()).enumerate() {
                if k > 0 {
                    out.push(',')
                }
                put(t, c, s, out);
            }
            out.push(']')
        }
        _ => out.push_str(&value(n, s)),
    }
}
fn group(t: &Tree, i: Option<usize>, s: Sources, out: &mut String) {
    out.push('{');
    let mut first = true;
    for c in t.children(i) {
        let n = &t.nodes()[c];
        if n.hidden() || (n.derived() && i.is_some()) {
            continue;
        }
        if !first {
            out.push(',')
        }
        first = false;
        out.push_str(&serde_json::to_string(t.name(n, s)).unwrap_or_default());
        out.push(':');
        put(t, c, s, out);
    }
    out.push('}');
}
fn has(t: &Tree, i: usize) -> bool {
    let n = &t.nodes()[i];
    (i..(n.end as usize).max(i + 1)).any(|k| t.nodes()[k].derived())
}
fn shape(t: &Tree, i: Option<usize>, s: Sources, out: &mut Vec<String>) {
    for c in t.children(i) {
        if !has(t, c) {
            continue;
        }
        let n = &t.nodes()[c];
        out.push(format!("{}:{}", serde_json::to_string(t.name(n, s)).unwrap_or_default(), shape_value(t, c, s)));
    }
}
fn shape_value(t: &Tree, c: usize, s: Sources) -> String {
    let n = &t.nodes()[c];
    match n.value {
        Value::Group => {
            let mut v = Vec::new();
            shape(t, Some(c), s, &mut v);
            format!("{{{}}}", v.join(","))
        }
        Value::List => format!(
            "[{}]",
            t.children(Some(c))
                .map(|k| if has(t, k) { shape_value(t, k, s) } else { "{}".into() })
                .collect::<Vec<_>>()
                .join(",")
        ),
        _ => value(n, s),
    }
}
pub fn fields_json(tree: &Tree, sources: Sources, out: &mut Vec<u8>) {
    let mut t = String::new();
    group(tree, None, sources, &mut t);
    out.extend(t.bytes());
}
pub fn derived_json(draft: &Draft, sources: Sources, out: &mut Vec<u8>) -> bool {
    let mut v = Vec::new();
    if draft.tree.has_derived() {
        shape(&draft.tree, None, sources, &mut v);
    }
    for c in draft.derived.children(None) {
        let n = &draft.derived.nodes()[c];
        let mut t = String::new();
        put(&draft.derived, c, sources, &mut t);
        v.push(format!("{}:{t}", serde_json::to_string(draft.derived.name(n, sources)).unwrap_or_default()));
    }
    out.extend(format!("{{{}}}", v.join(",")).bytes());
    !v.is_empty()
}
impl Sink for Renderer {
    fn message(&mut self, m: &Message<'_>) {
        let d = m.draft;
        let mut line = String::from("{");
        if m.place.frame > 0 {
            line += &format!("\"frame\":{},\"time\":{},\"flow\":{},", m.place.frame, m.place.time, m.talk.flow);
        }
        line += &format!("\"proto\":\"{}\",", d.proto);
        if let Some(v) = d.version {
            line += &format!("\"version\":\"{v}\",");
        }
        line += &format!(
            "\"from\":\"{}\",\"message\":\"{}\",\"length\":{},\"fields\":",
            d.from.name(),
            d.message,
            m.place.length
        );
        let mut b = Vec::new();
        fields_json(&d.tree, m.sources(), &mut b);
        line += std::str::from_utf8(&b).unwrap_or("");
        b.clear();
        if derived_json(d, m.sources(), &mut b) {
            line += ",\"derived\":";
            line += std::str::from_utf8(&b).unwrap_or("");
        }
        if !d.notes.is_empty() {
            line += &format!(
                ",\"notes\":[{}]",
                d.notes
                    .iter()
                    .map(|(n, t)| format!(
                        "{{\"level\":\"{}\",\"code\":\"{}\",\"text\":{}}}",
                        n.level.name(),
                        n.code,
                        serde_json::to_string(t).unwrap_or_default()
                    ))
                    .collect::<Vec<_>>()
                    .join(",")
            );
        }
        if let Some(f) = &d.fault {
            line += &format!(
                ",\"fault\":{{\"path\":\"{}\",\"bit\":{},\"need\":{},\"have\":{},\"text\":{}}}",
                f.path,
                f.bit,
                f.need,
                f.have,
                serde_json::to_string(&f.to_string()).unwrap_or_default()
            );
        }
        if self.style.bytes {
            line += &format!(",\"bytes\":\"{}\"", hex::encode(m.place.bytes));
        }
        line += "}\n";
        if let Err(e) = self.out.write_all(line.as_bytes()) {
            self.error = Some(e);
        }
    }
}
