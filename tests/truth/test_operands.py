"""What the operands of samples show: memory beside what another thread changes, and denormal numbers; and that none is seen where there is none."""

import re

from harness import main

FAMILY = {"beside": "false-sharing", "tiny": "denormals"}


def check(test, report, how, seen):
    """`seen`: the families that operands recorded in this way can show."""
    for function in ("apart", "beside", "together", "usual", "tiny"):
        families = {}
        for row in report["account"]:
            place = row["place"] or {}
            if row["class"] == "work" and re.search(rf"\b{function}\b", place.get("function") or ""):
                families[row["family"]] = families.get(row["family"], 0) + row["seconds"]
        work = sum(families.values())
        test.check(f"{how}: {function}: its work was sampled", "some", families, work > 0.1)
        for family in ("false-sharing", "denormals"):
            part = families.get(family, 0) / max(work, 1e-9)
            if FAMILY.get(function) == family and family in seen:
                test.check(f"{how}: {function}: is {family}", "half of its work and more", families, part > 0.5)
            else:
                test.check(f"{how}: {function}: is not {family}", "under a twentieth", families, part < 0.05)


def body(test):
    for how, options, seen in (("inside", (), set(FAMILY.values())), ("without registers", ("--no-registers",), set()), ("from outside", ("--from-outside",), {"false-sharing"})):
        done, path = test.record(test.program("operands"), options=options, out=how.replace(" ", "-") + ".kymo")
        if how == "from outside" and test.mode == "barred":
            test.check(f"{how}: without performance events it is refused", "an error", done.returncode, done.returncode != 0)
            continue
        test.equal(f"{how}: exit status", 0, done.returncode)
        report = test.report(path)
        if report is not None:
            check(test, report, how, seen)


main(body)
