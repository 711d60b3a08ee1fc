//! netkit as one of Wireshark's capture programs (extcap). Wireshark asks for the interfaces and starts captures with
//! its own options, which are recognised before netkit's commands.
//!
//! | call | answer |
//! |---|---|
//! | `--extcap-interfaces` | the interface `netkit` |
//! | `--extcap-dlts` | a link type, which Wireshark checks capture filters with; the frames have their own |
//! | `--extcap-config` | what the user can set |
//! | `--capture --fifo PATH` | `decode -i IFACE -f pcapng` into the pipe, until Wireshark closes it, or a signal |

use crate::platform::SEES_READERS;
use crate::process::{capture, outfile};
use crate::protocols::ALL;
use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::Path;

/// The interface's name in Wireshark.
const NAME: &str = "netkit";

/// The meaning of the arguments.
#[derive(Debug)]
pub enum Call {
    /// They are not Wireshark's.
    None,
    /// A question, which was answered.
    Answered(u8),
    /// A capture, as arguments of netkit.
    Capture(Vec<OsString>),
}

/// The options of Wireshark's call. Unknown ones are ignored.
struct Given<'a>(&'a [OsString]);

impl Given<'_> {
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|arg| arg == name)
    }

    /// Returns the value of `NAME VALUE` or `NAME=VALUE`. For a setting that the user leaves empty, Wireshark may send
    /// an empty text, or no option at all.
    fn value(&self, name: &str) -> Option<OsString> {
        let joined = |arg: &OsString| Some(arg.to_string_lossy().strip_prefix(name)?.strip_prefix('=')?.into());
        let apart = self.0.windows(2).find(|pair| pair[0] == name).map(|pair| pair[1].clone());
        apart.or_else(|| self.0.iter().find_map(joined)).filter(|value| !value.is_empty())
    }
}

/// Recognises and answers Wireshark's calls.
///
/// # Errors
/// Fails if a call is incomplete, or cannot be answered.
pub fn call(args: &[OsString]) -> anyhow::Result<Call> {
    let own = |arg: &OsString| arg.as_encoded_bytes().starts_with(b"--extcap-");
    let of_wireshark = args.get(1).is_some_and(|arg| own(arg) || arg == "--capture") && args.iter().any(own);
    if !of_wireshark {
        return Ok(Call::None);
    }
    let given = Given(args.get(1..).unwrap_or_default());
    if given.has("--extcap-interfaces") {
        return answer(&format!(
            "extcap {{version={}}}{{display=netkit}}\ninterface {{value={NAME}}}{{display=netkit: game protocols, decoded}}\n",
            env!("CARGO_PKG_VERSION")
        ));
    }
    if given.value("--extcap-interface").is_some_and(|name| name != NAME) {
        anyhow::bail!("--extcap-interface: there is only {NAME}");
    }
    if given.has("--extcap-dlts") {
        return answer("dlt {number=1}{name=EN10MB}{display=Ethernet}\n");
    }
    if given.has("--extcap-config") {
        return answer(&config());
    }
    if !given.has("--capture") {
        // Questions of later versions of Wireshark.
        return Ok(Call::Answered(0));
    }
    let Some(fifo) = given.value("--fifo") else { anyhow::bail!("--capture: Wireshark names a pipe with --fifo") };
    if SEES_READERS {
        // Opening it also waits until Wireshark has opened it.
        let watched = OpenOptions::new().write(true).open(&fifo);
        capture::ends_with(watched.map_err(|error| outfile::named(Path::new(&fifo), &error))?);
    }
    Ok(Call::Capture(decode(&given, &fifo)))
}

/// Returns the command that captures.
fn decode(given: &Given<'_>, fifo: &OsStr) -> Vec<OsString> {
    let interface = given.value("--interface").unwrap_or_else(|| usual().into());
    let mut args: Vec<OsString> = ["netkit", "decode", "--quiet", "-f", "pcapng", "-o"].map(OsString::from).into();
    args.push(fifo.into());
    let mut option = |name: &str, value: &OsStr| {
        let mut arg = OsString::from(name);
        arg.push("=");
        arg.push(value);
        args.push(arg);
    };
    option("--interface", &interface);
    for name in ["--proto", "--schema", "--filter"] {
        given.value(name).into_iter().for_each(|value| option(name, &value));
    }
    given.value("--extcap-capture-filter").into_iter().for_each(|value| option("--capture-filter", &value));
    // 7777=riptide,9000=nano
    let ports = given.value("--port").map_or_else(String::new, |ports| ports.to_string_lossy().into_owned());
    for port in ports.split([',', ' ']).filter(|port| !port.is_empty()) {
        option("--port", OsStr::new(port));
    }
    args
}

/// Returns the interface that is captured by default: all interfaces if the system supports that.
fn usual() -> String {
    let list = capture::interfaces().unwrap_or_default();
    let any = list.iter().find(|each| each.name == "any").or_else(|| list.first());
    any.map_or_else(|| "any".into(), |each| each.name.clone())
}

/// The settings after interface and protocol.
const SETTINGS: &str = "\
arg {number=2}{call=--port}{display=Ports}{type=string}{placeholder=7777=riptide}{tooltip=Which protocol a port carries, with commas between several; only these ports are captured}
arg {number=3}{call=--schema}{display=Schema}{type=fileselect}{mustexist=true}{tooltip=The layouts of your game's payloads}
arg {number=4}{call=--filter}{display=Messages}{type=string}{placeholder=message == reliable}{tooltip=netkit's filter: only such messages are written into the frames}
";

/// Returns the settings for the user.
fn config() -> String {
    let mut text =
        String::from("arg {number=0}{call=--interface}{display=Interface}{type=selector}{tooltip=What is captured}\n");
    let usual = usual();
    for each in capture::interfaces().unwrap_or_default() {
        let name = plain(&each.name);
        let about = if each.about.is_empty() { name.clone() } else { format!("{name} ({})", plain(&each.about)) };
        let default = each.name == usual;
        text += &format!("value {{arg=0}}{{value={name}}}{{display={about}}}{{default={default}}}\n");
    }
    text += "arg {number=1}{call=--proto}{display=Protocol}{type=selector}{tooltip=All conversations are read as this one; with no port below, its usual ports are captured}\n";
    text += "value {arg=1}{value=auto}{display=recognised by itself}{default=true}\n";
    for dissector in ALL {
        let (name, about) = (dissector.name(), plain(dissector.about()));
        text += &format!("value {{arg=1}}{{value={name}}}{{display={name}: {about}}}{{default=false}}\n");
    }
    text + SETTINGS
}

/// Replaces the characters that have a meaning in these lines.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || "{}".contains(c) { ' ' } else { c }).collect()
}

fn answer(text: &str) -> anyhow::Result<Call> {
    io::stdout().write_all(text.as_bytes())?;
    Ok(Call::Answered(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split('|').map(OsString::from).collect()
    }

    #[test]
    fn options_become_netkits_own() {
        let all = "--capture|--extcap-interface|netkit|--fifo|/tmp/f|--extcap-capture-filter|udp port 7|\
                   --interface|lo|--proto=riptide|--port|7=riptide, 9=nano|--schema||--filter|a == 'b c'|--new|x";
        let made = decode(&Given(&words(all)), OsStr::new("/tmp/f"));
        let expected = "netkit|decode|--quiet|-f|pcapng|-o|/tmp/f|--interface=lo|--proto=riptide|--filter=a == 'b c'|\
                        --capture-filter=udp port 7|--port=7=riptide|--port=9=nano";
        assert_eq!(made, words(expected));
    }

    #[test]
    fn only_wiresharks_calls_are_taken() {
        for other in ["netkit|decode|x.pcap", "netkit", "netkit|--capture", "netkit|decode|--extcap-interfaces"] {
            assert!(matches!(call(&words(other)), Ok(Call::None)), "{other}");
        }
        assert!(call(&words("netkit|--capture|--extcap-interface|netkit")).is_err(), "no pipe");
        assert!(call(&words("netkit|--extcap-dlts|--extcap-interface|eth0")).is_err(), "not ours");
    }
}
