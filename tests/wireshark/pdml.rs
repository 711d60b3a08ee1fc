//! tshark's view of a capture, from its PDML.

use crate::common::finish;
use std::path::Path;
use std::process::{Command, Stdio};

/// An item of a frame's tree.
#[derive(Clone, Debug, Default)]
pub struct Item {
    pub name: String,
    pub show: String,
    /// Its text in the tree.
    pub label: String,
    pub pos: i64,
    pub size: i64,
    pub hidden: bool,
    pub items: Vec<Item>,
}

impl Item {
    /// The items with this name.
    pub fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Item> {
        self.items.iter().filter(move |item| item.name == name)
    }
}

/// Whether Debian's tshark tools are installed. With NETKIT_TSHARK, as in `.ci/run`, they must be.
pub fn tshark() -> bool {
    let there = Command::new("tshark").arg("-v").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !there {
        eprintln!("SKIPPED: no tshark (Debian: apt-get install tshark)");
        assert!(std::env::var_os("NETKIT_TSHARK").is_none(), "NETKIT_TSHARK asks for it, and it is not there");
    }
    there
}

/// Runs tshark on a capture with the script, and returns its output.
pub fn run(script: &Path, capture: &Path, args: &[&str]) -> String {
    let script = format!("lua_script:{}", script.display());
    let path = capture.display().to_string();
    let mut command = Command::new("tshark");
    command.args(["-n", "-X", &script, "-r", &path]).args(args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let done = finish(command.spawn().expect("tshark"));
    assert_eq!(done.status, Some(0), "{path}: {}", done.err);
    let sent = done.err;
    for wrong in ["Lua", "lua", "Dissector bug", "WARNING", "assertion"] {
        assert!(!sent.contains(wrong), "{path}: {sent}");
    }
    String::from_utf8_lossy(&done.out).into_owned()
}

/// netkit's tree of every frame.
pub fn frames(script: &Path, capture: &Path) -> Vec<Option<Item>> {
    let text = run(script, capture, &["-T", "pdml", "-J", "netkit"]);
    let mut packets = Vec::new();
    let mut open: Vec<Item> = Vec::new();
    let mut rest = text.as_str();
    while let Some((_, tag)) = rest.split_once('<') {
        let end = tag.char_indices().scan(false, |quoted, (at, c)| {
            *quoted ^= c == '"';
            Some((at, c, *quoted))
        });
        let end = end.into_iter().find(|(_, c, quoted)| *c == '>' && !quoted).expect("the end of a tag").0;
        let (tag, following) = tag.split_at(end);
        rest = &following[1..];
        let kind = tag.split([' ', '/']).find(|word| !word.is_empty()).unwrap_or_default();
        match (kind, tag.starts_with('/')) {
            ("packet", false) => packets.push(None),
            ("proto" | "field", false) => {
                let item = item(tag);
                match tag.ends_with('/') {
                    true => close(item, &mut open, &mut packets),
                    false => open.push(item),
                }
            }
            ("proto" | "field", true) => {
                let item = open.pop().expect("an open item");
                close(item, &mut open, &mut packets);
            }
            _ => {}
        }
    }
    packets
}

fn close(item: Item, open: &mut [Item], packets: &mut [Option<Item>]) {
    match open.last_mut() {
        Some(outer) => outer.items.push(item),
        None if item.name == "netkit" => *packets.last_mut().expect("a packet") = Some(item),
        // Other items of the frame, but no error of a script.
        None => assert!(!format!("{item:?}").contains("Lua Error"), "{item:?}"),
    }
}

fn item(tag: &str) -> Item {
    let attribute = |name: &str| {
        let start = tag.find(&format!(" {name}=\""))? + name.len() + 3;
        tag.get(start..)?.split('"').next().map(plain)
    };
    let number = |name| attribute(name).and_then(|text| text.parse().ok()).unwrap_or(-1);
    Item {
        name: attribute("name").unwrap_or_default(),
        show: attribute("show").unwrap_or_default(),
        label: attribute("showname").unwrap_or_default(),
        pos: number("pos"),
        size: number("size"),
        hidden: attribute("hide").is_some(),
        items: Vec::new(),
    }
}

fn plain(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'");
    text.replace("&#x27;", "'").replace("&amp;", "&")
}
