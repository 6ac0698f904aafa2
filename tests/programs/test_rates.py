"""Programs with nothing wrong, each sampled 100, 1,000 and 10,000 times a second: no occurrence is told as slower than the others.

What is sampled too rarely to tell one occurrence from the next must not be told as one long occurrence, and what is sampled often
must not be told for what the machine did to it."""

import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "truth"))

import planted
import score
from harness import main

RATES = (100, 1000, 10000)
KINDS = {"slow-instance", "slow-neighbour", "cold-start"}


def told(test, program, rate):
    recorded = planted.run_recorded(test, program, options=["-F", str(rate)])
    found = [score.describe(finding) for finding in score.true_findings(recorded) if finding["kind"] in KINDS]
    others = [finding["kind"] for finding in score.true_findings(recorded) if finding["kind"] not in KINDS]
    print(f"note: {program} at {rate} Hz: {recorded.report['recording']['samples']} samples, "
          f"{found or 'nothing of these'}; else {others or 'nothing'}")
    return found


def body(test):
    for program in planted.NOTHING:
        for rate in RATES:
            test.equal(f"{program} at {rate} Hz", [], told(test, program, rate))


main(body)
