"""Programs at the edge of a limit of memory: what runs without Kymo runs with it, given the room that docs/monitor.md names.

Arguments: BUILD MODE as|data|locked. The least limit that a program runs with by itself is found by halving; with Kymo's share on
top (64 MiB, and 1 MiB a thread) it must run the same, and be measured.
"""

import resource

from harness import main

MIB = 1 << 20
SHARE = 64 * MIB
A_THREAD = MIB
STEP = 8 * MIB
LIMITS = {"as": resource.RLIMIT_AS, "data": resource.RLIMIT_DATA, "locked": resource.RLIMIT_MEMLOCK}
# Those of a guest program that also has its threads, and how many live at a time.
PROGRAMS = {"as": {"guest_many_threads": 210, "guest_dlopen_dlclose": 2},
            "data": {"guest_many_threads": 210},
            "locked": {"guest_locked_memory": 5}}


def limited(kind, most):
    return ["prlimit", f"--{kind if kind != 'locked' else 'memlock'}={most}:{most}"]


def around(test, kind, most):
    """Before a program: as the user that it runs as. An ordinary user may not lock more than the rest may: that limit comes before."""
    return [*limited(kind, most), *test.prefix] if kind == "locked" else [*test.prefix, *limited(kind, most)]


def runs(test, kind, program, most):
    done = test.run(program, prefix=around(test, kind, most), timeout=60)
    return done if done.returncode == 0 else None


def least(test, kind, program):
    low, high = 0, 2048 * MIB
    if runs(test, kind, program, high) is None:
        test.skip(f"{program} does not run with {high >> 20} MiB either")
    while high - low > STEP:
        middle = (low + high) // 2
        low, high = (low, middle) if runs(test, kind, program, middle) else (middle, high)
    return high


def body(test):
    kind = test.arguments[0]
    test.tool("prlimit", "util-linux")
    hard = resource.getrlimit(LIMITS[kind])[1]
    if hard != resource.RLIM_INFINITY and hard < 2 * SHARE:
        test.skip(f"the limit ({kind}) cannot be raised above {hard >> 20} MiB here")
    for name, threads in PROGRAMS[kind].items():
        program = test.program(name)
        bare = least(test, kind, program)
        most = bare + SHARE + threads * A_THREAD
        alone = runs(test, kind, program, most)
        if kind == "locked":
            done, path = test.record(program, out=f"{name}.kymo", prefix=around(test, kind, most))
        else:  # the program's limit alone, not Kymo's own process's
            done, path = test.record(*limited(kind, most), program, out=f"{name}.kymo")
        print(f"note: {name} needs {bare >> 20} MiB ({kind}) by itself")
        test.equal(f"{name}: status and output", (0, alone.stdout), (done.returncode, done.stdout))
        report = test.report(path)
        if report is not None:
            test.check(f"{name}: samples", "some", report["recording"]["samples"], report["recording"]["samples"] > 5)


main(body)
