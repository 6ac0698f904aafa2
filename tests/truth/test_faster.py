"""kymo confirm's virtual speed-up: programs whose gain is known by arithmetic (programs/faster.cpp), that their output and end stay the same, and
what it refuses.

A figure is what the run gains by a function that takes no time, or half of it. Starting the program and taking its samples is the same in all
runs, and makes each gain smaller by some hundredths of itself."""

import json
import os

from harness import main

ALL = 100
# kind, function, per cent of its time that is saved, gain of the run
KNOWN = [
    ("alone", "half", ALL, 0.4), ("alone", "half", 50, 0.2),
    ("pair", "first", ALL, 0.2), ("pair", "second", ALL, 0.0),
    ("phases", "first", ALL, 0.2), ("phases", "second", ALL, 0.0),
    ("handed", "first", ALL, 0.3), ("handed", "second", 50, 0.25),
    ("lock", "first", ALL, 0.875), ("lock", "second", ALL, 0.0),
    ("pipeline", "second", ALL, 0.5), ("pipeline", "first", ALL, 0.0),
    ("sleeps", "first", ALL, 0.5),
]
TOLERANCE = 0.07  # of the run
# Every run does as much: what a millisecond of work is, is not measured anew.
ROUNDS = "800000"


def environment():
    return {**os.environ, "KYMO_ROUNDS": ROUNDS}


def confirm(test, path, function, *options):
    return test.run(test.kymo, "confirm", path, "--function", function, "-q", *options, env=environment())


def recorded(test, *command, out):
    done, path = test.record(*command, out=out, env=environment())
    test.equal(f"{out}: exit status", 0, done.returncode)
    return path


def told(test, what, done):
    if not test.equal(f"{what}: exit status", 0, done.returncode):
        print(done.stderr)
        test.end()
    result = json.loads(done.stdout)
    test.of_schema(what, result, "confirm")
    return result


def check_facts(test, program):
    """The program's output is what it is without; of a shell's child, too."""
    for what, command in (("a program", 'exec "$0" handed 200 > written'), ("a shell's child", '"$0" lock 200 > written; exit 3')):
        done, path = test.record("sh", "-c", command, program, out=f"{what.split()[-1]}.kymo", env=environment())
        written = test.work / "written"
        before = written.read_text()
        written.unlink()
        result = told(test, what, confirm(test, path, "first", "--speed-up", "100", "--pairs", "1", "--json"))
        test.equal(f"{what}: its end", done.returncode, result["exit_status"])
        test.equal(f"{what}: its output", before, written.read_text())
        test.equal(f"{what}: the experiment", "virtual-speed-up", result["experiment"])
        test.equal(f"{what}: of its time", 1.0, result["speed_up"])
        test.check(f"{what}: time in it", "some", result["inside_s"], result["inside_s"] > 0)
        test.equal(f"{what}: pairs", 1, len(result["pairs_s"]))


def check_refusals(test, program):
    path = recorded(test, "sh", "-c", '"$0" alone 200; "$0" alone 200', program, out="two.kymo")
    two = confirm(test, path, "half", "--speed-up", "100")
    test.equal("two processes: exit status", 10, two.returncode)
    test.check("two processes: why", "how many", two.stderr, "runs in 2 processes" in two.stderr)
    path = recorded(test, program, "alone", "200", out="one.kymo")
    unknown = confirm(test, path, "nobody", "--speed-up", "100")
    test.equal("an unknown function: exit status", 2, unknown.returncode)
    test.check("an unknown function: which", "nobody", unknown.stderr, "nobody" in unknown.stderr)
    without = confirm(test, path, "half")
    test.equal("by how much is missing: exit status", 2, without.returncode)
    killed = recorded(test, "sh", "-c", '"$0" alone 200 & wait; exit 0', program, out="background.kymo")
    told(test, "a child in the background", confirm(test, killed, "half", "--speed-up", "50", "--pairs", "1", "--json"))


def check_figures(test, program):
    for kind in dict.fromkeys(known[0] for known in KNOWN):
        recorded(test, program, kind, "500", out=f"{kind}.kymo")
    for kind, function, part, gain in KNOWN:
        what = f"{kind}: {function} {part} % faster"
        done = confirm(test, test.work / f"{kind}.kymo", function, "--speed-up", str(part), "--pairs", "6", "--json")
        test.near(f"{what}: gain", gain, told(test, what, done)["gain"], TOLERANCE)


def body(test):
    program = test.program("faster")
    check_facts(test, program)
    check_refusals(test, program)
    if not test.facts_only:
        check_figures(test, program)


main(body)
