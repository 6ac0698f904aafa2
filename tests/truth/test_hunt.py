"""kymo hunt names the planted heavy hitter, with its line and share; a result ends when its source goes quiet; who may not hunt is
told so. Argument `many`: a hundred runs on page faults, of which ninety-nine must be right (minutes)."""

import itertools
import json
import os
import pathlib
import pty
import signal
import sys
import time

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
    # Threads that wait for work sleep: on a busy machine polling for it would rightly be a result of its own.
    done = test.run(test.kymo, "hunt", "--json", "-o", test.work / f"hunt{next(numbers)}.kymo", *options, "--", program, *arguments,
                    env={**os.environ, "OMP_WAIT_POLICY": "passive"})
    if done.returncode != status:
        test.fail(f"kymo hunt {' '.join(options)} ended with {done.returncode}: {done.stderr.strip()[:600]}")
        return None
    if status != 0:
        return done.stderr
    seen = json.loads(done.stdout[done.stdout.index("{\n"):])  # what the program itself prints comes before
    test.of_schema("hunt", seen, "hunt")
    return seen


def faults(test, engine, runs):
    """Seventy and twenty of a hundred faults, exactly: the program's own loader adds some."""
    program = test.program("hunted_faults")
    heavy, middle = line_of("hunted_faults.c", "// heavy"), line_of("hunted_faults.c", "// middle")
    right = 0
    for run in range(runs):
        seen = hunt(test, "-e", "page-faults", "--engine", engine, program=program, arguments=("60",))
        if seen is None:
            continue
        results = seen["finds"]
        lines = [(plain(result["place"]["function"]), result["place"]["line"]) for result in results]
        shares = [result["share"] for result in results]
        # (What the dynamic loader does before main may be a result of its own.)
        good = (lines[:1] == [("heavy", heavy)] and ("middle", middle) in lines and abs(shares[0] - 0.70) < 0.05
                and abs(shares[lines.index(("middle", middle))] - 0.20) < 0.05 and results[0]["precision"] == "precise" and seen["hunt"]["engine"] == engine)
        right += good
        if not good:
            print(f"note: run {run}: {lines} {shares} {seen['hunt']}")
        elif run == 0:
            test.check("the path leads to main", "main", [plain(place["function"]) for place in results[0]["call_path"]],
                       "main" in [plain(place["function"]) for place in results[0]["call_path"]])
            images = [pathlib.Path(result["place"]["image"]).name for result in results]
            test.check("nothing is the monitor's own", "no libkymo-monitor.so", images, "libkymo-monitor.so" not in images)
            test.check("the listing has the instruction", True, results[0]["listing"],
                       any(line["offset"] == results[0]["place"]["offset"] for line in results[0]["listing"]))
    test.check(f"{engine}: right runs", f"99 of 100, of {runs}", right, right >= 0.99 * runs)


def moving(test, engine):
    """The heavy hitter changes half way: its result ends, and the other's does not."""
    seen = hunt(test, "-e", "page-faults", "--engine", engine, program=test.program("hunted_faults"), arguments=("600", "moves"))
    if seen is None:
        return
    results = {plain(result["place"]["function"]): result for result in seen["finds"]}
    if test.check(f"{engine}: both found", "heavy, middle", sorted(results), {"heavy", "middle"} <= set(results)):
        test.equal(f"{engine}: the old one went quiet", True, results["heavy"]["when"][-1]["quiet"])
        test.equal(f"{engine}: the new one did not", False, results["middle"]["when"][-1]["quiet"])
        test.check(f"{engine}: in this order", "", "", results["heavy"]["when"][-1]["end_s"] <= results["middle"]["when"][-1]["end_s"])


def reported(test):
    """The results are in the recording: report shows them, too."""
    path = test.work / "kept.kymo"
    done = test.run(test.kymo, "hunt", "-e", "page-faults", "-o", path, "--", test.program("hunted_faults"), "60")
    test.check("the text names the line", "hunted_faults.c", done.stdout[:400], "hunted_faults.c:" in done.stdout)
    report = test.report(path)
    if report is not None:
        test.equal("report's first result", "heavy", plain(report["finds"][0]["place"]["function"]) if report["finds"] else None)
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
        places = [plain(result["place"]["function"]) for result in seen["finds"]]
        test.check("its loops", "main", places, bool(places) and "main" in places[0])


def locks(test):
    program = test.program("hunted_lock")
    if test.mode == "user":
        said = hunt(test, "-e", "context-switches", "--key", "call-site", program=program, status=PERMISSION)
        test.check("not permitted, and what to do", "root", said, said is not None and "root" in said)
        return
    seen = hunt(test, "-e", "context-switches", "--key", "call-site", "--share", "0.2", program=program, arguments=("20000",))
    if seen is None:
        return
    lines = [(plain(result["place"]["function"]), result["place"]["line"]) for result in seen["finds"]]
    hitter = ("take_the_lock", line_of("hunted_lock.c", "// offender"))
    test.check("the lock's call", hitter, lines, hitter in lines)


def replayed(test):
    """A hunt in a recording: the same heavy hitters, by every key that samples can tell."""
    program = test.program("hunted_faults")
    done, path = test.record(program, "60", out="faults.kymo", options=("-e", "page-faults:period=1"))
    if not test.check("recorded", 0, done.stderr[-400:], done.returncode == 0):
        return
    heavy, middle = line_of("hunted_faults.c", "// heavy"), line_of("hunted_faults.c", "// middle")
    for key in ("instruction", "block", "line", "function", "call-site"):
        seen = told(test, "--replay", path, "-e", "page-faults", "--key", key)
        if seen is None:
            continue
        shares = {plain(result["place"]["function"]): result["share"] for result in seen["finds"]}
        lines = {plain(result["place"]["function"]): result["place"]["line"] for result in seen["finds"]}
        test.check(f"{key}: the first result", "heavy", shares, list(shares)[:1] == ["heavy"] and lines["heavy"] == heavy)
        test.near(f"{key}: its share", 0.70, shares.get("heavy", 0), 0.05)
        test.near(f"{key}: the other's", 0.20, shares.get("middle", 0), 0.05)
        test.equal(f"{key}: its line", middle, lines.get("middle"))
        test.equal(f"{key}: engine", "replay", seen["hunt"]["engine"])
    seen = told(test, "--replay", path, "-e", "page-faults", "--key", "image")
    if seen is not None:
        test.equal("the image", [program.name], [pathlib.Path(result["place"]["image"]).name for result in seen["finds"]][:1])


def told(test, *options):
    done = test.run(test.kymo, "hunt", "--json", *options)
    if not test.check(f"kymo hunt {' '.join(map(str, options))} ends well", 0, done.stderr.strip()[:400], done.returncode == 0):
        return None
    seen = json.loads(done.stdout)
    test.of_schema("hunt", seen, "hunt")
    return seen


def interrupted(test):
    """Ctrl-C: the program ends, the recording is whole and has the results so far."""
    path = test.work / "interrupted.kymo"
    running = test.start(test.kymo, "hunt", "-e", "page-faults", "-o", path, "--", test.program("hunted_faults"), "100000000",
                         start_new_session=True)
    # The result is written when it is made; the file grows by it. Half a second of page faults is enough for thousands.
    late = time.monotonic() + 60
    while time.monotonic() < late and running.poll() is None and not list(path.glob("process-*.krec")):
        time.sleep(0.05)
    time.sleep(1)
    os.killpg(running.pid, signal.SIGINT)
    out, error = running.communicate(timeout=60)
    test.equal("status after Ctrl-C", 128 + signal.SIGINT, running.returncode)
    test.check("the results so far are told", "heavy", out[:400] + error[-400:], "heavy" in out)
    report = test.report(path)
    if report is not None:
        # Written on the way, the latest at half the events.
        test.check("with counts", 1000, report["hunt"]["events"], report["hunt"]["events"] > 1000)
        test.near("and shares", 0.70, report["finds"][0]["share"] if report["finds"] else 0, 0.05)
        test.equal("and are in the recording", ["heavy"], [plain(result["place"]["function"]) for result in report["finds"]][:1])


def killed(test):
    """SIGKILL to a program whose hunt signals nobody: the results of its context switches were written on the way."""
    path = test.work / "killed.kymo"
    running = test.start(test.kymo, "hunt", "-e", "context-switches", "--key", "call-site", "--share", "0.2", "--json", "-o", path, "--",
                         test.program("hunted_lock"), "100000000")
    late = time.monotonic() + 60
    program = None
    while time.monotonic() < late and running.poll() is None and program is None:
        time.sleep(0.05)
        program = next((int(found.name.split("-")[1]) for found in path.glob("process-*.krec")), None)
    if not test.check("the program runs", "its file", running.poll(), program is not None):
        return
    # A few hundred switches decide a test; how soon they come depends on who else runs here.
    while time.monotonic() < late and switches_of(program) < 20_000:
        time.sleep(0.1)
    os.kill(program, signal.SIGKILL)
    out, error = running.communicate(timeout=60)
    test.equal("status", 128 + signal.SIGKILL, running.returncode)
    seen = json.loads(out)
    hitter = ("take_the_lock", line_of("hunted_lock.c", "// offender"))
    results = {(plain(result["place"]["function"]), result["place"]["line"]): result for result in seen["finds"]}
    if test.check("the lock's call", hitter, f"{sorted(results)} {error[-300:]}", hitter in results):
        test.check("with a share", "above 0.2", results[hitter]["share"], results[hitter]["share"] > 0.2)
    test.check("and counts", 1000, seen["hunt"]["events"], seen["hunt"]["events"] > 1000)
    test.equal("which it calls unfinished", 1, seen["hunt"]["unfinished_processes"])


def switches_of(process):
    total = 0
    for task in pathlib.Path(f"/proc/{process}/task").glob("*/status"):
        try:
            total += sum(int(line.split()[1]) for line in task.read_text().splitlines() if line.startswith(("voluntary_ctxt", "nonvoluntary_ctxt")))
        except OSError:
            pass  # the thread has ended
    return total


def live(test):
    """On a terminal each result is told as it comes; elsewhere nothing is."""
    command = [test.kymo, "hunt", "-e", "page-faults", "--duration", "2", "--", test.program("hunted_faults"), "100000000"]
    ours, theirs = pty.openpty()
    running = test.start(*command[:2], "-o", test.work / "live.kymo", *command[2:], stderr=theirs)
    os.close(theirs)
    told, before_end = b"", False
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:
            break  # nobody has the terminal open any longer
        if not piece:
            break
        told += piece
        before_end = before_end or (b"heavy" in told and running.poll() is None)
    running.communicate(timeout=60)
    os.close(ours)
    text = told.decode(errors="replace")
    heavy = line_of("hunted_faults.c", "// heavy")
    test.check("the result is told while the program runs", f"heavy  hunted_faults.c:{heavy}", text,
               before_end and "kymo: found after" in text and f"heavy  hunted_faults.c:{heavy}" in text)
    quiet = test.run(*command[:2], "-o", test.work / "not-live.kymo", *command[2:])
    test.check("and not to a file", "nothing", quiet.stderr, "found after" not in quiet.stderr)


def refused(test, kernel):
    """Each in a line that says what, and one that says what to do."""
    program = test.program("hunted_faults")
    cases = [
        (("-e", "page-faults", "--key", "function"), "needs the program's symbols", "--replay"),
        (("-e", "page-faults", "--key", "line"), "needs the program's symbols", "--key line"),
        (("-e", "task-clock", "--key", "data-line"), "has no data address", "page-faults"),
        (("-e", "page-faults", "--pairs", "0"), "0 pairs cannot hunt", "1 to 16"),
        (("-e", "page-faults", "--pairs", "17"), "17 pairs cannot hunt", "1 to 16"),
        (("-e", "page-faults", "--share", "0"), "a share of 0", "--share"),
        (("-e", "page-faults", "--share", "0.02", "--refuse", "0.02"), "contradict", "below the share"),
        (("-e", "page-faults", "--confidence", "1"), "--confidence 1", "0.99"),
        (("-e", "page-faults", "--every", "0"), "period of 0", "--every"),
        (("-e", "page-faults", "--key", "image", "--engine", "kernel"), "not images", "--engine kernel"),
        (("-e", "context-switches", "--key", "image"), "not images", "--key call-site"),
        (("-e", "context-switches", "--engine", "program"), "only be hunted by the kernel", "--engine program"),
        (("-e", "page-faults", "--key", "data-page", "--engine", "program"), "only be hunted by the kernel", "--engine program"),
        (("-e", "page-faults", "--key", "colour"), "no such key", "instruction"),
        (("-e", "page-faults", "--replay", "x.kymo"), "--replay and a program", "--replay REC.kymo"),
    ]
    for options, what, next_step in cases:
        done = test.run(test.kymo, "hunt", *options, "--", program)
        lines = done.stderr.strip().splitlines()
        test.check(f"kymo hunt {' '.join(options)}", f"{what} / {next_step}", done.stderr,
                   done.returncode not in (0, 70) and len(lines) == 2 and what in lines[0] and next_step in done.stderr and not done.stdout)
    path = test.work / "faults.kymo"
    for options, what, next_step in [
        (("-e", "page-faults", "--key", "data-line"), "no data addresses", "--key data-line"),
        (("-e", "cache-misses"), "no samples of cache-misses", "it has samples of page-faults"),
        (("-e", "page-faults:period=1"), "as they were taken", "-e page-faults"),
        (("-e", "page-faults", "--engine", "kernel"), "--engine and --replay contradict", "drop one"),
        (("-e", "page-faults", "--duration", "3"), "--duration and --replay contradict", "drop one"),
        (("-e", "page-faults", "-o", "y.kymo"), "--output and --replay contradict", "drop one"),
    ]:
        done = test.run(test.kymo, "hunt", "--replay", path, *options)
        test.check(f"kymo hunt --replay {' '.join(options)}", f"{what} / {next_step}", done.stderr,
                   done.returncode == 2 and len(done.stderr.strip().splitlines()) == 2 and what in done.stderr and next_step in done.stderr)
    done = test.run(test.kymo, "hunt", "--replay", test.work / "nothing.kymo", "-e", "page-faults")
    test.check("a recording that is not there", 3, done.stderr, done.returncode == 3)
    if kernel:
        seen = hunt(test, "-e", "page-faults", "--key", "image", program=program, arguments=("60",))
        if seen is not None:
            test.equal("images are hunted in the program", "program", seen["hunt"]["engine"])


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
        replayed(test)
        refused(test, kernel)
        interrupted(test)
        live(test)
        clock(test)
        if kernel or test.mode == "user":
            locks(test)
        if kernel:
            killed(test)


main(body)
