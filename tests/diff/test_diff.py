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


def page(test, diff, bad, fixed, reports):
    """The page's data: what each run did when adds up to its report, clocks only go forward, callees have no more than callers."""
    path = test.work / "page.html"
    done = diff(bad, fixed, "-o", path)
    if done.returncode == 7 or "has no page" in done.stderr:
        print("left out: this build has no page")
        return
    test.equal("a page beside the text", (0, True), (done.returncode, "wall time" in done.stdout))
    text = path.read_text()
    data = json.loads(re.search(r'<script type="application/json" id="kymo-data">(.*?)</script>', text, re.DOTALL).group(1))
    for side, report in zip(("base", "new"), reports):
        run = data[side]
        expected = report["user_s"] + report["system_s"]
        seen = sum(map(sum, run["itself"]["ns"])) / 1e9
        test.check(f"page, {side}: processor time by function and bin", f"{expected:.6f}", f"{seen:.6f}", abs(seen - expected) < 1e-3 * expected)
        test.equal(f"page, {side}: each row has every bin", {run["bins"]}, {len(row) for kind in ("itself", "with_calls") for row in run[kind]["ns"]})
        whole = [sum(column) for column in zip(*run["itself"]["ns"])]
        over = [name for name, row in zip(run["with_calls"]["functions"], run["with_calls"]["ns"]) if any(ns > all_ns * 1.001 + len(row) for ns, all_ns in zip(row, whole))]
        test.equal(f"page, {side}: functions that have more than the run has in a bin", [], over)
    points = data["clocks"]["points"]
    test.equal("page: both clocks begin and end together", [[0, 0], [data["base"]["duration_ns"], data["new"]["duration_ns"]]], [points[0], points[-1]])
    test.check("page: clocks go forward", "ascending", points, all(a <= b for one, two in zip(points, points[1:]) for a, b in zip(one, two)))
    paths = data["paths"]
    for which in (2, 3):
        sums = [0] * len(paths)
        for row in paths:
            if row[0] >= 0:
                sums[row[0]] += row[which]
        test.equal("page: callers with less than their callees", [], [data["names"][row[1]] for row, inner in zip(paths, sums) if inner > row[which] + len(paths)])
    test.check("page: parents first", "smaller numbers", len(paths), len(paths) > 5 and all(row[0] < number for number, row in enumerate(paths)))
    again = diff(bad, fixed, "-o", path)
    test.check("page: an existing file stays", "exists already", again.stderr, again.returncode != 0 and "exists already" in again.stderr and path.read_text() == text)
    early = diff(test.work / "nothing.kymo", fixed, "-o", path)
    test.check("page: an existing file is refused before the analysis", "exists already", early.stderr, "exists already" in early.stderr)
    test.equal("page: alone, to standard output", text, diff(bad, fixed, "-o", "-").stdout)


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
    test.of_schema("diff", told, "diff")
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

    page(test, diff, bad, fixed, reports)

    for what, code, says, *words in (("one recording", 2, "which are the new ones", bad), ("three", 2, "which are the new ones", bad, fixed, bad),
                                     ("nothing behind --", 2, "behind --", bad, "--"), ("a limit without a unit", 2, "not a limit", bad, fixed, "--fail-on", "3"),
                                     ("a limit on nothing", 2, 'there is no "speed"', bad, fixed, "--fail-on", "speed=3%"),
                                     ("no such recording", 3, "nowhere.kymo", bad, test.work / "nowhere.kymo")):
        done = diff(*words)
        test.check(what, f"{code}, {says!r}", (done.returncode, done.stderr), done.returncode == code and says in done.stderr)


main(body)
