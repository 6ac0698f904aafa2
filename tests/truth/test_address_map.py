"""The address map over time: memory that the program takes and gives back between waits, and where it is by the
program's own account, against report --json and report --map. The first readings are always taken, however long they take."""

from harness import main


def holding(areas, address):
    return [area for area in areas if int(area["begin"], 16) <= address < int(area["end"], 16)]


def body(test):
    truth, report, path = test.recorded_truth("address_map")
    maps = report["address_map"]
    if not test.equal("processes with a map", 1, len(maps)):
        test.end()
    process = maps[0]
    areas = process["areas"]
    test.check("readings: behind three waits, at the end", ">= 4", process["readings"], process["readings"] >= 4)
    test.equal("passed over, lost", (0, 0), (process["passed_over_readings"], process["lost_rows"]))

    brief = [area for area in holding(areas, truth["brief"]) if area["access"] == "r-xp"]
    if test.equal("the brief area is one", 1, len(brief)):
        test.equal("where it was", (truth["brief"], truth["size"]), (int(brief[0]["begin"], 16), brief[0]["bytes"]))
        test.equal("what it was", ("anonymous", "anonymous memory", None), (brief[0]["kind"], brief[0]["name"], brief[0]["path"]))
        test.check("it was seen to be gone", "after it was seen", (brief[0]["seen_s"], brief[0]["gone_s"]),
                   brief[0]["gone_s"] is not None and brief[0]["gone_s"] > brief[0]["seen_s"] > 0)

    kinds = {"shared": "shared", "file": "file", "heap": "heap", "main_stack": "stack", "zeros": "anonymous"}
    for what, kind in kinds.items():
        there = [area for area in holding(areas, truth[what]) if area["gone_s"] is None]
        if test.equal(f"{what}: one area holds it at the end", 1, len(there)):
            test.equal(f"{what}: its kind", kind, there[0]["kind"])
    of_file = holding(areas, truth["file"])[-1]
    test.equal("the file's name", ("address_map", "address_map"), (of_file["name"], of_file["path"].rsplit("/", 1)[-1]))
    shared = holding(areas, truth["shared"])[-1]
    test.equal("shared memory: access", "rw-s", shared["access"])
    test.equal("what is behind the program's data", "memory behind the data of address_map", holding(areas, truth["zeros"])[-1]["name"])
    stacks = [area for area in holding(areas, truth["stack"]) if area["tid"] == truth["tid"]]
    test.check("the thread's stack was known as its", truth["tid"], [area["name"] for area in holding(areas, truth["stack"])],
               bool(stacks) and stacks[0]["kind"] == "stack" and stacks[0]["name"] == f"stack of thread {truth['tid']}")
    test.equal("what nobody may access is left out", [], holding(areas, truth["guard"]))

    moments = sorted({area["seen_s"] for area in areas} | {area["gone_s"] for area in areas if area["gone_s"] is not None})
    overlaps = []
    for moment in moments:
        there = sorted((int(area["begin"], 16), int(area["end"], 16)) for area in areas
                       if area["seen_s"] <= moment and (area["gone_s"] is None or moment < area["gone_s"]))
        overlaps += [(moment, one, other) for one, other in zip(there, there[1:]) if one[1] > other[0]]
    test.equal(f"no two areas hold one address at any of {len(moments)} moments", [], overlaps[:3])

    text = test.must(test.kymo, "report", "--map", "--top", "100", path)
    print(text)
    for words in ("heap", "stack of the process", "stack of thread", "shared memory", "libc.so.6"):
        test.check(f"{words} in the text", "there", None, any(line.rstrip().endswith(words) or f" {words} " in line for line in text.splitlines()))


main(body)
