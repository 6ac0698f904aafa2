"""A program starts, stops and marks measurement by <kymo/monitor.h>: what it does meanwhile is not measured, its marks are in the recording in
their order, and without the monitor the calls do nothing."""

import json

from harness import main, plain


def body(test):
    program = test.program("own_marks")
    alone = json.loads(test.must(program))
    test.equal("without the monitor the calls do nothing", 0, alone["measured"])
    truth, report, path = test.recorded_truth("own_marks")
    test.equal("under the monitor the program knows that it is measured", 1, truth["measured"])
    functions = {plain(row["function"]) for row in report["functions"]}
    test.check("what is measured", "work_that_counts and work_that_counts_again, not work_that_does_not", functions,
               {"work_that_counts", "work_that_counts_again"} <= functions and "work_that_does_not" not in functions)
    thread = next(thread for thread in report["threads"] if thread["tid"] == truth["tid"])
    test.check("not measured", f"{truth['off_ns'] / 1e9:.9f} s and more", thread["paused_s"], thread["paused_s"] >= truth["off_ns"] / 1e9 - 1e-6)
    events = json.loads(test.must(test.kymo, "export", path, "--to", "chrome"))["traceEvents"]
    marks = [event for event in events if event.get("cat") == "mark"]
    test.equal("marks in their order, of kind point (0), begin (1) and end (2)", [("first", 0, 17), ("solve", 1, 3), ("solve", 2, 0), ("last", 0, -1)],
               [(mark["name"], mark["args"]["kind"], mark["args"]["value"]) for mark in sorted(marks, key=lambda mark: mark["ts"])])


main(body)
