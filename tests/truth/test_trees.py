"""Every process of a tree is in the recording, by whatever call it was started and with whatever environment.

Arguments: BUILD MODE PART. Parts: ways (every call that starts a program), compile (a compiler's tools), make, others (processes
without exec, and those that cannot be measured); or the name of a program of another C library or machine, as a child.
"""

import collections
import os
import re
import shutil

from harness import alarms, check_identity, main, samples_due

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
            own = [thread for thread in report["threads"] if thread["pid"] == found[0]["pid"] and thread["sampled"]]
            # What it computed as that program, and how long it had to wait for a processor in all.
            ready = sum(thread["run_queue_s"] or 0.0 for thread in own)
            least = samples_due(test, report, [{"user_s": found[0]["user_s"], "run_queue_s": ready}])
            test.figure(f"{way}: its samples", f"≥ {least}", samples, samples >= least)
    # An exec that fails leaves the program measured: the work after it is in the report.
    done, path = test.record(program, "execve-failing", "/no/such/program/either", out="failing.kymo")
    report = test.report(path)
    if report is not None:
        # The program works by its processor clock, which goes on while samples are taken.
        on_cpu = sum(thread["on_cpu_s"] for thread in report["threads"]) + report["recording"]["own_work_s"]
        test.equal("exec fails twice: status", 96, done.returncode)
        test.figure("work after the first failure is there", "≥ 0.065 s", on_cpu, on_cpu >= 0.065)
    # Without following, only the program itself, whatever it becomes.
    for way, processes in (("posix_spawn-bare", 1), ("fork+execve", 1), ("execve-bare", 2)):
        done, path = test.record(program, way, program, "work", WORK_MS, out=f"alone-{way}.kymo", options=("--no-follow",))
        files = sorted(f.name for f in path.glob("process-*.krec"))
        test.check(f"--no-follow, {way}: process files", processes, files, len(files) == processes)


def programs_by_strace(test, *command):
    """The programs that a command execs, by the system calls themselves: how often each file. None without strace."""
    strace = shutil.which("strace")
    if not strace:
        return None
    log = test.work / "strace.log"
    if test.run(strace, "-f", "-qq", "-e", "trace=execve", "-o", log, *command).returncode != 0:
        return None
    return collections.Counter(os.path.realpath(test.work / path) for path in execs_in(log.read_text(errors="replace")))


def execs_in(log):
    """The files of the execs that succeeded. A shell's or driver's search tries one folder after another, and another process may run
    between a call and its end: then strace breaks the line in two, the second half without the file."""
    paths = []
    begun = {}  # process → the file of its call under way
    for line in log.splitlines():
        pid, _, call = line.partition(" ")
        if found := re.match(r' *execve\("([^"]+)"', call):
            begun[pid] = found[1]
        if "execve" in call and call.endswith("= 0") and pid in begun:
            paths.append(begun.pop(pid))
    return paths


def check_tree(test, report, expected, at_least):
    check_identity(test, report)
    processes = report["processes"]
    seen = collections.Counter(os.path.realpath(p["executable"]) for p in processes)
    names = {os.path.basename(p["command"][0]) for p in processes if p["command"]} | {p["name"] for p in processes}
    if expected is not None:
        test.check("every program that was started, as often", dict(expected), dict(seen), seen == expected)
    test.check("programs by name", sorted(at_least), sorted(names), at_least <= names)
    # Short processes have few samples. On a busy machine more of them meet the start of a process, whose outer callers are not known.
    about_processes = [alarm for alarm in alarms(report) if not alarm.startswith("Call paths incomplete")]
    test.equal("nothing to be said first of the processes", [], about_processes)
    test.check("all are measured", "none left out", [p["name"] for p in processes if not p["monitored"]], all(p["monitored"] for p in processes))
    pids = {p["pid"] for p in processes}
    roots = [p for p in processes if p["parent_pid"] not in pids]
    test.check("parents: one tree", 1, [p["name"] for p in roots], len(roots) == 1)


SOURCE = """#include <map>
#include <string>
int number_{0}(const std::string& text) {{
    std::map<std::string, int> known;
    known[text] = {0};
    return known.begin()->second;
}}
"""


def compile_program(test):
    compiler = test.tool("g++", "g++")
    source = test.work / "number.cpp"
    source.write_text(SOURCE.format(7) + "int main() { return number_7(\"x\") - 7; }\n")
    command = [compiler, "-O1", "number.cpp", "-o", "number"]
    expected = programs_by_strace(test, *command)
    plain = test.run(*command)
    by_itself = (test.work / "number").read_bytes()
    done, path = test.record(*command)
    test.equal("g++: status and messages", (plain.returncode, plain.stdout), (done.returncode, done.stdout))
    test.check("the program it made is the same", f"{len(by_itself)} bytes", "compared", (test.work / "number").read_bytes() == by_itself)
    report = test.report(path)
    if report is not None:
        check_tree(test, report, expected, {"g++", "cc1plus", "as", "collect2", "ld"})
        heaviest = max(report["processes"], key=lambda p: p["on_cpu_s"] or 0)
        test.equal("heaviest process", "cc1plus", heaviest["name"])


MAKEFILE = """OBJECTS = a.o b.o c.o d.o
prog: $(OBJECTS) main.o
\t{0} -o $@ $^
%.o: %.cpp
\t{0} -O1 -c -o $@ $<
clean:
\trm -f *.o prog
"""


def make_project(test):
    make = test.tool("make", "make")
    compiler = test.tool("g++", "g++")
    for number, name in enumerate("abcd"):
        (test.work / f"{name}.cpp").write_text(SOURCE.format(number))
    (test.work / "main.cpp").write_text("int main() { return 0; }\n")
    (test.work / "Makefile").write_text(MAKEFILE.format(compiler))
    expected = programs_by_strace(test, make, "-j2")
    test.run(make, "clean")
    plain = test.run(make, "-j2")
    by_itself = (test.work / "prog").read_bytes()
    test.run(make, "clean")
    done, path = test.record(make, "-j2")
    test.equal("make: status and output", (plain.returncode, sorted(plain.stdout.splitlines())),
               (done.returncode, sorted(done.stdout.splitlines())))
    test.check("the program it made is the same", f"{len(by_itself)} bytes", "compared", (test.work / "prog").read_bytes() == by_itself)
    report = test.report(path)
    if report is not None:
        check_tree(test, report, expected, {"make", "g++", "cc1plus", "as", "collect2", "ld"})
        compilers = [p for p in report["processes"] if p["name"] == "cc1plus"]
        test.equal("compilers", 5, len(compilers))
        drivers = {p["pid"] for p in report["processes"] if os.path.basename(p["command"][0]) == "g++"}
        test.check("each below a driver", "all", len(compilers), all(p["parent_pid"] in drivers for p in compilers))


def others(test):
    program = test.program("children")
    static = test.program("children_static")
    done, path = test.record(program, "fork", 80, out="fork.kymo")
    test.equal("fork without exec: status", 7, done.returncode)
    report = test.report(path)
    if report is not None:
        processes = sorted(report["processes"], key=lambda p: p["begin_s"])
        test.equal("parent and child, both measured", [True, True], [p["monitored"] for p in processes])
        test.equal("the child's parent", processes[0]["pid"], processes[-1]["parent_pid"])
        # What was stolen is told in steps of 10 ms.
        test.near("the child's processor time", 0.08, processes[-1]["on_cpu_s"], 0.03 + test.taken, " s")
    done, path = test.record(program, "posix_spawn", static, "work", 150, out="static.kymo")
    test.equal("static child: status and output", (7, "worked 150\n"), (done.returncode, done.stdout))
    report = test.report(path)
    if report is None:
        return
    if test.barred:
        told = [u["what"] for u in report["recording"]["unavailable"]]
        test.check("without performance events the kernel tells of no children: told", "an entry", told, any("event" in t or "task" in t for t in told))
        return
    found = [p for p in report["processes"] if p["executable"] == os.path.realpath(static)]
    # Nearly all that was computed is missing from the report, which says so before all else. The parent has some 20 samples: one that met the
    # start of a process, whose outer callers are not known, is enough for an alarm about call paths behind it.
    first = (alarms(report) or [""])[0]
    test.check("said first", "children_static, is statically linked", alarms(report),
               os.path.basename(static)[:15] in first and "is statically linked" in first)
    if test.check("static child listed", "one, not measured", found, len(found) == 1 and not found[0]["monitored"]):
        child = found[0]
        test.check("why not", "is statically linked", child["why_not_monitored"], "statically linked" in child["why_not_monitored"])
        test.equal("its name", os.path.basename(static)[:15], child["name"])
        test.near("its processor time", 0.15, child["on_cpu_s"], 0.03 + test.taken, " s")
        test.check("who started it", os.path.realpath(program), child["exec_from"], child["exec_from"] == os.path.realpath(program))
    setuid = "/usr/bin/su"
    if test.mode == "user" and os.path.exists(setuid) and os.stat(setuid).st_mode & 0o4000:
        done, path = test.record(program, "posix_spawn", setuid, "--help", out="setuid.kymo")
        test.equal("setuid child: status", 0, done.returncode)
        report = test.report(path)
        if report is not None:
            found = [p for p in report["processes"] if p["name"] == os.path.basename(setuid)]
            test.check("setuid child listed", "not measured, and why", found,
                       len(found) == 1 and not found[0]["monitored"] and "setuid" in found[0]["why_not_monitored"])


FOREIGN = {
    "work_musl": ("another C library", "musl-tools"),
    "work_musl-static": ("is statically linked", "musl-tools"),
    "work_32": ("is a program for", "libc6-i386"),
    "work_32-static": ("is a program for", "gcc"),
}


def foreign(test, name):
    """A child that no monitor can be loaded into runs as ever, and is listed with its time and the reason."""
    if test.barred:
        test.skip("performance events are barred here: the kernel tells of no children")
    why, package = FOREIGN[name]
    child = test.build / "tests" / "programs" / name
    if not child.exists():
        test.skip(f"{name} was not built (apt-get install {package})")
    child = test.program(name)
    try:
        runs = test.run(child, "work", 150, prefix=[]).stdout == "worked 150\n"
    except OSError:  # a kernel without 32-bit programs
        runs = False
    if not runs:
        test.skip(f"{name} does not run here")
    for way in ("posix_spawn", "vfork+execve"):
        done, path = test.record(test.program("children"), way, child, "work", 150, out=f"{way}.kymo")
        test.equal(f"{way}: status, output", (7, "worked 150\n"), (done.returncode, done.stdout))
        complaints = [line for line in done.stderr.splitlines() if not line.startswith("kymo: ")]
        test.equal(f"{way}: no complaints of a loader", [], complaints)
        report = test.report(path)
        found = [p for p in report["processes"] if p["executable"] == os.path.realpath(child)] if report else []
        if test.check(f"{way}: listed", "one, not measured", found, len(found) == 1 and not found[0]["monitored"]):
            test.check(f"{way}: why not", why, found[0]["why_not_monitored"], why in found[0]["why_not_monitored"])
            # The loader's work is on top.
            test.near(f"{way}: its processor time", 0.15, found[0]["on_cpu_s"], 0.03 + test.taken, " s")


def body(test):
    parts = {"ways": ways, "compile": compile_program, "make": make_project, "others": others}
    part = test.arguments[0]
    parts[part](test) if part in parts else foreign(test, part)


main(body)
