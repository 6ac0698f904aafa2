"""Four hosts on one machine, each a network namespace with its own address and its own cells, and a manager on the router.

Each host runs a program that has counted a known number. Whatever happens to agents, hosts and the manager, each sample's sum is
that of exactly the hosts that it says have answered; and when they are back, it is that of all.
"""

import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "truth"))
from harness import main  # noqa: E402
from hosts import Manager, Net, hosts_on  # noqa: E402

HOSTS = 4


def story(test, net, hosts, folder):
    for host in hosts:
        test.check(f"host {host.number} has counted", True, True, host.counted())
    for host in hosts:  # one after the other, so that slots are known
        line = host.begin()
        test.check(f"agent of host {host.number} begins", f"slot {host.number}", line.strip(), f"slot {host.number}," in line)
    manager = Manager(test, net, hosts, [*folder, "--address", "10.213.0.1"])
    try:
        manager.covers("all answer", [])
        named = [host["host"] for host in manager.last["hosts"]]
        test.equal("hosts by name", [f"host{host.number}" for host in hosts], named)
        hosts[2].signal(signal.SIGKILL)
        manager.covers("an agent is killed", [2])
        hosts[0].signal(signal.SIGSTOP)
        hosts[1].signal(signal.SIGSTOP)
        manager.covers("two are stopped: with the killed one, neighbours as many as may fail", [0, 1, 2])
        hosts[0].signal(signal.SIGCONT)
        hosts[1].signal(signal.SIGCONT)
        manager.covers("they go on", [2])
        line = hosts[2].begin()
        test.check("the killed one has its slot again", "slot 2", line.strip(), "slot 2," in line)
        manager.covers("all are back", [])
        net.cable(3, "down")
        manager.covers("a host is cut off", [3])
        net.cable(3, "up")
        manager.covers("it is back", [])
        manager.kill()
        before, wrong = manager.seen, manager.wrong
        manager = Manager(test, net, hosts, [*folder, "--address", "10.213.0.1"])
        manager.covers("the manager was killed and started again", [])
        test.check("sums that are not of the hosts they say", 0, wrong + manager.wrong, wrong + manager.wrong == 0)
        test.check("samples", "some", before + manager.seen, before + manager.seen >= 10)
    finally:
        manager.kill()


def body(test):
    folder = ["--rendezvous", str(test.folder / "ring")]
    with Net(test) as net, hosts_on(test, net, HOSTS, lambda number: [*folder, "--name", f"host{number}", "--heartbeat", "1"]) as hosts:
        story(test, net, hosts, folder)


main(body)
