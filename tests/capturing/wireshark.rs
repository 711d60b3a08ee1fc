//! `netkit wireshark`, and netkit as one of Wireshark's capture programs.

use super::write_script;
use crate::common::{Done, Scratch, feed, netkit, signal, until};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A home folder that Wireshark has never used.
struct Home(Scratch);

impl Home {
    fn new(test: &str) -> Home {
        Home(Scratch::new(&format!("home-{test}")))
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = netkit(args);
        // An empty search path: no tshark can name other folders.
        command.env("HOME", self.0.path()).env("PATH", self.0.path());
        command.env_remove("XDG_CONFIG_HOME").env_remove("APPDATA");
        command
    }

    fn run(&self, args: &[&str]) -> Done {
        feed(&mut self.command(args), b"")
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    fn text(&self, below: &str) -> String {
        std::fs::read_to_string(self.path(below)).unwrap_or_default()
    }

    fn write(&self, below: &str, text: &str) {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("written");
    }
}

const SCRIPT: &str = ".local/lib/wireshark/plugins/netkit.lua";
const NEW: &str = ".local/lib/wireshark/extcap/netkit";
const OLD: &str = ".config/wireshark/extcap/netkit";
const MARKER: &str = "made by `netkit wireshark install`, netkit ";

#[test]
#[cfg(unix)]
fn installed_replaced_and_removed() {
    let home = Home::new("install");
    let done = home.run(&["wireshark", "install"]).ok();
    for file in [SCRIPT, NEW, OLD] {
        let line = format!("{}: installed\n", home.path(file).display());
        assert!(done.text().contains(&line), "{}", done.text());
        let text = home.text(file);
        assert!(text.lines().take(2).any(|line| line.contains(MARKER)), "{text}");
        assert!(text.contains(env!("CARGO_PKG_VERSION")));
    }
    // Nothing else is in its folders.
    let entries = |below: &str| std::fs::read_dir(home.path(below)).expect("a folder").count();
    assert_eq!((entries(".local/lib/wireshark/plugins"), entries(".local/lib/wireshark/extcap")), (1, 1));
    assert!(home.text(SCRIPT).contains("riptide.heartbeat.rtt"), "the fields of the tables");
    // The program that Wireshark runs is netkit.
    let asked = feed(
        Command::new(home.path(NEW))
            .arg("--extcap-interfaces")
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped()),
        b"",
    )
    .ok();
    assert!(asked.text().contains("interface {value=netkit}"), "{}", asked.text());
    assert_eq!(home.run(&["wireshark", "install"]).ok().text().matches(": is up to date\n").count(), 3);
    // A file of another version is replaced.
    home.write(SCRIPT, "-- made by `netkit wireshark install`, netkit 0.0.1\nold()\n");
    let done = home.run(&["wireshark", "install"]).ok();
    assert!(done.text().contains(&format!("{}: replaced\n", home.path(SCRIPT).display())), "{}", done.text());
    assert!(!home.text(SCRIPT).contains("old()"));
    let done = home.run(&["wireshark", "remove"]).ok();
    assert_eq!(done.text().matches(": removed\n").count(), 3, "{}", done.text());
    assert!([SCRIPT, NEW, OLD].iter().all(|file| !home.path(file).exists()));
    assert_eq!(home.run(&["wireshark", "remove"]).ok().text(), "nothing of netkit's was installed\n");
}

#[test]
fn what_is_not_ours_is_left_alone() {
    for (test, theirs) in [("script", SCRIPT), ("entry", NEW)] {
        let home = Home::new(&format!("theirs-{test}"));
        home.write(theirs, "somebody's\n");
        let done = home.run(&["wireshark", "install"]);
        assert_eq!((done.status, done.text()), (Some(3), ""), "{}", done.err);
        assert!(done.err.contains(": is not netkit's: nothing was installed"), "{}", done.err);
        assert!([SCRIPT, NEW, OLD].iter().all(|file| *file == theirs || !home.path(file).exists()));
        let done = home.run(&["wireshark", "remove"]).ok();
        assert!(done.text().contains(": is not netkit's: left as it is\n"), "{}", done.text());
        assert_eq!(home.text(theirs), "somebody's\n");
    }
    // Links are not followed.
    #[cfg(unix)]
    {
        let home = Home::new("theirs-link");
        home.write("elsewhere", "-- made by `netkit wireshark install`, netkit 0.0.1\n");
        std::fs::create_dir_all(home.path(".local/lib/wireshark/plugins")).expect("a folder");
        std::os::unix::fs::symlink(home.path("elsewhere"), home.path(SCRIPT)).expect("a link");
        assert_eq!(home.run(&["wireshark", "install"]).status, Some(3));
        home.run(&["wireshark", "remove"]).ok();
        assert!(home.path("elsewhere").exists() && home.path(SCRIPT).exists());
    }
}

/// tshark is asked for the folders; without a home there is no place to install to.
#[test]
#[cfg(unix)]
fn tshark_says_where() {
    let home = Home::new("tshark");
    let at = |below: &str| home.path(below).display().to_string();
    for (k, extcap) in
        ["Personal Extcap path:\tHOME/mine/extcap", "Personal configuration:\tHOME/mine"].iter().enumerate()
    {
        let home_path = home.0.path().display().to_string();
        let says = format!("Personal Lua Plugins:\tHOME/mine/lua\\n{extcap}\\nExtcap path: \\t/usr/lib/extcap\\n");
        let says = says.replace("HOME", &home_path).replace('\t', "\\t");
        write_script(home.path("tshark"), &format!("#!/bin/sh\nprintf '{says}'\n"));
        let done = home.run(&["wireshark", "install"]).ok();
        let what = if k == 0 { "installed" } else { "is up to date" };
        for file in ["mine/lua/netkit.lua", "mine/extcap/netkit"] {
            assert!(done.text().contains(&format!("{}: {what}\n", at(file))), "{}", done.text());
        }
        assert!(!home.path(NEW).exists() && !home.path(OLD).exists());
    }
    assert!(home.run(&["wireshark", "remove"]).ok().text().contains(&format!("{}: removed", at("mine/extcap/netkit"))));
    let done = feed(home.command(&["wireshark", "install"]).env_remove("HOME"), b"");
    assert_eq!(done.status, Some(3), "{}", done.err);
    assert!(done.err.contains("HOME is not set"), "{}", done.err);
}

#[test]
fn printed_and_nothing_written() {
    let home = Home::new("print");
    let done = home.run(&["wireshark", "print", "--schema", "fixtures/schemas/riptide.toml"]).ok();
    assert!(done.text().contains(MARKER) && done.text().contains("Proto(\"netkit\""), "the script");
    assert_eq!(done.err.matches("netkit: install writes ").count(), 3, "{}", done.err);
    assert_eq!(std::fs::read_dir(home.0.path()).expect("a folder").count(), 0);
    // The script has a schema's fields, and its entry names the schema.
    let plain = home.run(&["wireshark", "print"]).ok();
    assert!(plain.out.len() < done.out.len());
    // Only an installation needs a home folder.
    let homeless = |what: &str| feed(home.command(&["wireshark", what]).env_remove("HOME"), b"");
    let printed = homeless("print").ok();
    assert_eq!(printed.out, plain.out);
    assert_eq!(printed.err, "netkit: install would fail: HOME is not set, so Wireshark's folders are unknown\n");
    assert_eq!(homeless("install").status, Some(3));
    home.run(&["wireshark", "install", "--schema", "fixtures/schemas/riptide.toml"]).ok();
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/schemas/riptide.toml");
    assert!(home.text(NEW).contains(&format!("export NETKIT_SCHEMA='{}'\n", schema.display())), "{}", home.text(NEW));
}

/// Wireshark's extcap queries.
#[test]
fn questions_are_answered() {
    let home = Home::new("questions");
    write_script(home.path("tcpdump"), "#!/bin/sh\necho '1.eth7 [Up]'; echo '2.any (All {of them}) [Up]'\n");
    let ask = |args: &[&str]| home.run(args).ok().text().to_owned();
    let interfaces = ask(&["--extcap-interfaces", "--extcap-version=4.0"]);
    assert!(interfaces.starts_with("extcap {version=") && interfaces.contains("\ninterface {value=netkit}{display="));
    assert_eq!(
        ask(&["--extcap-dlts", "--extcap-interface", "netkit"]),
        "dlt {number=1}{name=EN10MB}{display=Ethernet}\n"
    );
    let config = ask(&["--extcap-config", "--extcap-interface", "netkit"]);
    assert!(config.contains("value {arg=0}{value=eth7}{display=eth7 (Up)}{default=false}\n"), "{config}");
    assert!(
        config.contains("value {arg=0}{value=any}{display=any ((All  of them ) [Up])}{default=true}\n"),
        "{config}"
    );
    for proto in ["auto", "riptide", "dnp", "nano", "gne", "acknex"] {
        assert!(config.contains(&format!("value {{arg=1}}{{value={proto}}}")), "{config}");
    }
    for call in ["interface", "proto", "port", "schema", "filter"] {
        assert_eq!(config.matches(&format!("{{call=--{call}}}")).count(), 1, "{config}");
    }
    // The braces of each line are balanced.
    for line in interfaces.lines().chain(config.lines()) {
        let depth = line.chars().fold(0i32, |depth, c| depth + i32::from(c == '{') - i32::from(c == '}'));
        assert!(depth == 0 && !line.contains("{{") && !line.contains("}}"), "{line}");
    }
    assert_eq!(home.run(&["--extcap-dlts", "--extcap-interface", "eth0"]).status, Some(3));
    assert_eq!(home.run(&["--capture", "--extcap-interface", "netkit"]).status, Some(3));
}

/// A capture into Wireshark's pipe: it ends when the pipe's reader closes it, or by a signal.
#[test]
#[cfg(unix)]
fn streams_until_the_pipe_closes() {
    let home = Home::new("fifo");
    let capture = crate::common::fixture("riptide/riptide20-udp.pcap");
    let fake = format!(
        "#!/bin/sh\necho $$ > {}\ntrap 'exit 0' INT\n/bin/cat {}\n\
         while n=$((n+1)); [ $n -lt 9999 ]; do /bin/sleep 0.02; done\n",
        home.path("pid").display(),
        capture.display()
    );
    for (k, how) in ["closed", "-TERM", "-INT"].into_iter().enumerate() {
        write_script(home.path("tcpdump"), &fake);
        let fifo = home.0.pipe(&format!("fifo-{k}"));
        let args = ["--capture", "--extcap-interface", "netkit", "--fifo", &fifo, "--interface", "eth7"];
        let args = [&args[..], &["--proto", "riptide", "--capture-filter", ""]].concat();
        let mut child = home.command(&args).spawn().expect("netkit");
        let mut pipe = std::fs::File::open(&fifo).expect("a pipe");
        let mut got = Vec::new();
        let mut block = [0; 4096];
        // All frames arrive while the capture is still running.
        let frames = 1000;
        while got.len() < std::fs::metadata(&capture).expect("it").len() as usize {
            let read = std::io::Read::read(&mut pipe, &mut block).expect("bytes");
            assert!(read > 0, "it has ended after {} bytes", got.len());
            got.extend_from_slice(&block[..read]);
        }
        assert_eq!(got[..4], [0x0a, 0x0d, 0x0d, 0x0a], "pcapng, {frames} frames at most");
        assert!(child.try_wait().expect("a child").is_none());
        let reader = match how {
            "closed" => {
                drop(pipe);
                None
            }
            _ => {
                signal(&child, how);
                // The rest is read in a thread.
                Some(std::thread::spawn(move || {
                    let mut rest = Vec::new();
                    let _ = std::io::Read::read_to_end(&mut pipe, &mut rest);
                    rest.len()
                }))
            }
        };
        let mut status = None;
        until("it ends", || {
            status = child.try_wait().expect("a child");
            status.is_some()
        });
        assert_eq!(status.expect("its end").code(), Some(0), "{how}");
        reader.map(|reader| reader.join().expect("bytes"));
        let pid = std::fs::read_to_string(home.path("pid")).expect("it");
        assert!(!Path::new("/proc").join(pid.trim()).exists(), "the capture program has ended");
    }
}
