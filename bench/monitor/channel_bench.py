"""channel_bench.py BUILD [ROUNDS [OTHER-KYMO]]: what calls cost that read and write, recorded and not.

The program is run bare, under `kymo record`, and under another build's `kymo` where one is named, one after the other and over again; printed
are medians in nanoseconds a call, and what each costs beyond the one before it. For reading only: nothing here passes or fails.
"""

import pathlib
import statistics
import subprocess
import sys
import tempfile


def run(command):
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()[:300]}")
    return {name: float(ns) for name, ns in (line.rsplit(" ", 1) for line in done.stdout.splitlines())}


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    program = build / "bench" / "channel_calls"
    ways = {"bare": None}
    if len(sys.argv) > 3:
        ways["other build"] = pathlib.Path(sys.argv[3])
    ways["recorded"] = build / "bin" / "kymo"
    figures = {way: {} for way in ways}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(rounds):
            for way, kymo in ways.items():
                path = pathlib.Path(folder) / f"{way}-{turn}.kymo"
                command = [program] if kymo is None else [kymo, "record", "-q", "-o", path, "--", program]
                for name, ns in run(command).items():
                    figures[way].setdefault(name, []).append(ns)
    print(f"medians of {rounds} rounds, ns a call: " + ", ".join(ways))
    for name in figures["bare"]:
        medians = [statistics.median(figures[way][name]) for way in ways]
        more = [f"{after - before:+.1f}" for before, after in zip(medians, medians[1:])]
        print(f"{name:32}" + "".join(f"{ns:9.1f}" for ns in medians) + f"   {' '.join(more)}")


main()
