"""test_ways.py ROOT: the ways of docs/architecture.md ("Three ways through") are those of the code.

A way is a list of files, one a line. Each is there, and meets the one before it, or the one that it is indented below: one includes the
other's header, directly or through one more header, or both include a header of the folder of one of them. Where a line ends with what lies
between two files instead, in parentheses, nothing is asked of them. Behind the recording data goes from left to right: a file's
layer may include that of the file before, by the table of layers; and a way has at most ten files there. So that the
check itself is known to work, each way is tried in a wrong order as well.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
BETWEEN = ("recording", "plan file", "shared memory", "jump", "call")
MOST_CONSUMERS = 10
FILE = re.compile(r"^( *)(?:\d+\.|-) `src/([^`]+)` \w.*?(?: \(([^()]+)\))?$")


class Step:
    def __init__(self, indent, file, between):
        self.indent, self.file, self.between = indent, file, between
        self.unit, self.folder, self.layer = file.rpartition(".")[0], file.rpartition("/")[0], file.split("/")[0]


def step_of(line):
    found = FILE.match(line)
    return Step(len(found[1]), found[2], found[3]) if found else None


def headers_of(*paths):
    """The headers, without their endings, that these files include, as far as the files are there."""
    text = "\n".join(path.read_text() for path in paths if path.exists())
    return set(re.findall(r'^#include "([^"]+)\.h"', text, re.MULTILINE))


def of_header(unit):
    return headers_of(ROOT / "src" / f"{unit}.h")


def of_unit(unit):
    return headers_of(*(ROOT / "src" / f"{unit}.{ending}" for ending in ("h", "cpp", "S"))) - {unit}


def meet(one, other):
    ones, others = of_unit(one.unit), of_unit(other.unit)
    return (other.unit in ones or one.unit in others or
            any(other.unit in of_header(header) for header in ones) or any(one.unit in of_header(header) for header in others) or
            any(header.rpartition("/")[0] in (one.folder, other.folder) for header in ones & others))


def before(steps, at):
    """The step from which the thing comes to this one: the one that it is indented below, or else the last that is not indented."""
    indent = steps[at].indent
    return next((step for step in reversed(steps[:at]) if step.indent < max(indent, 1)), None)


def layers_of(page):
    """For each layer those that it may include."""
    return {layer: {layer, *row.split()} for layer, row in re.findall(r"^\| `src/(\w+)/` \|.*\| ([^|]*) \|$", page, re.MULTILINE)}


def mistakes_of(steps, layers):
    bad = [f"no such file: src/{step.file}" for step in steps if not (ROOT / "src" / step.file).is_file()]
    bad += [f"nothing that lies between files: ({step.between})" for step in steps if step.between not in (None, *BETWEEN)]
    consumers = []  # behind the recording
    for at, step in enumerate(steps):
        last = before(steps, at)
        if last is not None and last.between is None and not meet(last, step):
            bad.append(f"{last.file} and {step.file} meet in no header")
        if consumers or (last is not None and last.between == "recording"):
            if consumers and last.layer not in layers[step.layer]:
                bad.append(f"{step.file} comes after {last.file}, whose layer it may not include")
            consumers.append(step)
    bad += [f"{len(consumers)} files behind the recording, more than {MOST_CONSUMERS}"] if len(consumers) > MOST_CONSUMERS else []
    return bad


def ways_of(page):
    """The ways by their names: the lines of their lists."""
    section = re.search(r"^## Three ways through$(.*?)^## ", page, re.MULTILINE | re.DOTALL)[1]
    parts = re.split(r"^### (.+)$", section, flags=re.MULTILINE)[1:]
    return {name: [line for line in text.splitlines() if re.match(r" *(\d+\.|-) ", line)] for name, text in zip(parts[::2], parts[1::2])}


def in_wrong_order(steps):
    """With the first file and the last that is not indented in each other's place."""
    last = max(at for at, step in enumerate(steps) if step.indent == 0)
    return [steps[last], *steps[1:last], steps[0], *steps[last + 1:]]


def missing_places(page):
    """Of the table of what is wrong where: paths below src (or web) that are not there."""
    table = page[page.index("\n## A figure is wrong"):page.index("\n## Decisions")]
    paths = [path for row in table.splitlines() if row.startswith("| ") for path in re.findall(r"`([\w/]+(?:\.\w+|/))`", row)]
    lost = [path for path in paths if not (ROOT / path if path.startswith("web/") else ROOT / "src" / path).exists()]
    return [f"a figure is wrong: {path} is not there" for path in lost] + ([] if len(paths) > 30 else ["a figure is wrong: hardly a path"])


def main():
    page = (ROOT / "docs/architecture.md").read_text()
    layers = layers_of(page)
    bad, files = [], 0
    for name, lines in ways_of(page).items():
        steps = [step_of(line) for line in lines]
        bad += [f"{name}: no file and what it does: {line}" for line, step in zip(lines, steps) if step is None]
        steps = [step for step in steps if step]
        files += len(steps)
        bad += [f"{name}: {mistake}" for mistake in mistakes_of(steps, layers)]
        bad += [] if mistakes_of(in_wrong_order(steps), layers) else [f"{name}: a wrong order is not noticed"]
    bad += missing_places(page)
    print(*bad, f"{files} files of the ways, {len(bad)} to mend", sep="\n")
    return 1 if bad or files < 30 else 0


sys.exit(main())
