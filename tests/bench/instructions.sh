#!/usr/bin/env bash
# Instructions a message under callgrind, held against the ceilings of instructions.txt: unlike
# times, they are the same on a busy machine.
#   instructions.sh [NETKIT [SHORT.pcap LONG.pcap MESSAGES]]
# Without captures it makes two of its own, of Riptide 2.0 messages, and two of ENet datagrams, which
# are read by a protocol file; the difference between two is what MESSAGES messages cost, without the
# start. Exit status 1 when a ceiling is broken.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
netkit=$(realpath "${1:-$here/../../target/release/netkit}")
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

lines() { # COUNT: a client and a server, as busy games have them
  awk -v count="$1" 'BEGIN {
    for (i = 1; i <= count; i++) {
      c = i % 20; up = i % 2; client = "10.0.0." (c + 1) ":" (40000 + c); server = "192.168.1.10:7777"
      printf "{\"time\":%d.%06d,\"flow\":%d,\"proto\":\"riptide\",\"version\":\"2.0\",\"from\":\"%s\",", 1700000000 + i / 1000, i % 1000 * 1000, c + 1, up ? "client" : "server"
      printf "\"transport\":\"udp\",\"src\":\"%s\",\"dst\":\"%s\",", up ? client : server, up ? server : client
      if (i <= 20) printf "\"from\":\"client\",\"message\":\"connect\",\"fields\":{}}\n"
      else if (i % 7 == 0) printf "\"message\":\"reliable\",\"fields\":{\"sequence_id\":%d,\"message_id\":3,\"payload\":\"%032d\"}}\n", int(i / 140) % 60000 + 1, i
      else if (i % 11 == 0) printf "\"message\":\"ack\",\"fields\":{\"last_received_seq_id\":%d,\"acks_bitfield\":65535}}\n", int(i / 140) % 60000 + 1
      else printf "\"message\":\"unreliable\",\"fields\":{\"message_id\":1,\"payload\":\"%092d\"}}\n", i
    }
  }'
}

enet=$here/../../fixtures/protocols/enet.toml
if [ $# -ge 4 ]; then
  short=$2; long=$3; messages=$4
else
  short=$work/short.pcap; long=$work/long.pcap; messages=20000
  lines 1000 | "$netkit" encode -q --json - --to pcap -o "$short"
  lines 21000 | "$netkit" encode -q --json - --to pcap -o "$long"
  "$here/enet.sh" 1000 | "$netkit" encode -q -p "$enet" --json - --to pcap -o "$work/enet-short.pcap"
  "$here/enet.sh" 21000 | "$netkit" encode -q -p "$enet" --json - --to pcap -o "$work/enet-long.pcap"
fi

count() { # CAPTURE FORMAT PROTOCOL
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$netkit" decode "$1" -p "$3" -f "$2" --threads 1 2>&1 >/dev/null |
    awk '/Collected/ { print $4 }'
}

status=0
while read -r format ceiling; do
  case $format in
    '' | '#'*) continue ;;
    enet)
      [ $# -lt 4 ] || continue
      each=$((($(count "$work/enet-long.pcap" ndjson "$enet") - $(count "$work/enet-short.pcap" ndjson "$enet")) / 20000)) ;;
    *) each=$((($(count "$long" "$format" riptide) - $(count "$short" "$format" riptide)) / messages)) ;;
  esac
  verdict=ok; [ "$each" -le "$ceiling" ] || { verdict="MORE THAN THE CEILING"; status=1; }
  printf '%-8s %6d instructions a message, at most %6d  %s\n' "$format" "$each" "$ceiling" "$verdict"
done <"$here/instructions.txt"
exit $status
