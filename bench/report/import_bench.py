#!/usr/bin/env python3
"""How long the answer takes from a file of `perf record`: `perf report --stdio` beside `kymo import` and `kymo report`.

    python3 bench/report/import_bench.py BUILD [--rounds N] [--mib N]

perf records the bundled program `paths` over and over until each file has its size: without stacks (-F 20000), and with copied
stacks of 8 KiB (--call-graph dwarf). Then both tools read each file N times, by turns. Printed: medians, the ratio, samples a second of the
import alone, and the most memory. Kymo's names of functions are kept from its first round on, as they are for its users; perf's
report has no such store. Needs perf.
"""

import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def run(command):
    """Seconds, and the most memory of any process of it in MiB."""
    begin = time.monotonic()
    process = subprocess.Popen([*map(str, command)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {status}")
    return time.monotonic() - begin, used.ru_maxrss / 1024


def record(perf, program, path, options, mib):
    """One file of at least so many MiB: the program is run as often as that takes."""
    rounds = 1
    while True:
        loop = f"for i in $(seq {rounds}); do {program} > /dev/null; done"
        subprocess.run([perf, "record", "-q", "-e", "task-clock", *options, "-o", path, "--", "sh", "-c", loop], check=True)
        size = path.stat().st_size / 2**20
        if size >= mib:
            return size
        rounds = max(rounds + 1, int(rounds * mib / size) + 1)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build", type=pathlib.Path)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--mib", type=int, default=256, help="of the file with stacks; the other one has a sixteenth")
    asked = options.parse_args()
    perf = shutil.which("perf") or sys.exit("perf is not installed (apt-get install linux-perf)")
    kymo = asked.build.resolve() / "bin" / "kymo"
    program = asked.build.resolve() / "tests" / "programs" / "paths"
    with tempfile.TemporaryDirectory(prefix="import-bench-") as folder:
        folder = pathlib.Path(folder)
        for name, how, mib in (("flat", ["-F", "20000"], asked.mib / 16), ("stacks", ["--call-graph", "dwarf,8192", "-F", "5000"], asked.mib)):
            data = folder / f"{name}.data"
            size = record(perf, program, data, how, mib)
            times = {"perf report": [], "kymo import": [], "kymo report": []}
            memory = dict.fromkeys(times, 0.0)
            for _ in range(asked.rounds):
                recording = folder / f"{name}.kymo"
                shutil.rmtree(recording, ignore_errors=True)
                for tool, command in (("perf report", [perf, "report", "--stdio", "-i", data]), ("kymo import", [kymo, "import", "-q", data, "-o", recording]),
                                      ("kymo report", [kymo, "report", recording])):
                    seconds, most = run(command)
                    times[tool].append(seconds)
                    memory[tool] = max(memory[tool], most)
            told = subprocess.run([kymo, "report", recording], capture_output=True, text=True, check=True).stdout
            samples = int(re.search(r"([\d,]+) samples", told)[1].replace(",", ""))
            median = {tool: statistics.median(taken) for tool, taken in times.items()}
            both = median["kymo import"] + median["kymo report"]
            print(f"{name}: {size:.0f} MiB, {samples:,} samples; perf report {median['perf report']:.2f} s, kymo import {median['kymo import']:.2f} s "
                  f"and report {median['kymo report']:.2f} s: {median['perf report'] / both:.1f} times as long; import alone "
                  f"{samples / median['kymo import'] / 1e6:.2f} M samples a second; most memory "
                  + ", ".join(f"{tool} {most:.0f} MiB" for tool, most in memory.items()), flush=True)


main()
