# The client of a Riptide server that loses messages: which ids, which share, at which times.
capture=fixtures/riptide/riptide20-lossy.pcap

# The sender with the most resends: by far the client of flow 1.
netkit stats $capture --by src,message_id --sort resent --columns messages,resent -f csv > "$TMP/who.csv"
sed -n 2p "$TMP/who.csv" > "$TMP/worst"
IFS=, read -r client id messages resends < "$TMP/worst"

# The resent share of its reliable transmissions.
netkit stats $capture --delivery -F "src == $client or dst == $client" -f csv \
    --columns from,messages,sent,resent,resent_share > "$TMP/share.csv"

# The five seconds with the most losses, and the longest silence.
netkit stats $capture --delivery -F "src == $client or dst == $client" -f json > "$TMP/when.json"

# Messages that were never acknowledged.
netkit stats $capture --never-acked -f csv --columns frame,peer,route,sent > "$TMP/never.csv"

# The answers equal the logs of the capture's applications.
cp $capture "$TMP/capture"
command -v python3 > /dev/null || { echo "no python3" >&2; exit 77; }
python3 - fixtures/riptide/riptide20-lossy.delivery.json "$TMP" "$client" "$id" "$resends" <<'END'
import collections
import csv
import json
import struct
import sys

truth, folder, client, message_id, resends = json.load(open(sys.argv[1])), *sys.argv[2:]
again, never, sums = collections.Counter(), [], {}
for conversation in truth["conversations"]:
    for side in "client", "server":
        sent = conversation["from"][side]
        sums[conversation[side], conversation[{"client": "server", "server": "client"}[side]]] = sent
        for row in sent["reliable"]:
            again[conversation[side], row.get("message_id")] += len(row["resent_frames"])
            if row["acked_frame"] is None:
                never.append([str(row["first_frame"]), conversation[side], str(row["message_id"]), str(row["copies"])])
(who, what), times = again.most_common(1)[0]
assert (client, message_id, resends) == (who, str(what), str(times)), (client, message_id, resends, again)

rows = {row["from"]: row for row in csv.DictReader(open(folder + "/share.csv"))}
sent = next(sent for (sender, _), sent in sums.items() if sender == client)
resent = sum(len(row["resent_frames"]) for row in sent["reliable"])
own = rows["client"]
assert [int(own[k]) for k in ("messages", "sent", "resent")] == [sent["messages"], sent["copies"], resent]
assert abs(float(own["resent_share"]) - resent / sent["copies"]) < 1e-5

# The times of the frames, from the capture's own records.
capture, at, times = open(folder + "/capture", "rb").read(), 24, [None]
while at < len(capture):
    whole, micros, length = struct.unpack_from("<III", capture, at)
    times.append(whole * 1000000 + micros)
    at += 16 + length
report = json.load(open(folder + "/when.json"))
own = next(row for row in report["when"] if row["from"] == "client")
losses = [times[frame] for row in sent["reliable"] for frame in row["resent_frames"]]
losses = sorted(losses + [times[gap["frame"]] for gap in sent["gaps"] for _ in range(gap["missing"])])
first, last = (round((report["start"] + own[key]) * 1000000) for key in ("worst_from", "worst_to"))
assert last - first == 5000000
# The printed times are in these five seconds, and no other five have more losses; they begin with a loss, within a step
# of 5/64 s.
step, inside = 78125, lambda begin, end: sum(begin <= at < end for at in losses)
assert inside(first, last) == own["worst_losses"], (own, inside(first, last))
assert all(inside(at, at + 5000000 - step) <= own["worst_losses"] for at in losses), own
assert any(first <= at <= first + step for at in losses), own
listed = [list(row.values()) for row in csv.DictReader(open(folder + "/never.csv"))]
assert listed == sorted(never, key=lambda row: int(row[0])), (listed, never)
END
