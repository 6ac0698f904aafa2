"""From outside, the kernel copies as much of the stack as call paths need: of a recursion that the first copies do not hold, paths end early at
first and are whole later. A size that is asked for stays."""

from harness import main

DEPTH = 500
CUT = "outside_stack"


def depths(test, path):
    """Of the samples in the order of their times, how deep each one's call path is."""
    rows = test.must(test.kymo, "sql", path, "--csv", "select c.depth from sample s join call_path c on c.id = s.call_path order by s.time_ns")
    return [int(row) for row in rows.split()[1:]]


def body(test):
    if test.barred:
        test.skip("performance events are barred")
    deep = test.program("deep")
    done, path = test.record(deep, DEPTH, 1500, options=("--from-outside",), out="fits.kymo")
    test.equal("exit status", 0, done.returncode)
    test.equal("output", f'{{"depth": {DEPTH}}}\n', done.stdout)
    seen = depths(test, path)
    recording = test.report(path)["recording"]
    causes = recording["call_paths"]["by_cause"]
    test.check("paths that end with the copied stack", "some", causes, causes.get(CUT, 0) > 0)
    whole = sum(depth >= DEPTH for depth in seen)
    test.check(f"whole paths of {len(seen)}", "many", whole, whole > 50)
    # Where the machine leaves Kymo too little time, or the user too little locked memory, records are lost, and copies become smaller again.
    if recording["lost_kernel_records"] == 0:
        last = seen[-50:-5]  # the very last ones are of the program's way out
        test.check("depths of the last samples", f"{DEPTH} or more", last[:5], bool(last) and min(last) >= DEPTH)
        changes = sum(seen[i] >= DEPTH > seen[i + 1] for i in range(len(seen) // 20, len(seen) - 5))
        test.check("cut paths behind a whole one", "next to none", changes, changes <= 2)

    done, path = test.record(deep, DEPTH, 200, options=("--from-outside", "--stack", 8192), out="fixed.kymo")
    test.equal("a fixed size: exit status", 0, done.returncode)
    seen = depths(test, path)
    test.check("a fixed size: the deepest path", f"less than {DEPTH}", max(seen), max(seen) < DEPTH)


main(body)
