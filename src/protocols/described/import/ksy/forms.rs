//! The forms of values that protocol files have: lengths, bits of a number, alternatives, conditions.

use super::expr::Op;
use super::value::{Path, Val};

/// The most alternatives of a value.
const CASES: usize = 16;

/// `path * num / den + plus`, or what is left in the region, and `plus`.
#[derive(Clone, Debug, PartialEq)]
pub struct Linear {
    pub path: Option<Path>,
    pub num: i128,
    pub den: i128,
    /// The division is rounded down, not up.
    pub down: bool,
    pub plus: i128,
    /// The factors of the region's size and of the current place.
    io: (i128, i128),
}

impl Linear {
    fn constant(plus: i128) -> Linear {
        Linear { path: None, num: 0, den: 1, down: false, plus, io: (0, 0) }
    }

    /// Whether it is what is left in the region, and `plus`.
    pub fn is_rest(&self) -> bool {
        self.io == (1, -1) && self.path.is_none()
    }

    /// The value, if it is always the same.
    pub fn fixed(&self) -> Option<i128> {
        (self.path.is_none() && self.io == (0, 0)).then_some(self.plus)
    }

    /// Whether it is a path with factor and summand.
    pub fn of_path(&self) -> Option<&Path> {
        self.path.as_ref().filter(|_| self.io == (0, 0) && self.num > 0)
    }

    fn times(self, n: i128) -> Option<Linear> {
        (self.den == 1 && n.unsigned_abs() < 1 << 32).then(|| Linear {
            num: self.num * n,
            plus: self.plus * n,
            io: (self.io.0 * n, self.io.1 * n),
            ..self
        })
    }

    fn and(self, other: Linear) -> Option<Linear> {
        let path = match (&self.path, &other.path) {
            (Some(_), Some(_)) => return None,
            (a, b) => a.clone().or(b.clone()),
        };
        let (num, den) = if self.path.is_some() { (self.num, self.den) } else { (other.num, other.den) };
        let io = (self.io.0 + other.io.0, self.io.1 + other.io.1);
        Some(Linear { path, num, den, down: self.down || other.down, plus: self.plus + other.plus, io })
    }

    /// The form of a value.
    pub fn of(val: &Val) -> Option<Linear> {
        let done = match val {
            Val::Int(n) | Val::Named(n, ..) => Linear::constant(*n),
            Val::Path(path) if path.bits > 0 => Linear { path: Some(path.clone()), num: 1, ..Linear::constant(0) },
            Val::Size => Linear { io: (1, 0), ..Linear::constant(0) },
            Val::Pos => Linear { io: (0, 1), ..Linear::constant(0) },
            Val::Binary(op, a, b) => {
                let (a, b) = (Linear::of(a)?, Linear::of(b)?);
                let number = b.fixed();
                match (op, number) {
                    (Op::Add, _) => a.and(b)?,
                    (Op::Subtract, _) => a.and(b.times(-1)?)?,
                    (Op::Times, Some(n)) => a.times(n)?,
                    (Op::Times, None) => b.times(a.fixed()?)?,
                    (Op::Left, Some(n @ 0..=24)) => a.times(1 << n)?,
                    (Op::Divide, Some(n @ 1..)) if a.den == 1 && a.io == (0, 0) => {
                        if a.num % n == 0 && a.plus % n == 0 {
                            Linear { num: a.num / n, plus: a.plus / n, ..a }
                        } else if a.num == 1 && a.plus == n - 1 {
                            Linear { den: n, plus: 0, ..a }
                        } else if a.num == 1 && a.plus == 0 {
                            Linear { den: n, down: true, ..a }
                        } else {
                            return None;
                        }
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        let small = |n: i128| n.unsigned_abs() < 1 << 64;
        (small(done.num) && small(done.plus) && small(done.io.0) && small(done.io.1)).then_some(done)
    }
}

/// `(path & mask) >> shift`.
#[derive(Clone, Debug, PartialEq)]
pub struct Bits {
    pub path: Path,
    pub mask: u64,
    pub shift: u32,
}

impl Bits {
    /// The form of a value.
    pub fn of(val: &Val) -> Option<Bits> {
        match val {
            Val::Path(path) if path.bits > 0 && !path.signed => {
                Some(Bits { mask: u64::MAX >> (64 - path.bits.min(64)), shift: 0, path: path.clone() })
            }
            Val::Binary(Op::BitAnd, a, b) => {
                let (of, mask) = match (&**a, &**b) {
                    (of, Val::Int(mask)) | (Val::Int(mask), of) => (Bits::of(of)?, u64::try_from(*mask).ok()?),
                    _ => return None,
                };
                Some(Bits { mask: of.mask & mask.checked_shl(of.shift)?, ..of })
            }
            Val::Binary(Op::Right, a, b) => {
                let (of, Val::Int(n @ 0..=63)) = (Bits::of(a)?, &**b) else { return None };
                let shift = of.shift + *n as u32;
                let mask = of.mask & u64::MAX.checked_shl(shift)?;
                Some(Bits { mask, shift, ..of })
            }
            // A comparison with one bit.
            Val::Binary(op @ (Op::Unequal | Op::Equal | Op::Above), a, b) => {
                let of = Bits::of(a).filter(|of| of.mask.is_power_of_two())?;
                let one = of.mask >> of.shift;
                let set = match (op, &**b) {
                    (Op::Unequal | Op::Above, Val::Int(0)) | (Op::Unequal, Val::Bool(false)) => true,
                    (Op::Equal, Val::Int(n)) => *n == one.into(),
                    (Op::Equal, Val::Bool(set)) => *set && one == 1,
                    _ => false,
                };
                set.then(|| Bits { shift: of.mask.trailing_zeros(), ..of })
            }
            _ => None,
        }
    }

    /// The highest and the lowest bit, if the value is these bits alone.
    pub fn range(&self) -> Option<(u32, u32)> {
        let low = self.mask.checked_shr(self.shift).filter(|mask| *mask > 0 && (mask & (mask + 1)) == 0)?;
        (low << self.shift == self.mask).then(|| (self.shift + 63 - low.leading_zeros(), self.shift))
    }
}

/// The values of an expression without choices, each with the conditions under which it has it.
pub fn cases(val: &Val) -> Result<Vec<(Vec<Val>, Val)>, String> {
    let (mut done, mut open) = (Vec::new(), vec![(Vec::new(), val.clone())]);
    while let Some((conditions, val)) = open.pop() {
        match chosen(&val) {
            None => done.push((conditions, val)),
            Some((condition, yes, no)) => {
                let not = Val::Not(Box::new(condition.clone()));
                open.push(([&conditions[..], &[not]].concat(), no));
                open.push(([&conditions[..], &[condition]].concat(), yes));
            }
        }
        if done.len() + open.len() > CASES {
            return Err(format!("more than {CASES} alternatives"));
        }
    }
    Ok(done)
}

/// The first choice in a value: its condition, and the value in both cases.
fn chosen(val: &Val) -> Option<(Val, Val, Val)> {
    match val {
        Val::Choice(condition, yes, no) => Some(((**condition).clone(), (**yes).clone(), (**no).clone())),
        Val::Binary(op, a, b) => {
            let with = |a: &Val, b: &Val| Val::Binary(*op, Box::new(a.clone()), Box::new(b.clone()));
            match (chosen(a), chosen(b)) {
                (Some((condition, yes, no)), _) => Some((condition, with(&yes, b), with(&no, b))),
                (None, Some((condition, yes, no))) => Some((condition, with(a, &yes), with(a, &no))),
                _ => None,
            }
        }
        _ => None,
    }
}
