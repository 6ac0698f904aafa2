"""Sums that hold by definition, of programs of every sort: of each thread that ended by itself the states it was in (Kymo's own
work is one) make up its life, those on a processor its user + system time, which is no more than its clock counted; threads add up to the recording.

True on any machine and under any load, to what rounding leaves (1 µs)."""

from harness import main

# Threads that come and go, locks, barriers, forks, exec, signals, exceptions, contexts, generated code, tasks.
PROGRAMS = ("many_threads", "kinds_of_locks", "c11_threads", "cancellation", "spawn", "nested_handlers", "own_sigurg", "exceptions",
            "generated_code", "openmp_tasks", "waits_with_masks", "detached_threads", "longjmp", "whole_transfers")
ROUNDING = 1e-6


def is_same(a, b, parts=1):
    return abs(a - b) <= ROUNDING * max(1, parts)


def broken(report):
    """What does not add up, in words."""
    whole, threads = report["recording"], report["threads"]
    wrong = []

    def hold(what, a, b, parts=1):
        if a is None or b is None or not is_same(a, b, parts):
            wrong.append(f"{what}: {a} and {b}")

    for thread in threads:
        if not thread["sampled"] or not thread["ended"]:
            continue
        name = f"{thread['name']} {thread['tid']}"
        hold(f"{name}: user + system, on a processor", thread["user_s"] + thread["system_s"], thread["on_cpu_s"])
        # Its clock begins a moment before its life does: what it counted then may have no place in it.
        clock = thread["events"]["task-clock"] / 1e9
        if thread["on_cpu_s"] > clock + ROUNDING:
            wrong.append(f"{name}: on a processor {thread['on_cpu_s']}, but its clock counted {clock}")
        states = {key: seconds for key, seconds in thread["states"].items() if key.endswith("_s") and not isinstance(seconds, dict)}
        hold(f"{name}: states, its life", sum(states.values()), thread["end_s"] - thread["begin_s"], len(states))
        hold(f"{name}: states on a processor, user + system", states["user_s"] + states["spinning_s"] + states["system_s"], thread["on_cpu_s"])
    for key in ("user_s", "system_s"):
        known = [thread[key] for thread in threads if thread[key] is not None]
        hold(f"{key} of all threads, of the recording", sum(known), whole[key], len(known))
    hold("samples of all threads and at Kymo's own work, of the recording", sum(thread["samples"] for thread in threads) + whole["own_work_samples"], whole["samples"])
    return wrong


def body(test):
    for name in PROGRAMS:
        done, path = test.record(test.program(f"guest_{name}"), out=f"{name}.kymo", input="line 1\n")
        test.check(f"{name}: ends as it should", 0, f"{done.returncode} {done.stderr[:300]}", done.returncode == 0)
        report = test.report(path)
        if report is not None:
            test.check(f"{name}: {len(report['threads'])} threads, sums", "none broken", broken(report) or "none broken", not broken(report))


main(body)
