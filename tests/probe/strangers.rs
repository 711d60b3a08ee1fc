//! Servers of other protocols are named in the report, whatever protocol they are probed for.

use super::peer::{ask, closed_tcp, detail, ms, outcome, request, tcp, text};
use netkit::live::probe::Carrier;

const HTTP: &str = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";
const HTTPS: &str = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";
const SSH: &str = "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n";
const MAIL: &str = "220 mail.example ESMTP Postfix\r\n";
const ALERT: &str = "\u{15}\u{3}\u{1}\0\u{2}\u{2}\n";

#[test]
fn by_name() {
    let cases = [
        (HTTP, "HTTP", "HTTP/1.1 400 Bad Request"),
        (HTTPS, "TLS", "an HTTPS server"),
        (SSH, "SSH", "SSH-2.0-OpenSSH_9.2p1 Debian-2"),
        (ALERT, "TLS", "alert unexpected_message"),
        (MAIL, "", "220 mail.example ESMTP Postfix"),
    ];
    for (message, name, shown) in cases {
        for proto in ["riptide", "gne", "nano"] {
            let peer = tcp(
                |_| Ok(()),
                move |conn| {
                    conn.read(3);
                    conn.write(message.as_bytes());
                    std::thread::sleep(ms(50));
                },
            );
            let mut request = request(proto, &[]);
            request.carrier = Some(Carrier::Tcp);
            let report = ask(&request, &peer.addr.to_string());
            if (proto, name) == ("nano", "HTTP") {
                // It may well be the right port, probed without WebSocket.
                assert_eq!(outcome(&report), "closed", "{}", text(&report));
                assert!(text(&report).contains("HTTP server") && text(&report).contains("--transport ws"));
                continue;
            }
            assert_eq!(outcome(&report), "other_protocol", "{proto}: {}", text(&report));
            assert!(text(&report).contains(shown), "{proto}: {}", text(&report));
            assert_eq!(detail(&report, "stranger").as_str().unwrap_or(""), name, "{proto}: {}", text(&report));
            assert!(detail(&report, "other").is_null(), "it is none of ours: {}", text(&report));
        }
    }
}

/// A WebSocket is requested of a port that expects TLS.
#[test]
fn an_encrypted_websocket() {
    let peer = tcp(
        |_| Ok(()),
        |conn| {
            conn.read(40);
            conn.write(HTTPS.as_bytes());
        },
    );
    let mut request = request("nano", &[]);
    request.carrier = Some(Carrier::Ws);
    let report = ask(&request, &peer.addr.to_string());
    assert_eq!((outcome(&report), detail(&report, "stranger").as_str()), ("other_protocol", Some("TLS")));
    assert!(text(&report).contains("HTTPS") && text(&report).contains("not speak TLS"), "{}", text(&report));
}

/// Without a protocol, the report names both transports.
#[test]
fn a_dead_port() {
    let report = ask(&request("", &[]), &closed_tcp().to_string());
    assert_eq!(outcome(&report), "refused");
    assert!(text(&report).contains("not over UDP") && text(&report).contains("not over TCP"), "{}", text(&report));
    let mut request = request("gne", &[]);
    request.carrier = Some(Carrier::Tcp);
    let report = ask(&request, &closed_tcp().to_string());
    assert!(text(&report).contains("TCP port") && !text(&report).contains("UDP"), "{}", text(&report));
}
