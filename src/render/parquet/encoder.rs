//! The writers of all files. They encode whole row groups, in a thread of their own if there is a processor for it.

use super::column::Column;
use parquet::data_type::ByteArray;
use parquet::errors::{ParquetError, Result};
use parquet::file::writer::SerializedFileWriter;
use std::fs::File;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread::{self, JoinHandle};

/// The rows of a file's next row group.
struct Group {
    file: usize,
    columns: Vec<Column>,
    rows: usize,
}

enum Job {
    Begin(SerializedFileWriter<File>),
    Write(Group),
}

/// Encodes and writes row groups.
pub struct Encoder {
    worker: Worker,
    files: usize,
    /// The columns written last, empty, for their memory. Those of other files are not kept, so that memory does not
    /// grow with the number of files.
    spare: Option<Group>,
}

enum Worker {
    Here(Writers),
    Thread { jobs: Option<SyncSender<Job>>, emptied: Receiver<Group>, thread: Option<JoinHandle<Result<()>>> },
}

impl std::fmt::Debug for Encoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Encoder").field("files", &self.files).finish_non_exhaustive()
    }
}

impl Encoder {
    /// Creates an encoder. `threaded`: in a thread of its own; if no thread can be started, in this one.
    pub fn new(threaded: bool) -> Encoder {
        // A group is handed over when the one before is written, so at most two are in memory.
        let (jobs, todo) = mpsc::sync_channel(0);
        let (done, emptied) = mpsc::channel();
        let work = move || {
            let mut writers = Writers::default();
            for job in todo {
                match job {
                    Job::Begin(file) => writers.files.push(file),
                    Job::Write(mut group) => {
                        writers.write(&mut group)?;
                        // Fails only if the receiver is gone because the output ends.
                        let _ = done.send(group);
                    }
                }
            }
            writers.finish()
        };
        let worker = match threaded.then(|| thread::Builder::new().name("columns".into()).spawn(work)) {
            Some(Ok(thread)) => Worker::Thread { jobs: Some(jobs), emptied, thread: Some(thread) },
            Some(Err(_)) | None => Worker::Here(Writers::default()),
        };
        Encoder { worker, files: 0, spare: None }
    }

    /// Adds a file. Returns its number.
    ///
    /// # Errors
    /// Returns the error that stopped the output.
    pub fn begin(&mut self, file: SerializedFileWriter<File>) -> Result<usize> {
        match &mut self.worker {
            Worker::Here(writers) => writers.files.push(file),
            Worker::Thread { .. } => self.send(Job::Begin(file))?,
        }
        self.files += 1;
        Ok(self.files - 1)
    }

    /// Writes a row group with this many rows, and leaves the columns empty.
    ///
    /// # Errors
    /// Returns the error that stopped the output.
    pub fn write(&mut self, file: usize, columns: &mut Vec<Column>, rows: usize) -> Result<()> {
        if let Worker::Thread { emptied, .. } = &self.worker {
            self.spare = emptied.try_iter().last().or(self.spare.take());
        }
        let empty = match self.spare.take() {
            Some(spare) if spare.file == file => spare.columns,
            _ => columns.iter().map(Column::another).collect(),
        };
        let mut group = Group { file, columns: std::mem::replace(columns, empty), rows };
        match &mut self.worker {
            Worker::Here(writers) => {
                writers.write(&mut group)?;
                self.spare = Some(group);
                Ok(())
            }
            Worker::Thread { .. } => self.send(Job::Write(group)),
        }
    }

    /// Completes all files.
    ///
    /// # Errors
    /// Returns the error that stopped the output.
    pub fn finish(mut self) -> Result<()> {
        match &mut self.worker {
            Worker::Here(writers) => std::mem::take(writers).finish(),
            Worker::Thread { .. } => self.join(),
        }
    }

    fn send(&mut self, job: Job) -> Result<()> {
        if let Worker::Thread { jobs: Some(jobs), .. } = &self.worker
            && jobs.send(job).is_ok()
        {
            return Ok(());
        }
        // The thread only ends by itself with an error.
        self.join().and(Err(ParquetError::General("nothing more is written".into())))
    }

    /// Waits for the thread.
    fn join(&mut self) -> Result<()> {
        let Worker::Thread { jobs, thread, .. } = &mut self.worker else { return Ok(()) };
        jobs.take();
        match thread.take().map(JoinHandle::join) {
            Some(Ok(written)) => written,
            Some(Err(_)) => Err(ParquetError::General("the thread that writes has died".into())),
            None => Ok(()),
        }
    }
}

impl Drop for Encoder {
    /// Waits for the thread, so that nothing writes to the files any more if they are then removed.
    fn drop(&mut self) {
        let _ = self.join();
    }
}

/// The writers, by the files' numbers.
#[derive(Default)]
struct Writers {
    files: Vec<SerializedFileWriter<File>>,
    scratch: Vec<ByteArray>,
}

impl Writers {
    fn write(&mut self, group: &mut Group) -> Result<()> {
        let mut to = self.files[group.file].next_row_group()?;
        for column in &mut group.columns {
            let Some(mut writer) = to.next_column()? else { break };
            column.flush(group.rows, &mut writer, &mut self.scratch)?;
            writer.close()?;
        }
        to.close().map(drop)
    }

    fn finish(self) -> Result<()> {
        self.files.into_iter().try_for_each(|file| file.close().map(drop))
    }
}
