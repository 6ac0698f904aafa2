"""kymo record -e of programs measured from outside, attached, started and linked statically: page faults and losses of the processor, of which
functions have so many, are counted where they happen. What is refused names the reason."""

import collections
import json
import pathlib
import re
import signal

from harness import main

PERIOD = 100
NAMES = ("touch_few", "touch_many", "sleep_often")


def sees_kernel(test):
    return test.mode == "root" or int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text()) <= 1


def counts(test, recording, event):
    out = test.must(test.kymo, "export", recording, "--to", "folded", "--no-creator", "--weight", event)
    sums = collections.Counter()
    for line in out.splitlines():
        frames, value = line.rsplit(" ", 1)
        for name in NAMES:
            if re.search(rf"\b{name}\b", frames):
                sums[name] += float(value)
    return sums


def check_counts(test, what, path, truth):
    report = test.report(path)
    if report is None:
        return
    events = {event["name"]: event for event in report["recording"]["events"]}
    test.check(f"{what}: page-faults", "an event of the recording, with its samples", sorted(events), "page-faults" in events)
    missing = [row["what"] for row in report["recording"]["unavailable"]]
    if any("samples of" in row for row in missing):
        print(f"note: {what}: the kernel had no room for some samples: {missing}")
        return
    faults = counts(test, path, "page-faults")
    for name in ("touch_few", "touch_many"):
        # What other code left of a period counts for the first function that ends it; a fault may be taken twice.
        least, most = truth[name] - PERIOD, truth[name] * 1.02 + PERIOD
        test.check(f"{what}: page faults in {name}", f"{least:.0f} to {most:.0f}", faults[name], least <= faults[name] <= most)
    if sees_kernel(test):
        switches = counts(test, path, "context-switches")
        # A sleep that is over before the thread has left its processor is none.
        least = truth["sleep_often"] * 0.95
        test.check(f"{what}: losses of the processor in sleep_often", f"at least {least:.0f}", switches["sleep_often"], switches["sleep_often"] >= least)


def events_of(test):
    return f"page-faults:period={PERIOD}" + (",context-switches" if sees_kernel(test) else "")


def started(test):
    for program, options in (("asked_events_static", ()), ("asked_events", ("--from-outside",))):
        path = test.work / f"{program}.kymo"
        done = test.run(test.kymo, "record", *options, "--stack", 1024, "-e", events_of(test), "-o", path, "--", test.program(program), input="go\n")
        test.equal(f"{program}: exit status", 7, done.returncode)
        if path.exists():
            check_counts(test, program, path, json.loads(done.stdout.splitlines()[-1]))


def attached(test, what, options):
    running = test.start(test.program("asked_events"), stdin=-1, stdout=-1, text=True)
    running.stdout.readline()
    path = test.work / f"{what}.kymo"
    scope = ("--all",) if what == "all" else ("--pid", running.pid)
    recorder = test.start(test.kymo, "record", *scope, "--stack", 1024, *options, "-o", path, stderr=-1, text=True)
    said = recorder.stderr.readline()
    test.check(f"{what}: begun", "recording", said, "recording" in said)
    running.stdin.write("go\n")
    running.stdin.flush()
    truth = json.loads(running.stdout.readline())
    recorder.send_signal(signal.SIGINT)
    recorder.stderr.read()
    test.equal(f"{what}: exit status", 0, recorder.wait())
    running.stdin.close()
    running.wait()
    check_counts(test, what, path, truth)


def refusals(test):
    running = test.start(test.program("asked_events"), stdin=-1, stdout=-1, text=True)
    running.stdout.readline()
    refused = [("no such event", "no-such-event", (11,), "no-such-event"), ("too often", "cpu-clock:period=1", (2,), "10000 ns"),
               ("a bad number", "page-faults:period=x", (2,), "not a number")]
    if not sees_kernel(test):
        refused += [("the kernel's event", "context-switches", (8,), "context-switches"), ("a migration", "cpu-migrations", (8,), "cpu-migrations")]
    for what, event, codes, says in refused:
        path = test.work / "refused.kymo"
        done = test.run(test.kymo, "record", "--pid", running.pid, "-e", event, "--duration", 1, "-o", path)
        test.check(f"{what}: exit status", codes, done.returncode, done.returncode in codes)
        test.check(f"{what}: says", says, done.stderr, says in done.stderr)
        test.equal(f"{what}: nothing is left", False, path.exists())
    running.stdin.close()
    running.wait()


def body(test):
    if test.barred:
        test.skip("performance events are barred here")
    started(test)
    attached(test, "attached", ("-e", events_of(test)))
    if test.mode == "root":
        attached(test, "all", ("-e", events_of(test)))
    refusals(test)


main(body)
