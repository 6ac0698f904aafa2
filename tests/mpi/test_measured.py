"""kymo measure on MPI programs, as `kymo measure … mpirun …` and as `mpirun … kymo measure …`: calls of the ranks, and of nothing else, exactly; the
messages beside them; one output for all ranks. Arguments: BUILD any MPIRUN."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "truth"))
from expected import RANKS, in_front  # noqa: E402
from harness import main  # noqa: E402

ROUNDS = 50
TEXT = """metric mains { at entry main : add }
metric isends per process { at entry MPI_Isend : add }
metric integers { at entry MPI_Sendrecv : add arg2 as int }
"""


def measure(test, text, *command, starter=(), options=()):
    """kymo measure with that description, started by `starter`."""
    description = test.work / "calls.kym"
    description.write_text(text)
    return test.run(*starter, test.kymo, "measure", description, *options, "--", *command, env=test.apart(TMPDIR="/tmp"), timeout=300, preexec_fn=in_front)


def check_form(test, mpirun, ring, outside):
    starter = [mpirun, "--allow-run-as-root", "--oversubscribe", "-n", RANKS]
    program = [ring, ROUNDS, 1000]
    what = "measure mpirun" if outside else "mpirun measure"
    options = ["--json", "-o", test.fresh() / "out.kymo"]
    done = measure(test, TEXT, *starter, *program, options=options) if outside else measure(test, TEXT, *program, starter=starter, options=options)
    test.equal(f"{what}: exit status", 0, done.returncode)
    try:
        told = json.loads(done.stdout)  # once, not once a rank
    except ValueError:
        test.equal(f"{what}: one JSON object", "one", f"{done.stdout[:400]} {done.stderr[-1000:]}")
        return
    metrics = told["metrics"]
    test.equal(f"{what}: main, of the ranks alone", RANKS, metrics["mains"]["value"])
    test.equal(f"{what}: MPI_Isend by rank", [ROUNDS // 5 * 2] * RANKS, [value for value in metrics["isends"]["per"].values() if value])
    test.equal(f"{what}: what MPI_Sendrecv was given", ROUNDS // 5 * 1000 * RANKS, metrics["integers"]["value"])
    sent = sum(each["messages"] for each in told["channels"] if each["direction"] == "send" and each["kind"] == "mpi")
    test.equal(f"{what}: messages", ROUNDS * RANKS, sent)
    if outside:
        test.equal(f"{what}: which program is told", True, f"measured is {ring}, which {mpirun} starts" in done.stderr)


def body(test):
    mpirun, ring = test.arguments[0], test.build / "tests" / "mpi" / "ring_c"
    for outside in (True, False):
        check_form(test, mpirun, ring, outside)
    text = "metric isendz { at entry MPI_Isendz : add }\n"
    done = measure(test, text, mpirun, "-n", RANKS, ring, 5, 5)
    test.equal("a function that is not in the ranks' program", (6, True),
               (done.returncode, "no function 'MPI_Isendz'; did you mean 'MPI_Isend'?" in done.stderr))
    done = measure(test, text, mpirun, "-n", RANKS, "./no-such-program")
    test.equal("no program", (3, True), (done.returncode, "no program among the words after" in done.stderr))


main(body)
