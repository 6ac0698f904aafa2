"""The program's own metrics as events of its code: what it counts itself is beside each sample, so that functions, code spaces, gaps and
occurrences have it like any other counter. The program counts rows in one function of two that take equally long."""

from harness import main, plain


def events_of(report):
    return {event["name"]: event for event in report["recording"]["events"]}


def body(test):
    program = test.program("own_events")
    done, recording = test.record(program, out="own.kymo")
    test.check("the program ends well", 0, done.returncode, done.returncode == 0)
    report = test.report(recording)
    if report is None:
        test.end()
    events = events_of(report)
    test.equal("its counters are events; gauges and times are not", {"metric:rows", "metric:cell 12"},
               {name for name in events if name.startswith("metric:")})
    rows = events.get("metric:rows")
    if not rows:
        test.end()
    test.equal("rows in all, the child's among them", 91000, rows["count"])
    test.equal("counted by index", 21, events.get("metric:cell 12", {}).get("count"))
    test.equal("processes as a whole have no count of it", None, rows["process_count"])
    inside = {}
    for function in report["functions"]:
        inside[plain(function["function"])] = function["events"]["metric:rows"]
    # What a sample finds was counted since the one before. The function works on for tens of milliseconds after its last row, so that
    # a late sample finds it there too.
    test.check("rows in counting()", "95 % and more of 91,000", inside.get("counting"), inside.get("counting", 0) >= 0.95 * 91000)
    test.check("rows in resting()", "at most 5 %", inside.get("resting"), inside.get("resting", 0) <= 0.05 * 91000)
    test.check("no finding says that a metric is counted where it is counted", [], report["findings"],
               not [finding for finding in report["findings"] if "metric:" in finding["title"]])

    done, many = test.record(program, "many", out="many.kymo")
    report = test.report(many)
    if report is None:
        test.end()
    names = {name for name in events_of(report) if name.startswith("metric:")}
    test.equal("samples have room for the first 16", {f"metric:more{i}" for i in range(16)}, names)
    said = [entry for entry in report["recording"]["unavailable"] if "metrics of the program" in entry["what"]]
    test.equal("that there were more is said, once a process", 1, len(said))
    metrics = {metric["name"]: metric for metric in report["metrics"]}
    test.equal("their totals are among the metrics", 91000, metrics.get("rows", {}).get("total"))


main(body)
