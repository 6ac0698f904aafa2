"""test_install.py BUILD any CMAKE PROJECT: installs BUILD into a folder of its own, builds PROJECT against that, and runs what came out.

The project is C99 and C++11, with warnings that users like and as errors; without the monitor its programs count nothing and say
so.
"""

import json
import os
import pathlib
import shutil
import sys
import tarfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "truth"))
from harness import main  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = TOP / "examples"
PATIENCE = 600  # seconds, for what a busy machine takes to copy or compile


def reads(test, out, environment):
    """The examples of docs/recording-library.md, on a stored recording: what they print is what kymo sql has."""
    with tarfile.open(TOP / "tests/replay/recordings/openmp.tar.xz") as archive:
        archive.extractall(test.work)
    recording = test.work / "openmp.kymo"

    def asked(query):
        return json.loads(test.must(test.kymo, "sql", recording, "--json", query))

    test.equal("refusals", "0 wrong\n", test.must(out / "asks", recording, env=environment))
    threads = asked("select coalesce(name, tid) n, user_ns + system_ns t from thread order by t desc, id limit 5")
    printed = [line.split() for line in test.must(out / "slowest_threads", recording, env=environment).splitlines()]
    test.equal("threads", [[row["n"], f"{row['t'] / 1e6:.3f}"] for row in threads], [line[:2] for line in printed])
    waits = asked("select kind, count(*) n, sum(end_ns - begin_ns) / 1e6 ms from wait group by kind order by 3 desc, 1")
    printed = test.must(out / "wait_totals", recording, env=environment).splitlines()
    test.equal("waits", [f"{row['kind']}: {row['n']} waits" for row in waits], [line.split(",")[0] for line in printed])
    done = test.run(out / "wait_totals", test.work / "nowhere.kymo", env=environment)
    test.check("no recording", "one line", (done.returncode, done.stderr), done.returncode == 1 and done.stderr.count("\n") == 1)


def body(test):
    cmake, project = test.arguments
    if not shutil.which("pkg-config"):
        test.skip("pkg-config is not installed")
    prefix, out = test.work / "prefix", test.work / "out"
    test.must(cmake, "--install", test.build, "--prefix", prefix, timeout=PATIENCE)
    for name in ("bin/kymo", "lib/kymo/libkymo-monitor.so", "lib/kymo/libkymo-settings.so", "lib/libkymo-hunt.so", "lib/libkymo-recording.so", "include/kymo/recording.h",
                 "include/kymo/recording.hpp", "include/kymo/metrics.h", "include/kymo/metrics.hpp",
                 "include/kymo/cells_interface.h", "lib/cmake/kymo/kymoConfig.cmake", "lib/pkgconfig/kymo.pc"):
        test.equal(f"{name} is installed", True, (prefix / name).exists())
    moved = prefix.rename(test.work / "moved")  # an install tree may be moved
    environment = {**os.environ, "PKG_CONFIG_PATH": str(moved / "lib/pkgconfig")}
    test.must(cmake, "-S", pathlib.Path(project).resolve(), "-B", out, f"-DCMAKE_PREFIX_PATH={moved}", "-DCMAKE_BUILD_TYPE=Release",
              f"-DEXAMPLES={EXAMPLES}", env=environment, timeout=PATIENCE)
    test.must(cmake, "--build", out, env=environment, timeout=PATIENCE)
    for program in ("counts_c", "counts_cpp", "counts_off"):
        test.equal(program, "not counting\n", test.must(out / program))
    test.must(out / "hunts", env={**environment, "LD_LIBRARY_PATH": str(moved / "lib")})
    reads(test, out, {**environment, "LD_LIBRARY_PATH": str(moved / "lib")})
    test.equal("the installed kymo's name", "kymo ", test.must(moved / "bin/kymo", "--version")[:5])


main(body)
