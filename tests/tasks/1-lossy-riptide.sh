# Which client of a Riptide server loses messages: which ids, what share, when.
capture=fixtures/riptide/riptide20-lossy.pcap

# Who sends again: the client of flow 1, by far.
netkit stats $capture --by src,message_id --sort resent --columns messages,resent -f csv > "$TMP/who.csv"
sed -n 2p "$TMP/who.csv" > "$TMP/worst"
IFS=, read -r client id messages resends < "$TMP/worst"

# What share of its reliable messages, all transmissions counted.
netkit stats $capture --delivery -F "src == $client or dst == $client" -f csv \
    --columns from,messages,sent,resent,resent_share > "$TMP/share.csv"

# When: the second in which most were sent again.
netkit stats $capture -F "src == $client and note == resent" --by second --sort messages --top 1 \
    --columns messages -f csv | tail -1 > "$TMP/when"

# What was never acknowledged at all.
netkit stats $capture --never-acked -f csv --columns frame,peer,route,sent > "$TMP/never.csv"

# The answers are those of what the capture's applications logged.
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
capture, at, start, seconds = open(folder + "/capture", "rb").read(), 24, None, collections.Counter()
frames, number = {frame for row in sent["reliable"] for frame in row["resent_frames"]}, 0
while at < len(capture):
    whole, micros, length = struct.unpack_from("<III", capture, at)
    now, at, number = whole * 1000000 + micros, at + 16 + length, number + 1
    start = now if start is None else start
    seconds[(now - start) // 1000000] += number in frames
assert open(folder + "/when").read().strip() == "%d,%d" % seconds.most_common(1)[0], seconds

listed = [list(row.values()) for row in csv.DictReader(open(folder + "/never.csv"))]
assert listed == sorted(never, key=lambda row: int(row[0])), (listed, never)
END
