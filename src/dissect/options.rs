//! The user's options for sessions and encoders.

use super::dissector::Registry;
use super::part::Part;
use super::role::Role;
use super::wants::Wants;
use crate::capture::Leg;
use crate::codec::schema::Schemas;
use crate::dissect::limits::Limits;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

/// `--server ADDR[:PORT]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Server {
    /// The server's address.
    pub addr: IpAddr,
    /// The server's port, if given.
    pub port: Option<u16>,
}

impl Server {
    /// This port, at any address.
    pub fn at_port(port: u16) -> Server {
        Server { addr: Ipv4Addr::UNSPECIFIED.into(), port: Some(port) }
    }

    /// Whether this endpoint is the server. An unspecified address matches any.
    pub fn matches(&self, end: SocketAddr) -> bool {
        (end.ip() == self.addr || self.addr.is_unspecified()) && self.port.is_none_or(|p| p == end.port())
    }
}

impl std::str::FromStr for Server {
    type Err = String;

    /// Parses `10.0.0.1`, `10.0.0.1:7777`, `::1` or `[::1]:7777`.
    fn from_str(text: &str) -> Result<Server, String> {
        if let Ok(end) = text.parse::<SocketAddr>() {
            return Ok(Server { addr: end.ip(), port: Some(end.port()) });
        }
        match text.trim_start_matches('[').trim_end_matches(']').parse() {
            Ok(addr) => Ok(Server { addr, port: None }),
            Err(_) => Err(format!(
                "{text:?} is not an address: expected ADDR or ADDR:PORT, such as 10.0.0.1:7777 or [::1]:7777"
            )),
        }
    }
}

/// `-s KEY=VALUE`, checked against the protocols' settings.
#[derive(Clone, Debug, Default)]
pub struct Settings(BTreeMap<String, String>);

impl Settings {
    /// The value given for `key`, unless it is `auto`.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str).filter(|v| *v != "auto")
    }

    /// Adds `KEY=VALUE`, checked against the dissectors' settings.
    ///
    /// # Errors
    /// An unknown key, or an invalid value, with the expected form.
    fn add(&mut self, text: &str, registry: &Registry) -> Result<(), String> {
        let (key, value) = text.split_once('=').ok_or_else(|| format!("{text:?}: expected KEY=VALUE"))?;
        let all = || registry.iter().flat_map(|d| d.settings());
        let Some(setting) = all().find(|s| s.key == key) else {
            let own = all().map(|s| s.key).find(|own| own.rsplit('.').next() == Some(key));
            let near = own.or_else(|| crate::nearest::nearest(key, all().map(|s| s.key)));
            return Err(format!("no setting {key:?}{}", crate::nearest::hint(near)));
        };
        setting.check(value).map_err(|why| format!("{key}: {why}"))?;
        self.0.insert(key.into(), value.into());
        Ok(())
    }
}

/// All of the user's options that concern dissection.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The known protocols.
    pub registry: Registry,
    /// `-s`.
    pub settings: Settings,
    /// `--server`.
    pub server: Option<Server>,
    /// Further endpoints that are servers, for programs that know them.
    pub servers: Vec<Server>,
    /// `--from`: the sender of the first packet, if nothing else shows it.
    pub from: Option<Role>,
    /// `--port N=PROTO`.
    pub ports: Vec<(u16, String)>,
    /// `--schema`.
    pub schemas: Arc<Schemas>,
    /// `-p`: the protocol, by name; `None` to recognise it.
    pub proto: Option<String>,
    /// `--limit`.
    pub limits: Limits,
    /// The leg of a proxy's recording that is read; `None` for both.
    pub leg: Option<Leg>,
    /// `--conversations`: the part whose messages are read; `None`: all.
    pub part: Option<Part>,
    /// The parts of the messages that are read.
    pub wants: Wants,
}

impl Options {
    /// No option set. For the built-in protocols, see [`protocols::options`](crate::protocols::options).
    pub fn new(registry: Registry) -> Options {
        Options { registry, ..Options::default() }
    }

    /// Adds a setting: `riptide.version=2.0`.
    ///
    /// # Errors
    /// An unknown key, or an invalid value, with the expected form.
    pub fn set(&mut self, text: &str) -> Result<(), String> {
        self.settings.add(text, &self.registry)
    }
}
