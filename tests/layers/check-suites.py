"""Each test belongs to one suite and has a limit of time: check-suites.py CTEST BUILD. cmake/Tests.cmake is the only place that adds tests."""

import json
import subprocess
import sys

SUITES = {"gate", "statistics", "nightly"}


def main():
    listed = subprocess.run([sys.argv[1], "--test-dir", sys.argv[2], "--show-only=json-v1"], capture_output=True, text=True, check=True)
    tests = json.loads(listed.stdout)["tests"]
    wrong = []
    counts = dict.fromkeys(SUITES, 0)
    for test in tests:
        properties = {each["name"]: each["value"] for each in test["properties"]}
        suites = SUITES & set(properties.get("LABELS", []))
        for suite in suites:
            counts[suite] += 1
        if len(suites) != 1:
            wrong.append(f"{test['name']}: of the suites {sorted(SUITES)} it has {sorted(suites)}; add it by kymo_test (cmake/Tests.cmake)")
        if not properties.get("TIMEOUT"):
            wrong.append(f"{test['name']}: no limit of time")
    print(", ".join(f"{suite}: {count} tests" for suite, count in counts.items()))
    print("\n".join(wrong))
    return 1 if wrong or not all(counts.values()) else 0


sys.exit(main())
