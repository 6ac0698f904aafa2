"""The planted programs, and running them: plain for what the planted cause really costs, recorded for what Kymo says of it.

Programs run in a session of their own. Where the tests run as the superuser the session is put before the rest of the
machine (its autogroup, sched(7)), so that others' load shows less; how much others took is measured all the same."""

import dataclasses
import json
import os
import pathlib
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import time

RATIO = 1.2  # of the medians, bad to fixed, from which a planted effect counts as real
PLAIN_RUNS = 5
SHARED = 0.10  # of the processor time there was, taken by others: from here on the machine was shared
PRIORITY = -15

# Every kind has a program of its name. What else may be said for the same thing: findings.md has these as one row.
SAME = {"syscall-storm": {"syscall-storm", "small-io"}}
KINDS, NOTHING = (pathlib.Path(__file__).with_name(name).read_text().split() for name in ("kinds.txt", "nothing.txt"))  # CMake's lists, too
# Processes that compute beside the bad version and are no part of it.
OUTSIDERS = {"outside-interference": 2}
# What some kinds are recorded with. Occurrences of more-work last 3 ms, and only registers tell what is done in them.
OPTIONS = {"more-work": ["--registers", "-F", "4000"]}


def program_of(kind):
    return kind.replace("-", "_")


@dataclasses.dataclass
class Truth:
    """What a program printed of itself (planted.h)."""
    kind: str = ""
    version: str = ""
    file: str = ""
    places: list = dataclasses.field(default_factory=list)
    threads: list = dataclasses.field(default_factory=list)
    decoy: dict = None
    wall_s: float = 0.0
    planted_s: float = None

    @property
    def kinds(self):
        return SAME.get(self.kind, {self.kind})


def read_truth(output):
    truth = Truth()
    for line in output.splitlines():
        if not line.startswith("{"):
            continue
        for key, value in json.loads(line).items():
            if key == "truth":
                truth.kind, truth.version, truth.file = value["kind"], value["version"], value["file"]
            elif key == "place":
                truth.places.append(value)
            elif key == "thread":
                truth.threads.append(value)
            elif key == "decoy":
                truth.decoy = value
            elif key == "timing":
                truth.wall_s = value["wall_s"]
                truth.planted_s = value.get("planted_s")
    if not truth.kind or not truth.wall_s:
        raise ValueError(f"the program told nothing of itself: {output[:200]!r}")
    return truth


def in_front():
    """In the child, before exec: a session of its own, and before others where that is allowed."""
    os.setsid()
    if os.geteuid() == 0:
        try:
            with open("/proc/self/autogroup", "w") as group:
                group.write(str(PRIORITY))
        except OSError:
            pass  # a kernel without autogroups


def own_session():
    """What runs a program that way. preexec_fn is safe here: this process has one thread."""
    return {"preexec_fn": in_front}


class Others:
    """The share of the machine's processor time that others had while something ran here (with)."""

    def __enter__(self):
        self._begin = self._read()
        return self

    def __exit__(self, *_):
        wall, busy, own = (end - begin for begin, end in zip(self._begin, self._read()))
        self.share = max(0.0, busy - own) / (wall * os.cpu_count()) if wall > 0 else 0.0

    @property
    def were_there(self):
        return self.share >= SHARED

    @staticmethod
    def _read():
        with open("/proc/stat") as file:
            ticks = [int(word) for word in file.readline().split()[1:9]]  # user nice system idle iowait irq softirq steal
        busy = sum(ticks) - ticks[3] - ticks[4]
        own = [resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)]
        return time.monotonic(), busy / os.sysconf("SC_CLK_TCK"), sum(usage.ru_utime + usage.ru_stime for usage in own)


class Outsiders:
    """Processes that compute until the end of the with block."""

    def __init__(self, count):
        self._count = count

    def __enter__(self):
        self._running = [subprocess.Popen([sys.executable, "-c", "while True: pass"], **own_session())
                         for _ in range(self._count)]

    def __exit__(self, *_):
        for process in self._running:
            process.send_signal(signal.SIGKILL)
            process.wait()


def outsiders(kind, version):
    return Outsiders(OUTSIDERS.get(kind, 0) if version == "bad" else 0)


def run_plain(test, kind, version):
    """Runs one version without Kymo; returns its truth."""
    with outsiders(kind, version):
        return read_truth(test.must(test.program(program_of(kind)), version, **own_session()))


def real_effect(test, kind, runs=PLAIN_RUNS):
    """Medians of the wall times of the bad and of the fixed version, run in turns."""
    walls = {"bad": [], "fixed": []}
    for _ in range(runs):
        for version, values in walls.items():
            values.append(run_plain(test, kind, version).wall_s)
    return tuple(statistics.median(walls[version]) for version in ("bad", "fixed"))


@dataclasses.dataclass
class Recorded:
    truth: Truth
    report: dict
    others: float  # share of the machine that others had meanwhile


def run_recorded(test, program, version=None, kind=None, options=()):
    """Records one run and reads its report."""
    arguments = [version] if version else []
    with Others() as others, outsiders(kind, version):
        done, path = test.record(test.program(program), *arguments, out=f"{program}.{version}.kymo",
                                 options=[*OPTIONS.get(kind, []), *options],
                                 **own_session())
    if done.returncode != 0:
        raise RuntimeError(f"{program} {version} ended with {done.returncode} under kymo: {done.stderr.strip()[:300]}")
    report = test.report(path)
    if report is None:
        raise RuntimeError(f"no report of {program} {version}")
    shutil.rmtree(path, ignore_errors=True)
    return Recorded(read_truth(done.stdout), report, others.share)
