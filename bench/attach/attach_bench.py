#!/usr/bin/env python3
"""What attaching costs a program that runs, beside `perf record --call-graph dwarf -p`.

    python3 bench/attach/attach_bench.py BUILD [--rounds N] [--command ...]

The program (by default `xz` over the build's own `kymo`, two threads, and two threads that pass a byte through pipes) is started and stopped
at once, attached to, continued, and waited for: alone, by kymo, and by perf with the same rate and the same size of stacks, in turn. Printed:
medians of the program's processor time and wall time, their ratios to the program alone, and the bytes written.
"""

import argparse
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import tempfile
import time

PING = """
import os, threading
a, b = os.pipe(), os.pipe()
def back():
    for _ in range(%d):
        os.read(a[0], 1); os.write(b[1], b"x")
t = threading.Thread(target=back); t.start()
for _ in range(%d):
    os.write(a[1], b"x"); os.read(b[0], 1)
t.join()
"""


def size_of(path):
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) if path.is_dir() else path.stat().st_size if path.exists() else 0


def measure(how, command, kymo, folder):
    """Processor time and wall time in s, bytes."""
    out = folder / f"out-{how}"
    shutil.rmtree(out, ignore_errors=True) if out.is_dir() else out.unlink(missing_ok=True)
    pid = os.fork()
    if pid == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        os.kill(os.getpid(), signal.SIGSTOP)
        os.execvp(command[0], command)
    os.waitpid(pid, os.WUNTRACED)
    recorder = None
    if how == "kymo":
        recorder = subprocess.Popen([kymo, "record", "--pid", str(pid), "-o", out], stderr=subprocess.PIPE, text=True)
        recorder.stderr.readline()
    elif how == "perf":
        recorder = subprocess.Popen(["perf", "record", "-q", "-e", "task-clock", "-F", "1000", "--call-graph", "dwarf,8192", "-p", str(pid), "-o", out],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
    begin = time.monotonic()
    os.kill(pid, signal.SIGCONT)
    _, _, used = os.wait4(pid, 0)
    wall = time.monotonic() - begin
    if recorder is not None:
        recorder.communicate()
    return used.ru_utime + used.ru_stime, wall, size_of(out)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build", type=pathlib.Path)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--command", nargs=argparse.REMAINDER, help="another program")
    asked = options.parse_args()
    kymo = asked.build.resolve() / "bin" / "kymo"
    commands = {"xz -T2": ["xz", "-T2", "-k", "-c", str(kymo)], "ping-pong, 60,000 round trips": ["python3", "-c", PING % (60000, 60000)]}
    if asked.command:
        commands = {" ".join(asked.command): asked.command}
    with tempfile.TemporaryDirectory(prefix="attach-bench-") as folder:
        for name, command in commands.items():
            runs = {how: [] for how in ("alone", "kymo", "perf")}
            for _ in range(asked.rounds):
                for how, done in runs.items():
                    done.append(measure(how, command, kymo, pathlib.Path(folder)))
            alone = [statistics.median(column) for column in zip(*runs["alone"])]
            for how, done in runs.items():
                cpu, wall, size = (statistics.median(column) for column in zip(*done))
                print(f"{name}: {how}: {cpu:.2f} s of processor time (x {cpu / alone[0]:.2f}), {wall:.2f} s (x {wall / alone[1]:.2f}), {size / 1e6:.2f} MB")


main()
