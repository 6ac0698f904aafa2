"""Thirty small CUDA programs with known answers, as nvcc builds them at every level of optimisation and for debugging, under `kymo gpu run`."""

import pathlib
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "truth"))

from harness import main  # noqa: E402

BUILDS = {"as usual": [], "-G": ["-G"], **{f"cicc -O{level}": ["-Xcicc", f"-O{level}"] for level in range(4)}}
PROGRAMS = 10  # of each file


def body(test):
    compiler = pathlib.Path("/usr/local/cuda/bin/nvcc")
    if not compiler.exists():
        test.skip("nvcc is not installed")
    for name in ("control", "numbers", "memory"):
        for how, options in BUILDS.items():
            made = test.run(compiler, "-std=c++17", "-fmad=false", "-cudart", "shared", "-gencode", "arch=compute_80,code=compute_80", *options,
                            "-o", name, HERE / f"{name}.cu", env={"PATH": f"{compiler.parent}:/usr/bin:/bin", "TMPDIR": str(test.work)})
            if not test.check(f"nvcc {name}, {how}", 0, made.stderr[-1500:], made.returncode == 0):
                continue
            done = test.run(test.kymo, "gpu", "run", "--check", "barriers", "--", test.work / name)
            lines = [line for line in done.stdout.splitlines() if line.startswith(("RIGHT", "WRONG"))]
            wrong = [line for line in lines if not line.startswith("RIGHT")]
            test.check(f"{name}, {how}: programs that are right", (PROGRAMS, 0, ""), (len(lines), done.returncode, done.stderr[:1500], wrong),
                       len(lines) == PROGRAMS and not wrong and done.returncode == 0 and done.stderr == "")


main(body)
