"""A thread waits for another's initialiser, and by the futex system call: how long, where, for whom."""

from harness import main, plain, preempted


def total(rows):
    return sum(row["seconds"] for row in rows)


def body(test):
    truth, report, _ = test.recorded_truth("waits_once")
    slack = preempted(test, truth)

    def rows(kind, function):
        return [wait for wait in report["waits"] if wait["kind"] == kind and plain(wait["place"]["function"]) == function]

    for which, kind, function in (("once", "once", "wait_for_once"), ("call_once", "once", "wait_for_call_once"),
                                  ("futex", "futex", "wait_for_word"), ("lock", "futex", None)):
        found = rows(kind, function) if function else [wait for wait in report["waits"] if wait["object"] == hex(truth["lock_word"])]
        if not test.check(f"{which}: rows", "at least one", len(found), len(found) >= 1):
            continue
        known = truth[which] / 1e9
        test.near(f"{which}: waited", known, total(found), 0.03 * known + slack, " s")
        test.figure(f"{which}: count", f"at most {truth['rounds']}, half at least", sum(row["count"] for row in found),
                   truth["rounds"] / 2 <= sum(row["count"] for row in found) <= truth["rounds"])
        test.equal(f"{which}: waiters", {"waiter"}, {waiter["name"] for row in found for waiter in row["waiters"]})
        test.equal(f"{which}: holders", {"keeper"}, {holder["name"] for row in found for holder in row["holders"]})
        doing = {row["holder"]["doing"] for row in found}
        test.figure(f"{which}: the holder was", {"running"}, doing, doing == {"running"})
    for which, kind, function in (("once", "once", "wait_for_once"), ("futex", "futex", "wait_for_word")):
        found = rows(kind, function)
        test.equal(f"{which}: line", {truth[which + "_line"]}, {row["place"]["line_begin"] for row in found})
    test.equal("the word", {hex(truth["word"])}, {row["object"] for row in rows("futex", "wait_for_word")})
    # Who runs an initialiser does not wait for it.
    keepers = [row for row in report["waits"] if row["kind"] == "once" and "keeper" in {w["name"] for w in row["waiters"]}]
    test.equal("waits of the keeper's for initialisers", [], keepers)


main(body)
