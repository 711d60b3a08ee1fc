#!/bin/sh
# Count the lines of code in src: `tests/lines.sh` prints one line for each folder and the sum, `tests/lines.sh DIR..`
# one for each file below these folders. Comments, blank lines, items under `#[cfg(test)]`, `tests.rs`, files in
# `tests/` and what follows `mod tests {` do not count. Code formatted by rustfmt is assumed: an item that opens a
# brace ends at the line that closes it at the item's indentation.
set -eu
cd "$(dirname "$0")/.."
each=folder
[ $# -eq 0 ] || each=file
find "${@:-src}" -name '*.rs' ! -name tests.rs ! -path '*/tests/*' | sort | xargs awk -v each=$each '
    function room(path,    parts, n) {
        if (each == "file") return path
        n = split(path, parts, "/")
        return n > 2 ? parts[1] "/" parts[2] : parts[1]
    }
    FNR == 1 { skip = 0; rest = 0; comment = 0; where = room(FILENAME) }
    rest { next }
    /^[ ]*$/ { next }
    # A file of tests alone.
    /^#!\[cfg\(test\)\]/ { rest = 1; next }
    comment { if (/\*\//) comment = 0; next }
    /^ *\/\// { next }
    /^ *\/\*/ { if (!/\*\//) comment = 1; next }
    # The item under the attribute: further attributes, then up to its end.
    skip == 1 && /^ *#\[/ { next }
    skip == 1 && /^ *(pub\(crate\) )?mod [a-z_]+ \{/ && indent == 0 { rest = 1; next }
    skip == 1 { if (/[;,]$/ || /}$/) { skip = 0; next } skip = 2; next }
    skip == 2 { match($0, /^ */); if (RLENGTH == indent && /^ *[})\]]*[;,]?$/) skip = 0; next }
    /^ *#\[cfg\(test\)\]/ { match($0, /^ */); indent = RLENGTH; skip = 1; next }
    /^mod tests {/ { rest = 1; next }
    { sum[where]++; all++ }
    END {
        for (each in sum) printf "%7d %s\n", sum[each], each | "sort -rn"
        close("sort -rn")
        printf "%7d in all\n", all
    }'
