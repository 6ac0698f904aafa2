"""Threads that are switched often are sampled at the kernel's tick, and no less truly: their work is of a known split. Where a rate is asked
for, or a thread computes, the clock samples."""

import json
import math
import os

from harness import main


def user(report, name):
    return sum(row["total"]["user_s"] for row in report["functions"] if row["function"] == name)


def samples(report, name):
    return sum(row["total"]["samples"] for row in report["functions"] if row["function"] == name)


def recorded(test, out, *options):
    done, path = test.record(test.program("switching"), 60000, 250000, out=out, options=options)
    test.equal(f"{out}: exit status", 0, done.returncode)
    report = test.report(path)
    if report is None or done.returncode != 0:
        print(done.stderr)
        test.end()
    return json.loads(done.stdout), report, path


def body(test):
    truth, report, path = recorded(test, "switching.kymo")
    recording = report["recording"]
    if any("thread timers" in entry["why"] for entry in recording["unavailable"]):
        test.skip("performance events are barred here: all is sampled at the tick")
    if tuple(map(int, os.uname().release.split("-")[0].split(".")[:2])) < (5, 9):
        test.skip("signals of thread timers would interrupt system calls here (Linux 5.9)")
    at_tick = recording["samples_at_tick"]
    in_turns = samples(report, "heavy") + samples(report, "light")
    test.check("samples at the kernel's tick", "30 and more", at_tick, at_tick >= 30)
    # Ticks are independent draws: off by 4.9 standard deviations once in a million times.
    share = samples(report, "heavy") / max(1, in_turns)
    test.near("share of heavy()", 0.75, share, 4.9 * math.sqrt(0.75 * 0.25 / max(1, in_turns)))
    # What is counted is exact whoever samples; some of it is what the monitor takes in the threads.
    counted = next(event["process_count"] for event in recording["events"] if event["name"] == "task-clock")
    test.near("task-clock of the process", truth["spent"] / 1e9, counted / 1e9, 0.05 * truth["spent"] / 1e9 + 0.02, " s")
    # The kernel's account of the two, which goes by its ticks as the samples do: two draws of the same share. It counts the switches
    # themselves, which a thread's counters leave out.
    system = recording["system_s"] + recording["own_work_s"]
    switches = max(0.0, truth["spent"] / 1e9 - recording["user_s"] - system)
    spread = truth["system"] / truth["spent"] * (1 - truth["system"] / truth["spent"])
    stray = 4.9 * math.sqrt(2 * spread / max(1, at_tick)) * truth["spent"] / 1e9 + 0.03
    test.check("system time", f"{truth['system'] / 1e9:.3f} s, of which {switches:.3f} s may be switches, ± {stray:.3f} s", f"{system:.3f} s",
               -switches - stray <= system - truth["system"] / 1e9 <= stray)
    # Alone again, the thread is sampled by its clock: a thousand times a second, where ticks are 250 at most.
    computed = truth["compute"] / 1e9
    test.check("samples in compute()", f"{500 * computed:.0f} and more", samples(report, "compute"),
               samples(report, "compute") >= 500 * computed)
    test.near("time in compute()", computed, user(report, "compute"), 0.05 * computed + 0.025, " s")
    # At every sample the same arithmetic is timed, in ticks of the processor's clock: some tens, a few hundreds on a busy core.
    paces = [thread["pace_ticks"] for thread in report["threads"] if thread["sampled"]]
    test.check("pace of the threads' processors", "10 to 2000 ticks", paces, all(pace is not None and 10 <= pace <= 2000 for pace in paces))
    # Calls that wait are wrapped: what the wrapper calls is not the program's.
    wrapped = sorted({row["function"] for row in report["functions"]} & {"syscall", "clock_gettime", "__vdso_clock_gettime"})
    test.equal("functions that only the monitor calls", [], wrapped)
    text = " ".join(test.run(test.kymo, "report", path).stdout.split())
    test.check("the report says so", "at the kernel's tick", text[:200], "at the kernel's tick" in text)

    _, report, _ = recorded(test, "asked.kymo", "-F", "1000")
    test.equal("with a rate asked for, samples at the tick", 0, report["recording"]["samples_at_tick"])
    test.check("and by the clock there are more", f"more than {in_turns}", samples(report, "heavy") + samples(report, "light"),
               samples(report, "heavy") + samples(report, "light") > in_turns)


main(body)
