#!/usr/bin/env python3
"""Debian's own programs under Kymo: the same output and the same status as without, at 1 and at 10 kHz; and what it costs.

    python3 tests/strangers/run.py BUILD [--only NAME,NAME…] [--modes root,user,barred] [--rounds N] [--table FILE] [--flat]

Each job (jobs.py) runs plain, then under `kymo record` as it is by default (1,000 samples a second) and at 10,000, and under `perf record -F 1000
--call-graph dwarf` where perf is there, by turns. Jobs whose programs are not installed are skipped, and listed. A line a job: user and
system time of all its processes, memory of the largest one, bytes of the recording, complete call paths. Exit status 1: something was different, or crashed.
`make test-guests` runs it; it takes some ten minutes and is no part of `make test`.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "truth"))
from harness import NOBODY, Test  # noqa: E402
from jobs import JOBS, PREPARE, text  # noqa: E402

PATH = "/usr/sbin:/usr/bin:/sbin:/bin"  # Debian's own, whatever else is installed
PATHS = "import json, sys; print(json.dumps(json.load(sys.stdin)['recording']['call_paths']))"
LIMIT = 180  # seconds for one run
DEFAULT = 1000  # what `kymo record` does by itself: threads that switch often are then sampled at the kernel's tick
PERF = ["perf", "record", "-q", "-F", "1000"]
CALL_GRAPH = ["--call-graph", "dwarf"]


class Run:
    def __init__(self, status, output, errors, usage):
        self.status, self.output, self.errors, self.size = status, output, errors, 0
        self.cpu = usage.ru_utime + usage.ru_stime
        self.memory = usage.ru_maxrss  # kB, of the largest process


def start(command, folder):
    """Not the harness's run(): it does not tell what a command took. In a session of its own, so that whatever it leaves behind can be ended."""
    with tempfile.TemporaryFile("w+", errors="replace") as output, tempfile.TemporaryFile("w+", errors="replace") as errors:
        job = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, start_new_session=True,
                               env={**os.environ, "PATH": PATH, "LC_ALL": "C.UTF-8", "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": ""})
        ended = threading.Timer(LIMIT, os.killpg, (job.pid, 9))
        ended.start()
        _, status, usage = os.wait4(job.pid, 0)
        ended.cancel()
        job.returncode = os.waitstatus_to_exitcode(status)
        try:
            os.killpg(job.pid, 9)
        except ProcessLookupError:
            pass
        output.seek(0), errors.seek(0)
        return Run("still running" if ended.finished.is_set() and job.returncode == -9 else job.returncode, output.read(), errors.read(), usage)


class Guests(Test):
    def __init__(self, build, mode):
        super().__init__(build, mode)
        self.prepared = self.folder / "prepared"
        self.prepared.mkdir()
        for file, content in PREPARE.items():
            (self.prepared / file).write_text(content)
        with (self.prepared / "text.txt").open("w") as file:
            file.writelines(text())

    def place(self, name):
        """A fresh one of the same name for every run: jobs may tell where they are."""
        place = self.folder / name
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.prepared, place)
        if self.mode == "user":
            for path in [place, *place.iterdir()]:
                os.chown(path, NOBODY, NOBODY)
        return place

    def plain(self, name, line):
        return start([*self.prefix, "sh", "-c", line], self.place(name))

    def recorded(self, name, line, rate):
        folder = self.place(name)
        path = self.folder / f"{name}.kymo"
        shutil.rmtree(path, ignore_errors=True)
        if self.mode == "user":
            path = folder / "out.kymo"
        run = start([*self.prefix, str(self.kymo), "record", *([] if rate == DEFAULT else ["-F", str(rate)]), "-o", str(path), "--", "sh", "-c", line], folder)
        run.size = sum(f.stat().st_size for f in path.glob("*.krec")) if path.exists() else 0
        # Read by another process: what this one takes of memory counts for the jobs that it starts.
        told = start(["sh", "-c", f'"$1" report --json "$2" | python3 -c "{PATHS}"', "sh", str(self.kymo), str(path)], folder)
        run.paths = json.loads(told.output) if told.status == 0 and told.output else None
        shutil.rmtree(path, ignore_errors=True)
        return run

    def by_perf(self, name, line, is_flat):
        folder = self.place(name)
        data = self.folder / "perf.data"
        run = start([*self.prefix, *PERF, *([] if is_flat else CALL_GRAPH), "-o", str(data), "--", "sh", "-c", line], folder)
        run.size = data.stat().st_size if data.exists() else 0
        data.unlink(missing_ok=True)
        return run


def complete(paths):
    paths = paths or {"complete": 0, "partial": 0}
    every = paths["complete"] + paths["partial"]
    return (100 * paths["complete"] / every if every else None), every


def differences(name, plain, run, rate):
    found = []
    if run.status != (128 - plain.status if isinstance(plain.status, int) and plain.status < 0 else plain.status):
        found.append(f"status {run.status} instead of {plain.status}: {run.errors.strip()[-300:]}")
    if run.output != plain.output:
        found.append(f"output {run.output[-160:]!r} instead of {plain.output[-160:]!r}")
    if run.paths is None:
        found.append("the recording cannot be read, or not in time")
    return [f"DIFFERENT: {name} at {rate} Hz: {what}" for what in found]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build")
    options.add_argument("--only", default="")
    options.add_argument("--modes", default="root" if os.geteuid() == 0 else "any")
    options.add_argument("--rounds", type=int, default=1)
    options.add_argument("--table", type=pathlib.Path)
    options.add_argument("--flat", action="store_true", help="perf without call paths")
    given = options.parse_args()
    only = set(filter(None, given.only.split(",")))
    perf = shutil.which("perf") is not None
    wrong, skipped, rows = [], [], []
    for mode in given.modes.split(","):
        guests = Guests(given.build, mode)
        print(f"{mode}: {'job':<20} {'plain s':>8} {'1 kHz':>7} {'10 kHz':>7} {'perf':>7} {'MB':>6} {'Kymo':>6} {'perf':>6} {'kB':>8} {'perf kB':>8} {'paths':>8} {'complete':>8}")
        for name, needed, line in JOBS:
            if only and name not in only:
                continue
            if missing := [p for p in needed if not shutil.which(p, path=PATH)]:
                skipped.append(f"{name} ({', '.join(missing)})")
                continue
            plains, slow, fast, perfs = [], [], [], []
            for _ in range(given.rounds):
                plains.append(guests.plain(name, line))
                slow.append(guests.recorded(name, line, 1000))
                if perf and mode == "root":
                    perfs.append(guests.by_perf(name, line, given.flat))
                fast.append(guests.recorded(name, line, 10000))
            again = guests.plain(name, line)
            if again.output != plains[0].output or again.status != plains[0].status:
                skipped.append(f"{name} (not the same twice by itself)")
                continue
            for run, rate in [(r, 1000) for r in slow] + [(r, 10000) for r in fast]:
                wrong += differences(name, plains[0], run, rate)
            base = statistics.median(r.cpu for r in plains)
            ratio = lambda runs: statistics.median(r.cpu for r in runs) / base if runs and base else float("nan")  # noqa: E731
            share, count = complete(slow[0].paths)
            memory = lambda runs: statistics.median(r.memory for r in runs) / 1e3 if runs else float("nan")  # noqa: E731
            row = (name, base, ratio(slow), ratio(fast), ratio(perfs), memory(plains), memory(slow), memory(perfs), slow[0].size / 1e3, perfs[0].size / 1e3 if perfs else 0, count, share)
            rows.append((mode, row))
            print(f"{mode}: {row[0]:<20} {row[1]:8.2f} {row[2]:7.2f} {row[3]:7.2f} {row[4]:7.2f} {row[5]:6.0f} {row[6]:6.0f} {row[7]:6.0f} {row[8]:8.0f} "
                  f"{row[9]:8.0f} {row[10]:8d} "
                  f"{'-' if share is None else f'{share:.1f} %':>8}", flush=True)
        guests.clean()
    for line in wrong:
        print(line)
    print(f"skipped: {', '.join(skipped) or 'none'}")
    print(f"{len(rows)} jobs, {len(wrong)} differences")
    if given.table:
        write_table(given.table, rows)
    return 1 if wrong or not rows else 0


def write_table(path, rows):
    lines = ["| job | processor time | Kymo, 1 kHz | Kymo, 10 kHz | perf, 1 kHz | memory | Kymo | perf | recording | perf's | call paths | complete |",
             "|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for _, (name, base, slow, fast, perf, memory, with_kymo, with_perf, size, perf_size, count, share) in rows:
        by_perf = [f"× {perf:.2f}", f"{with_perf:.0f} MB", f"{perf_size:.0f} kB"] if perf == perf else ["—"] * 3
        lines.append(f"| {name} | {base:.2f} s | × {slow:.2f} | × {fast:.2f} | {by_perf[0]} | {memory:.0f} MB | {with_kymo:.0f} MB | {by_perf[1]} | "
                     f"{size:.0f} kB | {by_perf[2]} | {count} | {'—' if share is None else f'{share:.1f} %'} |")
    path.write_text("\n".join(lines) + "\n")


sys.exit(main())
