"""A triangular loop with a static schedule, of GNU's run time or (argument llvm) LLVM's: who waits for whom at its end, how long the
worker is idle between the loops and what the other thread does then, and that the work of both hangs below the loop; with
waiting threads that spin and with such that sleep."""

import math
import os

from harness import main, plain, preempted, tick_rate


def check(test, policy):
    name = "omp_triangle_llvm" if "llvm" in test.arguments else "omp_triangle"
    environment = {**os.environ, "OMP_WAIT_POLICY": policy}
    truth, report, path = test.recorded_truth(name, env=environment, out=f"{policy}.kymo")
    first, second = truth["threads"]
    unknown = preempted(test, truth)

    def rows_of(kind):
        return [w for w in report["waits"] if w["kind"] == kind and w["place"] and plain(w["place"]["function"]) == "triangle"]

    barriers = rows_of("omp-barrier")
    known = (first["waited"] + second["waited"]) / 1e9
    test.near(f"{policy}: waited for the ends of the loops", known, sum(r["seconds"] for r in barriers), 0.03 * known + unknown, " s")
    for row in barriers:
        test.equal(f"{policy}: the loop's line", truth["loop_line"], row["place"]["line_begin"])
    kept = sum(b["seconds"] for b in report["blocking"] if b["holder"]["tid"] == second["tid"] and b["waiter"]["tid"] == first["tid"])
    test.near(f"{policy}: the second kept the first waiting", first["waited"] / 1e9, kept, 0.03 * first["waited"] / 1e9 + unknown, " s")
    idle = rows_of("omp-idle")
    test.near(f"{policy}: idle", second["idle"] / 1e9, sum(r["seconds"] for r in idle), 0.03 * second["idle"] / 1e9 + unknown, " s")
    if test.check(f"{policy}: places of idleness", 1, len(idle), len(idle) == 1):
        test.equal(f"{policy}: who was idle", [second["tid"]], [w["tid"] for w in idle[0]["waiters"]])
        test.equal(f"{policy}: until this one opened the loop", first["tid"], idle[0]["holder"]["tid"])
    below = {"joined": 0.0, "elsewhere": 0.0}
    for frames, weight in test.folded(path):
        names = [plain(frame) for frame in frames]
        if "row" in names:
            at = names.index("row")
            joined = "main" in names[:at] and "triangle" in names[:at] and "start_thread" not in names and not any("clone" in n for n in names)
            below["joined" if joined else "elsewhere"] += weight
    test.check(f"{policy}: work outside the loop's call path", 0, below["elsewhere"], below["elsewhere"] == 0)
    if test.barred:
        return  # the timers of a busy machine tick too seldom to say how much
    computed = (first["computed"] + second["computed"]) / 1e9
    # Every stretch of work begins and ends somewhere in a sampling period: an error of the period times sqrt(1/6) each, by chance.
    stretches = sum(r["count"] for r in barriers + idle)
    rate = report["recording"]["rate_asked_hz"]
    sampling = math.sqrt(stretches / 6) / (min(rate, tick_rate()) if test.at_tick else rate)
    test.near(f"{policy}: work below the loop", computed, below["joined"] / 1e6, 0.03 * computed + 4 * sampling + test.taken, " s")


def body(test):
    for policy in ("active", "passive"):
        check(test, policy)


main(body)
