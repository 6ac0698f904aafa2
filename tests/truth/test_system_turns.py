"""The report charges system time to the functions that make the calls, though most samples of the clock hit what computes between them."""

from harness import main, plain

LOOKS = 250  # a second of system time at most, on most kernels


def body(test):
    truth, report, _ = test.recorded_truth("system_turns")
    seconds = {name: ns / 1e9 for name, ns in truth.items()}
    rows = {plain(function["function"]): function for function in report["functions"]}
    system = report["recording"]["system_s"]
    looks = max(1.0, LOOKS * system)
    calls = seconds["reads_much"] + seconds["reads_little"]
    whole = sum(seconds.values())
    for name in ("reads_much", "reads_little"):
        p = seconds[name] / calls
        error = 4 * (p * (1 - p) / looks) ** 0.5 * calls / whole + 0.03
        total = rows[name]["total"] if name in rows else {"user_s": 0.0, "system_s": 0.0}
        test.near(f"share of {name}", seconds[name] / whole, (total["user_s"] + total["system_s"]) / whole, error)
    computing = rows["compute"]["total"]["system_s"]
    test.figure("system time where it only computes, s", f"≤ {0.03 * system:.3f}", computing, computing <= 0.03 * system)


main(body)
