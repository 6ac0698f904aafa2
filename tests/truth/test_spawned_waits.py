"""A thread that starts a program and waits for it waits for a child process: also inside system(), popen() and posix_spawn()."""

from harness import main, plain

WAYS = ("by_system", "by_popen", "by_spawn")


def body(test):
    truth, report, _ = test.recorded_truth("spawned_waits")
    own = report["processes"][0]["pid"]
    for function in WAYS:
        waits = [wait for wait in report["waits"] if wait["pid"] == own and plain((wait["place"] or {}).get("function") or "") == function]
        kinds = sorted({wait["kind"] for wait in waits})
        test.equal(f"what {function} waits for", ["child"], kinds)
        count = sum(wait["count"] for wait in waits)  # of two a turn, starting the program may be too brief to count
        test.figure(f"waits in {function}", f"≥ {truth['turns']}", count, count >= truth["turns"])
        test.near(f"time in {function}, s", truth[function] / 1e9, sum(wait["seconds"] for wait in waits), 0.2 * truth[function] / 1e9)


main(body)
