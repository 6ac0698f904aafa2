"""Memory over time of a program that touches 64 MiB, gives them back and touches 16 MiB, and of a child that has 16 MiB; what it has at each step is the
kernel's word, read here while the program waits. Each step lasts until the recording, read while it grows, has it: no answer hangs on how busy the
machine is."""

import json
import os
import pathlib
import time

from harness import main

MIB = 1024 * 1024
STEPS = ("start", "child", "large", "given back", "small")


def is_near(seen, resident):
    """As well as docs/recording-format.md says."""
    return abs(seen - resident) <= max(MIB // 16, resident // 100)


def resident_bytes(pid):
    return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def last_known(test, path, pid):
    """What the recording has of the process now, in bytes; None: nothing yet."""
    done = test.run(test.kymo, "report", path, "--json=full")
    if done.returncode != 0:
        return None  # it has hardly begun
    return next((each["last_bytes"] for each in json.loads(done.stdout)["memory"]["processes"] if each["pid"] == pid), None)


def body(test):
    path = test.work / "out.kymo"
    truth = {}
    with test.start(test.kymo, "record", "-o", path, "--", test.program("memory_steps"), "child", stdin=-1) as run:
        for step in STEPS:
            said = json.loads(run.stdout.readline())
            test.equal("the step", step, said["step"])
            while (seen := last_known(test, path, said["pid"])) is None or not is_near(seen, resident_bytes(said["pid"])):
                if run.poll() is not None:
                    test.fail(f"ended at {step}: {run.stderr.read()}")
                    test.end()
                time.sleep(0.05)  # the test's limit ends what never comes
            truth[step] = {"pid": said["pid"], "resident": resident_bytes(said["pid"])}
            test.check(f"{step}: the recording has it", truth[step]["resident"], seen, True)
            run.stdin.write("on\n")
            run.stdin.flush()
        run.communicate()
    test.equal("kymo record ended well", 0, run.returncode)
    start, large, back, small = (truth[step]["resident"] for step in ("start", "large", "given back", "small"))
    test.check("the program had its 64 MiB, then 16", (64, 16), ((large - back) / MIB, (small - back) / MIB), abs(large - back - 64 * MIB) < MIB and abs(small - back - 16 * MIB) < MIB)

    report = test.report(path)
    memory = report["memory"]
    test.equal("it is known", None, memory["why_not"])
    test.equal("of both processes", (2, 0), (len(memory["processes"]), memory["unknown_processes"]))
    of = {each["pid"]: each for each in memory["processes"]}
    mine, child = of[truth["start"]["pid"]], of[truth["child"]["pid"]]
    test.check("the peak", large, mine["peak_bytes"], is_near(mine["peak_bytes"], large))
    test.check("the last", small, mine["last_bytes"], is_near(mine["last_bytes"], small))
    test.check("pages of files are not the memory touched", "a part", mine["peak_shared_bytes"], 0 < mine["peak_shared_bytes"] < large - 64 * MIB)
    course = [value for value in mine["highest_bytes"] if value is not None]
    top = course.index(max(course))
    test.check("it rises and falls", "up to the peak, then down", [round(value / MIB) for value in course],
               is_near(course[top], large) and min(course[top:]) < large - 40 * MIB and is_near(course[-1], small))
    test.check("the child's peak", truth["child"]["resident"], child["peak_bytes"], is_near(child["peak_bytes"], truth["child"]["resident"]))
    test.check("the child had ended before the parent's peak", f"< {mine['peak_s']}", child["ended_s"], child["ended_s"] is not None and child["ended_s"] < mine["peak_s"])
    test.check("they never had more together than the parent at its peak", large, memory["together"]["peak_bytes"], is_near(memory["together"]["peak_bytes"], large))

    text = test.must(test.kymo, "report", path, "--memory")
    print(text)
    test.check("the section of the report has both", sorted(of), None, "Memory over time" in text and all(f"memory_steps {pid}" in text for pid in of))
    short = test.must(test.kymo, "report", path).splitlines()
    lines = [line for line in short if line.startswith("  Memory: ")]
    test.check("the short report has one line", "at most … in 2 processes", lines, len(lines) == 1 and "in 2 processes" in lines[0])
    test.check("which has 60 lines at most", 60, len(short), len(short) <= 60)


main(body)
