"""test_install.py BUILD any CMAKE PROJECT: installs BUILD into a folder of its own, builds PROJECT against that, and runs what came out.

The project is C99 and C++11, with warnings that users like and as errors; without the monitor its programs count nothing and say
so.
"""

import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "truth"))
from harness import main  # noqa: E402

PATIENCE = 600  # seconds, for what a busy machine takes to copy or compile


def body(test):
    cmake, project = test.arguments
    if not shutil.which("pkg-config"):
        test.skip("pkg-config is not installed")
    prefix, out = test.work / "prefix", test.work / "out"
    test.must(cmake, "--install", test.build, "--prefix", prefix, timeout=PATIENCE)
    for name in ("bin/kymo", "lib/kymo/libkymo-monitor.so", "lib/libkymo-hunt.so", "include/kymo/metrics.h", "include/kymo/metrics.hpp",
                 "include/kymo/cells_interface.h", "lib/cmake/kymo/kymoConfig.cmake", "lib/pkgconfig/kymo.pc"):
        test.equal(f"{name} is installed", True, (prefix / name).exists())
    moved = prefix.rename(test.work / "moved")  # an install tree may be moved
    environment = {**os.environ, "PKG_CONFIG_PATH": str(moved / "lib/pkgconfig")}
    test.must(cmake, "-S", pathlib.Path(project).resolve(), "-B", out, f"-DCMAKE_PREFIX_PATH={moved}", "-DCMAKE_BUILD_TYPE=Release", env=environment, timeout=PATIENCE)
    test.must(cmake, "--build", out, env=environment, timeout=PATIENCE)
    for program in ("counts_c", "counts_cpp", "counts_off"):
        test.equal(program, "not counting\n", test.must(out / program))
    test.must(out / "hunts", env={**environment, "LD_LIBRARY_PATH": str(moved / "lib")})
    test.equal("the installed kymo's name", "kymo ", test.must(moved / "bin/kymo", "--version")[:5])


main(body)
