"""kymo import: profiles whose frames have names alone give recordings with the same functions, threads, times and counts: text of perf script,
profiles of pprof, here those that kymo export writes, and traces in Chromium's format and Perfetto's."""

import collections
import gzip
import json
import re
import shutil
import zlib

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


def slice_of(name, tid, begin, duration, **more):
    return {"ph": "X", "pid": 4000, "tid": tid, "ts": begin, "dur": duration, "name": name, "cat": "app,more", **more}


def trace_events():
    """Main: 100 ms in `frame`, of these 30 in `layout` and 20 in `paint`, and 10 ms later 40 in `frame` again, begun and ended by events of their own;
    `worker`: 70 ms in `decode`. And what is no time of a thread."""
    return [
        {"ph": "M", "pid": 4000, "name": "process_name", "args": {"name": "Browser"}},
        {"ph": "M", "pid": 4000, "tid": 4000, "name": "thread_name", "args": {"name": "Main"}},
        {"ph": "M", "pid": 4000, "tid": 4001, "name": "thread_name", "args": {"name": "worker"}},
        slice_of("layout", 4000, 1_010_000, 30_000), slice_of("paint", 4000, 1_050_000.5, 20_000), slice_of("frame", 4000, 1_000_000, 100_000),
        {"ph": "B", "pid": 4000, "tid": 4000, "ts": 1_110_000, "name": "frame", "cat": "app"}, {"ph": "E", "pid": 4000, "tid": 4000, "ts": 1_150_000},
        slice_of("decode", 4001, 1_020_000, 70_000),
        {"ph": "i", "pid": 4000, "tid": 4000, "ts": 1_030_000, "s": "t", "name": "click"},
        {"ph": "b", "pid": 4000, "tid": 4000, "ts": 1_005_000, "id": "0x7", "cat": "net", "name": "load"},
        {"ph": "e", "pid": 4000, "tid": 4001, "ts": 1_060_000, "id": "0x7", "cat": "net", "name": "load"},
        {"ph": "C", "pid": 4000, "ts": 1_040_000, "name": "heap", "args": {"used": 12}},
        {"ph": "s", "pid": 4000, "tid": 4000, "ts": 1_040_000, "id": 1, "name": "flow"}]


def known_trace(test):
    expected = {"frame": 90_000.0, "layout": 30_000.0, "paint": 20_000.0, "decode": 70_000.0}
    for name, data in (("array.json", json.dumps(trace_events()).encode()), ("object.json", json.dumps({"traceEvents": trace_events()}).encode()),
                       ("packed.json.gz", gzip.compress(json.dumps(trace_events()).encode())),
                       ("cut.json", json.dumps(trace_events()).encode()[:-1])):
        done, recording = import_of(test, data, name)
        test.equal(f"{name}: status", 0, done.returncode)
        test.equal(f"{name}: time by slice, µs", expected, totals(test, recording, "user"))
        test.check(f"{name}: says what is left out", "1 point of a flow", done.stderr, "1 points of flows have no other one" in done.stderr)
        test.check(f"{name}: says whether it is cut off", name == "cut.json", done.stderr, ("cut off" in done.stderr) == (name == "cut.json"))
    report = test.report(test.work / "array.json.kymo")
    test.equal("trace: threads", {"Main", "worker"}, {thread["name"] for thread in report["threads"]})
    test.equal("trace: the process", "Browser", report["processes"][0]["executable"])
    missing = {row["what"] for row in report["recording"]["unavailable"]}
    test.equal("trace: what it does not say", {"the time on a processor", "what threads did outside of their slices"}, missing)
    gap = sum(thread["paused_s"] for thread in report["threads"] if "paused_s" in thread)
    test.check("trace: the time between slices is not measured", "10 ms", gap, abs(gap - 0.010) < 1e-9)
    test.equal("trace: slices", {"frame": 2.0, "layout": 1.0, "paint": 1.0, "decode": 1.0}, totals(test, test.work / "array.json.kymo", "slices"))
    folded = test.must(test.kymo, "export", test.work / "array.json.kymo", "--to", "folded", "--no-creator")
    test.check("trace: call paths", "frame above layout", folded, "frame;layout " in folded)
    told = test.must(test.kymo, "report", test.work / "array.json.kymo")
    test.check("trace: no time on a processor is claimed", "time", told, "on CPU" not in told and "processor time is in" not in told and "processors worked" not in told)
    marks = [event for event in json.loads(test.must(test.kymo, "export", test.work / "array.json.kymo", "--to", "chrome"))["traceEvents"] if event.get("cat") == "mark"]
    test.equal("trace: marks", [("load", 1, 0), ("click", 0, 0), ("heap", 0, 12), ("load", 2, 0)],
               [(mark["name"], mark["args"]["kind"], mark["args"]["value"]) for mark in marks])


def clocked_trace(test):
    """With the thread's clock, time is on a processor or off it: of 100 ms 60 on it, of these 20 in `inner` of its 50."""
    events = [slice_of("outer", 4000, 1_000_000, 100_000, tts=500, tdur=60_000), slice_of("inner", 4000, 1_010_000, 50_000, tts=10_500, tdur=20_000)]
    done, recording = import_of(test, json.dumps(events).encode(), "clocked.json")
    test.equal("clocked trace: status", 0, done.returncode)
    test.equal("clocked trace: user time, µs", {"outer": 40_000.0, "inner": 20_000.0}, totals(test, recording, "user"))
    test.equal("clocked trace: time off a processor, µs", {"outer": 10_000.0, "inner": 30_000.0}, totals(test, recording, "off-cpu"))
    test.equal("clocked trace: nothing is missing", [], test.report(recording)["recording"]["unavailable"])


def sampled_trace(test):
    """A thread with slices and a profile of V8's: inside the slices its functions have the time and the samples, and outside of them as well; where V8
    says `(program)` or `(idle)` there is nothing more to say than the slices do."""
    node = lambda number, parent, name: {"id": number, "callFrame": {"functionName": name, "url": "file:///srv/app.js"}, **({"parent": parent} if parent else {})}
    chunk = lambda data: {"ph": "P", "pid": 4000, "tid": 4009, "ts": 1_000_000, "id": "0x1", "cat": "v8", "name": "ProfileChunk", "args": {"data": data}}
    events = [slice_of("task", 4000, 1_000_000, 100_000),
              {"ph": "P", "pid": 4000, "tid": 4000, "ts": 1_000_000, "id": "0x1", "cat": "v8", "name": "Profile", "args": {"data": {"startTime": 1_000_000}}},
              chunk({"cpuProfile": {"nodes": [node(1, 0, "(root)"), node(2, 1, "(program)"), node(3, 1, "(idle)"), node(4, 1, "serve"), node(5, 4, "parse")],
                                    "samples": [2, 4, 5, 5]}, "timeDeltas": [10_000, 20_000, 30_000, 20_000]}),
              # 20 ms of the task are left, then the thread idles, and 15 ms of `parse` are in no slice.
              chunk({"cpuProfile": {"samples": [2, 3, 5, 2]}, "timeDeltas": [20_000, 50_000, 15_000, 5_000]})]
    done, recording = import_of(test, json.dumps({"traceEvents": events}).encode(), "sampled.json")
    test.equal("sampled trace: status", 0, done.returncode)
    folded = test.must(test.kymo, "export", recording, "--to", "folded", "--no-creator", "--weight", "user")
    test.equal("sampled trace: time by path, µs", ["(program) 5000", "serve;parse 15000", "task 30000", "task;serve 20000", "task;serve;parse 50000"], sorted(folded.splitlines()))
    test.equal("sampled trace: samples", {"task": 2.0, "serve": 1.0, "parse": 3.0, "(program)": 1.0}, totals(test, recording, "profile-samples"))
    test.equal("sampled trace: slices", {"task": 1.0}, totals(test, recording, "slices"))
    # Of other profilers, which say what they counted and not how long.
    frames = {"1": {"name": "main", "category": "app"}, "2": {"name": "hot", "category": "app", "parent": "1"}}
    samples = [{"cpu": 0, "tid": 4001, "ts": 1_000_000 + 1_000 * i, "name": "cycles", "sf": 2 if i % 4 else 1, "weight": 1000} for i in range(20)]
    events = [slice_of("task", 4000, 1_000_000, 100_000), {"ph": "P", "pid": 4000, "tid": 4000, "ts": 1_050_000, "name": "miss", "sf": "2"}]
    done, recording = import_of(test, json.dumps({"stackFrames": frames, "samples": samples, "traceEvents": events}).encode(), "counted.json")
    test.equal("counted trace: status", 0, done.returncode)
    test.equal("counted trace: cycles by function", {"main": 5000.0, "hot": 15000.0}, totals(test, recording, "cycles"))
    test.equal("counted trace: misses by function", {"hot": 1.0}, totals(test, recording, "miss"))
    test.equal("counted trace: time is the slices' alone, µs", {"task": 100_000.0}, totals(test, recording, "user"))


def flowing_trace(test):
    """Tasks that one thread posts and others run: who posts to whom, how often, and how long it takes until they run, in both formats and in what is
    exported of them again."""
    point = lambda phase, tid, time, number, **more: {"ph": phase, "pid": 4000, "tid": tid, "ts": time, "id": number, "cat": "ipc", "name": "post", **more}
    name = lambda tid, text: {"ph": "M", "pid": 4000, "tid": tid, "name": "thread_name", "args": {"name": text}}
    events = [name(4000, "Main"), name(4001, "worker"), name(4002, "disk"),
              slice_of("task", 4000, 1_000_000, 100_000), slice_of("run", 4001, 1_020_000, 50_000), slice_of("write", 4002, 1_040_000, 10_000)]
    # Main to the worker three times, 10, 20 and 5 ms long, once on from there to the disk 20 ms later; and one of which there is no other end.
    events += [point("s", 4000, 1_010_000, 1), point("t", 4001, 1_020_000, 1), point("f", 4002, 1_040_000, 1, bp="e"),
               point("s", 4000, 1_012_000, 2), point("f", 4001, 1_032_000, 2), point("s", 4000, 1_050_000, 1), point("f", 4001, 1_055_000, 1),
               point("s", 4000, 1_060_000, 9)]
    done, recording = import_of(test, json.dumps(events).encode(), "flows.json")
    test.equal("flows: status", 0, done.returncode)
    test.check("flows: of the one without an end", "1 point", done.stderr, "1 points of flows have no other one" in done.stderr)
    expected = [("post", 4000, 4001, 3, 0.035, 0.020, 0.012), ("post", 4001, 4002, 1, 0.020, 0.020, 0.020)]

    def flows_of(path):
        return [(flow["name"], flow["from"]["tid"], flow["to"]["tid"], flow["count"], round(flow["total_s"], 9), round(flow["longest_s"], 9), round(flow["longest_at_s"], 9))
                for flow in test.report(path).get("flows", [])]

    test.equal("flows", expected, flows_of(recording))
    told = test.must(test.kymo, "report", recording)
    test.check("flows: in the report", "Main 4000 → worker 4001", told[-1500:], "post, Main 4000 → worker 4001" in told)
    for form in ("chrome", "perfetto"):
        again = test.work / f"flows.{form}"
        test.must(test.kymo, "export", recording, "--to", form, "-o", again)
        done, second = import_of(test, again.read_bytes(), f"again.{form}")
        test.equal(f"flows, exported to {form}", expected, flows_of(second))


def exported_trace(test):
    """The slices that kymo export writes have the times of the recording."""
    _, first = import_of(test, script_text().encode(), "third.txt")
    expected = totals(test, first, "user")
    # Where a thread is off user code, the trace has a slice of its state behind those of the code.
    expected["system"] = sum(totals(test, first, "system").values())
    for form in ("chrome", "perfetto"):
        trace = test.work / f"exported.{form}"
        test.must(test.kymo, "export", first, "--to", form, "-o", trace)
        second = test.work / f"exported.{form}.kymo"
        test.equal(f"exported {form}: status", 0, test.run(test.kymo, "import", "-q", trace, "-o", second).returncode)
        seen = totals(test, second, "user")
        test.equal(f"exported {form}: time by function, µs", expected, {name: seen.get(name) for name in expected})


def varint(number):
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def number_field(field, number):
    return varint(field << 3) + varint(number)


def part_field(field, part):
    part = part.encode() if isinstance(part, str) else part
    return varint(field << 3 | 2) + varint(len(part)) + part


def switched_trace(test):
    """Perfetto's, with the kernel's switches: `Main` is 100 ms in `task`, of these 30 in `inner`, and 20 ms behind it in none. It has a processor but
    for 20 ms in `inner`, where it sleeps, and 10 behind that, where another thread takes it."""
    ms = 1_000_000

    def packet(part):
        return part_field(1, part)

    def event(time, kind, name=None):
        return packet(number_field(8, time * ms) + number_field(10, 1) + part_field(11, number_field(9, kind) + number_field(11, 2) + (part_field(23, name) if name else b"")))

    def switch(time, before, after, state):
        return part_field(2, number_field(1, time * ms) + part_field(4, number_field(2, before) + number_field(4, state) + number_field(6, after)))

    trace = packet(part_field(60, number_field(1, 1) + part_field(3, number_field(1, 4000) + part_field(6, "app"))))
    trace += packet(part_field(60, number_field(1, 2) + part_field(4, number_field(1, 4000) + number_field(2, 4000) + part_field(5, "Main"))))
    trace += event(10_000, 1, "task") + event(10_020, 1, "inner") + event(10_050, 2) + event(10_100, 2)
    trace += packet(part_field(1, switch(9_990, 0, 4000, 0) + switch(10_025, 4000, 0, 1) + switch(10_045, 0, 4000, 0) +
                               switch(10_060, 4000, 5000, 0) + switch(10_070, 5000, 4000, 1) + switch(10_120, 4000, 0, 1)))
    for name, whole in (("switched.pftrace", trace), ("compressed.pftrace", packet(part_field(50, zlib.compress(trace))))):
        done, recording = import_of(test, whole, name)
        test.equal(f"{name}: status", 0, done.returncode)
        test.check(f"{name}: nothing is left out", "no notice", done.stderr, "left out" not in done.stderr)
    test.equal("switched trace: user time, µs", {"task": 60_000.0, "inner": 10_000.0},
               {name: value for name, value in totals(test, recording, "user").items() if name in ("task", "inner")})
    folded = test.must(test.kymo, "export", recording, "--to", "folded", "--no-creator", "--weight", "off-cpu")
    test.equal("switched trace: time off a processor, by path, µs", ["task 10000", "task;[call not known] 20000"], sorted(folded.splitlines()))
    report = test.report(recording)
    test.equal("switched trace: nothing is missing", [], report["recording"]["unavailable"])
    thread = report["threads"][0]
    test.equal("switched trace: the thread's time, s", (0.100, 0.030), (round(thread["on_cpu_s"], 6), round(thread["off_cpu_s"], 6)))
    test.equal("switched trace: ready, and off for no known reason, s", (0.010, 0.020), (round(thread["states"]["run_queue_s"], 6), round(thread["states"]["off_s"], 6)))


def bad_files(test):
    for name, data in (("nothing.txt", b""), ("other.txt", b"hello\n" * 100), ("half.pb.gz", b"\x1f\x8b\x08\x00" + bytes(20)),
                       ("no.json", b'{"traceEvents":[]}'), ("half.json", b'[{"ph":"X","pid":1')):
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
    known_trace(test)
    clocked_trace(test)
    sampled_trace(test)
    flowing_trace(test)
    exported_trace(test)
    switched_trace(test)
    bad_files(test)
    perfs_own(test)


main(body)
