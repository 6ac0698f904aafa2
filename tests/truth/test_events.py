"""Several events at once are counted rightly, and the report tells the rate delivered beside the rate asked."""

from harness import main, samples_due, total

EVENTS = {
    "root": ("task-clock:freq=1000", "page-faults", "minor-faults", "major-faults", "context-switches", "cpu-migrations"),
    # Those that an ordinary user may count at the kernel's usual setting ...
    "user": ("task-clock:freq=1000", "page-faults", "minor-faults", "major-faults", "alignment-faults", "cpu-clock"),
    # ... and those that are left without performance events.
    "barred": ("task-clock:freq=1000", "page-faults"),
}


def check_every_thread(test, *events):
    """Counters that a thread cannot do without are opened with it (others at its first overflow), and it is sampled as any."""
    options = [word for event in ("task-clock:freq=1000", *events) for word in ("-e", event)]
    done, path = test.record(test.program("threads"), 4, 60, out=f"{events[0]}.kymo", options=options)
    test.equal(f"{events}: status", 0, done.returncode)
    report = test.report(path)
    for thread in report["threads"] if report else ():
        if thread["creator_tid"] is not None:
            # What it computes is known: a thread without counters would have no time either.
            least = samples_due(test, report, [{"user_s": 0.06}])
            test.check(f"{events}: samples of {thread['name']}", f"≥ {least}", thread["samples"], thread["samples"] >= least)


def body(test):
    if not test.barred:
        check_every_thread(test, "page-faults:period=64")
        check_every_thread(test, "alignment-faults")
    events = EVENTS[test.mode]
    options = [word for event in events for word in ("-e", event)]
    truth, report, path = test.recorded_truth("faults", options=options)
    recording = report["recording"]
    counts = {event["name"]: event["count"] for event in recording["events"]}
    for event in events:
        name = event.split(":")[0]
        test.check(f"event {name}", "counted, or told to be unavailable", counts.get(name),
                   name in counts or any(name in str(u) for u in recording["unavailable"]))
    for name in ("page-faults", "minor-faults"):
        if name in counts:
            # Beside the known ones there are those of starting and ending the program.
            test.check(f"{name} of the whole run", f"{truth['pages']} to {truth['pages'] + 3000}", counts[name],
                       truth["pages"] <= counts[name] <= truth["pages"] + 3000)
    test.equal("rate asked", 1000, recording["rate_asked_hz"])
    # A rate is by processor time, or by user time where samples cannot fall into the kernel. In a program that is half of its time there the two
    # are far apart, and what the hypervisor takes counts as either: the rate is between them.
    rates = [recording["samples"] / time for time in (total(report, "on_cpu_s"), total(report, "user_s")) if time]
    delivered = recording["rate_delivered_hz"]
    test.check("rate delivered", " to ".join(f"{rate:.0f}" for rate in rates) + " Hz, ± 10 %", f"{delivered:.0f} Hz",
               0.9 * min(rates, default=0) <= delivered <= 1.1 * max(rates, default=0))
    files = [f for f in path.iterdir() if f.is_file()]
    size = sum(f.stat().st_size for f in files)
    print(f"note: {size} bytes in {len(files)} files, {size / max(1, recording['samples']):.1f} a sample, {len(counts)} events")


main(body)
