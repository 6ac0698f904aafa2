"""Waits and processor time lie between two times that the program took itself: one that is surely shorter, one that is surely longer.

True on any machine and under any load: nothing is allowed for."""

from harness import main, plain

KINDS = {"read_lock": "read-lock", "write_lock": "write-lock"}


def between(test, what, known, seen_s):
    inner, outer = known["inner"] / 1e9, known["outer"] / 1e9
    test.check(what, f"{inner:.6f} to {outer:.6f} s", f"{seen_s:.6f} s", inner <= seen_s <= outer)


def body(test):
    truth, report, _ = test.recorded_truth("brackets")
    rounds = truth["rounds"]
    for name, known in truth["waits"].items():
        rows = [row for row in report["waits"] if plain(row["place"]["function"]) == f"wait_for_{name}"]
        if not test.check(f"{name}: what is waited for", {KINDS.get(name, name)}, {row["kind"] for row in rows},
                          {row["kind"] for row in rows} == {KINDS.get(name, name)}):
            continue
        test.equal(f"{name}: waits", rounds, sum(row["count"] for row in rows))
        between(test, f"{name}: waited", known, sum(row["seconds"] for row in rows))
        test.equal(f"{name}: who", {"waiter"}, {waiter["name"] for row in rows for waiter in row["waiters"]})
    computer = next(thread for thread in report["threads"] if thread["name"] == "computer")
    own = computer.get("own_work_s", report["recording"].get("own_work_s", 0))
    inner, outer = truth["computer"]["inner"] / 1e9, truth["computer"]["outer"] / 1e9
    test.check("processor time, with Kymo's own", f"{inner:.6f} s and more", f"{computer['on_cpu_s']:.6f} + {own:.6f} s", inner <= computer["on_cpu_s"] + own)
    test.check("processor time", f"{outer:.6f} s at most", f"{computer['on_cpu_s']:.6f} s", computer["on_cpu_s"] <= outer)


main(body)
