"""Go programs that run already, linked statically, stripped, and with C code: attached to, their functions have their names, each path to a function that
works is the only one there is, also through goroutines' other stacks and calls back from C, and nearly all paths reach the outermost function."""

import re

from harness import main

REFUSED = 8
SERVER = ["runtime.goexit", "main.main.func", "main.serve", "main.answer"]
CALLS_C = ["runtime.goexit", "main.main.func", "main.turns"]
# Of functions that work: the frames from the outermost on.
WAYS = {
    "go_server": {
        "main.workOfInterface": [*SERVER, "main.(*byInterface).do"],
        "main.workOfClosure": [*SERVER, "main.apply", "main.answer.func"],
        "main.workDeferred": [*SERVER, "main.defers", "main.defers.func"],
        "main.workDeep": [*SERVER, *["main.down"] * 31],
        "main.makeGarbage": SERVER,
    },
    "go_calls_c": {
        # Once C has called back, the path is the goroutine's: the C function's frames are on another stack.
        "main.goWork": [*CALLS_C, "main.throughC", "main._Cfunc_c_calls_back", "runtime.cgocall", "runtime.systemstack_switch", "runtime.cgocallback",
                        "runtime.cgocallbackg", "runtime.cgocallbackg1", "_cgoexp_goBack", "main.goBack"],
        "c_work": [*CALLS_C, "main.intoC", "main._Cfunc_c_outer", "runtime.cgocall", "runtime.asmcgocall", "_cgo_Cfunc_c_outer", "c_outer"],
    },
}
WAYS["go_server_stripped"] = WAYS["go_server"]


def plain(frame):
    """Without the number that cgo gives a build, and those of functions without a name, which differ between versions of Go."""
    frame = re.sub(r"_cgo(exp)?_[0-9a-f]+_", r"_cgo\1_", frame)
    return re.sub(r"\.(func|gowrap|deferwrap)[0-9.]+$", ".func", frame)


def once(frames):
    """Frames that follow one another under the same name, as inlined and outlined parts and cgo's wrappers do, count once; a recursion's do not."""
    return [frame for i, frame in enumerate(frames) if i == 0 or frame != frames[i - 1] or frame == "main.down"]


def attach(test, name):
    if not (test.build / "tests" / "programs" / name).exists():
        print(f"note: {name} is not built: go, or a C compiler for it, is not installed (apt-get install golang-go)")
        return False
    running = test.start(test.program(name), stdin=-1, stdout=-1, text=True)
    test.equal(f"{name} is ready", "ready\n", running.stdout.readline())
    path = test.work / f"{name}.kymo"
    done = test.run(test.kymo, "record", "--pid", running.pid, "--duration", 2, "-o", path)
    running.stdin.close()
    test.equal(f"{name} goes on and ends as ever", "ended well\n", running.stdout.read())
    test.equal(f"{name}: its exit status", 0, running.wait())
    if test.barred:
        test.equal(f"{name}: refused, exit status", REFUSED, done.returncode)
        return True
    if not test.equal(f"{name}: exit status of kymo", 0, done.returncode):
        print(done.stderr)
        return True
    report = test.report(path)
    if report is None:
        return True
    folded = [(once([plain(frame) for frame in frames]), weight) for frames, weight in test.folded(path)]
    for function, way in WAYS[name].items():
        ways = {}
        for frames, weight in folded:
            if function in frames and "[partial call paths]" not in frames:
                taken = tuple(frames[:frames.index(function)])
                ways[taken] = ways.get(taken, 0) + weight
        right = ways.pop(tuple(way), 0)
        others = sorted(ways.items(), key=lambda one: -one[1])[:3]
        test.check(f"{name}: the way to {function}", way, others, right > 0)
        # A function that is just beginning or ending may be missed by the one path that a signal's handler interrupts.
        share = right / max(1, right + sum(ways.values()))
        test.figure(f"{name}: {function} by this way, share", "> 0.98", f"{share:.4f} {others}", share > 0.98)
    # gopark gives the goroutine up to the scheduler, on another stack. It has no frame pointer there, and netpollblock calls it.
    callers = {frames[frames.index("runtime.mcall") - 1] for frames, _ in folded if "runtime.mcall" in frames and frames[0] == "runtime.goexit"}
    if name != "go_calls_c":
        test.figure(f"{name}: who calls the scheduler", "runtime.gopark, not runtime.netpollblock", sorted(callers),
                    "runtime.gopark" in callers and "runtime.netpollblock" not in callers)
    paths = report["recording"]["call_paths"]
    complete = paths["complete"] / max(1, paths["complete"] + paths["partial"])
    least = 0.9 if name == "go_calls_c" else 0.95
    test.figure(f"{name}: complete call paths, share", f">= {least}", f"{complete:.4f} of {paths}", complete >= least)
    return True


def body(test):
    if not any([attach(test, name) for name in WAYS]):
        test.skip("go is not installed (apt-get install golang-go)")


main(body)
