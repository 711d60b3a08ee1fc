# Fifty servers, five of which are down, in Prometheus' format: promtool finds no mistake.
promtool=${NETKIT_PROMTOOL:-promtool}
command -v python3 > /dev/null || { echo "no python3" >&2; exit 77; }
command -v "$promtool" > /dev/null || { echo "no promtool (Debian: apt-get install prometheus)" >&2; exit 77; }

# The fleet: 45 sockets that welcome every client and answer heartbeats, like Riptide 2.0.
python3 - "$TMP/ports" <<'END' &
import os
import select
import socket
import sys
fleet = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(45)]
for one in fleet:
    one.bind(("127.0.0.1", 0))
with open(sys.argv[1] + ".part", "w") as ports:
    ports.writelines("%d\n" % one.getsockname()[1] for one in fleet)
os.rename(sys.argv[1] + ".part", sys.argv[1])
while True:
    for one in select.select(fleet, [], [], 60)[0] or sys.exit():
        said, who = one.recvfrom(2000)
        if said == b"\x03":
            one.sendto(b"\x08\x01\x00\x01\x00", who)
        elif said[:1] == b"\x05":
            one.sendto(said[:2], who)
END
fleet=$!
trap 'kill "$fleet"' EXIT
while ! test -e "$TMP/ports"; do sleep 0.1; done

k=0
while read -r port; do
    k=$((k + 1))
    echo "name=eu$k region=eu 127.0.0.1:$port riptide"
done < "$TMP/ports" > "$TMP/servers.txt"
for k in 1 2 3 4 5; do
    echo "name=down$k region=us 127.0.0.1:$k riptide  # nobody listens there"
done >> "$TMP/servers.txt"

status=0
netkit probe --targets "$TMP/servers.txt" --transport udp -n 5 --interval 20ms -W 20s -f prometheus > "$TMP/metrics" || status=$?
test "$status" = 1
"$promtool" check metrics < "$TMP/metrics" > "$TMP/said" 2>&1
! test -s "$TMP/said"
test "$(grep -c '^netkit_probe_up{.*} 1$' "$TMP/metrics")" = 45
test "$(grep -c '^netkit_probe_up{.*} 0$' "$TMP/metrics")" = 5
test "$(grep -c 'region="us",outcome="refused"' "$TMP/metrics")" = 5
test "$(grep -c '^netkit_probe_rtt_median_seconds{.*name="eu' "$TMP/metrics")" = 45

# The same for node_exporter: the file is replaced as a whole.
netkit probe --targets "$TMP/servers.txt" --transport udp -n 1 -W 20s --textfile "$TMP/game.prom" > "$TMP/out" || test "$?" = 1
! test -s "$TMP/out"
"$promtool" check metrics < "$TMP/game.prom"
test "$(grep -c '^netkit_probe_up' "$TMP/game.prom")" = 50
