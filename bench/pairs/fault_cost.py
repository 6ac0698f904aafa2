"""What page faults cost to look at: fault_cost.py BUILD [ROUNDS].

Runs a fault-heavy program plainly, under kymo record as it is by default (a sample every 251 faults) and with faults only counted, under
kymo hunt's two engines, and under `perf record -e page-faults -c 1`, which keeps every fault; in turn, so that a busy machine disturbs all alike. Told are medians of processor time, without what each costs at a start: the
ratio to the plain run, and nanoseconds a fault beyond it.
"""

import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

FAULTING_ROUNDS = 3000  # of a hundred faults


def processor_seconds(command, folder):
    for old in folder.iterdir():
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    program = build / "tests" / "programs" / "hunted_faults"
    record = [build / "bin" / "kymo", "record", "-q", "-o", "record.kymo"]
    counted = [word for event in ("task-clock:freq=1000", "page-faults", "context-switches", "cpu-migrations") for word in ("-e", event)]
    hunt = [build / "bin" / "kymo", "hunt", "-q", "-e", "page-faults", "-o", "hunt.kymo", "--engine"]
    ways = {"plain": [], "kymo record": [*record, "--"], "kymo record, faults counted": [*record, *counted, "--"], "kymo hunt, in the kernel": [*hunt, "kernel", "--"], "kymo hunt, in the program": [*hunt, "program", "--"]}
    if perf := shutil.which("perf"):
        ways["perf record -c 1"] = [perf, "record", "-q", "-e", "page-faults:u", "-c", "1", "-o", "perf.data", "--"]
    else:
        print("perf is not there (apt-get install linux-perf): left out")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for way in list(ways):
            try:
                processor_seconds([*ways[way], program, "1"], folder)
            except (OSError, subprocess.CalledProcessError) as why:
                print(f"{way}: not here ({why})")
                del ways[way]
        spent = {way: [] for way in ways}
        start = {way: [] for way in ways}
        for _ in range(rounds):
            for way, command in ways.items():
                spent[way].append(processor_seconds([*command, program, str(FAULTING_ROUNDS)], folder))
                start[way].append(processor_seconds([*command, program, "1"], folder))
    cost = {way: statistics.median(spent[way]) - statistics.median(start[way]) for way in ways}
    print(f"{FAULTING_ROUNDS * 100:,} page faults, medians of {rounds}      ratio   ns a fault more   start, s")
    for way, seconds in cost.items():
        more = (seconds - cost["plain"]) / (FAULTING_ROUNDS * 100) * 1e9
        print(f"  {way:32} {seconds / cost['plain']:8.2f} {more:17.0f} {statistics.median(start[way]):10.3f}")


main()
