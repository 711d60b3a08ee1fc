//! The kinds of messages that a filter can match. Changes to matching messages are checked against the tables of these
//! kinds only.

use super::{Comparison, Envelope, Expression, Filter, Test};

/// The result of an expression for a kind of message, for any values of its fields.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Never,
    Perhaps,
    Always,
}

impl Answer {
    fn of(holds: bool) -> Answer {
        if holds { Answer::Always } else { Answer::Never }
    }
}

impl Filter {
    /// Whether messages of this protocol and name can match.
    pub fn can_be(&self, proto: &str, message: &str) -> bool {
        answer(&self.expression, proto, message) != Answer::Never
    }
}

fn answer(expression: &Expression, proto: &str, message: &str) -> Answer {
    let of = |expression| answer(expression, proto, message);
    match expression {
        Expression::And(a, b) => match (of(a), of(b)) {
            (Answer::Never, _) | (_, Answer::Never) => Answer::Never,
            (Answer::Always, Answer::Always) => Answer::Always,
            _ => Answer::Perhaps,
        },
        Expression::Or(a, b) => match (of(a), of(b)) {
            (Answer::Always, _) | (_, Answer::Always) => Answer::Always,
            (Answer::Never, Answer::Never) => Answer::Never,
            _ => Answer::Perhaps,
        },
        Expression::Not(inner) => match of(inner) {
            Answer::Never => Answer::Always,
            Answer::Always => Answer::Never,
            Answer::Perhaps => Answer::Perhaps,
        },
        Expression::Kind(p, m) => Answer::of(*p == proto && m.is_none_or(|m| m == message)),
        Expression::Envelope(Envelope::Proto, test) => of_word(test, proto),
        Expression::Envelope(Envelope::Message, test) => of_word(test, message),
        Expression::Field(path, _) if path.places(proto, message).is_empty() => Answer::Never,
        _ => Answer::Perhaps,
    }
}

fn of_word(test: &Test, word: &str) -> Answer {
    match test {
        Test::Compare(Comparison::Equal, literal) => Answer::of(literal.text == word),
        Test::Compare(Comparison::Unequal, literal) => Answer::of(literal.text != word),
        Test::In(list) => Answer::of(list.iter().any(|literal| literal.text == word)),
        Test::Contains(literal) => Answer::of(word.contains(&literal.text)),
        Test::Matches(regex) => Answer::of(regex.is_match(word)),
        _ => Answer::Perhaps,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::Names;

    #[test]
    fn what_can_fit() {
        let options = crate::protocols::options();
        let can =
            |text: &str, proto, message| Filter::parse(text, &Names::new(&options)).unwrap().can_be(proto, message);
        assert!(can("message == request", "nano", "request") && !can("message == request", "nano", "notify"));
        assert!(can("not message == request", "nano", "notify") && !can("not message == request", "nano", "request"));
        assert!(
            can("riptide.message_id == 7", "riptide", "reliable") && !can("riptide.message_id == 7", "dnp", "close")
        );
        assert!(can("nano.request or flow == 3", "dnp", "link_update"), "any message of conversation 3");
        assert!(!can("nano.request and flow == 3", "dnp", "link_update"));
        assert!(can("message in {ack, reliable}", "riptide", "ack") && !can("message ~ \"^re\"", "riptide", "ack"));
        assert!(can("not flow == 3", "riptide", "ack"), "of another conversation");
    }
}
