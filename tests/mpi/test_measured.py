"""kymo measure on MPI programs, as `kymo measure … mpirun …` and as `mpirun … kymo measure …`: calls of the ranks, and of nothing else, exactly; the
messages beside them; one output for all ranks. Arguments: BUILD PROGRAMS MPIRUN."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

from expected import RANKS, check, end, in_front

ROUNDS = 50
TEXT = """metric mains { at entry main : add }
metric isends per process { at entry MPI_Isend : add }
metric integers { at entry MPI_Sendrecv : add arg2 as int }
"""


def run(command, folder):
    environment = {**os.environ, "XDG_RUNTIME_DIR": folder, "TMPDIR": "/tmp"}
    return subprocess.run(list(map(str, command)), env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                          timeout=300, preexec_fn=in_front)


def check_form(build, programs, mpirun, outside):
    with tempfile.TemporaryDirectory(prefix="kymo-test-") as folder:
        description = pathlib.Path(folder) / "calls.kym"
        description.write_text(TEXT)
        measure = [build / "bin" / "kymo", "measure", description, "--json", "-o", pathlib.Path(folder) / "out.kymo", "--"]
        starter = [mpirun, "--allow-run-as-root", "--oversubscribe", "-n", RANKS]
        program = [programs / "ring_c", ROUNDS, 1000]
        done = run([*measure, *starter, *program] if outside else [*starter, *measure, *program], folder)
        what = "measure mpirun" if outside else "mpirun measure"
        check(f"{what}: exit status", 0, done.returncode)
        try:
            told = json.loads(done.stdout)  # once, not once a rank
        except ValueError:
            check(f"{what}: one JSON object", "one", f"{done.stdout[:400]} {done.stderr[-1000:]}")
            return
        metrics = told["metrics"]
        check(f"{what}: main, of the ranks alone", RANKS, metrics["mains"]["value"])
        check(f"{what}: MPI_Isend by rank", [ROUNDS // 5 * 2] * RANKS, [value for value in metrics["isends"]["per"].values() if value])
        check(f"{what}: what MPI_Sendrecv was given", ROUNDS // 5 * 1000 * RANKS, metrics["integers"]["value"])
        sent = sum(each["messages"] for each in told["channels"] if each["direction"] == "send")
        check(f"{what}: messages", ROUNDS * RANKS, sent)
        if outside:
            check(f"{what}: which program is told", True, f"measured is {programs / 'ring_c'}, which {mpirun} starts" in done.stderr)


def main():
    build, programs, mpirun = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    for outside in (True, False):
        check_form(build, programs, mpirun, outside)
    with tempfile.TemporaryDirectory(prefix="kymo-test-") as folder:
        description = pathlib.Path(folder) / "calls.kym"
        description.write_text("metric isendz { at entry MPI_Isendz : add }\n")
        done = run([build / "bin" / "kymo", "measure", description, "--", mpirun, "-n", RANKS, programs / "ring_c", 5, 5], folder)
        check("a function that is not in the ranks' program", (6, True),
              (done.returncode, "no function 'MPI_Isendz'; did you mean 'MPI_Isend'?" in done.stderr))
        done = run([build / "bin" / "kymo", "measure", description, "--", mpirun, "-n", RANKS, "./no-such-program"], folder)
        check("no program", (3, True), (done.returncode, "no program among the words after" in done.stderr))
    end()


main()
