//! Recognises foreign servers by their first bytes: HTTP, TLS, and servers that introduce themselves with a line of
//! text.

/// A server of a foreign protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stranger {
    /// Its protocol.
    pub name: &'static str,
    /// Its response, for people.
    pub answer: String,
    /// The advice.
    pub advice: &'static str,
}

/// The responses of web servers to requests without TLS on a port that demands it.
const WANTS_TLS: [&str; 3] = ["http request to an https server", "http request was sent to https port", "https scheme"];
/// The number of characters of a banner that are shown.
const SHOWN: usize = 80;
/// TLS record types, and the alerts with which servers answer garbage (RFC 8446, section 6).
const ALERT: u8 = 21;
const HANDSHAKE: u8 = 22;
const ALERTS: [(u8, &str); 9] = [
    (0, "close_notify"),
    (10, "unexpected_message"),
    (20, "bad_record_mac"),
    (22, "record_overflow"),
    (40, "handshake_failure"),
    (47, "illegal_parameter"),
    (50, "decode_error"),
    (70, "protocol_version"),
    (80, "internal_error"),
];
const TLS: &str =
    "an encrypted port: netkit does not speak TLS; probe the game's own port, or go through a proxy that decrypts";

/// Recognises the server that sends these bytes.
pub fn stranger(raw: &[Vec<u8>]) -> Option<Stranger> {
    let first = raw.iter().find(|bytes| !bytes.is_empty())?;
    match first.as_slice() {
        [kind @ (ALERT | HANDSHAKE), 3, 0..=4, _, _, rest @ ..] => {
            let alert = rest.get(1).filter(|_| *kind == ALERT).map(|alert| {
                ALERTS.iter().find(|(number, _)| number == alert).map_or(format!("{alert}"), |(_, name)| (*name).into())
            });
            let answer = alert.map_or("a handshake record".into(), |alert| format!("alert {alert}"));
            Some(Stranger { name: "TLS", answer, advice: TLS })
        }
        text if text.starts_with(b"HTTP/1.") || text.starts_with(b"HTTP/2") => {
            let all = String::from_utf8_lossy(text).to_ascii_lowercase();
            let answer = banner(raw)?;
            if WANTS_TLS.iter().any(|words| all.contains(words)) {
                return Some(Stranger { name: "TLS", answer: format!("{answer}: an HTTPS server"), advice: TLS });
            }
            let advice =
                "a web server, or a WebSocket port: try --transport ws or ws://HOST:PORT/PATH, or another port";
            Some(Stranger { name: "HTTP", answer, advice })
        }
        text if text.starts_with(b"SSH-") => {
            Some(Stranger { name: "SSH", answer: banner(raw)?, advice: "a login server: check the port" })
        }
        _ => None,
    }
}

/// Returns the first line that was received, quoted, if it is text.
pub fn banner(raw: &[Vec<u8>]) -> Option<String> {
    let first = raw.iter().find(|bytes| !bytes.is_empty())?;
    let line = first.split(|byte| matches!(byte, b'\r' | b'\n')).next()?;
    let text = match std::str::from_utf8(line) {
        Ok(text) => text,
        // The line may be cut in the middle of a character.
        Err(error) if error.error_len().is_none() => std::str::from_utf8(line.get(..error.valid_up_to())?).ok()?,
        Err(_) => return None,
    };
    if text.chars().count() < 4 || text.chars().any(char::is_control) {
        return None;
    }
    let shown: String = text.chars().take(SHOWN).collect();
    Some(format!("{shown:?}{}", if shown.len() < text.len() { ".." } else { "" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_says_what() {
        let answer = |bytes: &[u8]| stranger(&[Vec::new(), bytes.to_vec()]).map(|s| (s.name, s.answer));
        assert_eq!(answer(b"HTTP/1.1 400 Bad Request\r\n\r\n"), Some(("HTTP", "\"HTTP/1.1 400 Bad Request\"".into())));
        let https = b"HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";
        assert_eq!(answer(https).map(|s| s.0), Some("TLS"));
        assert_eq!(answer(&[21, 3, 1, 0, 2, 2, 10]), Some(("TLS", "alert unexpected_message".into())));
        assert_eq!(answer(&[21, 3, 3, 0, 2, 2, 199]), Some(("TLS", "alert 199".into())));
        assert_eq!(answer(b"SSH-2.0-OpenSSH_9.2\r\n"), Some(("SSH", "\"SSH-2.0-OpenSSH_9.2\"".into())));
        assert_eq!(answer(&[8, 1, 0, 1, 0]), None);
        let line = |bytes: &[u8]| banner(&[bytes.to_vec()]);
        assert_eq!(line(b"220 mail.example ESMTP\r\n").as_deref(), Some("\"220 mail.example ESMTP\""));
        assert_eq!((line(b"ab"), line(&[1, 2, 3, 4, 5]), line(&[0xff; 8])), (None, None, None));
        assert!(line(&[b'x'; 500]).is_some_and(|text| text.len() == SHOWN + 4));
    }
}
