"""Several events at once are counted rightly, and the report tells the rate delivered beside the rate asked."""

from harness import main, total

EVENTS = {
    "root": ("task-clock:freq=1000", "page-faults", "minor-faults", "major-faults", "context-switches", "cpu-migrations"),
    # Those that an ordinary user may count at the kernel's usual setting ...
    "user": ("task-clock:freq=1000", "page-faults", "minor-faults", "major-faults", "alignment-faults", "cpu-clock"),
    # ... and those that are left without performance events.
    "barred": ("task-clock:freq=1000", "page-faults"),
}


def body(test):
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
    # A rate is by processor time, or by user time where samples cannot fall into the kernel.
    rates = [recording["samples"] / time for time in (total(report, "on_cpu_s"), total(report, "user_s")) if time]
    delivered = recording["rate_delivered_hz"]
    test.check("rate delivered", " or ".join(f"{rate:.0f}" for rate in rates) + " Hz, ± 10 %", f"{delivered:.0f} Hz",
               any(abs(delivered - rate) <= 0.1 * rate for rate in rates))
    files = [f for f in path.iterdir() if f.is_file()]
    size = sum(f.stat().st_size for f in files)
    print(f"note: {size} bytes in {len(files)} files, {size / max(1, recording['samples']):.1f} a sample, {len(counts)} events")


main(body)
