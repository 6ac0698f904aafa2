"""Exact occurrences: every call of the functions around what an earlier recording kept. The program says how often it has called each of its
functions; some of them call themselves, and some are left by longjmp, by pthread_exit, by exit, or run in a forked child. Three calls of one
sleep: they are among the slowest, and no other call gives its processor up."""

from harness import main, plain

SLEEP = 0.02


def body(test):
    program = test.program("exact_calls")
    alone = test.run(program)
    done, first = test.record(program, out="first.kymo")
    test.check("the first run ends well", 0, done.returncode, done.returncode == 0)
    again = test.work / "again.kymo"
    done = test.run(test.kymo, "record", "--for", first, "--exact", "-o", again)
    if not test.check("the exact one, too", 0, done.returncode, done.returncode == 0):
        print(done.stderr)
        test.end()
    print(done.stderr)
    test.equal("the program prints the same", alone.stdout, done.stdout)
    sleepers = [int(word) for line in done.stderr.splitlines() if line.startswith("sleepers") for word in line.split()[1:]]
    report = test.report(again)
    if report is None:
        test.end()
    exact = report.get("exact")
    if not test.check("exact occurrences are in the report", "some", exact and len(exact["functions"]), exact and exact["functions"]):
        test.end()
    test.equal("which recording the functions are from", str(first), exact["recording"])
    functions = {plain(function["name"]): function for function in exact["functions"]}
    truth = {"step": 1005, "steps": 2, "descend": 10, "leap": 4, "ends_inside": 1, "main": 1}
    for name, calls in truth.items():
        function = functions.get(name)
        if not test.check(f"{name}() is counted", "hooked", function and function["refused"], function and function["refused"] is None):
            continue
        test.equal(f"calls of {name}()", calls, function["calls"])
        test.equal(f"{name}(): the histogram adds up", function["calls"] - function["running_calls"] - function["cut_calls"] - function["untimed_calls"],
                   sum(number for _, number in function["histogram_ns"]))
        test.equal(f"{name}(): the slowest are kept, longest first", sorted((slow["duration_s"] for slow in function["slowest"]), reverse=True),
                   [slow["duration_s"] for slow in function["slowest"]])
        test.equal(f"{name}(): as many of them as there are, and 16 at most", min(16, sum(number for _, number in function["histogram_ns"])),
                   len(function["slowest"]))
    ends = {name: (function["running_calls"], function["cut_calls"]) for name, function in functions.items()}
    test.equal("still running, cut short: main() (it calls exit)", (1, 0), ends.get("main"))
    test.equal("leap() (longjmp)", (0, 3), ends.get("leap"))
    for name in ("step", "descend"):
        test.equal(f"{name}()", (0, 0), ends.get(name))
    test.equal("ends_inside() is over", 0, ends.get("ends_inside", (None,))[0])
    if "step" in functions:
        step = functions["step"]
        test.equal("threads that call step(): two, and the child", 3, step["threads"])
        slept = [slow for slow in step["slowest"] if slow["voluntary_switches"] and slow["duration_s"] >= SLEEP]
        test.equal("calls of step() that slept, by thread", sorted([sleepers[0], sleepers[0], sleepers[1]]), sorted(slow["tid"] for slow in slept))
        test.check("none of them was on a processor all the time", "below 1", [slow["processor_share"] for slow in slept],
                   all(slow["processor_share"] < 1 for slow in slept))
        nodes = [space for space in report["spaces"] if space["kind"] == "function" and plain(space["place"]["function"]) == "step"]
        told = [space.get("exact_calls") for space in nodes]
        test.check("the space of step() has the exact count, where it has one call path", "1005", told,
                   told == [1005] or (len(told) > 1 and told == [None] * len(told)))
    text = test.run(test.kymo, "report", again)
    test.check("the report for people has them", "Exact occurrences", text.stdout[-600:],
               "Exact occurrences" in text.stdout and "first.kymo" in text.stdout and "1,005" in text.stdout)

    # Without an earlier recording nobody knows which functions.
    done = test.run(test.kymo, "record", "--exact", "--", program)
    test.check("--exact alone is refused", "2, --for", (done.returncode, done.stderr), done.returncode == 2 and "--for" in done.stderr)


main(body)
