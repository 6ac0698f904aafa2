"""kymo import: a perf.data file with known contents gives a recording with the same functions, threads, times and counts; and one that perf
itself has written has the totals that perf report gives, function by function."""

import collections
import pathlib
import re
import shutil
import struct
import subprocess

import perf_data
from harness import main

BIAS = 0x5555_0000_0000
MS = 1_000_000
PERIOD = 1 * MS
PID = 4000


class Program:
    """An ELF program's code segment and functions."""

    def __init__(self, test, path):
        self.path = path
        data = pathlib.Path(path).read_bytes()
        at, size, count = struct.unpack_from("<Q", data, 32)[0], *struct.unpack_from("<HH", data, 54)
        for i in range(count):
            kind, flags, offset, address, _, file_bytes = struct.unpack_from("<IIQQQQ", data, at + i * size)
            if kind == 1 and flags & 1:
                self.offset, self.address, self.length = offset, address, (file_bytes + 4095) // 4096 * 4096
        listed = subprocess.run([test.tool("nm", "binutils"), "-C", path], capture_output=True, text=True, check=True).stdout
        self.functions = {name: int(address, 16) for address, name in re.findall(r"^(\w+) [tT] (.+)$", listed, re.M)}

    def at(self, name, inside=4):
        """A process address in a function."""
        found = [address for function, address in self.functions.items() if re.search(rf"\b{name}\b", function)]
        return BIAS + found[0] + inside

    def map_into(self, data, pid, time, path=None):
        begin = BIAS + self.address // 4096 * 4096
        data.mmap(pid, time, begin, self.length, self.offset // 4096 * 4096, path or str(self.path))


def weights(test, recording, weight):
    """Weight by the innermost function that is not inlined; without names, of the innermost frame."""
    # An event in ns is written in µs, each call path rounded down.
    out = test.must(test.kymo, "export", recording, "--to", "folded", "--no-creator", "--weight", weight)
    sums = collections.Counter()
    for line in out.splitlines():
        frames, value = line.rsplit(" ", 1)
        known = re.findall(r"\b(seventy|twenty|ten)\b", frames)
        sums[known[-1] if known else frames.split(";")[-1]] += float(value)
    return dict(sums)


def import_of(test, data, name, *options):
    path = test.work / f"{name}.data"
    path.write_bytes(data)
    out = test.work / f"{name}.kymo"
    done = test.run(test.kymo, "import", path, "-o", out, *options)
    return done, out


def clock_file(program, path=None):
    """Two threads of one process; the second is born at 50 ms. 30 samples in `seventy` (10 of them in the kernel), 20 in `ten` of the other."""
    clock = (perf_data.SOFTWARE, perf_data.TASK_CLOCK, 0, PERIOD)
    faults = (perf_data.SOFTWARE, perf_data.PAGE_FAULTS, 0, 1)
    data = perf_data.PerfData([clock, faults])
    begin = 1000 * MS
    data.comm(PID, PID, begin, "planted", is_exec=True)
    program.map_into(data, PID, begin, path)
    data.fork(PID, PID + 1, PID, PID, begin + 50 * MS)
    data.comm(PID, PID + 1, begin + 50 * MS, "helper")
    main_at = program.at("main", 20)
    # The file's order is not that of time: the second thread's records come first.
    for i in range(20):
        data.sample(PID, PID + 1, begin + 50 * MS + (i + 1) * PERIOD, [program.at("ten"), main_at])
    for i in range(30):
        data.sample(PID, PID, begin + (i + 1) * PERIOD, [program.at("seventy"), main_at], kernel=i % 3 == 0)
    for i in range(7):
        data.sample(PID, PID, begin + 5 * MS + i * MS // 2, [program.at("twenty"), main_at], event=1)
    data.lost(3, begin + 60 * MS)
    data.fork(PID, PID + 1, PID, PID, begin + 90 * MS, kind=perf_data.EXIT)
    data.fork(PID, PID, 1, 1, begin + 100 * MS, kind=perf_data.EXIT)
    return data


def known_contents(test, program):
    done, recording = import_of(test, clock_file(program).bytes(), "clock")
    test.equal("kymo import ends with", 0, done.returncode)
    test.check("says what it wrote", "57 samples of 2 threads in 1 process", done.stderr, "57 samples of 2 threads in 1 process" in done.stderr)
    test.check("tells of lost records", "lost 3 records", done.stderr, "lost 3 records" in done.stderr)
    test.equal("user time by function, µs", {"seventy": 20_000.0, "ten": 20_000.0}, weights(test, recording, "user"))
    test.equal("system time by function, µs", {"seventy": 10_000.0}, weights(test, recording, "system"))
    test.equal("page faults by function", {"twenty": 7.0}, weights(test, recording, "page-faults"))
    test.equal("task-clock by function, µs", {"seventy": 30_000.0, "ten": 20_000.0}, weights(test, recording, "task-clock"))
    report = test.report(recording)
    test.equal("the run's duration, s", 0.1, report["recording"]["duration_s"])
    test.equal("the exit status, which is not known", None, report["recording"]["exit_status"])
    threads = {thread["name"]: thread for thread in report["threads"]}
    test.equal("threads", {"planted", "helper"}, set(threads))
    folded = test.must(test.kymo, "export", recording, "--to", "folded", "--no-creator")
    test.check("call paths", "main above seventy", folded[:300], re.search(r"main;.*seventy", folded) is not None)
    test.equal("a second import to the same place ends with", 5, test.run(test.kymo, "import", test.work / "clock.data", "-o", recording).returncode)


def switches(test, program):
    clock = (perf_data.SOFTWARE, perf_data.CPU_CLOCK, perf_data.CONTEXT_SWITCH, PERIOD)
    data = perf_data.PerfData([clock])
    begin = 1000 * MS
    data.comm(PID, PID, begin, "planted", is_exec=True)
    program.map_into(data, PID, begin)
    for i in range(10):
        data.sample(PID, PID, begin + (i + 1) * PERIOD, [program.at("seventy")])
    data.switch(PID, PID, begin + 10 * MS, perf_data.SWITCH_OUT)
    data.switch(PID, PID, begin + 30 * MS, 0)
    data.switch(PID, PID, begin + 30 * MS, perf_data.SWITCH_OUT | perf_data.SWITCH_OUT_PREEMPT)
    data.switch(PID, PID, begin + 35 * MS, 0)
    for i in range(10):
        data.sample(PID, PID, begin + 35 * MS + (i + 1) * PERIOD, [program.at("ten")])
    data.fork(PID, PID, 1, 1, begin + 45 * MS, kind=perf_data.EXIT)
    done, recording = import_of(test, data.bytes(), "switches")
    test.equal("a file with switches: status", 0, done.returncode)
    test.equal("off the processor, µs in all", 25_000.0, sum(weights(test, recording, "off-cpu").values()))
    test.equal("user time by function, µs", {"seventy": 10_000.0, "ten": 10_000.0}, weights(test, recording, "user"))


def time_without_clock(test, program):
    """Cycles by frequency: 20 samples, each 1 ms after the last, and a pause of 50 ms."""
    data = perf_data.PerfData([(perf_data.HARDWARE, perf_data.CYCLES, perf_data.FREQUENCY, 1000)])
    begin = 1000 * MS
    data.comm(PID, PID, begin, "planted", is_exec=True)
    program.map_into(data, PID, begin)
    for i in range(20):
        data.sample(PID, PID, begin + (i + 1) * MS + (50 * MS if i >= 10 else 0), [program.at("seventy")], period=2_500_000)
    data.fork(PID, PID, 1, 1, begin + 80 * MS, kind=perf_data.EXIT)
    done, recording = import_of(test, data.bytes(), "cycles")
    test.equal("cycles alone: status", 0, done.returncode)
    test.equal("cycles by function", {"seventy": 50e6}, weights(test, recording, "cycles"))
    seen = sum(weights(test, recording, "user").values())
    test.check("the estimate leaves the pause out, µs", "20000 ± 2000", seen, abs(seen - 20_000) <= 2_000)
    told = test.must(test.kymo, "report", recording)
    test.check("the report says that time is an estimate", "Not measured: the exact time …", told[:800], "Not measured: the exact time on a processor" in told)

    data = perf_data.PerfData([(perf_data.SOFTWARE, perf_data.PAGE_FAULTS, 0, 1)])
    data.comm(PID, PID, begin, "planted", is_exec=True)
    program.map_into(data, PID, begin)
    for i in range(20):
        data.sample(PID, PID, begin + (i + 1) * MS, [program.at("twenty")])
    done, recording = import_of(test, data.bytes(), "faults")
    test.equal("page faults alone: status", 0, done.returncode)
    test.equal("their counts by function", {"twenty": 20.0}, weights(test, recording, "page-faults"))
    test.equal("no user time is made up", 0, sum(weights(test, recording, "user").values()))


def other_files(test, program):
    """Files of code that are elsewhere, gone, or other ones by now."""
    done, recording = import_of(test, clock_file(program, "/nowhere/planted").bytes(), "gone")
    test.check("a missing file is named", "/nowhere/planted", done.stderr, "/nowhere/planted" in done.stderr and "--symfs" in done.stderr)
    test.check("its functions stay without names", "no `seventy`", sorted(weights(test, recording, "user")),
               "seventy" not in weights(test, recording, "user"))
    root = test.fresh()
    root.chmod(0o755)
    (root / "nowhere").mkdir()
    shutil.copy(program.path, root / "nowhere" / "planted")
    (root / "nowhere").chmod(0o755)
    done, recording = import_of(test, clock_file(program, "/nowhere/planted").bytes(), "below", "--symfs", root)
    test.equal("below --symfs it is found, µs", {"seventy": 20_000.0, "ten": 20_000.0}, weights(test, recording, "user"))
    shutil.rmtree(root)
    test.equal("and kept in the recording, µs", {"seventy": 20_000.0, "ten": 20_000.0}, weights(test, recording, "user"))


def bad_files(test, program):
    whole = clock_file(program).bytes()
    for name, data in (("empty", b""), ("text", b"hello\n" * 100), ("head", whole[:50])):
        done, recording = import_of(test, data, name)
        lines = done.stderr.strip().splitlines()
        test.check(f"{name}: refused in a line and the next step", "status 6", f"status {done.returncode}, {lines}",
                   done.returncode == 6 and len(lines) <= 2 and not recording.exists())
    done, recording = import_of(test, whole[:len(whole) * 2 // 3], "cut")
    test.check("a file cut off gives what is there, with a notice", "status 0", f"{done.returncode}: {done.stderr[:300]}",
               done.returncode == 0 and recording.exists() and len(done.stderr.splitlines()) >= 2)
    done = test.run(test.kymo, "report", test.work / "clock.data")
    test.check("kymo report of such a file leads to kymo import", "status 6, kymo import", f"{done.returncode}: {done.stderr}",
               done.returncode == 6 and "kymo import" in done.stderr)
    missing = test.run(test.kymo, "import", test.work / "none.data")
    test.equal("a missing file ends with", 3, missing.returncode)


def perfs_own(test):
    """What perf has recorded here: the totals by function are those of perf report."""
    perf = shutil.which("perf", path="/usr/bin:/bin")
    if perf is None:
        print("note: without perf (apt-get install linux-perf) its own files are not compared")
        return
    for name, options in (("flat", ("-e", "page-faults:u")), ("packed", ("-z", "-g")), ("switched", ("--switch-events", "--call-graph", "dwarf,4096"))):
        data = test.work / f"perf-{name}.data"
        done = test.run(perf, "record", "-q", "-o", data, "-e", "task-clock:u", "-F", "997", *options, "--", test.program("split"))
        if not data.exists() or data.stat().st_size == 0:
            print(f"note: perf cannot record here: {done.stderr.strip()[:200]}")
            return
        imported = test.work / f"perf-{name}.kymo"
        test.equal(f"{name}: kymo import ends with", 0, test.run(test.kymo, "import", "-q", data, "-o", imported).returncode)
        script = test.must(perf, "script", "-i", data, "-F", "event,period,ip,sym", "-G", "--no-demangle")
        expected = collections.defaultdict(collections.Counter)
        for period, event, symbol in re.findall(r"(\d+)\s+([\w-]+)(?::\w+)?:\s+[0-9a-f]+ (\S+)", script):
            expected[event][symbol] += int(period)
        test.check(f"{name}: perf script lists samples", "some", {event: sum(of.values()) for event, of in expected.items()}, sum(map(len, expected.values())) > 0)
        for event, of in expected.items():
            seen = weights(test, imported, event)
            for function in ("ten", "twenty", "seventy"):
                mangled = sum(value for symbol, value in of.items() if f"{len(function)}{function}E" in symbol) / (1000 if event == "task-clock" else 1)
                test.check(f"{name}: {event} in {function}", f"{mangled:.0f}, each call path rounded down", seen.get(function, 0.0),
                           0 <= mangled - seen.get(function, 0.0) <= 200)


def body(test):
    program = Program(test, test.program("split"))
    known_contents(test, program)
    switches(test, program)
    time_without_clock(test, program)
    other_files(test, program)
    bad_files(test, program)
    perfs_own(test)


if __name__ == "__main__":
    main(body)
