"""For each numeric leaf of every capture, -F, DuckDB and tshark choose the frames that ndjson's values have.

usage: thresholds.py NETKIT FOLDER CAPTURE...    FOLDER is empty. Without tshark, -F and DuckDB are compared.
"""

import collections
import concurrent.futures
import decimal
import json
import pathlib
import re
import shutil
import subprocess
import sys

import duckdb

from values import described

COMPARE = {
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "==": lambda a, b: a == b,
}
# Leaves without a type of their own: by protocol, place, message and path.
UNTYPED = re.compile(
    "|".join(
        [
            r"nano derived  (json|message)\..*",  # names from the traffic
            r"dnp derived  values\.value",  # the type is the link's
            r"(gne fields packets|(dht|nbt) fields packet) .*",  # groups within themselves, at any depth
            r"resp fields packet value\.items\..*",  # the same
            # Values within themselves, at any depth; kinds without a name; numbers of several types.
            r"msgpack-rpc fields \w+ \w+\.((list|pairs)\..*|kind|number)",
            r"ntp fields request reference",  # a time, which is 0 if there is none
            r"hawknl fields frame length",  # printed of a frame that is not a message
            r"raknet fields fragment .*|raknet derived  joined\.packet\.id",
            r"minecraft derived  memory\.compression",  # what a protocol file remembers
        ]
    )
)
# Tags, counts and lengths that the message's name, lists and texts imply: ndjson and Parquet have them only if they are
# wrong, Wireshark always, since they have bytes.
IMPLIED = re.compile(
    r".* (command|type|protocol_count|(links\.)?(value|link)_count)|resp fields packet value\.length|raknet packet  id"
)
LISTEN = """
local begun, asks = false, Proto("asks", "asks")
function asks.init()
  if begun then return end
  begun = true
  for k, filter in ipairs(filters) do
    local listener = Listener.new("frame", filter)
    function listener.packet(pinfo) print(k, pinfo.number) end
  end
end
"""


def leaves(value, path=()):
    """The paths and values below a value; an element of a list has the list's path."""
    if isinstance(value, dict):
        # Bits without a plain value.
        if value.keys() != {"raw", "bits"}:
            for name, below in value.items():
                yield from leaves(below, (*path, name))
    elif isinstance(value, list):
        for element in value:
            yield from leaves(element, path)
    elif value is not None:
        yield path, value


def is_number(value):
    return isinstance(value, (int, decimal.Decimal)) and not isinstance(value, bool)


def thresholds(values):
    """Three comparisons; those of fractions lie between the values, since engines round them differently."""
    values = sorted(set(values))
    low, middle, high = values[0], values[len(values) // 2], values[-1]
    if all(isinstance(value, int) for value in values):
        return [(">", low), (">=", middle), ("<", high)] if low < high else [(">=", low), ("<=", low), ("==", low)]
    between = [(a + b) / 2 for a, b in zip(values, values[1:])]
    beyond = max(abs(low), abs(high), 1)
    between = [low - beyond, *between, high + beyond]
    return [(">", between[0]), (">", between[len(between) // 2]), ("<", between[max(len(between) - 2, 0)])]


def condition(place, kind, path, test, depth=0):
    """SQL for: an element of this path satisfies the test. None if the column's type does not have the path."""
    if kind.id == "list":
        one = f"x{depth}"
        below = condition(one, kind.children[0][1], path, test, depth + 1)
        return below and f"len(list_filter({place}, lambda {one}: coalesce({below}, false))) > 0"
    if not path:
        return None if kind.id in ("varchar", "blob", "struct", "boolean") else f"{place} {test}"
    below = dict(kind.children).get(path[0]) if kind.id == "struct" else None
    return below and condition(f'{place}."{path[0]}"', below, path[1:], test, depth)


class Capture:
    """A capture, with the frames of each numeric leaf: (protocol, place in the line, message, path)."""

    def __init__(self, netkit, path, folder):
        self.path, self.folder, self.options = path, folder, list(map(str, described(path)))
        self.base = [netkit, "-q", "decode", path, *self.options]
        self.leaves, self.mixed = collections.defaultdict(list), set()
        # In filters a field's name is also that of the value known from other messages.
        self.known = collections.defaultdict(list)
        text = subprocess.run([*self.base, "-f", "ndjson"], capture_output=True).stdout.decode()
        for line in text.splitlines():
            one = json.loads(line, parse_float=decimal.Decimal)
            for part in ("fields", "packet", "derived"):
                for path, value in leaves(one.get(part)):
                    if part == "derived" and is_number(value):
                        self.known[one["proto"], "fields", one["message"], path].append((one["frame"], value))
                    # Derived values and headers have one name for all messages.
                    key = one["proto"], part, one["message"] if part == "fields" else "", path
                    if not is_number(value):
                        self.mixed.add(key)
                    elif all(re.fullmatch("[a-z][a-z0-9_]*", name) for name in path):
                        self.leaves[key].append((one["frame"], value))

    def questions(self, mixed):
        for key, values in self.leaves.items():
            if key not in mixed:
                for sign, limit in thresholds([value for _, value in values]):
                    chosen, more = (
                        {frame for frame, value in some if COMPARE[sign](value, limit)}
                        for some in (values, self.known.get(key, ()))
                    )
                    text = f"{limit:f}" if isinstance(limit, decimal.Decimal) else str(limit)
                    yield key, sign, text, chosen, chosen | more

    def filtered(self, key, sign, limit):
        proto, part, message, path = key
        name = ".".join(path)
        text = f"{proto}.{message}.{name}" if message else f"proto == {proto} and {part}.{name}"
        args = [*self.base, "-f", "csv", "--columns", "frame", "-F", f"{text} {sign} {limit}"]
        done = subprocess.run(args, capture_output=True, text=True)
        if done.returncode == 2:
            return None
        assert done.returncode in (0, 3), (args, done.stderr)
        return {int(line) for line in done.stdout.splitlines()[1:]}

    def columns(self):
        out = self.folder / "parquet"
        subprocess.run([*self.base, "-f", "parquet", "-o", out])
        files = collections.defaultdict(list)
        for file in out.glob("*.parquet"):
            proto, message, _ = file.name.split(".")
            table = duckdb.connect().read_parquet(str(file))
            # Values of a damaged message may have no column.
            rest = {row[0] for row in table.filter("len(other) > 0").project("frame").fetchall()}
            for one in (message, ""):
                files[proto, one].append((table, rest))
        return files

    def queried(self, files, key, sign, limit):
        """The frames that DuckDB chooses, and those that it cannot know; None if no column has the path."""
        proto, part, message, path = key
        chosen, unknown, found = set(), set(), False
        for table, rest in files[proto, message]:
            kinds = dict(zip(table.columns, table.types))
            unknown |= rest
            if where := part in kinds and condition(f'"{part}"', kinds[part], path, f"{sign} {limit}"):
                found = True
                chosen |= {row[0] for row in table.filter(where).project("frame").fetchall()}
        return (chosen, unknown) if found else None

    def shown(self, netkit, asks):
        """The frames that tshark chooses for each question; None if the script has no such field."""
        out, script, lua = (self.folder / name for name in ("a.pcapng", "netkit.lua", "asks.lua"))
        subprocess.run([*self.base, "-f", "pcapng", "-o", out])
        file = [["--protocol-file", b] for a, b in zip(self.options, self.options[1:]) if b.endswith(".toml")]
        script.write_bytes(subprocess.run([netkit, "wireshark", "print", *sum(file, [])], capture_output=True).stdout)
        scripts = ["-X", f"lua_script:{script}"]
        known = subprocess.run(["tshark", "-G", "fields", *scripts], capture_output=True, text=True).stdout
        known = {line.split("\t")[2]: line.split("\t")[3] for line in known.splitlines() if "netkit." in line}
        answers, filters = [], []
        for (proto, part, message, path), sign, limit, *_ in asks:
            name = ".".join(["netkit", proto, message or part, *path])
            answers.append(None if known.get(name, "FT_STRING") == "FT_STRING" else set())
            filters.append("frame.number == 0" if answers[-1] is None else f"{name} {sign} {limit}")
        lua.write_text("local filters = {" + ",".join(f"[[{text}]]" for text in filters) + "}" + LISTEN)
        args = ["tshark", "-n", "-q", *scripts, "-X", f"lua_script:{lua}", "-r", out]
        done = subprocess.run(args, capture_output=True, text=True)
        assert done.returncode == 0 and "lua" not in done.stderr.lower(), done.stderr
        for line in done.stdout.splitlines():
            at, frame = map(int, line.split("\t"))
            answers[at - 1].add(frame)
        return answers


def main(netkit, folder, *captures):
    tshark = shutil.which("tshark")
    if not tshark:
        print("SKIPPED: tshark is not installed")
    work = pathlib.Path(folder)
    read = []
    for number, path in enumerate(captures):
        (work / str(number)).mkdir()
        read.append(Capture(netkit, path, work / str(number)))
    mixed = set().union(*(capture.mixed for capture in read))
    untyped = set()

    def compare(capture):
        asks = list(capture.questions(mixed))
        files = capture.columns()
        shown = capture.shown(netkit, asks) if tshark and asks else [None] * len(asks)
        wrong = []
        for (key, sign, limit, chosen, expected), by_tshark in zip(asks, shown):
            proto, part, message, path = key
            name = " ".join([proto, part, message, ".".join(path)])
            place = f"{capture.path}: {key} {sign} {limit}"
            by_filter = capture.filtered(key, sign, limit)
            found = capture.queried(files, key, sign, limit)
            implied = IMPLIED.fullmatch(name) is not None
            if None in (by_filter, found, by_tshark if tshark and not implied else set()):
                untyped.add(name)
            if by_filter is not None and by_filter != expected:
                wrong.append(f"{place}: -F {sorted(by_filter ^ expected)}")
            if by_tshark is not None and by_tshark != chosen and not (implied and by_tshark > chosen):
                wrong.append(f"{place}: tshark {sorted(by_tshark ^ chosen)}")
            if found is not None and found[0] - found[1] != chosen - found[1]:
                wrong.append(f"{place}: DuckDB {sorted((found[0] ^ chosen) - found[1])}")
        return len(asks), wrong

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        done = list(pool.map(compare, read))
    wrong = [line for _, lines in done for line in lines]
    assert not wrong, "\n".join(wrong)
    # A leaf may not lose its type unnoticed.
    unlisted = [name for name in untyped if not UNTYPED.fullmatch(name) and not IMPLIED.fullmatch(name)]
    assert not unlisted, unlisted
    count = sum(asks for asks, _ in done)
    assert count, "no comparison"
    keys = {key for capture in read for key in capture.leaves} - mixed
    print(f"{len(keys) - len(untyped)} numeric leaves have one type everywhere, {len(untyped)} have none: {count} comparisons")


if __name__ == "__main__":
    main(*sys.argv[1:])
