# A build's gate: one set of limits passes two runs that differ only by noise (two releases of the same program), and
# fails the run in which a third of the client's messages is resent.
command -v python3 > /dev/null || { echo "no python3" >&2; exit 77; }
gate() {
    netkit diff -p riptide "$1" "$2" -f junit --ignore 'message == heartbeat' \
        --fail-on 'message_rate > 10% and > 5 messages' --fail-on 'ack_p90 > 50ms' --fail-on 'resent_share > 2pp'
}
cd fixtures/riptide
gate riptide21-udp.pcap riptide22-udp.pcap > "$TMP/noise.xml"
grep -q '<testsuites tests="3" failures="0">' "$TMP/noise.xml"

status=0
gate riptide22-gap40-serverleg.pcap riptide22-gap40.pcap > "$TMP/regression.xml" || status=$?
test "$status" = 1
grep -q '<testsuites tests="3" failures="3">' "$TMP/regression.xml"
# The share equals that of the independent analysis: transmissions after the first, before an acknowledgement.
share=$(python3 -c 'import json, sys
sent = json.load(sys.stdin)["conversations"][0]["from"]["client"]
print("%.1f" % (100 * sum(len(one["resent_frames"]) for one in sent["reliable"]) / sent["copies"]))' \
    < riptide22-gap40.delivery.json)
grep -q "riptide from the client resent_share: 0.0%, then $share% (+$share pp)" "$TMP/regression.xml"
# In the reverse order everything is better: an improvement never fails.
gate riptide22-gap40.pcap riptide22-gap40-serverleg.pcap > "$TMP/better.xml"

# A comparison without data fails.
! gate riptide22-gap40.pcap ../foreign/rtp.pcap > "$TMP/empty.xml" 2>&1
grep -q 'failures="3"' "$TMP/empty.xml"

# Resends that more than double fail; a limit that nothing could ever exceed is a usage error.
status=0
netkit diff -p riptide riptide20-udp.pcap riptide20-lossy.pcap --fail-on 'resent > 2x' > "$TMP/doubled" || status=$?
test "$status" = 1
status=0
netkit diff -p riptide riptide20-udp.pcap riptide20-lossy.pcap --fail-on 'resent_share > 100pp' 2> "$TMP/never" || status=$?
test "$status" = 2
