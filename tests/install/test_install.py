"""test_install.py CMAKE BUILD PROJECT: installs BUILD into a folder of its own, builds PROJECT against that, and runs what came out.

The project is C99 and C++11, with warnings that users like and as errors; without the monitor its programs count nothing and say
so.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

cmake, build, project = sys.argv[1:4]
if not shutil.which("pkg-config"):
    print("skipped: pkg-config is not installed")
    sys.exit(77)


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode != 0:
        print(" ".join(map(str, command)), done.stdout, done.stderr, sep="\n")
        sys.exit(1)
    return done.stdout


with tempfile.TemporaryDirectory(prefix="kymo-install-") as folder:
    prefix = pathlib.Path(folder) / "prefix"
    out = pathlib.Path(folder) / "out"
    run(cmake, "--install", build, "--prefix", prefix)
    for name in ("bin/kymo", "lib/kymo/libkymo-monitor.so", "lib/libkymo-hunt.so", "include/kymo/metrics.h", "include/kymo/metrics.hpp",
                 "include/kymo/cells_interface.h", "lib/cmake/kymo/kymoConfig.cmake", "lib/pkgconfig/kymo.pc"):
        assert (prefix / name).exists(), name
    moved = prefix.rename(pathlib.Path(folder) / "moved")  # an install tree may be moved
    environment = {**os.environ, "PKG_CONFIG_PATH": str(moved / "lib/pkgconfig")}
    run(cmake, "-S", project, "-B", out, f"-DCMAKE_PREFIX_PATH={moved}", "-DCMAKE_BUILD_TYPE=Release", env=environment)
    run(cmake, "--build", out, env=environment)
    for program in ("counts_c", "counts_cpp", "counts_off"):
        assert run(out / program) == "not counting\n", program
    run(out / "hunts", env={**environment, "LD_LIBRARY_PATH": str(moved / "lib")})
    assert run(moved / "bin/kymo", "--version").startswith("kymo ")
print("found, built, moved and run")
