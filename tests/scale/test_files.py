"""test_files.py BUILD any: a job of many ranks leaves a few files, and no rank opens what is another's; so does a program of many processes; what
is staged on a disk of the host's own is moved at the end.
"""

import os
import pathlib
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/truth"))

from harness import main

RANKS = 40  # more than the 32 of which each rank's files are by themselves
PROCESSES = 80  # more than 64 files
OF_RANK = re.compile(r"-rank-(\d+)\.krec|launch-(\d+)\.krec|session-(\d+)\b")


def environment(rank):
    return {**os.environ, "OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": str(RANKS), "PMIX_NAMESPACE": "5201"}


def opened(test, log):
    """The ranks whose files are opened, looked at, renamed or removed in a trace of system calls; and how many such calls there are."""
    calls = [line for line in log.read_text(errors="replace").splitlines() if ".krec" in line or "/session-" in line]
    return {int(next(filter(None, found))) for line in calls for found in OF_RANK.findall(line)}, len(calls)


def ranks(test):
    out, program = test.work / "job.kymo", test.program("children")
    strace = shutil.which("strace")

    def record(rank, *tracer):
        return test.run(*tracer, test.kymo, "record", "-o", out, "--", program, "work", 20, env=environment(rank))

    logs = {rank: test.work / f"calls-{rank}" for rank in (0, RANKS - 1)}
    traced = lambda rank: ["strace", "-f", "-e", "trace=file", "-o", logs[rank]] if strace and rank in logs else []
    done = [record(0, *traced(0))]
    with ThreadPoolExecutor(4) as starters:
        done += starters.map(record, range(1, RANKS - 1))
    files = sorted(path.name for path in out.iterdir())
    test.check("files of the job before its last rank", "its name, one bundle", files, len(files) == 2 and files[0] == "job" and files[1].endswith(".krecs"))
    done.append(record(RANKS - 1, *traced(RANKS - 1)))
    test.equal("exit status of each rank", [7] * RANKS, [each.returncode for each in done])
    if strace:
        first, last = (opened(test, logs[rank]) for rank in (0, RANKS - 1))
        test.equal("whose files the last rank opens", {RANKS - 1}, last[0])
        # The trace has its own variations: how often the parent looks at the folder.
        test.check("calls of the last rank, beside 39 others' files", f"as many as of the first, {first[1]}, or a few more", last[1], last[1] <= first[1] + 10)
    else:
        test.skip("system calls: no strace")
    again = record(3)
    test.check("a rank for the second time", "refused", (again.returncode, again.stderr), again.returncode not in (0, 7) and "exists already" in again.stderr)
    files = sorted(path.name for path in out.iterdir())
    test.equal("files of the job", 2, len(files))
    said = test.report(out)
    test.equal("ranks", list(range(RANKS)), [rank["rank"] for rank in said["ranks"]])
    test.equal("ended, every process", [], [note for note in said["notes"] if "ended without" in note])


def processes(test):
    out, program = test.work / "many.kymo", test.program("children")
    loop = f'i=0; while [ $i -lt {PROCESSES} ]; do "$0" work 12; i=$((i+1)); done; exit 5'
    done = test.run(test.kymo, "record", "-o", out, "--", "sh", "-c", loop, program)
    test.equal("exit status of the program", 5, done.returncode)
    files = sorted(path.name for path in out.iterdir())
    test.check("files", "a bundle, and what cannot be in it", files, "processes.krecs" in files and len(files) <= 3)
    said = test.report(out)
    test.equal("processes", PROCESSES + 1, len(said["processes"]))
    copy = test.work / "copy.kymo"
    shutil.copytree(out, copy)
    whole, copied = (test.run(test.kymo, "report", folder).stdout for folder in (out, copy))
    test.check("a copy of the folder", "the same report", "another", whole.replace("many.kymo", "copy.kymo") == copied)


def staged(test):
    """All in the folder at the end, and nothing is left on the stage; while the program runs nothing of it is in the folder."""
    stage, program = test.work / "stage", test.program("children")
    stage.mkdir()
    for name, starter, expected in (("one", [{}], ["launch.krec", "process"]), ("few", [environment(rank) for rank in range(3)], ["job", "ranks"])):
        out = test.work / f"{name}.kymo"
        look = f'"$0" work 20; ls {out} | grep -v -x job > {test.work}/{name}.seen; exit 3'
        started = [test.start(test.kymo, "record", "--stage", stage, "-o", out, "--", "sh", "-c", look, program, env={**os.environ, **variables}) for variables in starter]
        ends = [process.communicate(timeout=60) for process in started]
        test.equal(f"{name}: exit status", [3] * len(started), [process.returncode for process in started])
        test.equal(f"{name}: nothing is said but what was recorded", [], [line for end in ends for line in end[1].splitlines() if "stays in" in line or "left" in line])
        if name == "one":
            test.equal(f"{name}: in the folder meanwhile", "", (test.work / f"{name}.seen").read_text())
        test.equal(f"{name}: left on the stage", [], [path.name for path in stage.iterdir()])
        files = sorted({re.split(r"[-.]", path.name)[0] for path in out.iterdir()} - {"short"})
        test.equal(f"{name}: files", [word.split(".")[0] for word in expected], files)
        said = test.report(out)
        test.equal(f"{name}: processes that worked", len(started), sum(process["executable"].endswith("children") for process in said["processes"]))
    # What cannot be moved stays, and Kymo says so.
    out = test.work / "full.kymo"
    told = test.run("sh", "-c", f'"$0" record --stage {stage} -o {out} -- sh -c \'"$0" work 20; mkdir {out}/launch.krec; exit 4\' "$1"', test.kymo, program)
    left = [path for path in stage.rglob("launch.krec")]
    test.check("what cannot be moved", "stays, and Kymo says so", (told.returncode, told.stderr), told.returncode == 4 and len(left) == 1 and f"launch.krec stays in {left[0].parent}" in told.stderr)
    test.check("and can be read there", "a report", test.run(test.kymo, "report", left[0].parent).stderr, test.run(test.kymo, "report", left[0].parent).returncode == 0)
    refused = test.run(test.kymo, "record", "--stage", test.work / "nowhere", "-o", test.work / "no.kymo", "--", program, "work", 5)
    test.check("a stage that is not there", "one line, and no recording", (refused.returncode, refused.stderr, (test.work / "no.kymo").exists()),
               refused.returncode not in (0, 7) and "there is no directory" in refused.stderr and not (test.work / "no.kymo").exists())


def body(test):
    ranks(test)
    processes(test)
    staged(test)


main(body)
