"""report_bench.py BUILD [ROUNDS]: how long a first look takes, beside the peer, on a real recording.

The bundled program (C++, two workers, debug information) is recorded once by `kymo record` and once by `perf record
--call-graph dwarf`, both at 1000 samples a second and for about ten seconds. Then `kymo report` and `perf report --stdio` are run
one after the other and over again; printed are the medians of the wall time and their ratio. Where perf is missing or may not
record, ours stands alone and that is said. For reading only: nothing here passes or fails.
"""

import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

RATE = 1000
SECONDS = 10
# perf's report of stacks copied by DWARF can take minutes: bounded, and then told as a lower bound.
LIMIT_S = 120


def run(command, **options):
    return subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, **options)


def timed(command):
    begin = time.monotonic()
    try:
        done = run(command, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return LIMIT_S, True
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()[:300]}")
    return time.monotonic() - begin, False


def rounds_for_ten_seconds(program):
    begin = time.monotonic()
    run([program, "--rounds", 20])
    return max(20, round(20 * SECONDS / (time.monotonic() - begin)))


def megabytes(path):
    files = [path] if path.is_file() else [f for f in path.rglob("*") if f.is_file()]
    return sum(f.stat().st_blocks * 512 for f in files) / 1e6


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    kymo, program = build / "bin/kymo", build / "bin/kymo-demo"
    with tempfile.TemporaryDirectory(prefix="kymo-report-bench-") as name:
        folder = pathlib.Path(name)
        work = [program, "--rounds", rounds_for_ten_seconds(program)]
        ours, theirs = folder / "ours.kymo", folder / "perf.data"
        recorded = run([kymo, "record", "-F", RATE, "-o", ours, "--", *work])
        if recorded.returncode != 0:
            sys.exit(f"kymo record ended with {recorded.returncode}: {recorded.stderr.decode(errors='replace').strip()[:300]}")
        reports = {"kymo report": [kymo, "report", ours], "kymo report --json": [kymo, "report", "--json", ours]}
        sizes = {"kymo report": megabytes(ours), "kymo report --json": megabytes(ours)}
        if shutil.which("perf") is None:
            print("perf is not installed: no peer (apt-get install linux-perf)")
        else:
            peer = run(["perf", "record", "-q", "-F", RATE, "-e", "task-clock", "--call-graph", "dwarf", "-o", theirs, "--", *work])
            if peer.returncode != 0:
                print(f"perf record is not possible here: no peer ({peer.stderr.decode(errors='replace').strip()[:200]})")
            else:
                reports["perf report --stdio"] = ["perf", "report", "--stdio", "-i", theirs]
                sizes["perf report --stdio"] = megabytes(theirs)
        times = {name: [] for name in reports}
        cut = set()
        for _ in range(rounds):
            for name, command in reports.items():
                if name in cut:
                    continue
                seconds, was_cut = timed(command)
                times[name].append(seconds)
                if was_cut:
                    cut.add(name)
        base = statistics.median(times["kymo report"])
        print(f"{'':24}{'median':>10}{'ratio':>9}{'read':>11}")
        for name, values in times.items():
            median = statistics.median(values)
            sign = ">" if name in cut else ""
            print(f"{name:24}{sign + format(median, '.3f') + ' s':>10}{sign + format(median / base, '.1f'):>9}{sizes[name]:>8.1f} MB")


if __name__ == "__main__":
    main()
