"""A program must not notice that it is recorded: the same output, the same status, and no hanging.

Arguments: BUILD MODE PROGRAM [samples]. The program runs plain, then under kymo in the mode, sampled five times faster than usual;
what it prints and how it ends must be the same, and its recording must be readable. With "samples", how many of them, of its waits and of its
complete call paths the recording has: figures of a live run, for the statistical suite. With "slowed", all other threads pause while one is in
main(): a virtual speed-up (src/events/speed_up.h) must not be noticed either.
"""

import pathlib
import re
import signal
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "truth"))
from harness import main, samples_due, total  # noqa: E402

INPUT = "".join(f"line {i}\n" for i in range(12))
LIMIT = 60  # seconds; the programs take about one
# What of its computing may be sampled, in seconds: while a signal that it has blocked waits for it, and until it changes its mask
# after that, a thread is only counted (docs/monitor.md); so is one that a timer is to sample and that may have none, or whose
# system calls are dispatched to itself.
SAMPLED = {"sigurg_waited_for": 0.12, "sigurg_in_sigsuspend": 0.2, "no_pending_signals": 0.09, "own_system_calls": 0.04, "trace_a_child": 0.04, "trace_me": 0.0,
           "dispatched_calls": 0.04}
# By itself a program is told to leave out what only a parent such as kymo makes good.
ALONE = {"trace_me": ["untraced"]}
# What the recording must say about samples that there are not (in part).
TOLD = {"own_system_calls": "taken the sampling signal", "trace_a_child": "stop them for their tracer", "trace_me": "stop them for their tracer",
        "dispatched_calls": "would be dispatched"}

# Seconds that they compute for at least, which the recording must know, whatever they do to their performance events.
COMPUTES = {"own_counters": 0.08}

# Waits of a kind that the report must have, neither more nor fewer.
WAITS = {"raw_clone_calls": ("sleep", 300)}

# Of the call paths of these, how many must lead up to the start.
COMPLETE = {"program_with_gaps": 0.99, "generated_code": 0.98, "frame_in_red_zone": 0.99, "code_without_tables": 0.98}


# What not every machine lets a program do, whoever records it: a virtual machine whose kernel has no privileges of its own may not.
OF_THE_MACHINE = {"mixed_modes": "32-bit code in a 64-bit program", "no_stack_pointer": "any number in the stack pointer"}


def slowed(test, program):
    """A command that runs the program with a virtual speed-up of main(), whole."""
    symbols = test.must(test.tool("nm", "binutils"), "-S", "--defined-only", program)
    notes = test.must(test.tool("readelf", "binutils"), "-n", program)
    main_function = re.search("^([0-9a-f]+) ([0-9a-f]+) [Tt] main$", symbols, re.MULTILINE)
    build_id = re.search("Build ID: ([0-9a-f]+)", notes)
    if not main_function or not build_id:
        test.skip("the program has no main, or no build id")
    begin, size = (int(number, 16) for number in main_function.groups())
    version, whole = 1, 65536
    files = test.fresh()
    files.chmod(0o755)
    (files / "speed-up-code").write_text(f"kymo-kept 1\nimage {build_id[1]}\nrange {begin:x} {begin + size:x}\n")
    (files / "speed-up").write_bytes(struct.pack("7Q", version, whole, 0, 0, 0, 0, 0))
    # The shell is measured without them, and becomes the program.
    return ["sh", "-c", f'cp {files}/speed-up* "$KYMO_SESSION" && exec "$0"', program]


def body(test):
    name = test.arguments[0]
    program = test.program(f"guest_{name}")
    give = {"input": INPUT, "timeout": LIMIT}
    # Plain, but as the same user and behind the same filter.
    alone = test.run(program, *ALONE.get(name, []), **give)
    if name in OF_THE_MACHINE and alone.returncode == -signal.SIGSEGV:
        test.skip(f"this machine does not allow {OF_THE_MACHINE[name]}")
    expected = 128 - alone.returncode if alone.returncode < 0 else alone.returncode
    test.check("the program by itself", "does not fail", f"{alone.returncode} {alone.stderr[:300]}", alone.returncode not in (98, 99, -signal.SIGSEGV))
    command = slowed(test, program) if test.arguments[1:] == ("slowed",) else [program]
    done, path = test.record(*command, options=("-e", "task-clock:freq=5000"), **give)
    test.equal("exit status", expected, done.returncode)
    test.equal("output", alone.stdout, done.stdout)
    test.check("lines of the error stream", repr(alone.stderr), repr(done.stderr[-600:]), all(l in done.stderr.splitlines() for l in alone.stderr.splitlines()))
    report = test.report(path)
    if not report:
        return
    test.equal("exit status in the report", expected, report["recording"]["exit_status"])
    told = "; ".join(each["why"] for each in report["recording"]["unavailable"])
    test.check("what is told as unavailable", TOLD.get(name, "nothing of these"), told,
               TOLD[name] in told if name in TOLD else not any(words in told for words in TOLD.values()))
    if test.arguments[1:] == ("samples",):
        check_samples(test, name, report)


def check_samples(test, name, report):
    recording = report["recording"]
    threads = None
    if name in SAMPLED:
        threads = [{"user_s": min(SAMPLED[name], total(report, "user_s")), "run_queue_s": total(report, "run_queue_s")}]
    least = samples_due(test, report, threads)
    test.check("samples", f"≥ {least}", recording["samples"], recording["samples"] >= least)
    if name in COMPUTES:
        computed = total(report, "user_s") + total(report, "system_s")
        test.check("processor time, s", f"≥ {COMPUTES[name]}", computed, computed >= COMPUTES[name])
    if name in WAITS:
        kind, count = WAITS[name]
        # A sample may meet a call on its way into the kernel and end it there: it is a wait all the same, but a brief one.
        seen = sum(each["count"] for table in ("waits", "brief_waits") for each in report[table] if each["kind"] == kind)
        test.equal(f"waits by {kind}", count, seen)
    print("note:", recording["call_paths"])
    if name in COMPLETE and recording["samples"] >= 100:
        share = recording["call_paths"]["complete"] / recording["samples"]
        test.check("share of call paths that are complete", f"≥ {COMPLETE[name]}", share, share >= COMPLETE[name])


main(body)
