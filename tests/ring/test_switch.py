"""Metrics of a description are switched off and on, on all hosts, from the manager: what is off stands still while the rest counts on.

Two agents on the loopback, encrypted, each beside a program that calls without end. One that has no key of the job orders the same and gets
nothing done.
"""

import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "truth"))
from harness import main  # noqa: E402
from hosts import PATIENCE, Top, let_end, make_other, start_agent  # noqa: E402

BUSY_NS = 5_000_000  # a call takes a thousandth of that
DESCRIPTION = """
metric steps "calls of step" {
  at entry step : add 1
}
metric inners "calls of inner" {
  at entry inner : add 1
}
metric in_inner "time in inner" unit ns {
  at entry inner : start
  at exit  inner : stop
}
metric inside "threads in step" gauge {
  at entry step : add 1
  at exit  step : sub 1
}
"""
COUNTERS = ("steps", "inners", "in_inner")
METRICS = [f"task/host/*/{name}" for name in (*COUNTERS, "inside")]


class Host:
    def __init__(self, test, folder, number, description):
        environment = test.apart()
        self.program = test.start(test.kymo, "measure", description, "-o", test.work / f"h{number}.kymo", "--", test.program("switched_calls"),
                                  env=environment, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.agent = None
        self.ready = self.program.stdout.readline().strip() == "works"
        if self.ready:
            self.agent = start_agent(test, environment, folder, number)
            self.ready = "slot" in self.agent.stderr.readline()
        self.counting = pathlib.Path(f"/proc/{self.program.pid}/task/{self.program.pid}/children").read_text().split()[0]

    def end(self):
        told = None
        if self.agent:
            self.agent.terminate()
            told = self.agent.communicate()[0]
        let_end(self.program)
        return json.loads(told) if told else None


class Manager(Top):
    def __init__(self, test, folder, *options):
        super().__init__(test, "--rendezvous", folder, "--address", "127.0.0.1", "--period", "0.2", "--orders", *options,
                         *[word for metric in METRICS for word in ("--metric", metric)], stdin=subprocess.PIPE)

    def order(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def newest(self):
        """Sequence of the last sample that there is."""
        last = self.until(lambda sample: True)
        while not self.lines.empty():
            last = json.loads(self.lines.get())
        return last["sequence"] if last else 0


def whole(sample):
    """Of both hosts, and of all of their threads: a row that kept changing while it was read is in no sum."""
    return sample["coverage"]["agents"] == 2 == sample["coverage"]["answered"] and all(
        sample["metrics"][metric]["known"] == sample["metrics"][metric]["objects"] for metric in METRICS)


def obeyed(wanted):
    """All hosts' programs do what is wanted: {metric: on}."""
    def is_it(sample):
        seen = {each["metric"]: each for each in sample["switches"]}
        return whole(sample) and all(
            name in seen and seen[name]["on"] == on and seen[name]["hosts_answered"] == 2 and seen[name]["programs"] == 2 == seen[name]["obeyed"]
            for name, on in wanted.items())
    return is_it


def sums(sample):
    return [sample["metrics"][metric]["sum"] for metric in METRICS]


def later(manager, first):
    """A sample a good while after that one."""
    return manager.until(lambda sample: whole(sample) and sample["sequence"] >= first["sequence"] + 5)


def grown(test, manager, what, first, still):
    """What has grown between two samples; metrics of `still` have not."""
    second = later(manager, first) if first else None
    if second is None:
        return test.check(what, "two samples", None, False)
    change = [after - before for before, after in zip(sums(first), sums(second))]
    good = all((change[i] == 0) == (name in still) for i, name in enumerate(COUNTERS))
    test.check(what, f"all grow but {sorted(still)}", change[:3], good)
    return second


def processor_time(hosts):
    """Of each thread that is not asleep, ns."""
    spent = {}
    for host in hosts:
        for task in pathlib.Path(f"/proc/{host.counting}/task").iterdir():
            if (task / "stat").read_text().rsplit(")", 1)[1].split()[0] != "S":
                spent[task.name] = int((task / "schedstat").read_text().split()[0])
    return spent


def settled(manager, hosts, wanted):
    """All obey, and calls that were under way then are over.

    A thread that lost its processor inside a call ends that call when it has one again, and adds its time then, or shows it as running until
    then: on a machine that has other things to do that may be seconds after its process obeys. So each must have had a processor since, for
    longer than its calls take by far. And a sample may have been latched some rounds before it is home: one of much later ones is.
    """
    if manager.until(obeyed(wanted)) is None:
        return None
    before = processor_time(hosts)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        now = processor_time(hosts)
        if all(now.get(thread, since + BUSY_NS) >= since + BUSY_NS for thread, since in before.items()):
            newest = manager.newest()
            return manager.until(lambda sample: whole(sample) and sample["sequence"] >= newest + 10)
        time.sleep(0.05)
    return None


def hold(test, host):
    """One of its threads stands still, most likely inside a call, until well after its process obeys."""
    thread = max(os.listdir(f"/proc/{host.counting}/task"), key=int)
    held = test.start(sys.executable, pathlib.Path(__file__).resolve().parent / "hold_thread.py", thread, "8")
    print(f"note: thread {thread}: {held.stdout.readline().strip()}")
    return held


def story(test, folder, description, hosts):
    with Manager(test, folder) as manager:
        first = manager.until(lambda sample: whole(sample) and all(sums(sample)[:3]))
        grown(test, manager, "nothing is switched", first, set())
        held = [hold(test, host) for host in hosts]
        manager.order("inners=off")
        manager.order("in_inner=off")
        grown(test, manager, "two are off", settled(manager, hosts, {"inners": False, "in_inner": False}), {"inners", "in_inner"})
        for each in held:
            each.wait()
        manager.order("inners=on")
        grown(test, manager, "one is on again", settled(manager, hosts, {"inners": True, "in_inner": False}), {"in_inner"})
        manager.order("inside=off")
        manager.order(f"{description}=off")
        last = settled(manager, hosts, {"steps": False, "inners": False, "in_inner": False})
        gauge = next((each for each in last["switches"] if each["metric"] == "inside"), {}) if last else {}
        test.equal("a gauge is not switched", 0, gauge.get("programs"))
        grown(test, manager, "the description is off", last, {"steps", "inners", "in_inner"})
    # It stays so without a manager, and the next one says otherwise. A metric that is read every five minutes stands still in between.
    with Manager(test, folder, "--switch", f"{description}=on", "--switch", "steps=300") as manager:
        grown(test, manager, "on again, one of them read seldom", settled(manager, hosts, {"inners": True, "in_inner": True, "steps": True}), {"steps"})
        manager.order("steps=on")
        first = settled(manager, hosts, {"steps": True})
        grown(test, manager, "and as often as the others", manager.until(whole) if first else None, set())


def body(test):
    folder = test.folder / "ring"
    description = test.work / "steps.kym"
    description.write_text(DESCRIPTION)
    hosts = [Host(test, folder, number, description) for number in range(2)]
    try:
        for number, host in enumerate(hosts):
            test.check(f"host {number} works and has its agent", True, host.ready, host.ready)
        if all(host.ready for host in hosts):
            story(test, folder, description, hosts)
            stranger(test, folder)
    finally:
        told = [host.end() for host in hosts]
    test.check("agents have obeyed, and were not let talk to by who has no key", "orders, unauthenticated", told,
               all(each and each["orders"] > 0 and each["channels"]["unauthenticated"] > 0 for each in told))


def stranger(test, folder):
    """Knows all but the key: the same folder with keys of another job."""
    with Manager(test, make_other(test, folder), "--switch", "steps=off") as manager:
        sample = manager.until(lambda sample: sample["coverage"]["agents"] == 2)
        for _ in range(10):
            sample = manager.until(lambda sample: True) or sample
        seen = (sample["coverage"]["answered"], sample["switches"][0]["hosts_answered"]) if sample else None
        test.equal("a manager without the job's key: hosts that answer it, or its orders", (0, 0), seen)
    with Manager(test, folder) as manager:
        first = manager.until(lambda sample: whole(sample))
        grown(test, manager, "nothing came of its order", first, set())


main(body)
