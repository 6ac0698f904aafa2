"""Programs built with a sanitizer run under kymo as they do without, mistakes and reports included, or are refused before they start.

Arguments: BUILD MODE PROGRAM SANITIZER [facts]. Addresses and process ids in the reports may differ.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "truth"))
from harness import main, samples_due  # noqa: E402

LIMIT = 60  # seconds; the programs take about one
NOT_RUNNABLE = 4  # docs/exit-codes.md
MISTAKES = {"address": ("leak", "overflow"), "leak": ("leak",), "undefined": ("undefined",)}
REFUSED = {"thread": "ThreadSanitizer", "memory": "MemorySanitizer"}


def plain(text):
    """A report without what differs from run to run, and without what kymo says."""
    text = re.sub(r"0x[0-9a-f]+|==\d+==|pid=\d+|\bthread T\d+|\(BuildId: \w+\)", "…", text)
    text = re.sub(r"^(kymo: | {6}).*\n", "", text, flags=re.MULTILINE)
    # By frame pointers the walk may go on above main, into what the environment happens to have there.
    text = re.sub(r"^ +#\d+ … +\(<unknown module>\)\n", "", text, flags=re.MULTILINE)
    # The memory around a bad address lies where the run has put it.
    return re.sub(r"^(=>| {2})….*\n", "", text, flags=re.MULTILINE)


def same(test, program, *arguments):
    alone = test.run(program, *arguments, timeout=LIMIT)
    what = arguments[0].strip("-")
    done, path = test.record(program, *arguments, options=("-e", "task-clock:freq=5000"), out=f"{what}.kymo", timeout=LIMIT)
    test.equal(f"{what}: exit status", 128 - alone.returncode if alone.returncode < 0 else alone.returncode, done.returncode)
    test.equal(f"{what}: output", alone.stdout, done.stdout)
    test.equal(f"{what}: error stream", plain(alone.stderr), plain(done.stderr))
    return alone, test.report(path)


def refused(test, program, sanitizer):
    done, path = test.record(program, "work")
    test.equal("exit status of a refusal", NOT_RUNNABLE, done.returncode)
    test.equal("output of a program that was not started", "", done.stdout)
    lines = done.stderr.splitlines()
    test.check("what is said", "the reason and a remedy", done.stderr,
               len(lines) == 2 and REFUSED[sanitizer] in lines[0] and f"-fsanitize={sanitizer}" in lines[1])
    test.check("no recording is left", "none", path, not path.exists())
    # Where a shell starts it, it runs without the monitor.
    _, report = same(test, "/bin/sh", "-c", f"'{program}' work; exit $?")
    told = [each["why_not_monitored"] for each in report["processes"] if each["why_not_monitored"]]
    if not test.barred:  # else the kernel tells nothing of it
        test.check("it is listed", "with the reason", told, any(REFUSED[sanitizer] in why for why in told))


def body(test):
    name, sanitizer = test.arguments
    program = test.program(name)
    if sanitizer in REFUSED:
        return refused(test, program, sanitizer)
    alone, report = same(test, program, "work")
    test.equal("by itself it works", 5, alone.returncode)
    processes = [each for each in report["processes"] if not each["why_not_monitored"]]
    test.check("all its processes are measured", "≥ 4", len(processes), len(processes) >= 4)
    # Where timers take the samples, ticks do: how many find a thread is chance, and fewer where it waits for its processor.
    least, samples = samples_due(test, report), report["recording"]["samples"]
    test.figure("samples", f"≥ {least}", samples, samples >= least)
    for mistake in MISTAKES[sanitizer]:
        alone, _ = same(test, program, mistake)
        test.check(f"{mistake} is a mistake", "a report", alone.stderr, len(alone.stderr) > 50)


main(body)
