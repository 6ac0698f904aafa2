"""The report charges waits to rarely used calls: locks of files, queues and semaphores between processes, signals, pipes."""

from harness import main

PLACES = {"locks_file": "file-lock", "locks_part": "file-lock", "locks_by_lockf": "file-lock", "takes_semaphore": "semaphore",
          "receives_message": "message", "receives_posix_message": "message", "waits_for_signal": "signal", "waits_by_sigwait": "signal",
          "pauses": "signal", "splices": "write", "sends_file": "write", "lends_memory": "write", "receives_many": "read"}


def body(test):
    truth, report, _ = test.recorded_truth("older_waits", str(test.work / "file"))
    waits = [wait for wait in report["waits"] if wait["pid"] == report["processes"][0]["pid"] and wait["place"]]
    for function, kind in PLACES.items():
        there = [(wait["kind"], wait["count"]) for wait in waits if wait["place"]["function"] == function]
        test.equal(f"waits in {function}", [(kind, truth["times"])], there)
        seconds = sum(wait["seconds"] for wait in waits if wait["place"]["function"] == function)
        test.figure(f"time in {function}", "≥ 1 ms each", seconds, seconds >= 0.001 * truth["times"])


main(body)
