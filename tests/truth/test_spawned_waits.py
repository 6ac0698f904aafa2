"""A thread that starts a program and waits for it waits for a child process: also inside system(), popen() and posix_spawn()."""

from harness import main, plain

# The fewest waits a turn: system() is one; pclose() or waitpid() are one each, beside starting the program, which may be brief.
LEAST = {"by_system": 1, "by_popen": 1, "by_spawn": 1}


def body(test):
    truth, report, _ = test.recorded_truth("spawned_waits")
    own = report["processes"][0]["pid"]
    for function, least in LEAST.items():
        waits = [wait for wait in report["waits"] if wait["pid"] == own and plain((wait["place"] or {}).get("function") or "") == function]
        kinds = sorted({wait["kind"] for wait in waits})
        test.equal(f"what {function} waits for", ["child"], kinds)
        test.figure(f"waits in {function}", f"≥ {least * truth['turns']}", sum(wait["count"] for wait in waits),
                    sum(wait["count"] for wait in waits) >= least * truth["turns"])
        test.near(f"time in {function}, s", truth[function] / 1e9, sum(wait["seconds"] for wait in waits), 0.2 * truth[function] / 1e9)


main(body)
