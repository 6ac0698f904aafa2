"""Who waits for a mutex, where and how long; who keeps it, and where that thread is meanwhile."""

from harness import main, plain, preempted


def find(report, mutex):
    return [wait for wait in report["waits"] if wait["kind"] == "mutex" and wait["object"] == hex(mutex)]


def body(test):
    truth, report, _ = test.recorded_truth("waits_lock")
    for which, doing, keeper in (("busy", "running", "compute_under_lock"), ("idle", "sleep", "sleep_under_lock")):
        rows = find(report, truth[which + "_mutex"])
        if not test.check(f"{which}: rows", 1, len(rows), len(rows) == 1):
            continue
        row = rows[0]
        known = truth[which] / 1e9
        test.near(f"{which}: waited", known, row["seconds"], 0.03 * known + preempted(test, truth), " s")
        # A round in which the keeper was faster than the waiter's lock is no wait.
        test.figure(f"{which}: count", f"at most {truth['rounds']}, half at least", row["count"],
                   truth["rounds"] / 2 <= row["count"] <= truth["rounds"])
        test.equal(f"{which}: waiting function", "wait_for_keeper", plain(row["place"]["function"]))
        test.equal(f"{which}: waiting line", truth[which + "_line"], row["place"]["line_begin"])
        test.equal(f"{which}: waiters", ["waiter"], [waiter["name"] for waiter in row["waiters"]])
        test.equal(f"{which}: holders", ["keeper"], [holder["name"] for holder in row["holders"]])
        holder = row["holder"]
        test.near(f"{which}: kept by the holder", row["seconds"], holder["seconds"], 1e-6, " s")
        seen = holder["doing"], plain(holder["place"]["function"])
        test.figure(f"{which}: the holder was, and in", (doing, keeper), seen, seen == (doing, keeper))
        line = truth["compute_line" if which == "busy" else "sleep_line"]
        if which == "idle":
            test.figure(f"{which}: the holder's line", line, holder["place"]["line_begin"], line == holder["place"]["line_begin"])
            test.near(f"{which}: seen asleep", known, holder["place_seconds"], 0.03 * known + 0.005 + truth["ready"] / 1e9 + test.taken, " s")
    pairs = {(pair["holder"]["name"], pair["waiter"]["name"]): pair for pair in report["blocking"]}
    pair = pairs.get(("keeper", "waiter"))
    if test.check("who blocks whom", "keeper, waiter", sorted(pairs), pair is not None):
        known = (truth["busy"] + truth["idle"]) / 1e9
        least = 0.97 * known - preempted(test, truth)
        test.figure("blocked at least as long as by the mutexes", f"{least:.3f} s", pair["seconds"], pair["seconds"] >= least)


main(body)
