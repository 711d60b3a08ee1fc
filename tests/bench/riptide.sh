#!/usr/bin/env bash
# Prints ndjson lines of COUNT datagrams of Riptide 2.0, for netkit encode: 100 clients of one server in a
# random order, each of which begins with a handshake. Of 100 messages, 60 are unreliable, 15 reliable, 15
# acknowledgements, 8 heartbeats, and 2 others: clients that join and leave, acks of one message, repeated
# connects, rejects, disconnects followed by a new handshake. Payloads have 18 to 197 bytes, like those of a
# game with states, snapshots, chat and input. Every awk prints the same lines.
#   riptide.sh COUNT
set -euo pipefail
awk -v count="$1" '
  function below(n) { x = x * 16807 % 2147483647; return int(x / 2147483647 * n) }
  function range(from, to) { return from + below(to - from + 1) }
  function hex(n,   text) {
    for (text = ""; n > 2; n -= 3) text = text sprintf("%06x", below(16777216))
    for (; n > 0; n--) text = text sprintf("%02x", below(256))
    return text
  }
  # A message of the game: its number, and its bytes.
  function user(   kind, n) {
    kind = below(10)
    if (kind < 3) return "\"message_id\":1,\"payload\":\"" hex(46) "\""
    if (kind < 5) return "\"message_id\":2,\"payload\":\"" hex(1 + 14 * range(2, 14)) "\""
    if (kind < 6) { n = range(18, 150); return "\"message_id\":3,\"payload\":\"" hex(n + 3 + (n > 127)) "\"" }
    if (kind < 8) return "\"message_id\":4,\"payload\":\"" hex(22) "\""
    if (kind < 9) return "\"message_id\":5,\"payload\":\"" hex(range(32, 44)) "\""
    n = range(20, 195)
    return "\"message_id\":6,\"payload\":\"" hex(n + 1 + (n > 127)) "\""
  }
  # Prints a message of client c, from the client (0) or the server (1).
  function put(from, message, fields) {
    printf "{\"time\":%d.%06d,\"flow\":%d,\"proto\":\"riptide\",\"version\":\"2.0\",", 1700000000 + int(time / 1000000), time % 1000000, c + 1
    printf "\"from\":\"%s\",\"transport\":\"udp\",", from ? "server" : "client"
    printf "\"src\":\"%s\",\"dst\":\"%s\",", from ? server : client[c], from ? client[c] : server
    printf "\"message\":\"%s\",\"fields\":{%s}}\n", message, fields
  }
  # The receiver stores the last number, and which of those before it arrived.
  function reliable(from, message, fields) {
    sent[c, from] = (sent[c, from] + 1) % 65536
    bits[c, from] = (bits[c, from] * 2 + 1) % 65536
    owed[c, from]++
    put(from, message, "\"sequence_id\":" sent[c, from] "," fields)
  }
  function received(from) { return "\"last_received_seq_id\":" sent[c, 1 - from] + 0 ",\"acks_bitfield\":" bits[c, 1 - from] + 0 }
  function ack(from) {
    if (owed[c, 1 - from] > 0) owed[c, 1 - from]--
    put(from, "ack", received(from))
  }
  function leave(   from) {
    for (from = 0; from < 2; from++) sent[c, from] = bits[c, from] = owed[c, from] = 0
    stage[c] = ping[c] = asked[c] = 0
    rtt[c] = -1
  }
  BEGIN {
    x = 20261122; server = "192.168.1.10:7777"; split("2 3 4 5", why, " ")
    for (c = 0; c < 100; c++) { n = c * 7 + 1; client[c] = "10.0." int(n / 256) "." n % 256 ":" 32768 + c; leave() }
    for (k = 0; k < count; k++) {
      c = below(100); time += range(10, 30)
      if (stage[c] == 0) put(0, "connect", below(4) ? "" : "\"data\":\"10" hex(16) "\"")
      if (stage[c] == 1) reliable(1, "welcome", "\"client_id\":" c + 1)
      if (stage[c] == 2) ack(0)
      if (stage[c] == 3) reliable(0, "welcome", "\"client_id\":" c + 1)
      if (stage[c] == 4) ack(1)
      if (stage[c]++ < 5) continue
      from = below(2); what = below(1000)
      if (what < 600) put(from, "unreliable", user())
      else if (what < 750) reliable(from, "reliable", user())
      else if (what < 900) ack(owed[c, 1] > 0 ? 0 : owed[c, 0] > 0 ? 1 : from)
      else if (what < 980) {
        if (asked[c] = !asked[c]) put(0, "heartbeat", "\"ping_id\":" (ping[c] = (ping[c] + 1) % 256) ",\"rtt\":" rtt[c])
        else { put(1, "heartbeat", "\"ping_id\":" ping[c]); rtt[c] = range(8, 180) }
      }
      else if (what < 987) reliable(1, "client_connected", "\"client_id\":" range(1, 65535))
      else if (what < 992) reliable(1, "client_disconnected", "\"client_id\":" range(1, 65535))
      else if (what < 996) put(from, "ack_extra", received(from) ",\"for_seq_id\":" (sent[c, 1 - from] + 65535 - below(8)) % 65536)
      else if (what < 998) put(0, "connect", "")
      else if (what < 999) { n = below(6); put(1, "reject", "\"reason\":" n (n < 5 ? "" : ",\"data\":\"0e" hex(14) "\"")) }
      else {
        n = why[range(1, 4)]
        put(from, "disconnect", from ? "\"reason\":" n (n != 4 ? "" : ",\"data\":\"0c" hex(12) "\"") : "")
        leave()
      }
    }
  }'
