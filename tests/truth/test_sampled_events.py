"""A second event that samples takes nothing away: every thread is still measured, from its begin to its end."""

from harness import main


def body(test):
    truth, report, _ = test.recorded_truth("states", options=["-e", "page-faults:period=10000"])
    threads = {thread["name"]: thread for thread in report["threads"]}
    truth.pop("main_asleep")
    for name, known in truth.items():
        thread = threads.get(name)
        if not test.check("thread", name, sorted(threads), thread is not None):
            continue
        on = known["on"] / 1e9
        test.near(f"{name}, processor time", on, thread["on_cpu_s"], 0.02 * on + 0.005 + test.taken, " s")
        # Half of them in the kernel, reading clocks, where samples do not fall.
        if on > 0.05:
            test.check(f"{name}, samples", "at least one in a hundred milliseconds", thread["samples"], thread["samples"] >= 10 * on)


main(body)
