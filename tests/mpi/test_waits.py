"""Ranks that wait: a small program with one planted defect and its fixed twin, recorded under mpirun. The kind is the first finding on the bad one,
with the right ranks, and absent on the twin. What is said of lacking processors may stand before it: ranks poll, and the machine has others on it.

What a sampler sees is chance, and so is what else the machine does: the statistical suite decides by several runs. Arguments: BUILD any MPIRUN KIND."""

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "truth"))
from expected import UNHEARD, in_front  # noqa: E402
from harness import main, run  # noqa: E402

PATIENCE = 120  # s
# Kind → ranks; those that the finding must name. (What they do meanwhile is told where samples show it: tests/unit/findings.)
PLANTED = {"late-sender": (2, {0}), "serial-chain": (3, {0, 1, 2}), "collective-imbalance": (2, {1})}
OF_PROCESSORS = {"outside-interference", "oversubscription", "thread-migration"}


def findings(test, mpirun, program, ranks, version):
    """Of one recorded run; a text where it did not come to its end."""
    out = test.fresh() / "out.kymo"
    # Ranks that poll leave the processor to those at work, wherever these are.
    starter = [mpirun, "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "-n", ranks]
    try:
        done = run(*starter, test.kymo, "record", "-o", out, "--", program, version, env=test.apart(TMPDIR="/tmp"), cwd=test.work,
                   stderr=subprocess.STDOUT, timeout=PATIENCE, preexec_fn=in_front)
    except subprocess.TimeoutExpired:
        return f"not done in {PATIENCE} s"
    if done.returncode != 0 and UNHEARD not in done.stdout:
        return f"status {done.returncode}: {done.stdout[-1000:]}"
    report = test.run(test.kymo, "report", out, "--json=full")
    if report.returncode != 0 or report.stderr:
        return f"kymo report: {report.returncode}, {report.stderr[:500]}"
    told = json.loads(report.stdout)["findings"]
    for finding in told:
        print(f"note: {version}: {finding['share']:.0%} {finding['kind']}: {finding['title']}")
    return told


def mistakes(test, mpirun, program, kind):
    """In words; none: all is as it should be."""
    ranks, named = PLANTED[kind]
    bad, fixed = (findings(test, mpirun, program, ranks, version) for version in ("bad", "fixed"))
    if isinstance(bad, str) or isinstance(fixed, str):
        return [text for text in (bad, fixed) if isinstance(text, str)]
    wrong = []
    first = next((finding for finding in bad if finding["kind"] not in OF_PROCESSORS), None)
    if first is None or first["kind"] != kind:
        wrong.append(f"{kind} is not the first finding on the bad program")
    elif {thread["rank"] for thread in first["threads"]} != named:
        wrong.append("the ranks are wrong")
    if any(kind in (finding["kind"], *(other["kind"] for other in finding["also"])) for finding in fixed):
        wrong.append(f"{kind} is found on the fixed twin")
    return wrong


def body(test):
    mpirun, kind = test.arguments
    wrong = mistakes(test, mpirun, test.build / "tests" / "mpi" / kind.replace("-", "_"), kind)
    test.equal(f"{kind} first on the bad program, absent on its twin", [], wrong)


main(body)
