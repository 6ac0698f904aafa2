"""A recording has one clock, though the program is in a time namespace where CLOCK_MONOTONIC is a day ahead, or behind, or Kymo itself is."""

import shutil
import time

from harness import main, plain

DAY = 86_400


def unshare(seconds):
    return ["unshare", "--time", f"--monotonic={seconds}", f"--boottime={seconds}", "--fork"]


def check(test, what, *command, prefix=()):
    begin = time.monotonic()
    path = test.work / f"{what.split()[0]}.kymo"
    done = test.run(*prefix, test.kymo, "record", "-o", path, "--", *command)
    longest = time.monotonic() - begin
    test.equal(f"{what}: output", "worked 200\n", done.stdout)
    report = test.report(path)
    if report is None:
        return
    seen = report["recording"]["duration_s"]
    test.check(f"{what}: duration, s", f"> 0 and ≤ {longest:.3f}", seen, 0 < seen <= longest)
    times = [(thread["begin_s"], thread["end_s"]) for thread in report["threads"]]
    test.check(f"{what}: when threads began and ended, s", "in the run, in order", times, all(-0.1 <= begin <= end <= longest for begin, end in times))
    names = [plain(row["function"]) for row in report["functions"]]
    test.check(f"{what}: functions", "work", names, "work" in names)
    # A sample's time and the time between two samples' are of two clocks where the shift is wrong: none of it is on a processor then.
    used = report["recording"]["user_s"] + report["recording"]["system_s"]
    test.check(f"{what}: processor time, s", f"> 0 and ≤ {2 * longest:.3f}", used, 0 < used <= 2 * longest)


def body(test):
    if not shutil.which("unshare") or test.run(*unshare(DAY), "true", prefix=[]).returncode != 0:
        test.skip("a time namespace cannot be made here")
    program = test.program("children")
    with open("/proc/uptime") as file:
        back = -int(float(file.read().split()[0])) // 2  # the clock may not become negative
    for what, seconds in (("ahead", DAY), ("behind", back)):
        check(test, what, *unshare(seconds), program, "work", 200)
    check(test, "outside while Kymo is inside", program, "work", 200, prefix=unshare(DAY))


main(body)
