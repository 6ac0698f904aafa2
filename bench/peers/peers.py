"""peers.py BUILD [ROUNDS]: what recording costs, beside the peer, on whole programs.

The same program runs plain, under `kymo record` and under `perf record --call-graph dwarf`, both at 1000 samples a second, one
after the other and over again (A B C A B C ...), so that whatever else the machine does falls on all alike. Printed are the medians, their
ratios to the plain run, and the bytes of the recordings. For reading only: nothing here passes or fails.
"""

import os
import pathlib
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

RATE = 1000


def timed(command, folder):
    """(wall seconds, processor seconds of the command and all it waited for)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wall = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        print(f"  {command[0]} ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()[:300]}")
        return None
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def size_of(path):
    """Bytes really taken: a recording may be a folder, and its files may be sparse."""
    files = [path] if path.is_file() else [f for f in path.rglob("*") if f.is_file()]
    return sum(f.stat().st_size for f in files), sum(f.stat().st_blocks * 512 for f in files)


def remove(path):
    if path.is_dir():
        shutil.rmtree(path)
    elif path.exists():
        path.unlink()


def text_file(path):
    random.seed(1)
    words = ["".join(random.choices("etaoinshrdlu", k=random.randint(2, 9))) for _ in range(4000)]
    block = " ".join(random.choices(words, k=300_000)).encode()
    with open(path, "wb") as out:
        while out.tell() < 64_000_000:
            out.write(block[random.randint(0, 100_000):][:1_000_000])


def compare(name, program, build, folder, rounds):
    kymo_out, perf_out = folder / "out.kymo", folder / "perf.data"
    ways = {"plain": program, f"kymo record -e task-clock:freq={RATE}":
            [build / "bin/kymo", "record", "-e", f"task-clock:freq={RATE}", "-o", kymo_out, "--", *program]}
    perf = shutil.which("perf")
    if perf:
        ways[f"perf record --call-graph dwarf -F {RATE}"] = [perf, "record", "-q", "--call-graph", "dwarf", "-F", str(RATE), "-o", perf_out, "--", *program]
    else:
        print("perf is not installed (apt-get install linux-perf): no peer")
    figures = {way: [] for way in ways}
    sizes = {way: [] for way in ways}
    for way, command in ways.items():  # once unmeasured: files in memory
        timed(command, folder)
        remove(kymo_out), remove(perf_out)
    for _ in range(rounds):
        for way, command in ways.items():
            figure = timed(command, folder)
            if figure:
                figures[way].append(figure)
                for out in (kymo_out, perf_out):
                    if out.exists():
                        sizes[way].append(size_of(out))
            remove(kymo_out), remove(perf_out)
    print(f"\n{name}: {' '.join(map(str, program))}, {rounds} rounds, interleaved")
    print(f"  {'':48} {'wall s':>8} {'ratio':>7} {'processor s':>12} {'ratio':>7} {'bytes':>12}")
    base = None
    bytes_of = {}
    for way in ways:
        if not figures[way]:
            print(f"  {way:48} failed")
            continue
        wall, processor = (statistics.median(f[i] for f in figures[way]) for i in (0, 1))
        base = base or (wall, processor)
        written = statistics.median(s[0] for s in sizes[way]) if sizes[way] else None
        if written:
            bytes_of[way.split()[0]] = written
        print(f"  {way:48} {wall:8.2f} {wall / base[0]:7.3f} {processor:12.2f} {processor / base[1]:7.3f} {written if written else '':>12}")
    if len(bytes_of) == 2:
        print(f"  recording: perf's is {bytes_of['perf'] / bytes_of['kymo']:.0f} times kymo's")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    folder = pathlib.Path(tempfile.mkdtemp(prefix="kymo-bench-", dir=os.environ.get("TMPDIR", "/tmp")))
    try:
        compare("demo", [build / "bin/kymo-demo"], build, folder, rounds)
        if shutil.which("xz"):
            text_file(folder / "text")
            compare("xz", ["xz", "-T2", "-2", "-k", "-f", "text"], build, folder, rounds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


main()
