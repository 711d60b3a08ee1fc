//! What numbers and acknowledgements do, as evidence: ids that go up by one, acknowledgements that
//! name what the other side has sent. Each protocol says what that is worth in its place of the bytes.

/// How far an id may be from the side's one before, or an acknowledgement from the ids that were
/// seen, where some are lost; farther ones are no ids. A random one is within in one of 2^8.
const NEAR: u16 = 128;

/// Can this be an id of a side whose one before is `before`?
pub fn is_near(id: u16, before: u16) -> bool {
    (id.wrapping_sub(before) as i16).unsigned_abs() <= NEAR
}

/// How often ids were the one before and one more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// All of these.
    pub ones: usize,
    /// Those that changed more than the low four bits: a counter of four bits does not do it.
    pub carries: usize,
    /// How often an id was far from the one before.
    pub jumps: usize,
}

/// Of so many ids one may be far from the one before: packets are lost, a peer begins anew.
const PER_JUMP: usize = 16;

/// What the ids of a direction do, each with its message. `None`: they are no ids, since they jump
/// about, or since one of them was given twice.
pub fn steps(said: &[(u16, &[u8])]) -> Option<Steps> {
    let mut steps = Steps::default();
    // Each once, for what is sent again may come in any order.
    let mut ids: Vec<u16> = Vec::new();
    let mut newest: Option<u16> = None;
    for (k, (id, data)) in said.iter().enumerate() {
        if let Some(before) = newest {
            if !is_near(*id, before) {
                steps.jumps += 1;
                newest = None;
            } else if id.wrapping_sub(before) as i16 <= 0
                && said[..k].iter().any(|(other, bytes)| other == id && bytes != data)
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
    (steps.jumps * PER_JUMP <= said.len()).then_some(steps)
}

/// How many different ids are named that the other side has given. `None`: one is named that it
/// cannot have given.
pub fn named(acks: impl Iterator<Item = u16>, given: &[(u16, &[u8])]) -> Option<usize> {
    let mut found: Vec<u16> = Vec::new();
    for id in acks {
        if !given.is_empty() && !given.iter().any(|(given, _)| is_near(id, *given)) {
            return None;
        }
        if given.iter().any(|(given, _)| *given == id) && !found.contains(&id) {
            found.push(id);
        }
    }
    Some(found.len())
}
