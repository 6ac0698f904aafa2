"""One kind, once: its bad version recorded and its fixed twin. The kind must be found first in the one, and not in the other.

If the two did not differ by the stated ratio in these runs, five plain runs of each decide whether the effect exists on
this machine at all; where it does not, finding nothing is the right answer.

What a sampler sees of a run is chance, and so is what else the machine does: the statistical suite decides by several runs
(tests/statistics/judge.py). How often a kind is found, and how often falsely, is for the long form (score_table.py) to say."""

import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "truth"))

import planted
import score
from harness import main


def mistakes(test, kind):
    """What is wrong, in words."""
    program = planted.program_of(kind)
    bad = planted.run_recorded(test, program, "bad", kind)
    fixed = planted.run_recorded(test, program, "fixed", kind)
    for recorded in (bad, fixed):
        print(f"note: {recorded.truth.version}: {recorded.truth.wall_s:.3f} s, others had {recorded.others:.0%} of the machine")
        for finding in recorded.report["findings"]:
            print(f"note: {recorded.truth.version}: {score.describe(finding)}")
    is_real = bad.truth.wall_s >= planted.RATIO * fixed.truth.wall_s
    if not is_real:
        medians = planted.real_effect(test, kind)
        is_real = medians[0] >= planted.RATIO * medians[1]
        print(f"note: plain runs take {medians[0]:.3f} s and {medians[1]:.3f} s: the effect is {'real' if is_real else 'absent'}")
    wrong = []
    result = score.score_bad(bad)
    if is_real:
        if not result.rank1:
            wrong.append(f"{kind} is not the first finding on the bad version")
        elif not result.place:
            wrong.append("the place is wrong")
        elif not result.threads:
            wrong.append("the threads are wrong")
    elif kind in score.false_alarms(bad):
        wrong.append(f"{kind} is found though it costs nothing here")
    if bad.truth.kinds & set(score.false_alarms(fixed)):
        wrong.append(f"{kind} is found on the fixed twin")
    return wrong


def body(test):
    kind = test.arguments[0]
    test.equal(f"{kind} first on the bad version, absent on its twin", [], mistakes(test, kind))


main(body)
