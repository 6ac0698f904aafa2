"""A thousand agents, each a process, on 32 hosts of this machine's own making, for a minute.

All know one another by a job's file, as on a cluster. Each sample is held against the number that it says have answered; and N agents and
their manager hold N + 1 channels, before and after agents are killed and come back. KYMO_AGENTS, KYMO_SECONDS: other numbers.
"""

import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "truth"))
from harness import main  # noqa: E402
from hosts import Net, Top, kill  # noqa: E402

AGENTS = int(os.environ.get("KYMO_AGENTS", "1000"))
SECONDS = float(os.environ.get("KYMO_SECONDS", "60"))
SPACES = 32
HEARTBEAT = "10"  # s: two processors cannot answer a thousand agents' heartbeats every half second in time
FIRST_PORT = 20000
KILLED = (0, 1, AGENTS // 3, AGENTS // 2, AGENTS // 2 + 1, AGENTS // 2 + 2, AGENTS - 1)


def processor_seconds(processes):
    """That these have had so far."""
    ticks = 0
    for process in processes:
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


class Agents:
    def __init__(self, test, net, job):
        self.test, self.net, self.job = test, net, job
        self.spaces = [net.host(number) for number in range(SPACES)]
        if None in self.spaces:
            test.skip("veth pairs cannot be made here")
        self.all = {}

    def begin(self, number):
        # Their cells lie apart, as on hosts of their own. Not by `ip netns exec`, which is a process more.
        self.all[number] = self.test.start(
            "nsenter", f"--net=/run/netns/{self.spaces[number % SPACES]}", self.test.kymo, "agent", "--job", self.job, "--name", f"n{number}",
            env=self.test.apart(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def end(self):
        for process in self.all.values():
            process.kill()
        for process in self.all.values():
            process.wait()


def settled(test, manager, what, answered):
    """The first sample of so many that hold one channel each, and one more a segment; within the samples' patience."""
    found = manager.until(lambda sample: sample["coverage"]["answered"] == answered and sample["channels_open"] == answered + sample["tokens"])
    seen = found or manager.last
    test.check(what, f"{answered} answer, and one channel each and one a segment", seen and (seen["coverage"]["answered"], seen["channels_open"]),
               found is not None)
    return found


def body(test):
    listed, job = test.folder / "hosts", test.folder / "job"
    listed.write_text("".join(f"n{number}=10.213.{number % SPACES}.2:{FIRST_PORT + number // SPACES}\n" for number in range(AGENTS)))
    made = test.run(test.kymo, "agent", "--hosts", listed, "--job", job, "--manager", "10.213.0.1:19999", "--heartbeat", HEARTBEAT)
    test.equal("the job's file is made", 0, made.returncode)
    with Net(test) as net:
        agents = Agents(test, net, job)
        try:
            begun = time.monotonic()
            for number in range(AGENTS):
                agents.begin(number)
            print(f"note: {AGENTS} agents started in {time.monotonic() - begun:.1f} s")
            with Top(test, "--job", job, "--period", "2", "--totals", within=net.within(net.hub)) as manager:
                if not settled(test, manager, "all answer", AGENTS):
                    return
                print(f"note: all answer {time.monotonic() - begun:.1f} s after the first was started")
                watch(test, agents, manager)
        finally:
            agents.end()


def watch(test, agents, manager):
    begin, had, first = time.monotonic(), processor_seconds(agents.all.values()), manager.last
    samples, partial, off_time, trips, open_most = 0, 0, 0, [], 0
    for sample in manager.samples():
        samples += 1
        coverage = sample["coverage"]
        partial += coverage["answered"] != AGENTS
        off_time += coverage["off_time"]
        trips.append(sample["round_trip_ms"])
        open_most = max(open_most, sample["channels_open"])
        if time.monotonic() - begin > SECONDS:
            break
    passed = time.monotonic() - begin
    work = processor_seconds(agents.all.values()) - had
    trips.sort()
    print(f"note: {samples} samples in {passed:.0f} s, {partial} of them partial; round trip {trips[len(trips) // 2]:.0f} ms (median), "
          f"{trips[-1]:.0f} ms at most; {open_most} channels at most; {off_time} latches off time; "
          f"an agent takes {100 * work / passed / AGENTS:.3f} % of a processor; {sample['tokens']} segments, period {sample['period_s']} s")
    test.check("samples of the minute", "some", samples, samples > 5)
    test.check("whole samples", f"nine in ten of {samples}", samples - partial, partial * 10 <= samples)
    for number in KILLED:
        kill(agents.all[number])
    if not settled(test, manager, f"{len(KILLED)} are killed", AGENTS - len(KILLED)):
        return
    for number in KILLED:
        agents.begin(number)
    settled(test, manager, "they are back", AGENTS)


main(body)
