"""Hosts of a test's own making: network namespaces with their own addresses, on each a program that has counted and an agent of
the ring; and a manager, each of whose samples is held against the sum that is known. What the tests of the ring share stands here, too.
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
import time

from harness import run

PATIENCE = 60  # seconds that anything may take on a machine that is busy otherwise
METRIC = "task/system/0/rounds"


def start_program(test, environment, out, *command):
    """Recorded; it says when it has counted, and is there until its standard input is closed."""
    return test.start(test.kymo, "record", "-o", test.work / out, "--", *command, env=environment, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)


def start_agent(test, environment, folder, number):
    """On the loopback, encrypted; at its end it says what it has done."""
    return test.start(test.kymo, "agent", "--rendezvous", folder, "--address", "127.0.0.1", "--name", f"host{number}", "--heartbeat", "1", "--json",
                      env=environment)


def let_end(program):
    program.stdin.close()
    program.wait()


def kill(process):
    process.kill()
    process.wait()


def make_other(test, folder):
    """A folder of the same members, with the keys of another job: for managers that know all but the key."""
    other, keys = test.fresh(), test.folder / "keys"
    agent = test.start(test.kymo, "agent", "--rendezvous", keys, "--name", "none", "--address", "127.0.0.1", stdout=subprocess.DEVNULL)
    agent.stderr.readline()
    kill(agent)
    job = {line.split()[0]: line for line in (folder / "job").read_text().splitlines()}
    strange = {line.split()[0]: line for line in (keys / "job").read_text().splitlines()}
    (other / "job").write_text("\n".join(strange[word] if word in ("public", "secret") else job[word] for word in job) + "\n")
    (other / "job").chmod(0o600)
    for slot in folder.glob("slot-*[0-9]"):
        (other / slot.name).write_bytes(slot.read_bytes())
        (other / slot.name).chmod(0o600)
    return other


class Top:
    """kymo top of a ring, a line of JSON a sample."""

    def __init__(self, test, *options, within=(), **more):
        self.test = test
        self.process = test.start(*within, test.kymo, "top", "--json", "--agent-share", "1", *options, stderr=subprocess.DEVNULL, **more)
        self.lines = queue.Queue()
        self.last = None
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)

    def samples(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                self.last = json.loads(self.lines.get(timeout=1))
            except queue.Empty:
                continue
            yield self.last

    def until(self, is_it):
        """The first sample of which that is true; None: there was none."""
        found = next(filter(is_it, self.samples()), None)
        if found is None:
            print(f"note: {json.dumps(self.last)[:2000]}")
        else:
            self.test.of_schema("kymo top of many hosts", found, "top_hosts")
        return found

    def kill(self):
        kill(self.process)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


class Net:
    """Namespaces, each with a cable to a router, which is one itself."""

    def __init__(self, test):
        self.ip = test.tool("ip", "iproute2") if os.path.exists("/usr/bin/ip") else "/usr/sbin/ip"
        if not os.path.exists(self.ip):
            test.skip("ip is not installed (apt-get install iproute2)")
        self.made = []
        self.tag = f"kymo{os.getpid()}"
        self.hub = self.add("hub")
        if self.hub is None:
            test.skip("network namespaces cannot be made here")
        if run(*self.within(self.hub), "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward").returncode != 0:
            self.close()
            test.skip("a namespace cannot be made a router here")

    def do(self, *words):
        return run(self.ip, *words).returncode == 0

    def add(self, name):
        name = f"{self.tag}{name}"
        if not self.do("netns", "add", name):
            return None
        self.made.append(name)
        self.do("-n", name, "link", "set", "lo", "up")
        return name

    def host(self, number):
        name = self.add(str(number))
        ok = (self.do("link", "add", "eth", "netns", name, "type", "veth", "peer", f"h{number}", "netns", self.hub)
              and self.do("-n", name, "addr", "add", f"10.213.{number}.2/24", "dev", "eth")
              and self.do("-n", name, "link", "set", "eth", "up")
              and self.do("-n", self.hub, "addr", "add", f"10.213.{number}.1/24", "dev", f"h{number}")
              and self.do("-n", self.hub, "link", "set", f"h{number}", "up")
              and self.do("-n", name, "route", "add", "default", "via", f"10.213.{number}.1"))
        return name if ok else None

    def within(self, name):
        return [self.ip, "netns", "exec", name]

    def cable(self, number, state):
        self.do("-n", self.hub, "link", "set", f"h{number}", state)

    def route(self, number):
        """What a cable that was down takes with it; it may be there."""
        self.do("-n", f"{self.tag}{number}", "route", "add", "default", "via", f"10.213.{number}.1")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for name in self.made:
            self.do("netns", "del", name)


class Host:
    """A program that has counted, and an agent."""

    def __init__(self, test, net, number, meeting):
        self.test, self.net, self.number, self.meeting = test, net, number, meeting  # meeting: options that say where
        self.space = net.host(number)
        self.threads, self.rounds = number + 2, 1000 * (number + 1) + 7
        self.environment = test.apart()
        # No namespace for the program: its cells are files, and who reads them is told where they are.
        self.program = start_program(test, self.environment, f"h{number}.kymo", test.program("metrics_counts"), self.threads, self.rounds, "wait")
        self.agent = None

    def counted(self):
        return self.program.stdout.readline().strip() == "counted"

    def begin(self, meeting=None, stdin=subprocess.DEVNULL):
        self.agent = self.test.start(*self.net.within(self.space), self.test.kymo, "agent", *(meeting or self.meeting), env=self.environment,
                                     stdin=stdin, stdout=subprocess.DEVNULL)
        return self.agent.stderr.readline()

    def signal(self, which):
        self.agent.send_signal(which)
        if which == signal.SIGKILL:
            self.agent.wait()

    def end(self):
        if self.agent:
            kill(self.agent)
        let_end(self.program)


class Manager(Top):
    def __init__(self, test, net, hosts, meeting):
        super().__init__(test, *meeting, "--period", "0.1", "--metric", METRIC, within=net.within(net.hub))
        self.test, self.due = test, {host.number: host.threads * host.rounds for host in hosts}
        self.seen = self.wrong = 0

    def covers(self, what, holes):
        """Samples until one covers all hosts but these. Each one's sum is held against the hosts that it says have answered."""
        for sample in self.samples():
            coverage = sample["coverage"]
            missing = {slot for first, count in coverage["holes"] for slot in range(first, first + count)}
            due = sum(value for slot, value in self.due.items() if slot not in missing)
            self.seen += 1
            if sample["metrics"][METRIC]["sum"] != due or coverage["answered"] + len(missing) != coverage["agents"]:
                self.wrong += 1
                print(f"note: {json.dumps(sample)[:600]}")
            if coverage["agents"] == len(self.due) and missing == set(holes):
                return self.test.check(what, f"hosts but {sorted(holes)}, {due}", sample["metrics"][METRIC]["sum"], True)
        return self.test.check(what, f"hosts but {sorted(holes)}", self.last and self.last["coverage"], False)


@contextlib.contextmanager
def hosts_on(test, net, count, meeting):
    """So many hosts; meeting(number) gives the options that say where one meets the others."""
    hosts = []
    try:
        for number in range(count):
            hosts.append(Host(test, net, number, meeting(number)))
        possible = None not in [host.space for host in hosts]
        if possible:
            yield hosts
    finally:
        for host in hosts:
            host.end()
    if not possible:
        test.skip("veth pairs cannot be made here")
