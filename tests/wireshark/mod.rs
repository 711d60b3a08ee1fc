//! `netkit decode -f pcapng`: the capture with its messages as comments, and the script that draws them
//! in Wireshark.

mod annotated;
mod copies;
mod filters;
mod pdml;
mod recorded;
mod values;
