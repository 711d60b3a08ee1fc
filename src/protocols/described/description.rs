//! A compiled protocol file.

use super::client;
use super::codes::Codes;
use super::frames::{Frame, Frames};
use super::lines::Names;
use super::probe::Plan;
use super::state::State;
use super::traffic;
use crate::codec::Tree;
use crate::codec::kinds::Choice;
use crate::codec::layout::{Field, Name, ValueName, When};
use crate::codec::node::Node;
use crate::codec::schema::compile::{Hook, IdBits};
use crate::codec::schema::known::Carried;
use crate::dissect::{Facts, Options};
use crate::flow::Transport;
use rustc_hash::FxHashMap;

/// A compiled protocol file.
#[derive(Debug)]
pub struct Description {
    /// The facts that every protocol has.
    pub(super) facts: Facts,
    pub(super) packet: &'static [Field],
    /// The messages by their carrier; "": the packet's.
    pub(super) carried: Vec<Carried>,
    /// The names of lines without a message.
    pub(super) nameless: Names,
    pub(super) codes: Codes,
    pub(super) memory: Vec<Remembered>,
    /// The values of the memory that are tried in the middle of a conversation.
    pub(super) tries: Tries,
    /// The names of `[settings]`, and their defaults.
    pub(super) values: Vec<Value>,
    pub(super) hooks: Vec<Hook>,
    pub(super) defaults: Vec<(&'static str, &'static str, serde_json::Value)>,
    /// The protocols whose datagrams are among those of this one.
    pub(super) beside: &'static [&'static str],
    pub(super) udp: Option<&'static [u16]>,
    pub(super) tcp: Option<(&'static [u16], Frames)>,
    pub(super) websocket: Option<&'static [u16]>,
    /// The sender of a message for which this holds is the server.
    pub(super) server: Option<When>,
    /// The names in that condition.
    pub(super) server_names: Vec<Name>,
    pub(super) packets: usize,
    pub(super) traffic: traffic::Rules,
    /// The plan for probing servers.
    pub(super) probe: Option<&'static Plan>,
    /// The rules for live sessions.
    pub(super) session: client::Session,
    /// The most bits that a packet rules out.
    pub(super) bits: u32,
    pub(super) has_joins: bool,
    /// The packet's fields, and the bytes after them, for encoding.
    pub(super) written: &'static [Field],
    /// A field for each name.
    pub(super) by_name: FxHashMap<&'static str, &'static Field>,
    pub(super) id_bits: FxHashMap<usize, IdBits>,
    pub(super) memory_fields: &'static [Field],
    pub(super) path: &'static str,
    /// The carrier of the messages in payloads that another file describes.
    pub(super) payload: &'static str,
    /// The messages around such payloads.
    pub(super) around: Vec<&'static Field>,
    /// Advice for the author.
    pub advice: Vec<(usize, String)>,
}

/// A remembered value: its name, and the first one.
#[derive(Debug)]
pub(super) struct Remembered {
    pub name: &'static str,
    pub first: u64,
}

/// The values that may be remembered in the middle of a conversation, by their index.
pub(super) type Tries = Vec<(usize, Vec<u64>)>;

/// A setting: its name, its default, the names of its values.
pub(super) type Value = (&'static str, u64, Vec<ValueName>);

impl Description {
    /// Whether the file describes how servers are probed.
    pub fn is_asked(&self) -> bool {
        self.probe.is_some()
    }

    /// Whether it is a message around a payload that another file describes.
    pub(super) fn is_around(&self, message: &'static Field) -> bool {
        self.around.iter().any(|field| std::ptr::eq(*field, message))
    }

    /// The protocols whose datagrams are among those of this one.
    pub fn beside(&self) -> &'static [&'static str] {
        self.beside
    }

    /// The number of messages.
    pub fn messages(&self) -> usize {
        self.carried.iter().map(|(_, list)| list.len()).sum()
    }

    /// The transports: `UDP (ports 7001, 7002), TCP`.
    pub fn spoken(&self) -> String {
        let transports = [("UDP", self.udp), ("TCP", self.tcp.as_ref().map(|t| t.0)), ("WebSocket", self.websocket)];
        let one = |(name, ports): (&str, Option<&'static [u16]>)| {
            let ports: Vec<String> = ports?.iter().map(u16::to_string).collect();
            Some(match &ports[..] {
                [] => name.to_owned(),
                [port] => format!("{name} (port {port})"),
                _ => format!("{name} (ports {})", ports.join(", ")),
            })
        };
        transports.into_iter().filter_map(one).collect::<Vec<_>>().join(", ")
    }

    /// The most bits that a packet rules out.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The ports of a transport.
    pub(super) fn ports(&self, transport: Transport) -> impl Iterator<Item = u16> + '_ {
        let lists = match transport {
            Transport::Udp => [self.udp, None],
            Transport::Tcp => [self.tcp.as_ref().map(|(ports, _)| *ports), self.websocket],
        };
        lists.into_iter().flatten().flatten().copied()
    }

    /// The session's actions at a node's field.
    pub(super) fn hook(&self, node: &Node) -> Option<&Hook> {
        match node.field.hook {
            0 | u16::MAX => None,
            place => self.hooks.get(place as usize),
        }
    }

    /// The sender of a node's message: 1 the client, 2 the server; 0: both, or it is not a message.
    pub(super) fn from(&self, node: &Node) -> Option<u64> {
        self.choices().find(|choice| std::ptr::eq(choice.field, node.field)).map(|choice| choice.from)
    }

    /// Updates the remembered values after a packet.
    pub(super) fn remember(&self, tree: &Tree, memory: &mut [[u64; 2]]) {
        if !memory.is_empty() {
            self.remember_at(tree.nodes().iter(), memory);
        }
    }

    /// Updates the remembered values after these nodes.
    pub(super) fn remember_at<'t>(&self, nodes: impl Iterator<Item = &'t Node>, memory: &mut [[u64; 2]]) {
        for node in nodes.filter(|node| node.field.hook > 0) {
            for set in self.hook(node).map_or(&[][..], |hook| &hook.sets) {
                let Some(value) = set.value.or(node.number()) else { continue };
                let Some(sides) = memory.get_mut(set.memory) else { continue };
                match set.side.and_then(|side| sides.get_mut(side)) {
                    Some(one) => *one = value,
                    None => *sides = [value; 2],
                }
            }
        }
    }

    /// A field with that name.
    pub(super) fn named(&self, name: &str) -> Option<&'static Field> {
        self.by_name.get(name).copied()
    }

    /// Whether parts are joined.
    pub(super) fn joins(&self) -> bool {
        self.has_joins
    }

    /// The framing of messages in a TCP stream, with these values of the settings.
    pub(super) fn frame(&self, values: &[u64]) -> Option<&Frame> {
        let (_, frames) = self.tcp.as_ref()?;
        frames.of(&State { memory: &[], values, from: 0, likely: 0 })
    }

    /// The remembered values of a new conversation.
    pub(super) fn first_memory(&self) -> Vec<[u64; 2]> {
        self.memory.iter().map(|known| [known.first; 2]).collect()
    }

    /// All messages.
    pub(super) fn choices(&self) -> impl Iterator<Item = &'static Choice> {
        self.carried.iter().flat_map(|(_, list)| list.iter())
    }

    /// The values of the settings, set by the user or the file.
    pub(super) fn settings_of(&self, options: &Options) -> Vec<u64> {
        (0..self.values.len()).map(|place| self.setting(place, options)).collect()
    }

    /// The bits that the number of a message rules out, with this sender and these remembered values.
    pub(super) fn id_bits(&self, node: &Node, state: &State<'_>) -> u32 {
        let Some(ids) = self.id_bits.get(&(std::ptr::from_ref(node.field) as usize)) else { return 0 };
        ids.of(|choice| choice.is_from(state.from) && state.allows(&choice.when))
    }

    /// The value of a setting, set by the user or the file.
    pub(super) fn setting(&self, place: usize, options: &Options) -> u64 {
        let Some((name, default, names)) = self.values.get(place) else { return 0 };
        let Some(text) = options.settings.get(&format!("{}.{name}", self.facts.name)) else { return *default };
        let named = names.iter().find(|(_, name)| *name == text).map(|(value, _)| *value);
        let whole = || {
            crate::codec::digits::whole(text)
                .and_then(|n| u64::try_from(n).ok().or(i64::try_from(n).ok().map(|n| n as u64)))
        };
        named.or_else(whole).unwrap_or((text == "true") as u64)
    }
}
