//! Connect data: a server's application expects it from clients that connect, as a password, a name or a token.

use serde_json::Value as Json;
use std::str::FromStr;

/// Connect data, as the user writes it.
#[derive(Clone, Debug, PartialEq)]
pub enum ConnectData {
    /// Bytes.
    Bytes(Vec<u8>),
    /// A text, encoded as the protocol's library encodes texts.
    Text(String),
    /// Values, as an object.
    Values(Json),
}

impl FromStr for ConnectData {
    type Err = String;

    /// Parses `text:WORDS`, a JSON object, or hex.
    fn from_str(text: &str) -> Result<ConnectData, String> {
        if let Some(words) = text.strip_prefix("text:") {
            return Ok(ConnectData::Text(words.into()));
        }
        if text.trim_start().starts_with('{') {
            return match crate::encode::json(text.as_bytes()) {
                Ok(values @ Json::Object(_)) => Ok(ConnectData::Values(values)),
                Ok(_) => Err("expected one JSON object".into()),
                Err(why) => Err(format!("invalid JSON: {why}")),
            };
        }
        let digits: String = text.split_whitespace().collect();
        let digits = digits.strip_prefix("0x").unwrap_or(&digits);
        match hex::decode(digits) {
            Ok(bytes) if !bytes.is_empty() => Ok(ConnectData::Bytes(bytes)),
            _ => Err("expected hex (0773 65..), text:WORDS or a JSON object".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_forms() {
        assert_eq!("0x07 6f".parse(), Ok(ConnectData::Bytes(vec![7, 0x6f])));
        assert_eq!("text:a b".parse(), Ok(ConnectData::Text("a b".into())));
        assert_eq!("{\"a\":1}".parse(), Ok(ConnectData::Values(serde_json::json!({"a": 1}))));
        for wrong in ["", "secret", "{\"a\"", "[1]", "abc"] {
            assert!(wrong.parse::<ConnectData>().is_err(), "{wrong}");
        }
    }
}
