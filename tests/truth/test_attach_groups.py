"""As root, from outside: the processes of a control group, and all of the machine. Of a group those inside are recorded, also what begins later, and
nothing else; of the machine, programs with what they used."""

import os
import pathlib
import shutil
import signal
import time

from harness import main


def groups():
    """Folders in which a control group may be made whose processes the kernel can sample."""
    for line in pathlib.Path("/proc/mounts").read_text().splitlines():
        _, folder, kind, options, *_ = line.split()
        if kind == "cgroup2" or (kind == "cgroup" and "perf_event" in options.split(",")):
            yield pathlib.Path(folder)


def make_group():
    for folder in groups():
        group = folder / f"kymo-test-{os.getpid()}"
        try:
            group.mkdir()
            return group
        except OSError:
            continue
    return None


def remove(group):
    for _ in range(100):  # the kernel forgets ended processes a little later
        try:
            group.rmdir()
            return
        except OSError:
            time.sleep(0.05)


def start(test, name, group=None):
    """`deep` under a name of its own, in the group: computes until it is killed."""
    own = test.work / name
    shutil.copy(test.program("deep"), own)
    enter = f"echo $$ > {group}/cgroup.procs && " if group else ""
    running = test.start("sh", "-c", f"{enter}exec {own} 5 1000000")
    while pathlib.Path(f"/proc/{running.pid}/comm").read_text().strip() != name:
        time.sleep(0.01)
    return running


def used_ms(process):
    words = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def in_group(test):
    group = make_group()
    if group is None:
        print("skipped: --cgroup: no control group can be made here (cgroup2, or the perf_event hierarchy)")
        return
    running = []
    try:
        running += [start(test, "inside-1", group), start(test, "inside-2", group), start(test, "outside")]
        path = test.work / "group.kymo"
        recorder = test.start(test.kymo, "record", "--cgroup", group, "-o", path)
        said = recorder.stderr.readline()
        test.check("group: begun", "recording 2 processes", said, "recording 2 processes" in said)
        running.append(start(test, "inside-3", group))
        time.sleep(0.5)
        recorder.send_signal(signal.SIGINT)
        recorder.communicate()
        test.equal("group: exit status", 0, recorder.returncode)
        report = test.report(path)
        if report is None:
            return
        before = {"sh", str(running[-1].pid)}  # what became inside-3, with a name or without
        names = {process["name"].rsplit("/", 1)[-1] for process in report["processes"]} - before
        test.equal("group: processes", {"inside-1", "inside-2", "inside-3"}, names)
        frames = {frame for frames, _ in test.folded(path) for frame in frames}
        test.check("group: functions", "descend", sorted(frames)[:5], any("descend" in frame for frame in frames))
        sampled = {thread["name"] for thread in report["threads"] if thread["samples"] > 0}
        test.check("group: threads with samples", "all three", sampled, {"inside-1", "inside-2", "inside-3"} <= sampled)
    finally:
        for process in running:
            process.kill()
            process.wait()
        remove(group)


def on_machine(test):
    known = start(test, "known")
    try:
        path = test.work / "machine.kymo"
        before = used_ms(known)
        done = test.run(test.kymo, "record", "--all", "--duration", 0.5, "-o", path)
        used = used_ms(known) - before
        test.equal("machine: exit status", 0, done.returncode)
        report = test.report(path)
        if report is None:
            return
        own = [thread for thread in report["threads"] if thread["pid"] == known.pid]
        test.equal("machine: threads of the known program", 1, len(own))
        test.check("machine: other processes", "some", len(report["processes"]), len(report["processes"]) > 1)
        if own:
            # A sample is a millisecond of a processor's time; others come with each switch.
            recorded = 1000 * (own[0]["user_s"] + (own[0]["system_s"] or 0.0))
            test.check("machine: milliseconds of the known program", f"some, no more than the {used:.0f} that it used", recorded, 0 < recorded <= 1.2 * used + 30)
        frames = {frame for frames, _ in test.folded(path) for frame in frames}
        test.check("machine: its functions", "descend", sorted(frames)[:5], any("descend" in frame for frame in frames))
    finally:
        known.kill()
        known.wait()


def body(test):
    if test.barred:
        test.skip("performance events are barred")
    in_group(test)
    on_machine(test)


main(body)
