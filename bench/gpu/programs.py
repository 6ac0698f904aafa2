"""programs.py BUILD [ROUNDS]: how long CUDA programs take under `kymo gpu run`, from their start to the report.

The planted programs of tests/programs/gpu/host, each in both versions, with their kernels executed and modelled on an H100 PCIe; and one of 1,000
launches of four CTAs. Beside it the same with --exact (every CTA simulated), and the writing of traces alone (`kymo gpu trace`), one after the
other and over again. Printed are medians of the processor time of kymo and the program, and warp instructions a second of it. For reading only:
nothing here passes or fails.
"""

import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

PROGRAMS = [("many_launches", "1000"), *((name, version) for name in ("uncoalesced", "bank_conflict", "divergence", "low_occupancy", "tail_wave")
                                   for version in ("bad", "fixed"))]


def processor_time(command):
    """Seconds of the processor, those of its children included; and what it printed."""
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE, text=True)
        complaint = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))} ended with {child.returncode}: {complaint.strip()[:300]}")
        out.seek(0)
        return usage.ru_utime + usage.ru_stime, out.read()


def main():
    build = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build").resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    kymo = build / "bin" / "kymo"
    print(f"{'program':24} {'launches':>8} {'warp instr.':>12} {'run s':>8} {'M/s':>6} {'exact s':>8} {'trace s':>8}")
    for name, version in PROGRAMS:
        path = build / "tests" / "programs" / "gpu" / name
        if not path.exists():
            sys.exit(f"{path} is not built (make build)")
        seconds = {"run": [], "exact": [], "trace": []}
        for _ in range(rounds):
            took, text = processor_time([kymo, "gpu", "run", "--gpu", "h100-pcie", "--json", "--", path, version])
            seconds["run"].append(took)
            told = json.loads(text[text.find("{"):])
            took, _ = processor_time([kymo, "gpu", "run", "--gpu", "h100-pcie", "--exact", "--json", "--", path, version])
            seconds["exact"].append(took)
            folder = pathlib.Path(tempfile.mkdtemp(prefix="kymo-bench-"))
            took, _ = processor_time([kymo, "gpu", "trace", "--gpu", "h100-pcie", "-o", folder / "traces", "--", path, version])
            seconds["trace"].append(took)
            shutil.rmtree(folder)
        instructions = sum(kernel["warp_instructions"] for kernel in told["kernels"])
        run, exact, trace = (statistics.median(seconds[how]) for how in ("run", "exact", "trace"))
        print(f"{name + ' ' + version:24} {len(told['kernels']):8} {instructions:12,} {run:8.3f} {instructions / run / 1e6:6.2f} {exact:8.3f} {trace:8.3f}")


main()
