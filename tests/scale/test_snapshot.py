"""test_snapshot.py BUILD any: a copy of a recording that is being written can be read, says that the run went on, and stays as it is.
"""

import pathlib
import sys
import time

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/truth"))

from harness import main, time_left


def appears(path):
    while not path.exists() and time_left() > 10:
        time.sleep(0.02)
    return path.exists()


def start(test, name):
    """A run of which one process has ended and another works until there is a file NAME.go."""
    out, half, go = (test.work / f"{name}.{end}" for end in ("kymo", "half", "go"))
    program = test.program("children")
    script = f'"$0" work 60; touch {half}; while [ ! -e {go} ]; do "$0" work 5 > {test.work}/out; done; exit 6'
    started = test.start(test.kymo, "record", "-o", out, "--", "sh", "-c", script, program)
    test.check("the program runs", "half of it is done", half.exists(), appears(half))
    return started, out, go


def text(test, folder):
    done = test.run(test.kymo, "report", folder, "--all")
    test.equal(f"report of {folder.name}: exit status", 0, done.returncode)
    return done.stdout


def workers(said):
    return sum(process["executable"].endswith("children") for process in said["processes"])


def run(test):
    started, out, go = start(test, "run")
    copy = test.work / "copy.kymo"
    done = test.run(test.kymo, "snapshot", out, "-o", copy)
    test.check("kymo snapshot", "says what it copied", (done.returncode, done.stderr), done.returncode == 0 and "which is still being written" in done.stderr)
    before, said, live = text(test, copy), test.report(copy), test.report(out)
    test.equal("the copy's end", "still running", said["recording"]["ending"])
    test.equal("the recording's end, by now", "still running", live["recording"]["ending"])
    test.check("has the process that ended", "one or more", workers(said), workers(said) >= 1)
    test.equal("processes that are taken for killed", [], [note for what in (said, live) for note in what["notes"] if "ended without saying so" in note])
    go.touch()
    test.check("the program", "undisturbed", started.communicate(timeout=60), started.returncode == 6)
    test.check("the copy afterwards", "the same report", "another", text(test, copy) == before)
    after = test.report(out)
    test.equal("the recording's end", "exit status 6", after["recording"]["ending"])
    test.check("the copy has a part of its samples", f"less than {after['recording']['samples']}", said["recording"]["samples"],
               0 < said["recording"]["samples"] < after["recording"]["samples"])

    whole = test.work / "whole.kymo"
    test.equal("a snapshot of what has ended", 0, test.run(test.kymo, "snapshot", out, "-o", whole).returncode)
    test.check("is the recording", "the same report", "another", text(test, whole).replace("whole.kymo", "run.kymo") == text(test, out))
    test.check("its size", "no more", sum(path.stat().st_size for path in whole.iterdir()), sum(path.stat().st_size for path in whole.iterdir()) <= 1.1 * sum(path.stat().st_size for path in out.iterdir()))
    again = test.run(test.kymo, "snapshot", out, "-o", whole)
    test.check("onto a recording", "refused", (again.returncode, again.stderr), again.returncode == 5 and "exists already" in again.stderr)
    usual = test.run(test.kymo, "snapshot", f"{out}/")
    test.check("without a name", "run-snapshot.kymo", usual.stderr, usual.returncode == 0 and (test.work / "run-snapshot.kymo").is_dir())
    nothing = test.run(test.kymo, "snapshot", test.work / "nothing.kymo", "-o", test.work / "no.kymo")
    test.check("of nothing", "an error, and no directory", (nothing.returncode, nothing.stderr), nothing.returncode == 3 and not (test.work / "no.kymo").exists())

    # The parent is killed: that is no run that goes on.
    started, out, go = start(test, "killed")
    started.kill()
    started.wait()
    go.touch()
    lost = lambda: test.report(out)["recording"]["ending"]
    while lost() == "still running" and time_left() > 20:
        time.sleep(0.1)
    test.check("a killed parent's recording", "has no end", lost(), lost().startswith("the recording has no end"))
    # And so is a process that was killed, once nothing holds its file.
    victim = test.work / "victim.kymo"
    test.run(test.kymo, "record", "-o", victim, "--", "sh", "-c", '"$0" work 30; kill -9 $$', test.program("children"))
    notes = test.report(victim)["notes"]
    test.check("a killed process", "a note", notes, any("killed by signal 9" in note for note in notes))


main(run)
