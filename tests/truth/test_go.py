"""Go programs, linked statically, with symbols and stripped of them: measured from outside, functions, inlined functions, source files and lines are
named alike by Go's own function table, call paths reach the outermost function, and two functions have their shares."""

import json

from harness import main, share_error


def measure(test, name):
    if not (test.build / "tests" / "programs" / name).exists():
        test.skip("go is not installed (apt-get install golang-go)")
    done, path = test.record(test.program(name), out=f"{name}.kymo")
    if test.barred:
        test.equal(f"{name} refused: exit status", 8, done.returncode)
        return
    if not test.equal(f"{name}: exit status", 0, done.returncode):
        print(done.stderr)
        return
    steps = json.loads(done.stdout)
    report = test.report(path)
    if report is None:
        return
    folded = test.folded(path)
    frames = {frame for frames, _ in folded for frame in frames}
    for function in ("main.heavy", "main.light", "main.step", "main.(*rounds).work", "main.main.func1"):
        test.check(f"{name}: {function} has its name", "among the frames", sorted(frames)[:20], function in frames)
    files = {function["function"]: function.get("file") or "" for function in report["functions"]}
    test.check(f"{name}: the source of main.heavy", "go_split.go", files.get("main.heavy"), files.get("main.heavy", "").endswith("go_split.go"))
    inlined = [path for path, _ in folded if "main.step" in path and path[path.index("main.step") - 1] in ("main.heavy", "main.light")]
    test.check(f"{name}: main.step is inlined into its callers", "some paths", inlined[:2], bool(inlined))
    # A goroutine's path begins where Go begins every one. (Of a sample in a signal's handler the interrupted function's caller is not known.)
    whole = [path[:path.index("main.heavy")] for path, _ in folded if "main.heavy" in path and "[partial call paths]" not in path]
    callers = ["runtime.goexit", "main.main.func1", "main.(*rounds).work"]
    test.check(f"{name}: callers of main.heavy", callers, whole[:3], callers in whole)

    everything = sum(weight for _, weight in folded)
    shares = {function: sum(weight for path, weight in folded if function in path) / max(1, everything) for function in steps}
    known = sum(shares.values())
    test.figure(f"{name}: the two together, share of all time", "> 0.9", f"{known:.3f}", known > 0.9)
    samples = report["recording"]["samples"]
    for function, count in steps.items():
        share = count / sum(steps.values())
        test.near(f"{name}: share of {function}", share, shares[function] / known if known else 0.0, share_error(test, share, samples))
    partial = sum(weight for path, weight in folded if "[partial call paths]" in path) / max(1, everything)
    test.figure(f"{name}: share of complete paths", ">= 0.9", f"{1 - partial:.3f}", partial <= 0.1)


def body(test):
    for name in ("go_split", "go_split_stripped"):
        measure(test, name)


main(body)
