"""check-shape.py SOURCE WEB LEFT: what a layout hides easily.

A unit is a .cpp with the .h of the same name; in WEB, the page's sources, a .ts.
- Circles: units that include one another. To understand one is to understand all of them, so there are none.
- Circles of folders likewise: a folder's units may use those of another one, of which none uses the first in turn. A folder and those
  inside it count as one part here: between them there may be circles.
- Folders of more than 25 units: nobody finds a file there.
- Classes whose members are defined in more than two files: cut by length instead of by responsibility.
- Scans of a recording's rows by its consumers: one reads all but the samples (analysis/run_tables.h), for all others.
- Unit tests mirror SOURCE: one whose name is that of one unit of its layer lies in that unit's folder, below tests/unit beside SOURCE. Where
  a layer has several units of that name, or none, the test may lie anywhere in the layer.
- Processors' names in conditions of the preprocessor: only CHOOSING files ask for which processor is built; what depends on it is in
  folders of its name.
LEFT names what is left from before this check, a line each: classes by folder and name, circles of folders as "circle" and the folder
that all of them are in, scans as "scan" and the file. A new one fails, and so does one that is gone and still listed.
"""

import collections
import pathlib
import posixpath
import re
import sys


MOST_UNITS = 25
# Consumers of a recording, and those of their files that read its rows for all others.
CONSUMERS = ("spacetime", "findings", "analysis", "compare", "view", "serve", "live")
SCANNING = {"analysis/run_tables.cpp", "spacetime/load/descriptions.cpp", "spacetime/load/samples.cpp",
            "spacetime/profile/sample_pass.cpp"}
# native.h of a layer; and the lanes' choice, where CMake compiles the same file once more with AVX2 on x86-64.
CHOOSING = re.compile(r"\w+/native\.h|gpu/ptx/lanes/pick\.cpp")
PROCESSOR = re.compile(r"__(x86_64|amd64|i386|aarch64|arm|riscv|loongarch|sw_64|powerpc)\w*__|__riscv\b")


def scripts_of(web):
    """For each of the page's units, the units that it imports."""
    units = {path.relative_to(web).with_suffix("").as_posix(): path for path in sorted(web.rglob("*.ts"))}
    return {unit: {posixpath.normpath(posixpath.join(posixpath.dirname(unit), name))
                   for name in re.findall(r'from "(\.[^"]+)"', path.read_text())} & set(units)
            for unit, path in units.items()}


def is_within(folder, other):
    return not other or (folder + "/").startswith(other + "/")


def folders_of(included):
    """For each folder, the folders that its units include, but for those around and inside it."""
    folders = {unit.rpartition("/")[0]: set() for unit in included}
    for unit, others in included.items():
        folder = unit.rpartition("/")[0]
        for other in {other.rpartition("/")[0] for other in others}:
            if not is_within(other, folder) and not is_within(folder, other):
                folders[folder].add(other)
    return folders


def units_of(source):
    """For each unit, the units that its files include."""
    files = collections.defaultdict(list)
    for path in sorted(source.rglob("*")):
        if path.suffix in (".h", ".cpp", ".c"):
            files[path.relative_to(source).with_suffix("").as_posix()].append(path)
    included = {unit: set() for unit in files}
    for unit, paths in files.items():
        for path in paths:
            for name in re.findall(r'^#include "([^"]+)\.h"', path.read_text(), re.MULTILINE):
                if name in files and name != unit:
                    included[unit].add(name)
    return included


def circles_of(included):
    """The strongly connected components of more than one unit (Tarjan, 1972)."""
    order, lowest, stack, circles = {}, {}, [], []

    def visit(unit):
        order[unit] = lowest[unit] = len(order)
        stack.append(unit)
        for other in sorted(included[unit]):
            if other not in order:
                visit(other)
                lowest[unit] = min(lowest[unit], lowest[other])
            elif other in stack:
                lowest[unit] = min(lowest[unit], order[other])
        if lowest[unit] == order[unit]:
            at = stack.index(unit)
            if len(stack) - at > 1:
                circles.append(" ".join(sorted(stack[at:])))
            del stack[at:]

    sys.setrecursionlimit(10_000)
    for unit in sorted(included):
        if unit not in order:
            visit(unit)
    return set(circles)


def crowded(included):
    """Folders, with how many units they hold."""
    units = collections.Counter(unit.rpartition("/")[0] for unit in included)
    return {folder: count for folder, count in units.items() if count > MOST_UNITS}


def cut_classes(source):
    """"FOLDER CLASS" of each class with members in more than two files."""
    files = collections.defaultdict(set)
    for path in sorted(source.rglob("*.cpp")):
        for name in re.findall(r"^[A-Za-z_][^\n;={}()]*?\b([A-Z]\w+)::~?\w+\(", path.read_text(), re.MULTILINE):
            files[f"{path.parent.relative_to(source)} {name}"].add(path)
    return {name for name, paths in files.items() if len(paths) > 2}


def scanning_elsewhere(source):
    """"scan FILE" of each further file of a consumer that scans a recording."""
    return {f"scan {name}" for path in sorted(source.rglob("*.cpp")) for name in [path.relative_to(source).as_posix()]
            if name.startswith(CONSUMERS) and name not in SCANNING and
            re.search(r"[.>]scan(_part|_with)?\(|\bscan_for\(|\bread_each<", path.read_text())}


def mirrored(tests, units):
    """For each unit test whose name is that of one unit of its layer: the test below `tests`, its folder and the unit's."""
    folders = collections.defaultdict(list)
    for unit in units:
        folder, _, name = unit.rpartition("/")
        folders[folder.split("/")[0], name].append(folder)
    for path in sorted(tests.rglob("*_test.cpp")):
        folder = path.parent.relative_to(tests).as_posix()
        wanted = folders[folder.split("/")[0], path.name.removesuffix("_test.cpp")]
        if len(wanted) == 1:
            yield path.relative_to(tests), folder, wanted[0]


def choosing_elsewhere(source):
    """Lines of files that are not to ask which processor is built, and do."""
    return [f"{name}:{number}" for path in sorted(source.rglob("*")) if path.suffix in (".h", ".cpp", ".c", ".S")
            for name in [path.relative_to(source).as_posix()] if not CHOOSING.fullmatch(name)
            for number, line in enumerate(path.read_text().splitlines(), 1)
            if re.match(r"\s*#\s*(if|ifdef|ifndef|elif)\b", line) and PROCESSOR.search(line)]


def main():
    source, web, left = (pathlib.Path(path) for path in sys.argv[1:4])
    listed = {line for line in left.read_text().splitlines() if line and not line.startswith("#")}
    known = {line for line in listed if not line.startswith(("circle ", "scan "))}
    included, scripts = units_of(source), scripts_of(web)
    failures = [f"a circle of includes: {circle}" for circle in sorted(circles_of(included) | circles_of(scripts))]
    knots = {f"circle {posixpath.commonpath(circle.split())}": circle
             for circle in circles_of(folders_of(included)) | circles_of(folders_of(scripts))}
    failures += [f"a circle of folders: {knots[knot]}" for knot in sorted(set(knots) - listed)]
    scans = scanning_elsewhere(source)
    failures += [f"a further {scan}" for scan in sorted(scans - listed)]
    failures += [f"{left.name} names what is gone: {line}" for line in sorted(listed - known - set(knots) - scans)]
    failures += [f"{count} units in {folder}" for folder, count in crowded(included).items()]
    cut = cut_classes(source)
    failures += [f"a class in more than two files: {name}" for name in sorted(cut - known)]
    failures += [f"{left.name} names a class that is whole: {name}" for name in sorted(known - cut)]
    failures += [f"a choice of processor outside of native.h: {place}" for place in choosing_elsewhere(source)]
    tests = list(mirrored(source.resolve().parent / "tests" / "unit", included))
    failures += [f"a unit test outside of its unit's folder, {wanted}: {test}" for test, folder, wanted in tests if folder != wanted]
    for failure in failures:
        print("FAILED:", failure)
    print(f"{len(included)} units, {len(tests)} with a test of their name, and {len(scripts)} of the page, {len(cut)} classes in more than two files, {len(knots)} circles of folders")
    sys.exit(1 if failures or len(included) < 100 or len(scripts) < 50 or len(tests) < 100 else 0)


main()
