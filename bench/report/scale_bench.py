"""scale_bench.py BUILD [SAMPLES…]: from a recording to its evidence as the work grows ×1, ×10, ×100.

Recordings of 1, 10 and 100 million samples (or those given) are made by bench/generate_recording, one after the other, and
each is analysed once by bench/scale_bench in a process of its own, so that its memory is its own. For reading only: nothing
here passes or fails.
"""

import pathlib
import subprocess
import sys
import tempfile

THREADS = "4"


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
    sizes = sys.argv[2:] or ["1000000", "10000000", "100000000"]
    with tempfile.TemporaryDirectory(prefix="kymo-scale-bench-") as name:
        for samples in sizes:
            folder = pathlib.Path(name) / f"{samples}.kymo"
            subprocess.run([build / "bench/generate_recording", folder, samples, THREADS], check=True)
            size = sum(file.stat().st_size for file in folder.iterdir()) / 1e6
            print(f"{int(samples):,} samples, {size:.0f} MB", flush=True)
            subprocess.run([build / "bench/scale_bench", folder], check=True)
            print(flush=True)
            for file in folder.iterdir():
                file.unlink()


if __name__ == "__main__":
    main()
