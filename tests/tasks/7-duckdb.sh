# A table of messages in DuckDB: each column has its proper type, and the figures equal those of the independent
# decoder's lines.
python=${NETKIT_DUCKDB:-python3}
"$python" -c 'import duckdb' 2>/dev/null || { echo "no Python with duckdb (PyPI)" >&2; exit 77; }

netkit decode fixtures/riptide/riptide20-lossy.pcap -f csv --time utc \
    --columns time,frame,flow,src,message,length,message_id,rtt,payload,notes > "$TMP/messages.csv"
netkit decode fixtures/riptide/riptide20-lossy.pcap -f tsv \
    --columns time,frame,flow,src,message,length,message_id,rtt,payload,notes > "$TMP/messages.tsv"

"$python" - "$TMP" <<'END'
import sys
import duckdb

table = "read_csv('%s/messages.csv')" % sys.argv[1]
types = dict(row[:2] for row in duckdb.sql("describe from " + table).fetchall())
assert types == {
    "time": "TIMESTAMP WITH TIME ZONE", "frame": "BIGINT", "flow": "BIGINT", "src": "VARCHAR", "message": "VARCHAR",
    "length": "BIGINT", "message_id": "BIGINT", "rtt": "BIGINT", "payload": "VARCHAR", "notes": "VARCHAR",
}, types
tabs = "read_csv('%s/messages.tsv')" % sys.argv[1]
tab_types = dict(row[:2] for row in duckdb.sql("describe from " + tabs).fetchall())
assert tab_types == types | {"time": "DOUBLE"}, tab_types

lines = "read_json('fixtures/riptide/riptide20-lossy.expected.ndjson')"
figures = "select message, count(*), sum(frame), count({0}message_id), sum({0}message_id), sum({0}rtt) from {1} group by all order by 1"
expected = duckdb.sql(figures.format("fields.", lines)).fetchall()
assert len(expected) > 4, expected
for rows in table, tabs:
    assert duckdb.sql(figures.format("", rows)).fetchall() == expected
# A time, not a text: the whole capture took 21.653 seconds.
span, = duckdb.sql("select max(time) - min(time) from " + table).fetchall()
assert round(span[0].total_seconds(), 3) == 21.653, span
END
