"""What threads did over time agrees with the kernel's own account: time off the processor, switches, run queue, and the identity.

Arguments: BUILD MODE [RECORDS]. RECORDS: how the kernel's records are taken (KYMO_KERNEL_RECORDS); as it is settled, without.
"""

import os

from harness import check_identity, main


def body(test):
    truth, report, _ = test.recorded_truth("states", env={**os.environ, "KYMO_KERNEL_RECORDS": (test.arguments or [""])[0]})
    check_identity(test, report)
    main_asleep = truth.pop("main_asleep")
    # A thread's own records lie in one page, which it empties when it is sampled.
    if test.arguments and (lost := report["recording"]["lost_kernel_records"]) > 0:
        test.skip(f"the machine is too busy for threads to keep all records of their switches: {lost} were lost, and told")
    threads = {thread["name"]: thread for thread in report["threads"]}
    by_records = not test.barred
    for name, known in truth.items():
        thread = threads.get(name)
        if not test.check("thread", name, sorted(threads), thread is not None):
            continue
        off = (known["wall"] - known["on"]) / 1e9
        # 1 %, and the thread's start and end, which its own clocks do not see.
        test.near(f"{name}, off", off, thread["off_cpu_s"], 0.01 * off + 0.005 + test.taken, " s")
        source = "switch-records" if by_records else "thread-end"
        test.check(f"{name}, switches from", source, thread["switches_from"], thread["switches_from"] == source)
        # A thread that ends may be switched once or twice more after it has looked. And records begin when they have been opened: the thread
        # may have been switched for locks of the kernel's until then, as often as others hold them, but its work begins later.
        for kind in ("voluntary", "involuntary"):
            seen = thread[f"{kind}_switches"]
            least = known[kind] - known[f"{kind}_before"]
            test.figure(f"{name}, {kind} switches", f"{least} to {known[kind] + 2}", seen, least <= seen <= known[kind] + 2)
    for name in ("rival-a", "rival-b"):
        off = (truth[name]["wall"] - truth[name]["on"]) / 1e9
        test.near(f"{name}, run queue", off, threads[name]["run_queue_s"], 0.03 * off + 0.02 + test.taken, " s")
    for name, kind in (("sleeper", "sleep"), ("reader", "read")):
        off = (truth[name]["wall"] - truth[name]["on"]) / 1e9
        states = threads[name]["states"]
        waited = states["waiting_by_kind_s"].get(kind, 0)
        test.near(f"{name}, waiting in {kind}", off, waited + states["run_queue_s"], 0.02 * off + 0.01 + test.taken, " s")
    # The time stands where the program waits, not where it went on.
    slept = [entry for entry in report["call_tree"] if "sleep_ms" in entry["function"]]
    # The main thread sleeps at the same call.
    known = (truth["sleeper"]["wall"] - truth["sleeper"]["on"] + main_asleep) / 1e9
    test.near("off-CPU time at the sleeping call", known, sum(entry["total"]["off_cpu_s"] for entry in slept), 0.03 * known + 0.03 + test.taken, " s")


main(body)
