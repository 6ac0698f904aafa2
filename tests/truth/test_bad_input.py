"""What cannot be done is refused in one line with the next step, with the exit status of docs/exit-codes.md, and nothing is lost.

A refusal has at most four lines of readable length on the error stream, nothing on the output, and names the thing concerned.
"""

import glob
import os
import pathlib
import shutil
import stat
import struct

from harness import NOBODY, main

USAGE, NOT_FOUND, NOT_RUNNABLE, EXISTS, MALFORMED, NEWER, PERMISSION, NO_SPACE, UNSUPPORTED, UNKNOWN_EVENT = range(2, 12)


def crc32c(data):
    """CRC-32C (Castagnoli), bit by bit: only for a header of 96 bytes."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def patched_header(data, offset, form, value):
    """The file with one header field changed and the header's checksum made right again (docs/recording-format.md)."""
    data = bytearray(data)
    struct.pack_into(form, data, offset, value)
    struct.pack_into("<I", data, 96, crc32c(data[:96]))
    return bytes(data)


class Matrix:
    def __init__(self, test):
        self.test = test

    def refused(self, what, status, *words, says=(), prefix=None):
        """`status` is one exit code or several; `says` are words of which at least one must be in the message."""
        done = self.test.run(self.test.kymo, *words, prefix=prefix)
        statuses = status if isinstance(status, tuple) else (status,)
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        told = not says or any(word.lower() in done.stderr.lower() for word in says)
        readable = 1 <= len(lines) <= 4 and all(len(line) <= 250 for line in lines)
        good = done.returncode in statuses and readable and not done.stdout.strip() and told
        self.test.check(what, f"status {' or '.join(map(str, statuses))}, one line and the next step"
                        + (f", says one of {list(says)}" if says else ""),
                        f"status {done.returncode}, {lines[:6]}" + (f", output {done.stdout[:100]!r}" if done.stdout.strip() else ""), good)
        return done


def programs(test, matrix):
    work = test.work
    record = ("record", "-o", work / "none.kymo", "--")
    matrix.refused("no arguments to record", USAGE, "record", says=("program",))
    for verb in (("view",), ("gpu", "sweep"), ("gpu", "trace")):
        name = " ".join(("kymo", *verb))
        matrix.refused(f"{name} without arguments leads to its own help", USAGE, *verb, says=(f"{name} --help",))
    # A word that is a program, too, but was given a recording.
    for word in ("reprot", "ls"):
        matrix.refused(f"kymo {word} x.kymo", USAGE, word, work / "x.kymo", says=("did you mean kymo report",))
    matrix.refused("unknown option", USAGE, "record", "--no-such-option", "--", "true")
    matrix.refused("no such program", NOT_FOUND, *record, work / "missing", says=("missing",))
    matrix.refused("no such program on the path", NOT_FOUND, *record, "no-such-program-anywhere", says=("no-such-program-anywhere",))
    text = work / "text"
    text.write_text("just text\n")
    matrix.refused("not executable", NOT_RUNNABLE, *record, text, says=("execut", "chmod"))
    text.chmod(0o755)
    matrix.refused("executable, but neither a program nor a script", NOT_RUNNABLE, *record, text)
    matrix.refused("a folder for a program", NOT_RUNNABLE, *record, work, says=("director", "folder"))
    script = work / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    matrix.refused("a script whose interpreter is missing", (NOT_FOUND, NOT_RUNNABLE), *record, script, says=("interpreter",))
    static = test.program("static")
    matrix.refused("a process that is not followed, of a static program", USAGE, *record[:-1], "--no-follow", "--", static, says=("static",))
    real = pathlib.Path("/bin/true").read_bytes()
    foreign = work / "foreign"
    foreign.write_bytes(real[:18] + struct.pack("<H", 183 if os.uname().machine == "x86_64" else 62) + real[20:])
    foreign.chmod(0o755)
    matrix.refused("program for another processor", NOT_RUNNABLE, *record, foreign, says=("aarch64", "ARM", "x86", "architecture", "processor"))
    cut = work / "cut"
    cut.write_bytes(real[:100])
    cut.chmod(0o755)
    matrix.refused("program cut short", NOT_RUNNABLE, *record, cut)
    setuid = [p for p in glob.glob("/usr/bin/*") if os.path.isfile(p) and os.stat(p).st_mode & stat.S_ISUID and os.access(p, os.X_OK)]
    if test.mode == "user" and setuid:
        matrix.refused("setuid program", NOT_RUNNABLE, *record, setuid[0], says=("setuid", "set-user"))
    test.equal("no recording is left behind", [], list(work.glob("*.kymo")))


def rings(test, matrix):
    place = test.work / "ring"
    matrix.refused("agent: no folder", USAGE, "agent", says=("--rendezvous",))
    matrix.refused("agent: a name with a slash", USAGE, "agent", "--rendezvous", place, "--name", "a/b", says=("a/b",))
    matrix.refused("agent: a heartbeat of nothing", USAGE, "agent", "--rendezvous", place, "--heartbeat", "0", says=("heartbeat",))
    matrix.refused("top: recording no hosts", USAGE, "top", "--record", test.work / "hosts.kymo", says=("--rendezvous",))
    matrix.refused("top: no port", USAGE, "top", "--rendezvous", place, "--prometheus", "host:port", says=("host:port",))
    matrix.refused("top: no address of a metric", USAGE, "top", "--rendezvous", place, "--metric", "task/user", says=("task/user",))
    matrix.refused("top: a switch that says nothing", USAGE, "top", "--rendezvous", place, "--switch", "calls=maybe", says=("calls=maybe",))
    matrix.refused("top: a description that is not there", NOT_FOUND, "top", "--rendezvous", place, "--switch", "none.kym=off", says=("none.kym",))
    matrix.refused("top: switching no hosts", USAGE, "top", "--switch", "calls=off", says=("--rendezvous",))
    early = test.work / "early.kymo"
    done = test.run(test.kymo, "top", "--rendezvous", test.work / "nobody", "--plain", "-n", "1", "--period", "0.1", "--record", early)
    test.check("nothing to record leaves nothing", "an error, and no folder", (done.returncode, early.exists()), done.returncode != 0 and not early.exists())
    open_to_all = test.work / "open"
    open_to_all.mkdir()
    open_to_all.chmod(0o755)
    matrix.refused("a folder that others may enter", PERMISSION, "agent", "--rendezvous", open_to_all, says=("others",))
    matrix.refused("a folder that cannot be made", PERMISSION, "agent", "--rendezvous", test.work / "none" / "ring", says=("ring",))
    (test.work / "file").touch()
    matrix.refused("a file for a folder", NOT_FOUND, "top", "--rendezvous", test.work / "file", says=("file",))
    place.mkdir(mode=0o700)
    if test.prefix:
        os.chown(place, NOBODY, NOBODY)
    (place / "job").write_text("nothing of ours\n")
    matrix.refused("another's folder", (MALFORMED, PERMISSION), "agent", "--rendezvous", place, says=("job",))
    plain = test.work / "plain"
    # Where Kymo was built without libsodium that is what it says.
    matrix.refused("no encryption but on the loopback", (USAGE, UNSUPPORTED), "agent", "--rendezvous", plain, "--plain", "--address", "10.1.2.3",
                   says=("loopback", "libsodium"))
    matrix.refused("encrypted where the job is plain", (USAGE, UNSUPPORTED), "agent", "--rendezvous", plain, says=("not encrypted",))


def events(test, matrix):
    record = ("record", "-o", test.work / "none.kymo")
    matrix.refused("unknown event", UNKNOWN_EVENT, *record, "-e", "no-such-event", "--", "true", says=("no-such-event",))
    matrix.refused("event nearly right", UNKNOWN_EVENT, *record, "-e", "page-fualts", "--", "true", says=("page-faults",))
    matrix.refused("event without a name", (USAGE, UNKNOWN_EVENT), *record, "-e", ":freq=1000", "--", "true")
    matrix.refused("frequency that is no number", USAGE, *record, "-e", "task-clock:freq=often", "--", "true", says=("often", "freq"))
    matrix.refused("frequency of zero", USAGE, *record, "-e", "task-clock:freq=0", "--", "true")
    matrix.refused("period and frequency", USAGE, *record, "-e", "task-clock:freq=10:period=10", "--", "true")
    matrix.refused("unknown modifier", (USAGE, UNKNOWN_EVENT), *record, "-e", "task-clock:colour=red", "--", "true", says=("colour",))
    if not glob.glob("/sys/bus/event_source/devices/cpu*/events/cpu-cycles") and not test.barred:
        matrix.refused("hardware event where there is none", UNSUPPORTED, *record, "-e", "cycles", "--", "true", says=("hardware counter",))
    for option, value in (("--duration", "soon"), ("--duration", "-1"), ("--max-size", "big")):
        matrix.refused(f"{option} {value}", USAGE, "record", option, value, "--", "true", says=(option.strip("-"),))
    test.equal("no recording is left behind", [], list(test.work.glob("*.kymo")))


def hunts(test, matrix):
    hunt = ("hunt", "-e", "page-faults")
    matrix.refused("no event to hunt for", USAGE, "hunt", "--", "true", says=("event",))
    matrix.refused("no program to hunt in", USAGE, *hunt, says=("program",))
    matrix.refused("hunt for an unknown event", UNKNOWN_EVENT, "hunt", "-e", "no-such-event", "--", "true", says=("no-such-event",))
    matrix.refused("hunt for a program that is missing", NOT_FOUND, *hunt, "--", test.work / "missing", says=("missing",))
    for option, value in (("--share", "0"), ("--share", "1.5"), ("--share", "half"), ("--refuse", "0.5"), ("--confidence", "1"),
                          ("--confidence", "0"), ("--false-reports", "0"), ("--pairs", "0"), ("--pairs", "17"), ("--every", "0"),
                          ("--key", "colour"), ("--test", "guess"), ("--terminals", "400"), ("--terminals", "0,0"), ("--terminals", "4,5"),
                          ("--terminals", "-1,2"), ("--rest", "1048576"), ("--rest", "-1"), ("--engine", "steam"), ("--duration", "-1")):
        matrix.refused(f"hunt {option} {value}", USAGE, *hunt, option, value, "--", "true", says=(option.strip("-"),))
    matrix.refused("a share too small to be counted", USAGE, *hunt, "--share", "0.00000001", "--", "true", says=("share",))
    for both in (("--terminals", "40,4", "--confidence", "0.9"), ("--terminals", "40,4", "--test", "sequential")):
        matrix.refused(f"hunt {' '.join(both)}", USAGE, *hunt, *both, "--", "true", says=("terminals",))
    matrix.refused("data pages of an event that has none", USAGE, "hunt", "-e", "task-clock", "--key", "data-page", "--", "true",
                   says=("data",))
    matrix.refused("switches by the program's engine", USAGE, "hunt", "-e", "context-switches", "--engine", "program", "--", "true",
                   says=("kernel",))
    matrix.refused("a key that needs symbols", UNSUPPORTED, *hunt, "--key", "function", "--", "true", says=("function",))
    if test.mode == "user":
        matrix.refused("the kernel's engine for an ordinary user", (PERMISSION, UNSUPPORTED), *hunt, "--engine", "kernel", "--", "true",
                       says=("kernel",))


def looks(test, matrix):
    work = test.work
    first = work / "first.kymo"
    made = test.run(test.kymo, "record", "-o", first, "--", test.program("deep"))
    test.check("a recording to look again for", 0, made.returncode, made.returncode == 0)
    record = ("record", "-o", work / "again.kymo", "--for")
    matrix.refused("a second look for a missing recording", NOT_FOUND, *record, work / "missing.kymo", "-e", "page-faults", says=("missing",))
    matrix.refused("a second look without an event", USAGE, *record, first, says=("event", "-e"))
    matrix.refused("exact occurrences without an earlier recording", USAGE, "record", "--exact", "--", "true", says=("--for",))
    matrix.refused("a second look with an unknown event", UNKNOWN_EVENT, *record, first, "-e", "no-such-event", says=("no-such-event",))
    matrix.refused("a second look at another program", USAGE, *record, first, "-e", "page-faults", "--", "true", says=("first.kymo",))
    matrix.refused("a second look from another folder without a program", USAGE, "record", "-o", work / "again.kymo", "--for", first, "-e", "page-faults",
                   prefix=[*test.prefix, "env", "--chdir=/"], says=("--",))
    other = work / "other" / "deep"
    other.parent.mkdir()
    shutil.copy("/bin/true", other)
    matrix.refused("a second look at another build", USAGE, *record, first, "-e", "page-faults", "--", other, says=("build",))
    nothing = work / "nothing.kymo"
    test.run(test.kymo, "record", "-o", nothing, "--", "true")
    matrix.refused("a second look at nothing", (USAGE, MALFORMED), *record, nothing, "-e", "page-faults", "--", "true", says=("nothing.kymo contains no code", "no process and no thread"))
    folder = work / "folder.kymo"
    folder.mkdir()
    matrix.refused("a second look for a folder that is no recording", MALFORMED, *record, folder, "-e", "page-faults", says=("folder.kymo",))
    test.equal("no recording is left behind", False, (work / "again.kymo").exists())


def outputs(test, matrix):
    work = test.work
    taken = work / "taken.kymo"
    taken.mkdir()
    (taken / "mine").write_text("precious")
    if test.prefix and os.geteuid() == 0 and test.mode == "user":
        os.chown(taken, NOBODY, NOBODY)
    done = matrix.refused("output exists", EXISTS, "record", "-o", taken, "--", "true", says=("taken",))
    offered = [w.strip("'\"`,;:()") for w in done.stderr.split() if ".kymo" in w and "taken.kymo" not in w]
    test.check("a new name is offered", "one that is free", offered, any(not os.path.exists(work / name) for name in offered))
    test.equal("what was there is untouched", "precious", (taken / "mine").read_text())
    file = work / "file.kymo"
    file.write_text("also precious")
    matrix.refused("output exists and is a file", EXISTS, "record", "-o", file, "--", "true")
    test.equal("that file is untouched", "also precious", file.read_text())
    matrix.refused("output in a missing folder", NOT_FOUND, "record", "-o", work / "nowhere" / "out.kymo", "--", "true", says=("nowhere",))
    if test.mode == "user" or os.geteuid() != 0:
        closed = test.folder / "closed"
        closed.mkdir(mode=0o555)
        matrix.refused("output in a closed folder", PERMISSION, "record", "-o", closed / "out.kymo", "--", "true", says=("permi", "closed"))


def recordings(test, matrix):
    work = test.work
    done, good = test.record(test.program("openmp"), out="good.kymo")
    test.equal("a good recording to begin with", 0, done.returncode)
    before = test.report(good)
    if before is None:
        return
    test.equal("the folder's mode", 0o700, stat.S_IMODE(good.stat().st_mode))
    modes = {stat.S_IMODE(f.stat().st_mode) for f in good.iterdir()}
    test.equal("the files' modes", {0o600}, modes)

    def variant(name, change):
        """A copy of the recording in which `change` was made to the bytes of every file."""
        copy = work / f"{name}.kymo"
        shutil.copytree(good, copy)
        for path in copy.iterdir():
            path.write_bytes(change(path.read_bytes()))
        if test.mode == "user" and os.geteuid() == 0:
            for path in (copy, *copy.iterdir()):
                os.chown(path, NOBODY, NOBODY)
        return copy

    report = lambda path: ("report", path)
    matrix.refused("no such recording", NOT_FOUND, *report(work / "missing.kymo"), says=("missing.kymo",))
    empty = work / "empty.kymo"
    empty.mkdir()
    empty.chmod(0o755)
    matrix.refused("an empty folder", MALFORMED, *report(empty))
    text = work / "text.kymo"
    text.write_text("not a recording\n")
    matrix.refused("a file that is no recording", MALFORMED, *report(text))
    matrix.refused("foreign bytes", MALFORMED, *report(variant("foreign", lambda data: b"PERFILE2" + data[8:])))
    matrix.refused("empty files", MALFORMED, *report(variant("hollow", lambda data: b"")))
    matrix.refused("cut inside the header", MALFORMED, *report(variant("header", lambda data: data[:60])))
    matrix.refused("damaged header", MALFORMED, *report(variant("damaged", lambda data: data[:20] + b"\xff" * 8 + data[28:])))
    matrix.refused("a newer format", NEWER, *report(variant("newer", lambda data: patched_header(data, 8, "<H", 99))), says=("newer", "version", "later"))
    other = variant("other", lambda data: patched_header(data, 16, "<H", 183 if os.uname().machine == "x86_64" else 62))
    seen = test.run(test.kymo, "report", other)
    test.check("another architecture's", "a report, or status 6 or 10 with a line that says so", f"status {seen.returncode}, {seen.stderr.strip()[:300]!r}",
               seen.returncode == 0 or (seen.returncode in (MALFORMED, UNSUPPORTED) and seen.stderr.strip()))
    for share in (0.9, 0.5, 0.1):
        path = variant(f"cut-{share}", lambda data: data[:max(4096, int(len(data) * share))])
        done = test.run(test.kymo, "report", path, "--json")
        test.check(f"cut to {share:.0%}", "a report of the rest, or status 6 with a line", f"status {done.returncode}, {done.stderr.strip()[:200]!r}",
                   done.returncode == 0 or (done.returncode == MALFORMED and done.stderr.strip()))
    for seed in range(8):
        def flip(data, seed=seed):
            data = bytearray(data)
            for i in range(40):
                at = (seed * 7919 + i * 104729 * (seed + 3)) % max(1, len(data) - 4096) + 4096
                if at < len(data):
                    data[at] ^= 0xFF
            return bytes(data)
        done = test.run(test.kymo, "report", variant(f"flipped-{seed}", flip), "--json")
        test.check(f"bytes turned over, {seed}", "a report of the rest, or status 6 with a line", f"status {done.returncode}, {done.stderr.strip()[:160]!r}",
                   done.returncode == 0 or (done.returncode == MALFORMED and done.stderr.strip()))
    if test.mode == "user" or os.geteuid() != 0:
        secret = variant("secret", lambda data: data)
        if os.geteuid() == 0:
            for path in (secret, *secret.iterdir()):
                os.chown(path, 0, 0)
        else:
            secret.chmod(0)
        matrix.refused("a recording of somebody else", PERMISSION, *report(secret), says=("permi", "may not"))
        secret.chmod(0o700)
    matrix.refused("unknown export", (USAGE, UNSUPPORTED), "export", good, "--to", "interpretive-dance")
    matrix.refused("unknown verb with options", (USAGE, NOT_FOUND), "reprot", good, says=("reprot",))
    test.equal("the good recording still reads the same", before["recording"]["samples"],
               (test.report(good) or {"recording": {"samples": None}})["recording"]["samples"])


def body(test):
    matrix = Matrix(test)
    {"programs": programs, "events": events, "hunts": hunts, "looks": looks, "rings": rings, "outputs": outputs, "recordings": recordings}[test.arguments[0]](test, matrix)


main(body)
