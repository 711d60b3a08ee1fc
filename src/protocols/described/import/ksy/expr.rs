//! The expressions of Kaitai Struct.

/// The deepest brackets in brackets.
const DEPTH: usize = 32;

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    Int(i128),
    Text(String),
    Bool(bool),
    Name(String),
    /// `type::enum::value`.
    Member(Vec<String>),
    /// `a.b`.
    Field(Box<Expr>, String),
    Not(Box<Expr>),
    Binary(Op, Box<Expr>, Box<Expr>),
    /// `condition ? a : b`.
    Choice(Box<Expr>, Box<Expr>, Box<Expr>),
}

/// An operation on two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Or,
    And,
    Equal,
    Unequal,
    Below,
    AtMost,
    Above,
    AtLeast,
    BitOr,
    BitXor,
    BitAnd,
    Left,
    Right,
    Add,
    Subtract,
    Times,
    Divide,
}

/// Operations by how strongly they bind, the weakest first.
const LEVELS: [&[(&str, Op)]; 9] = [
    &[("or", Op::Or)],
    &[("and", Op::And)],
    &[
        ("==", Op::Equal),
        ("!=", Op::Unequal),
        ("<=", Op::AtMost),
        (">=", Op::AtLeast),
        ("<", Op::Below),
        (">", Op::Above),
    ],
    &[("|", Op::BitOr)],
    &[("^", Op::BitXor)],
    &[("&", Op::BitAnd)],
    &[("<<", Op::Left), (">>", Op::Right)],
    &[("+", Op::Add), ("-", Op::Subtract)],
    &[("*", Op::Times), ("/", Op::Divide)],
];

/// The level below which `not` binds.
const COMPARISONS: usize = 2;

impl Expr {
    /// Parses an expression.
    ///
    /// # Errors
    /// What is wrong, or not known, in it.
    pub fn parse(text: &str) -> Result<Expr, String> {
        let tokens = tokens(text)?;
        let mut parser = Parser { tokens: &tokens, at: 0, depth: 0 };
        let expr = parser.choice()?;
        match parser.peek() {
            "" => Ok(expr),
            other => Err(format!("{other:?} is not supported")),
        }
    }

    /// Two expressions with an operation between them.
    pub fn binary(op: Op, a: Expr, b: Expr) -> Expr {
        Expr::Binary(op, Box::new(a), Box::new(b))
    }
}

/// A whole number: decimal, hex, octal or binary.
pub fn number(text: &str) -> Option<i128> {
    let (minus, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let bare = digits.replace('_', "").to_ascii_lowercase();
    let radixes = [("0x", 16), ("0b", 2), ("0o", 8)];
    let (digits, radix) =
        radixes.iter().find_map(|(prefix, radix)| Some((bare.strip_prefix(prefix)?, *radix))).unwrap_or((&bare, 10));
    // Longer ones fit no field, and no sum of these is too large.
    let short = digits.len() <= 64 && !digits.starts_with(['+', '-']);
    let number = i128::from_str_radix(digits, radix).ok().filter(|n| short && *n < 1 << 64)?;
    Some(if minus { -number } else { number })
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn tokens(text: &str) -> Result<Vec<&str>, String> {
    const SIGNS: [&str; 8] = ["::", "==", "!=", "<=", ">=", "<<", ">>", "#"];
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if let Some(quote) = Some(first).filter(|c| matches!(c, '"' | '\'')) {
            let inner = rest.get(1..).unwrap_or_default();
            1 + inner.find(quote).ok_or_else(|| format!("the closing {quote} is missing"))? + 1
        } else {
            SIGNS.iter().find(|sign| rest.starts_with(**sign)).map_or(first.len_utf8(), |sign| sign.len())
        };
        let (token, more) = rest.split_at(length);
        all.push(token);
        rest = more.trim_start();
    }
    Ok(all)
}

struct Parser<'t> {
    tokens: &'t [&'t str],
    at: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> &'t str {
        self.tokens.get(self.at).copied().unwrap_or("")
    }

    fn takes(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.takes(token) { Ok(()) } else { Err(format!("{token:?} is missing")) }
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, String>) -> Result<T, String> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(format!("brackets in brackets, more than {DEPTH} deep"));
        }
        let done = read(self);
        self.depth -= 1;
        done
    }

    fn choice(&mut self) -> Result<Expr, String> {
        let condition = self.level(0)?;
        if !self.takes("?") {
            return Ok(condition);
        }
        self.deeper(|parser| {
            let then = parser.choice()?;
            parser.expect(":")?;
            let other = parser.choice()?;
            Ok(Expr::Choice(Box::new(condition), Box::new(then), Box::new(other)))
        })
    }

    fn level(&mut self, level: usize) -> Result<Expr, String> {
        let Some(ops) = LEVELS.get(level) else { return self.unary() };
        if level == COMPARISONS && self.takes("not") {
            return self.deeper(|parser| Ok(Expr::Not(Box::new(parser.level(COMPARISONS)?))));
        }
        let mut one = self.level(level + 1)?;
        let mut many = 0;
        while let Some((_, op)) = ops.iter().find(|(sign, _)| self.takes(sign)) {
            many += 1;
            if many > DEPTH {
                return Err(format!("more than {DEPTH} operations in a row"));
            }
            one = Expr::binary(*op, one, self.level(level + 1)?);
        }
        Ok(one)
    }

    fn unary(&mut self) -> Result<Expr, String> {
        if self.takes("-") {
            let one = self.deeper(Self::unary)?;
            return Ok(Expr::binary(Op::Subtract, Expr::Int(0), one));
        }
        let token = self.peek();
        self.at += 1;
        let mut one = match token {
            "(" => {
                let inner = self.deeper(Self::choice)?;
                self.expect(")")?;
                inner
            }
            "true" | "false" => Expr::Bool(token == "true"),
            "" => return Err("a value is missing".into()),
            _ if token.starts_with(['"', '\'']) => {
                if token.starts_with('"') && token.contains('\\') {
                    return Err(format!("{token} is not supported"));
                }
                Expr::Text(token.get(1..token.len() - 1).unwrap_or_default().into())
            }
            _ if token.starts_with(|c: char| c.is_ascii_digit()) => {
                Expr::Int(number(token).ok_or_else(|| format!("{token:?} is not a whole number"))?)
            }
            _ if token.starts_with(is_word) => {
                let mut path = vec![token.to_owned()];
                while self.takes("::") {
                    path.push(self.peek().to_owned());
                    self.at += 1;
                }
                if path.len() > 1 { Expr::Member(path) } else { Expr::Name(token.into()) }
            }
            _ => return Err(format!("{token:?} is not supported")),
        };
        let mut many = 0;
        while self.takes(".") {
            let name = self.peek();
            self.at += 1;
            many += 1;
            if many > DEPTH {
                return Err(format!("more than {DEPTH} names in a row"));
            }
            if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                return Err(format!("{name:?} after a point is not supported"));
            }
            // A number is its own number.
            if name != "to_i" {
                one = Expr::Field(Box::new(one), name.to_owned());
            }
        }
        match self.peek() {
            sign @ ("(" | "[") => Err(format!("{sign:?} is not supported")),
            _ => Ok(one),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_bind_as_in_kaitai() {
        let parsed = |text: &str| Expr::parse(text).unwrap();
        for (text, same) in [
            ("a + b * 4", "a + (b * 4)"),
            ("a - 1 - 2", "(a - 1) - 2"),
            ("a & 3 == 0", "(a & 3) == 0"),
            ("not a == b and c", "(not (a == b)) and c"),
            ("a or b and c", "a or (b and c)"),
            ("a ? b : c ? d : e", "a ? b : (c ? d : e)"),
            ("a << 2 | b.c.to_i", "(a << 2) | b.c"),
            ("-0x1_0", "0 - 16"),
            ("'x' == \"x\"", "\"x\" == 'x'"),
        ] {
            assert_eq!(parsed(text), parsed(same), "{text}");
        }
        assert_eq!(parsed("t::e::v"), Expr::Member(vec!["t".into(), "e".into(), "v".into()]));
        for text in
            ["", "a +", "a[0]", "a.b(1)", "'x", "(a", "a b", "1.5", "0x", "a % 2", "\"\\n\"", "99999999999999999999"]
        {
            assert!(Expr::parse(text).is_err(), "{text}");
        }
        assert_eq!(number("0b1111_0000"), Some(240));
        assert_eq!(
            (number("-5"), number("--5"), number("+5"), number("18446744073709551616")),
            (Some(-5), None, None, None)
        );
    }
}
