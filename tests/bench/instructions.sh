#!/usr/bin/env bash
# Counts instructions a message under callgrind, and compares them with the limits of instructions.txt: unlike
# times, they do not change on a busy machine.
#   instructions.sh [NETKIT [SHORT.pcap LONG.pcap MESSAGES]]
# NETKIT must be built with `cargo build --profile dist`, as when the limits were measured. Without captures it
# makes two of Riptide (riptide.sh) and two of ENet datagrams (enet.sh), which a protocol file describes. The
# difference between the two is the cost of MESSAGES messages, without the program's start. Protocols are
# recognised, and one thread is used. The exit status is 1 if a limit is exceeded.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
netkit=$(realpath "${1:-$here/../../target/dist/netkit}")
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

enet=$here/../../fixtures/protocols/enet.toml
if [ $# -ge 4 ]; then
  short=$2; long=$3; messages=$4
else
  short=$work/riptide-5000.pcap; long=$work/riptide-25000.pcap; messages=20000
  for count in 5000 25000; do
    "$here/riptide.sh" $count | "$netkit" encode -q --json - --as pcap -o "$work/riptide-$count.pcap"
    "$here/enet.sh" $count | "$netkit" encode -q -p "$enet" --json - --as pcap -o "$work/enet-$count.pcap"
  done
fi

count() { # ARGUMENTS of netkit
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$netkit" "$@" --threads 1 2>&1 >/dev/null |
    awk '/Collected/ { print $4 }'
}
least() { # ARGUMENTS of netkit
  for _ in 1 2 3; do count "$@"; done | sort -n | head -1
}
each() { # count|least SHORT LONG MESSAGES ARGUMENTS
  local counted=$1 short=$2 long=$3 messages=$4; shift 4
  echo $((($("$counted" "$@" "$long") - $("$counted" "$@" "$short")) / messages))
}
cost() { # count|least FORM
  case $2 in
    enet) each "$1" "$work/enet-5000.pcap" "$work/enet-25000.pcap" 20000 decode -p "$enet" -f ndjson ;;
    stats) each "$1" "$short" "$long" "$messages" stats ;;
    *) each "$1" "$short" "$long" "$messages" decode -f "$2" ;;
  esac
}

status=0
while read -r form ceiling; do
  case $form in
    '' | '#'*) continue ;;
    enet) [ $# -lt 4 ] || continue ;;
  esac
  cost=$(cost count "$form")
  # What a run does by the clock adds up to three a message: then the least of three runs counts.
  [ "$cost" -le "$ceiling" ] || cost=$(cost least "$form")
  verdict=ok; [ "$cost" -le "$ceiling" ] || { verdict="MORE THAN THE CEILING"; status=1; }
  printf '%-8s %6d instructions a message, at most %6d  %s\n' "$form" "$cost" "$ceiling" "$verdict"
done <"$here/instructions.txt"
exit $status
