"""Functions of threads that end before a sample is due have their time: the first sample of a thread comes at a random moment of its first
period, and the time of those without one is shared among the samples of the others.

What threads do in their first 60 µs is not known, so functions that begin later are judged, and calls only as far as that no more is charged
to them.
"""

from harness import main, plain

UNKNOWN = 60e-6  # s of each thread
THREADS = 6000


def body(test):
    truth, report, _ = test.recorded_truth("brief_threads", str(THREADS))
    seconds = {name: ns / 1e9 for name, ns in truth.items()}
    rows = {plain(function["function"]): function for function in report["functions"]}
    unknown = UNKNOWN * THREADS
    for name in ("works", "ends_work"):
        user = rows[name]["total"]["user_s"] if name in rows else 0.0
        error = 4 * (seconds[name] * 0.001) ** 0.5 + 0.02
        least = seconds[name] - error - (unknown if name == "works" else 0.0)
        test.figure(f"user time of {name}, s", f"{least:.3f} to {seconds[name] + error:.3f}", user, least <= user <= seconds[name] + error)
        system = rows[name]["total"]["system_s"] if name in rows else 0.0
        test.figure(f"system time of {name}, s", f"≤ {0.1 * seconds[name] + 0.03:.3f}", system, system <= 0.1 * seconds[name] + 0.03)
    rest = sum(node["self"]["user_s"] for node in report["call_tree"] if node["kind"] == "unsampled")
    test.figure("user time behind last samples, s", f"≤ {1.3 * unknown:.3f}", rest, rest <= 1.3 * unknown)


main(body)
