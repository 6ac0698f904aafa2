"""Programs under a debugger, strace or Valgrind that is itself recorded: the tool and the program say what they say without kymo.

Arguments: BUILD MODE TOOL.
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "truth"))
from harness import main  # noqa: E402

LIMIT = 100  # seconds; they take a few
TOOLS = {
    "gdb": ("-q", "-batch", "-ex", "run", "-ex", "info signal SIGURG"),
    "strace": ("-f", "-o", "strace.txt", "-e", "trace=none"),
    "valgrind": ("-q",),
}


# gdb says "[New LWP" or "[New process" instead of "[New Thread" where it meets a thread before its thread library knows it: a race of
# its own, seen without kymo too.
VARYING = ("kymo: ", "[New ", "[Thread", "[LWP")


def plain(text):
    """Without what differs from run to run, and without what kymo says."""
    text = "\n".join(line for line in text.splitlines() if not line.startswith(VARYING))
    text = re.sub(r"0x[0-9a-f]+|LWP \d+|process \d+|==\d+==", "…", text)
    return sorted(text.splitlines())


def body(test):
    name = test.arguments[0]
    command = [test.tool(name, name), *TOOLS[name], test.program("guest_fork_without_exec")]
    alone = test.run(*command, timeout=LIMIT)
    done, _ = test.record(*command, options=("-e", "task-clock:freq=5000"), timeout=LIMIT)
    test.equal("exit status", alone.returncode, done.returncode)
    test.equal("output", plain(alone.stdout), plain(done.stdout))
    test.equal("error stream", plain(alone.stderr), plain(done.stderr))
    if name == "strace":
        test.equal("signals of Kymo's that are seen", 0, (test.work / "strace.txt").read_text().count("SIGURG"))


main(body)
