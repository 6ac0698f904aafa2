"""test_history.py BUILD any: --max-size keeps a run below it, whatever its length: counts are exact, and what is rare or slow stays.

Two threads ask and answer through pipes (tests/truth/programs/long_run.c), recorded whole and within a fraction of that size.
"""

import json
import pathlib
import sys
import time

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/truth"))

from harness import main, time_left

ROUNDS = 60_000
MOST = 1024 * 1024


def size(folder):
    return max(path.stat().st_size for path in folder.iterdir())


def reads(report):
    """All blocking reads of both threads, and of them those that have a place."""
    placed = sum(wait["count"] for wait in report["waits"] if wait["kind"] == "read")
    return placed + sum(wait["count"] for wait in report["brief_waits"] if wait["kind"] == "read"), placed


def report(test, folder):
    said = test.run(test.kymo, "report", "--json=full", folder)
    test.equal(f"report of {folder.name}: exit status", 0, said.returncode)
    return json.loads(said.stdout)


def functions(said):
    return {row["function"]: row for row in said["functions"]}


def slow_places(said):
    return sorted({wait["place"]["function"] for wait in said["waits"] if wait["kind"] == "read" and wait["place"] and wait["longest_s"] > 0.19})


def run(test):
    program = test.program("long_run")
    whole, small = test.work / "whole.kymo", test.work / "small.kymo"
    done = test.run(test.kymo, "record", "-q", "-o", whole, "--", program, ROUNDS)
    test.equal("whole: exit status", 0, done.returncode)
    # A report of the run while it goes on: condensing waits for it, and it is read whole.
    started = test.start(test.kymo, "record", "-q", "-o", small, "--max-size", MOST, "--", program, ROUNDS)
    looks = 0
    while started.poll() is None and time_left() > 30:
        if any(small.glob("process-*.krec")):
            looks += 1
            live = test.run(test.kymo, "report", "--json", small)
            test.check(f"look {looks} at the run", "read without damage", live.stdout[:300] + live.stderr, live.returncode == 0 and "damaged" not in live.stdout + live.stderr)
        time.sleep(1)
    test.equal("within the size: exit status", 0, started.wait())
    test.check("nothing is left beside the recording", "no lock", sorted(path.name for path in small.iterdir()), not (small / "history.lock").exists())

    test.check("the whole recording", f"more than {MOST} bytes", size(whole), size(whole) > MOST)
    test.check("within the size", f"at most {MOST} bytes", size(small), 0 < size(small) <= MOST)
    one, two = report(test, whole), report(test, small)
    test.equal("its end", "exit status 0", two["recording"]["ending"])
    test.equal("rows that could not be written", 0, two["recording"]["unwritten_rows"])
    all_reads, placed = reads(two)
    test.equal("blocking reads of the whole recording", 2 * ROUNDS, reads(one)[0])
    test.equal("and within the size", 2 * ROUNDS, all_reads)
    test.check("of them with a place", "fewer", placed, 0 < placed < ROUNDS)
    test.equal("functions in which a read took 0.2 s", ["answer", "ask", "ask_first"], slow_places(two))
    test.equal("as in the whole recording", slow_places(one), slow_places(two))
    test.check("a function that ran once", "is there", sorted(functions(two)), "compute_once" in functions(two))
    for state in ("user_s", "system_s"):
        first, second = one["recording"][state], two["recording"][state]
        test.check(f"{state} of the two runs", "within a factor of 3", (first, second), first / 3 < second < first * 3)
    text = test.run(test.kymo, "report", small).stdout
    test.check("the report", "says what was condensed", text[:1500], "To keep --max-size" in text and "were added up without their" in " ".join(text.split()))
    test.check("of the whole recording", "says nothing of it", "To keep", "To keep --max-size" not in test.run(test.kymo, "report", whole).stdout)


main(run)
