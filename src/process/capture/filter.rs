//! The capture filter: the user's own, or one for the ports that the user names.

use crate::cli::Interface;
use crate::dissect::{Dissector, FlowInfo, Options};
use crate::flow::Transport;

/// Fragments after the first one have no port.
const FRAGMENTS: &str = "(ip[6:2] & 0x1fff != 0) or ip6[6] = 44";

/// Returns the filter in libpcap's language; `None`: no filter.
pub fn of(args: &Interface, options: &Options) -> Option<String> {
    match &args.capture_filter {
        Some(given) => Some(given.trim().to_owned()).filter(|given| !given.is_empty()),
        None => by_ports(options),
    }
}

/// Returns a filter for the ports of `--port`, and the known server ports of the protocol of `-p`.
fn by_ports(options: &Options) -> Option<String> {
    let registry = &options.registry;
    let protocol = options.proto.as_deref().and_then(|name| registry.by_name(name));
    let mut named = options.ports.iter().filter_map(|(_, name)| registry.by_name(name)).chain(protocol);
    // A server may announce the ports of further conversations inside this one.
    if named.any(|dissector| opens_others(dissector, options)) {
        return None;
    }
    let mut ports: Vec<u16> = options.ports.iter().map(|(port, _)| *port).collect();
    ports.extend(protocol.into_iter().flat_map(|protocol| protocol.ports().iter().copied()));
    ports.sort_unstable();
    ports.dedup();
    let each: Vec<String> = ports.iter().map(|port| format!("port {port}")).collect();
    (!each.is_empty()).then(|| format!("{} or {FRAGMENTS}", each.join(" or ")))
}

fn opens_others(dissector: &dyn Dissector, options: &Options) -> bool {
    [Transport::Udp, Transport::Tcp].into_iter().any(|transport| {
        let about = FlowInfo::alone(transport, options);
        dissector.takes(transport, true) && dissector.session(&about).affects_others()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(proto: Option<&str>, ports: &[(u16, &str)], given: Option<&str>) -> Option<String> {
        let mut options = crate::protocols::options();
        options.proto = proto.map(String::from);
        options.ports = ports.iter().map(|(port, name)| (*port, (*name).into())).collect();
        of(&Interface { capture_filter: given.map(String::from), ..Interface::default() }, &options)
    }

    #[test]
    fn ports_become_a_filter() {
        let with = |ports: &str| Some(format!("{ports} or {FRAGMENTS}"));
        assert_eq!(filter(None, &[], None), None);
        assert_eq!(filter(Some("riptide"), &[], None), with("port 7777"));
        assert_eq!(filter(None, &[(9, "nano"), (7, "dnp"), (9, "nano")], None), with("port 7 or port 9"));
        assert_eq!(filter(Some("riptide"), &[(9, "riptide")], None), with("port 9 or port 7777"));
        assert_eq!(filter(Some("acknex"), &[], None), None, "no port is known");
        assert_eq!(filter(Some("riptide"), &[], Some(" udp ")), Some("udp".into()));
        assert_eq!(filter(Some("riptide"), &[], Some("")), None, "all");
    }

    #[test]
    fn if_messages_announce_ports_all_is_captured() {
        assert_eq!(filter(None, &[(3412, "gne")], None), None);
        assert_eq!(filter(Some("gne"), &[(3412, "riptide")], None), None);
    }
}
