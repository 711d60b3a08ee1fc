# The requests to a nano server that hang, and the delays of the others, by route.
capture=fixtures/nano/nano-tcp.pcap

netkit stats $capture --unanswered -f csv --columns frame,peer,message,route > "$TMP/hang.csv"
netkit stats $capture --latency -f csv --columns route,count,waiting,p50,p90,p99,max > "$TMP/latency.csv"

# The frames that are known for this capture; and the same by decode's lines.
cut -d, -f1 "$TMP/hang.csv" | tail -n +2 | xargs > "$TMP/frames"
echo "43 310 311 323" | cmp - "$TMP/frames"
netkit decode $capture -F 'has unanswered' -f csv --columns frame,message,route | tail -n +2 | cut -d, -f1 | xargs | cmp - "$TMP/frames"

# Latencies compared with the requests and responses of the independent decoder, and the capture's records.
command -v python3 > /dev/null || { echo "no python3" >&2; exit 77; }
python3 - "$TMP" $capture fixtures/nano/nano-tcp.expected.ndjson <<'END'
import csv
import json
import struct
import sys

capture, at, times = open(sys.argv[2], "rb").read(), 24, [None]
while at < len(capture):
    whole, micros, length = struct.unpack_from("<III", capture, at)
    times.append(whole * 1000000 + micros)
    at += 16 + length
asked, took = {}, {}
for line in map(json.loads, open(sys.argv[3])):
    fields, route = line["fields"], line["fields"].get("route") or line.get("derived", {}).get("route")
    if line["message"] == "request" and "id" in fields:
        asked[json.dumps(fields["id"])] = (route, times[line["frame"]])
    if line["message"] == "response" and json.dumps(fields.get("id")) in asked:
        route, then = asked.pop(json.dumps(fields["id"]))
        took.setdefault(route, []).append((times[line["frame"]] - then) / 1000)
rows = list(csv.DictReader(open(sys.argv[1] + "/latency.csv")))
assert {row["route"]: int(row["answered"]) for row in rows if row["answered"] != "0"} == {r: len(t) for r, t in took.items()}
for row in rows:
    if row["answered"] != "0":
        all_of = sorted(took[row["route"]])
        assert abs(float(row["answered_max"]) - all_of[-1]) < 0.002, (row, all_of)
        middle = all_of[-(-len(all_of) // 2) - 1]
        assert abs(float(row["answered_p50"]) - middle) <= middle / 64 + 0.002, (row, middle)
assert sum(int(row["waiting"]) for row in rows) == 4, rows
END
