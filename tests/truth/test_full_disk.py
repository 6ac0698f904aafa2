"""On a full disk the program goes on as if nothing were, and what was written before is readable."""

import json
import os

from harness import main


def body(test):
    if os.geteuid() != 0:
        test.skip("mounting a small disk takes the superuser")
    disk = test.folder / "disk"
    disk.mkdir()
    # Less than the samples take: five events read at 5 kHz, or what timers bring, a hundred a second.
    size = "48k" if test.barred else "256k"
    if test.run("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk, prefix=[]).returncode != 0:
        test.skip("a tmpfs cannot be mounted here")
    try:
        out = disk / "out.kymo"
        done = test.run(test.kymo, "record", "-e", "task-clock:freq=5000", "-o", out, "--", test.program("paths"))
        test.equal("exit status of the program", 0, done.returncode)
        truth = json.loads(done.stdout.strip().splitlines()[-1])
        test.check("the program's own output", "its three times", truth, set(truth) == {"alpha", "gamma", "workers"})
        test.check("kymo says so", "a line on a full disk", done.stderr.strip()[-400:], "space" in done.stderr or "full" in done.stderr)
        report = test.report(out)
        if report is not None:
            samples = report["recording"]["samples"]
            test.figure("samples that were kept", "> 100", samples, samples > 100)
            unwritten = report["recording"]["unwritten_rows"]
            test.figure("the disk was really full: rows that found no space", "> 0", unwritten, unwritten > 0)
        # A disk with no room from the start: refused or survived, but the program runs.
        free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
        (disk / "filler").write_bytes(b"x" * max(0, free - 4096))
        second = test.run(test.kymo, "record", "-o", disk / "second.kymo", "--", test.program("openmp"))
        test.check("no room from the start", "the program's status or 9 with a line", f"{second.returncode}: {second.stderr.strip()[:300]}",
                   second.returncode == 0 or (second.returncode == 9 and second.stderr.strip()))
    finally:
        test.run("umount", "-l", disk, prefix=[])


main(body)
