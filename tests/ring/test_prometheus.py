"""What `kymo top --prometheus` serves, read as a Prometheus server would: names, types, units, labels, and values that are known.

Two agents on the loopback, each beside a program that has counted a known number.
"""

import pathlib
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "truth"))
from harness import main  # noqa: E402
from hosts import METRIC, PATIENCE, kill, let_end, start_program  # noqa: E402

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
SAMPLE = re.compile(r"^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)(?: -?\d+)?$")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')


class Malformed(Exception):
    pass


def parse(text):
    """The text format, strictly: {name: (type, help, {labels: value})}; every family has its HELP and TYPE before its samples."""
    families = {}
    current = None
    if not text.endswith("\n"):
        raise Malformed("the last line has no end")
    for line in text.splitlines():
        if line.startswith("# HELP ") or line.startswith("# TYPE "):
            what, name, rest = line[2:].split(" ", 2)
            if not NAME.fullmatch(name):
                raise Malformed(line)
            family = families.setdefault(name, {"help": None, "type": None, "samples": {}})
            if family[what.lower()] is not None or family["samples"]:
                raise Malformed(f"{what} again, or behind the samples: {line}")
            family[what.lower()] = rest
            current = name
        elif line and not line.startswith("#"):
            match = SAMPLE.match(line)
            if not match or match[1] != current:
                raise Malformed(line)
            labels, rest = {}, match[2] or ""
            while rest:
                label = LABEL.match(rest)
                if not label or label[1] in labels:
                    raise Malformed(line)
                labels[label[1]] = label[2]
                rest = rest[label.end():]
            key = tuple(sorted(labels.items()))
            if key in families[current]["samples"]:
                raise Malformed(f"twice: {line}")
            families[current]["samples"][key] = float(match[3])
    for name, family in families.items():
        if family["help"] is None or family["type"] not in ("counter", "gauge", "untyped"):
            raise Malformed(f"{name}: {family['type']}, {family['help']}")
    return families


class Host:
    def __init__(self, test, folder, number):
        environment = test.apart()
        self.program = start_program(test, environment, f"h{number}.kymo", test.program("metrics_counts"), number + 2, 1000, "wait")
        self.ready = self.program.stdout.readline().strip() == "counted"
        self.agent = test.start(test.kymo, "agent", "--rendezvous", folder, "--name", f"host{number}", "--heartbeat", "1", env=environment,
                                stdout=subprocess.DEVNULL)
        self.ready = self.ready and "slot" in self.agent.stderr.readline()

    def end(self):
        kill(self.agent)
        let_end(self.program)


def fetch(url):
    with urllib.request.urlopen(url, timeout=10) as reply:
        return reply.headers.get("Content-Type", ""), reply.read().decode()


def until(test, url, what, good):
    """What is served once it is as `good` says."""
    families = {}
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        families = parse(fetch(url)[1])
        if good(families):
            return families
        time.sleep(0.1)
    test.check(what, "within a minute", {name: each["samples"] for name, each in families.items()}, False)
    return families


def value(families, name, **labels):
    return families.get(name, {"samples": {}})["samples"].get(tuple(sorted(labels.items())))


def story(test, hosts, url):
    both = until(test, url, "both answer", lambda all: value(all, "kymo_ring_hosts_answered") == 2)
    kind = fetch(url)[0]
    test.check("the content type is that of the text format", "text/plain", kind, kind.startswith("text/plain"))
    for name, family in both.items():
        test.check(f"{name} is named as its type", family["type"], name, (family["type"] == "counter") == name.endswith("_total"))
        test.check(f"{name} is told about", "a help", family["help"], len(family["help"]) > 3)
    for name in ("kymo_task_user_seconds_total", "kymo_processor_busy_seconds_total", "kymo_channel_bytes_total", "kymo_ring_round_trip_seconds"):
        test.check(f"there is {name}", "a family", name in both, name in both)
    test.equal("hosts by label", [{"host": "host0"}, {"host": "host1"}],
               sorted((dict(key) for key in both["kymo_host_up"]["samples"]), key=str))
    test.equal("all are up", [1.0, 1.0], list(both["kymo_host_up"]["samples"].values()))
    # What a program's own metric is its agent tells.
    own = until(test, url, "the program's own metric", lambda all: len(all.get("kymo_task_rounds_total", {"samples": {}})["samples"]) == 2)
    test.equal("its type", "counter", own["kymo_task_rounds_total"]["type"])
    for number in range(len(hosts)):
        test.equal(f"what host{number}'s program has counted since it was first seen", 0.0, value(own, "kymo_task_rounds_total", host=f"host{number}"))
    both = own
    busy = value(both, "kymo_processor_busy_seconds_total", host="host0")
    later = until(test, url, "processors go on counting",
                  lambda all: (value(all, "kymo_processor_busy_seconds_total", host="host0") or 0) > busy)
    test.check("counters never go down", ">=", "…", all(
        after >= both[name]["samples"].get(key, 0) for name, family in later.items() if family["type"] == "counter"
        for key, after in family["samples"].items()))
    hosts[1].agent.kill()
    one = until(test, url, "a killed one is told", lambda all: value(all, "kymo_host_up", host="host1") == 0)
    test.equal("and has no stale figures", [None, None],
               [value(one, "kymo_task_user_seconds_total", host="host1"), value(one, "kymo_host_clock_error_seconds", host="host1")])
    test.check("the other one's go on", "a number", "…", value(one, "kymo_processor_busy_seconds_total", host="host0") is not None)
    try:
        fetch(url.replace("/metrics", "/other"))
        test.check("nothing else is served", 404, 200, False)
    except urllib.error.HTTPError as error:
        test.equal("nothing else is served", 404, error.code)


def body(test):
    if not (test.build / "lib" / "libkymo-prometheus.so").exists():
        test.skip("this build has no prometheus-cpp (apt-get install prometheus-cpp-dev)")
    folder = test.folder / "ring"
    hosts = []
    manager = None
    try:
        for number in range(2):
            hosts.append(Host(test, folder, number))
            test.check(f"host {number} is there", True, hosts[-1].ready, hosts[-1].ready)
        manager = test.start(test.kymo, "top", "--rendezvous", folder, "--period", "0.2", "--agent-share", "1", "--metric", METRIC, "--prometheus", 0,
                             stdout=subprocess.DEVNULL)
        line = manager.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/metrics", line)
        if test.check("it says where", "http://127.0.0.1:PORT/metrics", line.strip(), found is not None):
            try:
                story(test, hosts, found[0])
            except Malformed as error:
                test.check("the format is kept", "the text format", str(error), False)
            taken = test.run(test.kymo, "top", "--rendezvous", test.folder / "other", "-n", "1", "--prometheus",
                             found[0].removeprefix("http://").removesuffix("/metrics"))
            test.check("a port that is taken is refused in one line", "cannot serve", taken.stderr,
                       taken.returncode != 0 and "cannot serve metrics at" in taken.stderr)
    finally:
        if manager:
            kill(manager)
        for host in hosts:
            host.end()


main(body)
