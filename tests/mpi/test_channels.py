"""Messages and bytes of every channel, counted by libkymo-mpi.so in unmodified programs under mpirun, are those that the programs' own
arithmetic says, exactly. Arguments: BUILD PROGRAMS MPIRUN; PROGRAMS: the folder of the test programs, what cannot be built here is not there.
"""

import collections
import os
import pathlib
import subprocess
import sys
import tempfile

RANKS = 4
SEND, RECEIVE, COLLECTIVE, ONE_SIDED = range(4)
EVERYBODY = -1
WORLD = 0
Row = collections.namedtuple("Row", "communicator peer direction number messages bytes blocked outstanding largest most calls")
failures = 0


def check(what, expected, seen):
    global failures
    if expected != seen:
        failures += 1
        print(f"FAILED: {what}\n  expected {expected}\n  seen     {seen}")
    else:
        print(f"ok: {what}")


def run(build, mpirun, program, *arguments, env=(), measured=True):
    """Rows by rank."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        preload = f"{build}/lib/libkymo-mpi.so" + (f" {program.parent}/libaccount.so" if measured else "")
        settings = {"LD_PRELOAD": preload, "KYMO_TEST_ACCOUNT": folder, **dict(env)}
        done = subprocess.run([mpirun, "--allow-run-as-root", "--oversubscribe", "-n", str(RANKS),
                               *(word for name in settings for word in ("-x", f"{name}={settings[name]}")), program, *map(str, arguments)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=300)
        check(f"{program.name} ends well", (0, ""), (done.returncode, done.stdout[-2000:] if done.returncode else ""))
        rows = {}
        for rank in range(RANKS):
            path = pathlib.Path(folder) / str(rank)
            rows[rank] = [Row(*map(int, line.split())) for line in path.read_text().splitlines()] if path.exists() else []
        return rows


def totals(rows, rank):
    """(communicator, peer, direction) → (messages, bytes), over the rank's threads; what only waited is left out."""
    sums = collections.defaultdict(lambda: [0, 0])
    for row in rows[rank]:
        sums[row.communicator, row.peer, row.direction][0] += row.messages
        sums[row.communicator, row.peer, row.direction][1] += row.bytes
    return {key: tuple(value) for key, value in sums.items() if value[0]}


def nothing_left(name, rows):
    open_at_end = collections.Counter()
    for rank in range(RANKS):
        for row in rows[rank]:
            open_at_end[rank, row.communicator, row.peer, row.direction] += row.outstanding
    check(f"{name}: nothing is outstanding at the end", {}, {key: value for key, value in open_at_end.items() if value})


def ring(name, rows, rounds, count):
    for rank in range(RANKS):
        size = 4 * count * rounds
        check(f"{name}, rank {rank}", {(WORLD, (rank + 1) % RANKS, SEND): (rounds, size), (WORLD, (rank - 1) % RANKS, RECEIVE): (rounds, size)},
              totals(rows, rank))
    check(f"{name}: largest message", {4 * count}, {row.largest for rank in range(RANKS) for row in rows[rank] if row.messages})
    nothing_left(name, rows)


def transpose(name, rows, block):
    halves, copies = {}, set()
    for rank in range(RANKS):
        seen = totals(rows, rank)
        other = (rank + 2) % RANKS
        check(f"{name}, rank {rank}: world", {(WORLD, EVERYBODY, COLLECTIVE): (2, 2 * 8 * block * block * RANKS)},
              {key: value for key, value in seen.items() if key[0] == WORLD})
        by_half = {key: value for key, value in seen.items() if key[0] != WORLD and key[1] == other}
        half = {key[0] for key in by_half}
        check(f"{name}, rank {rank}: one communicator of its parity", 1, len(half))
        half = next(iter(half), None)
        check(f"{name}, rank {rank}: columns", {(half, other, way): (block, 8 * block * block) for way in (SEND, RECEIVE)}, by_half)
        halves.setdefault(rank % 2, set()).add(half)
        rest = {key: value for key, value in seen.items() if key[0] not in (WORLD, half)}
        copy = {key[0] for key in rest}
        copies |= copy
        copy = next(iter(copy), None)
        check(f"{name}, rank {rank}: the copy of the world", {(copy, (rank + 1) % RANKS, SEND): (1, 24), (copy, (rank - 1) % RANKS, RECEIVE): (1, 24)}, rest)
    check(f"{name}: communicators are known by the same id in all their processes", (1, 1, 1, 3),
          (len(halves[0]), len(halves[1]), len(copies), len(halves[0] | halves[1] | copies)))
    nothing_left(name, rows)


def workers(name, rows, tasks):
    dealt = {worker: [task for task in range(tasks) if task % (RANKS - 1) == worker - 1] for worker in range(1, RANKS)}
    master = {}
    for worker, own in dealt.items():
        there, back = (len(own), sum(own)), (len(own), sum(task // 2 for task in own))
        master |= {(WORLD, worker, SEND): there, (WORLD, worker, RECEIVE): back}
        check(f"{name}, worker {worker}", {(WORLD, 0, RECEIVE): there, (WORLD, 0, SEND): back}, totals(rows, worker))
    check(f"{name}, master", master, totals(rows, 0))
    nothing_left(name, rows)


def others(rows):
    for rank in range(RANKS):
        seen = totals(rows, rank)
        following, before = (rank + 1) % RANKS, (rank - 1) % RANKS
        window = {key[0] for key in seen if key[2] == ONE_SIDED}
        check(f"others, rank {rank}: one window", 1, len(window))
        window = next(iter(window), None)
        check(f"others, rank {rank}", {
            (WORLD, 0, COLLECTIVE): (1, 40),
            (WORLD, 1, COLLECTIVE): (1, 40 if rank == 1 else 0),
            (WORLD, 2, COLLECTIVE): (1, 4 * (rank + 1)),
            (WORLD, 3, COLLECTIVE): (1, 8 * RANKS if rank == 3 else 0),
            (WORLD, EVERYBODY, COLLECTIVE): (4, 12 + 40 + 0 + 8),
            (window, following, ONE_SIDED): (2, 28 + 8),
            (window, before, ONE_SIDED): (3, 12 + 20 + 4),
            (WORLD, following, SEND): (100, 400),
            (WORLD, before, RECEIVE): (100, 400),
        }, seen)
        sends = [row for row in rows[rank] if (row.direction, row.peer) == (SEND, following)]
        check(f"others, rank {rank}: a row a thread, of one number", (2, 1, [50, 50]),
              (len(sends), len({row.number for row in sends}), [row.messages for row in sends]))
    nothing_left("others", rows)


def main():
    build, programs, mpirun = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    start = lambda name, *arguments, **options: run(build, mpirun, programs / name, *arguments, **options)
    for language in ("c", "fortran"):
        if not (programs / f"ring_{language}").exists():
            print(f"note: no Fortran compiler for MPI: {language} is left out")
            continue
        ring(f"ring, {language}", start(f"ring_{language}", 50, 1000), 50, 1000)
        ring(f"ring of long messages, {language}", start(f"ring_{language}", 10, 100_000), 10, 100_000)
        transpose(f"transpose, {language}", start(f"transpose_{language}", 16), 16)
        workers(f"workers, {language}", start(f"workers_{language}", 40), 40)
    others(start("others_c"))
    timed, counted = start("ring_c", 20, 10), start("ring_c", 20, 10, env={"KYMO_MPI": "count"}.items())
    check("time is taken", True, all(any(row.blocked > 0 for row in timed[rank]) for rank in range(RANKS)))
    check("and left out where only counts were asked for", [0], sorted({row.blocked for rank in range(RANKS) for row in counted[rank]}))
    ring("ring, counted", counted, 20, 10)
    check("nothing is counted where nobody measures", {rank: [] for rank in range(RANKS)}, start("ring_c", 20, 10, measured=False))
    check("MPI that is loaded privately is called through", {rank: [] for rank in range(RANKS)}, start("private_host", programs / "libprivate_part.so"))
    alone = subprocess.run(["/bin/true"], env={"LD_PRELOAD": f"{build}/lib/libkymo-mpi.so"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    check("a program without MPI does not notice", (0, ""), (alone.returncode, alone.stdout))
    sys.exit(1 if failures else 0)


main()
