//! The program as a process, below the subcommands: its signals, its messages to the user and its exit statuses, its
//! input and output files, and the programs that capture for it. No file here imports this one.

pub mod capture;
pub mod follow;
pub mod input;
pub mod interrupt;
pub mod join;
pub mod link;
pub mod names;
pub mod notify;
pub mod outfile;
#[cfg(feature = "parquet")]
pub mod outfolder;
pub mod pager;
pub mod parallel;
pub mod read;
pub mod stopped;
pub mod usage;
pub mod written;
