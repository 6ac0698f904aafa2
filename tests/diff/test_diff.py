"""kymo diff as its users call it: two stored recordings, sets of them, its forms, its limits, its refusals.

Arguments: BUILD any
"""

import json
import pathlib
import re
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "replay"))
import replay  # first: it knows where the other modules are

from harness import main

EXCEEDED = 12


def body(test):
    images = replay.unpack(replay.IMAGES, test.folder)
    bad, fixed = (replay.unpack(f"lock-contention.{version}", test.work) for version in ("bad", "fixed"))

    def diff(*words):
        return test.run(test.kymo, "diff", *words, "--images", images, "--only-images")

    def whole(told, name):
        return next(change for change in told["changes"] if change["name"] == name)

    one = diff(bad, fixed)
    test.equal("two recordings", 0, one.returncode)
    test.check("it says that one run a side has no p-value", "may be", one.stdout[:900], "One run a side" in one.stdout and "p" in one.stdout)
    test.check("regressions come first, in at most 40 lines", "≤ 40", len(one.stdout.splitlines()), len(one.stdout.splitlines()) <= 40)
    told = json.loads(diff(bad, fixed, "--json").stdout)
    reports = [json.loads(replay.report(test, path, images, "--json"))["recording"] for path in (bad, fixed)]
    processor = whole(told, "processor time")
    for side, report in zip(("base", "new"), reports):
        is_same = abs(processor[side]["median"] - report["user_s"] - report["system_s"]) < 1e-9
        test.check(f"{side}: the report's processor time", report["user_s"] + report["system_s"], processor[side], is_same)
    test.equal("the lock's finding is gone", ["lock-contention"], [one["kind"] for one in told["findings"]["gone"] if one["kind"] == "lock-contention"])
    paths = {change["name"]: change for change in told["changes"] if change["kind"] == "path"}
    named = [name for name in paths if " › main › " in name]
    test.check("call paths are compared", "some through main, all parts named", list(paths), named and all(part for name in paths for part in name.split(" › ")))
    test.check("no path has more time than the run", "none", paths, all(one[side]["median"] <= processor[side]["median"] + 1e-9 for one in paths.values() for side in ("base", "new")))
    test.check("no p-value is given", None, processor["p"], processor["p"] is None and not told["has_p"])

    # Sets: the same runs on both sides differ in nothing, whatever their spread; a slow set against itself and another does.
    same = []
    for number in range(5):
        same.append(test.work / f"same{number}.kymo")
        shutil.copytree(bad, same[-1])
    told = json.loads(diff(*same, "--", *same, "--json", "--no-findings").stdout)
    test.equal("equal sets: differences", [], [change["name"] for change in told["changes"] if change["differs"]])
    test.equal("equal sets: runs", (5, 5, True), (told["base_runs"], told["new_runs"], told["has_p"]))
    apart = diff(*same, "--", *[fixed] * 5, "--fail-on", "3%")
    test.equal("sets apart, faster: nothing exceeds", 0, apart.returncode)
    slower = diff(*[fixed] * 5, "--", *same, "--fail-on", "wall=3%", "--fail-on", "function:nowhere=1%")
    test.equal("sets apart, slower: the limit is exceeded", EXCEEDED, slower.returncode)
    test.check("and it is said by how much", "wall time grew by", slower.stderr, re.search(r"wall time grew by \d+\.\d %: more than 3 %", slower.stderr) is not None)
    test.check("a limit on what is not there is named", "nowhere", slower.stderr, '"nowhere" is in none of the runs' in slower.stderr)
    markdown = diff(*[fixed] * 5, "--", *same, "--markdown")
    rows = [line for line in markdown.stdout.splitlines() if line.startswith("|")]
    test.check("markdown: every row has as many cells", {6}, {len(re.findall(r"(?<!\\)\|", row)) - 1 for row in rows}, {len(re.findall(r"(?<!\\)\|", row)) - 1 for row in rows} == {6})
    behind = diff(fixed, "--", bad, "--json", "--top", "2")
    test.equal("options may stand behind the new recordings", 0, behind.returncode)

    for what, code, says, *words in (("one recording", 2, "which are the new ones", bad), ("three", 2, "which are the new ones", bad, fixed, bad),
                                     ("nothing behind --", 2, "behind --", bad, "--"), ("a limit without a unit", 2, "no limit", bad, fixed, "--fail-on", "3"),
                                     ("a limit on nothing", 2, 'there is no "speed"', bad, fixed, "--fail-on", "speed=3%"),
                                     ("no such recording", 3, "nowhere.kymo", bad, test.work / "nowhere.kymo")):
        done = diff(*words)
        test.check(what, f"{code}, {says!r}", (done.returncode, done.stderr), done.returncode == code and says in done.stderr)


main(body)
