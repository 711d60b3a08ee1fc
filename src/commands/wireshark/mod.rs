//! `netkit wireshark`: installs the script and the extcap entry in Wireshark's personal folders.

mod entry;
mod folders;
mod installed;

use super::options::options;
use crate::cli::{Dissect, Global, What, Wireshark};
use crate::platform;
use crate::printable::Printable;
use crate::process::notify::notify;
use crate::process::outfile;
use folders::{Folders, folders};
use installed::{Installed, State};
use std::io::{self, Write};
use std::path::PathBuf;

/// Runs the command.
pub fn run(args: &Wireshark, global: &Global) -> anyhow::Result<u8> {
    match args.what {
        What::Remove => remove(&folders()?),
        What::Install => install(&folders()?, args),
        What::Print => {
            io::stdout().write_all(script("netkit.lua".into(), args)?.text.as_bytes())?;
            match folders() {
                Ok(folders) => {
                    for file in files(&folders, args)? {
                        let path = Printable(file.path.display());
                        notify(global, format_args!("install writes {path}"));
                    }
                }
                // The script needs no folder.
                Err(why) => notify(global, format_args!("install would fail: {why:#}")),
            }
            Ok(0)
        }
    }
}

/// Returns the script as a file with this name.
fn script(path: PathBuf, args: &Wireshark) -> anyhow::Result<Installed> {
    let (protocol_file, schema) = (args.protocol_file.clone(), args.schema.clone());
    let dissect = Dissect { protocol_file, schema, ..Dissect::default() };
    Ok(Installed::new(path, "--", crate::render::pcapng::script(&options(&dissect)?)))
}

/// Returns the files to install, the script first.
fn files(folders: &Folders, args: &Wireshark) -> anyhow::Result<Vec<Installed>> {
    let script = script(folders.scripts.join("netkit.lua"), args)?;
    let program = std::env::current_exe()?;
    let entry = entry::text(&program, &args.protocol_file, &args.schema)?;
    let name = entry::NAME;
    let entries = folders.extcap.iter().map(|folder| Installed::program(folder.join(name), entry::REMARK, &entry));
    Ok(std::iter::once(script).chain(entries).collect())
}

fn install(folders: &Folders, args: &Wireshark) -> anyhow::Result<u8> {
    let list = files(folders, args)?;
    // A foreign file is reported before any file is written.
    for file in &list {
        if file.state()? == State::Foreign {
            let path = Printable(file.path.display());
            anyhow::bail!("{path}: is not netkit's: nothing was installed; move it away, and install again");
        }
    }
    let mut out = io::stdout().lock();
    for file in &list {
        let done = file.write()?;
        writeln!(out, "{}: {done}", Printable(file.path.display()))?;
    }
    // Files for another version of Wireshark.
    for path in folders.all_extcap.iter().map(|folder| folder.join(entry::NAME)) {
        if list.iter().all(|file| file.path != path) && installed::state(&path)? == State::Ours {
            writeln!(
                out,
                "{}: is netkit's, for another version of Wireshark; left as it is",
                Printable(path.display())
            )?;
        }
    }
    if platform::is_root() {
        writeln!(out, "these are root's folders, and Wireshark does not run root's scripts from 4.4 on")?;
    }
    writeln!(out, "Wireshark and tshark have it from their next start on (Wireshark: Analyze, Reload Lua Plugins)")?;
    Ok(0)
}

fn remove(folders: &Folders) -> anyhow::Result<u8> {
    let entries = folders.all_extcap.iter().map(|folder| folder.join(entry::NAME));
    let all: Vec<PathBuf> = std::iter::once(folders.scripts.join("netkit.lua")).chain(entries).collect();
    let mut out = io::stdout().lock();
    let mut any = false;
    for path in all {
        let shown = Printable(path.display());
        match installed::state(&path)? {
            State::None => {}
            State::Foreign => writeln!(out, "{shown}: is not netkit's: left as it is")?,
            State::Ours => {
                std::fs::remove_file(&path).map_err(|error| outfile::named(&path, &error))?;
                writeln!(out, "{shown}: removed")?;
                any = true;
            }
        }
    }
    if !any {
        writeln!(out, "nothing of netkit's was installed")?;
    }
    Ok(0)
}
