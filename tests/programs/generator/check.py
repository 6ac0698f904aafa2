#!/usr/bin/env python3
"""Checks the generator: every kind in every topology, for some seeds below 1000.

    check.py [--kinds K,…] [--topologies T,…] [--seeds A..B] [--run] [--times N] [--syntax] [--work DIR] [--variants] [--drawn]

Generates each program twice (the bytes must be the same), compiles both versions with warnings as errors, and with --run compares
what they print. --times N runs each N times and prints the ratio of the medians; --variants takes each variant, too."""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from generator import compose, defect  # noqa: E402
from generator.build import build, run_once, write  # noqa: E402


def cases(arguments):
    kinds = arguments.kinds.split(",") if arguments.kinds else [*defect.kinds(), "sound"]
    first, _, last = arguments.seeds.partition("..")
    for kind in kinds:
        if arguments.drawn:
            for seed in range(int(first), int(last or first) + 1):
                yield kind, None, None, seed
            continue
        for name in compose.topologies(kind):
            if arguments.topologies and name not in arguments.topologies.split(","):
                continue
            variants = [None]
            if arguments.variants and kind != "sound":
                variants = compose.variants(kind, name)
            for variant in variants:
                for seed in range(int(first), int(last or first) + 1):
                    yield kind, name, variant, seed


def check(kind, name, variant, seed, arguments, folder):
    one, two = (compose.generate(kind, seed, name, variant) for _ in range(2))
    if (one.bad, one.fixed, one.truth) != (two.bad, two.fixed, two.truth):
        return "differs from one time to the next"
    if kind != "sound" and one.bad == one.fixed:
        return "both versions are the same"
    write(one, folder)
    failed = build(folder, one.truth, ["-Wall", "-Werror", *(["-fsyntax-only", "-O0"] if arguments.syntax else [])])
    if failed:
        return failed
    if not arguments.run:
        return ""
    walls, seen = {"bad": [], "fixed": []}, set()
    for _ in range(arguments.times):
        for version in walls:
            begin = time.monotonic()
            done = run_once(folder, one.truth, version)
            walls[version].append(time.monotonic() - begin)
            if done.returncode:
                return f"{version} ended with {done.returncode}: {done.stderr[-200:]}"
            seen.add(done.stdout)
    bad, fixed = (statistics.median(walls[version]) for version in walls)
    if len(seen) != 1:
        return f"results differ: {sorted(seen)}"
    print(f"ok   {kind:28} {one.truth['topology']:11} {one.truth['variant']:18} {seed:4} {bad:6.2f} {fixed:6.2f} {bad / fixed:5.2f}  drawn {one.truth['strength']:.2f}", flush=True)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds")
    parser.add_argument("--topologies")
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--syntax", action="store_true", help="only parse what was generated (fast)")
    parser.add_argument("--variants", action="store_true")
    parser.add_argument("--drawn", action="store_true", help="the topology that the seed draws, not all")
    parser.add_argument("--work")
    arguments = parser.parse_args()
    work = arguments.work or tempfile.mkdtemp(prefix="generator_check_")
    failures = count = 0
    for kind, name, variant, seed in cases(arguments):
        count += 1
        folder = os.path.join(work, "program")
        try:
            problem = check(kind, name, variant, seed, arguments, folder)
        except (ValueError, KeyError, subprocess.TimeoutExpired) as error:
            problem = f"{type(error).__name__}: {error}"
        if problem:
            failures += 1
            print(f"FAIL {kind} {name} {variant or ''} seed {seed}: {problem}", flush=True)
    print(f"{count} programs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
