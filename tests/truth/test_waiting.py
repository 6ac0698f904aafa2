"""Time off the processor is what the program itself saw of it."""

from harness import main


def body(test):
    truth, report, _ = test.recorded_truth("waiting")
    threads = {thread["name"]: thread for thread in report["threads"]}
    busy = threads.get("busy")
    waiter = threads.get("waiting")
    if not test.check("threads by name", "busy and waiting", sorted(threads), bool(busy and waiter)):
        return
    for name, thread, column, known in (("busy, on", busy, "on_cpu_s", truth["on"]), ("busy, off", busy, "off_cpu_s", truth["off"]),
                                        ("waiting, off", waiter, "off_cpu_s", truth["waited"])):
        test.near(name, known / 1e9, thread[column], 0.03 * known / 1e9 + 0.02 + test.taken, " s")


main(body)
