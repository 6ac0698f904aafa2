"""Every format of kymo export, of stored recordings: its file keeps the rules of the format, and its sums are those of the report, to the nanosecond.

Arguments: BUILD any [all]
"""

import json
import pathlib
import shutil
import sqlite3
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "replay"))
import replay  # first: it knows where the other modules are

import read_exports as read
from harness import main

# Threads, OpenMP, MPI, a server, a hunt, a modelled GPU; a build of many processes, and one that is damaged.
RECORDINGS = ["lock-contention.bad", "openmp", "mpi", "server", "hunt", "gpu", "build", "damaged"]
MONITOR = "kymo-monitor"
LONG = [("mpi", "chrome"), ("mpi", "perfetto"), ("mpi", "otf2")]  # for readers in Python: at night


def export(test, path, images, name, out, *options):
    test.must(test.kymo, "export", path, "--to", name, "-o", out, "--images", images, "--only-images", *options)
    return out


def summaries(test, name, path, images, within):
    """What each format says of a recording."""
    file = lambda form: test.work / f"{name}.{form}"
    for form in ("pprof", "speedscope", "chrome", "perfetto", "firefox", "sqlite"):
        if (name, form) in LONG and "all" not in test.arguments:
            continue
        more = (within,) if form in ("chrome", "perfetto", "firefox") else ()
        yield form, getattr(read, form)(export(test, path, images, form, file(form)), *more)
    if shutil.which("otf2-print") and "otf2" in test.formats and (name, "otf2") not in LONG:
        yield "otf2", read.otf2(export(test, path, images, "otf2", file("otf2")))
    for weight in ("off-cpu", "wall"):
        summary = read.speedscope(export(test, path, images, "speedscope", file(weight), "--weight", weight))
        yield f"speedscope {weight}", summary._replace(processor=None, off=summary.processor) if weight == "off-cpu" else summary
    with sqlite3.connect(file("sqlite")) as connection:
        schema = [row[0] for row in connection.execute("select sql from sqlite_schema where type = 'table'")]
    yield "csv", read.csv_tables(export(test, path, images, "csv", file("csv")), schema)


def body(test):
    images = replay.unpack(replay.IMAGES, test.folder)
    test.formats = test.must(test.kymo, "export", "--help")
    for name in RECORDINGS:
        path = replay.unpack_one(name, test.folder)
        told = json.loads(replay.report(test, path, images, "--json=full"))
        whole = told["recording"]
        processor, off = (round(sum(whole[key] for key in keys) * 1e9) for keys in (("user_s", "system_s"), ("off_cpu_s",)))
        samples = sum(thread["samples"] for thread in told["threads"])
        within = max([whole["duration_s"], *(thread["end_s"] for thread in told["threads"])]) * 1e9 + 1
        for form, summary in summaries(test, name, path, images, within):
            wanted = processor + off if form == "speedscope wall" else processor
            if summary.processor is not None:
                test.equal(f"{name}, {form}: ns on a processor", wanted, summary.processor)
            if summary.off is not None:
                test.equal(f"{name}, {form}: ns off it", off, summary.off)
            if summary.samples is not None:
                test.equal(f"{name}, {form}: samples", samples, summary.samples)
            test.equal(f"{name}, {form}: the monitor's own names", [], [one for one in summary.names if MONITOR in one])
        replay.clean(path)
    execs(test)
    refusals(test, replay.unpack("openmp", test.folder))


def execs(test):
    """One process that becomes others, too short to be sampled and long enough: its thread keeps its number."""
    path = test.work / "execs.kymo"
    work = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"
    test.must(test.kymo, "record", "-q", "-o", path, "--", "sh", "-c", f"exec sh -c '{work}; exec sh -c \"exec sh -c true\"'")
    told = json.loads(test.must(test.kymo, "report", path, "--json=full"))
    processor = round(sum(told["recording"][key] for key in ("user_s", "system_s")) * 1e9)
    within = max([told["recording"]["duration_s"], *(thread["end_s"] for thread in told["threads"])]) * 1e9 + 1
    test.check("programs of one process", "3 or more", len(told["processes"]), len(told["processes"]) >= 3)
    for form in ("chrome", "perfetto", "firefox"):
        out = test.work / f"execs.{form}"
        test.must(test.kymo, "export", path, "--to", form, "-o", out)
        test.equal(f"execs, {form}: ns on a processor", processor, getattr(read, form)(out, within).processor)


def refusals(test, path):
    def refused(what, code, says, *words):
        done = test.run(test.kymo, "export", *words)
        test.check(what, f"{code}, {says!r}", (done.returncode, done.stderr), done.returncode == code and says in done.stderr)

    taken = test.work / "taken"
    taken.write_text("")
    refused("no such format", 10, "there is: --to", path, "--to", "excel")
    refused("a weight that means nothing", 2, "--weight", path, "--to", "pprof", "--weight", "off-cpu", "-o", test.work / "x")
    refused("a weight that is no time", 2, "--weight", path, "--to", "speedscope", "--weight", "page-faults", "-o", test.work / "x")
    refused("a database without a name", 2, "-o", path, "--to", "sqlite")
    for form in ("pprof", "sqlite", "csv"):
        refused(f"{form}: nothing is overwritten", 5, "exists already", path, "--to", form, "-o", taken)
    refused("no such directory", 8, "", path, "--to", "csv", "-o", test.work / "no" / "where")
    full = test.run(test.kymo, "export", path, "--to", "chrome", "-o", "/dev/full")
    test.equal("a file that is there", 5, full.returncode)
    done = test.run("sh", "-c", f"'{test.kymo}' export '{path}' --to chrome > /dev/full")
    test.check("a full disk", "told", (done.returncode, done.stderr), done.returncode != 0 and "No space left" in done.stderr)
    test.equal("what failed left nothing", [], [one.name for one in test.work.glob("x")])


main(body)
