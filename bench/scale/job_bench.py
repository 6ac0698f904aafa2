"""job_bench.py BUILD [SAMPLES [RANKS]]: the report of a generated job of 1,000 ranks with 200 million samples: by one process with all processors, and by
1, 2 and 4 under mpirun, interleaved twice. Prints seconds, the largest process, and bytes; ends with 1 where the results are not the same bytes, or the
slow rank is not what the first finding names.
"""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = int(os.environ.get("ROUNDS", "2"))
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def timed(command, out):
    """(seconds, MiB of the largest process, exit status)"""
    begin = time.monotonic()
    with open(out, "wb") as file:
        process = subprocess.Popen(command, stdout=file, env=ENVIRONMENT)
        _, status, usage = os.wait4(process.pid, 0)
    return time.monotonic() - begin, usage.ru_maxrss / 1024, os.waitstatus_to_exitcode(status)


def main():
    build = pathlib.Path(sys.argv[1])
    samples = int(sys.argv[2]) if len(sys.argv) > 2 else 200_000_000
    ranks = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    kymo = build / "bin/kymo"
    work = pathlib.Path(tempfile.mkdtemp(prefix="kymo-job-", dir=os.environ.get("TMPDIR", "/var/tmp")))
    try:
        job = work / "job.kymo"
        begin = time.monotonic()
        truth = json.loads(subprocess.run([build / "bench/generate_job", job, "--ranks", str(ranks), "--samples", str(samples), "--slow", str(ranks * 617 // 1000)],
                                          check=True, stdout=subprocess.PIPE).stdout)
        size = sum(path.stat().st_size for path in job.iterdir())
        print(f"{truth['samples']:,} samples of {ranks:,} ranks, {size / 1e9:.2f} GB, made in {time.monotonic() - begin:.0f} s", flush=True)
        ways = {"one process, all processors": []}
        if shutil.which("mpirun"):
            ways |= {f"mpirun -n {n}": ["mpirun", "--oversubscribe", "-n", str(n)] for n in (1, 2, 4)}
        seen = {way: [] for way in ways}
        results = {}
        for _ in range(ROUNDS):
            for way, starter in ways.items():
                out = work / "out.json"
                seconds, largest, status = timed([*starter, kymo, "report", job, "--json"], out)
                if status != 0:
                    sys.exit(f"{way}: exit status {status}")
                seen[way].append((seconds, largest))
                results[way] = out.read_bytes()
        first = json.loads(results["one process, all processors"])["findings"][0]["title"]
        print(first)
        base = statistics.median(seconds for seconds, _ in seen.get("mpirun -n 1", seen["one process, all processors"]))
        for way, runs in seen.items():
            seconds = statistics.median(seconds for seconds, _ in runs)
            print(f"{way:30} {seconds:8.1f} s   {base / seconds:5.2f} x   {max(largest for _, largest in runs):7.0f} MiB   {len(results[way]):,} bytes")
        if len(set(results.values())) != 1 or not first.startswith(f"Rank {truth['slow']} "):
            sys.exit("the results differ, or the first finding does not name the slow rank")
    finally:
        shutil.rmtree(work)


main()
