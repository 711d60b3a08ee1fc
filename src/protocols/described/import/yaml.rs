//! The tree of a YAML file, with the lines of its values.

use saphyr_parser::{Event, Parser, ScalarStyle};
use std::collections::{HashMap, HashSet};

/// The deepest values in values.
const DEPTH: usize = 64;
/// The most values of a file, those that aliases repeat included.
const MOST: usize = 1 << 18;

/// A value, and its line.
#[derive(Clone, Debug, Default)]
pub struct Node {
    pub line: usize,
    pub value: Value,
}

/// The content of a value.
#[derive(Clone, Debug)]
pub enum Value {
    Text {
        text: String,
        /// Without quotes: it may be a number, true, false or null.
        plain: bool,
    },
    List(Vec<Node>),
    /// Keys and values, in the order of the file.
    Map(Vec<(Node, Node)>),
}

impl Default for Value {
    fn default() -> Value {
        Value::Map(Vec::new())
    }
}

impl Node {
    /// The text of a scalar; "" for lists and maps.
    pub fn text(&self) -> &str {
        if let Value::Text { text, .. } = &self.value { text } else { "" }
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|(name, _)| name.text() == key).map(|(_, value)| value)
    }

    /// The text of a key's value; "" if there is none.
    pub fn text_of(&self, key: &str) -> &str {
        self.get(key).map_or("", Node::text)
    }

    /// Whether a key's value is true.
    pub fn is_set(&self, key: &str) -> bool {
        self.text_of(key) == "true"
    }

    /// The keys and values of a map.
    pub fn entries(&self) -> &[(Node, Node)] {
        if let Value::Map(map) = &self.value { map } else { &[] }
    }

    /// The values of a list.
    pub fn list(&self) -> &[Node] {
        if let Value::List(list) = &self.value { list } else { &[] }
    }

    /// The number of values in it; long texts count as several.
    fn size(&self) -> usize {
        match &self.value {
            Value::Text { text, .. } => 1 + text.len() / 64,
            Value::List(list) => 1 + list.iter().map(Node::size).sum::<usize>(),
            Value::Map(map) => 1 + map.iter().map(|(key, value)| key.size() + value.size()).sum::<usize>(),
        }
    }
}

/// A list or map that has not ended.
struct Open {
    node: Node,
    anchor: usize,
    key: Option<Node>,
    keys: HashSet<String>,
    /// The levels of values in it.
    height: usize,
}

/// Reads a file of one document.
///
/// # Errors
/// The line, and what is wrong there.
pub fn parse(text: &str) -> Result<Node, (usize, String)> {
    let (mut open, mut root) = (Vec::<Open>::new(), None);
    // The values that aliases repeat, and the levels in them.
    let (mut anchors, mut left) = (HashMap::<usize, (Node, usize)>::new(), MOST);
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|why| (why.marker().line().max(1), format!("YAML: {}", why.info())))?;
        let line = span.start.line();
        let deep = || (line, format!("YAML: values in values, more than {DEPTH} deep"));
        let mut count = |size: usize| match left.checked_sub(size) {
            Some(less) => {
                left = less;
                Ok(())
            }
            None => Err((line, format!("YAML: more than {MOST} values"))),
        };
        count(1)?;
        let (node, anchor, height) = match event {
            Event::DocumentStart(_) if root.is_some() => return Err((line, "YAML: a second document".into())),
            Event::Scalar(text, style, anchor, _) => {
                let value = Value::Text { text: text.into_owned(), plain: style == ScalarStyle::Plain };
                (Node { line, value }, anchor, 0)
            }
            Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) => {
                if open.len() >= DEPTH {
                    return Err(deep());
                }
                let list = matches!(event, Event::SequenceStart(..));
                let value = if list { Value::List(Vec::new()) } else { Value::Map(Vec::new()) };
                let node = Node { line, value };
                open.push(Open { node, anchor, key: None, keys: HashSet::new(), height: 0 });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(done) => (done.node, done.anchor, done.height + 1),
                None => continue,
            },
            Event::Alias(anchor) => {
                let Some((node, height)) = anchors.get(&anchor) else {
                    return Err((line, "YAML: an alias in its own value".into()));
                };
                if open.len() + height > DEPTH {
                    return Err(deep());
                }
                count(node.size())?;
                (node.clone(), 0, *height)
            }
            _ => continue,
        };
        if anchor > 0 {
            count(node.size())?;
            anchors.insert(anchor, (node.clone(), height));
        }
        let Some(around) = open.last_mut() else {
            root = Some(node);
            continue;
        };
        around.height = around.height.max(height);
        match (&mut around.node.value, around.key.take()) {
            (Value::List(list), _) => list.push(node),
            // A value is named by its key's line.
            (Value::Map(map), Some(key)) => {
                let line = key.line;
                map.push((key, Node { line, ..node }));
            }
            (Value::Map(_), None) if !around.keys.insert(node.text().to_owned()) => {
                return Err((node.line, format!("YAML: the key {:?} is given twice", node.text())));
            }
            (_, _) => around.key = Some(node),
        }
    }
    root.ok_or_else(|| (1, "YAML: no value".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_and_their_lines() {
        let root = parse("a: 1\nb:\n  - c: 'x'\n    d: &d [0x10, y]\n  - *d\ne: |\n  two\n  lines\n").unwrap();
        assert_eq!((root.text_of("a"), root.text_of("e"), root.text_of("none")), ("1", "two\nlines\n", ""));
        let list = root.get("b").unwrap().list();
        let plain = |node: &Node| matches!(node.value, Value::Text { plain: true, .. });
        assert!(!plain(list[0].get("c").unwrap()) && plain(&list[1].list()[0]));
        assert_eq!((root.get("b").unwrap().line, list[0].line, list[0].get("d").unwrap().line), (2, 3, 4));
        assert_eq!((list[1].list().len(), list[1].list()[1].text()), (2, "y"));
    }

    #[test]
    fn aliases_do_not_grow() {
        let depth = |k: usize| format!("{}x{}", "[".repeat(k), "]".repeat(k));
        let deep: String =
            (1..5).map(|k| format!("a{k}: &a{k} {}\n", depth(30).replace('x', &format!("*a{}", k - 1)))).collect();
        let (line, why) = parse(&format!("a0: &a0 y\n{deep}")).unwrap_err();
        assert!(line == 4 && why.contains("more than 64 deep"), "{line}: {why}");
    }
}
