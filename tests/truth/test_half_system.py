"""A program half in system time is reported as such, whatever the means of measuring."""

import math

from harness import main, plain, total


def body(test):
    truth, report, path = test.recorded_truth("half_system")
    known = truth["system"] / (truth["user"] + truth["system"])
    kernel = truth["system_ticks"] / max(1, truth["user_ticks"] + truth["system_ticks"])
    print(f"note: the kernel's own split by ticks says {kernel:.3f} in the system")
    system, on_cpu = total(report, "system_s"), total(report, "on_cpu_s")
    # The program's own account has in it what samples took from it, which is told apart; where in it they fell is not known.
    own = report["recording"]["own_work_s"]
    test.near("processor time", (truth["user"] + truth["system"]) / 1e9, on_cpu + own, 0.05 * on_cpu + 0.05 + test.taken, " s")
    lost = own / on_cpu if on_cpu else 0.0
    folded = test.folded(path)
    there = sum(weight for frames, weight in folded if "read_zeros" in map(plain, frames))
    print(f"note: {there / max(1, sum(weight for _, weight in folded)):.3f} of the time is shown below the function that reads "
          f"(its true share: {known:.3f}); without samples in the kernel, system time is shown where the next sample falls")
    seen = system / on_cpu if on_cpu else 0.0
    if test.barred:
        # There the only source is the kernel's own split, which it makes by where its ticks fall: hold the report to that, and
        # that to the truth within three standard deviations of so many ticks.
        ticks = truth["user_ticks"] + truth["system_ticks"]
        test.near("share in the system, by the kernel's split", kernel, seen, 0.02)
        test.near("share in the system", known, seen, 0.02 + lost + 3 * math.sqrt(0.25 / max(1, ticks)))
    else:
        test.near("share in the system", known, seen, 0.02 + lost + test.taken / on_cpu)


main(body)
