"""test_installed_later.py SOURCE PROJECT: configures PROJECT with its parts hidden from the search paths, shows them one after another,
and sees that scripts/configure finds each and that nothing is configured without need. What `make` runs is scripts/configure."""

import os
import pathlib
import subprocess
import sys
import tempfile

source, project = map(pathlib.Path, sys.argv[1:3])
failures = 0


def check(what, expected, seen):
    global failures
    good = expected == seen
    failures += not good
    print(f"{'ok' if good else 'FAILED'}: {what}: expected {expected!r}, seen {seen!r}")


def configure(build, prefix):
    environment = {**os.environ, "CMAKE_PREFIX_PATH": str(prefix), "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"}
    done = subprocess.run([source / "scripts/configure", build, "-S", project, "-G", "Ninja", f"-DKYMO_SOURCE={source}"],
                          env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stdout, done.stderr)
        sys.exit(1)
    return done.stdout


def missing(build):
    return sorted(line.split("|")[1] for line in (build / "missing-parts").read_text().splitlines())


def put(path, text="", mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


with tempfile.TemporaryDirectory(prefix="kymo-setup-") as folder:
    build, prefix = pathlib.Path(folder) / "build", pathlib.Path(folder) / "prefix"
    parts = ["KymoPart_FOUND", "PART_FOUND", "PART_HEADER", "PART_LIBRARY", "PART_PROGRAM"]
    told = configure(build, prefix)
    check("missing at first", parts, missing(build))
    check("told at first", True, "Left out: PART_LIBRARY (not there; apt-get install kymo-PART_LIBRARY)" in told)
    check("as many in the program", len(parts), (build / "missing_parts.inc").read_text().count("MissingPart{"))
    check("no news, no words", "", configure(build, prefix))
    for name, path, text, mode in (
        ("PART_LIBRARY", "lib/libkymopart.so", "", 0o644),
        ("PART_HEADER", "include/kymo_part.h", "", 0o644),
        ("PART_PROGRAM", "bin/kymo-part", "#!/bin/sh\n", 0o755),
        ("KymoPart_FOUND", "lib/cmake/KymoPart/KymoPartConfig.cmake", "", 0o644),
        ("PART_FOUND", "lib/pkgconfig/kymo-part.pc", "Name: part\nDescription: part\nVersion: 1\n", 0o644),
    ):
        put(prefix / path, text, mode)
        told = configure(build, prefix)
        parts.remove(name)
        check(f"missing once {name} is there", parts, missing(build))
        check("that is told", True, told.startswith("configure: configured again"))
    stamp = (build / "build.ninja").stat().st_mtime_ns
    check("nothing is missing, nothing is told", "", configure(build, prefix))
    check("nor configured", stamp, (build / "build.ninja").stat().st_mtime_ns)

makefile = (source / "Makefile").read_text()
check("make configures by this script alone", True, "scripts/configure $(BUILD)" in makefile and "cmake --preset release" not in makefile)
# Whoever leaves something out must say so where it is looked for again.
for lists in sorted([*source.glob("src/**/CMakeLists.txt"), *source.glob("cmake/*.cmake"), source / "web/CMakeLists.txt",
                     *source.glob("tests/**/CMakeLists.txt")]):
    silent = [line.strip() for line in lists.read_text().splitlines() if "message(STATUS" in line and "apt-get install" in line]
    if lists.name != "Missing.cmake":
        check(f"{lists.relative_to(source)}: left out without kymo_missing()", [], silent) if silent else None
sys.exit(1 if failures else 0)
