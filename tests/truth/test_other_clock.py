"""Under a library that shows programs another time, Kymo's own clock is the system's: the same times as without it."""

import json
import os

from harness import check_identity, main


def body(test):
    library = test.build / "tests" / "programs" / "libother_clock.so"
    program = test.program("becomes_another")
    for where, command in (("around Kymo", []), ("around the program", ["env", f"LD_PRELOAD={library}"])):
        environment = {**os.environ, "LD_PRELOAD": str(library)} if not command else None
        done, path = test.record(*command, program, env=environment, out=f"{len(command)}.kymo")
        test.equal(f"{where}: exit status", 0, done.returncode)
        report = test.report(path)
        if report is None:
            continue
        check_identity(test, report)
        recording = report["recording"]
        used = json.loads(done.stdout.strip().splitlines()[-1])["spent"] / 1e9
        told = recording["user_s"] + recording["system_s"]
        test.near(f"{where}: processor time in the rows", used, told, 0.02 * used + 0.06 + test.taken, " s")
        longest = sum((thread["end_s"] or 0) - (thread["begin_s"] or 0) for thread in report["threads"])
        test.figure(f"{where}: lives longer than the work", f"≥ {0.9 * told:.3f} s", longest, longest >= 0.9 * told)
        test.figure(f"{where}: as long as Kymo saw it", f"{longest:.3f} to {longest + 2:.3f} s", recording["duration_s"],
                   longest - 0.01 <= recording["duration_s"] <= longest + 2)


main(body)
