"""Measures how long kernels take on this machine's GPU, for `build/bench/gpu_accuracy`.

Usage: times.py KERNELS.cubin OUT.tsv    at the boost clock, as the driver's tracing has the launches (through PyTorch's profiler)
       ncu --csv --metrics gpu__time_duration.sum --log-file NCU.csv python3 times.py KERNELS.cubin -
       times.py NCU.csv OUT.tsv          what Nsight Compute measured: at its base clock, with empty caches

KERNELS.cubin: nvcc -cubin -arch=sm_90 times.cu. A time is the median of five launches, each right behind another of the same kernel on the same
data, in an order that is shuffled in each turn.
"""

import csv
import ctypes
import json
import pathlib
import random
import statistics
import sys
import tempfile

from gpu import Gpu, u64

i32, f32 = ctypes.c_int, ctypes.c_float
TURNS = 5


def rows():
    """(benchmark, parameters)"""
    found = [("vectoradd", f"size={1 << power}") for power in range(14, 25)]
    for benchmark in ("gemm", "atax"):
        found += [(benchmark, f"size={size} blockDimX={width}") for size in (32, 48, 64, 96, 128, 192, 256, 384, 512) for width in (8, 16, 32)]
    found += [("emptykernel", f"thread={threads} block={1 << power}") for threads in range(256, 1025, 32) for power in range(10, 17)]
    return found


class Kernels:
    def __init__(self, cubin):
        self.gpu = Gpu()
        module = self.gpu.module(cubin)
        self.by_name = {name: self.gpu.function(module, name) for name in ("vector_add", "gemm", "atax_row", "atax_column", "empty")}
        self.at = [self.gpu.allocate(1 << 26) for _ in range(3)]
        for at in self.at:
            self.gpu.fill(at, 0, 1 << 26)

    def launch(self, benchmark, parameters):
        """How many kernels that were."""
        p = {key: int(value) for key, value in (one.split("=") for one in parameters.split())}
        a, b, c = self.at
        n, start = i32(p.get("size", 0)), lambda name, grid, block, *arguments: self.gpu.launch(self.by_name[name], grid, block, *arguments)
        if benchmark == "vectoradd":
            start("vector_add", ((n.value + 255) // 256, 1), (256, 1), a, b, c, n)
        elif benchmark == "gemm":
            width = p["blockDimX"]
            side = (n.value + width - 1) // width
            start("gemm", (side, side), (width, width), n, n, n, f32(32412), f32(2123), a, b, c)
        elif benchmark == "atax":
            width = p["blockDimX"]
            grid = ((n.value + width - 1) // width, 1)
            start("atax_row", grid, (width, 1), n, n, a, b, c)
            start("atax_column", grid, (width, 1), n, n, a, b, c)
            self.gpu.wait()
            return 2
        else:
            start("empty", (p["block"], 1), (p["thread"], 1))
        self.gpu.wait()
        return 1


def write(path, profiler, taken):
    with open(path, "w", encoding="ascii") as out:
        out.write("benchmark\tparameters\tprofiler\ttime_us\n")
        for row in rows():
            out.write(f"{row[0]}\t{row[1]}\t{profiler}\t{statistics.median(taken[row]):.4f}\n")


def of_nsight_compute(path):
    with open(path, encoding="ascii") as table:
        lines = [line for line in csv.DictReader(line for line in table if not line.startswith("=="))
                 if line["Metric Name"] == "gpu__time_duration.sum"]
    times = iter(float(line["Metric Value"].replace(",", "")) / {"ns": 1e3, "us": 1, "usecond": 1, "nsecond": 1e3}[line["Metric Unit"]] for line in lines)
    taken = {row: [sum(next(times) for _ in range(2 if row[0] == "atax" else 1))] for row in rows()}
    if next(times, None) is not None:
        raise SystemExit("more launches than expected")
    return taken


def main():
    if sys.argv[1].endswith(".csv"):
        write(sys.argv[2], "ncu", of_nsight_compute(sys.argv[1]))
        return
    kernels = Kernels(sys.argv[1])
    if sys.argv[2] == "-":
        for benchmark, parameters in rows():
            kernels.launch(benchmark, parameters)
        return
    import torch
    from torch.profiler import ProfilerActivity, profile
    torch.zeros(1, device="cuda")
    for benchmark, parameters in rows():  # the clock rises, and code is loaded
        kernels.launch(benchmark, parameters)
    taken, order = {}, []
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        for turn in range(TURNS):
            shuffled = rows()
            random.Random(turn).shuffle(shuffled)
            for row in shuffled:
                kernels.launch(*row)
                order += [row] * 2 * kernels.launch(*row)
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(trace))
        events = [event for event in json.loads(trace.read_text())["traceEvents"] if event.get("cat") == "kernel" and "memset" not in event["name"].lower()]
    events.sort(key=lambda event: event["ts"])
    if len(events) != len(order):
        raise SystemExit(f"{len(events)} kernels traced, {len(order)} launched: {sorted({event['name'] for event in events})[:20]}")
    at = 0
    while at < len(order):
        count = 2 if order[at][0] == "atax" else 1
        taken.setdefault(order[at], []).append(sum(event["dur"] for event in events[at + count:at + 2 * count]))
        at += 2 * count
    write(sys.argv[2], "nsys", taken)
    print(kernels.gpu.name, len(events), "kernels")


main()
