"""kymo top tells of programs that run what the kernel and they themselves tell: processor time between bounds from /proc, counters exactly
from look to look; and it sees them stop and go.

Programs of other tests may run at the same time: only ours are looked at.
"""

import atexit
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import signal
import struct
import termios
import time

from harness import main

DESCRIPTION = """metric messages { at entry send_message : add }
metric sending unit ns { at entry send_message : start
 at exit send_message : stop }
"""


def cpu_seconds(pid):
    """Of the threads that live: those of kymo-exchange do until they are killed."""
    ticks = 0
    for stat in pathlib.Path(f"/proc/{pid}/task").glob("*/stat"):
        fields = stat.read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def looks(test, times, period):
    done = test.run(test.kymo, "top", "--json", "-n", times, "--period", period)
    test.equal("top: exit status", 0, done.returncode)
    views = [json.loads(line) for line in done.stdout.splitlines()]
    for view in views:
        test.of_schema("top", view, "top")
    return views


def find(view, pid):
    return next((process for process in view["processes"] if process["pid"] == pid), None)


def comes_from(pid, ancestor):
    while pid > 1 and pid != ancestor:
        try:
            pid = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return False
    return pid == ancestor


def wait_for(test, program, launcher):
    """The process of that program which this launcher has started. Whatever comes, it ends with this test."""
    for _ in range(60):
        for process in looks(test, 1, 0.2)[0]["processes"]:
            if process["program"] == program and process["threads"] and comes_from(process["pid"], launcher.pid):
                atexit.register(end, process["pid"])
                return process["pid"]
    launcher.terminate()
    test.fail(f"{program} is not seen by kymo top")
    test.end()


def end(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        pass


def check_measured(test):
    description = test.work / "top.kym"
    description.write_text(DESCRIPTION)
    running = test.start(test.kymo, "measure", "-q", "-o", test.work / "top.kymo", description, "--", test.program("kymo-exchange"), 100_000_000)
    pid = wait_for(test, "kymo-exchange", running)
    before, time_before = cpu_seconds(pid), time.monotonic()
    views = looks(test, 3, 0.7)
    after, time_after = cpu_seconds(pid), time.monotonic()
    seen = [find(view, pid) for view in views]
    shown = sum((process["user_share"] + process["system_share"]) * view["seconds"] for process, view in zip(seen, views))
    # Threads' times are filled in at samples, up to 10 ms late (and as late as a thread waits for a processor); /proc counts in ticks.
    window = sum(view["seconds"] for view in views)
    outside = (time_after - time_before) - window
    slack = 0.05 * (after - before) + 0.3
    test.check("processor time of its threads, s", f"{after - before:.2f}, less at most {outside:.2f} s × 2, ± {slack:.2f}", f"{shown:.2f}",
               after - before - 2 * outside - slack <= shown <= after - before + slack)
    test.equal("its threads", 4, len(seen[-1]["threads"]))

    def metric(view, name):
        return next(metric for metric in view["metrics"] if metric["pid"] == pid and metric["name"] == name)

    for earlier, later in zip(views, views[1:]):
        grown = metric(later, "messages")["total"] - metric(earlier, "messages")["total"]
        told = metric(later, "messages")["per_s"] * later["seconds"]
        test.near("messages since the look before", grown, told, 1e-6 * grown + 1e-3)
        test.check("messages go on", "some", grown, grown > 0)
    test.check("time spent sending, of two threads", "between 0 and 2", metric(views[-1], "sending")["per_s"] / 1e9,
               0 < metric(views[-1], "sending")["per_s"] / 1e9 <= 2.01)
    processors = views[-1]["processors"]
    test.equal("processors", os.cpu_count(), len(processors))
    for processor in processors:
        test.near("shares of a processor's time", 1, sum(processor[key] for key in ("user_share", "system_share", "steal_share", "idle_share")), 1e-6)

    os.kill(pid, signal.SIGSTOP)
    time.sleep(0.3)
    stopped = looks(test, 2, 0.5)[-1]
    process = find(stopped, pid)
    test.check("stopped: processor time", "none", process["user_share"] + process["system_share"], process["user_share"] + process["system_share"] < 0.01)
    test.equal("stopped: messages a second", 0, metric(stopped, "messages")["per_s"])
    os.kill(pid, signal.SIGCONT)
    os.kill(pid, signal.SIGKILL)
    running.communicate(timeout=60)
    gone = [process for process in looks(test, 1, 0.2)[0]["processes"] if process["pid"] == pid]
    test.equal("after its end", [], gone)


def check_recorded(test):
    running = test.start(test.kymo, "record", "--live", "-q", "-o", test.work / "live.kymo", "--", "/usr/bin/perl", "-e",
                         '1 for 1 .. 2_000_000; $0 = "renamed"; 1 while 1')
    pid = wait_for(test, "perl", running)
    until = time.monotonic() + 60
    while time.monotonic() < until and pathlib.Path(f"/proc/{pid}/comm").read_text() != "renamed\n":
        time.sleep(0.05)
    before, time_before = cpu_seconds(pid), time.monotonic()
    view = looks(test, 1, 1)[0]
    after, time_after = cpu_seconds(pid), time.monotonic()
    process = find(view, pid)
    shown = (process["user_share"] + process["system_share"]) * view["seconds"]
    outside = time_after - time_before - view["seconds"]
    test.equal("the name of its thread, given late", ["renamed"], [thread["name"] for thread in process["threads"]])
    test.check("record --live: processor time, s", f"{after - before:.2f} less at most {outside:.2f}, ± 0.1", f"{shown:.2f}",
               after - before - outside - 0.1 <= shown <= after - before + 0.1)
    os.kill(pid, signal.SIGTERM)
    running.communicate(timeout=60)


def check_text(test):
    done = test.run(test.kymo, "top", "-n", 1, "--period", 0.1)
    test.equal("text: exit status", 0, done.returncode)
    test.check("text: its first line", "kymo top HOST TIME every 0.1 s", done.stdout.splitlines()[0],
               re.fullmatch(r"kymo top  \S+  \d\d:\d\d:\d\d  every 0\.1 s", done.stdout.splitlines()[0]))
    test.check("text: no escape sequences into a pipe", "none", done.stdout, "\033" not in done.stdout)
    for arguments in (["--period", "0"], ["--period", "x"], ["-n", "-1"], ["something"]):
        done = test.run(test.kymo, "top", *arguments)
        test.equal(f"{' '.join(arguments)}: exit status", 2, done.returncode)
        test.check(f"{' '.join(arguments)}: lines of the error", "1 to 3", done.stderr, 1 <= len(done.stderr.splitlines()) <= 3)


def check_screen(test):
    """On a terminal: the screen is taken, keys are followed, and it is given back."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ["TERM"] = "xterm"
        os.execvp(test.prefix[0] if test.prefix else test.kymo, [*test.prefix, str(test.kymo), "top", "--period", "0.2"])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    seen = b""
    pressed = 0
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            if select.select([terminal], [], [], 0.2)[0]:
                seen += os.read(terminal, 65536)
        except OSError:
            break
        if pressed == 0 and b"Programs" in seen:
            pressed += os.write(terminal, b"s")
        elif pressed == 1 and b"waiting for lock" in seen:
            pressed += os.write(terminal, b"f")
        elif pressed == 2 and b"FROZEN" in seen:
            pressed += os.write(terminal, b"q")
    _, status = os.waitpid(child, 0)
    test.equal("on a terminal: keys followed", 3, pressed)
    test.equal("on a terminal: exit status", 0, os.waitstatus_to_exitcode(status))
    test.check("on a terminal: the screen is given back", "rmcup at the end", seen[-40:], b"\033[?1049l" in seen)


def body(test):
    check_text(test)
    check_screen(test)
    check_measured(test)
    check_recorded(test)


main(body)
