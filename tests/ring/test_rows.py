"""From all hosts down to the threads of one: the rows that a host's agent tells are those of its programs, each with what it has counted.

Two agents on the loopback, encrypted, each beside two programs whose threads are known by name and by their counts and stand still, so that the
rows of a line must add up to the same line's figure of that host, at every level. An agent that is stopped is told to be silent; one that was
killed tells again when it is back; who has no key of the job is told nothing.
"""

import json
import os
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "truth"))
from harness import main  # noqa: E402
from hosts import Top, kill, let_end, make_other, start_agent, start_program  # noqa: E402

METRIC = "task/host/*/rounds"
GONE = 5  # what each of a program's two ended threads has counted
PROGRAMS = [[(3, 1007), (2, 11)], [(30, 101), (4, 2003)]]  # by host: threads and rounds


def counts(threads, rounds):
    return {f"worker-{i}": rounds * (i + 1) for i in range(threads)}


class Host:
    def __init__(self, test, folder, number):
        self.test, self.folder, self.number = test, folder, number
        self.environment = test.apart()
        self.programs = [start_program(test, self.environment, f"h{number}p{i}.kymo", test.program("named_threads"), threads, rounds)
                         for i, (threads, rounds) in enumerate(PROGRAMS[number])]
        self.ready = all(program.stdout.readline().strip() == "counted" for program in self.programs) and self.begin()

    def begin(self):
        self.agent = start_agent(self.test, self.environment, self.folder, self.number)
        return "slot" in self.agent.stderr.readline()

    def end(self):
        self.agent.terminate()
        told = self.agent.communicate()[0]
        for program in self.programs:
            let_end(program)
        return json.loads(told) if told else None


class Manager(Top):
    """Lines of kymo top of one host's rows."""

    def __init__(self, test, folder, *options):
        super().__init__(test, "--rendezvous", folder, "--address", "127.0.0.1", "--period", "0.2", "--metric", METRIC, *options)

    def state(self, state):
        return self.until(lambda line: line["detail"]["state"] == state)


def value(row):
    return row["metrics"]["rounds"]["value"] if row["metrics"]["rounds"] else 0


def check_rows(test, line, number):
    """One line's rows against what is known, and against the same line's figure of that host."""
    detail, name = line["detail"], f"host {number}"
    due = PROGRAMS[number]
    total = sum(sum(counts(*program).values()) + 2 * GONE for program in due)
    of_host = next(host for host in line["hosts"] if host["host"] == f"host{number}")["metrics"][METRIC]["sum"]
    test.equal(f"{name}: the host's figure", total, of_host)
    for what in ("processes", "threads"):
        rows = detail[what]["rows"]
        test.equal(f"{name}: all {what} are told", (detail[what]["there"],) * 2, (detail[what]["told"], len(rows)))
        test.equal(f"{name}: {what} add up to the host's figure", of_host, sum(map(value, rows)))
    test.equal(f"{name}: programs", sorted(sum(counts(*program).values()) + 2 * GONE for program in due),
               sorted(value(row) for row in detail["processes"]["rows"]))
    test.equal(f"{name}: processors", os.cpu_count(), detail["processors"]["there"])
    for process in detail["processes"]["rows"]:
        mine = [row for row in detail["threads"]["rows"] if row["pid"] == process["pid"]]
        program = next((program for program in due if sum(counts(*program).values()) + 2 * GONE == value(process)), (0, 0))
        there = {row["name"]: value(row) for row in mine if row["state"] == "there" and value(row)}
        test.equal(f"{name}: threads of {program}", counts(*program), there)
        test.equal(f"{name}: its ended ones", [("gone", GONE)] * 2, [(row["name"], value(row)) for row in mine if row["state"] != "there"])
        test.equal(f"{name}: they add up to their process", value(process), sum(map(value, mine)))
    return detail["processes"]["rows"]


def story(test, folder, hosts):
    pids = []
    for number in range(2):
        with Manager(test, folder, "--host", f"host{number}") as manager:
            line = manager.until(lambda line: line["detail"]["state"] == "told" and line["coverage"]["answered"] == 2)
            if test.check(f"host {number} tells", "rows", line and line["detail"]["state"], line is not None):
                pids.append([row["pid"] for row in check_rows(test, line, number)])
                test.check(f"host {number}: rates", "of so many seconds", line["detail"]["seconds"], line["detail"]["seconds"] > 0)
                if number == 0:
                    faults(test, manager, hosts[0], line["detail"]["incarnation"])
    if len(pids) != 2:
        return
    test.check("no process is on both", "none", pids, not set(pids[0]) & set(pids[1]))

    # One process: its threads alone.
    with Manager(test, folder, "--host", "host1", "--process", str(pids[1][0])) as manager:
        line = manager.state("told")
        rows = line["detail"]["threads"]["rows"] if line else []
        test.equal("threads of one process", {pids[1][0]}, {row["pid"] for row in rows})
        test.check("no other tables", "threads, channels", line and list(line["detail"]), line is not None and "processes" not in line["detail"])

    # As text: what does not fit is told.
    done = test.run(test.kymo, "top", "--rendezvous", folder, "--address", "127.0.0.1", "--agent-share", "1", "--host", "host1", "-n", 1)
    there = sum(threads + 2 for threads, _ in PROGRAMS[1])
    test.check("as text", f"Threads  20 of at least {there}", done.stdout[:2000],
               any(line.startswith("Threads  20 of ") and int(line.split()[3].rstrip(",")) >= there for line in done.stdout.splitlines()))


def faults(test, manager, host, incarnation):
    host.agent.send_signal(signal.SIGSTOP)
    line = manager.state("silent")
    test.check("an agent that is stopped", "silent, its old rows", line and line["detail"].get("why"), line is not None and "old" in line["detail"]["why"])
    host.agent.send_signal(signal.SIGCONT)
    line = manager.state("told")
    test.equal("it goes on", incarnation, line and line["detail"]["incarnation"])
    kill(host.agent)
    test.check("an agent that is killed", "silent", "", manager.state("silent") is not None)
    host.begin()
    line = manager.until(lambda line: line["detail"]["state"] == "told" and line["coverage"]["answered"] == 2)
    if test.check("it is back", f"another than {incarnation}", line and line["detail"]["incarnation"],
                  line is not None and line["detail"]["incarnation"] > incarnation):
        check_rows(test, line, 0)


def stranger(test, folder):
    with Manager(test, make_other(test, folder), "--host", "host1") as manager:
        line = manager.state("silent")
        test.equal("a manager without the job's key: tables that it is told", [],
                   [word for word in ("processors", "processes", "threads", "channels") if line is None or word in line["detail"]])
    with Manager(test, folder, "--host", "nobody") as manager:
        test.check("a host that is not there", "unknown", "", manager.state("unknown") is not None)


def body(test):
    folder = test.folder / "ring"
    hosts = [Host(test, folder, number) for number in range(2)]
    try:
        for number, host in enumerate(hosts):
            test.check(f"host {number} has counted and has its agent", True, host.ready, host.ready)
        if all(host.ready for host in hosts):
            story(test, folder, hosts)
            stranger(test, folder)
    finally:
        told = [host.end() for host in hosts]
    test.check("agents have answered detail queries, and were not let talk to by who has no key", "detail queries, unauthenticated",
               [each and (each["detail_queries"], each["channels"]["unauthenticated"], each["refused"]) for each in told],
               all(each and each["detail_queries"] > 0 and each["channels"]["unauthenticated"] > 0 for each in told))


main(body)
