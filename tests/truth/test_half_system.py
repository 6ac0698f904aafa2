"""A program half in system time is reported as such, whatever the means of measuring."""

from harness import main, total


def body(test):
    truth, report, _ = test.recorded_truth("half_system")
    known = truth["system"] / (truth["user"] + truth["system"])
    kernel = truth["system_ticks"] / max(1, truth["user_ticks"] + truth["system_ticks"])
    print(f"note: the kernel's own split by ticks says {kernel:.3f} in the system")
    system, on_cpu = total(report, "system_s"), total(report, "on_cpu_s")
    test.near("processor time", (truth["user"] + truth["system"]) / 1e9, on_cpu, 0.05 * on_cpu + 0.05, " s")
    test.near("share in the system", known, system / on_cpu if on_cpu else 0.0, 0.02)


main(body)
