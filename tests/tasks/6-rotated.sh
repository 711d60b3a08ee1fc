# Five files as `tcpdump -C` rotates them, read as one: the output equals that for the whole capture.
command -v python3 > /dev/null || { echo "no python3" >&2; exit 77; }
python3 - fixtures/riptide/riptide20-lossy.pcap "$TMP" <<'END'
import struct
import sys
whole = open(sys.argv[1], "rb").read()
at, records = 24, []
while at < len(whole):
    length = 16 + struct.unpack_from("<I", whole, at + 8)[0]
    records.append(whole[at:at + length])
    at += length
each = -(-len(records) // 5)
for k in range(5):
    with open("%s/ring%d.pcap" % (sys.argv[2], k), "wb") as part:
        part.write(whole[:24] + b"".join(records[k * each:(k + 1) * each]))
END

netkit decode fixtures/riptide/riptide20-lossy.pcap -f ndjson > "$TMP/whole"
netkit decode --join "$TMP"/ring*.pcap -f ndjson > "$TMP/parts"
sed -E 's/,"file":"[^"]*","file_frame":[0-9]+//' "$TMP/parts" | cmp - "$TMP/whole"
for k in 0 1 2 3 4; do
    grep -q "\"file\":\"$TMP/ring$k.pcap\"" "$TMP/parts"
done
# Read separately, the files lack the messages before them.
netkit decode "$TMP"/ring*.pcap -f ndjson | sed -E 's/,"file":"[^"]*","file_frame":[0-9]+//' > "$TMP/apart"
! cmp -s "$TMP/apart" "$TMP/whole"
