"""agent_bench.py BUILD [SECONDS]: the processor time of one host's `kymo agent` that is asked for 100 metrics once a second.

An encrypted ring of one agent and `kymo top` on this machine, with 50 programs under `kymo record --live` to tell of: 50 times the user time and
50 times the system time of a process. Beside it the same agent that nobody asks for anything but its heartbeats (no manager). For reading only: nothing
here passes or fails.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

PROGRAMS = 50


def processor_s(pid):
    """On a processor so far, all threads (schedstat's first number)."""
    return sum(int(pathlib.Path(f"/proc/{pid}/task/{task}/schedstat").read_text().split()[0])
               for task in os.listdir(f"/proc/{pid}/task")) / 1e9


def share(pid, seconds):
    begin, clock = processor_s(pid), time.monotonic()
    time.sleep(seconds)
    return (processor_s(pid) - begin) / (time.monotonic() - clock)


def main():
    if len(sys.argv) < 2:
        sys.exit(f"usage: {sys.argv[0]} BUILD [SECONDS]")
    kymo = pathlib.Path(sys.argv[1]).resolve() / "bin" / "kymo"
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 20
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = []
    with tempfile.TemporaryDirectory(prefix="kymo-agent-bench-") as folder:
        folder = pathlib.Path(folder)
        try:
            programs = [subprocess.Popen([kymo, "record", "-q", "--live", "-o", folder / f"{i}.kymo", "--", "sleep", "600"], **quiet)
                        for i in range(PROGRAMS)]
            started += programs
            time.sleep(5)
            pids = [child for program in programs
                    for child in pathlib.Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text().split()]
            agent = subprocess.Popen([kymo, "agent", "--rendezvous", folder / "ring", "--name", "a"], **quiet)
            started.append(agent)
            time.sleep(2)
            alone = share(agent.pid, seconds)
            asked = [word for pid in pids for state in ("user", "system") for word in ("--metric", f"task/process/{pid}/{state}")]
            top = subprocess.Popen([kymo, "top", "--rendezvous", folder / "ring", "--json", "--period", "1", *asked],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            started.append(top)
            lines = [json.loads(top.stdout.readline()) for _ in range(3)]
            told = len(lines[-1].get("metrics", lines[-1].get("records", [])))
            print(f"{len(asked) // 2} metrics asked for once a second ({told} told), {seconds:.0f} s each:")
            print(f"  agent nobody asks  {alone:9.4%} of a processor")
            print(f"  agent that answers {share(agent.pid, seconds):9.4%}")
        finally:
            for process in reversed(started):
                process.terminate()
            for process in started:
                process.wait()


main()
