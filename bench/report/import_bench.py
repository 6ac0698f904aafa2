#!/usr/bin/env python3
"""How long the answer takes from a file of `perf record`: `perf report --stdio` beside `kymo import` and `kymo report`.

    python3 bench/report/import_bench.py BUILD [--rounds N] [--mib N] [--only KIND …] [--perf-rounds N]

perf records a program over and over until each file has its size. The kinds of files:

    flat      the bundled program `paths`, a small one in C++, without stacks (-F 20000)
    stacks    the same with copied stacks of 8 KiB (--call-graph dwarf,8192 -F 5000)
    library   xz -T2, C without debug information
    program   `kymo report`: a large program in C++ with debug information, and with inlined frames on all paths
    compiler  c++ -O2 -g: a large program without debug information, deep stacks

Then both tools read each file N times, by turns, both as a user would type them, so that both resolve inlined frames. Printed: medians of the time
on the clock and on processors, the ratio of both, samples a second of the import alone, and the most memory. Kymo's names of functions are kept
from its first round on, as they are for its users; perf's report has no such store. perf takes minutes for each 100 MiB of the last two kinds,
which are made only when asked for. Needs perf.
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


KINDS = ("flat", "stacks", "library", "program", "compiler")
QUICK = ("flat", "stacks")
# Enough templates for some seconds.
SOURCE = """
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <random>
#include <regex>
#include <string>
#include <unordered_map>
#include <variant>
template <int n> struct Row { std::map<std::string, std::variant<int, std::string, std::vector<double>>> of;
  std::string find(const std::string& text) { std::regex rule("([a-z]+)" + std::to_string(n)); std::smatch seen;
    return std::regex_search(text, seen, rule) ? seen[1].str() : std::string(); } };
template <int n> std::size_t all() { Row<n> row; row.of["a"] = n; std::vector<int> numbers(n + 9);
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937(n)); std::sort(numbers.begin(), numbers.end(), [](int a, int b) { return a > b; });
  return row.find("abc").size() + all<n - 1>(); }
template <> std::size_t all<0>() { return 0; }
int main() { std::cout << all<60>(); }
"""


def run(command):
    """Seconds on the clock and on processors, and the most memory of any process of it in MiB."""
    begin = time.monotonic()
    process = subprocess.Popen([*map(str, command)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {status}")
    return time.monotonic() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def record(perf, command, path, options, mib):
    """One file of at least so many MiB: the command is run as often as that takes."""
    rounds = 1
    while True:
        loop = f"for i in $(seq {rounds}); do {command} > /dev/null; done"
        subprocess.run([perf, "record", "-q", "-e", "task-clock", *options, "-o", path, "--", "sh", "-c", loop], check=True)
        size = path.stat().st_size / 2**20
        if size >= mib:
            return size
        rounds = max(rounds + 1, int(rounds * mib / size) + 1)


def command_of(kind, build, folder):
    """What perf records for a file of this kind."""
    kymo, paths = build / "bin" / "kymo", build / "tests" / "programs" / "paths"
    if kind == "library":
        return f"xz -T2 -6 -c {kymo}"
    if kind == "program":
        data, recording = folder / "reported.data", folder / "reported.kymo"
        record(shutil.which("perf"), paths, data, ["--call-graph", "dwarf,8192", "-F", "5000"], 256)
        subprocess.run([kymo, "import", "-q", data, "-o", recording], check=True)
        data.unlink()
        return f"{kymo} report {recording}"
    if kind == "compiler":
        source = folder / "compiled.cpp"
        source.write_text(SOURCE)
        return f"c++ -std=c++17 -O2 -g -c -o /dev/null {source}"
    return str(paths)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build", type=pathlib.Path)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--perf-rounds", type=int, help="of perf report, the first ones; else all")
    options.add_argument("--mib", type=int, default=256, help="of each file with stacks; the other one has a sixteenth")
    options.add_argument("--only", choices=KINDS, nargs="+", default=QUICK)
    asked = options.parse_args()
    perf = shutil.which("perf") or sys.exit("perf is not installed (apt-get install linux-perf)")
    build = asked.build.resolve()
    kymo = build / "bin" / "kymo"
    with tempfile.TemporaryDirectory(prefix="import-bench-") as folder:
        folder = pathlib.Path(folder)
        for kind in asked.only:
            data = folder / f"{kind}.data"
            how, mib = (["-F", "20000"], asked.mib / 16) if kind == "flat" else (["--call-graph", "dwarf,8192", "-F", "5000"], asked.mib)
            size = record(perf, command_of(kind, build, folder), data, how, mib)
            seen = {"perf report": [], "kymo import": [], "kymo report": []}
            for i in range(asked.rounds):
                recording = folder / f"{kind}.kymo"
                shutil.rmtree(recording, ignore_errors=True)
                for tool, command in (("perf report", [perf, "report", "--stdio", "-i", data]), ("kymo import", [kymo, "import", "-q", data, "-o", recording]),
                                      ("kymo report", [kymo, "report", recording])):
                    if tool != "perf report" or asked.perf_rounds is None or i < asked.perf_rounds:
                        seen[tool].append(run(command))
            told = subprocess.run([kymo, "report", recording], capture_output=True, text=True, check=True).stdout
            samples = int(re.search(r"([\d,]+) samples", told)[1].replace(",", ""))
            clock, processor = ({tool: statistics.median(each[i] for each in taken) for tool, taken in seen.items()} for i in (0, 1))
            ratio = [median["perf report"] / (median["kymo import"] + median["kymo report"]) for median in (clock, processor)]
            print(f"{kind}: {size:.0f} MiB, {samples:,} samples; perf report {clock['perf report']:.2f} s ({processor['perf report']:.2f} s of processors), "
                  f"kymo import {clock['kymo import']:.2f} s ({processor['kymo import']:.2f}) and report {clock['kymo report']:.2f} s "
                  f"({processor['kymo report']:.2f}): {ratio[0]:.1f} times as long ({ratio[1]:.1f} of processors); import alone "
                  f"{samples / clock['kymo import'] / 1e6:.2f} M samples a second; most memory "
                  + ", ".join(f"{tool} {max(each[2] for each in taken):.0f} MiB" for tool, taken in seen.items()), flush=True)
            data.unlink()


main()
