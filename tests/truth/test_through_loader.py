"""A program that the dynamic loader was called with (ld.so PROGRAM): the recording is of the program, not of the loader. A program that asks
for its loader by a link of another name is recorded like any other."""

import os
import pathlib

from harness import main, plain

LOADER = pathlib.Path("/lib64/ld-linux-x86-64.so.2")


def check(test, what, program, *command):
    done, path = test.record(*command, out=f"{what.split()[0]}.kymo")
    test.equal(f"{what}: status and output", (7, "worked 200\n"), (done.returncode, done.stdout))
    report = test.report(path)
    if report is None:
        return
    executables = [process["executable"] for process in report["processes"]]
    test.check(f"{what}: its executable", os.path.realpath(program), executables, os.path.realpath(program) in map(os.path.realpath, executables))
    functions = {plain(row["function"]): row["file"] for row in report["functions"] if row["module"] == program.name}
    test.check(f"{what}: functions of the program by name", "work and main", functions, any(name in functions for name in ("work", "main")))
    offsets = [name for name in functions if "+0x" in name]
    test.equal(f"{what}: functions of it that are offsets", [], offsets)


def body(test):
    if not LOADER.exists():
        test.skip(f"{LOADER} is not installed")
    program = test.program("children")
    check(test, "loader called by name", program, LOADER, program, "work", 200)
    check(test, "shell that calls it", program, "/bin/sh", "-c", f"{LOADER} --argv0 other {program} work 200")
    linked = test.build / "tests/programs/children_by_link"
    if not linked.exists():
        return
    linked = test.program(linked.name)
    check(test, "asked for by a link", linked, linked, "work", 200)
    check(test, "child of a shell, by a link", linked, "/bin/sh", "-c", f"{linked} work 200; exit $?")


main(body)
