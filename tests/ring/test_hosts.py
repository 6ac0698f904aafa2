"""Four hosts on one machine, each a network namespace with its own address and its own cells, and a manager on the router.

Each host runs a program that has counted a known number. Whatever happens to agents, hosts and the manager, each sample's sum is
that of exactly the hosts that it says have answered; and when they are back, it is that of all.
"""

import json
import os
import pathlib
import queue
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "truth"))
from harness import main  # noqa: E402

HOSTS = 4
PATIENCE = 60  # seconds that anything may take on a machine that is busy otherwise
METRIC = "task/system/0/rounds"


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
        forward = subprocess.run([*self.within(self.hub), "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"], stderr=subprocess.DEVNULL)
        if forward.returncode != 0:
            self.close()
            test.skip("a namespace cannot be made a router here")

    def do(self, *words):
        return subprocess.run([self.ip, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

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

    def close(self):
        for name in self.made:
            self.do("netns", "del", name)


class Host:
    """A program that has counted, and an agent."""

    def __init__(self, test, net, number, folder):
        self.test, self.net, self.number, self.folder = test, net, number, folder
        self.space = net.host(number)
        self.threads, self.rounds = number + 2, 1000 * (number + 1) + 7
        self.cells = test.folder / f"run{number}"
        self.cells.mkdir(mode=0o700)
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=str(self.cells))
        # No namespace for the program: its cells are files, and who reads them is told where they are.
        self.program = subprocess.Popen(
            [str(test.kymo), "record", "-o", str(test.work / f"h{number}.kymo"), "--", str(test.program("metrics_counts")),
             str(self.threads), str(self.rounds), "wait"],
            env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.agent = None

    def counted(self):
        return self.program.stdout.readline().strip() == "counted"

    def begin(self):
        self.agent = subprocess.Popen(
            [*self.net.within(self.space), str(self.test.kymo), "agent", "--rendezvous", str(self.folder), "--name",
             f"host{self.number}", "--heartbeat", "1"],
            env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        return self.agent.stderr.readline()

    def signal(self, which):
        self.agent.send_signal(which)
        if which == signal.SIGKILL:
            self.agent.wait()

    def end(self):
        if self.agent:
            self.agent.kill()
            self.agent.wait()
        self.program.stdin.close()
        self.program.wait()


class Manager:
    def __init__(self, test, net, hosts, folder):
        self.test, self.due = test, {host.number: host.threads * host.rounds for host in hosts}
        self.process = subprocess.Popen(
            [*net.within(net.hub), str(test.kymo), "top", "--rendezvous", str(folder), "--address", "10.213.0.1", "--json", "--period",
             "0.1", "--agent-share", "1", "--metric", METRIC],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.samples = self.wrong = 0
        self.last = None

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)

    def until(self, what, holes):
        """Samples until one covers all hosts but these. Each one's sum is held against the hosts that it says have answered."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                self.last = json.loads(self.lines.get(timeout=1))
            except queue.Empty:
                continue
            coverage = self.last["coverage"]
            missing = {slot for first, count in coverage["holes"] for slot in range(first, first + count)}
            due = sum(value for slot, value in self.due.items() if slot not in missing)
            self.samples += 1
            if self.last["metrics"][METRIC]["sum"] != due or coverage["answered"] + len(missing) != coverage["agents"]:
                self.wrong += 1
                print(f"note: {json.dumps(self.last)[:600]}")
            if coverage["agents"] == HOSTS and missing == set(holes):
                return self.test.check(what, f"hosts but {sorted(holes)}, {due}", self.last["metrics"][METRIC]["sum"], True)
        return self.test.check(what, f"hosts but {sorted(holes)}", self.last and self.last["coverage"], False)

    def kill(self):
        self.process.kill()
        self.process.wait()


def story(test, net, hosts, folder):
    for host in hosts:
        test.check(f"host {host.number} has counted", True, True, host.counted())
    for host in hosts:  # one after the other, so that slots are known
        line = host.begin()
        test.check(f"agent of host {host.number} begins", f"slot {host.number}", line.strip(), f"slot {host.number}," in line)
    manager = Manager(test, net, hosts, folder)
    try:
        manager.until("all answer", [])
        named = [host["host"] for host in manager.last["hosts"]]
        test.equal("hosts by name", [f"host{host.number}" for host in hosts], named)
        hosts[2].signal(signal.SIGKILL)
        manager.until("an agent is killed", [2])
        hosts[0].signal(signal.SIGSTOP)
        hosts[1].signal(signal.SIGSTOP)
        manager.until("two are stopped: with the killed one, neighbours as many as may fail", [0, 1, 2])
        hosts[0].signal(signal.SIGCONT)
        hosts[1].signal(signal.SIGCONT)
        manager.until("they go on", [2])
        line = hosts[2].begin()
        test.check("the killed one has its slot again", "slot 2", line.strip(), "slot 2," in line)
        manager.until("all are back", [])
        net.cable(3, "down")
        manager.until("a host is cut off", [3])
        net.cable(3, "up")
        manager.until("it is back", [])
        manager.kill()
        before, wrong = manager.samples, manager.wrong
        manager = Manager(test, net, hosts, folder)
        manager.until("the manager was killed and started again", [])
        test.check("sums that are not of the hosts they say", 0, wrong + manager.wrong, wrong + manager.wrong == 0)
        test.check("samples", "some", before + manager.samples, before + manager.samples >= 10)
    finally:
        manager.kill()


def body(test):
    net = Net(test)
    hosts = []
    try:
        folder = test.folder / "ring"
        hosts = [Host(test, net, number, folder) for number in range(HOSTS)]
        if None in [host.space for host in hosts]:
            for host in hosts:
                host.end()
            test.skip("veth pairs cannot be made here")
        story(test, net, hosts, folder)
    finally:
        for host in hosts:
            host.end()
        net.close()


main(body)
