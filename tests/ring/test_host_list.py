"""A ring without a shared folder: the hosts are a list, and a job's file with the keys is copied to each or comes at standard input.

Four hosts on one machine, each a network namespace. As in test_hosts, each sample's sum is that of exactly the hosts that it says have
answered. Who has another job's keys gets nothing.
"""

import pathlib
import signal
import stat
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "truth"))
from harness import main  # noqa: E402
from hosts import Manager, Net, hosts_on  # noqa: E402

HOSTS = 4


def make_job(test, name, *more):
    """The job's file for all hosts, from a file that lists them as MPI's do."""
    listed = test.folder / f"{name}.hosts"
    listed.write_text("# the hosts\n" + "".join(f"host{n}=10.213.{n}.2 slots=2\n" for n in range(HOSTS)))
    job = test.folder / f"{name}.ring"
    made = test.run(test.kymo, "agent", "--hosts", listed, "--job", job, "--manager", "10.213.0.1", "--heartbeat", "1", *more)
    test.equal(f"{name}: the job's file is made", 0, made.returncode)
    return job


def refusals(test, job):
    def status(*options):
        return test.run(test.kymo, "agent", *options, timeout=60).returncode

    test.equal("the keys are their owner's alone", 0o600, stat.S_IMODE(job.stat().st_mode))
    test.equal("a job's file is made once", 5, status("--hosts", "a=127.0.0.1", "--job", str(job)))
    test.equal("a host twice", 2, status("--hosts", "a=127.0.0.1,a=127.0.0.2", "--job", str(test.folder / "twice")))
    test.equal("plain beyond the loopback", 2, status("--plain", "--hosts", "a=10.0.0.1", "--job", str(test.folder / "plain")))
    test.equal("a host that is not in the list", 3, status("--job", str(job), "--name", "elsewhere"))
    test.equal("standard input that is no job", 6, status("--job", "-"))
    test.equal("nowhere to meet", 2, status())
    loose = test.folder / "loose.ring"
    loose.write_text(job.read_text())
    loose.chmod(0o640)
    test.equal("a file that others may read", 8, status("--job", str(loose), "--name", "host0"))


def story(test, net, hosts, job):
    for host in hosts:
        test.check(f"host {host.number} has counted", True, True, host.counted())
    manager = Manager(test, net, hosts, ["--job", str(job)])
    try:
        # By a copy of the file, with its address as its name; at standard input; by name.
        copy = test.folder / "copied.ring"
        copy.write_text(job.read_text())
        copy.chmod(0o600)
        begun = [hosts[0].begin(["--job", str(copy)])]
        for host in hosts[1:3]:
            with open(job) as keys:
                begun.append(host.begin(["--job", "-"], keys))
        for number, line in enumerate(begun):
            test.check(f"agent of host {number} begins", f"host{number}, slot {number}", line.strip(), f"host{number}, slot {number}," in line)
        manager.covers("three of the list answer", [3])
        stranger = hosts[3].begin(["--job", str(make_job(test, "other")), "--name", "host3"])
        test.check("one with another job's keys", "slot 3", stranger.strip(), "slot 3," in stranger)
        seen = manager.seen
        manager.covers("gets nothing", [3])
        while manager.seen < seen + 15:  # longer than a heartbeat
            manager.covers("nor later", [3])
        hosts[3].signal(signal.SIGKILL)
        hosts[3].begin()
        manager.covers("all answer", [])
        twice = test.run(*net.within(hosts[3].space), test.kymo, "agent", *hosts[3].meeting)
        test.check("a second agent on a host", "8: does one run already?", f"{twice.returncode}: {twice.stderr.strip()}",
                   twice.returncode == 8 and "does one run already?" in twice.stderr)
        hosts[1].signal(signal.SIGKILL)
        manager.covers("an agent is killed", [1])
        hosts[1].begin()
        manager.covers("it is back", [])
        manager.kill()
        before, wrong = manager.seen, manager.wrong
        manager = Manager(test, net, hosts, ["--job", str(job)])
        manager.covers("the manager was killed and started again", [])
        test.check("sums that are not of the hosts they say", 0, wrong + manager.wrong, wrong + manager.wrong == 0)
        test.check("samples", "some", before + manager.seen, before + manager.seen >= 20)
    finally:
        manager.kill()


def body(test):
    with Net(test) as net:
        job = make_job(test, "job")
        refusals(test, job)
        with hosts_on(test, net, HOSTS, lambda number: ["--job", str(job), "--name", f"host{number}"]) as hosts:
            story(test, net, hosts, job)


main(body)
