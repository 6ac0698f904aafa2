"""Executes on this machine's GPU what instructions.py wrote, and random kernels.

Usage: execute.py instructions FOLDER RESULTS.xz [COUNT]
       execute.py random FOLDER [FIRST]

The first writes what the GPU stored: of each instruction the first COUNT (512) results, each in the bytes of its type. The second compares what the
kernels in FOLDER (gpu_random_kernels_test with KYMO_RANDOM_WRITE) store with what the test says they should.
"""

import concurrent.futures
import lzma
import os
import pathlib
import struct
import subprocess
import sys
import time

from gpu import Gpu, u64
from instructions import COUNT


def assembled(ptx, level=3):
    """The path of its machine code, which ptxas makes at that level of optimisation; where it cannot, what it says."""
    cubin = ptx.with_suffix(".cubin")
    if cubin.exists():
        return cubin
    done = subprocess.run(["ptxas", f"-O{level}", "-arch=sm_90", "-o", cubin, ptx], capture_output=True, text=True, check=False)
    return cubin if done.returncode == 0 else done.stderr.strip()


def instructions(folder, out, count):
    gpu = Gpu()
    module = gpu.module(assembled(folder / "instructions.ptx"))
    operands = (folder / "operands.bin").read_bytes()
    given, results, own = gpu.allocate(len(operands)), gpu.allocate(8 * COUNT), gpu.allocate(8 * COUNT)
    gpu.write(given, operands)
    stored = []
    rows = [line.split("\t") for line in (folder / "instructions.tsv").read_text().splitlines()]
    for entry, _, bits, _, number, _ in rows:
        gpu.fill(own, 0, 8 * COUNT)
        gpu.launch(gpu.function(module, entry), (COUNT // 128, 1), (128, 1), u64(given.value + int(number) * 24 * COUNT), results, own)
        gpu.wait()
        size = int(bits) // 8
        words = gpu.read(results, 8 * count)
        stored.append(b"".join(words[at:at + size] for at in range(0, len(words), 8)))
    out.write_bytes(lzma.compress(b"".join(stored)))
    print(gpu.name, len(rows), "instructions")


def ended(gpu):
    """Whether what was launched ends within three seconds."""
    latest = time.monotonic() + 3
    while gpu.cuda.cuStreamQuery(None) == 600:  # CUDA_ERROR_NOT_READY
        if time.monotonic() > latest:
            return False
    gpu.wait()
    return True


def random(folder, first):
    gpu = Gpu()
    results = (folder / "results").read_bytes()
    kernels = sorted(folder.glob("*.ptx"), key=lambda path: int(path.stem))
    size = len(results) // len(kernels)
    # Not optimised: at -O3, ptxas 13.0 makes something else of 0.5 % of them.
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        codes = list(pool.map(lambda path: assembled(path, 0), kernels))
    out = gpu.allocate(size)
    different = refused = 0
    for number, (path, code) in enumerate(zip(kernels, codes)):
        if int(path.stem) < first:
            continue
        if isinstance(code, str):
            refused += 1
            print(f"{path.name}: {code[:300]}")
            continue
        module = gpu.module(code)
        gpu.fill(out, 0xEE, size)
        gpu.launch(gpu.function(module, "k"), (1, 1), (32, 1), out)
        if not ended(gpu):
            print(f"{path.name} does not end", flush=True)
            os._exit(3)  # nothing else ends it
        got, wanted = gpu.read(out, size), results[number * size:(number + 1) * size]
        if got != wanted:
            different += 1
            at = next(i for i in range(0, size, 8) if got[i:i + 8] != wanted[i:i + 8])
            words = [struct.unpack("<Q", one[at:at + 8])[0] for one in (got, wanted)]
            print(f"{path.name}: word {at // 8}: {words[0]:#x} for {words[1]:#x}", flush=True)
        gpu.call("cuModuleUnload", module)
    print(f"{gpu.name}: {len(kernels)} random kernels, {different} different, {refused} refused by ptxas")


if __name__ == "__main__":
    if sys.argv[1] == "random":
        random(pathlib.Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
    else:
        instructions(pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 512)
