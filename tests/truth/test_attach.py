"""kymo record --pid: a program that runs already is recorded as long as asked, with its functions, threads and waits, and goes on as if
nothing had happened. And a program that is linked statically, which no monitor can be loaded into, is measured the same way. Code that a
program made itself has the names of its perf-PID.map."""

import os
import pathlib
import shutil
import signal
import time

from harness import main

# The function that waits, and the kind. Of the kernel's own reading where it tells of waits by their call (not to ordinary users).
WAITS = {"holds_the_lock": "mutex", "naps": "sleep", "reads_the_pipe": "read", "waits_for_the_signal": "condition", "leads": "poll",
         "waits_for_the_end": "condition"}
REFUSED = 8


def begin(test):
    """The program, once all its threads have begun, under a name that no other test's has: some attach by name."""
    own = test.work / f"own{os.getpid()}"
    shutil.copy(test.program("attached"), own)
    own.chmod(0o755)
    running = test.start(own, stdin=-1, stdout=-1, text=True)
    test.equal("the program is ready", "ready\n", running.stdout.readline())
    return running


def finish(test, running, what):
    """Its end: as without kymo."""
    running.stdin.close()
    test.equal(f"{what}: the program goes on and ends as ever", "ended well\n", running.stdout.read())
    test.equal(f"{what}: its exit status", 7, running.wait())


def has_all_waits(report):
    return not any("waits by their call" in missing["what"] for missing in report["recording"]["unavailable"])


def check_contents(test, path, what, threads=7, is_running=False):
    report = test.report(path)
    if report is None:
        return None
    test.equal(f"{what}: processes", 1, len(report["processes"]))
    test.equal(f"{what}: threads", threads, len(report["threads"]))
    paths = [frames for frames, _ in test.folded(path)]
    inside = [frames for frames in paths if any("computes" in frame for frame in frames)]
    test.check(f"{what}: call paths of `computes`", "some, through holds_the_lock", inside[:2], any(any("holds_the_lock" in frame for frame in frames) for frames in inside))
    whole = report["recording"]["samples"]
    test.check(f"{what}: samples", "some", whole, whole > 0)
    if has_all_waits(report):
        seen = {(wait["place"]["function"] or "", wait["kind"]) for wait in report["waits"] if wait["place"]}
        for function, kind in WAITS.items():
            test.check(f"{what}: {function} waits", kind, sorted(seen), any(function in place and kind == as_kind for place, as_kind in seen))
        # Of a process that has ended, nothing tells any more what was behind a descriptor.
        reads = {wait["object_type"] for wait in report["waits"] if wait["kind"] == "read" and wait["place"] and "reads_the_pipe" in (wait["place"]["function"] or "")}
        test.check(f"{what}: what is read", "a pipe" if is_running else "a pipe, or not known", reads, "pipe" in reads or (not is_running and reads == {None}))
    return report


def attaching(test):
    running = begin(test)
    path = test.work / "attached.kymo"
    done = test.run(test.kymo, "record", "--pid", running.pid, "--duration", 1, "-o", path)
    if test.barred:
        test.equal("refused: exit status", REFUSED, done.returncode)
        test.check("refused: why, and what next", "one line, and a remedy", done.stderr, "perf_event" in done.stderr and len(done.stderr.splitlines()) == 2)
        test.equal("refused: nothing is left", False, path.exists())
        finish(test, running, "refused")
        return
    test.equal("attached: exit status", 0, done.returncode)
    report = check_contents(test, path, "attached", is_running=True)
    if report is not None:
        if has_all_waits(report):
            slept = sum(wait["seconds"] for wait in report["waits"] if wait["place"] and "waits_for_the_end" in (wait["place"]["function"] or ""))
            test.check("attached: a thread that slept before sleeps all the time", "over half of it", slept, slept > 0.5 * report["recording"]["duration_s"])
        test.equal("attached: how it ended is not known", None, report["recording"]["exit_status"])
        test.check("attached: its command", "the program's", report["recording"]["command"], report["recording"]["command"][0].endswith(f"own{os.getpid()}"))

    # By name, until Ctrl-C.
    recorder = test.start(test.kymo, "record", "--comm", f"own{os.getpid()}", "-o", test.work / "named.kymo", stderr=-1, text=True)
    said = recorder.stderr.readline()
    test.check("by name: begun", "recording 1 process", said, "recording 1 process" in said)
    time.sleep(0.5)
    recorder.send_signal(signal.SIGINT)
    said = recorder.stderr.read()
    test.equal("by name: exit status after Ctrl-C", 0, recorder.wait())
    test.check("by name: said", "interrupted", said, "interrupted" in said)
    check_contents(test, test.work / "named.kymo", "by name", is_running=True)

    # Until its end.
    recorder = test.start(test.kymo, "record", "--pid", running.pid, "-o", test.work / "whole.kymo", stderr=-1, text=True)
    recorder.stderr.readline()
    time.sleep(0.3)
    finish(test, running, "attached thrice")
    recorder.stderr.read()
    test.equal("until its end: exit status", 0, recorder.wait())
    check_contents(test, test.work / "whole.kymo", "until its end")


def started(test):
    """Started by kymo, measured from outside: by itself where it is linked statically, and where that is asked for."""
    for program, options in (("attached_static", ()), ("attached", ("--from-outside",))):
        path = test.work / f"{program}.started.kymo"
        recorder = test.start(test.kymo, "record", *options, "-o", path, "--", test.program(program), stdin=-1, stdout=-1, stderr=-1, text=True)
        if test.barred:
            out, said = recorder.communicate("")
            test.equal(f"{program} refused: exit status", REFUSED, recorder.returncode)
            test.check(f"{program} refused: why", "perf_event", said, "perf_event" in said)
            continue
        test.equal(f"{program}: ready", "ready\n", recorder.stdout.readline())
        time.sleep(0.5)
        out, said = recorder.communicate("")
        test.equal(f"{program}: output", "ended well\n", out)
        test.equal(f"{program}: exit status", 7, recorder.returncode)
        test.check(f"{program}: said why", "linked statically or nothing", said, ("statically linked" in said) == (not options))
        report = check_contents(test, path, f"{program} started")
        if report is not None:
            test.equal(f"{program}: its exit status in the report", 7, report["recording"]["exit_status"])


def replaced(test):
    """The program's file is replaced while it runs, as an upgrade does: no function is named after the new file."""
    if test.barred:
        return
    own = test.work / "replaced"
    shutil.copy(test.program("attached"), own)
    own.chmod(0o755)
    running = test.start(own, stdin=-1, stdout=-1, text=True)
    running.stdout.readline()
    own.unlink()
    shutil.copy(test.program("split"), own)
    path = test.work / "replaced.kymo"
    done = test.run(test.kymo, "record", "-q", "--pid", running.pid, "--duration", 0.5, "-o", path)
    test.equal("replaced: exit status", 0, done.returncode)
    finish(test, running, "replaced")
    frames = {frame for frames, _ in test.folded(path) for frame in frames}
    test.check("replaced: no name of the new file", "none", sorted(frames)[:10], not any("seventy" in frame for frame in frames))
    named = any("computes" in frame for frame in frames)
    if test.mode == "root":
        test.check("replaced: the names of the old file, which the kernel keeps", "computes", sorted(frames)[:10], named)


def generated(test):
    """Code that the program made itself has the names that it left, those of later lines before those of earlier ones; or the report says why not."""
    if test.barred:
        return
    running = test.start(test.program("generates"), stdin=-1, stdout=-1, text=True)
    running.stdout.readline()
    names = pathlib.Path(f"/tmp/perf-{running.pid}.map")
    try:
        path = test.work / "generated.kymo"
        done = test.run(test.kymo, "record", "-q", "--pid", running.pid, "--duration", 0.5, "-o", path)
        test.equal("generated: exit status", 0, done.returncode)
        frames = {frame for frames, _ in test.folded(path) for frame in frames}
        for name in ("JS:*hot /srv/generates.js:1:1", "JS:~warm /srv/generates.js:9:1"):
            test.check(f"generated: {name}", "a function", sorted(frames)[:10], name in frames)
        test.check("generated: the old function", "none, later lines are of its place", sorted(frames)[:10], "old_code" not in frames)
        test.check("generated: code without a name", "none", sorted(frames)[:10], not any("[generated]" in frame for frame in frames))
        missing = {row["what"] for row in test.report(path)["recording"]["unavailable"]}
        test.check("generated: names are known", "nothing said", missing, "names of just-in-time compiled code" not in missing)
    finally:
        names.unlink(missing_ok=True)
    path = test.work / "nameless.kymo"
    done = test.run(test.kymo, "record", "--pid", running.pid, "--duration", 0.3, "-o", path)
    test.equal("without names: exit status", 0, done.returncode)
    missing = {row["what"]: row for row in test.report(path)["recording"]["unavailable"]}
    test.check("without names: said", "that they are not known", sorted(missing), "names of just-in-time compiled code" in missing)
    finish(test, running, "generated")
    path = test.work / "until_its_end.kymo"
    recorder = test.start(test.kymo, "record", "--from-outside", "-o", path, "--", test.program("generates"), stdin=-1, stdout=-1, stderr=-1, text=True)
    recorder.stdout.readline()
    time.sleep(0.3)
    recorder.communicate("")
    report = test.report(path)
    frames = {frame for frames, _ in test.folded(path) for frame in frames}
    test.check("until its end: the names are read after it", "hot", sorted(frames)[:10], "JS:*hot /srv/generates.js:1:1" in frames)
    pathlib.Path(f"/tmp/perf-{report['processes'][0]['pid']}.map").unlink(missing_ok=True)


def refusals(test):
    for what, options, code, says in (
            ("no such process", ("--pid", 2**22 + 1), 3, "there is no process"),
            ("no process of that name", ("--comm", "nothing-like-it"), 3, "no process is named"),
            ("two ways", ("--pid", os.getpid(), "--all"), 2, "exclude each other"),
            ("a program, too", ("--pid", os.getpid(), "--", "true"), 2, "a program is given"),
            ("an event nearly right", ("--pid", os.getpid(), "-e", "page-fualts"), 11, "page-faults"),
            ("another look", ("--pid", os.getpid(), "--for", "before.kymo", "-e", "page-faults"), 2, "--for cannot be combined"),
            ("no group", ("--cgroup", test.work / "none"), 3, "No such file"),
            ("a directory that is none", ("--cgroup", test.work), *((8, "perf_event") if test.barred else (3, "no control group")))):
        done = test.run(test.kymo, "record", *options)
        test.equal(f"{what}: exit status", code, done.returncode)
        test.check(f"{what}: says", says, done.stderr, says in done.stderr)


def body(test):
    attaching(test)
    started(test)
    replaced(test)
    generated(test)
    refusals(test)


main(body)
