"""Three functions take 70, 20 and 10 per cent: the report says so, within sampling error."""

from harness import main, plain, samples_due, share_error


def body(test):
    truth, report, path = test.recorded_truth("split")
    folded = [({plain(frame) for frame in frames}, weight) for frames, weight in test.folded(path)]
    everything = sum(weight for _, weight in folded)
    # The work is inlined into the three, so they are found on the path and not only at its end.
    shares = {name: sum(weight for frames, weight in folded if name in frames) / max(1, everything) for name in truth}
    samples = report["recording"]["samples"]
    known = sum(truth.values())
    seen = sum(shares.get(name, 0.0) for name in truth)
    main_thread = max(report["threads"], key=lambda thread: thread["on_cpu_s"])
    if test.barred and main_thread["off_cpu_s"] > 0.1 * main_thread["on_cpu_s"]:
        # Timers fire on the scheduler's own ticks. While others compete for the processor these also decide when the
        # program runs, and what they find is no longer an even sample of it.
        test.skip("the machine is too busy for sampling by timers to be even")
    test.check("the three together, share of all time", "> 0.95", f"{seen:.3f}", seen > 0.95)
    least = samples_due(test, report)
    test.check("samples of what it computed", f"≥ {least}", samples, samples >= least)
    recorded = report["recording"]
    on_cpu = [function["self"]["user_s"] + function["self"]["system_s"] for function in report["functions"]]
    whole = recorded["user_s"] + recorded["system_s"]
    test.near("functions' own times add up", 1.0, sum(on_cpu) / whole if whole else 0.0, 0.01)
    for name, time in truth.items():
        p = time / known
        test.near(f"share of {name}", p, shares.get(name, 0.0) / seen if seen else 0.0, share_error(test, p, samples))


main(body)
