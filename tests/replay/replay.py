"""Stored recordings of programs with a known defect, and what Kymo says of them.

`recordings/NAME.tar.xz` holds a recording and, as `truth.txt`, what its program printed of itself; `recordings/images.tar.xz` the test
programs, by build id. `expected/` holds what is reported of each, in files that record.py writes anew.
"""

import base64
import difflib
import json
import os
import pathlib
import re
import shutil
import sys
import tarfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
STORED = HERE / "recordings"
EXPECTED = HERE / "expected"
IMAGES = "images"
# Of these the whole report is held, as people see it.
WHOLE = ["lock-contention.bad", "io-wait.bad", "story", "openmp", "mpi", "server", "build", "hunt", "second-look", "gpu", "hosts", "damaged"]
DAMAGED = "lock-contention.bad"  # of this
# Of these all data that --json prints and that the page has, long lists by their beginning and a checksum.
DATA = ["io-wait.bad", "build", "hunt", "gpu"]
KEPT = 4  # of a longer list
# Widths and locales that the report without options is printed for; of some recordings it is held.
SCREENS = [(80, "C.UTF-8"), (80, "C"), (120, "C.UTF-8"), (200, "C.UTF-8")]
HELD_SCREENS = ["story", "mpi"]
ENVIRONMENT = {**os.environ, "TZ": "UTC", "LC_ALL": "C.UTF-8", "COLUMNS": "100"}

sys.path[:0] = [str(HERE.parent / folder) for folder in ("programs", "truth", "ring")]
sys.dont_write_bytecode = True


def names():
    stored = sorted(path.name.removesuffix(".tar.xz") for path in STORED.glob("*.tar.xz") if path.name != f"{IMAGES}.tar.xz")
    return [*stored, "damaged"]


def unpack(name, folder):
    """The path of a recording, or of the images, in a folder."""
    with tarfile.open(STORED / f"{name}.tar.xz") as archive:
        archive.extractall(folder)  # made by pack()
    return pathlib.Path(folder) / (IMAGES if name == IMAGES else f"{name}.kymo")


def pack(name, *paths):
    """Always the same bytes for the same files."""

    def plain(entry):
        entry.uid = entry.gid = entry.mtime = 0
        entry.uname = entry.gname = ""
        entry.mode = 0o755 if entry.isdir() else 0o644
        return entry

    STORED.mkdir(exist_ok=True)
    with tarfile.open(STORED / f"{name}.tar.xz", "w:xz", preset=9) as archive:
        for path in paths:
            archive.add(path, arcname=path.name, filter=plain)


def damage(path):
    """A recording whose files lack their last third, and have other bytes in the middle."""
    for file in sorted(path.glob("*.krec")):
        content = bytearray(file.read_bytes())
        del content[len(content) * 2 // 3:]
        middle = len(content) // 2
        content[middle:middle + 200] = bytes(200)
        file.write_bytes(content)


def unpack_one(name, folder):
    """Of names(): a stored recording, or one that is made of one."""
    if name != "damaged":
        return unpack(name, folder)
    apart = pathlib.Path(folder) / name
    path = unpack(DAMAGED, apart)
    damage(path)
    return path


def report(test, path, images, *options):
    """What kymo report prints of a stored recording, the same on every machine."""
    return test.must(test.kymo, "report", path, "--images", images, "--only-images", *options, env=ENVIRONMENT)


def screen(test, path, images, columns, locale, *options):
    """The report as a terminal of so many columns has it; 80 are a pipe's own."""
    environment = {**ENVIRONMENT, "LC_ALL": locale, "COLUMNS": str(columns)}
    if columns == 80:
        del environment["COLUMNS"]
    return test.must(test.kymo, "report", path, "--images", images, "--only-images", *options, env=environment)


def has_findings(text):
    return "--finding 1" in text


def screens(test, name, path, images):
    """As texts(), of HELD_SCREENS."""
    if name not in HELD_SCREENS:
        return {}
    return {f"{name}.{columns}.{locale}.txt": screen(test, path, images, columns, locale) for columns, locale in SCREENS}


def place_of(finding):
    place = finding.get("place") or {}
    line, end = place.get("line_begin"), place.get("line_end")
    lines = "" if not line else f":{line}" if end in (None, line) else f":{line}-{end}"
    file = (place.get("file") or "").rsplit("/", 1)[-1]
    return f"{place.get('function') or 'nowhere'}{f' ({file}{lines})' if file else ''}"


def summary(report_json):
    """Findings and sums of a report, a line each: what must not change unnoticed."""
    told = json.loads(report_json)
    lines = []
    for finding in told["findings"]:
        threads = [thread["name"] if isinstance(thread, dict) else str(thread) for thread in finding.get("threads") or []]
        lines.append(f"{finding['kind']} {finding['share']:.4f}, {finding['share_low']:.4f} at least, at {place_of(finding)}{'; threads ' + ', '.join(threads) if threads else ''}")
    for good in told.get("advantages") or []:
        lines.append(f"good: {good.get('kind')} at {place_of(good)}")
    whole = told["recording"]
    sums = ", ".join(f"{key} {whole[key]:.6f}" for key in ("user_s", "system_s", "off_cpu_s") if whole.get(key) is not None)
    lines.append(f"sums: {sums}; samples {whole['samples']}, processes {len(told['processes'])}, threads {len(told['threads']) + told['left_out'].get('threads', 0)}")
    return "\n".join(lines) + "\n"


def brief(value):
    """The same, with long lists cut: what follows is held by its number and a checksum."""
    if isinstance(value, dict):
        return {key: brief(each) for key, each in value.items()}
    if not isinstance(value, list):
        return value
    if len(value) <= KEPT + 1:
        return [brief(each) for each in value]
    rest = json.dumps(value[KEPT:], sort_keys=True).encode()
    return [*map(brief, value[:KEPT]), f"and {len(value) - KEPT} more, CRC {zlib.crc32(rest):08x}"]


def lines_of(value):
    """A line a number or text of JSON, with its path: so that a difference is a line."""
    if isinstance(value, dict) and value:
        return [f".{key}{line}" for key, each in value.items() for line in lines_of(each)]
    if isinstance(value, list) and value:
        return [f"[{index}]{line}" for index, each in enumerate(value) for line in lines_of(each)]
    return [f" {json.dumps(value, ensure_ascii=False)}"]


def page_data(page):
    """What the page's blobs hold (docs/page-data.md), columns by their checksums."""
    data = {}
    for name, content in re.findall(r'<script type="application/x-kymo" id="([^"]+)">([^<]*)</script>', page):
        blob = zlib.decompress(base64.b64decode(content))
        length = int.from_bytes(blob[12:16], "little")
        head = json.loads(blob[16:16 + length])
        columns = blob[16 + length:]
        for column, (kind, count, offset, size) in head.pop("columns", {}).items():
            head[f"column {column}"] = f"{kind}, {count}, CRC {zlib.crc32(columns[offset:offset + size]):08x}"
        data[name] = head
    return data


def data_text(data):
    return "".join(f"{line}\n" for line in lines_of(brief(data)))


def texts(test, name, path, images):
    """What is expected of a recording, by the names of the files that have it; first what --json prints."""
    told = report(test, path, images, "--json")
    result = {f"{name}.txt": summary(told)}
    if name in WHOLE:
        result[f"{name}.report.txt"] = report(test, path, images)
    if name in DATA:
        result[f"{name}.markdown.txt"] = report(test, path, images, "--markdown")
        page = path.with_suffix(".html")
        test.must(test.kymo, "view", path, "--images", images, "--only-images", "-o", page, env=ENVIRONMENT)
        result[f"{name}.json.txt"] = data_text(json.loads(told))
        result[f"{name}.page.txt"] = data_text(page_data(page.read_text()))
    return told, result


def hold(name, text, *, renew):
    """Nothing, or how a text differs from the expected one."""
    file = EXPECTED / name
    old = file.read_text() if file.exists() else ""
    if renew and old != text:
        EXPECTED.mkdir(exist_ok=True)
        file.write_text(text)
    return "".join(difflib.unified_diff(old.splitlines(True), text.splitlines(True), f"expected {name}", "now"))


def clean(path):
    shutil.rmtree(path, ignore_errors=True)
