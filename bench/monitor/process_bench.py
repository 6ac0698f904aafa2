"""process_bench.py BUILD [ROUNDS [COUNT]]: what a process costs that does nothing, recorded and not.

A shell starts COUNT of them one after another. That is run bare, with a library preloaded that holds nothing, under `kymo record`, and
under `perf record` (call paths with the stack's bytes, as for DWARF) where that is to be had, one after the other and over again;
printed are medians of wall and processor time (of the run as a whole, recorder included) a process, the ratio to bare, the bytes of the
recording a process, and how long `kymo report` takes. For reading only: nothing here passes or fails.
"""

import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def used():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command, **environment):
    before, begun = used(), time.monotonic()
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, **environment})
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()[:300]}")
    return time.monotonic() - begun, used() - before


def size(path):
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file()) if path.is_dir() else path.stat().st_size


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    work = ["sh", "-c", f"for i in $(seq {count}); do /bin/true; done"]
    with tempfile.TemporaryDirectory(prefix="kymo-process-bench-") as name:
        folder = pathlib.Path(name)
        empty, ours, theirs = folder / "empty.so", folder / "ours.kymo", folder / "perf.data"
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "/dev/null", "-o", str(empty)], check=True)
        seen, reports = {}, []
        for _ in range(rounds):
            shutil.rmtree(ours, ignore_errors=True)
            seen.setdefault("bare", []).append(run(work))
            seen.setdefault("empty library", []).append(run(work, LD_PRELOAD=str(empty)))
            seen.setdefault("kymo record", []).append(run([build / "bin/kymo", "record", "-o", ours, "--", *work]))
            reports.append(run([build / "bin/kymo", "report", ours])[0])
            if shutil.which("perf"):
                seen.setdefault("perf record", []).append(
                    run(["perf", "record", "-q", "-F", 1000, "-e", "task-clock", "--call-graph", "dwarf", "-o", theirs, "--", *work]))
        bytes_of = {"kymo record": ours, "perf record": theirs}
        bare = [statistics.median(row[i] for row in seen["bare"]) for i in range(2)]
        print(f"{count} processes: medians of {rounds} interleaved rounds")
        for who, rows in seen.items():
            wall, processor = [statistics.median(row[i] for row in rows) for i in range(2)]
            bytes_each = f"  {size(bytes_of[who]) / count:8.0f} bytes a process" if who in bytes_of else ""
            print(f"  {who:13}  {wall / count * 1e3:6.3f} ms wall (× {wall / bare[0]:4.2f})  {processor / count * 1e3:6.3f} ms of processor "
                  f"(× {processor / bare[1]:4.2f}){bytes_each}")
        files = len(list(ours.glob("*.krec")))
        print(f"  kymo's recording has {files} files; its report takes {statistics.median(reports):.2f} s")


main()
