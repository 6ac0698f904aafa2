"""Waits too short to be told one by one: what they take is nobody's work. Two threads meet again and again, and one of them has a
quarter of the other's work; so that it runs for an eighth of both threads' time. A sample that meets such a wait makes it long
(it takes longer itself), and must not be a reason to tell it, and the time before it, otherwise than it would have been."""

import math
import os

from harness import main, plain


def attempt(test, out):
    environment = {**os.environ, "OMP_DYNAMIC": "false", "GOMP_SPINCOUNT": "100000", "KMP_BLOCKTIME": "1"}  # for a while, then they sleep
    truth, report, path = test.recorded_truth("waits_brief_llvm" if "llvm" in test.arguments else "waits_brief", env=environment, out=out)
    work = {"shorter": 0.0, "longer": 0.0}
    for frames, weight in test.folded(path):
        for name in work.keys() & {plain(frame) for frame in frames}:
            work[name] += weight / 1e6
    brief = sum(w["count"] for w in report["brief_waits"] if w["kind"] == "omp-barrier")
    told = sum(w["count"] for w in report["waits"] if w["kind"] == "omp-barrier")
    test.check("meetings, as brief waits or as rows", f">= {2 * truth['meetings']}", brief + told, brief + told >= 2 * truth["meetings"])
    # Outside of long waits (others had a processor), both run for as long as the longer work takes, and a little more for what the
    # run time and the wrappers need.
    both = sum(thread["states"]["user_s"] for thread in report["threads"])
    # A sample that takes long itself (on some virtual machines a tenth of a millisecond) keeps the other thread waiting as long.
    kept = report["recording"]["monitor_s"] / both
    samples = both * report["recording"]["rate_asked_hz"]
    tolerance = 4.9 * math.sqrt(1 / 8 * 7 / 8 / max(1, samples)) + 0.02 + kept
    return f"share of the shorter work of {both:.3f} s ({told} of the waits were long)", work["shorter"] / both, tolerance


def body(test):
    what, share, tolerance = attempt(test, "out.kymo")
    if not test.barred and not test.at_tick:
        # (The kernel's ticks come on all processors at once: where one thread is stopped, the other is found waiting for it.)
        test.near(what, 1 / 8, share, tolerance)


main(body)
