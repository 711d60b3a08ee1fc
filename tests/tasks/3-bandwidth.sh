# The messages that use the bandwidth: bytes by message id and second.
capture=fixtures/riptide/riptide20-lossy.pcap

netkit stats $capture --by message_id,second --columns messages,bytes -f csv > "$TMP/bandwidth.csv"
netkit stats $capture --by message_id --top 1 -f csv | tail -1 | cut -d, -f1 > "$TMP/most"

# Compared with sums over decode's lines, by other tools.
netkit decode $capture -f csv --columns time,message_id,length --time epoch > "$TMP/messages.csv"
awk -F, 'NR == 2 { start = $1 } NR > 1 { sum[$2 "," int($1 - start + 1e-7)] += $3; count[$2 "," int($1 - start + 1e-7)]++ }
    END { for (key in sum) print key "," count[key] "," sum[key] }' "$TMP/messages.csv" | sort > "$TMP/expected"
tail -n +2 "$TMP/bandwidth.csv" | sort | cmp - "$TMP/expected"
awk -F, 'NR > 1 { sum[$2] += $3 } END { for (id in sum) print sum[id], id }' "$TMP/messages.csv" | sort -n | tail -1 |
    cut -d" " -f2 | cmp - "$TMP/most"
