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

import json_schema
import planted
import score
from harness import main


MOST_BYTES = 1_000_000  # of what --json prints


def changed_by_bounds(short, whole):
    """What --json says otherwise than --json=full, in words."""
    wrong = [] if whole["left_out"] == {} else ["--json=full leaves something out"]
    for key, value in short.items():
        left = short["left_out"].get(key, 0)
        kept = [node for node in value if node["kind"] != "left_out"] if key == "call_tree" else value
        if isinstance(value, list) and len(kept) + left != len(whole[key]):
            wrong.append(f"{key}: {len(kept)} and {left} left out of {len(whole[key])}")
    for cost in ("user_s", "system_s", "off_cpu_s", "samples"):
        sums = [sum(node["self"][cost] for node in report["call_tree"]) for report in (short, whole)]
        if abs(sums[0] - sums[1]) > 1e-6:
            wrong.append(f"call_tree: {cost} {sums[0]} of {sums[1]}")
    return wrong


def unaccounted(report):
    """Where the account of a whole report and its threads' lives differ, in words."""
    lives = sum(thread["end_s"] - thread["begin_s"] for thread in report["threads"])
    rows = sum(row["seconds"] for row in report["account"])
    rounding = 1e-9 * (len(report["threads"]) + len(report["account"]) + 1)
    wrong = [] if abs(rows - report["thread_seconds"]) <= rounding else [f"account: {rows} s of {report['thread_seconds']}"]
    wrong += [] if abs(lives - report["thread_seconds"]) <= rounding else [f"account: {report['thread_seconds']} s; threads live {lives}"]
    places = [(row["class"], row["family"], row["place"] and (row["place"]["function"], row["place"]["module"]), row["detail"]) for row in report["account"]]
    return wrong + ([] if len(set(map(str, places))) == len(places) else ["account: a class and place has two rows"])


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
        if len(told.encode()) > MOST_BYTES:
            mistakes.append(f"--json has {len(told.encode())} bytes")
        short, whole = json.loads(told), json.loads(replay.report(test, path, images, "--json=full"))
        mistakes += unaccounted(whole) + changed_by_bounds(short, whole) + json_schema.mistakes(short, "report") + json_schema.mistakes(whole, "report")
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
