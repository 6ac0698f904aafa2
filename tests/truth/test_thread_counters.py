"""How each thread's counters are opened, as the kernel is asked (strace): one for each event, in one group; a buffer; the coalescing signal for
the thread itself; reset, then enabled. Their sums, and the process's own totals, are in the report."""

import re

from harness import main

SAMPLED = ("page-faults:period=64", "cpu-clock:period=3000000")
EVENTS = ("task-clock:freq=1000", *SAMPLED, "minor-faults", "major-faults", "alignment-faults")
CONFIGS = {"TASK_CLOCK", "PAGE_FAULTS", "CPU_CLOCK", "PAGE_FAULTS_MIN", "PAGE_FAULTS_MAJ", "ALIGNMENT_FAULTS"}


def calls_of(file):
    """(name, arguments, result) of each call that succeeded, in its order."""
    found = (re.match(r"(\w+)\((.*)\)\s+= (\w+)", line) for line in file.read_text().splitlines())
    return [match.groups() for match in found if match]


def check_thread(test, name, tid, calls):
    def position(call, *words):
        return next((i for i, (which, arguments, _) in enumerate(calls) if which == call and arguments.startswith(words[0]) and
                     all(word in arguments for word in words)), -1)

    counters = {}  # by the descriptor that is kept: (what it counts, the group's leader)
    for i, (call, arguments, result) in enumerate(calls):
        if call == "perf_event_open":
            kept = next(kept for which, where, kept in calls[i:] if which == "fcntl" and where.startswith(f"{result}, F_DUPFD_CLOEXEC"))
            owner = re.search(r"\}, (-?\d+), (-?\d+), (-?\d+), ", arguments).groups()
            test.equal(f"{name}: a counter of this thread, on any processor", ("0", "-1"), owner[:2])
            counters[kept] = (re.search(r"PERF_COUNT_SW_(\w+)", arguments)[1], owner[2])
    leader = next(iter(counters), None)
    if not test.check(f"{name}: one counter for each event", CONFIGS, counters, CONFIGS <= {what for what, _ in counters.values()}):
        return
    test.equal(f"{name}: in one group", {kept: "-1" if kept == leader else leader for kept in counters}, {kept: of for kept, (_, of) in counters.items()})
    # At any address, or in place of address space that was given back before.
    buffer = re.compile(rf"MAP_SHARED(\|MAP_FIXED)?, {leader}, 0$")
    maps = [where for call, where, _ in calls if call == "mmap" and "MAP_SHARED" in where]
    test.check(f"{name}: its buffer", "mapped, shared", maps, any(buffer.search(where) for where in maps))
    enabled = position("ioctl", f"{leader}, PERF_EVENT_IOC_ENABLE")
    for kept, (what, _) in counters.items():
        if what not in ("TASK_CLOCK", "PAGE_FAULTS", "CPU_CLOCK"):
            continue
        steps = [position("fcntl", f"{kept}, F_SETSIG, SIGURG"), position("fcntl", f"{kept}, F_SETOWN_EX", f"F_OWNER_TID, pid={tid}"),
                 position("fcntl", f"{kept}, F_SETFL", "ASYNC"), enabled]
        test.check(f"{name}: {what} signals this thread: signal, owner, asynchronous, enabled", "in this order", steps, -1 < steps[0] and steps == sorted(steps))
    resets = [i for i, (call, where, _) in enumerate(calls) if call == "ioctl" and where.startswith(f"{leader}, PERF_EVENT_IOC_RESET")]
    test.check(f"{name}: reset once, before it is enabled", f"before {enabled}", resets, len(resets) == 1 and resets[0] < enabled)


def body(test):
    strace = test.tool("strace", "strace")
    if test.barred:
        test.skip("this machine has no performance events")
    if test.run(strace, "-o", test.work / "try", "true").returncode != 0:
        test.skip("this machine lets nobody trace")
    test.as_own_user()
    path = test.work / "out.kymo"
    options = [word for event in EVENTS for word in ("-e", event)]
    test.must(strace, "-ff", "-q", "-e", "trace=perf_event_open,ioctl,fcntl,mmap", "-o", test.work / "trace", test.kymo, "record", *options, "-o", path, "--",
              test.program("threads"), 2, 30)
    report = test.report(path)
    threads = {thread["name"]: thread for thread in report["threads"]}
    for name in ("t0", "t1"):
        tid = threads[name]["tid"]
        check_thread(test, name, tid, calls_of(test.work / f"trace.{tid}"))
    for event in report["recording"]["events"]:
        name = event["name"]
        test.equal(f"{name}: of the threads", sum(thread["events"][name] for thread in threads.values()), event["count"])
        # A thread is counted from where its counters are opened to where they are read for the last time. The process's processor time is that of
        # the kernel's accounts, which leaves out what a hypervisor took; counters of the clock have it.
        if name.endswith("-clock"):
            continue
        test.check(f"{name}: of the process", f"{event['count']} and more", event["process_count"],
                   event["process_count"] is not None and event["process_count"] >= event["count"])


main(body)
