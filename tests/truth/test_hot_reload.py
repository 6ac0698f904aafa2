"""A plug-in without a build id is replaced while the program runs: the time of the first one is never called the second one's."""

import shutil

from harness import main, plain


def body(test):
    program = test.program("hot_reload")
    for which in ("one", "two"):
        shutil.copy(program.parent / f"libhot_reload_{which}.so", test.work / f"{which}.so")
    truth, report, _ = test.recorded_truth("hot_reload")
    rows = [row for row in report["functions"] if row["module"] == "plug.so"]
    names = [plain(row["function"]) for row in rows]
    test.check("functions of the plug-ins", "version_two by name, the other one as an offset", names,
               names.count("version_two") == 1 and "version_one" not in names and any(name.startswith("plug.so+0x") for name in names))
    test.check("notes", "one that it has changed", report["notes"], any("plug.so" in note and "changed since it was recorded" in note for note in report["notes"]))
    seconds = {plain(row["function"]): row["self"]["user_s"] for row in rows}
    test.near("time of version_two, s", truth["version_two"] / 1e9, seconds.get("version_two", 0.0), 0.2 * truth["version_two"] / 1e9 + 0.005)


main(body)
