#!/usr/bin/env bash
# Prints ndjson lines of COUNT datagrams of ENet, for netkit encode: 20 conversations, 15 commands in each 14
# datagrams: a reliable message and its acknowledgement in each direction, and unreliable states.
#   enet.sh COUNT
set -euo pipefail
awk -v count="$1" 'BEGIN {
  for (i = 1; i <= count; i++) {
    c = i % 20; k = int(i / 20); turn = k % 14; up = k % 2 == 0; n = int(k / 14) % 65535 + 1
    client = "10.0.0." (c + 1) ":" (40000 + c); server = "192.168.1.10:7777"
    head = sprintf("{\"time\":%d.%06d,\"flow\":%d,\"proto\":\"enet\",\"from\":\"%s\",", 1700000000 + int(i / 1000), i % 1000 * 1000, c + 1, up ? "client" : "server")
    head = head sprintf("\"transport\":\"udp\",\"src\":\"%s\",\"dst\":\"%s\",", up ? client : server, up ? server : client)
    packet = sprintf("\"packet\":{\"session_id\":1,\"peer_id\":%d,\"unsequenced\":false,", c)
    if (turn == 0 || turn == 3) printf "%s\"message\":\"send_reliable\",%s\"sent_time\":%d,\"acknowledge\":true,\"channel_id\":0,\"reliable_sequence_number\":%d},\"fields\":{\"data\":\"%032d\"}}\n", head, packet, i % 65536, n, i
    if (turn == 1 || turn == 4) printf "%s\"message\":\"acknowledge\",%s%s\"acknowledge\":false,\"channel_id\":0,\"reliable_sequence_number\":%d},\"fields\":{\"received_reliable_sequence_number\":%d,\"received_sent_time\":%d}}\n", head, turn == 1 ? "\"part\":[1,2]," : "", packet, n, n, (i + 65516) % 65536
    if (turn != 0 && turn != 3 && turn != 4) printf "%s\"message\":\"send_unreliable\",%s%s\"acknowledge\":false,\"channel_id\":1,\"reliable_sequence_number\":0},\"fields\":{\"unreliable_sequence_number\":%d,\"data\":\"%092d\"}}\n", head, turn == 1 ? "\"part\":[2,2]," : "", packet, k % 65536, i
  }
}'
