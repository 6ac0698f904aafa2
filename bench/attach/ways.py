#!/usr/bin/env python3
"""How far off the times of one program are, by the way they were measured.

    sudo python3 bench/attach/ways.py BUILD [--rounds N]

Six programs that keep their own account (tests/truth/programs) are measured under the monitor, from outside, attached to while they run,
linked statically, and from files of perf with frame pointers and with copied stacks; each as root and as an ordinary user. Printed: of each
program the largest difference between a share by its own account and by the recording, in percentage points; of N rounds the median. A dash:
the way has no such figure there. Needs perf for the last two ways; without root the ordinary user's alone.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

NOBODY = 65534
PROGRAMS = ("split", "half_system", "system_turns", "paths", "brief_threads", "waiting")
WAYS = ("monitor", "outside", "attached", "static", "perf -g", "perf dwarf")


class Machine:
    def __init__(self, build, user):
        self.kymo = build / "bin" / "kymo"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ways-"))
        self.folder.chmod(0o755)
        self.work = self.folder / "work"
        self.work.mkdir()
        self.prefix = []
        if user and os.geteuid() == 0:
            os.chown(self.work, NOBODY, NOBODY)
            self.prefix = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]

    def run(self, *command, check=True):
        done = subprocess.run([*self.prefix, *map(str, command)], cwd=self.work, capture_output=True, text=True, env={**os.environ, "HOME": str(self.work)})
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr[-300:]}")
        return done

    def attached(self, program, recording):
        """Its account: the program waits until it is attached to."""
        running = subprocess.Popen([*self.prefix, "sh", "-c", f"kill -STOP $$; exec {program}"], cwd=self.work, stdout=subprocess.PIPE, text=True)
        while f"\nState:\tT" not in pathlib.Path(f"/proc/{running.pid}/status").read_text():
            time.sleep(0.01)
        recorder = subprocess.Popen([*self.prefix, self.kymo, "record", "--pid", str(running.pid), "-o", recording], cwd=self.work, stderr=subprocess.PIPE, text=True)
        if "recording" not in recorder.stderr.readline():
            os.kill(running.pid, signal.SIGKILL)
            raise RuntimeError("not permitted")
        os.kill(running.pid, signal.SIGCONT)
        out, _ = running.communicate()
        recorder.communicate()
        return out

    def measure(self, way, name):
        """The program's account and the recording's path."""
        recording = self.work / "out.kymo"
        for old in (recording, self.work / "perf.data"):
            shutil.rmtree(old, ignore_errors=True) if old.is_dir() else old.unlink(missing_ok=True)
        program = self.folder / name
        if way == "monitor":
            out = self.run(self.kymo, "record", "-q", "-o", recording, "--", program).stdout
        elif way == "outside":
            out = self.run(self.kymo, "record", "-q", "--from-outside", "-o", recording, "--", program).stdout
        elif way == "static":
            out = self.run(self.kymo, "record", "-q", "-o", recording, "--", self.folder / f"{name}-static").stdout
        elif way == "attached":
            out = self.attached(program, recording)
        else:
            how = ["-g"] if way == "perf -g" else ["--call-graph", "dwarf,8192"]
            data = self.work / "perf.data"
            out = self.run("perf", "record", "-q", "-e", "task-clock", "-F", "1000", "--switch-events", *how, "-o", data, "--", program).stdout
            self.run(self.kymo, "import", "-q", data, "-o", recording)
        return json.loads(out.strip().splitlines()[-1]), recording

    def shares(self, recording, functions):
        """By function: of the time on processors below one of them, the share below it. Of several on a path the last one counts."""
        sums = collections.Counter()
        for line in self.run(self.kymo, "export", recording, "--to", "folded").stdout.splitlines():
            frames, value = line.rsplit(" ", 1)
            known = [name for frame in frames.split(";") for name in functions if re.search(rf"\b{name}\b", frame)]
            if known:
                sums[known[-1]] += float(value)
        all_of_them = sum(sums.values())
        return {name: sums[name] / all_of_them for name in functions} if all_of_them else None


def truth_and_seen(machine, name, truth, recording):
    """Shares by the program's own account, and by the recording."""
    if name in ("half_system", "waiting"):
        report = json.loads(machine.run(machine.kymo, "report", recording, "--json=full").stdout)
    if name == "half_system":
        run = report["recording"]
        on = run["user_s"] + run["system_s"]
        return {"system": truth["system"] / (truth["system"] + truth["user"])}, {"system": run["system_s"] / on} if on else None
    if name == "waiting":
        busy = [thread for thread in report["threads"] if thread["name"] == "busy"]
        known = {"on": truth["on"] / (truth["on"] + truth["off"])}
        return known, {"on": busy[0]["on_cpu_s"] / (busy[0]["on_cpu_s"] + busy[0]["off_cpu_s"])} if busy else None
    functions = {"paths": {"alpha": "alpha", "gamma": "gamma_path", "workers": "worker"}}.get(name, {key: key for key in truth})
    seen = machine.shares(recording, list(functions.values()))
    whole = sum(truth.values())
    return {key: value / whole for key, value in truth.items()}, seen and {key: seen[function] for key, function in functions.items()}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build", type=pathlib.Path)
    options.add_argument("--rounds", type=int, default=1)
    asked = options.parse_args()
    sources = pathlib.Path(__file__).resolve().parents[2] / "tests" / "truth" / "programs"
    table = collections.defaultdict(list)
    whys = {}
    for user in ((False, True) if os.geteuid() == 0 else (True,)):
        machine = Machine(asked.build.resolve(), user)
        try:
            for name in PROGRAMS:
                for ending, more in (("", []), ("-static", ["-static"])):
                    subprocess.run(["g++", "-std=c++20", "-O2", "-g", "-fno-omit-frame-pointer", *more, "-o", machine.folder / f"{name}{ending}",
                                    sources / f"{name}.cpp", "-pthread"], check=True)
            for _ in range(asked.rounds):
                for name in PROGRAMS:
                    for way in WAYS:
                        try:
                            truth, recording = machine.measure(way, name)
                            known, seen = truth_and_seen(machine, name, truth, recording)
                            if seen:
                                table[name, way, user].append(max(abs(known[key] - seen[key]) for key in known) * 100)
                        except (RuntimeError, FileNotFoundError, KeyError) as why:
                            whys[way, user] = str(why)
        finally:
            shutil.rmtree(machine.folder, ignore_errors=True)
    print("| program | " + " | ".join(f"{way}, {'user' if user else 'root'}" for way in WAYS for user in (False, True)) + " |")
    print("|---" * (1 + 2 * len(WAYS)) + "|")
    for name in PROGRAMS:
        cells = [f"{statistics.median(table[name, way, user]):.1f}" if table[name, way, user] else "–" for way in WAYS for user in (False, True)]
        print(f"| `{name}` | " + " | ".join(cells) + " |")
    for (way, user), why in whys.items():
        print(f"{way}, {'user' if user else 'root'}: {why}", file=sys.stderr)


main()
