"""Readers of the formats that kymo export writes, for the tests alone: each gives the same summary of a file, and raises ValueError where the file
breaks a rule of its format.

A summary: ns on a processor, ns off it (None where the format has none), samples (None likewise), and every name in it.
"""

import collections
import csv
import gzip
import json
import re
import sqlite3
import subprocess

Summary = collections.namedtuple("Summary", "processor off samples names")
OFF = ("waits: ", "ready", "off the processor")


def digits(text):
    """Of a number with a fixed number of decimals: as a whole number of the smallest, exactly."""
    return int(text.replace(".", "").replace("e-", ""))


def need(condition, what):
    if not condition:
        raise ValueError(what)


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """Of a protobuf message: (number, value) in order; values of wire type 2 are bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        wire = key & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 2:
            size, at = varint(data, at)
            need(at + size <= len(data), "a message that ends within a field")
            value, at = data[at:at + size], at + size
        else:
            size = {1: 8, 5: 4}[wire]
            value, at = int.from_bytes(data[at:at + size], "little"), at + size
        yield key >> 3, value


def message(data):
    """The same as lists by number."""
    result = collections.defaultdict(list)
    for number, value in fields(data):
        result[number].append(value)
    return result


def packed(data):
    at, values = 0, []
    while at < len(data):
        value, at = varint(data, at)
        values.append(value - (1 << 64) if value >> 63 else value)
    return values


def folded(text):
    lines = [line.rsplit(" ", 1) for line in text.splitlines()]
    need(all(int(weight) > 0 for _, weight in lines), "a weight that is not positive")
    return [(path.split(";"), int(weight)) for path, weight in lines]


def pprof(path):
    profile = message(gzip.decompress(path.read_bytes()))
    strings = [text.decode() for text in profile[6]]
    need(strings[0] == "", "the first string is not empty")
    kinds = [strings[message(kind)[1][0]] for kind in profile[1]]
    need(kinds == ["cpu", "off-cpu", "samples"], f"sample types {kinds}")
    functions = {message(one)[1][0] for one in profile[5]}
    mappings = {message(one)[1][0] for one in profile[3]}
    locations = {}
    for location in map(message, profile[4]):
        line = message(location[4][0])
        need(line[1][0] in functions and location[2][0] in mappings, "a location without its function or mapping")
        locations[location[1][0]] = line
    totals = [0, 0, 0]
    for sample in map(message, profile[2]):
        need(all(one in locations for part in sample[1] for one in packed(part)), "a sample at a location that is not there")
        values = packed(sample[2][0])
        need(len(values) == 3 and min(values) >= 0, f"values {values}")
        totals = [total + value for total, value in zip(totals, values)]
        need(all(message(label)[1][0] < len(strings) for label in sample[3]), "a label without a key")
    return Summary(*totals, strings)


def speedscope(path):
    told = json.loads(path.read_text())
    frames = told["shared"]["frames"]
    total = 0
    for profile in told["profiles"]:
        need(profile["type"] == "sampled" and profile["unit"] == "nanoseconds", "another kind of profile")
        need(len(profile["samples"]) == len(profile["weights"]), "as many weights as samples")
        need(all(0 <= frame < len(frames) for sample in profile["samples"] for frame in sample), "a frame that is not there")
        need(profile["endValue"] - profile["startValue"] == sum(profile["weights"]), "the end is not the sum of the weights")
        total += sum(profile["weights"])
    need(not told["profiles"] or told["activeProfileIndex"] < len(told["profiles"]), "the first profile")
    return Summary(total, None, None, [frame["name"] for frame in frames] + [profile["name"] for profile in told["profiles"]])


class Nesting:
    """Threads' slices that begin and end: they nest, none is left open; time belongs to the innermost."""

    def __init__(self):
        self.open = collections.defaultdict(list)
        self.last = {}
        self.processor = self.off = 0

    def step(self, thread, time, name):
        """`name` None: the innermost slice ends."""
        stack = self.open[thread]
        need(time >= self.last.get(thread, 0), "a thread's time goes back")
        if stack:
            passed = time - self.last[thread]
            if stack[-1].startswith(OFF):
                self.off += passed
            else:
                self.processor += passed
        self.last[thread] = time
        if name is None:
            need(stack, "an end without a beginning")
            stack.pop()
        else:
            stack.append(name)

    def end(self):
        need(not any(self.open.values()), "slices that do not end")


def chrome(path, within):
    events = json.loads(path.read_text(), parse_float=digits)["traceEvents"]  # ns
    nesting, flows, names, ends = Nesting(), collections.Counter(), [], 0
    for event in events:
        names.append(event.get("name", ""))
        time = event.get("ts", 0)
        if event["ph"] in "BE":
            nesting.step((event["pid"], event["tid"]), time, event.get("name") if event["ph"] == "B" else None)
        elif event["ph"] in "sf":
            flows[event["id"]] += 1 if event["ph"] == "s" else -1
        elif event["ph"] in "be":
            ends = max(ends, time)
        elif event["ph"] == "M":
            names.append(event["args"]["name"])
    nesting.end()
    need(not any(flows.values()), "a flow with one end")
    need(ends <= within, "a finding beyond the run")
    return Summary(nesting.processor, nesting.off, None, names)


def perfetto(path, within):
    names, tracks, threads = {}, set(), set()
    nesting, flows = Nesting(), collections.Counter()
    told = []
    for number, packet_bytes in fields(path.read_bytes()):
        need(number == 1, "something that is no packet")
        packet = message(packet_bytes)
        for interned in packet[12]:
            for entry in map(message, message(interned)[2]):
                need(entry[1][0] not in names, "a name's number twice")
                names[entry[1][0]] = entry[2][0].decode()
        for track in map(message, packet[60]):
            need(not track[5] or track[5][0] in tracks, "a track before its parent")
            tracks.add(track[1][0])
            if track[4]:
                threads.add(track[1][0])
                told.append(message(track[4][0])[5][0].decode())
        for event in map(message, packet[11]):
            track = event[11][0]
            need(track in tracks, "an event of a track that is not there")
            need(not event[10] or event[10][0] in names, "a name before its text")
            kind = event[9][0]
            need(packet[8][0] <= within, "an event beyond the run")
            if kind in (1, 2) and track in threads:
                nesting.step(track, packet[8][0], names[event[10][0]] if kind == 1 else None)
            for flow in event[47]:
                flows[flow] += 1
            for flow in event[48]:
                flows[flow] -= 1
    nesting.end()
    need(not any(flows.values()), "a flow with one end")
    return Summary(nesting.processor, nesting.off, None, [*names.values(), *told])


def firefox(path, within):
    told = json.loads(path.read_text(), parse_float=digits)  # ms with six decimals
    processor, names = 0, []
    for thread in told["threads"]:
        for table in ("samples", "stackTable", "frameTable", "funcTable", "resourceTable", "nativeSymbols", "markers"):
            for name, column in thread[table].items():
                need(not isinstance(column, list) or len(column) == thread[table]["length"], f"the length of {table}.{name}")
        stacks, frames, functions, texts = (thread[name] for name in ("stackTable", "frameTable", "funcTable", "stringArray"))
        need(all(prefix is None or prefix < own for own, prefix in enumerate(stacks["prefix"])), "a stack before its caller")
        need(all(0 <= frame < frames["length"] for frame in stacks["frame"]), "a frame that is not there")
        need(all(0 <= function < functions["length"] for function in frames["func"]), "a function that is not there")
        need(all(0 <= name < len(texts) for name in [*functions["name"], *thread["markers"]["name"]]), "a text that is not there")
        need(all(stack is None or 0 <= stack < stacks["length"] for stack in thread["samples"]["stack"]), "a stack that is not there")
        schemas = {schema["name"] for schema in told["meta"]["markerSchema"]}
        need(all(data["type"] in schemas for data in thread["markers"]["data"]), "a marker without its schema")
        need(all(end is None or end <= within for end in thread["markers"]["endTime"]), "a marker beyond the run")
        need(thread["samples"]["time"] == sorted(thread["samples"]["time"]), "a thread's time goes back")
        processor += sum(thread["samples"]["threadCPUDelta"])
        need(sum(thread["samples"]["weight"]) == sum(thread["samples"]["threadCPUDelta"]), "weights that are not the time")
        names += [*texts, thread["name"], thread["processName"]]
    return Summary(processor, None, None, names)


OTF2_EVENT = re.compile(r'(ENTER|LEAVE) +(\d+) +(\d+) +Region: "(.*)" <\d+>')


def otf2(path):
    """By otf2-print, the library's own reader."""
    told = subprocess.run(["otf2-print", path / "traces.otf2"], capture_output=True, text=True, check=True).stdout
    nesting, names = Nesting(), set()
    for kind, location, time, name in OTF2_EVENT.findall(told):
        nesting.step(location, int(time), name if kind == "ENTER" else None)
        names.add(name)
    nesting.end()
    return Summary(nesting.processor, nesting.off, None, names)


SUMS = """select (select sum(user_ns + system_ns) from thread), (select sum(off_cpu_ns) from thread), (select sum(samples) from thread)
union all select sum(user_ns + system_ns), sum(off_cpu_ns), sum(samples) from call_path
union all select sum((end_ns - begin_ns) * (state in ('user', 'system', 'spinning'))), sum((end_ns - begin_ns) * (state in ('waiting', 'ready', 'off'))),
                 (select count(*) from sample) from piece"""


def database(connection):
    connection.execute("create unique index one_run on run(duration_ns)")
    need(not connection.execute("pragma foreign_key_check").fetchall(), "a row that names another that is not there")
    sums = {tuple(value or 0 for value in row) for row in connection.execute(SUMS)}
    need(len(sums) == 1, f"sums of threads, call paths and pieces: {sums}")
    late = connection.execute("select count(*) from finding_time, run where begin_ns > end_ns or end_ns > duration_ns").fetchone()[0]
    need(late == 0, "a finding beyond the run")
    overlaps = connection.execute("select count(*) from (select begin_ns - lag(end_ns) over (partition by thread order by begin_ns) gap from piece) where gap < 0")
    need(overlaps.fetchone()[0] == 0, "pieces of a thread overlap")
    names = [row[0] for row in connection.execute("select name from function union select module from function union select name from thread")]
    return Summary(*sums.pop(), [name for name in names if name])


def sqlite(path):
    copy = sqlite3.connect(":memory:")
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
        need(connection.execute("pragma integrity_check").fetchone()[0] == "ok", "the database's own check")
        connection.backup(copy)
    return database(copy)


def csv_tables(path, schema):
    """Read into the tables of a database of the same recording."""
    connection = sqlite3.connect(":memory:")
    for statement in schema:
        connection.execute(statement)
    for file in sorted(path.iterdir()):
        with file.open(newline="") as content:
            rows = csv.reader(content)
            columns = next(rows)
            known = [row[1] for row in connection.execute(f'pragma table_info("{file.stem}")')]
            need(columns == known, f"columns of {file.name}: {columns}")
            connection.executemany(f'insert into "{file.stem}" values ({",".join("?" * len(columns))})', ([cell or None for cell in row] for row in rows))
    return database(connection)
