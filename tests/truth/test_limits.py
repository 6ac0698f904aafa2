"""Programs at the edge of a limit of memory: what runs without Kymo runs with it, given the room that docs/monitor.md names.

Arguments: BUILD MODE as|data|locked. The least limit that a program runs with by itself is found by halving; with Kymo's share on
top (64 MiB, and 1 MiB a thread) it must run the same, and be measured.
"""

import os
import pathlib
import resource
import subprocess

from harness import main

MIB = 1 << 20
SHARE = 64 * MIB
A_THREAD = MIB
STEP = 2 * MIB
LIMITS = {"as": resource.RLIMIT_AS, "data": resource.RLIMIT_DATA, "locked": resource.RLIMIT_MEMLOCK}
# Those of a guest program that also has its threads, and how many live at a time.
PROGRAMS = {"as": {"guest_many_threads": 210, "guest_small_stacks": 2, "guest_dlopen_dlclose": 2, "guest_detached_threads": 40},
            "data": {"guest_many_threads": 210, "guest_dlopen_dlclose": 2},
            "locked": {"guest_locked_memory": 5}}


def limited(kind, most):
    """For the program alone: a shell would set the limit for Kymo's own process too."""
    return ["prlimit", f"--{kind if kind != 'locked' else 'memlock'}={most}:{most}"]


def runs(test, kind, program, most):
    done = subprocess.run([*test.prefix, *limited(kind, most), str(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, text=True, errors="replace", timeout=60, cwd=test.work)
    return done if done.returncode == 0 else None


def least(test, kind, program):
    low, high = 0, 4096 * MIB
    if runs(test, kind, program, high) is None:
        test.skip(f"{program} does not run with {high >> 20} MiB either")
    while high - low > STEP:
        middle = (low + high) // 2
        low, high = (low, middle) if runs(test, kind, program, middle) else (middle, high)
    return high


def body(test):
    kind = test.arguments[0]
    test.tool("prlimit", "util-linux")
    for name, threads in PROGRAMS[kind].items():
        program = test.program(name)
        bare = least(test, kind, program)
        most = bare + SHARE + threads * A_THREAD
        alone = runs(test, kind, program, most)
        done, path = test.record(*limited(kind, most), program, out=f"{name}.kymo")
        print(f"note: {name} needs {bare >> 20} MiB ({kind}) by itself")
        test.equal(f"{name}: status and output", (0, alone.stdout), (done.returncode, done.stdout))
        report = test.report(path)
        if report is not None:
            test.check(f"{name}: samples", "some", report["recording"]["samples"], report["recording"]["samples"] > 5)


main(body)
