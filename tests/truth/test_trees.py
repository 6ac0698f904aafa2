"""Every process of a tree is in the recording, by whatever call it was started and with whatever environment.

Arguments: BUILD MODE PART. Parts: ways.
"""

from harness import main

# A program becomes another one, or starts it; "-bare" with an empty environment, "-failing" after an exec that failed.
WAYS = ("fork+execve", "fork+execve-bare", "vfork+execve", "vfork+execve-bare", "vfork+execle-bare", "vfork+execvp", "posix_spawn",
        "posix_spawn-bare", "posix_spawnp-bare", "execve", "execve-bare", "execle-bare", "execl-bare", "execlp-bare", "execv-bare",
        "execvp-bare", "fexecve-bare", "execveat-bare", "execve-failing", "system", "popen")
WORK_MS = 60


def worker_of(report, program):
    """The process that was started: the one with "work" for its first word."""
    return [p for p in report["processes"] if p["command"][1:2] == ["work"] and p["command"][0].endswith(program)]


def ways(test):
    program = test.program("children")
    for number, way in enumerate(WAYS):
        done, path = test.record(program, way, program, "work", WORK_MS, out=f"way{number}.kymo")
        test.equal(f"{way}: status and output", (7, f"worked {WORK_MS}\n"), (done.returncode, done.stdout))
        report = test.report(path)
        if report is None:
            continue
        found = worker_of(report, "children")
        if test.check(f"{way}: the program that was started is measured", "one process", found, len(found) == 1 and found[0]["monitored"]):
            samples = found[0]["samples"]
            least = WORK_MS // 2 if test.mode != "barred" else WORK_MS // 10
            test.check(f"{way}: its samples", f"≥ {least}", samples, samples >= least)
    # An exec that fails leaves the program measured: the work after it is in the report.
    done, path = test.record(program, "execve-failing", "/no/such/program/either", out="failing.kymo")
    report = test.report(path)
    if report is not None:
        on_cpu = sum(thread["on_cpu_s"] for thread in report["threads"])
        test.equal("exec fails twice: status", 96, done.returncode)
        test.check("work after the first failure is there", "≥ 0.065 s", on_cpu, on_cpu >= 0.065)
    # Without following, only the program itself, whatever it becomes.
    for way, processes in (("posix_spawn-bare", 1), ("fork+execve", 1), ("execve-bare", 2)):
        done, path = test.record(program, way, program, "work", WORK_MS, out=f"alone-{way}.kymo", options=("--no-follow",))
        files = sorted(f.name for f in path.glob("process-*.krec"))
        test.check(f"--no-follow, {way}: process files", processes, files, len(files) == processes)


def body(test):
    {"ways": ways}[test.arguments[0]](test)


main(body)
