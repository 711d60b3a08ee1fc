//! `netkit decode -f parquet -o DIR`: writes a file for each protocol and message.

use crate::cli::{Decode, Global};
use crate::dissect::Options;
use crate::process::notify::{notify, warn};
use crate::process::outfolder::OutFolder;
use crate::process::parallel::{InputReader, threads_for};
use crate::process::{input, interrupt, names};
use crate::read::{Any, CaptureSink, Gate, Pick, Picked};
use crate::render::Files;
use crate::render::parquet::ParquetFiles;
use anyhow::Context;
use std::path::{Path, PathBuf};

/// The ending of the files.
const ENDING: &str = "parquet";

/// Runs the command. Either the folder gets all of its files, or it is unchanged.
pub fn run(args: &Decode, pick: Pick, options: &Options, global: &Global) -> anyhow::Result<u8> {
    let Some(folder) = &args.out else { return Ok(2) };
    let folder = OutFolder::begin("-o", folder, ENDING, args.force)?;
    let names = Files::default();
    // Inputs that are not plain files may be long.
    let size =
        |path: &PathBuf| path.metadata().ok().filter(|about| about.is_file()).map_or(1 << 32, |about| about.len());
    let size = args.files.iter().map(size).sum();
    let threads = threads_for(size, args.threads, false);
    let files = ParquetFiles::new(folder.path(), args.output.bytes, &names, threads, options);
    let mut writer = Picked { sink: files, pick: pick.count(args.output.count) };
    let (reading, mut failed) = (InputReader::new(options, global), None);
    let all = PathBuf::from(names::names(&args.files));
    let inputs = if args.join { std::slice::from_ref(&all) } else { &args.files };
    for path in inputs {
        let read = match args.join {
            true => reading.joined_files(&args.files, &names, &mut Any(&mut writer)),
            false => {
                names.restart(&names::name(path));
                reading.file(path, &mut Any(&mut writer))
            }
        };
        match read {
            Ok(Some(stopped)) => {
                stopped.report(path);
                notify(global, format_args!("{} was not written", shown(args)));
                return Ok(interrupt::status(false).unwrap_or(1));
            }
            Ok(None) => writer.pick.end(&input::name(path)),
            // Everything that could be read is written. The other files are still read.
            Err(error) if inputs.len() == 1 => failed = Some(error),
            Err(error) => {
                warn(format_args!("{error:#}"));
                failed = Some(error);
            }
        }
        if writer.pick.done() || writer.sink.failed().is_some() {
            break;
        }
    }
    writer.sink.finish().with_context(|| shown(args))?;
    folder.commit(ENDING).with_context(|| shown(args))?;
    if !writer.pick.any() && failed.is_none() && !writer.pick.reports_none() {
        notify(global, format_args!("no message: nothing was written into {}", shown(args)));
    }
    match failed {
        None => Ok(!writer.pick.holds() as u8),
        Some(error) if inputs.len() == 1 => Err(error),
        Some(_) => Ok(3),
    }
}

fn shown(args: &Decode) -> String {
    let path = args.out.as_deref().unwrap_or(Path::new("."));
    crate::printable::Printable(path.display()).to_string()
}

impl CaptureSink for ParquetFiles {
    fn go_on(&mut self, _: &dyn Fn() -> bool) -> bool {
        self.failed().is_none()
    }
}
