//! The user's options, as sessions and encoders need them.

use super::flow_info::Role;
use super::registry::Registry;
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
    /// Its port, if given.
    pub port: Option<u16>,
}

impl Server {
    /// This port, of any address.
    pub fn at_port(port: u16) -> Server {
        Server { addr: Ipv4Addr::UNSPECIFIED.into(), port: Some(port) }
    }

    /// Is this end the server? An unspecified address stands for any.
    pub fn matches(&self, end: SocketAddr) -> bool {
        (end.ip() == self.addr || self.addr.is_unspecified()) && self.port.is_none_or(|p| p == end.port())
    }
}

impl std::str::FromStr for Server {
    type Err = String;

    /// `10.0.0.1`, `10.0.0.1:7777`, `::1`, `[::1]:7777`.
    fn from_str(text: &str) -> Result<Server, String> {
        if let Ok(end) = text.parse::<SocketAddr>() {
            return Ok(Server { addr: end.ip(), port: Some(end.port()) });
        }
        match text.trim_start_matches('[').trim_end_matches(']').parse() {
            Ok(addr) => Ok(Server { addr, port: None }),
            Err(_) => {
                Err(format!("{text:?} is no address: expected ADDR or ADDR:PORT, as 10.0.0.1:7777 or [::1]:7777"))
            }
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
    /// An unknown key, or an invalid value, with what was expected.
    fn add(&mut self, text: &str, registry: &Registry) -> Result<(), String> {
        let (key, value) = text.split_once('=').ok_or_else(|| format!("{text:?}: expected KEY=VALUE"))?;
        let all = || registry.iter().flat_map(|d| d.settings());
        let Some(setting) = all().find(|s| s.key == key) else {
            let near = crate::nearest::nearest(key, all().map(|s| s.key));
            return Err(format!("no setting {key:?}{}", crate::nearest::hint(near)));
        };
        setting.check(value).map_err(|why| format!("{key}: {why}"))?;
        self.0.insert(key.into(), value.into());
        Ok(())
    }
}

/// All of the user's options that concern dissection.
#[derive(Clone, Debug)]
pub struct Options {
    /// The known protocols.
    pub registry: Registry,
    /// `-s`.
    pub settings: Settings,
    /// `--server`.
    pub server: Option<Server>,
    /// Further ends that are servers, as a program may know.
    pub servers: Vec<Server>,
    /// `--from`: the sender, if there are no addresses.
    pub from: Option<Role>,
    /// `--port N=PROTO`.
    pub ports: Vec<(u16, String)>,
    /// `--schema`.
    pub schemas: Arc<Schemas>,
    /// `-p`: the protocol, by name; `None`: recognise it.
    pub proto: Option<String>,
    /// `--limit`.
    pub limits: Limits,
    /// The leg that is read of a proxy's recording; `None`: both.
    pub leg: Option<Leg>,
    /// What is read of the messages.
    pub wants: Wants,
}

impl Options {
    /// Without any option set. With the built-in protocols:
    /// [`protocols::options`](crate::protocols::options).
    pub fn new(registry: Registry) -> Options {
        Options {
            registry,
            settings: Settings::default(),
            server: None,
            servers: Vec::new(),
            from: None,
            ports: Vec::new(),
            schemas: Arc::default(),
            proto: None,
            limits: Limits::default(),
            leg: None,
            wants: Wants::ALL,
        }
    }

    /// Adds a setting: `riptide.version=2.0`.
    ///
    /// # Errors
    /// An unknown key, or an invalid value, with what was expected.
    pub fn set(&mut self, text: &str) -> Result<(), String> {
        self.settings.add(text, &self.registry)
    }
}
