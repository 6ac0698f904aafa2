"""Stored recordings: the planted defect is the first finding, at the right place and threads, and absent on the fixed twin; nothing else that is
reported has changed.

Arguments: BUILD any. What differs is shown; `python3 tests/replay/record.py BUILD --renew` takes what is reported now for right.
"""

import concurrent.futures
import os
import sys

sys.dont_write_bytecode = True
import replay  # first: it knows where the other modules are

import json

import planted
import score
from harness import main


def judged(name, path, told):
    """What is wrong, in words."""
    truth = planted.read_truth((path / "truth.txt").read_text())
    recorded = planted.Recorded(truth, told, 0.0)
    if name.endswith(".bad"):
        result = score.score_bad(recorded)
        return [] if result.strict else [f"first finding: {[score.describe(finding) for finding in told['findings'][:1]]}"]
    return [] if not truth.kinds & set(score.false_alarms(recorded)) else [f"{truth.kind} is found though it was mended"]


def body(test):
    images = replay.unpack(replay.IMAGES, test.folder)

    def one(name):
        path = replay.unpack_one(name, test.folder)
        told, texts = replay.texts(test, name, path, images)
        mistakes = judged(name, path, json.loads(told)) if "." in name else []
        replay.clean(path)
        return texts, mistakes

    names = replay.names()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, (texts, mistakes) in zip(names, pool.map(one, names)):
            test.equal(f"{name}: mistakes", [], mistakes)
            changes = "".join(replay.hold(file, text, renew=False) for file, text in texts.items())
            test.check(f"{name}: changes", "none", changes or "none", not changes)
    test.check("recordings", "some", len(names), len(names) > 0)


main(body)
