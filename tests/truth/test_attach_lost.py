"""What the kernel had no room for is counted, also where the rings are full to the end: the recorder is stopped while the program computes."""

import os
import signal

from harness import main


def body(test):
    if test.barred:
        test.skip("performance events are barred")
    if tuple(int(part) for part in os.uname().release.split(".")[:2]) < (6, 0):
        test.skip("the kernel does not count lost records by event (Linux 6.0)")
    program = test.start(test.program("deep"), 5, 1000)
    path = test.work / "lost.kymo"
    recorder = test.start(test.kymo, "record", "--pid", program.pid, "-F", 4000, "--stack", 8192, "-o", path)
    said = recorder.stderr.readline()
    if not test.check("begun", "recording 1 process", said, "recording 1 process" in said):
        return
    recorder.send_signal(signal.SIGSTOP)
    program.communicate()
    recorder.send_signal(signal.SIGCONT)
    recorder.communicate()
    test.equal("exit status", 0, recorder.returncode)
    report = test.report(path)
    lost = report["recording"]["lost_kernel_records"]
    test.check(f"lost records beside {report['recording']['samples']} samples", "some", lost, lost > 0)


main(body)
