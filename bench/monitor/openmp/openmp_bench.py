"""openmp_bench.py BUILD [RUNS [ROUNDS]]: what OpenMP's constructs take, recorded and not, with both run times.

A run is a process that takes medians over ROUNDS rounds; bare ones and such under `kymo record` follow each other RUNS times, with
two threads. Printed are the medians of the runs and their ratio. For reading only: nothing here passes or fails.
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

CONSTRUCTS = ("free lock + unlock", "free critical section", "empty parallel region", "barrier")


def run(command):
    environment = {**os.environ, "OMP_NUM_THREADS": "2"}
    done = subprocess.run([str(part) for part in command], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()[:300]}")
    return [float(word) for word in done.stdout.split()[:len(CONSTRUCTS)]]


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    with tempfile.TemporaryDirectory(prefix="kymo-openmp-bench-") as name:
        for run_time, program in (("libgomp", build / "bench/openmp_calls"), ("libomp", build / "bench/openmp_calls_llvm")):
            if not program.exists():
                print(f"{run_time}: left out, there was no compiler with it when {build} was made")
                continue
            bare, recorded = [], []
            for _ in range(runs):
                recording = pathlib.Path(name) / "run.kymo"
                shutil.rmtree(recording, ignore_errors=True)
                bare.append(run([program, rounds]))
                recorded.append(run([build / "bin/kymo", "record", "-o", recording, "--", program, rounds]))
            print(f"{run_time}, 2 threads: medians of {runs} interleaved runs of {rounds} rounds", flush=True)
            for i, construct in enumerate(CONSTRUCTS):
                without, within = (statistics.median(row[i] for row in rows) for rows in (bare, recorded))
                print(f"  {construct:24}  {without:9.1f} ns bare  {within:9.1f} ns recorded  {within - without:+8.1f} ns  ratio {within / without:.3f}")


main()
