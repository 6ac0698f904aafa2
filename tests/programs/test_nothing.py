"""Programs with nothing wrong, each once: hardly ever is anything found. The long form (score_table.py) has twenty runs."""

import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "truth"))

import planted
import score
from harness import main

MOST = 1  # as in twenty runs


def body(test):
    found = []
    for program in planted.NOTHING:
        recorded = planted.run_recorded(test, program)
        print(f"note: {program}: {recorded.truth.wall_s:.3f} s, others had {recorded.others:.0%} of the machine")
        for finding in score.true_findings(recorded):
            print(f"note: {program}: {score.describe(finding)}")
        found += score.false_alarms(recorded)
    test.check(f"findings in {len(planted.NOTHING)} programs with nothing wrong", f"at most {MOST}", found, len(found) <= MOST)


main(body)
