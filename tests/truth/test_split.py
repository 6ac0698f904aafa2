"""Three functions take 70, 20 and 10 per cent: the report says so, within sampling error."""

import math

from harness import function_shares, main


def body(test):
    truth, report, _ = test.recorded_truth("split")
    shares = function_shares(report)
    samples = report["recording"]["samples"]
    known = sum(truth.values())
    seen = sum(shares.get(name, 0.0) for name in truth)
    test.check("the three together, share of all time", "> 0.95", f"{seen:.3f}", seen > 0.95)
    test.check("enough samples to judge", "> 300", samples, samples > 300)
    for name, time in truth.items():
        p = time / known
        tolerance = 3 * math.sqrt(p * (1 - p) / samples) + 0.005
        test.near(f"share of {name}", p, shares.get(name, 0.0) / seen if seen else 0.0, tolerance)


main(body)
