"""Seeded schedules of faults on real sockets: agents join, are killed, stopped (as many neighbours as may be), started again and cut off,
and the manager is killed; whatever happens, each sample's sum is that of exactly the hosts that it says have answered, and when nothing
happens any more all answer.

Four lanes at a time, each with five hosts of its own: network namespaces with their own addresses. KYMO_SCHEDULES=COUNT or FIRST:COUNT
plays more of them, or some again.
"""

import json
import os
import pathlib
import queue
import random
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "truth"))
from harness import main  # noqa: E402
from hosts import METRIC, PATIENCE, Net, Top, kill, let_end, start_program  # noqa: E402

LANES = 4
HOSTS = 5
SCHEDULES = 24
EVENTS = 6
REACH = 4  # neighbours that an agent tells that it is there: one fewer may fail together


class Counted:
    """A program that has counted a known number, for all lanes' hosts of that number to read."""

    def __init__(self, test, number):
        threads, rounds = number + 2, 1000 * (number + 1) + 7
        self.value = threads * rounds
        self.environment = test.apart()
        self.program = start_program(test, self.environment, f"h{number}.kymo", test.program("metrics_counts"), threads, rounds, "wait")


class Schedule:
    def __init__(self, test, net, counted, lane, seed):
        self.test, self.net, self.counted, self.lane, self.seed = test, net, counted, lane, seed
        self.random = random.Random(seed)
        self.folder = test.folder / f"ring{seed}"
        self.agents = [None] * HOSTS
        self.stopped, self.cut = set(), set()
        self.due = {}  # by slot
        self.manager = self.trouble = None
        self.whole = self.partial = 0
        self.events = []

    def begin(self, host):
        """The host's agent; nothing happens where it cannot reach the others' folder: that is a file system's business."""
        self.agents[host] = self.test.start(*self.net.within(self.lane[host]), self.test.kymo, "agent", "--rendezvous", self.folder,
                                            "--name", f"host{host}", "--heartbeat", "0.5", env=self.counted[host].environment, stdout=subprocess.DEVNULL)
        line = self.agents[host].stderr.readline()
        if ", slot " not in line:
            raise RuntimeError(f"an agent does not begin: {line}")
        self.due[int(line.split(", slot ")[1].split(",")[0])] = self.counted[host].value

    def kill(self, host):
        kill(self.agents[host])
        self.agents[host].stderr.close()
        self.agents[host] = None
        self.stopped.discard(host)

    def begin_manager(self):
        options = self.random.choice([[], ["--totals"]]) + self.random.choice([[], ["--segments", "2"]])
        self.manager = Top(self.test, "--rendezvous", self.folder, "--address", "10.213.0.1", "--period", "0.05", "--metric", METRIC, *options,
                           within=self.net.within(self.net.hub))
        self.sequence = self.shown = 0

    def look(self, seconds, until_whole=False):
        """Holds every sample that comes against what is known. Whether all hosts were in one of them."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and self.trouble is None:
            try:
                line = self.manager.lines.get(timeout=left)
            except queue.Empty:
                break
            if not line.endswith("\n"):
                continue  # cut off by the manager's death
            sample = json.loads(line)
            coverage, metric = sample["coverage"], sample["metrics"][METRIC]
            so_far = sample["so_far"]
            self.shown += 1
            if sample["sequence"] <= self.sequence or so_far["rounds"] < self.shown + so_far["overtaken"]:
                self.trouble = f"after {self.sequence}, {self.shown} shown: {line[:700]}"
            self.sequence = sample["sequence"]
            missing = {slot for first, count in coverage["holes"] for slot in range(first, first + count)}
            answered = set(range(coverage["agents"])) - missing
            due = sum(self.due.get(slot, -1) for slot in answered)
            told = {host["slot"] for host in sample["hosts"] if host["answered"]} if sample["hosts"] else answered
            if (metric["sum"] != due or metric["objects"] != metric["known"] or coverage["answered"] != len(answered) or coverage["holes_untold"]
                    or told != answered):
                self.trouble = f"due {due} of {sorted(answered)}: {line[:700]}"
            self.whole += not missing
            self.partial += bool(missing)
            if until_whole and not missing and coverage["agents"] == HOSTS:
                return True
        return False

    def disturb(self):
        host = self.random.randrange(HOSTS)
        running = [each for each in range(HOSTS) if self.agents[each] and each not in self.stopped]
        event = self.random.choice(["kill", "stop", "stop", "go on", "restart", "join", "cut", "mend", "manager"])
        if event == "kill" and host in running:
            self.kill(host)
        elif event == "stop":
            for each in range(host, min(HOSTS, host + self.random.randint(1, REACH - 1))):
                if each in running:
                    self.agents[each].send_signal(signal.SIGSTOP)
                    self.stopped.add(each)
        elif event == "go on":
            self.go_on()
        elif event == "restart" and host in running:
            self.kill(host)
            self.begin(host)
        elif event == "join" and None in self.agents:
            self.begin(self.agents.index(None))
        elif event == "cut" and len(self.cut) < REACH - 1:
            self.net.cable(self.numbers[host], "down")
            self.cut.add(host)
        elif event == "mend":
            self.mend()
        elif event == "manager":
            self.manager.kill()
            self.begin_manager()
        self.events.append(f"{event} {host}")

    def go_on(self):
        for each in self.stopped:
            self.agents[each].send_signal(signal.SIGCONT)
        self.stopped.clear()

    def mend(self):
        for each in self.cut:
            self.net.cable(self.numbers[each], "up")
            self.net.route(self.numbers[each])
        self.cut.clear()

    def play(self, numbers):
        self.numbers = numbers
        try:
            for host in range(self.random.randint(2, HOSTS)):
                self.begin(host)
            self.begin_manager()
            self.look(1 + self.random.random())
            for _ in range(EVENTS):
                self.disturb()
                self.look(self.random.random() * 0.7)
            self.go_on()
            self.mend()
            for host in range(HOSTS):
                if self.agents[host] is None:
                    self.begin(host)
            if not self.look(PATIENCE, until_whole=True) and self.trouble is None:
                self.trouble = "not all hosts are back"
        except (RuntimeError, OSError, ValueError, KeyError) as error:
            self.trouble = repr(error)
        finally:
            self.mend()
            if self.manager:
                self.manager.kill()
            for host in range(HOSTS):
                if self.agents[host]:
                    self.kill(host)
        return self


def body(test):
    asked = os.environ.get("KYMO_SCHEDULES", str(SCHEDULES)).split(":")
    first, count = (int(asked[0]), int(asked[1])) if len(asked) == 2 else (0, int(asked[0]))
    net = Net(test)
    counted = []
    try:
        spaces = [net.host(number) for number in range(LANES * HOSTS)]
        if None in spaces:
            test.skip("veth pairs cannot be made here")
        counted = [Counted(test, number) for number in range(HOSTS)]
        for number, each in enumerate(counted):
            line = each.program.stdout.readline().strip()
            test.equal(f"program {number}", "counted", line)
        seeds = queue.Queue()
        for seed in range(first, first + count):
            seeds.put(seed)
        played = []

        def lane(place):
            numbers = list(range(place * HOSTS, (place + 1) * HOSTS))
            while True:
                try:
                    seed = seeds.get_nowait()
                except queue.Empty:
                    return
                played.append(Schedule(test, net, counted, [spaces[number] for number in numbers], seed).play(numbers))

        lanes = [threading.Thread(target=lane, args=(place,)) for place in range(LANES)]
        for each in lanes:
            each.start()
        for each in lanes:
            each.join()
        for each in sorted(played, key=lambda schedule: schedule.seed):
            test.check(f"schedule {each.seed}: {', '.join(each.events)}", "sums of the hosts they name, and all back",
                       each.trouble or f"{each.whole} whole samples, {each.partial} that say they are not", each.trouble is None)
        test.equal("schedules played", count, len(played))
        whole, partial = sum(each.whole for each in played), sum(each.partial for each in played)
        test.check("samples of all hosts, and of fewer", f"some of both in {count} schedules", (whole, partial), whole > count < partial)
    finally:
        for each in counted:
            let_end(each.program)
        net.close()


main(body)
