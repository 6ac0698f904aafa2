"""kymo top of many hosts on a terminal: the screen is taken, its keys are followed, it records, and the terminal is given back."""

import fcntl
import os
import pathlib
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "truth"))
from harness import main  # noqa: E402
from hosts import kill, let_end, start_program  # noqa: E402

PATIENCE = 60
CLEARED, FOOT = b"\033[H\033[2J", b"+/- period"
# A key, what is on the terminal then, and what no longer is. Only what has changed is sent, a digit of a number, say: by Ctrl-L all of the
# screen is, after each key and every second from then on.
STEPS = [
    (b"", b"2 of 2 answered"),
    (b"s", b"by on CPU"),
    (b"j", b"> n"),
    (b"\r", b"clock known"),
    (b"", b"Programs  1"),
    (b"", b"named_threads"),  # three threads, and its first where that was sampled
    (b"m", b"task/system/0/user"),
    (b"m", b"Programs  1"),
    (b"s", b"by waiting for locks"),
    (b"\r", b"worker-1"),
    (b"", b"Process  named_threads"),
    (b"f", b"FROZEN"),
    (b"", b"worker-2"),  # the rows of before
    (b"b", b"Nothing was read of it before it was frozen"),
    (b"f", b"Programs  1"),
    (b"b", b"in MPI"),
    (b"f", b"FROZEN"),
    (b"f", b"in MPI", b"FROZEN"),
    (b"r", b"RECORDING"),
    (b"r", b"until the end"),
    (b"c", b"in MPI", b"Service channels"),
]


def is_followed(step, since):
    if step[1] not in since:
        return False
    whole = since[since.rfind(CLEARED):]  # the last time that all was drawn, if to its foot
    return len(step) < 3 or (CLEARED in since and FOOT in whole and step[1] in whole and step[2] not in whole)


def follow(terminal):
    """How many steps were followed, and all that was sent."""
    seen, since, done = b"", b"", 0
    end = time.monotonic() + PATIENCE
    again = time.monotonic() + 1
    while time.monotonic() < end:
        try:
            if time.monotonic() >= again:
                os.write(terminal, b"\x0c")
                again += 1
            if select.select([terminal], [], [], 0.2)[0]:
                got = os.read(terminal, 65536)
                seen, since = seen + got, since + got
        except OSError:
            break
        if done < len(STEPS) and is_followed(STEPS[done], since):
            done, since = done + 1, b""
            if done < len(STEPS):
                os.write(terminal, STEPS[done][0] + b"\x0c")
            else:
                time.sleep(1)  # for the recording to have two samples
                os.write(terminal, b"q")
    return done, seen


def body(test):
    folder = test.folder / "ring"
    environment = test.apart(TERM="xterm")
    agents = [test.start(test.kymo, "agent", "--rendezvous", folder, "--plain", "--name", f"n{number}", env=environment, stdout=subprocess.DEVNULL)
              for number in range(2)]
    program = start_program(test, environment, "p.kymo", test.program("named_threads"), 3, 1000)
    try:
        program.stdout.readline()
        for agent in agents:
            agent.stderr.readline()
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(test.work)
            os.execvpe(str(test.kymo), [str(test.kymo), "top", "--rendezvous", str(folder), "--plain", "--period", "0.3", "--agent-share", "1"],
                       environment)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        done, seen = follow(terminal)
        if done < len(STEPS):
            os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    finally:
        for agent in agents:
            kill(agent)
        let_end(program)
    test.equal("keys followed", len(STEPS), done)
    test.equal("exit status", 0, os.waitstatus_to_exitcode(status))
    test.check("the screen is given back", "rmcup", seen[-200:], b"\033[?1049l" in seen)
    test.check("what is said at the end stays", "recorded in", seen[-200:], b"recorded in" in seen[seen.rfind(b"\033[?1049l"):])
    test.equal("hosts recorded", ["n0", "n1"], sorted(host["name"] for host in test.report(test.work / "ring.kymo")["hosts"]))


main(body)
