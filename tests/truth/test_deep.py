"""A recursion 1,000 calls deep is walked to its end."""

from harness import main, plain


def body(test):
    truth, report, path = test.recorded_truth("deep")
    paths = report["recording"]["call_paths"]
    walked = paths["complete"] + paths["partial"]
    test.check("complete call paths", "≥ 99.9 %", f"{paths['complete']} of {walked} {paths.get('by_cause')}",
               walked > 0 and paths["complete"] >= 0.999 * walked)
    depth = weight_at_depth = everything = 0
    for frames, weight in test.folded(path):
        calls = sum(plain(frame) == "descend" for frame in frames)
        depth = max(depth, calls)
        everything += weight
        weight_at_depth += weight if calls == truth["depth"] and "main" in map(plain, frames) else 0
    test.equal("calls of descend on the deepest path", truth["depth"], depth)
    test.check("time at that depth, below main", "> 0.95", f"{weight_at_depth / max(1, everything):.3f}",
               weight_at_depth > 0.95 * everything)


main(body)
