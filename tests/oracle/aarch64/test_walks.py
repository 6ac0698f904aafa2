"""test_walks.py BUILD any: the unwinder, built for aarch64, walks its own stacks in QEMU's user mode: the unit tests that name no
processor (walks beside glibc's backtrace(), signal frames, threads, coroutines, random stacks) and the registers' own.
"""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "tests/truth"))
from harness import main  # noqa: E402

COMPILER = "aarch64-linux-gnu-g++"
GOOGLETEST = pathlib.Path("/usr/src/googletest/googletest")
PATIENCE = 900  # seconds, for what a busy machine takes to compile
TESTS = ("walk", "leave", "made_walks", "x86_64/epilogue", "garbage")
NOT_IN_QEMU = ("Walk.OverACopiedStackTheSame", "Garbage.CopiesUpToThePageThatIsMissing")  # it has no process_vm_readv


def sources():
    """The layers that the unwinder needs, but for what takes zlib."""
    own = [file for layer in ("image", "unwind") for file in sorted((ROOT / "src" / layer).rglob("*.cpp")) if file.name != "inflate.cpp"]
    tests = [ROOT / f"tests/unit/unwind/{name}_test.cpp" for name in TESTS]
    return [*own, *tests, HERE / "no_inflate.cpp", HERE / "registers_test.cpp"]


def body(test):
    compiler = test.tool(COMPILER, "g++-aarch64-linux-gnu")
    emulator = test.tool("qemu-aarch64", "qemu-user")
    if not (GOOGLETEST / "src/gtest-all.cc").exists():
        test.skip("GoogleTest's sources are not installed (apt-get install googletest)")
    program = test.work / "walks"
    folders = [f"-I{folder}" for folder in (ROOT / "src", ROOT / "tests/unit/unwind", GOOGLETEST, GOOGLETEST / "include")]
    googletest = [GOOGLETEST / "src" / name for name in ("gtest-all.cc", "gtest_main.cc")]
    test.must(compiler, "-std=c++20", "-O2", *folders, *sources(), *googletest, "-o", program, "-ldl", "-lpthread", timeout=PATIENCE)
    walked = test.run(emulator, "-L", "/usr/aarch64-linux-gnu", program, f"--gtest_filter=-{':'.join(NOT_IN_QEMU)}", timeout=PATIENCE, stdin=subprocess.DEVNULL)
    if walked.returncode != 0:
        print(walked.stdout[-3000:], walked.stderr[-1500:])
    test.equal("the tests on aarch64", 0, walked.returncode)
    test.check("tests that ran", "at least 40", walked.stdout.count("[       OK ]"), walked.stdout.count("[       OK ]") >= 40)


main(body)
