"""A recursion 1,000 calls deep is walked to its end, and folded: its function stands once on the path."""

from harness import main, plain


def body(test):
    truth, report, path = test.recorded_truth("deep")
    paths = report["recording"]["call_paths"]
    walked = paths["complete"] + paths["partial"]
    test.check("complete call paths", "≥ 99.9 %", f"{paths['complete']} of {walked} {paths.get('by_cause')}",
               walked > 0 and paths["complete"] >= 0.999 * walked)
    test.check("recursion folded", "in > 95 % of them", paths["folded"],
               truth["depth"] > 1 and paths["folded"] > 0.95 * walked)
    most = weight_below_main = everything = 0
    for frames, weight in test.folded(path):
        names = [plain(frame) for frame in frames]
        most = max(most, names.count("descend"))
        everything += weight
        weight_below_main += weight if "main" in names and "descend" in names[names.index("main"):] else 0
    test.equal("times that descend is on a path", 1, most)
    test.check("time in it, below main", "> 0.95", f"{weight_below_main / max(1, everything):.3f}",
               weight_below_main > 0.95 * everything)


main(body)
