"""kymo hunt names the planted offender, with its line and share; a find ends when its source goes quiet; who may not hunt is
told so. Argument `many`: a hundred runs on page faults, of which ninety-nine must be right (minutes)."""

import itertools
import json
import os
import pathlib
import sys

from harness import main, plain

PROGRAMS = pathlib.Path(__file__).parent / "programs"
PERMISSION = 8
numbers = itertools.count()


def line_of(source, words):
    for number, line in enumerate((PROGRAMS / source).read_text().splitlines(), 1):
        if line.rstrip().endswith(words):
            return number
    raise ValueError(words)


def hunt(test, *options, program, arguments=(), status=0):
    # Threads that wait for work sleep: on a busy machine polling for it would rightly be a find of its own.
    done = test.run(test.kymo, "hunt", "--json", "-o", test.work / f"hunt{next(numbers)}.kymo", *options, "--", program, *arguments,
                    env={**os.environ, "OMP_WAIT_POLICY": "passive"})
    if done.returncode != status:
        test.fail(f"kymo hunt {' '.join(options)} ended with {done.returncode}: {done.stderr.strip()[:600]}")
        return None
    # What the program itself prints comes before.
    return json.loads(done.stdout[done.stdout.index("{\n"):]) if status == 0 else done.stderr


def faults(test, engine, runs):
    """Seventy and twenty of a hundred faults, exactly: the program's own loader adds some."""
    program = test.program("hunted_faults")
    heavy, middle = line_of("hunted_faults.c", "// heavy"), line_of("hunted_faults.c", "// middle")
    right = 0
    for run in range(runs):
        seen = hunt(test, "-e", "page-faults", "--engine", engine, program=program, arguments=("60",))
        if seen is None:
            continue
        finds = seen["finds"]
        lines = [(plain(find["place"]["function"]), find["place"]["line"]) for find in finds]
        shares = [find["share"] for find in finds]
        # (What the dynamic loader does before main may be a find of its own.)
        good = (lines[:1] == [("heavy", heavy)] and ("middle", middle) in lines and abs(shares[0] - 0.70) < 0.05
                and abs(shares[lines.index(("middle", middle))] - 0.20) < 0.05 and finds[0]["precision"] == "precise" and seen["hunt"]["engine"] == engine)
        right += good
        if not good:
            print(f"note: run {run}: {lines} {shares} {seen['hunt']}")
        elif run == 0:
            test.check("the path leads to main", "main", [plain(place["function"]) for place in finds[0]["call_path"]],
                       "main" in [plain(place["function"]) for place in finds[0]["call_path"]])
            test.check("the listing has the instruction", True, finds[0]["listing"],
                       any(line["offset"] == finds[0]["place"]["offset"] for line in finds[0]["listing"]))
    test.check(f"{engine}: right runs", f"99 of 100, of {runs}", right, right >= 0.99 * runs)


def moving(test, engine):
    """The offender changes half way: its find ends, and the other's does not."""
    seen = hunt(test, "-e", "page-faults", "--engine", engine, program=test.program("hunted_faults"), arguments=("600", "moves"))
    if seen is None:
        return
    finds = {plain(find["place"]["function"]): find for find in seen["finds"]}
    if test.check(f"{engine}: both found", "heavy, middle", sorted(finds), {"heavy", "middle"} <= set(finds)):
        test.equal(f"{engine}: the old one went quiet", True, finds["heavy"]["when"][-1]["quiet"])
        test.equal(f"{engine}: the new one did not", False, finds["middle"]["when"][-1]["quiet"])
        test.check(f"{engine}: in this order", "", "", finds["heavy"]["when"][-1]["end_s"] <= finds["middle"]["when"][-1]["end_s"])


def reported(test):
    """The finds are in the recording: report shows them, too."""
    path = test.work / "kept.kymo"
    done = test.run(test.kymo, "hunt", "-e", "page-faults", "-o", path, "--", test.program("hunted_faults"), "60")
    test.check("the text names the line", "hunted_faults.c", done.stdout[:400], "hunted_faults.c:" in done.stdout)
    report = test.report(path)
    if report is not None:
        test.equal("report's first find", "heavy", plain(report["finds"][0]["place"]["function"]) if report["finds"] else None)
        test.equal("report's hunt", "page-faults", report["hunt"]["event"])
    short = hunt(test, "-e", "page-faults", "--share", "0.01", program=test.program("hunted_faults"), arguments=("1",))
    if short is not None:
        test.check("a run too short for the share says so", "as long", short["hunt"]["note"], "as long" in short["hunt"]["note"])


def clock(test):
    """An OpenMP program: all its threads' processor time goes into its parallel loops."""
    seen = hunt(test, "-e", "task-clock", "--key", "image", program=test.program("openmp"))
    if seen is not None and test.check("an image was found", 1, len(seen["finds"]), len(seen["finds"]) >= 1):
        test.equal("the program itself", "openmp", pathlib.Path(seen["finds"][0]["place"]["image"]).name)
    seen = hunt(test, "-e", "task-clock", "--share", "0.1", program=test.program("openmp"))
    if seen is not None:
        places = [plain(find["place"]["function"]) for find in seen["finds"]]
        test.check("its loops", "main", places, bool(places) and "main" in places[0])


def locks(test):
    program = test.program("hunted_lock")
    if test.mode == "user":
        said = hunt(test, "-e", "context-switches", "--key", "call-site", program=program, status=PERMISSION)
        test.check("not permitted, and what to do", "root", said, said is not None and "root" in said)
        return
    seen = hunt(test, "-e", "context-switches", "--key", "call-site", "--share", "0.2", program=program)
    if seen is None:
        return
    lines = [(plain(find["place"]["function"]), find["place"]["line"]) for find in seen["finds"]]
    offender = ("take_the_lock", line_of("hunted_lock.c", "// offender"))
    test.check("the lock's call", offender, lines, offender in lines)


def body(test):
    kernel = test.mode == "root" and "without clang or libbpf" not in test.run(
        test.kymo, "hunt", "-e", "page-faults", "--engine", "kernel", "--", "true").stderr
    engines = ["program", "kernel"] if kernel else ["program"]
    if test.mode == "root" and not kernel:
        print("note: built without the kernel's engine")
    many = "many" in sys.argv
    for engine in engines:
        faults(test, engine, 100 if many else 5)
        if not many:
            moving(test, engine)
    if not many:
        reported(test)
        clock(test)
        if kernel or test.mode == "user":
            locks(test)


main(body)
