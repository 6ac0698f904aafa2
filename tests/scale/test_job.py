"""test_job.py BUILD any: the report of a generated job of many ranks agrees with its generator: times by function to the nanosecond, the slow
rank first; files of single ranks that are damaged or missing are named, and the rest is analysed.
"""

import json
import pathlib
import sys

sys.dont_write_bytecode = True
TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/truth"))

from harness import main

RANKS, SLOW = 150, 97  # more than a hundred: no rank has 1 % of the whole


def generate(test, name, *options):
    folder = test.work / name
    done = test.run(test.build / "bench/generate_job", folder, *options)
    test.equal(f"{name}: generated", 0, done.returncode)
    return folder, json.loads(done.stdout)


def report(test, folder):
    done = test.run(test.kymo, "report", folder, "--json=full")
    test.equal("kymo report: exit status", 0, done.returncode)
    return json.loads(done.stdout)


def functions(said):
    """ns of processor time by function, itself."""
    return {row["function"]: round(row["self"]["user_s"] * 1e9) for row in said["functions"] if row["self"]["samples"]}


def short(names):
    return {name.split("::")[-1].split("(double)")[0]: value for name, value in names.items()}


def whole(test, folder, truth):
    said = report(test, folder)
    test.equal("samples", truth["samples"], sum(rank["samples"] for rank in said["ranks"]))
    test.equal("processor time by function", short(truth["functions"]), functions(said))
    test.equal("ranks", list(range(RANKS)), [rank["rank"] for rank in said["ranks"]])
    first = said["findings"][0]
    test.equal("the first finding", "collective-imbalance", first["kind"])
    test.check("names the slow rank", f"Rank {SLOW} comes last", first["title"], first["title"].startswith(f"Rank {SLOW} comes last"))
    return said


def few_descriptors(test, folder):
    """As many shells allow: fewer open files than the job has."""
    plain = test.run(test.kymo, "report", folder, "--json")
    bounded = test.run("sh", "-c", 'ulimit -n 64 && exec "$@"', "sh", test.kymo, "report", folder, "--json")
    test.equal("with 64 open files: exit status", 0, bounded.returncode)
    test.check("with 64 open files: the same report", len(plain.stdout), len(bounded.stdout), plain.stdout == bounded.stdout)


def broken(test, folder, said):
    """A rank's file is gone, one is cut, one is of nothing: they are named, and all other ranks are as they were."""
    gone, cut, empty = 11, 12, 13
    name = lambda rank: f"process-{10_000 + rank}-0-rank-{rank}.krec"
    (folder / name(gone)).unlink()
    with open(folder / name(cut), "r+b") as file:
        file.truncate((folder / name(cut)).stat().st_size // 2)
    (folder / name(empty)).write_bytes(b"not a recording" * 1000)
    now = report(test, folder)
    notes = "\n".join(now["notes"])
    for what, rank in (("cut", cut), ("of nothing", empty)):
        test.check(f"the file that is {what} is named", name(rank), notes[:2000], name(rank) in notes)
    alarms = " ".join(now["alarms"])
    test.check("and all three ranks", f"3 of the job's {RANKS} ranks, 11–13", alarms, f"of 3 of the job's {RANKS} ranks nothing is known (11–13)" in alarms)
    same = [rank for rank in range(RANKS) if rank not in (gone, cut, empty)]
    before = {rank["rank"]: rank["user_s"] for rank in said["ranks"]}
    after = {rank["rank"]: rank["user_s"] for rank in now["ranks"]}
    test.equal("the others are as they were", [before[rank] for rank in same], [after.get(rank) for rank in same])
    test.equal("the first finding", "collective-imbalance", now["findings"][0]["kind"])


def processes(test):
    count = 300
    folder, truth = generate(test, "many.kymo", "--processes", count, "--samples", count * 20)
    said = report(test, folder)
    test.equal("processes", count, len(said["processes"]))
    test.equal("their processor time by function", short(truth["functions"]), functions(said))


def run(test):
    folder, truth = generate(test, "job.kymo", "--ranks", RANKS, "--samples", RANKS * 2000, "--slow", SLOW)
    said = whole(test, folder, truth)
    text = test.run(test.kymo, "report", folder).stdout
    test.check("the report shows call paths", "advance_step", text[:3000], "nothing: no" not in text and "advance_step" in text)
    few_descriptors(test, folder)
    broken(test, folder, said)
    processes(test)


main(run)
