"""Known call paths have their known shares, and a worker's path hangs below the thread that created it."""

from harness import main, plain, share_error


def follows(frames, *names):
    """Do these functions appear in this order, from the outermost to the innermost?"""
    position = 0
    for frame in frames:
        if position < len(names) and frame == names[position]:
            position += 1
    return position == len(names)


def body(test):
    truth, report, path = test.recorded_truth("paths")
    folded = [([plain(f) for f in frames], weight) for frames, weight in test.folded(path)]
    everything = sum(weight for _, weight in folded)
    samples = report["recording"]["samples"]
    known = sum(truth.values())
    ways = {
        "alpha": ("main", "alpha", "beta", "leaf"),
        "gamma": ("main", "gamma_path", "leaf"),
        "workers": ("main", "start_workers", "worker", "leaf"),
    }
    seen = {name: sum(w for frames, w in folded if follows(frames, *way)) for name, way in ways.items()}
    at_leaf = sum(w for frames, w in folded if "leaf" in frames)
    test.check("time below leaf, share of all", "> 0.95", f"{at_leaf / everything if everything else 0:.3f}",
               everything > 0 and at_leaf / everything > 0.95)
    for name, way in ways.items():
        p = truth[name] / known
        test.near(" -> ".join(way), p, seen[name] / at_leaf if at_leaf else 0.0, share_error(test, p, samples))
    on_a_known_path = sum(seen.values()) / at_leaf if at_leaf else 0.0
    test.near("leaf is reached on no other path", 1.0, on_a_known_path, 0.001)
    created = [t for t in report["threads"] if any("start_workers" in str(frame) for frame in t.get("created_by") or [])]
    test.equal("threads created by start_workers", 2, len(created))


main(body)
