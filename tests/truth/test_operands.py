"""What the operands of samples show: memory beside what another thread changes, and denormal numbers; and that none is seen where there is none."""

import re

from harness import main

FAMILY = {"beside": "false-sharing", "tiny": "denormals"}


def body(test):
    done, path = test.record(test.program("operands"))
    test.equal("exit status", 0, done.returncode)
    report = test.report(path)
    if report is None:
        return
    for function in ("apart", "beside", "together", "usual", "tiny"):
        families = {}
        for row in report["account"]:
            place = row["place"] or {}
            if row["class"] == "work" and re.search(rf"\b{function}\b", place.get("function") or ""):
                families[row["family"]] = families.get(row["family"], 0) + row["seconds"]
        work = sum(families.values())
        test.check(f"{function}: its work was sampled", "some", families, work > 0.1)
        for family in ("false-sharing", "denormals"):
            part = families.get(family, 0) / max(work, 1e-9)
            if FAMILY.get(function) == family:
                test.check(f"{function}: is {family}", "half of its work and more", families, part > 0.5)
            else:
                test.check(f"{function}: is not {family}", "under a twentieth", families, part < 0.05)
    done, path = test.record(test.program("operands"), options=["--no-registers"], out="none.kymo")
    rows = test.report(path)["account"]
    test.equal("without registers nothing is known of operands", set(), {row["family"] for row in rows} & set(FAMILY.values()))


main(body)
