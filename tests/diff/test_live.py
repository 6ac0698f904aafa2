"""kymo diff of live runs: a program of six parts, one of which has more work in the new runs, by 1 to 20 % of all; five runs a side, in turns.

From 5 % on the part is reported, and nothing else as slower; equal programs may differ in one comparison of twenty.

Arguments: BUILD any
"""

import json
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "truth"))
from harness import main

NAMES = ["parse", "look_up", "sort_values", "merge", "render", "store"]
# The part that has more work, and how much, percent of all.
PAIRS = [(0, 0), (2, 1), (4, 2), (1, 3), (0, 5), (5, 7), (3, 10), (2, 12), (4, 15), (1, 20)]
RUNS = 5
SURE = 5


def body(test):
    program = test.work / "parts"
    test.must("gcc", "-O1", "-g", "-o", program, pathlib.Path(__file__).resolve().parent / "parts.c")
    for pair, (part, percent) in enumerate(PAIRS):
        sides = {"base": [], "new": []}
        for number in range(RUNS):
            for side in sides if number % 2 == 0 else reversed(list(sides)):
                out = test.work / f"{pair}.{side}.{number}.kymo"
                words = [part, percent] if side == "new" and percent else []
                test.must(test.kymo, "record", "-q", "-o", out, "--", program, *map(str, words))
                sides[side].append(out)
        told = json.loads(test.must(test.kymo, "diff", *sides["base"], "--", *sides["new"], "--json", "--no-findings"))
        slower = [change["name"] for change in told["changes"] if change["kind"] == "function" and change["differs"] and change["change"] > 0]
        seen = next((change for change in told["changes"] if change["name"] == NAMES[part]), None)
        print(f"pair {pair}: {NAMES[part]} + {percent} %: told {slower}; {seen and (round(seen['change'], 4), seen["p"])}")
        if percent >= SURE:
            test.equal(f"{NAMES[part]} has {percent} % more to do: slower functions", [NAMES[part]], slower)
        elif percent == 0:
            test.equal("equal programs: slower functions", [], slower)


main(body)
