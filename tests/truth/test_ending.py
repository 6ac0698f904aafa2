"""However a run ends, its status is handed back and its recording is whole."""

import os
import signal
import time

from harness import main, samples_due, total
from test_death import the_program


def check_samples(test, report, what):
    """How long the program had a processor is the machine's affair; what it computed meanwhile must have been sampled."""
    samples = report["recording"]["samples"]
    least = max(1, samples_due(test, report))
    test.check(f"{what}, of {total(report, 'user_s'):.2f} s computed", f"≥ {least}", samples, samples >= least)


def body(test):
    sh = test.tool("sh", "dash")
    for status in (0, 1, 42, 255):
        done, path = test.record(sh, "-c", f"exit {status}", out=f"status-{status}.kymo")
        test.equal(f"exit {status}", status, done.returncode)
        report = test.report(path)
        if report:
            test.equal(f"exit status in the report of exit {status}", status, report["recording"]["exit_status"])
    for number in (signal.SIGTERM, signal.SIGSEGV, signal.SIGABRT):
        done, path = test.record(sh, "-c", f"kill -{int(number)} $$", out=f"signal-{int(number)}.kymo")
        test.equal(f"death by {number.name}", 128 + number, done.returncode)
        test.report(path)

    # Ctrl-C reaches everything in the terminal's foreground group.
    kymo = test.start(test.kymo, "record", "-o", test.work / "interrupted.kymo", "--", test.program("split"), start_new_session=True)
    the_program(kymo.pid, "split")
    time.sleep(1.0)
    os.killpg(kymo.pid, signal.SIGINT)
    kymo.communicate(timeout=30)
    test.equal("status after Ctrl-C", 128 + signal.SIGINT, kymo.returncode)
    report = test.report(test.work / "interrupted.kymo")
    if report:
        check_samples(test, report, "samples before Ctrl-C")

    # SIGINT or SIGTERM to kymo alone is forwarded.
    for number in (signal.SIGINT, signal.SIGTERM):
        out = test.work / f"forwarded-{int(number)}.kymo"
        kymo = test.start(test.kymo, "record", "-o", out, "--", test.program("split"), start_new_session=True)
        program = the_program(kymo.pid, "split")
        time.sleep(0.7)
        if program:
            os.kill(kymo.pid, number)
        kymo.communicate(timeout=30)
        test.equal(f"status after {number.name} to kymo alone", 128 + number, kymo.returncode)
        gone = program is not None and not os.path.exists(f"/proc/{program}")
        test.check(f"the program after {number.name}", "gone", "gone" if gone else f"process {program}", gone)
        test.report(out)

    # --duration ends the measurement, and the program with it or not, within its time.
    begin = time.monotonic()
    done, path = test.record(test.program("split"), out="duration.kymo", options=("--duration", "1"))
    took = time.monotonic() - begin
    report = test.report(path)
    if report:
        seconds = report["recording"]["duration_s"]
        test.check("--duration 1: length of the recording", "0.9 to 1.5 s", f"{seconds:.2f}", 0.9 <= seconds <= 1.5)
        check_samples(test, report, "--duration 1: samples")
    print(f"note: kymo record --duration 1 took {took:.2f} s and ended with {done.returncode}")

    # --max-size holds, and the program does not notice.
    done, path = test.record(test.program("split"), out="small.kymo", options=("--max-size", "512K", "-e", "task-clock:freq=8000"))
    if test.equal("--max-size: status of the program", 0, done.returncode):
        size = sum(file.stat().st_size for file in path.iterdir())
        test.check("--max-size 512K: bytes", "≤ 512 KiB and a chunk a file", size, size <= 512 * 1024 + 3 * 65536)
        test.report(path)

    # kymo PROGRAM alone records and reports.
    done = test.run(test.kymo, test.program("split"))
    test.equal("kymo PROGRAM: status", 0, done.returncode)
    test.check("kymo PROGRAM: prints a report", "the name seventy", "there" if "seventy" in done.stdout + done.stderr else done.stdout[:300],
               "seventy" in done.stdout + done.stderr)


if __name__ == "__main__":
    main(body)
