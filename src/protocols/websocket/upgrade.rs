//! The keys of the HTTP request that opens a WebSocket, and of its answer (RFC 6455, section 4).

/// The text that follows a client's key before it is hashed (RFC 6455, section 4.2.2).
const GUID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// The digits of base64.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Sixteen bytes that differ from call to call, as base64.
pub fn key() -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let bits = now.wrapping_mul(0x2545_f491_4f6c_dd1d_9e37_79b9_7f4a_7c15) | 1;
    // 128 bits are 21 letters and two bits, which are the last letter's highest.
    let letter = |k: u32| LETTERS[(if k == 21 { bits << 4 } else { bits >> (122 - 6 * k) } & 63) as usize] as char;
    (0..22).map(letter).chain("==".chars()).collect()
}

/// The answer to a client's key.
pub fn accept(key: &str) -> String {
    let hash = sha1_smol::Sha1::from(format!("{key}{GUID}")).digest().bytes();
    let letter = |bits: u32| LETTERS.get((bits & 63) as usize).copied().unwrap_or(b'=') as char;
    let mut text = String::new();
    for chunk in hash.chunks(3) {
        let byte = |k: usize| chunk.get(k).copied().unwrap_or(0) as u32;
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        (0..4).for_each(|k| text.push(if k <= chunk.len() { letter(bits >> (18 - 6 * k)) } else { '=' }));
    }
    text
}

/// The value of a line of an HTTP head.
pub fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.split("\r\n").filter_map(|line| line.split_once(':'));
    lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_to_a_key() {
        // The example of RFC 6455, section 1.3.
        assert_eq!(accept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }

    #[test]
    fn keys_are_base64_of_16_bytes() {
        let one = key();
        assert_eq!((one.len(), &one[22..]), (24, "=="));
        assert_ne!(one, key());
        // The last letter holds two bits.
        assert!("AQgw".contains(&one[21..22]), "{one}");
    }
}
