"""Each rung of the fallback ladder: what is short is told in the report, and every thread appears, with its time.

Arguments: BUILD MODE RUNG.
"""

import ctypes
import os
import re

from harness import check_identity, main


def check_threads(test, report, count, ms, sampled):
    threads = {t["name"]: t for t in report["threads"] if t["name"].startswith("t") and t["name"][1:].isdigit()}
    missing = [f"t{i}" for i in range(count) if f"t{i}" not in threads]
    test.check("every thread appears", "none missing", missing[:5], not missing)
    test.check("each by samples of its own", "all", sum(t["sampled"] for t in threads.values()), all(t["sampled"] for t in threads.values()))
    # Their clocks count what the monitor does in them as well.
    on_cpu = sum(t["on_cpu_s"] + t["states"]["paused_s"] for t in threads.values())
    # Their own work, the barriers and the start of a thread on top.
    known = count * ms / 1e3
    most = 1.5 * known + 0.1 + test.taken
    test.figure("processor time of them all", f"{0.97 * known:.3f} to {most:.3f} s", f"{on_cpu:.3f} s", 0.97 * known <= on_cpu <= most)
    with_samples = sum(t["samples"] > 0 for t in threads.values())
    test.figure("threads with samples", f"≥ {sampled}", with_samples, with_samples >= sampled)


def check_told(test, report, *words):
    told = [" ".join(u.values()) for u in report["recording"]["unavailable"]]
    test.check(f"the report tells of {words}", "one entry", told, any(all(w in t for w in words) for t in told))


def recorded_threads(test, count, ms, prefix=(), sampled=None, words=(), **more):
    tool = [test.tool(prefix[0], "util-linux"), *prefix[1:]] if prefix else []
    done, path = test.record(test.program("threads"), count, ms, *words, prefix=[*test.prefix, *tool], **more)
    test.equal("status and output", (0, f"{count} threads\n"), (done.returncode, done.stdout))
    report = test.report(path)
    if report is not None:
        check_threads(test, report, count, ms, count if sampled is None else sampled)
        check_ticks(test, report, done.stderr)
    return report


def check_ticks(test, report, told):
    """Timers are looked at when the kernel ticks, and whom a tick finds is chance: but the program's own timer and the monitor's are
    found by the same ticks. The first and the last may be one's alone."""
    samples = {t["name"]: t["samples"] for t in report["threads"]}
    for name, ticks in re.findall(r"^(t\d+) (\d+)$", told, re.MULTILINE):
        least = int(ticks) - 2
        if samples.get(name, 0) < least:
            test.figure(f"samples of {name}", f"≥ {least}", samples.get(name), False)
    if told_by := len(re.findall(r"^t\d+ \d+$", told, re.MULTILINE)):
        test.figure("threads that told of their ticks", sum(name.startswith("t") and name[1:].isdigit() for name in samples), told_by,
                   told_by == sum(name.startswith("t") and name[1:].isdigit() for name in samples))


def locked_memory(test):
    report = recorded_threads(test, 200, 6, ("prlimit", "--memlock=65536:65536"))
    if report is not None:
        check_told(test, report, "sample buffers", "locked memory")


def descriptors(test):
    # Of 256 descriptors 192 are the monitor's. Threads beyond those have no counter of the kernel: they are sampled when it
    # ticks, 4 ms or so apart.
    report = recorded_threads(test, 250, 6, ("prlimit", "--nofile=256:256"), sampled=150)
    if report is not None:
        check_told(test, report, "CPU-time timers", "limit of open files", "ulimit -n")


def thousand_threads(test):
    # The usual limit. Counters that threads can do without are left to those that could not be sampled otherwise.
    report = recorded_threads(test, 1000, 3, ("prlimit", "--nofile=1024:1024"), sampled=600)
    if report is not None:
        check_told(test, report, "CPU-time timers", "limit of open files", "ulimit -n")


def no_events(test):
    # As a container's filter refuses them, as kernel.perf_event_paranoid 3 does, and as a kernel without them.
    for error in (None, "EACCES", "ENOSYS"):
        print(f"note: {error or 'EPERM'}")
        env = dict(os.environ) if error is None else dict(os.environ, PERF_EVENTS_ERROR=error)
        report = recorded_threads(test, 20, 25, sampled=0, words=("ticks",), env=env, out=f"{error}.kymo")
        if report is not None:
            check_told(test, report, "performance events", "switch records")


def fallocate_works(path):
    """The system call itself: the C library's function would write zeros."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(path, "wb") as file:
        return libc.fallocate(file.fileno(), 0, ctypes.c_long(0), ctypes.c_long(65536)) == 0


def no_fallocate(test):
    if os.geteuid() != 0:
        test.skip("mounting takes the superuser")
    disk = test.folder / "disk"
    disk.mkdir()
    if test.run("mount", "-t", "ramfs", "ramfs", disk, prefix=[]).returncode != 0:
        test.skip("a ramfs cannot be mounted here")
    try:
        if fallocate_works(disk / "file"):
            test.skip("this kernel's ramfs can fallocate")
        done = test.run(test.kymo, "record", "-o", disk / "out.kymo", "--", test.program("threads"), 10, 30)
        test.equal("status and output", (0, "10 threads\n"), (done.returncode, done.stdout))
        report = test.report(disk / "out.kymo")
        if report is not None:
            check_threads(test, report, 10, 30, 10)
            test.equal("rows without space", 0, report["recording"]["unwritten_rows"])
    finally:
        test.run("umount", "-l", disk, prefix=[])


def records(asked):
    return dict(os.environ, KYMO_KERNEL_RECORDS=asked)


def machine_records(test):
    """As on machines with many processors: the whole machine's records, of which only the program's tree is kept."""
    other = test.start(test.program("children"), "fork+execve", test.program("children"), "work", 2000)
    report = recorded_threads(test, 50, 6, env=records("machine"))
    other.communicate(timeout=60)
    if report is not None:
        told = report["recording"]["unavailable"]
        test.check("switch records are there", "nothing missing", told, not any("switch" in entry["what"] for entry in told))
        test.check("no process but the program", 1, [p["name"] for p in report["processes"]], len(report["processes"]) == 1)
        test.check("switches of each thread", "some", min(t["switches"] or 0 for t in report["threads"]), all(t["switches"] for t in report["threads"]))
        test.equal("from", {"switch-records"}, {t["switches_from"] for t in report["threads"]})
        check_identity(test, report)
    # Children are followed, also the one that cannot be measured.
    done, path = test.record(test.program("children"), "posix_spawn", test.program("children_static"), "work", 60, env=records("machine"), out="static.kymo")
    report = test.report(path)
    if report is not None:
        named = {p["name"]: p["monitored"] for p in report["processes"]}
        test.equal("the static child, from the records alone", False, named.get("children_static"))


def no_records(test):
    """As there, where the whole machine's are not allowed."""
    report = recorded_threads(test, 50, 6, env=records("none"))
    if report is not None:
        check_told(test, report, "switch and task records", "KYMO_KERNEL_RECORDS")
        threads = [t for t in report["threads"] if t["sampled"]]
        test.equal("switches from", {"thread-end"}, {t["switches_from"] for t in threads})
        check_identity(test, report)


def own_records(test):
    """As there, each thread by its own: the same of every measured thread, nothing of others."""
    report = recorded_threads(test, 50, 6, env=records("own"))
    if report is not None:
        check_told(test, report, "without the monitor", "KYMO_KERNEL_RECORDS=own")
        threads = [t for t in report["threads"] if t["sampled"]]
        test.equal("switches from", {"switch-records"}, {t["switches_from"] for t in threads})
        check_identity(test, report)
    # An exec goes on under the same number, a child has one of its own.
    for way, measured in (("execve", 2), ("posix_spawn", 2)):
        done, path = test.record(test.program("children"), way, test.program("children"), "work", 60, env=records("own"), out=f"{way}.kymo")
        test.equal(f"{way}: status", 7, done.returncode)
        report = test.report(path)
        if report is not None:
            check_identity(test, report)
            test.equal(f"{way}: measured processes", measured, sum(p["monitored"] for p in report["processes"]))
            test.equal(f"{way}: all of them", measured, len(report["processes"]))
            test.equal(f"{way}: switches from", {"switch-records"}, {t["switches_from"] for t in report["threads"]})


def refused_records(test):
    if int(open("/proc/sys/kernel/perf_event_paranoid").read()) <= 0:
        test.skip("kernel.perf_event_paranoid lets everybody have the whole machine's records")
    report = recorded_threads(test, 20, 6, env=records("machine"))
    if report is not None:
        check_told(test, report, "switch and task records", "may not have the whole machine's")
        check_identity(test, report)


def body(test):
    if test.barred and test.arguments[0] != "no_events":
        test.skip("performance events are barred here")
    {"machine_records": machine_records, "no_records": no_records, "own_records": own_records, "refused_records": refused_records,
     "locked_memory": locked_memory, "descriptors": descriptors, "thousand_threads": thousand_threads,
     "no_events": no_events, "no_fallocate": no_fallocate}[test.arguments[0]](test)


main(body)
