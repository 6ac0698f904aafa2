"""Children that end before their first sample share one file, a row each; none is lost, and none ends otherwise than without Kymo.

Arguments: BUILD MODE. How many children of each kind there are is known (programs/short_children.c); that a slow machine samples one
of them all the same is no mistake, so files are held against a bound.
"""

import json
import re

from harness import check_identity, main

COUNT = 20
OTHERS = 3  # that need a file of their own: a long wait, a thread, samples
MOST_BYTES = 1024  # of the shared file, a process
SHARED = "short-processes.krec"


def truth_of(output):
    return next(json.loads(line)["truth"] for line in output.splitlines() if line.startswith("{"))


def shared_file(test, path, children):
    files = sorted(file.name for file in path.glob("process-*.krec"))
    test.check("files of their own", f"{1 + OTHERS} to {1 + OTHERS + COUNT}", len(files), 1 + OTHERS <= len(files) <= 1 + OTHERS + COUNT)
    size = (path / SHARED).stat().st_size
    test.check("bytes of the shared file", f"≤ {MOST_BYTES} a process", size, size <= MOST_BYTES * children)


def processes(test, report, children):
    all_of_them = report["processes"]
    # A child that a slow machine samples before its exec has a row for what it was then, and another for what it became.
    became = [p["pid"] for p in all_of_them if p["exec_from"] is not None and any(q is not p and q["pid"] == p["pid"] for q in all_of_them)]
    test.check("processes that had samples before their exec", f"≤ {COUNT}, each once", became, len(set(became)) == len(became) <= COUNT)
    test.equal("processes", children + 1 + len(became), len(all_of_them))
    test.check("all are measured", "none left out", [p["name"] for p in all_of_them if not p["monitored"]],
               all(p["monitored"] for p in all_of_them))
    root = next((p for p in all_of_them if p["command"][1:] == [str(COUNT)] and p["parent_pid"] not in {q["pid"] for q in all_of_them}), None)
    if not test.check("the program itself", "one process", root, root is not None):
        return len(all_of_them)
    test.equal("children of it", children, len({p["pid"] for p in all_of_them if p["parent_pid"] == root["pid"]}))
    test.equal("programs that were started", COUNT, sum(p["command"][1:] == ["end"] for p in all_of_them))
    # Of one that ran for a fraction of a millisecond all may have gone to measuring it.
    measuring = {thread["pid"] for thread in report["threads"] if thread["states"]["paused_s"] > 0}
    times = [p for p in all_of_them if p["on_cpu_s"] is None or (p["on_cpu_s"] <= 0 and p["pid"] not in measuring)]
    test.figure("without time on a processor", [], times, not times)
    return len(all_of_them)


def sleeps(test, report):
    asleep = [wait for wait in report["brief_waits"] if wait["kind"] == "sleep"]
    count = sum(wait["count"] for wait in asleep)
    seconds = sum(wait["seconds"] for wait in asleep)
    # One that a slow machine kept for 10 ms, or sampled, has a row of its own.
    test.figure("short sleeps", f"{COUNT // 2} to {COUNT}", count, COUNT // 2 <= count <= COUNT)
    test.figure("time in them", f"≥ {count * 0.002:.3f} s", seconds, seconds >= count * 0.002)


def for_people(test, path, children, rows):
    """The report of many processes groups them, and is short; all of it is to be had."""
    brief = test.run(test.kymo, "report", path).stdout.splitlines()
    test.check("lines of the report", "≤ 80", len(brief), 0 < len(brief) <= 80)
    row = next((line for line in brief if re.search(r" short_children  most: \d+, ", line)), "")
    test.check("the program, and how many processes run it", rows, row, f" {rows}  short_children " in row)
    test.check("what is left out is said", "--all", brief[-1:], any("--all" in line for line in brief[-2:]))
    whole = test.run(test.kymo, "report", path, "--all", "--top", 2 * children).stdout.splitlines()
    listed = sum(re.search(r"short_children \d+ (←|<-) \d+", line) is not None for line in whole)
    test.check("with --all, each of them", f"≥ {children}", listed, listed >= children)


def body(test):
    program = test.program("short_children")
    done, path = test.record(program, COUNT)
    test.equal("exit status", 0, done.returncode)
    children = truth_of(done.stdout)["children"]
    report = test.report(path)
    if report is None:
        return
    check_identity(test, report)
    shared_file(test, path, children)
    rows = processes(test, report, children)
    sleeps(test, report)
    for_people(test, path, children, rows)
    # Who may write no files cannot be recorded, and must not be killed for it (SIGXFSZ).
    done, path = test.record(program, COUNT, "limited", out="limited.kymo")
    test.equal("no files: exit status", 0, done.returncode)
    # A folder without the shared file (removed meanwhile, or made by hand): each process has a file.
    done, path = test.record("sh", "-c", f"rm -f {test.work}/removed.kymo/{SHARED}; {program} 3 > /dev/null", out="removed.kymo")
    test.equal("without the shared file: exit status", 0, done.returncode)
    report = test.report(path)
    if report is not None:
        test.check("without the shared file: processes", "≥ 10", len(report["processes"]), len(report["processes"]) >= 10)


main(body)
