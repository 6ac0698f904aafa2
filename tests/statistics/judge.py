"""Decides the tests of the statistical suite: judge.py BUILD [--only REGEX] [--patience SECONDS] [--left] [--list]

What a live run shows is a draw: others may take the processors, a sampler sees chance. So a test is not passed or failed by one run but decided
by as many as it takes (a sequential probability ratio test; Wald, Annals of Mathematical Statistics, 1945): between a test that misses one
run in ten, which is accepted, and one that misses six in ten. Four runs that hit accept it; six that miss, more than hit in between, fail it. A sound
test fails so once in 10,000 times, a broken one is accepted once in 20.

A run during which others, or the hypervisor, had more than 5 % of the processors is inconclusive: it counts for nothing and is repeated. A test that
has had six of those in a row is left undecided, which is said and is never a pass. So is one that skips.

Verdicts go to BUILD/statistics-history.tsv as they fall, with date and commit, and at the end to BUILD/statistics.tsv. The whole suite takes more
than an hour: --left goes on where an earlier run of this commit was ended, and takes what was decided there as it is. Exit status: 1 where a test fails, 3 where more than
a fifth of the tests could not be decided, else 0.
"""

import argparse
import ctypes
import datetime
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from calm import Watch, wait_until_calm  # noqa: E402

ACCEPTED, REJECTED = 0.1, 0.6  # misses a run: of a test that is to pass, of one that is to fail
ALPHA, BETA = 1e-4, 0.05       # a sound test fails; a broken one passes
MISS = math.log(REJECTED / ACCEPTED)
HIT = math.log((1 - REJECTED) / (1 - ACCEPTED))
FAIL = math.log((1 - BETA) / ALPHA)
PASS = math.log(BETA / (1 - ALPHA))
MOST_INCONCLUSIVE = 6
SKIPPED = 77
PR_SET_CHILD_SUBREAPER = 36


class Sequence:
    """Outcomes of one test's runs, and what they decide so far."""

    def __init__(self):
        self.hits = self.misses = self.inconclusive = 0
        self._row = 0  # inconclusive ones since the last that counted

    def add(self, outcome):
        if outcome == "inconclusive":
            self.inconclusive += 1
            self._row += 1
        else:
            self._row = 0
            self.hits += outcome == "hit"
            self.misses += outcome == "miss"

    @property
    def verdict(self):
        score = self.misses * MISS + self.hits * HIT
        if score >= FAIL:
            return "failed"
        if score <= PASS:
            return "passed"
        return "undecided" if self._row >= MOST_INCONCLUSIVE else None


def tests_of(build, only):
    listed = subprocess.run(["ctest", "--test-dir", build, "-L", "^statistics$", "--show-only=json-v1"], capture_output=True, text=True, check=True)
    for test in json.loads(listed.stdout)["tests"]:
        properties = {each["name"]: each["value"] for each in test["properties"]}
        if re.search(only, test["name"]):
            yield test["name"], test["command"], properties


def end_strays():
    """Ends what a run has left behind, which would take processors from the next: all are children of this process by now."""
    children = [int(pid) for pid in pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]
    for pid in children:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    return len(children)


def run_once(command, properties):
    """Outcome (hit, miss, inconclusive, skipped) and what was printed."""
    environment = {**os.environ, **dict(each.split("=", 1) for each in properties.get("ENVIRONMENT", []))}
    # Into a file: a pipe would be held open by whatever the test leaves behind.
    with Watch() as watch, tempfile.TemporaryFile("w+", errors="replace") as printed:
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT,
                              cwd=properties.get("WORKING_DIRECTORY"), env=environment) as started:
            try:
                started.wait(timeout=properties["TIMEOUT"])
                late = ""
            except subprocess.TimeoutExpired:
                started.kill()
                late = "\nlate\n"
        while end_strays():  # theirs become ours
            pass
        printed.seek(0)
        output = printed.read() + late
    output += f"\nothers had {watch.others:.1%} of the processors, the hypervisor {watch.stolen:.1%}\n"
    if started.returncode == properties.get("SKIP_RETURN_CODE", SKIPPED):
        return ("inconclusive" if "inconclusive" in output else "skipped"), output
    if not watch.is_calm:
        return "inconclusive", output
    return ("hit" if started.returncode == 0 else "miss"), output


def decide(name, command, properties, patience):
    """One test's verdict, its sequence, and the output of its last miss."""
    sequence, told = Sequence(), ""
    while sequence.verdict is None:
        outcome, output = run_once(command, properties) if wait_until_calm(patience) else ("inconclusive", "the machine does not become calm\n")
        if outcome == "skipped":
            return "skipped", sequence, output
        sequence.add(outcome)
        if outcome == "miss":
            told = output
    return sequence.verdict, sequence, told


def commit_of(folder):
    done = subprocess.run(["git", "-C", folder, "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def history_of(build):
    return build / "statistics-history.tsv"


def note(build, commit, row):
    when = datetime.datetime.now().isoformat(timespec="minutes")
    with open(history_of(build), "a", encoding="utf-8") as history:
        history.write("\t".join(map(str, (when, commit, *row))) + "\n")


def decided(build, commit):
    """Rows by test of what runs of this commit have passed or failed; nothing of a changed work tree, whose name says little of what it was."""
    if commit.endswith("-dirty") or commit == "unknown" or not history_of(build).exists():
        return {}
    rows = {}
    for line in history_of(build).read_text(encoding="utf-8").splitlines():
        _, of, name, verdict, *counts = line.split("\t")
        if of == commit and verdict in ("passed", "failed"):
            rows[name] = (name, verdict, *map(int, counts))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--only", default="", metavar="REGEX", help="of the suite, the tests with such names")
    parser.add_argument("--patience", type=float, default=60, metavar="SECONDS", help="to wait before a run until the machine is calm (default 60)")
    parser.add_argument("--left", action="store_true", help="take what earlier runs of this commit decided, and run the others")
    parser.add_argument("--list", action="store_true", help="name the tests, and run none")
    given = parser.parse_args()
    tests = list(tests_of(given.build, given.only))
    if not tests:
        sys.exit(f"judge: no test of the suite has a name like {given.only!r}; --list names them")
    if given.list:
        print("\n".join(name for name, *_ in tests))
        return 0
    # A shell starts what is to run in the background with these ignored; tests that press Ctrl-C need them.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    build = pathlib.Path(given.build)
    commit = commit_of(pathlib.Path(__file__).resolve().parent)
    earlier = decided(build, commit) if given.left else {}
    rows, counts = [], dict.fromkeys(("passed", "failed", "undecided", "skipped"), 0)
    for number, (name, command, properties) in enumerate(tests, 1):
        if name in earlier:
            rows.append(earlier[name])
            counts[rows[-1][1]] += 1
            continue
        verdict, sequence, told = decide(name, command, properties, given.patience)
        counts[verdict] += 1
        rows.append((name, verdict, sequence.hits, sequence.misses, sequence.inconclusive))
        note(build, commit, rows[-1])
        print(f"{number}/{len(tests)} {name}: {verdict} ({sequence.hits} hit, {sequence.misses} missed, {sequence.inconclusive} inconclusive)", flush=True)
        if verdict == "failed" or (verdict == "skipped" and told):
            print("    " + "\n    ".join([line for line in told.splitlines() if verdict == "skipped" or "ok:" not in line][-12:]), flush=True)
    lines = ["\t".join(map(str, row)) for row in rows]
    (build / "statistics.tsv").write_text("\n".join(["test\tverdict\thits\tmisses\tinconclusive", *lines]) + "\n")
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()) + f", of {len(tests)}; {sum(row[3] for row in rows)} of "
          f"{sum(row[2] + row[3] for row in rows)} conclusive runs missed")
    if counts["failed"]:
        return 1
    return 3 if counts["undecided"] > len(tests) / 5 else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
