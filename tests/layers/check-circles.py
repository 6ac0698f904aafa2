"""check-circles.py SOURCE LIST: which units of src/ include one another in a circle.

A unit is a .cpp with the .h of the same name. Whoever wants to understand one of a circle must understand all of it, so there are to
be none. LIST names those that are left from before this check, a circle a line, units in the order of the alphabet: a new one fails,
and so does one that is gone and still listed.
"""

import collections
import pathlib
import re
import sys


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


def main():
    source, listed = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    known = {line for line in listed.read_text().splitlines() if line and not line.startswith("#")}
    included = units_of(source)
    found = circles_of(included)
    for circle in sorted(found - known):
        print(f"FAILED: a circle of includes: {circle}")
    for circle in sorted(known - found):
        print(f"FAILED: {listed.name} names a circle that is gone, or another one by now: {circle}")
    print(f"{len(included)} units, {len(found)} circles")
    sys.exit(1 if found != known or len(included) < 100 else 0)


main()
