"""Messages and bytes of every channel, counted by libkymo-mpi.so in unmodified programs under mpirun, are those that the programs' own
arithmetic says, exactly. Arguments: BUILD any MPIRUN.
"""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "truth"))
from expected import COLLECTIVE, ELSEWHERE, EVERYBODY, ONE_SIDED, RANKS, READ, RECEIVE, SEND, UNHEARD, WORLD, WRITE, Row, in_front, nothing_left, ring, totals, transpose, workers  # noqa: E402
from harness import main  # noqa: E402


def rows_of(test, name, *arguments, env=(), measured=True):
    """Rows by rank. Repeated where mpirun lost a rank's farewell."""
    for _ in range(3):
        done, rows = run_once(test, test.build / "tests" / "mpi" / name, arguments, env, measured)
        if done.returncode == 0 or UNHEARD not in done.stdout:
            break
        print(f"note: {name}: mpirun did not hear a rank's farewell; once more")
    test.equal(f"{name} ends well", (0, ""), (done.returncode, done.stdout[-2000:] if done.returncode else ""))
    return rows


def run_once(test, program, arguments, env, measured):
    folder = test.fresh()
    folder.chmod(0o777)
    preload = f"{test.build}/lib/libkymo-mpi.so" + (f" {program.parent}/libaccount.so" if measured else "")
    settings = {"LD_PRELOAD": preload, "KYMO_TEST_ACCOUNT": folder, **dict(env)}
    done = test.run(test.arguments[0], "--allow-run-as-root", "--oversubscribe", "-n", RANKS,
                    *(word for name in settings for word in ("-x", f"{name}={settings[name]}")), program, *arguments,
                    stderr=subprocess.STDOUT, timeout=300, preexec_fn=in_front)
    written = sorted(folder.glob("*-*"), key=lambda path: tuple(map(int, path.name.split("-"))))
    worlds = sorted({path.name.split("-")[0] for path in written}, key=int)
    rows = {rank: [] for rank in range(RANKS)}
    for path in written:
        world, rank = path.name.split("-")
        # A rank of a world that was spawned: (world, rank).
        key = int(rank) if world == worlds[0] else (worlds.index(world), int(rank))
        rows[key] = [Row(*map(int, line.split())) for line in path.read_text().splitlines()]
    return done, rows


def others(test, rows):
    for rank in range(RANKS):
        seen = totals(rows, rank)
        following, before = (rank + 1) % RANKS, (rank - 1) % RANKS
        window = {key[0] for key in seen if key[2] == ONE_SIDED}
        test.equal(f"others, rank {rank}: one window", 1, len(window))
        window = next(iter(window), None)
        test.equal(f"others, rank {rank}", {
            (WORLD, 0, COLLECTIVE): (1, 40),
            (WORLD, 1, COLLECTIVE): (1, 40 if rank == 1 else 0),
            (WORLD, 2, COLLECTIVE): (1, 4 * (rank + 1)),
            (WORLD, 3, COLLECTIVE): (1, 8 * RANKS if rank == 3 else 0),
            (WORLD, EVERYBODY, COLLECTIVE): (5, 12 + 40 + (0 + 2 + 2 + 6) + 0 + 8),
            (window, following, ONE_SIDED): (2, 28 + 8),
            (window, before, ONE_SIDED): (3, 12 + 20 + 4),
            (WORLD, rank, SEND): (1, 4),
            (WORLD, rank, RECEIVE): (1, 4),
            (WORLD, following, SEND): (100, 400),
            (WORLD, before, RECEIVE): (100, 400),
        }, seen)
        test.equal(f"others, rank {rank}: calls that ask, and those that found nothing", 1 + 5 + 1,
                   sum(row.calls for row in rows[rank] if (row.direction, row.peer) == (RECEIVE, rank)))
        sends = [row for row in rows[rank] if (row.direction, row.peer) == (SEND, following)]
        test.equal(f"others, rank {rank}: a row a thread, of one number", (2, 1, [50, 50]),
                   (len(sends), len({row.number for row in sends}), [row.messages for row in sends]))
    nothing_left(test, "others", rows)


def files(test, name, rows, world_file, own_file, messages):
    """`world_file`: what each rank reads from and writes to the file of all; `own_file` what it writes to its own."""
    ids = set()
    for rank in range(RANKS):
        seen = totals(rows, rank)
        of_files = {key: value for key, value in seen.items() if key[2] in (READ, WRITE)}
        ids |= {key[0] for key in of_files if key[2] == READ}
        common = next((key[0] for key in of_files if key[2] == READ), None)
        test.equal(f"{name}, rank {rank}: the common file", world_file, {key[2]: value for key, value in of_files.items() if key[0] == common})
        test.equal(f"{name}, rank {rank}: its own", [own_file] if own_file else [], [value for key, value in of_files.items() if key[0] != common])
        test.equal(f"{name}, rank {rank}: nobody in particular", {EVERYBODY}, {key[1] for key in of_files})
        test.equal(f"{name}, rank {rank}: messages", messages(rank), {key: value for key, value in seen.items() if key[2] in (SEND, RECEIVE)})
    test.equal(f"{name}: the file is known by the same id in all processes", 1, len(ids))
    nothing_left(test, name, rows)


def spawned(test, rows):
    test.equal("spawn: ranks of both worlds", {0, 1, 2, 3, (1, 0), (1, 1)}, set(rows))
    for rank in range(RANKS):
        seen = totals(rows, rank)
        by_way = {key[1:]: value for key, value in seen.items()}
        test.equal(f"spawn, rank {rank}", {(0, COLLECTIVE): (1, 0), (ELSEWHERE + rank % 2, SEND): (1, 12), (ELSEWHERE + 4 + rank % 2, RECEIVE): (1, 20)}, by_way)
        test.equal(f"spawn, rank {rank}: three communicators", 3, len({key[0] for key in seen}))
    for rank in range(2):
        seen = totals(rows, (1, rank)) if (1, rank) in rows else {}
        own = {key[0] for key in seen if key[1] < ELSEWHERE}
        test.equal(f"spawn, child {rank}: a world of its own", (1, True), (len(own), WORLD not in own))
        test.equal(f"spawn, child {rank}", {(ELSEWHERE + parent, way): (1, size) for parent in (rank, rank + 2) for way, size in ((RECEIVE, 12), (SEND, 20))}
                   | {(1 - rank, SEND): (1, 4), (1 - rank, RECEIVE): (1, 4)}, {key[1:]: value for key, value in seen.items()})


def order(test, rows):
    numbers = {}
    for rank, direction in ((0, SEND), (1, RECEIVE)):
        for (communicator, peer, way), (messages, amount) in totals(rows, rank).items():
            if way == direction and communicator != WORLD and messages == 1 and amount in (10, 1000):
                numbers.setdefault(amount, set()).add(communicator)
    test.equal("order: a communicator has one number in both processes, another has another", (1, 1, 2),
               (len(numbers.get(10, ())), len(numbers.get(1000, ())), len(set().union(*numbers.values()))))
    put_in = {}
    for rank in range(RANKS):
        between = {key: value for key, value in totals(rows, rank).items() if key[2] == COLLECTIVE and key[0] != WORLD}
        put_in[rank] = sum(amount for _, amount in between.values())
    # Reduced are 20 bytes and gathered 16 of each of the odd ranks, spread are 24 by rank 0.
    test.equal("order: what each puts into an intercommunicator", {0: 24, 1: 36, 2: 0, 3: 36}, put_in)
    errors = {rank: {(row.direction, row.peer): (row.errors, row.truncated, row.arguments) for row in rows[rank] if row.errors} for rank in range(RANKS)}
    test.equal("order: calls and requests that failed, by channel; for which reason",
               {0: {(SEND, EVERYBODY): (1, 0, 1)}, 1: {(RECEIVE, 0): (3, 3, 0)}, 2: {}, 3: {}}, errors)
    own = [row for row in rows[1] if row.errors]
    test.equal("order: of messages that were cut none is counted, of those beside them each", [(2, 10)], [(row.messages, row.bytes) for row in own])
    nothing_left(test, "order", rows)


def body(test):
    programs = test.build / "tests" / "mpi"
    start = lambda name, *arguments, **options: rows_of(test, name, *arguments, **options)
    for language in ("c", "fortran"):
        if not (programs / f"ring_{language}").exists():
            print(f"note: no Fortran compiler for MPI: {language} is left out")
            continue
        ring(test, f"ring, {language}", start(f"ring_{language}", 50, 1000), 50, 1000)
        ring(test, f"ring of long messages, {language}", start(f"ring_{language}", 10, 100_000), 10, 100_000)
        transpose(test, f"transpose, {language}", start(f"transpose_{language}", 16), 16)
        workers(test, f"workers, {language}", start(f"workers_{language}", 40), 40)
    others(test, start("others_c"))
    order(test, start("order_c"))
    folder = test.fresh()
    folder.chmod(0o777)
    neighbours = lambda rank: {(WORLD, (rank + 1) % RANKS, SEND): (1, 12), (WORLD, (rank - 1) % RANKS, RECEIVE): (1, 12)}
    files(test, "files, c", start("files_c", folder), {WRITE: (4, 40 + 20 + 12 + 16), READ: (4, 40 + 12 + 8 + 16)}, (2, 80), neighbours)
    if (programs / "files_fortran").exists():
        files(test, "files, fortran", start("files_fortran", folder), {WRITE: (3, 40 + 20 + 12), READ: (1, 40)}, None, lambda rank: {})
    spawned(test, start("spawn_c"))
    timed, counted = start("ring_c", 20, 10), start("ring_c", 20, 10, env={"KYMO_MPI": "count"}.items())
    test.equal("time is taken", True, all(any(row.blocked > 0 for row in timed[rank]) for rank in range(RANKS)))
    test.equal("and left out where only counts were asked for", [0], sorted({row.blocked for rank in range(RANKS) for row in counted[rank]}))
    ring(test, "ring, counted", counted, 20, 10)
    test.equal("nothing is counted where nobody measures", {rank: [] for rank in range(RANKS)}, start("ring_c", 20, 10, measured=False))
    test.equal("MPI that is loaded privately is called through", {rank: [] for rank in range(RANKS)}, start("private_host", programs / "libprivate_part.so"))
    alone = test.run("/bin/true", env={"LD_PRELOAD": f"{test.build}/lib/libkymo-mpi.so"}, stderr=subprocess.STDOUT)
    test.equal("a program without MPI does not notice", (0, ""), (alone.returncode, alone.stdout))


main(body)
