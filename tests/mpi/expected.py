"""What the programs' own arithmetic says of their messages: the expectations that tests of channels share.

`rows`: by rank, a list of Row; a channel may have several (one a thread).
"""

import collections
import os

RANKS = 4
SEND, RECEIVE, COLLECTIVE, ONE_SIDED, READ, WRITE = range(6)
ELSEWHERE = 2**32  # and the rank in the communicator: of a peer in another world
EVERYBODY = -1
WORLD = 0
Row = collections.namedtuple("Row", "communicator peer direction number messages bytes blocked outstanding largest most calls errors truncated arguments", defaults=(0, 0, 0))

# What mpirun says of a rank whose farewell it did not hear: PMIx_Finalize waits two seconds for the answer and then leaves without, which
# happens to any job on a machine that is much too busy.
UNHEARD = "exiting improperly"


def in_front():
    """In the child, before exec: before others, where that is allowed. Ranks that take turns on a busy machine take minutes otherwise."""
    if os.geteuid() == 0:
        os.setpriority(os.PRIO_PROCESS, 0, -10)


def totals(rows, rank):
    """(communicator, peer, direction) → (messages, bytes), over the rank's threads; what only waited is left out."""
    sums = collections.defaultdict(lambda: [0, 0])
    for row in rows[rank]:
        sums[row.communicator, row.peer, row.direction][0] += row.messages
        sums[row.communicator, row.peer, row.direction][1] += row.bytes
    return {key: tuple(value) for key, value in sums.items() if value[0]}


def nothing_left(test, name, rows):
    open_at_end = collections.Counter()
    for rank in range(RANKS):
        for row in rows[rank]:
            open_at_end[rank, row.communicator, row.peer, row.direction] += row.outstanding
    test.equal(f"{name}: nothing is outstanding at the end", {}, {key: value for key, value in open_at_end.items() if value})


def ring(test, name, rows, rounds, count):
    for rank in range(RANKS):
        size = 4 * count * rounds
        test.equal(f"{name}, rank {rank}", {(WORLD, (rank + 1) % RANKS, SEND): (rounds, size), (WORLD, (rank - 1) % RANKS, RECEIVE): (rounds, size)},
                   totals(rows, rank))
    test.equal(f"{name}: largest message", {4 * count}, {row.largest for rank in range(RANKS) for row in rows[rank] if row.messages})
    nothing_left(test, name, rows)


def transpose(test, name, rows, block):
    halves, copies = {}, set()
    for rank in range(RANKS):
        seen = totals(rows, rank)
        other = (rank + 2) % RANKS
        test.equal(f"{name}, rank {rank}: world", {(WORLD, EVERYBODY, COLLECTIVE): (2, 2 * 8 * block * block * RANKS)},
                   {key: value for key, value in seen.items() if key[0] == WORLD})
        by_half = {key: value for key, value in seen.items() if key[0] != WORLD and key[1] == other}
        half = {key[0] for key in by_half}
        test.equal(f"{name}, rank {rank}: one communicator of its parity", 1, len(half))
        half = next(iter(half), None)
        test.equal(f"{name}, rank {rank}: columns", {(half, other, way): (block, 8 * block * block) for way in (SEND, RECEIVE)}, by_half)
        halves.setdefault(rank % 2, set()).add(half)
        rest = {key: value for key, value in seen.items() if key[0] not in (WORLD, half)}
        copy = {key[0] for key in rest}
        copies |= copy
        copy = next(iter(copy), None)
        test.equal(f"{name}, rank {rank}: the copy of the world", {(copy, (rank + 1) % RANKS, SEND): (1, 24), (copy, (rank - 1) % RANKS, RECEIVE): (1, 24)}, rest)
    test.equal(f"{name}: communicators are known by the same id in all their processes", (1, 1, 1, 3),
               (len(halves[0]), len(halves[1]), len(copies), len(halves[0] | halves[1] | copies)))
    nothing_left(test, name, rows)


def workers(test, name, rows, tasks):
    dealt = {worker: [task for task in range(tasks) if task % (RANKS - 1) == worker - 1] for worker in range(1, RANKS)}
    master = {}
    for worker, own in dealt.items():
        there, back = (len(own), sum(own)), (len(own), sum(task // 2 for task in own))
        master |= {(WORLD, worker, SEND): there, (WORLD, worker, RECEIVE): back}
        test.equal(f"{name}, worker {worker}", {(WORLD, 0, RECEIVE): there, (WORLD, 0, SEND): back}, totals(rows, worker))
    test.equal(f"{name}, master", master, totals(rows, 0))
    nothing_left(test, name, rows)
