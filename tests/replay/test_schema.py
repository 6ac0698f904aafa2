"""What --json prints is what docs/schema/ says: a comparison, metrics, and what the machine can measure (test_replay.py has the reports). And the
schema is no sieve: a report with a key too many or too few, or with a value of another type, is refused.

Arguments: BUILD any.
"""

import copy
import json
import pathlib
import sys

sys.dont_write_bytecode = True
import replay  # first: it knows where the other modules are

import json_schema
from harness import main

SUM = pathlib.Path(__file__).resolve().parents[1] / "fuzz/gpu/inputs/execute/good-loop.ptx"


def without(report, *keys):
    *way, last = keys
    for key in way:
        report = report[key]
    del report[last]


def with_value(report, value, *keys):
    *way, last = keys
    for key in way:
        report = report[key]
    report[last] = value


# What is done to a valid report, and the place that the first mistake names.
BROKEN = {
    "a key that is missing": (lambda report: without(report, "recording", "duration_s"), "report.recording:"),
    "a key below lists that is missing": (lambda report: without(report, "call_tree", 1, "self", "samples"), "report.call_tree.1.self:"),
    "a key that is not in the schema": (lambda report: with_value(report, 0, "threads", 0, "states", "idle_s"), "report.threads.0.states:"),
    "a text for a number": (lambda report: with_value(report, "0.1", "functions", 0, "total", "user_s"), "report.functions.0.total.user_s:"),
    "a fraction for a count": (lambda report: with_value(report, 0.5, "recording", "samples"), "report.recording.samples:"),
    "null for what is always known": (lambda report: with_value(report, None, "threads", 0, "off_cpu_s"), "report.threads.0.off_cpu_s:"),
    "a word that is not of the list": (lambda report: with_value(report, "leaf", "call_tree", 1, "kind"), "report.call_tree.1.kind:"),
    "a range of one end": (lambda report: with_value(report, [[1.0]], "findings", 0, "when_s"), "report.findings.0.when_s.0:"),
    "an earlier schema": (lambda report: with_value(report, 1, "schema"), "report.schema:"),
}


def check_broken(test, report):
    for what, (breaks, place) in BROKEN.items():
        broken = copy.deepcopy(report)
        breaks(broken)
        wrong = json_schema.mistakes(broken, "report")
        test.check(f"{what}: mistakes", f"one at {place}", wrong, len(wrong) == 1 and wrong[0].startswith(place))


def check_gpu(test):
    launch = [SUM, "--grid", "2", "--block", "32", "--args", "u32[64]=0"]
    trace = test.folder / "sum.kgt"
    test.must(test.kymo, "gpu", "trace", *launch, "-o", trace)
    commands = {
        "gpu run": ("gpu_run", ["run", *launch]),
        "gpu run of the basic model": ("gpu_run", ["run", *launch, "--model", "basic"]),
        "gpu sweep": ("gpu_sweep", ["sweep", trace, "--set", "l1.latency=2x"]),
    }
    for what, (kind, command) in commands.items():
        test.of_schema(what, json.loads(test.must(test.kymo, "gpu", *command, "--gpu", "a100-pcie", "--json")), kind)


def body(test):
    if json_schema.jsonschema is None:
        test.skip("jsonschema is not installed (apt-get install python3-jsonschema)")
    json_schema.jsonschema.Draft202012Validator.check_schema(json_schema.SCHEMA)
    images = replay.unpack(replay.IMAGES, test.folder)
    path, other = (replay.unpack(f"lock-contention.{version}", test.folder) for version in ("bad", "fixed"))
    check_broken(test, json.loads(replay.report(test, path, images, "--json")))
    test.of_schema("diff", json.loads(test.must(test.kymo, "diff", path, other, "--json")), "diff")
    metrics = json.loads(test.must(test.kymo, "metrics", path, "--json"))
    test.of_schema("metrics", metrics, "metrics")
    address = list(metrics)[1]  # behind the schema's number
    test.of_schema(f"the course of {address}", json.loads(test.must(test.kymo, "metrics", path, address, "--json")), "metrics")
    check_gpu(test)
    test.of_schema("doctor", json.loads(test.must(test.kymo, "doctor", "--json")), "doctor")
    test.of_schema("doctor --events", json.loads(test.must(test.kymo, "doctor", "--events", "--json")), "doctor_events")


main(body)
