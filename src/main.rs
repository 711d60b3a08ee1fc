//! The `netkit` command line. Everything is in the library.

fn main() -> std::process::ExitCode {
    netkit::program()
}
