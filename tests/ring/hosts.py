"""Hosts of a test's own making: network namespaces with their own addresses, on each a program that has counted and an agent of
the ring; and a manager, each of whose samples is held against the sum that is known.
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
import time

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

    def begin(self, meeting=None, stdin=subprocess.DEVNULL):
        self.agent = subprocess.Popen([*self.net.within(self.space), str(self.test.kymo), "agent", *(meeting or self.meeting)],
                                      env=self.environment, stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
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
    def __init__(self, test, net, hosts, meeting):
        self.test, self.due = test, {host.number: host.threads * host.rounds for host in hosts}
        self.process = subprocess.Popen(
            [*net.within(net.hub), str(test.kymo), "top", *meeting, "--json", "--period", "0.1", "--agent-share", "1",
             "--metric", METRIC],
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
            if coverage["agents"] == len(self.due) and missing == set(holes):
                return self.test.check(what, f"hosts but {sorted(holes)}, {due}", self.last["metrics"][METRIC]["sum"], True)
        return self.test.check(what, f"hosts but {sorted(holes)}", self.last and self.last["coverage"], False)

    def kill(self):
        self.process.kill()
        self.process.wait()


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
