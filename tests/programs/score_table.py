"""The planted programs' long form: every kind, its effect by five plain runs of each version, and a number of recorded runs.

    score_table.py BUILD any [RUNS [KIND...]]

Prints a row a kind and the totals; fails where the bars below are missed. RUNS (default 3) recorded runs of each version; of
the programs with nothing wrong, 20 in all."""

import pathlib
import statistics
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "truth"))

import planted
import score
from harness import main

RUNS = 3
NOTHING_RUNS = 20
NOTHING_ALARMS = 1  # at most, in all of them

HEAD = f"{'kind':22}{'bad':>7}{'fixed':>7}{'ratio':>6}  {'rank-1':>6}{'strict':>7}{'noise':>6}{'alarms':>7}  {'predicted':>9}{'gain':>6}  first on bad; found on twin"


def row(test, kind, runs):
    """Records one kind, prints its row, and returns (runs, rank-1, strict, noise, false alarms, kind found on twin)."""
    bad_s, fixed_s = planted.real_effect(test, kind)
    is_real = bad_s >= planted.RATIO * fixed_s
    scores, alarms, twins, firsts = [], [], 0, []
    for _ in range(runs):
        bad = planted.run_recorded(test, planted.program_of(kind), "bad", kind)
        scores.append(score.score_bad(bad))
        firsts += [finding["kind"] for finding in bad.report["findings"][:1]] or ["nothing"]
        fixed = planted.run_recorded(test, planted.program_of(kind), "fixed", kind)
        found = score.false_alarms(fixed)
        alarms += found
        twins += bool(bad.truth.kinds & set(found))
    if is_real:
        rank1, strict = sum(s.rank1 for s in scores), sum(s.strict for s in scores)
    else:  # nothing to find: not finding it is right
        rank1 = strict = sum(s.predicted is None for s in scores)
    noise = sum(len(s.noise) for s in scores)
    predicted = [s.predicted for s in scores if s.predicted is not None]
    says = f"{statistics.median(predicted):9.0%}" if predicted else f"{'-':>9}"
    print(f"{kind:22}{bad_s:7.2f}{fixed_s:7.2f}{bad_s / fixed_s:6.2f}  {rank1:>3}/{runs:<2}{strict:>4}/{runs:<2}{noise:6}{len(alarms):7}  "
          f"{says}{1 - fixed_s / bad_s:6.0%}  {','.join(sorted(set(firsts)))}{'' if is_real else ' (no effect here)'}; "
          f"{','.join(sorted(set(alarms))) or '-'}", flush=True)
    return runs, rank1, strict, noise, len(alarms), twins


def nothing(test, runs):
    total = 0
    for number in range(runs):
        program = planted.NOTHING[number % len(planted.NOTHING)]
        recorded = planted.run_recorded(test, program)
        alarms = score.false_alarms(recorded)
        total += len(alarms)
        for finding in score.true_findings(recorded):
            print(f"false alarm on {program} (others had {recorded.others:.0%}): {score.describe(finding)}", flush=True)
    return total


def body(test):
    runs = int(test.arguments[0]) if test.arguments else RUNS
    kinds = test.arguments[1:] or planted.KINDS
    print(HEAD)
    rows = {kind: row(test, kind, runs) for kind in kinds}
    done, rank1, strict, noise, alarms, _ = (sum(column) for column in zip(*rows.values()))
    print(f"rank-1 {rank1 / done:.0%}, strict {strict / done:.0%}, noise {noise / done:.2f} a run, false alarms on twins {alarms / done:.2f} a run")
    for kind, (count, first, *_, twins) in rows.items():
        test.check(f"{kind} first on the bad version", f"more than half of {count}", first, 2 * first > count)
        test.check(f"{kind} on the twin", f"less than half of {count}", twins, 2 * twins < count)
    if not test.arguments[1:]:
        test.check(f"findings in {NOTHING_RUNS} runs with nothing wrong", f"at most {NOTHING_ALARMS}",
                   found := nothing(test, NOTHING_RUNS), found <= NOTHING_ALARMS)


main(body)
