"""kernels.py BUILD [ROUNDS [TIMES]]: what MPI kernels take whose messages are counted, beside the same without Kymo.

Two ranks run a ring exchange, a transpose, and a master with a worker (kernels.c), which time themselves: bare, under `kymo measure` (messages
counted and timed, and nothing else asked for), and with messages counted but not timed; one after the other and over again. Printed are medians,
and the median of the ratios of neighbours. As root the ranks run before all else (chrt), so that what else the machine does falls on all alike.
For reading only: nothing here passes or fails.
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile


def run(command, environment):
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, **environment})
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}: {done.stderr.strip()[:300]}")
    seen = {}
    for line in done.stdout.splitlines():
        words = line.split()
        if len(words) == 3 and words[0] in ("ring", "transpose", "workers"):
            seen[words[0]] = (float(words[1]), float(words[2]))
    return seen


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    times = sys.argv[3] if len(sys.argv) > 3 else "1"
    if not shutil.which("mpirun"):
        sys.exit("mpirun is not installed (apt-get install openmpi-bin)")
    root = os.geteuid() == 0
    first = ["chrt", "-r", "5"] if root and shutil.which("chrt") else []
    ranks = ["mpirun", *(["--allow-run-as-root"] if root else []), "--bind-to", "core", "-n", "2", build / "bench/mpi_kernels", times]
    seen = {}
    with tempfile.TemporaryDirectory(prefix="kymo-mpi-bench-") as name:
        recording = pathlib.Path(name) / "bench.kymo"
        kymo = [build / "bin/kymo", "measure", "-q", "-o", recording, "--"]
        for _ in range(rounds):
            for who, before, environment in (("bare", [], {}), ("counted, timed", kymo, {}), ("counted", kymo, {"KYMO_MPI": "count"})):
                shutil.rmtree(recording, ignore_errors=True)
                seen.setdefault(who, []).append(run([*first, *before, *ranks], environment))
    print(f"two ranks, medians of {rounds} interleaved rounds: wall time of the slower, processor time of both")
    for kernel in ("ring", "transpose", "workers"):
        for who, rows in seen.items():
            wall, processor = [statistics.median(row[kernel][i] for row in rows) for i in range(2)]
            more = [100 * (statistics.median(row[kernel][i] / bare[kernel][i] for row, bare in zip(rows, seen["bare"])) - 1) for i in range(2)]
            print(f"  {kernel:10} {who:15} {wall:8.3f} s ({more[0]:+5.1f} %) {processor:8.3f} s of processor ({more[1]:+5.1f} %)")


main()
