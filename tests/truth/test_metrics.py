"""What a program counts by kymo/metrics.h is in the recording, exactly: however many threads, and however it ends.

Nothing here depends on time but the timer, whose value is only bounded by the run's length.
"""

from harness import main


def measure(test, out, threads, rounds, how, ends_with=0):
    done, path = test.record(test.program("metrics_counts"), threads, rounds, how, out=out, options=["--metrics-period", "0.05"])
    test.equal(f"{out}: exit status", ends_with, done.returncode)
    if ends_with == 0:
        test.equal(f"{out}: the program says", "counting", done.stdout.strip().splitlines()[-1])
    report = test.report(path)
    if report is None:
        test.end()
    return report, {(metric["kind"], metric["name"]): metric for metric in report["metrics"]}


def check_counts(test, what, report, metrics, threads, rounds):
    def total(name):
        return metrics[("task", name)]["total"] if ("task", name) in metrics else 0

    test.equal(f"{what}: rounds", threads * rounds, total("rounds"))
    test.equal(f"{what}: even rounds", threads * ((rounds + 1) // 2), total("even"))
    test.equal(f"{what}: bytes", threads * (rounds * (rounds - 1) // 2), total("bytes"))
    test.equal(f"{what}: largest", rounds - 1, total("largest"))
    test.equal(f"{what}: a cell by its index, where the flag is set", 3 * threads * rounds, total("cell 7"))
    test.equal(f"{what}: the flag, when all have left", 0, total("inside"))
    most = int(report["recording"]["duration_s"] * 1e9 * threads)
    test.check(f"{what}: the timer", f"1 to {most} ns", total("inside_time"), 0 < total("inside_time") <= most)
    values = sorted(entry["value"] for entry in metrics[("task", "rounds")]["objects"])
    test.equal(f"{what}: rounds of each thread", [rounds] * threads, values)
    bins = sum(metrics[("task", "rounds")]["bins"])
    test.near(f"{what}: the parts of the run add up to the total", threads * rounds, bins, 1e-6 * threads * rounds)


def body(test):
    report, metrics = measure(test, "few.kymo", 3, 10_000, "exit")
    check_counts(test, "3 threads", report, metrics, 3, 10_000)
    test.equal("the unit", "rounds", metrics[("task", "even")]["unit"])
    test.equal("the type of the greatest", "maximum", metrics[("task", "largest")]["type"])
    user = metrics.get(("task", "user"), {}).get("total", 0) + metrics.get(("task", "system"), {}).get("total", 0)
    # The cells are filled a little after the recording's end of a thread, and count from before its begin.
    lives = sum(thread["end_s"] - thread["begin_s"] + 0.002 for thread in report["threads"])
    test.check("standard cells: processor time", f"0 to {lives:.3f} s", user / 1e9, 0 < user / 1e9 <= lives)
    test.check("processors of the host", "some", sorted(name for kind, name in metrics if kind == "processor"),
               ("processor", "busy") in metrics)

    report, metrics = measure(test, "killed.kymo", 2, 5_000, "kill", ends_with=137)
    check_counts(test, "killed", report, metrics, 2, 5_000)

    report, metrics = measure(test, "forked.kymo", 1, 1_000, "fork")
    values = {}
    for entry in metrics[("task", "rounds")]["objects"]:
        values[entry["pid"]] = values.get(entry["pid"], 0) + entry["value"]
    test.equal("rounds of the child and of its parent", [5, 1_000], sorted(values.values()))

    report, metrics = measure(test, "many.kymo", 500, 10, "exit")
    check_counts(test, "500 threads", report, metrics, 500, 10)


main(body)
