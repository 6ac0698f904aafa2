"""test_installed_later.py BUILD any SOURCE PROJECT: configures PROJECT with its parts hidden from the search paths, shows them one after another,
and sees that scripts/configure finds each and that nothing is configured without need. What `make` runs is scripts/configure."""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "truth"))
from harness import main  # noqa: E402


def configure(test, build, prefix):
    source, project = (pathlib.Path(path).resolve() for path in test.arguments)
    environment = {**os.environ, "CMAKE_PREFIX_PATH": str(prefix), "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"}
    return test.must(source / "scripts/configure", build, "-S", project, "-G", "Ninja", f"-DKYMO_SOURCE={source}", env=environment)


def missing(build):
    return sorted(line.split("|")[1] for line in (build / "missing-parts").read_text().splitlines())


def put(path, text="", mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def body(test):
    source = pathlib.Path(test.arguments[0]).resolve()
    build, prefix = test.work / "build", test.work / "prefix"
    parts = ["KymoPart_FOUND", "PART_FOUND", "PART_HEADER", "PART_LIBRARY", "PART_PROGRAM"]
    told = configure(test, build, prefix)
    test.equal("missing at first", parts, missing(build))
    test.equal("told at first", True, "Left out: PART_LIBRARY (not there; apt-get install kymo-PART_LIBRARY)" in told)
    test.equal("as many in the program", len(parts), (build / "missing_parts.inc").read_text().count("MissingPart{"))
    test.equal("no news, no words", "", configure(test, build, prefix))
    for name, path, text, mode in (
        ("PART_LIBRARY", "lib/libkymopart.so", "", 0o644),
        ("PART_HEADER", "include/kymo_part.h", "", 0o644),
        ("PART_PROGRAM", "bin/kymo-part", "#!/bin/sh\n", 0o755),
        ("KymoPart_FOUND", "lib/cmake/KymoPart/KymoPartConfig.cmake", "", 0o644),
        ("PART_FOUND", "lib/pkgconfig/kymo-part.pc", "Name: part\nDescription: part\nVersion: 1\n", 0o644),
    ):
        put(prefix / path, text, mode)
        told = configure(test, build, prefix)
        parts.remove(name)
        test.equal(f"missing once {name} is there", parts, missing(build))
        test.equal("that is told", True, told.startswith("configure: configured again"))
    stamp = (build / "build.ninja").stat().st_mtime_ns
    test.equal("nothing is missing, nothing is told", "", configure(test, build, prefix))
    test.equal("nor configured", stamp, (build / "build.ninja").stat().st_mtime_ns)
    makefile = (source / "Makefile").read_text()
    test.equal("make configures by this script alone", True, "scripts/configure $(BUILD)" in makefile and "cmake --preset release" not in makefile)
    # Whoever leaves something out must say so where it is looked for again.
    for lists in sorted([*source.glob("src/**/CMakeLists.txt"), *source.glob("cmake/*.cmake"), source / "web/CMakeLists.txt",
                         *source.glob("tests/**/CMakeLists.txt")]):
        silent = [line.strip() for line in lists.read_text().splitlines() if "message(STATUS" in line and "apt-get install" in line]
        if silent and lists.name != "Missing.cmake":
            test.fail(f"{lists.relative_to(source)}: left out without kymo_missing(): {silent}")


main(body)
