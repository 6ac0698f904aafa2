"""thread_bench.py BUILD [ROUNDS [COUNT]]: what the making of a thread costs that does nothing, recorded and not.

Three shapes: one after another, fifty at a time, and all of them alive at the same time. Each is run bare, under `kymo record`, and under `perf
record` (software clock, no call paths) where that is to be had, one after the other and over again; printed are medians of the
wall time and of the program's own processor time a thread, what a thread takes more than bare, the program's largest resident
size, and the descriptors that it was left with. For reading only: nothing here passes or fails.
"""

import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile


def run(command):
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()[:300]}")
    return [float(word) for word in done.stdout.split()[:4]]


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 2000
    program = build / "tests/programs/short_threads"
    with tempfile.TemporaryDirectory(prefix="kymo-thread-bench-") as name:
        folder = pathlib.Path(name)
        for shape, at_once in (("one after another", 1), ("fifty at a time", 50), ("all at once", count)):
            seen = {}
            for _ in range(rounds):
                ours, theirs = folder / "ours.kymo", folder / "perf.data"
                shutil.rmtree(ours, ignore_errors=True)
                work = [program, count, at_once]
                seen.setdefault("bare", []).append(run(work))
                seen.setdefault("kymo record", []).append(run([build / "bin/kymo", "record", "-o", ours, "--", *work]))
                if shutil.which("perf"):
                    seen.setdefault("perf record", []).append(run(["perf", "record", "-q", "-F", 1000, "-e", "task-clock", "-o", theirs, "--", *work]))
            bare = [statistics.median(row[i] for row in seen["bare"]) for i in range(4)]
            print(f"{count} threads, {shape}: medians of {rounds} interleaved rounds")
            for who, rows in seen.items():
                wall, processor, resident, descriptors = [statistics.median(row[i] for row in rows) for i in range(4)]
                print(f"  {who:12}  {wall / 1e3:7.1f} µs wall ({(wall - bare[0]) / 1e3:+6.1f})  {processor / 1e3:7.1f} µs of processor "
                      f"({(processor - bare[1]) / 1e3:+6.1f})  {resident / 1024:7.1f} MiB resident  {descriptors:.0f} descriptors")


main()
