"""Ranks of a parallel job record into one folder, each its own part, and the report tells them apart.

Arguments: BUILD MODE PART. Parts: told (ranks by the variables that job starters set, started by the test), mpi (under mpirun).
"""

import os
import shutil

from harness import main, stolen

RANKS = 3
# What sets them → the variables, for rank {0} of {1}.
STARTERS = {
    "open-mpi": {"OMPI_COMM_WORLD_RANK": "{0}", "OMPI_COMM_WORLD_SIZE": "{1}", "PMIX_NAMESPACE": "77001"},
    "hydra": {"PMI_RANK": "{0}", "PMI_SIZE": "{1}"},
    "slurm": {"SLURM_PROCID": "{0}", "SLURM_NTASKS": "{1}", "SLURM_JOB_ID": "4711", "SLURM_STEP_ID": "0"},
}


def check_ranks(test, report, ranks, times):
    recording = report["recording"]
    test.equal("ranks", list(range(ranks)), [r["rank"] for r in report["ranks"]])
    test.equal("number of ranks", ranks, recording["ranks"])
    test.equal("size that each tells", [ranks] * ranks, [r["job_ranks"] for r in report["ranks"]])
    test.equal("host", {os.uname().nodename}, {r["host"] for r in report["ranks"]})
    for rank, least in zip(report["ranks"], times):
        # What the rank did by its own clock, which the measuring runs on as well.
        of_rank = {process["pid"] for process in report["processes"] if process["rank"] == rank["rank"]}
        own = sum(thread["states"]["paused_s"] for thread in report["threads"] if thread["pid"] in of_rank)
        done = rank["user_s"] + rank["system_s"]
        test.check(f"time of rank {rank['rank']}", f"{0.95 * least:.3f} s or a little more, less {own:.3f} s for measuring", done,
                   0.95 * least - own <= done <= least + 0.6 + test.taken)
    spread = report["rank_spread"]["user_s"]
    users = [r["user_s"] for r in report["ranks"]]
    test.equal("spread", (min(users), max(users)), (spread["min"], spread["max"]))
    test.near("mean over ranks", sum(users) / ranks, spread["mean"], 1e-6, " s")
    test.equal("the rank with most", users.index(max(users)), spread["max_rank"])
    by_rank = sum(r["samples"] for r in report["ranks"])
    test.equal("samples by rank add up", recording["samples"] - recording["own_work_samples"], by_rank)


def start_rank(test, variables, rank, out, *command):
    env = dict(os.environ) | {name: value.format(rank, RANKS) for name, value in variables.items()}
    return test.start(test.kymo, "record", "-o", out, "--", *command, env=env)


def told(test):
    program = test.program("children")
    for starter, variables in STARTERS.items():
        out = test.work / f"{starter}.kymo"
        # All at once: each of them finds the folder missing, made by another, or half a moment later full of files.
        before = stolen()
        started = [start_rank(test, variables, rank, out, program, "work", 60 * (rank + 1)) for rank in range(RANKS)]
        ends = [process.communicate(timeout=60) for process in started]
        test.taken = stolen() - before
        test.check(f"{starter}: status of each rank", [7] * RANKS, [(p.returncode, e[1][-300:]) for p, e in zip(started, ends)],
                   all(p.returncode == 7 for p in started))
        test.check(f"{starter}: one rank speaks for all", "one line of a recording", [e[1] for e in ends],
                   sum("recorded" in e[1] for e in ends) == 1)
        report = test.report(out)
        if report is not None:
            check_ranks(test, report, RANKS, [0.06 * (rank + 1) for rank in range(RANKS)])
    # The same job again, another job, and no job at all: the folder is taken.
    out = test.work / "open-mpi.kymo"
    before = sorted(f.name for f in out.iterdir())
    for what, changes in (("the same job again", {}), ("another job", {"PMIX_NAMESPACE": "77002"}), ("another size", {"OMPI_COMM_WORLD_SIZE": "5"}),
                          ("no job", None)):
        variables = {} if changes is None else STARTERS["open-mpi"] | changes
        refused = start_rank(test, variables, 1, out, program, "work", 5)
        text = refused.communicate(timeout=60)
        test.check(f"{what}: refused", "a line that says so, and no run", (refused.returncode, text[1]),
                   refused.returncode not in (0, 7) and "exists already" in text[1] and "worked" not in text[0])
    test.equal("and left as it was", before, sorted(f.name for f in out.iterdir()))
    strays = [f.name for f in test.work.iterdir() if ".rank-" in f.name]
    test.equal("no half-made folders", [], strays)


SOURCE = """#include <mpi.h>
#include <stdio.h>
#include <time.h>
static double spent(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}
__attribute__((noinline)) static void compute(double seconds) {
    volatile double value = 1;
    const double end = spent() + seconds;
    while (spent() < end) {
        for (int i = 0; i < 10000; ++i) {
            value = value * 1.0000001;
        }
    }
}
int main(int argc, char** argv) {
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    compute(0.1 * (rank + 1));
    printf("rank %d of %d\\n", rank, size);
    MPI_Finalize();
    return 0;
}
"""


def check_imbalance(test, report):
    """The rank with more work than the others is found, by name, where it works; waiting in MPI is idle, though it is on the processor."""
    found = [finding for finding in report["findings"] if finding["kind"] == "load-imbalance"]
    told = [(finding["title"], finding["place"]["function"], finding["threads"]) for finding in found]
    test.check("load imbalance of the ranks", "in compute, of rank 3", told,
               len(found) == 1 and "rank 3 works" in found[0]["title"] and "its 3 peers work" in found[0]["title"] and
               found[0]["place"]["function"] == "compute" and [thread["rank"] for thread in found[0]["threads"]] == [3])
    lost = 0.4 - (0.1 + 0.2 + 0.3 + 0.4) / 4
    if found:
        test.near("what an even job would save", lost, found[0]["seconds"], 0.2 * lost + test.taken, " s")


def mpi(test):
    for name in ("mpirun", "mpicc"):
        if not shutil.which(name):
            test.skip(f"{name} is not installed (apt-get install openmpi-bin libopenmpi-dev)")
    (test.work / "ranks.c").write_text(SOURCE)
    made = test.run("mpicc", "-O2", "-g", "-o", test.work / "ranks", test.work / "ranks.c", prefix=[])
    if made.returncode != 0:
        test.skip(f"mpicc does not work here: {made.stderr[:300]}")
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                       HOME=str(test.work), TMPDIR=str(test.work))
    plain = test.run("mpirun", "-n", 4, test.work / "ranks", env=environment)
    if plain.returncode != 0:
        test.skip(f"mpirun does not work here: {plain.stderr[-300:]}")
    out = test.work / "mpi.kymo"
    done = test.run("mpirun", "-n", 4, test.kymo, "record", "-o", out, "--", test.work / "ranks", env=environment)
    test.equal("status and output", (0, sorted(plain.stdout.splitlines())), (done.returncode, sorted(done.stdout.splitlines())))
    report = test.report(out)
    if report is not None:
        check_ranks(test, report, 4, [0.1 * (rank + 1) for rank in range(4)])
        check_imbalance(test, report)
    # One recording of the starter and all its ranks: they are told apart there, too.
    done, path = test.record("mpirun", "-n", 2, test.work / "ranks", out="whole.kymo", env=environment)
    test.equal("kymo record -- mpirun: status", 0, done.returncode)
    report = test.report(path)
    if report is not None:
        test.equal("ranks below one mpirun", [0, 1], [r["rank"] for r in report["ranks"]])
        test.check("mpirun itself is there, of no rank", "one", [(p["name"], p["rank"]) for p in report["processes"]],
                   any(p["rank"] is None for p in report["processes"]))


def body(test):
    {"told": told, "mpi": mpi}[test.arguments[0]](test)


main(body)
