//! Decides whether two conditions exclude each other. A name may be used twice in one object only if its conditions do.

use crate::codec::layout::When;

/// The cap on alternatives of a condition: beyond it nothing is proven.
const MOST: usize = 64;

/// A single condition, and whether it must hold.
type Atom<'w> = (&'w When, bool);

/// Whether these conditions cannot hold together.
pub fn excludes(a: &When, b: &When) -> bool {
    let (Some(a), Some(b)) = (alternatives(a, true), alternatives(b, true)) else { return false };
    a.iter().all(|a| b.iter().all(|b| !possible(&[&a[..], b].concat())))
}

/// A condition, or its opposite, as alternatives of conditions that hold together.
fn alternatives(when: &When, holds: bool) -> Option<Vec<Vec<Atom<'_>>>> {
    let (list, any) = match when {
        When::Always => return Some(if holds { vec![Vec::new()] } else { Vec::new() }),
        When::Not(when) => return alternatives(when, !holds),
        When::Any(list) => (*list, holds),
        When::All(list) => (*list, !holds),
        one => return Some(vec![vec![(one, holds)]]),
    };
    let mut all = if any { Vec::new() } else { vec![Vec::new()] };
    for one in list {
        let each = alternatives(one, holds)?;
        all = match any {
            true => [all, each].concat(),
            false => all.iter().flat_map(|a| each.iter().map(move |b| [&a[..], b].concat())).collect(),
        };
        if all.len() > MOST {
            return None;
        }
    }
    Some(all)
}

/// Whether these may hold together, judged by each name alone.
fn possible(atoms: &[Atom<'_>]) -> bool {
    atoms.iter().enumerate().all(|(k, atom)| match name(atom.0) {
        // Each name is checked once.
        Some(own) if atoms.iter().take(k).any(|(when, _)| name(when) == Some(own)) => true,
        Some(own) => {
            let same: Vec<Atom<'_>> = atoms.iter().filter(|(when, _)| name(when) == Some(own)).copied().collect();
            satisfiable(&same)
        }
        None => !atoms.iter().take(k).any(|other| opposite(*other, *atom)),
    })
}

fn name(when: &When) -> Option<&'static str> {
    match when {
        When::Bit(name, _) | When::Clear(name, _) | When::Eq(name, _) | When::Is(name, _) | When::In(name, _) => {
            Some(name.text)
        }
        When::Below(name, _) | When::Mask(name, _) | When::Set(name) => Some(name.text),
        _ => None,
    }
}

/// Whether one needs bytes to be left that the other excludes.
fn opposite((a, a_holds): Atom<'_>, (b, b_holds): Atom<'_>) -> bool {
    match (a, b) {
        (When::Left(a), When::Left(b)) => match (a_holds, b_holds) {
            (true, false) => a >= b,
            (false, true) => b >= a,
            _ => false,
        },
        _ => false,
    }
}

/// Whether one number may satisfy all of these. The candidates are the numbers in the conditions and their neighbours:
/// if any number satisfies them, one of these does.
fn satisfiable(atoms: &[Atom<'_>]) -> bool {
    let (mut set, mut clear, mut some) = (0u64, 0u64, Vec::new());
    let mut tried = vec![0u64, u64::MAX, i64::MAX as u64, i64::MIN as u64];
    let mut around = |n: u64| tried.extend([n.wrapping_sub(1), n, n.wrapping_add(1)]);
    for (when, holds) in atoms {
        match (when, holds) {
            (When::Bit(_, bit), true) | (When::Clear(_, bit), false) => set |= 1 << bit,
            (When::Bit(_, bit), false) | (When::Clear(_, bit), true) => clear |= 1 << bit,
            (When::Mask(_, mask), false) => clear |= mask,
            (When::Mask(_, mask), true) => some.push(*mask),
            (When::Eq(_, n), _) => around(*n),
            (When::Is(_, text), _) => around(text.id),
            (When::Below(_, n), _) => around(*n as u64),
            (When::In(_, list), _) => list.iter().for_each(|n| around(*n)),
            (When::Set(_), _) => around(0),
            _ => {}
        }
    }
    if set & clear != 0 || some.iter().any(|mask| mask & !clear == 0) {
        return false;
    }
    let bits = |n: u64| n & set == set && n & clear == 0 && some.iter().all(|mask| n & mask != 0);
    let rest = |n: u64| {
        atoms.iter().all(|(when, holds)| {
            *holds
                == match when {
                    When::Eq(_, value) => n == *value,
                    When::Is(_, text) => n == text.id,
                    When::In(_, list) => list.contains(&n),
                    When::Below(_, than) => (n as i64) < *than,
                    When::Set(_) => n != 0,
                    _ => return true,
                }
        })
    };
    let exact = atoms.iter().any(|(when, holds)| *holds && matches!(when, When::Eq(..) | When::Is(..) | When::In(..)));
    match exact {
        true => tried.iter().any(|n| rest(*n) && bits(*n)),
        // Bits and limits are not checked together: it is not claimed that they exclude each other.
        false => tried.iter().any(|n| rest(*n)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::layout::Name;

    const A: Name = Name::new("a");

    #[test]
    fn what_cannot_hold_together() {
        let (one, two, both) = (When::Eq(A, 1), When::Eq(A, 2), When::In(A, &[1, 2]));
        static ONE: When = When::Eq(A, 1);
        static LOW: When = When::Below(A, 5);
        static SET: When = When::Set(A);
        for (a, b, expected) in [
            (&one, &two, true),
            (&one, &both, false),
            (&one, &When::Not(&ONE), true),
            (&two, &When::Not(&ONE), false),
            (&When::Below(A, 5), &When::Not(&LOW), true),
            (&When::Below(A, 6), &When::Not(&LOW), false),
            (&When::Bit(A, 1), &When::Clear(A, 1), true),
            (&When::Bit(A, 1), &When::Clear(A, 2), false),
            (&When::Bit(A, 1), &When::Eq(A, 5), true),
            (&When::Bit(A, 1), &When::Eq(A, 6), false),
            (&When::Set(A), &When::Not(&SET), true),
            (&When::Left(8), &When::Left(8), false),
            (&When::Mask(A, 3), &When::Eq(A, 4), true),
            (&When::Always, &one, false),
            (&When::Eq(Name::new("b"), 1), &two, false),
        ] {
            assert_eq!((excludes(a, b), excludes(b, a)), (expected, expected), "{a:?} {b:?}");
        }
        static ODD: [When; 2] = [When::Eq(A, 1), When::Eq(A, 3)];
        static EVEN: [When; 2] = [When::Eq(A, 2), When::Eq(A, 4)];
        assert!(excludes(&When::Any(&ODD), &When::Any(&EVEN)));
        assert!(!excludes(&When::Any(&ODD), &one));
    }
}
