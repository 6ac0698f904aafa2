"""From outside, as root: who woke a waiting thread, by pairs of threads of known names. Where that may not be measured the report says so, and no
wait names a thread."""

import pathlib
import shutil

from harness import main

# By the function that waits: the kind of wait (where the C library keeps its symbols), and the thread that ends it.
WAITS = {"waits_for_signal": (("condition",), "signals"), "reads_pipe": (("read",), "r-writes"), "waits_for_post": (("semaphore", "futex"), "posts"), "waits_for_lock": (("mutex",), "locks")}
MISSING = "who woke a waiting thread"
MOUNT = 'mount -t tracefs nodev /sys/kernel/tracing && exec "$@"'


def with_tracefs(test):
    """What a command is put behind that may need tracefs, which is mounted for it alone."""
    if pathlib.Path("/sys/kernel/tracing/events/sched").exists():
        return []
    if not shutil.which("unshare"):
        test.skip("unshare is not installed (apt-get install util-linux)")
    command = ["unshare", "--mount", "sh", "-c", MOUNT, "sh"]
    if test.run(*command, "test", "-e", "/sys/kernel/tracing/events/sched/sched_waking").returncode != 0:
        test.skip("tracefs cannot be mounted here, or has no sched:sched_waking")
    return command


def body(test):
    if test.barred:
        test.skip("performance events are barred")
    before = with_tracefs(test) if test.mode == "root" else []
    path = test.work / "wakers.kymo"
    done = test.run(*before, test.kymo, "record", "-q", "--from-outside", "-o", path, "--", test.program("wakers"))
    test.equal("exit status", 0, done.returncode)
    report = test.report(path)
    if report is None:
        return
    missing = {row["what"]: row for row in report["recording"]["unavailable"]}
    waits = [wait for wait in report["waits"] if wait["place"]]
    if MISSING in missing:
        test.check("refused: what remedies that", "a setting, or root", missing[MISSING], any(word in missing[MISSING]["remedy"] for word in ("root", "tracefs", "container")))
        named = [wait["holders"] for wait in waits if wait["holders"] and wait["kind"] != "join"]
        test.equal("refused: waits that name a thread", [], named)
        if test.mode == "root":
            test.skip(f"not permitted here: {missing[MISSING]['why']}")
        return
    for function, (kind, waker) in WAITS.items():
        rows = [wait for wait in waits if function in (wait["place"]["function"] or "") and wait["kind"] in kind]
        count = sum(wait["count"] for wait in rows)
        by = {}
        for wait in rows:
            for holder in wait["holders"]:
                by[holder["name"]] = by.get(holder["name"], 0) + holder["count"]
        test.check(f"{function}: waits", "most of 60 rounds", count, count > 30)
        # A round in which the other was first has no wait; a wait of which a record is lost names none.
        test.check(f"{function}: woken by", f"{waker} alone, nearly always", by, set(by) == {waker} and by[waker] > 0.9 * count)
    naps = [wait["holders"] for wait in report["waits"] if wait["kind"] == "sleep"]
    test.check("sleeps: nobody ended them", "rows without holders", naps[:3], bool(naps) and not any(naps))


main(body)
