"""Threads of unequal work meet at a barrier: who waits how long, and for whom."""

from harness import main, plain, preempted


def body(test):
    truth, report, _ = test.recorded_truth("waits_barrier")
    rows = [wait for wait in report["waits"] if wait["kind"] == "barrier"]
    if not test.check("rows", 1, len(rows), len(rows) == 1):
        return
    row = rows[0]
    known = (truth["quick-a"] + truth["quick-b"] + truth["slow"] + truth["last"]) / 1e9
    test.near("waited by all", known, row["seconds"], 0.03 * known + preempted(test, truth), " s")
    test.equal("waiting function", "step", plain(row["place"]["function"]))
    test.equal("waiting line", truth["wait_line"], row["place"]["line_begin"])
    test.figure("waited for most", "slow", row["holder"]["name"], row["holder"]["name"] == "slow")
    # On a busy machine those who are woken get a processor late, and the slow one has met the next barrier by then.
    slow = next(thread for thread in report["threads"] if thread["name"] == "slow")
    if truth["slow"] / 1e9 > slow["user_s"] / 2 or (test.barred and slow["samples"] < slow["user_s"] * 250 / 4):
        print(f"note: slow waited {truth['slow'] / 1e9:.2f} s and computed {slow['user_s']:.2f} s in {slow['samples']} samples: what it did is not checked")
    else:
        seen = row["holder"]["doing"], plain(row["holder"]["place"]["function"])
        test.figure("which was, and in", ("running", "slow_work"), seen, seen == ("running", "slow_work"))
    for name in ("quick-a", "quick-b"):
        pairs = [pair for pair in report["blocking"] if pair["waiter"]["name"] == name and pair["kind"] == "barrier"]
        total = sum(pair["seconds"] for pair in pairs)
        test.near(f"{name} waited", truth[name] / 1e9, total,
                  0.03 * truth[name] / 1e9 + 0.001 + preempted(test, truth), " s")
        if pairs:
            holder = max(pairs, key=lambda pair: pair["seconds"])["holder"]["name"]
            test.figure(f"{name} waited mostly for", "slow", holder, holder == "slow")


main(body)
