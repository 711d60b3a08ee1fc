//! Parses the text of conditions to a tree. Names are not looked up yet.

use crate::codec::digits;

/// The possible forms of a condition.
const EXPECTED: &str = "X == N, !=, <, <=, >, >=, in 3..7, not in, X & MASK, not X & MASK, X, not X, or left N; joined by \
    and, or, and brackets";
/// The cap on nested brackets.
const DEEPEST: usize = 16;

/// A condition.
#[derive(Clone, Debug)]
pub enum Expr {
    /// At least one of them.
    Any(Vec<Expr>),
    /// All of them.
    All(Vec<Expr>),
    /// Not this one.
    Not(Box<Expr>),
    /// At least this many bytes are left.
    Left(u32),
    /// `X == N`.
    Compare(String, Sign, Atom),
    /// `X in 1, 3..7`.
    In(String, Vec<(Atom, Option<Atom>)>),
    /// `X & MASK`.
    Mask(String, Atom),
    /// `X`.
    Set(String),
}

/// The comparison of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Equal,
    Unequal,
    Below,
    AtMost,
    Above,
    AtLeast,
}

/// A number, a name, or a text in quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Atom {
    pub text: String,
    pub quoted: bool,
}

impl Expr {
    /// Parses a condition.
    pub fn parse(text: &str) -> Result<Expr, String> {
        let tokens = tokens(text)?;
        let mut parser = Parser { tokens: &tokens, at: 0, depth: 0, text };
        let expr = parser.any()?;
        match parser.peek() {
            None => Ok(expr),
            Some(_) => Err(parser.expected()),
        }
    }

    /// The conditions that must all hold.
    pub fn all(&self) -> &[Expr] {
        if let Expr::All(all) = self { all } else { std::slice::from_ref(self) }
    }

    /// Calls `each` with every condition on a single name, and with the name.
    pub fn terms(&self, each: &mut dyn FnMut(&Expr, &str)) {
        match self {
            Expr::Any(all) | Expr::All(all) => all.iter().for_each(|one| one.terms(each)),
            Expr::Not(one) => one.terms(each),
            Expr::Left(_) => {}
            Expr::Compare(name, ..) | Expr::In(name, _) | Expr::Mask(name, _) | Expr::Set(name) => each(self, name),
        }
    }

    /// Calls `each` with every text in quotes.
    pub fn texts(&self, each: &mut dyn FnMut(&str)) {
        self.terms(&mut |term, _| match term {
            Expr::Compare(.., atom) if atom.quoted => each(&atom.text),
            Expr::In(_, list) => list.iter().filter(|(atom, _)| atom.quoted).for_each(|(atom, _)| each(&atom.text)),
            _ => {}
        });
    }

    /// Renames the names of the condition.
    pub fn renamed(self, name: &dyn Fn(&str) -> String) -> Expr {
        let all = |list: Vec<Expr>| list.into_iter().map(|one| one.renamed(name)).collect();
        match self {
            Expr::Any(list) => Expr::Any(all(list)),
            Expr::All(list) => Expr::All(all(list)),
            Expr::Not(one) => Expr::Not(Box::new(one.renamed(name))),
            Expr::Left(bytes) => Expr::Left(bytes),
            Expr::Compare(of, sign, value) => Expr::Compare(name(&of), sign, value),
            Expr::In(of, values) => Expr::In(name(&of), values),
            Expr::Mask(of, mask) => Expr::Mask(name(&of), mask),
            Expr::Set(of) => Expr::Set(name(&of)),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Text(String),
    Sign(&'static str),
}

const SIGNS: [&str; 12] = ["==", "!=", ">=", "<=", "<", ">", "&", "(", ")", "[", "]", ","];

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let after = if first == '"' || first == '\'' {
            let inner = rest.get(1..).unwrap_or_default();
            let Some((inner, after)) = inner.split_once(first) else {
                return Err(format!("the closing {first} is missing in {text:?}"));
            };
            all.push(Token::Text(inner.into()));
            after
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            all.push(Token::Sign(sign));
            rest.get(sign.len()..).unwrap_or_default()
        } else {
            let end = rest.find(|c: char| c.is_whitespace() || "=!<>&()[],\"'".contains(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            if word.is_empty() {
                return Err(format!("expected {EXPECTED}, got {text:?}"));
            }
            all.push(Token::Word(word.into()));
            after
        };
        rest = after.trim_start();
    }
    Ok(all)
}

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    depth: usize,
    text: &'t str,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn expected(&self) -> String {
        format!("expected {EXPECTED}, got {:?}", self.text)
    }

    fn takes(&mut self, token: &Token) -> bool {
        let found = self.peek() == Some(token);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self, word: &str) -> bool {
        self.takes(&Token::Word(word.into()))
    }

    fn any(&mut self) -> Result<Expr, String> {
        let mut several = vec![self.all()?];
        while self.word("or") {
            several.push(self.all()?);
        }
        Ok(if several.len() == 1 { several.remove(0) } else { Expr::Any(several) })
    }

    fn all(&mut self) -> Result<Expr, String> {
        let mut several = vec![self.one()?];
        while self.word("and") {
            several.push(self.one()?);
        }
        Ok(if several.len() == 1 { several.remove(0) } else { Expr::All(several) })
    }

    fn one(&mut self) -> Result<Expr, String> {
        let not = self.word("not");
        let one = if self.takes(&Token::Sign("(")) {
            self.depth += 1;
            if self.depth > DEEPEST {
                return Err(format!("brackets in brackets, more than {DEEPEST} deep"));
            }
            let inner = self.any()?;
            self.depth -= 1;
            if !self.takes(&Token::Sign(")")) {
                return Err(format!("the closing ) is missing in {:?}", self.text));
            }
            inner
        } else {
            self.term()?
        };
        Ok(if not { Expr::Not(Box::new(one)) } else { one })
    }

    fn term(&mut self) -> Result<Expr, String> {
        let name = match self.peek() {
            Some(Token::Word(word)) if !["and", "or", "not", "in"].contains(&word.as_str()) => word.clone(),
            _ => return Err(self.expected()),
        };
        self.at += 1;
        if name == "left" {
            if let Some(Token::Word(bytes)) = self.peek() {
                let bytes = digits::unsigned::<u32>(bytes).filter(|bytes| *bytes < 1 << 24);
                self.at += 1;
                return bytes
                    .map(Expr::Left)
                    .ok_or_else(|| format!("left: expected a number of bytes, got {:?}", self.text));
            }
            return Err(self.expected());
        }
        let signs = [
            ("==", Sign::Equal),
            ("!=", Sign::Unequal),
            (">=", Sign::AtLeast),
            ("<=", Sign::AtMost),
            ("<", Sign::Below),
            (">", Sign::Above),
        ];
        for (text, sign) in signs {
            if self.takes(&Token::Sign(text)) {
                return Ok(Expr::Compare(name, sign, self.atom()?));
            }
        }
        if self.takes(&Token::Sign("&")) {
            return Ok(Expr::Mask(name, self.atom()?));
        }
        let before = self.at;
        let not = self.word("not");
        if !self.word("in") {
            self.at = before;
            return Ok(Expr::Set(name));
        }
        let bracket = self.takes(&Token::Sign("["));
        let mut list = vec![self.range()?];
        while self.takes(&Token::Sign(",")) {
            list.push(self.range()?);
        }
        if bracket && !self.takes(&Token::Sign("]")) {
            return Err(format!("the closing ] is missing in {:?}", self.text));
        }
        let within = Expr::In(name, list);
        Ok(if not { Expr::Not(Box::new(within)) } else { within })
    }

    fn atom(&mut self) -> Result<Atom, String> {
        let atom = match self.peek() {
            Some(Token::Word(word)) => Atom { text: word.clone(), quoted: false },
            Some(Token::Text(text)) => Atom { text: text.clone(), quoted: true },
            _ => return Err(self.expected()),
        };
        self.at += 1;
        Ok(atom)
    }

    fn range(&mut self) -> Result<(Atom, Option<Atom>), String> {
        let atom = self.atom()?;
        let plain = |text: &str| Atom { text: text.trim_start_matches('=').into(), quoted: false };
        Ok(match atom.text.split_once("..") {
            Some((least, most)) if !atom.quoted => (plain(least), Some(plain(most))),
            _ => (atom, None),
        })
    }
}
