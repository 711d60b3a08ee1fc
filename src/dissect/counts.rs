//! Evidence from numbers and acknowledgements: ids that increase by one, and acknowledgements that name ids of the
//! other side. Each protocol decides how many bits of evidence these are worth.

/// The largest distance of an id from the side's previous one, or of an acknowledgement from the ids that were seen, to
/// allow for losses. More distant values are not ids. A random one is this near in one of 2^8 cases.
const NEAR: u16 = 128;

/// Whether this can be an id of a side whose previous one is `before`.
pub fn is_near(id: u16, before: u16) -> bool {
    (id.wrapping_sub(before) as i16).unsigned_abs() <= NEAR
}

/// A message with its number.
#[derive(Clone, Copy, Debug)]
pub struct Numbered<'a> {
    pub number: u16,
    pub data: &'a [u8],
}

/// Counts of ids that are one more than the previous one, and of jumps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// The number of ids that are one more than the previous one.
    pub ones: usize,
    /// The part of `ones` that changes more than the low four bits, unlike a counter of four bits.
    pub carries: usize,
    /// The number of ids that are far from the previous one.
    pub jumps: usize,
}

/// One jump is accepted per this many ids: packets are lost, and peers restart.
const PER_JUMP: usize = 16;

/// The steps of a direction's ids, each given with its message. `None` if they are not ids: they jump too often, or two
/// messages have the same one.
pub fn steps(messages: &[Numbered<'_>]) -> Option<Steps> {
    let mut steps = Steps::default();
    // Each id counts once, since resent messages may arrive in any order.
    let mut ids: Vec<u16> = Vec::new();
    let mut newest: Option<u16> = None;
    for (k, Numbered { number: id, data }) in messages.iter().enumerate() {
        if let Some(before) = newest {
            if !is_near(*id, before) {
                steps.jumps += 1;
                newest = None;
            } else if id.wrapping_sub(before) as i16 <= 0
                && messages[..k].iter().any(|other| other.number == *id && other.data != *data)
            {
                return None;
            }
        }
        newest = Some(newest.map_or(*id, |n| if (id.wrapping_sub(n) as i16) > 0 { *id } else { n }));
        if !ids.contains(id) {
            ids.push(*id);
        }
    }
    for id in ids.iter().filter(|id| ids.contains(&id.wrapping_sub(1))) {
        steps.ones += 1;
        steps.carries += (id & 15 == 0) as usize;
    }
    (steps.jumps * PER_JUMP <= messages.len()).then_some(steps)
}

/// The number of distinct acknowledged ids that the other side has sent. `None` if an acknowledgement names an id that
/// it cannot have sent.
pub fn named(acks: impl Iterator<Item = u16>, given: &[Numbered<'_>]) -> Option<usize> {
    let mut found: Vec<u16> = Vec::new();
    for id in acks {
        if !given.is_empty() && !given.iter().any(|given| is_near(id, given.number)) {
            return None;
        }
        if given.iter().any(|given| given.number == id) && !found.contains(&id) {
            found.push(id);
        }
    }
    Some(found.len())
}
