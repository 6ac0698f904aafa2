"""kernels.py BUILD [ROUNDS [TIMES]]: what MPI kernels take whose messages are counted, beside the same without Kymo.

Two ranks run a ring exchange, a transpose, and a master with a worker (kernels.c), which time themselves: bare; with messages counted and timed, and
nothing else (libaccount.so of tests/mpi keeps the cells); so, but counted alone; and under `kymo record`, which samples, too; one after the other and
over again. Printed are medians, and the median of the ratios of neighbours. As root the ranks run before all else (chrt), so that what else the machine does falls on all alike.
For reading only: nothing here passes or fails.
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile


def run(command):
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
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
    kernels = [build / "bench/mpi_kernels", times]
    starter = ["mpirun", *(["--allow-run-as-root"] if root else []), "--bind-to", "core", "-n", "2"]
    account = f"LD_PRELOAD={build}/lib/libkymo-mpi.so {build}/tests/mpi/libaccount.so"
    seen = {}
    with tempfile.TemporaryDirectory(prefix="kymo-mpi-bench-") as name:
        recording = pathlib.Path(name) / "bench.kymo"
        kept = f"KYMO_TEST_ACCOUNT={name}"
        for _ in range(rounds):
            shutil.rmtree(recording, ignore_errors=True)
            for who, command in (("bare", [*starter, *kernels]),
                                 ("counted, timed", [*starter, "env", kept, account, *kernels]),
                                 ("counted", [*starter, "env", "KYMO_MPI=count", kept, account, *kernels]),
                                 ("kymo record", [build / "bin/kymo", "record", "-q", "-o", recording, "--", *starter, *kernels])):
                seen.setdefault(who, []).append(run([*first, *command]))
    print(f"two ranks, medians of {rounds} interleaved rounds: wall time of the slower, processor time of both")
    for kernel in ("ring", "transpose", "workers"):
        for who, rows in seen.items():
            wall, processor = [statistics.median(row[kernel][i] for row in rows) for i in range(2)]
            more = [100 * (statistics.median(row[kernel][i] / bare[kernel][i] for row, bare in zip(rows, seen["bare"])) - 1) for i in range(2)]
            print(f"  {kernel:10} {who:15} {wall:8.3f} s ({more[0]:+5.1f} %) {processor:8.3f} s of processor ({more[1]:+5.1f} %)")


main()
