#!/usr/bin/env python3
"""Debian's own programs under Kymo: the same output and the same status as without, at 1 and at 10 kHz; and what it costs.

    python3 tests/strangers/run.py BUILD [--only NAME,NAME…] [--modes root,user,barred] [--rounds N] [--table FILE]

Each job (jobs.py) runs plain, then under `kymo record` at 1,000 and 10,000 samples a second, and under `perf record -F 1000
--call-graph dwarf` where perf is there, by turns. Jobs whose programs are not installed are skipped, and listed. A line a job: user and
system time of all its processes, bytes of the recording, complete call paths. Exit status 1: something was different, or crashed.
`make test-guests` runs it; it takes some ten minutes and is no part of `make test`.
"""

import argparse
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from jobs import JOBS, PREPARE  # noqa: E402

NOBODY = 65534
LIMIT = 180  # seconds for one run
PERF = ["perf", "record", "-q", "-F", "1000", "--call-graph", "dwarf"]


class Run:
    def __init__(self, status, output, cpu, wall, size=0):
        self.status, self.output, self.cpu, self.wall, self.size = status, output, cpu, wall, size


def used():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def start(command, folder):
    """In a session of its own, so that whatever it leaves behind can be ended."""
    before, begun = used(), time.monotonic()
    job = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           errors="replace", start_new_session=True,
                           env={**os.environ, "LC_ALL": "C.UTF-8", "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": ""})
    try:
        output, errors = job.communicate(timeout=LIMIT)
        status = job.returncode
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, 9)
        output, errors = job.communicate()
        status = "still running"
    run = Run(status, output, used() - before, time.monotonic() - begun)
    run.errors = errors
    return run


class Guests:
    def __init__(self, build, mode):
        self.kymo = pathlib.Path(build).resolve() / "bin" / "kymo"
        self.mode = mode
        self.prefix = []
        if mode == "user":
            self.prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        elif mode == "barred":
            self.prefix = [str(self.kymo.parent.parent / "tests" / "programs" / "without_perf_events")]
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="kymo-guests-", dir="/tmp"))
        self.top.chmod(0o755)

    def folder(self, name):
        """A fresh one of the same name for every run: jobs may tell where they are."""
        place = self.top / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        for file, text in PREPARE.items():
            (place / file).write_text(text)
        if self.mode == "user":
            for path in [place, *place.iterdir()]:
                os.chown(path, NOBODY, NOBODY)
        return place

    def plain(self, name, line):
        return start([*self.prefix, "sh", "-c", line], self.folder(name))

    def recorded(self, name, line, rate):
        folder = self.folder(name)
        path = self.top / f"{name}.kymo"
        shutil.rmtree(path, ignore_errors=True)
        if self.mode == "user":
            path = folder / "out.kymo"
        run = start([*self.prefix, str(self.kymo), "record", "-e", f"task-clock:freq={rate}", "-o", str(path), "--", "sh", "-c", line], folder)
        run.size = sum(f.stat().st_size for f in path.glob("*.krec")) if path.exists() else 0
        told = subprocess.run([str(self.kymo), "report", "--json", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT)
        run.report = json.loads(told.stdout)["recording"] if told.returncode == 0 else None
        shutil.rmtree(path, ignore_errors=True)
        return run

    def by_perf(self, name, line):
        folder = self.folder(name)
        data = self.top / "perf.data"
        run = start([*self.prefix, *PERF, "-o", str(data), "--", "sh", "-c", line], folder)
        run.size = data.stat().st_size if data.exists() else 0
        data.unlink(missing_ok=True)
        return run


def complete(report):
    paths = report["call_paths"] if report else {"complete": 0, "partial": 0}
    every = paths["complete"] + paths["partial"]
    return (100 * paths["complete"] / every if every else None), every


def differences(name, plain, run, rate):
    found = []
    if run.status != (128 - plain.status if isinstance(plain.status, int) and plain.status < 0 else plain.status):
        found.append(f"status {run.status} instead of {plain.status}: {run.errors.strip()[-300:]}")
    if run.output != plain.output:
        found.append(f"output {run.output[-160:]!r} instead of {plain.output[-160:]!r}")
    if run.report is None:
        found.append("the recording cannot be read")
    return [f"DIFFERENT: {name} at {rate} Hz: {what}" for what in found]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build")
    options.add_argument("--only", default="")
    options.add_argument("--modes", default="root" if os.geteuid() == 0 else "any")
    options.add_argument("--rounds", type=int, default=1)
    options.add_argument("--table", type=pathlib.Path)
    given = options.parse_args()
    only = set(filter(None, given.only.split(",")))
    perf = shutil.which("perf") is not None
    wrong, skipped, rows = [], [], []
    for mode in given.modes.split(","):
        guests = Guests(given.build, mode)
        print(f"{mode}: {'job':<20} {'plain s':>8} {'1 kHz':>7} {'10 kHz':>7} {'perf':>7} {'kB':>8} {'perf kB':>8} {'paths':>8} {'complete':>8}")
        for name, needed, line in JOBS:
            if only and name not in only:
                continue
            if missing := [p for p in needed if not shutil.which(p)]:
                skipped.append(f"{name} ({', '.join(missing)})")
                continue
            plains, slow, fast, perfs = [], [], [], []
            for _ in range(given.rounds):
                plains.append(guests.plain(name, line))
                slow.append(guests.recorded(name, line, 1000))
                if perf and mode == "root":
                    perfs.append(guests.by_perf(name, line))
                fast.append(guests.recorded(name, line, 10000))
            again = guests.plain(name, line)
            if again.output != plains[0].output or again.status != plains[0].status:
                skipped.append(f"{name} (not the same twice by itself)")
                continue
            for run, rate in [(r, 1000) for r in slow] + [(r, 10000) for r in fast]:
                wrong += differences(name, plains[0], run, rate)
            base = statistics.median(r.cpu for r in plains)
            ratio = lambda runs: statistics.median(r.cpu for r in runs) / base if runs and base else float("nan")  # noqa: E731
            share, count = complete(slow[0].report)
            row = (name, base, ratio(slow), ratio(fast), ratio(perfs), slow[0].size / 1e3, perfs[0].size / 1e3 if perfs else 0, count, share)
            rows.append((mode, row))
            print(f"{mode}: {row[0]:<20} {row[1]:8.2f} {row[2]:7.2f} {row[3]:7.2f} {row[4]:7.2f} {row[5]:8.0f} {row[6]:8.0f} {row[7]:8d} "
                  f"{'-' if share is None else f'{share:.1f} %':>8}", flush=True)
        shutil.rmtree(guests.top, ignore_errors=True)
    for line in wrong:
        print(line)
    print(f"skipped: {', '.join(skipped) or 'none'}")
    print(f"{len(rows)} jobs, {len(wrong)} differences")
    if given.table:
        write_table(given.table, rows)
    return 1 if wrong or not rows else 0


def write_table(path, rows):
    lines = ["| job | processor time | Kymo, 1 kHz | Kymo, 10 kHz | perf with DWARF stacks, 1 kHz | recording | perf's | call paths | complete |",
             "|---|---|---|---|---|---|---|---|---|"]
    for _, (name, base, slow, fast, perf, size, perf_size, count, share) in rows:
        by_perf = f"× {perf:.2f}" if perf == perf else "—"
        lines.append(f"| {name} | {base:.2f} s | × {slow:.2f} | × {fast:.2f} | {by_perf} | {size:.0f} kB | {perf_size:.0f} kB | {count} | "
                     f"{'—' if share is None else f'{share:.1f} %'} |")
    path.write_text("\n".join(lines) + "\n")


sys.exit(main())
