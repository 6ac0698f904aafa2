"""A second look: events asked for on what an earlier recording kept. The program says itself how many page faults its two parts have;
the first recording keeps one of them, and the second one's samples are kept there and only counted elsewhere."""

import json

from harness import main, plain


def looked_at(report, name, collection="spaces", **neighbours):
    spaces = report["second_look"]["spaces"]
    found = []
    for entry in report["second_look"][collection]:
        space = entry if collection == "spaces" else spaces[entry["space"]]
        if space["kind"] != "function" or plain(space["place"]["function"]) != name:
            continue
        if all(plain(entry[side]["name"]) == wanted for side, wanted in neighbours.items()):
            found.append(entry)
    return found[0] if found else None


def body(test):
    program = test.program("looked_at")
    done, first = test.record(program, out="first.kymo")
    test.check("the first run ends well", 0, done.returncode, done.returncode == 0)
    # Without a program: the earlier one's own command.
    again = test.work / "again.kymo"
    done = test.run(test.kymo, "record", "--for", first, "-e", "page-faults:period=1", "-o", again)
    if not test.check("the second look ends well", 0, done.returncode, done.returncode == 0):
        print(done.stderr)
        test.end()
    truth = json.loads(done.stdout.strip().splitlines()[-1])
    report = test.report(again)
    if report is None:
        test.end()
    look = report["second_look"]
    test.equal("which recording it is for", (str(first), None), (look["recording"], look["problem"]))
    test.equal("events asked for", ["page-faults:period=1"], look["asked"])

    # The kernel's own count of the thread's has the monitor's first touches of its memory, too.
    test.check("page faults by the kernel's count of the thread's", f"{truth['fill']} and some", truth["counted"],
               truth["fill"] <= truth["counted"] <= 1.05 * truth["fill"])
    few = 0.005 * truth["fill"]

    def faults(entry):
        return entry["second"]["events"]["page-faults"] if entry and entry["second"] else -1

    fill = looked_at(report, "fill")
    test.near("page faults in fill(), by the second recording", truth["fill"], faults(fill), few)
    # An occurrence in which the thread lost its processor may be seen as two: on a busy machine some of them are.
    rounds = truth["rounds"]
    test.check("times fill() ran, in both", f"{rounds - 1} to {rounds * 11 // 10}", fill and (fill["first"]["count"], fill["second"]["count"]),
               fill and all(rounds - 1 <= fill[run]["count"] <= rounds * 11 // 10 for run in ("first", "second")))
    parted = max(0, fill["second"]["count"] - rounds) if fill else 0
    between = truth["fill"] * (rounds - 1) / rounds
    gaps = looked_at(report, "compute", "intervals")
    test.near("page faults in the gaps between occurrences of compute()", between, faults(gaps), few)
    pattern = looked_at(report, "fill", "patterns", before="compute", after="compute")
    test.near("page faults in fill() between two compute()", between, faults(pattern), few + (1 + parted) * truth["fill"] / rounds)
    test.check("page faults in compute()", "next to none", faults(looked_at(report, "compute")),
               0 <= faults(looked_at(report, "compute")) <= few)

    # Elsewhere nothing is lost but the place. Of those left out some are the monitor's own, where it touches its memory first; where these and
    # the program's meet, one is written after all.
    test.check("samples left out", f"some {truth['elsewhere']}", look["left_out_samples"],
               0.9 * truth["elsewhere"] <= look["left_out_samples"] <= 2 * truth["elsewhere"])
    event = next(event for event in report["recording"]["events"] if event["name"] == "page-faults")
    test.check("page faults of the whole run are counted all the same", f"at least {truth['fill'] + truth['elsewhere']}", event["count"],
               event["count"] >= truth["fill"] + truth["elsewhere"])
    text = test.run(test.kymo, "report", again)
    test.check("the report for people names the earlier recording", "Second look, first.kymo", text.stdout[-300:],
               "Second look" in text.stdout and "first.kymo" in text.stdout)

    # Moved together, the later one finds the earlier one; alone it says what is missing.
    moved = test.work / "moved"
    test.run("mkdir", moved)
    test.run("mv", again, first, moved)
    report = test.report(moved / "again.kymo")
    test.equal("moved together: no problem", None, report and report["second_look"]["problem"])
    test.run("mv", moved / "first.kymo", moved / "other.kymo")
    report = test.report(moved / "again.kymo")
    problem = report and report["second_look"]["problem"]
    test.check("alone: it says so", "first.kymo is not there", problem, bool(problem) and "first.kymo" in problem)


main(body)
