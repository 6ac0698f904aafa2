"""Programs in pid namespaces of their own, where each is process 1 and its threads have the same numbers, with the /proc of outside and with one of
their own: each process and thread is in the report once, measured, with the kernel's number and its own."""

import shutil

from harness import main

THREADS = 3


def check(test, what, *options):
    unshare = ["unshare", "--pid", "--fork", *options]
    if test.run(*unshare, "true", prefix=[]).returncode != 0:
        test.skip("a pid namespace cannot be made here")
    program = test.program("named_threads")
    one = " ".join([*unshare, str(program)])
    done, path = test.record("sh", "-c", f"{one} & {one} & wait", out=f"{what.split()[0]}.kymo")
    test.equal(f"{what}: status", 0, done.returncode)
    report = test.report(path)
    if report is None:
        return
    inside = [process for process in report["processes"] if process["executable"] and process["executable"].endswith("named_threads")]
    test.equal(f"{what}: processes, their own numbers", [1, 1], [process["own_pid"] for process in inside])
    numbers = {process["pid"] for process in inside}
    test.check(f"{what}: their numbers", "two, not 1", numbers, len(numbers) == 2 and 1 not in numbers)
    test.check(f"{what}: processes without the monitor", "none", [p["name"] for p in report["processes"] if not p["monitored"]], all(p["monitored"] for p in report["processes"]))
    # Before its exec the child of unshare is an image of its own, which has a row if a sample fell into it.
    makers = {process["pid"] for process in report["processes"] if process["name"] == "unshare"} - numbers
    test.check(f"{what}: what started them", "unshare", [process["parent_pid"] for process in inside], {process["parent_pid"] for process in inside} == makers)
    for process in inside:
        number = process["pid"]
        threads = [thread for thread in report["threads"] if thread["pid"] == number and thread["begin_s"] >= process["begin_s"]]
        own = sorted(thread["own_tid"] for thread in threads)
        test.equal(f"{what}: threads of {number}, their own numbers", list(range(1, len(threads) + 1)), own)
        test.check(f"{what}: threads of {number}", "sampled, each once", [(t["tid"], t["sampled"]) for t in threads],
                   len(threads) >= THREADS and len({t["tid"] for t in threads}) == len(threads) and all(t["sampled"] for t in threads))
        waited = [t["switches"] for t in threads if t["own_tid"] == 1]
        test.check(f"{what}: switches of {number}'s first thread, which waits", "some", waited, waited[0] > 0)


def body(test):
    if not shutil.which("unshare"):
        test.skip("unshare is not installed (apt-get install util-linux)")
    check(test, "seen from outside")
    check(test, "hidden", "--mount-proc")


main(body)
