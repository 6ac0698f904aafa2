"""Killed at random moments, the program's recording is readable up to there; so it is when the recorder itself is killed."""

import os
import random
import signal
import time

from harness import main, samples_due


def descendants(pid):
    """Process ids of all children, and theirs."""
    found = []
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            for child in map(int, file.read().split()):
                found += [child, *descendants(child)]
    except OSError:
        pass
    return found


def the_program(pid, name):
    """Waits until a descendant runs the program, and returns its process id."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        for child in descendants(pid):
            try:
                if os.path.basename(os.readlink(f"/proc/{child}/exe")) != name:
                    continue
                # Before it starts the program, kymo asks its dynamic linker what it is linked with.
                with open(f"/proc/{child}/environ", "rb") as file:
                    if b"LD_TRACE_LOADED_OBJECTS=1" not in file.read().split(b"\0"):
                        return child
            except OSError:
                pass
        time.sleep(0.005)
    return None


def user_time(pid):
    """Seconds of user mode that the kernel has counted of a process, in whole ticks; 0 once it is gone."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return int(file.read().rsplit(")", 1)[1].split()[11]) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return 0.0


def ready_time(pid):
    """Seconds that a process's first thread was ready to run while others had the processor; 0 where the kernel does not tell."""
    try:
        with open(f"/proc/{pid}/schedstat") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


def kill_after(test, delay, victim, number):
    out = test.work / f"{victim}-{number}.kymo"
    kymo = test.start(test.kymo, "record", "-o", out, "--", test.program("paths"))
    program = the_program(kymo.pid, "paths")
    if program is None:
        kymo.kill()
        test.fail(f"the program did not start: {kymo.communicate()[1][:500]}")
        return
    time.sleep(delay)
    computed, ready = user_time(program), ready_time(program)
    try:
        os.kill(program if victim == "program" else kymo.pid, signal.SIGKILL)
    except ProcessLookupError:  # it was quicker
        kymo.communicate(timeout=30)
        kill_after(test, delay / 2, victim, f"{number}-sooner")
        return
    try:
        kymo.communicate(timeout=30)
    except Exception:
        kymo.kill()
        test.fail(f"{victim} killed after {delay:.3f} s: kymo did not end")
        return
    if victim == "program":
        test.equal(f"status of kymo, program killed after {delay:.3f} s", 128 + signal.SIGKILL, kymo.returncode)
    else:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and os.path.exists(f"/proc/{program}"):
            time.sleep(0.05)  # the program itself must come to its own end
        test.check(f"program ends by itself, kymo killed after {delay:.3f} s", "gone", "gone" if not os.path.exists(f"/proc/{program}")
                   else "still there", not os.path.exists(f"/proc/{program}"))
    if delay < 0.1:
        # So early that the monitor may not have begun; then there is nothing to report, and that is said.
        seen = test.run(test.kymo, "report", out, "--json")
        test.check(f"report, {victim} killed after {delay:.3f} s", "a report, or status 6 with a line", f"{seen.returncode}: {seen.stderr.strip()[:200]}",
                   seen.returncode == 0 or (seen.returncode == 6 and seen.stderr.strip()))
        return
    report = test.report(out)
    if report is not None:
        samples = report["recording"]["samples"]
        least = samples_due(test, report, [{"user_s": computed, "run_queue_s": ready}])
        test.figure(f"samples, {victim} killed after {delay:.3f} s, {computed:.2f} s computed", f"≥ {least}", samples, samples >= least)


def body(test):
    if test.mode == "user" and os.geteuid() == 0:
        test.skip("covered by the other modes")
    seed = int(os.environ.get("KYMO_SEED", "1"))
    print(f"note: seed {seed}")
    random.seed(seed)
    for number in range(6):
        kill_after(test, random.uniform(0.0, 0.05) if number < 2 else random.uniform(0.1, 1.5), "program", number)
    for number in range(2):
        kill_after(test, random.uniform(0.2, 1.0), "kymo", number)


if __name__ == "__main__":
    main(body)
