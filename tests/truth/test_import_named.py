"""kymo import: profiles whose frames have names alone give recordings with the same functions, threads, times and counts: text of perf script,
and profiles of pprof, here those that kymo export writes."""

import collections
import re
import shutil

from harness import main

MS = 1_000_000


def totals(test, recording, weight):
    """By the innermost frame's function."""
    out = test.must(test.kymo, "export", recording, "--to", "folded", "--no-creator", "--weight", weight)
    sums = collections.Counter()
    for line in out.splitlines():
        frames, value = line.rsplit(" ", 1)
        sums[frames.split(";")[-1]] += float(value)
    return dict(sums)


def import_of(test, data, name, *options):
    path = test.work / name
    path.write_bytes(data)
    out = test.work / f"{name}.kymo"
    return test.run(test.kymo, "import", path, "-o", out, *options), out


def sample(name, tid, time, period, event, frames):
    lines = [f"{name:>16} {4000:5d}/{tid} [001] {time // 1000}.{time % 1000 * 1000:06d}: {period:10d} {event}: \n"]
    lines += [f"\t{0x5500_0000 + 16 * i:16x} {function}+0x{i + 4:x} ({module})\n" for i, (function, module) in enumerate(frames)]
    return "".join(lines) + "\n"


def script_text():
    """Two threads: 30 ms in `seventy` below main, 10 of them in the kernel; 20 in `ten` of a library; and 7 page faults in `twenty`."""
    program, library, kernel = "/opt/planted", "/opt/lib/libhelp.so.1", "[kernel.kallsyms]"
    text = ""
    for i in range(30):
        inner = [("vfs_read", kernel)] if i % 3 == 0 else []
        text += sample("planted", 4000, 10_001 + i, MS, "task-clock:ppp", [*inner, ("seventy", program), ("main", program)])
    for i in range(20):
        text += sample("helper thread", 4001, 10_051 + i, MS, "task-clock:ppp", [("ten", library), ("main", program)])
    for i in range(7):
        text += sample("planted", 4000, 10_005 + i, 1, "page-faults", [("twenty", program), ("main", program)])
    return text


def known_text(test):
    done, recording = import_of(test, script_text().encode(), "script.txt")
    test.equal("perf script: status", 0, done.returncode)
    test.check("perf script: says what it wrote", "57 samples of 2 threads in 1 process", done.stderr, "57 samples of 2 threads in 1 process" in done.stderr)
    test.equal("perf script: user time by function, µs", {"seventy": 20_000.0, "ten": 20_000.0}, totals(test, recording, "user"))
    test.equal("perf script: system time by function, µs", {"vfs_read": 10_000.0}, totals(test, recording, "system"))
    test.equal("perf script: page faults by function", {"twenty": 7.0}, totals(test, recording, "page-faults"))
    report = test.report(recording)
    test.equal("perf script: threads", {"planted", "helper thread"}, {thread["name"] for thread in report["threads"]})
    test.equal("perf script: the program", "/opt/planted", report["processes"][0]["executable"])
    folded = test.must(test.kymo, "export", recording, "--to", "folded", "--no-creator")
    test.check("perf script: call paths", "main above ten", folded, "main;ten " in folded)


def estimated_time(test):
    """Cycles have no time of their own: it is an estimate, and the report says so."""
    text = "".join(sample("planted", 4000, 10_001 + i, 2_500_000, "cycles:u", [("seventy", "/opt/planted"), ("main", "/opt/planted")]) for i in range(20))
    done, recording = import_of(test, text.encode(), "cycles.txt")
    test.equal("cycles alone: status", 0, done.returncode)
    test.equal("cycles by function", {"seventy": 50e6}, totals(test, recording, "cycles"))
    told = test.must(test.kymo, "report", recording)
    test.check("cycles alone: said", "Not measured: the exact time on a processor", told[:800], "Not measured: the exact time on a processor" in told)


def same_as_exported(test):
    """What kymo export writes for pprof has the same times by function once it is imported."""
    _, first = import_of(test, script_text().encode(), "again.txt")
    profile = test.work / "profile.pb.gz"
    test.must(test.kymo, "export", first, "--to", "pprof", "--no-creator", "-o", profile)
    second = test.work / "profile.kymo"
    done = test.run(test.kymo, "import", profile, "-o", second)
    test.equal("pprof: status", 0, done.returncode)
    expected = collections.Counter(totals(test, first, "user"))
    expected.update(totals(test, first, "system"))
    seen = collections.Counter(totals(test, second, "user"))
    seen.update(totals(test, second, "system"))
    test.equal("pprof: time on a processor by function, µs", dict(expected), dict(seen))
    told = test.must(test.kymo, "report", second)
    test.check("pprof: the report says that the profile has no times", "Not measured: when anything happened", told[:900], "Not measured: when anything happened" in told)


def bad_files(test):
    for name, data in (("nothing.txt", b""), ("other.txt", b"hello\n" * 100), ("half.pb.gz", b"\x1f\x8b\x08\x00" + bytes(20))):
        done, recording = import_of(test, data, name)
        lines = done.stderr.strip().splitlines()
        test.check(f"{name}: refused in a line and the next step", "status 6", f"status {done.returncode}, {lines}",
                   done.returncode == 6 and len(lines) <= 2 and not recording.exists())
    cut = script_text().encode()
    done, recording = import_of(test, cut[:len(cut) * 2 // 3], "cut.txt")
    test.equal("text that was cut off: status", 0, done.returncode)
    test.check("text that was cut off: what is there", "samples", totals(test, recording, "user"), totals(test, recording, "user").get("seventy") == 20_000.0)


def perfs_own(test):
    """Of one file of perf: what its text gives is what the file itself gives."""
    perf = shutil.which("perf", path="/usr/bin:/bin")
    if perf is None:
        print("note: without perf (apt-get install linux-perf) its own text is not compared")
        return
    data = test.work / "perf.data"
    done = test.run(perf, "record", "-q", "-g", "-o", data, "-e", "task-clock:u", "-F", "997", "--", test.program("split"))
    if not data.exists() or data.stat().st_size == 0:
        print(f"note: perf cannot record here: {done.stderr.strip()[:200]}")
        return
    text = test.must(perf, "script", "-i", data, "-F", "+pid")
    done, of_text = import_of(test, text.encode(), "perf.txt")
    test.equal("perf's own text: status", 0, done.returncode)
    of_file = test.work / "perf.kymo"
    test.equal("perf's own file: status", 0, test.run(test.kymo, "import", "-q", data, "-o", of_file).returncode)
    # What is inlined into the three is a frame of its own where the reader knows of it.
    by_function = [collections.Counter(), collections.Counter()]
    for recording, sums in zip((of_text, of_file), by_function):
        for line in test.must(test.kymo, "export", recording, "--to", "folded", "--no-creator", "--weight", "user").splitlines():
            known = re.findall(r"\b(seventy|twenty|ten)\b", line)
            sums[known[-1] if known else "others"] += float(line.rsplit(" ", 1)[1])
    test.check("perf's own text: time by function, µs", by_function[1], by_function[0],
               all(abs(by_function[0][name] - by_function[1][name]) <= 200 for name in ("ten", "twenty", "seventy")) and by_function[1]["seventy"] > 0)


def body(test):
    known_text(test)
    estimated_time(test)
    same_as_exported(test)
    bad_files(test)
    perfs_own(test)


main(body)
