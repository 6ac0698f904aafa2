"""Messages and bytes of every channel, counted by libkymo-mpi.so in unmodified programs under mpirun, are those that the programs' own
arithmetic says, exactly. Arguments: BUILD PROGRAMS MPIRUN; PROGRAMS: the folder of the test programs, what cannot be built here is not there.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

from expected import COLLECTIVE, EVERYBODY, ONE_SIDED, RANKS, RECEIVE, SEND, UNHEARD, WORLD, Row, check, end, in_front, nothing_left, ring, totals, transpose, workers


def run(build, mpirun, program, *arguments, env=(), measured=True):
    """Rows by rank. Repeated where mpirun lost a rank's farewell."""
    for _ in range(3):
        done, rows = run_once(build, mpirun, program, arguments, env, measured)
        if done.returncode == 0 or UNHEARD not in done.stdout:
            break
        print(f"note: {program.name}: mpirun did not hear a rank's farewell; once more")
    check(f"{program.name} ends well", (0, ""), (done.returncode, done.stdout[-2000:] if done.returncode else ""))
    return rows


def run_once(build, mpirun, program, arguments, env, measured):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        preload = f"{build}/lib/libkymo-mpi.so" + (f" {program.parent}/libaccount.so" if measured else "")
        settings = {"LD_PRELOAD": preload, "KYMO_TEST_ACCOUNT": folder, **dict(env)}
        done = subprocess.run([mpirun, "--allow-run-as-root", "--oversubscribe", "-n", str(RANKS),
                               *(word for name in settings for word in ("-x", f"{name}={settings[name]}")), program, *map(str, arguments)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=300, preexec_fn=in_front)
        rows = {}
        for rank in range(RANKS):
            path = pathlib.Path(folder) / str(rank)
            rows[rank] = [Row(*map(int, line.split())) for line in path.read_text().splitlines()] if path.exists() else []
        return done, rows


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
    end()


main()
