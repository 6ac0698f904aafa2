"""Recordings of programs of other machines are reported here as if their own machine did it: call paths, functions, source lines, loops and
code spaces, by the image that the recording names (programs/other_machine.cpp, where every answer is written)."""

import json

from harness import main

# The loop of relax, by machine: image offsets from its first instruction to behind its branch; and the loop of main.
LOOPS = {"sw_64": ([0x1004, 0x1018], [0x1208, 0x1210]), "aarch64": ([0x1004, 0x1014], [0x1204, 0x120c])}


def reported(test, machine):
    folder = test.work / machine
    test.must(test.program("other_machine"), machine, folder)
    recording = folder / "recording"
    return folder, test.must(test.kymo, "report", recording), json.loads(test.must(test.kymo, "report", "--json", recording))


def check_machine(test, machine, text, report):
    test.check(f"{machine}: the heading", f"recorded on {machine}", text[:300], f"recorded on {machine}" in " ".join(text[:600].split()))
    test.equal(f"{machine}: JSON", machine, report["recording"]["machine"])


def check_names(test, machine, folder, text, report):
    path = "main › solve › relax"
    test.check(f"{machine}: the text has the call path and the line", path, text[:2000], f"{path}  relax.c:12" in text)
    nodes = {node["id"]: node for node in report["call_tree"]}
    leaf = next(node for node in report["call_tree"] if node["function"] == "relax" and node["self"]["samples"])
    names, lines = [], []
    while leaf and leaf["kind"] == "frame":
        names.insert(0, leaf["function"])
        lines.insert(0, leaf["line"])
        leaf = nodes.get(leaf["parent"])
    test.equal(f"{machine}: JSON call path", ["main", "solve", "relax"], names)
    test.equal(f"{machine}: lines of the calls", [32, 22], lines[:2])
    source = str(folder / "relax.c")
    relax = next(entry for entry in report["functions"] if entry["function"] == "relax")
    test.equal(f"{machine}: relax is all", (400, source, 10), (relax["self"]["samples"], relax["file"], relax["line"]))
    # Load, addition and branch in turn, 300 and 100 times: line 12, 13, 12.
    seen = {entry["line"]: entry["self"]["samples"] for entry in report["lines"] if entry["file"] == source}
    test.equal(f"{machine}: samples by line", {12: 267, 13: 133}, seen)


def body(test):
    for machine, (relax, outer) in LOOPS.items():
        folder, text, report = reported(test, machine)
        check_machine(test, machine, text, report)
        check_names(test, machine, folder, text, report)
        loops = sorted(space["place"]["ranges"] for space in report["spaces"] if space["kind"] == "loop")
        test.equal(f"{machine}: loops", [[relax], [outer]], loops)
        inner = next(space for space in report["spaces"] if space["place"]["ranges"] == [relax])
        test.equal(f"{machine}: lines and samples of the inner loop", (12, 13, 400),
                   (inner["place"]["line_begin"], inner["place"]["line_end"], inner["samples"]))
        test.check(f"{machine}: code spaces below the loop", "≥ 1", len(report["same_spaces"]), len(report["same_spaces"]) >= 1)
        test.equal(f"{machine}: nothing is missing", [], report["notes"])

    folder, text, report = reported(test, "ppc64")
    check_machine(test, "powerpc64", text, report)
    check_names(test, "ppc64", folder, text, report)
    test.equal("ppc64: no loops", [], [space for space in report["spaces"] if space["kind"] == "loop"])
    test.equal("ppc64: one line says why",
               [f"{folder}/app: no decoder for ELF machine 21; it has no code spaces below its functions (docs/porting.md lists the decoders)"],
               report["notes"])


if __name__ == "__main__":
    main(body)
