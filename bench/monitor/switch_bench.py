"""switch_bench.py BUILD [ROUNDS [TURNS]]: what recording costs two threads that pass a byte to and fro.

tests/truth/programs/switching with TURNS turns (default 20000) is run bare, under `kymo record`, under `kymo record -F 1000` (the clock samples,
whatever it costs), and under `perf record` (1000 a second; flat, and with the stack's bytes as for DWARF) where that is to be had, one after
the other and over again; printed are medians of wall time and the program's and recorder's processor time, and their ratios to bare. For reading only.
"""

import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def used():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command):
    before, begun = used(), time.monotonic()
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()[:300]}")
    return time.monotonic() - begun, used() - before


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 7
    turns = int(sys.argv[3]) if len(sys.argv) > 3 else 20000
    work = [build / "tests/programs/switching", turns]
    with tempfile.TemporaryDirectory(prefix="kymo-switch-bench-") as name:
        folder = pathlib.Path(name)
        ours, theirs = folder / "ours.kymo", folder / "perf.data"
        record = [build / "bin/kymo", "record", "-o", ours]
        ways = {"bare": work, "kymo record": [*record, "--", *work], "kymo record -F 1000": [*record, "-F", 1000, "--", *work]}
        if shutil.which("perf"):
            perf = ["perf", "record", "-q", "-F", 1000, "-e", "task-clock", "-o", theirs]
            ways |= {"perf record": [*perf, "--", *work], "perf record, DWARF": [*perf, "--call-graph", "dwarf", "--", *work]}
        seen = {who: [] for who in ways}
        for _ in range(rounds):
            for who, command in ways.items():
                shutil.rmtree(ours, ignore_errors=True)
                seen[who].append(run(command))
        bare = [statistics.median(row[i] for row in seen["bare"]) for i in range(2)]
        print(f"{turns} turns: medians of {rounds} interleaved rounds")
        for who, rows in seen.items():
            wall, processor = [statistics.median(row[i] for row in rows) for i in range(2)]
            print(f"  {who:20}  {wall:6.3f} s wall (× {wall / bare[0]:4.2f})  {processor:6.3f} s of processor (× {processor / bare[1]:4.2f})")


main()
