"""A wait for a transfer says what its descriptor is open on."""

from harness import main

TYPES = {"pipe": "pipe", "socket": "socket", "fifo": "pipe", "eventfd": None}


def body(test):
    truth, report, _ = test.recorded_truth("read_kinds", str(test.work / "fifo"))
    reads = {wait["object"]: wait for wait in report["waits"] if wait["kind"] == "read" and wait["pid"] == report["processes"][0]["pid"]}
    for name, kind in TYPES.items():
        wait = reads.get(str(truth[name]))
        if test.check(f"read from the {name}", f"a wait of 20 ms or so on descriptor {truth[name]}", sorted(reads), wait is not None):
            test.equal(f"type of the {name}", kind, wait["object_type"])
            test.figure(f"time of the {name}", "≥ 0.01 s", wait["seconds"], wait["seconds"] >= 0.01)


main(body)
