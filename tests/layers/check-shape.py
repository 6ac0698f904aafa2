"""check-shape.py SOURCE LEFT: what a layout hides easily.

A unit is a .cpp with the .h of the same name.
- Circles: units that include one another. Whoever wants to understand one must understand all of them, so there are none.
- Folders of more than 25 units: nobody finds a file there.
- Classes whose members are defined in more than two files: cut by length instead of by responsibility.
- Processors' names in conditions of the preprocessor: only CHOOSING files ask for which processor is built; what depends on it is in
  folders of its name.
LEFT names the classes that are left from before this check, a folder and a name a line: a new one fails, and so does one that is gone
and still listed.
"""

import collections
import pathlib
import re
import sys


MOST_UNITS = 25
# native.h of a layer; and the lanes' choice, where CMake compiles the same file once more with AVX2 on x86-64.
CHOOSING = re.compile(r"\w+/native\.h|gpu/ptx/lanes/pick\.cpp")
PROCESSOR = re.compile(r"__(x86_64|amd64|i386|aarch64|arm|riscv|loongarch|sw_64|powerpc)\w*__|__riscv\b")


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


def choosing_elsewhere(source):
    """Lines of files that are not to ask which processor is built, and do."""
    return [f"{name}:{number}" for path in sorted(source.rglob("*")) if path.suffix in (".h", ".cpp", ".c", ".S")
            for name in [path.relative_to(source).as_posix()] if not CHOOSING.fullmatch(name)
            for number, line in enumerate(path.read_text().splitlines(), 1)
            if re.match(r"\s*#\s*(if|ifdef|ifndef|elif)\b", line) and PROCESSOR.search(line)]


def main():
    source, left = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    known = {line for line in left.read_text().splitlines() if line and not line.startswith("#")}
    included = units_of(source)
    failures = [f"a circle of includes: {circle}" for circle in sorted(circles_of(included))]
    failures += [f"{count} units in {folder}" for folder, count in crowded(included).items()]
    cut = cut_classes(source)
    failures += [f"a class in more than two files: {name}" for name in sorted(cut - known)]
    failures += [f"{left.name} names a class that is whole: {name}" for name in sorted(known - cut)]
    failures += [f"a choice of processor outside of native.h: {place}" for place in choosing_elsewhere(source)]
    for failure in failures:
        print("FAILED:", failure)
    print(f"{len(included)} units, {len(cut)} classes in more than two files")
    sys.exit(1 if failures or len(included) < 100 else 0)


main()
