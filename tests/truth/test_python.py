"""Functions of Python: their names, files and lines on call paths, in every CPython that is installed and whose structures are known, with the work of
each where it was done, also in threads and in forked processes. The program's output is the same as without kymo."""

import pathlib
import re
import shutil

from harness import main

SCRIPT = pathlib.Path(__file__).parent / "programs" / "python_split.py"
KNOWN = range(8, 14)


def interpreters(test):
    """By version; the program files themselves, not scripts that choose one."""
    found = {}
    for folder in ("/usr/bin", "/usr/local/bin"):
        for path in sorted(pathlib.Path(folder).glob("python3.*")):
            name = re.fullmatch(r"python3\.(\d+)", path.name)
            if name and path.read_bytes()[:4] == b"\x7fELF" and int(name[1]) in KNOWN:
                found[int(name[1])] = path
    return found


def body(test):
    known = interpreters(test)
    if not known:
        test.skip("no python3.8 to python3.13 is installed (apt-get install python3)")
    script = test.work / SCRIPT.name
    shutil.copy(SCRIPT, script)
    for minor, python in known.items():
        plain = test.must(python, script)
        done, path = test.record(python, script, out=f"three-{minor}.kymo")
        what = f"3.{minor}"
        test.equal(f"{what}: its output", plain, done.stdout)
        test.equal(f"{what}: exit status", 0, done.returncode)
        report = test.report(path)
        if report is None:
            continue
        heavy, light = ("Machine.heavy", "light") if minor >= 11 else ("heavy", "light")
        paths = test.folded(path)
        inside = {name: sum(weight for frames, weight in paths if any(frame.startswith(name) for frame in frames)) for name in (heavy, light, "rounds")}
        test.near(f"{what}: share of {heavy} in both", 0.75, inside[heavy] / max(inside[heavy] + inside[light], 1e-9), 0.08)
        test.check(f"{what}: both are below rounds", "most of it", inside, inside[heavy] + inside[light] > 0.8 * inside["rounds"] > 0)
        order = ["main", "rounds", "turns", "deeper", heavy]
        whole = [[frame.split(" ")[0] for frame in frames] for frames, _ in paths if any(frame.startswith(heavy) for frame in frames)]
        in_order = [frames for frames in whole if [frame for frame in frames if frame in order] == order]
        test.check(f"{what}: calls from main to {heavy}, in order", "every path", whole[:1], whole and len(in_order) == len(whole))
        places = {(function["function"], pathlib.Path(function["file"] or "").name) for function in report["functions"]}
        test.check(f"{what}: where {light} is", script.name, sorted(place for place in places if place[0] == light), (light, script.name) in places)
        waits = {(wait["place"]["function"], wait["kind"]) for wait in report["waits"] if wait["place"]}
        test.check(f"{what}: the thread waits in größer", "a wait there", sorted(map(str, waits))[:8], any(function == "größer" for function, _ in waits))
        child = [process for process in report["processes"] if process["parent_pid"] == report["processes"][0]["pid"]]
        test.check(f"{what}: the forked process", "one", len(report["processes"]), len(report["processes"]) == 2)


main(body)
