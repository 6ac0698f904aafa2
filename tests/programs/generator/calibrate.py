#!/usr/bin/env python3
"""Measures what a unit of each kernel and of each local defect costs here on one thread: calibrate.py [KIND…|kernels]

Prints nanoseconds a unit, wall time, bad and fixed, beside those in the table."""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from generator import code, compose, defect, kernels, plan as plans  # noqa: E402, F401


def measure(p, callee, units, repeat, version, work, setup="", flags=(), lane=False):
    text = setup + f"\nfor (uint64_t i = 1; i <= {repeat}u; ++i) total += {callee}(i * 0x9e3779b97f4a7c15u ^ (i << 20){', 0' if lane else ''});"
    count = len(p._parts)
    plans.add_main(p, text)
    path = os.path.join(work, f"{version}.cpp")
    pathlib.Path(path).write_text(p.render(version))
    del p._parts[count:]
    subprocess.run(["g++", "-std=c++20", "-O2", "-g", "-pthread", "-w", *flags, *p.flags, path, "-o", path + ".exe", *p.libraries], check=True)
    begin = time.monotonic()
    subprocess.run([path + ".exe"], check=True, stdout=subprocess.DEVNULL, cwd=work)
    return (time.monotonic() - begin) * 1e9 / (units * repeat)


def main():
    wanted = sys.argv[1:]
    work = tempfile.mkdtemp(prefix="calibrate_")
    if not wanted or "kernels" in wanted:
        for kernel, cost, *_ in kernels.ALL:
            p = code.Program(code.source(kernel.__name__, 1), "cpp", "threads")
            n, body = kernel(p, 20000)
            callee, _ = p.define("uint64_t key", body, dress="noinline")
            print(f"{kernel.__name__:20} {measure(p, callee, n, max(1, int(3e8 / n / cost)), 'bad', work):8.2f}   table {cost}", flush=True)
    for kind, variants in defect.LOCAL.items():
        if wanted and kind not in wanted:
            continue
        for variant in variants:
            rng = code.source(variant.name, 1)
            p = code.Program(rng, "cpp", "threads")
            plan = plans.Plan(items=4096)
            n = p.number(*variant.units)
            piece = variant.make(p, n, plan)
            repeat = max(1, int(4e8 / n / max(variant.cost)))
            try:
                both = [measure(p, piece.callee, n, repeat, v, work, plan.setup, variant.flags, piece.lane) for v in ("bad", "fixed")]
            except subprocess.CalledProcessError as error:
                print(kind, variant.name, error)
                continue
            print(f"{kind:28} {variant.name:20} {both[0]:9.2f} {both[1]:9.2f}   table {variant.cost}  n {n} x {repeat}", flush=True)


main()
