"""Waiting calls return what they return without Kymo, and threads that are cancelled in them are cancelled alike."""

from harness import main


def body(test):
    name = test.arguments[0]
    program = test.program(name)
    alone = test.run(program)
    recorded, path = test.record(program)
    test.equal("exit status", alone.returncode, recorded.returncode)
    test.check("prints something", "lines", len(alone.stdout.splitlines()), len(alone.stdout.splitlines()) > 5)
    lines = zip(alone.stdout.splitlines(), recorded.stdout.splitlines())
    different = [f"{a!r} became {b!r}" for a, b in lines if a != b]
    test.equal("lines that differ", [], different)
    test.equal("number of lines", len(alone.stdout.splitlines()), len(recorded.stdout.splitlines()))
    report = test.report(path)
    if report is None:
        return
    kinds = {wait["kind"] for wait in report["waits"]}
    expected = {"waits_returns": {"mutex", "write-lock", "condition", "semaphore", "join", "poll", "sleep"},
                "waits_cancelled": {"condition", "semaphore", "join", "read", "sleep"}}[name]
    test.check("kinds of waits", f"all of {sorted(expected)}", sorted(kinds), expected <= kinds)
    if name == "waits_cancelled":
        abandoned = {wait["kind"] for wait in report["waits"] if wait["abandoned_waits"]}
        test.check("waits that never returned", f"all of {sorted(expected)}", sorted(abandoned), expected <= abandoned)


main(body)
