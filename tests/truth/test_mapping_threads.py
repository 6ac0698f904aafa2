"""Memory that comes and goes while a second thread lives, which the process's own monitor does not read: the program goes on only when the
recording shows the change, so that a reading from outside lies between."""

import json
import subprocess
import time

from harness import main


def body(test):
    path = test.work / "threads.kymo"
    program = subprocess.Popen([*test.prefix, str(test.kymo), "record", "-q", "-o", str(path), "--", str(test.program("mapping_threads"))],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=test.work)
    truth = json.loads(program.stdout.readline())

    def process():
        """The map as recorded so far; a recording that has only begun may not open."""
        done = test.run(test.kymo, "report", "--json=full", path)
        maps = json.loads(done.stdout)["address_map"] if done.returncode == 0 else []
        return maps[0] if maps else {"areas": []}

    def region(areas):
        return [area for area in areas if int(area["begin"], 16) <= truth["at"] < int(area["end"], 16)]

    def wait_for(what, is_so):
        end = time.monotonic() + 60
        while time.monotonic() < end and program.poll() is None:
            if is_so(region(process()["areas"])):
                break
            time.sleep(0.05)
        else:
            test.fail(f"{what} was never recorded")
        program.stdin.write("\n")
        program.stdin.flush()

    wait_for("the region", bool)
    wait_for("its end", lambda found: found and found[-1]["gone_s"] is not None)
    test.equal("the program ended", 0, program.wait())
    seen = process()
    found = region(seen["areas"])
    if test.equal("the region is one area", 1, len(found)):
        test.equal("where it was", (truth["at"], truth["bytes"], "r-xp"), (int(found[0]["begin"], 16), found[0]["bytes"], found[0]["access"]))
        test.check("it came and went", "seen before gone", (found[0]["seen_s"], found[0]["gone_s"]), found[0]["seen_s"] < found[0]["gone_s"])
    test.check("it was read from outside at both", ">= 2", seen["outside_readings"], seen["outside_readings"] >= 2)
    stacks = [area for area in seen["areas"] if int(area["begin"], 16) <= truth["stack"] < int(area["end"], 16)]
    test.check("the other thread's stack is known as its", f"stack of thread {truth['tid']}", [area["name"] for area in stacks],
               any(area["name"] == f"stack of thread {truth['tid']}" for area in stacks))


main(body)
