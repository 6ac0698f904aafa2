"""scale_bench.py BUILD [SAMPLES…]: from a recording to its findings as the work grows ×1, ×10, ×100.

Two kinds of recordings of 1, 10 and 100 million samples (or those given): *real*, the bundled program recorded for some seconds
and repeated as often as it takes (bench/repeat_recording), and *worst*, four threads that wander at random among thousands of
call paths (bench/generate_recording; 1 million only, unless sizes are given). Each is analysed once by bench/scale_bench in a
process of its own, so that its memory is its own. Printed: seconds of processor time by stage and recording, how many times
those of the smallest recording of its kind they are (×10 the samples, ×100), their sum, the wall time and the peak of memory.
For reading only: nothing here passes or fails.
"""

import pathlib
import subprocess
import sys
import tempfile

ROUNDS = "60"
THREADS = "4"


def run(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stderr.strip()[:300]}")
    return done.stdout


def measured(build, folder):
    """Stage → (wall seconds, processor seconds), and the most memory in MiB."""
    stages, peak = {}, 0.0
    for line in run([build / "bench/scale_bench", folder]).splitlines():
        words = line.split()
        if len(words) == 4 and words[0].isalpha():
            stages[words[0]] = (float(words[1]), float(words[2]))
            peak = float(words[3])
    return stages, peak


def row(title, kinds, values, digits=3):
    """One line: each value, and how many times the first of its kind it is."""
    line, first = f"{title:18}", {}
    for kind, value in zip(kinds, values):
        times = f"×{value / first[kind]:.1f}" if first.get(kind, 0) >= 0.001 else ""
        first.setdefault(kind, value)
        line += f"{value:12.{digits}f}{times:>8}"
    print(line)


def print_table(results):
    kinds = [kind for kind, *_ in results]
    print(f"{'':18}" + "".join(f"{title:>12}{'':8}" for _, title, *_ in results))
    for stage in results[0][2]:
        row(stage, kinds, [stages[stage][1] for _, _, stages, _ in results])
    for title, index in (("processor time, s", 1), ("wall time, s", 0)):
        row(title, kinds, [sum(times[index] for times in stages.values()) for _, _, stages, _ in results])
    row("peak memory, MiB", kinds, [peak for *_, peak in results], 0)


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
    asked = [int(size) for size in sys.argv[2:]]
    work = [("real", size) for size in asked or (1_000_000, 10_000_000, 100_000_000)]
    work += [("worst", size) for size in asked or (1_000_000,)]
    results = []
    with tempfile.TemporaryDirectory(prefix="kymo-scale-bench-") as name:
        scratch = pathlib.Path(name)
        once = scratch / "once.kymo"
        run([build / "bin/kymo", "record", "-F", 1000, "-o", once, "--", build / "bin/kymo-demo", "--rounds", ROUNDS])
        for kind, size in work:
            folder = scratch / f"{kind}-{size}.kymo"
            if kind == "real":
                run([build / "bench/repeat_recording", once, folder, size])
            else:
                run([build / "bench/generate_recording", folder, size, THREADS])
            results.append((kind, f"{kind} {size / 1e6:g} M", *measured(build, folder)))
            for file in folder.iterdir():
                file.unlink()
    print_table(results)


if __name__ == "__main__":
    main()
